"""What a template may ask about the finished database, answered as the airline's tools would answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, TypeVar

from domains.airline.generator.database import Database
from domains.airline.generator.network import AIRPORTS, NOW, TODAY
from domains.airline.generator.trips import FREE_BAGS
from domains.drafting import Fact, Step
from domains.generating import Dice

T = TypeVar("T")
Record = dict[str, Any]

CABIN_NAMES = {"basic_economy": "basic economy", "economy": "economy", "business": "business"}
NO_NUMBERS = Fact("reservation_id", None, "@I do not have the reservation numbers at hand.")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class World:
    def __init__(self, database: Database) -> None:
        self.flights = database["flights"]
        self.users = database["users"]
        self.reservations = database["reservations"]
        self.routes = sorted({(flight["origin"], flight["destination"]) for flight in self.flights.values()})

    # Who and what

    def customers(self, dice: Dice, most_reservations: int = 5) -> Iterator[Record]:
        """Customers in seeded order, without those whose profile takes long to look through."""
        for user in dice.shuffled(list(self.users.values())):
            if len(user["reservations"]) <= most_reservations:
                yield user

    def trips(self, dice: Dice, *conditions: Callable[[Record], bool]) -> Iterator[tuple[Record, Record]]:
        """User and reservation, in seeded order, for every reservation that meets the conditions."""
        for reservation in dice.shuffled(list(self.reservations.values())):
            user = self.users[reservation["user_id"]]
            if len(user["reservations"]) <= 5 and all(condition(reservation) for condition in conditions):
                yield user, reservation

    def own_reservations(self, user: Record) -> list[Record]:
        return [self.reservations[reservation_id] for reservation_id in user["reservations"]]

    def instance(self, flight: Record) -> Record:
        """The day of a segment."""
        day: Record = self.flights[flight["flight_number"]]["dates"][flight["date"]]
        return day

    def statuses(self, reservation: Record) -> list[str]:
        return [self.instance(flight)["status"] for flight in reservation["flights"]]

    # Conditions

    def flown(self, reservation: Record) -> bool:
        return any(status in ("landed", "flying") for status in self.statuses(reservation))

    def partly_flown(self, reservation: Record) -> bool:
        """The way out is over, the way back leaves as planned."""
        statuses = self.statuses(reservation)
        return statuses[0] == "landed" and statuses[-1] == "available" and reservation["flight_type"] == "round_trip"

    def coming(self, reservation: Record) -> bool:
        """Every flight leaves after today, as planned."""
        return all(
            flight["date"] > TODAY and self.instance(flight)["status"] == "available"
            for flight in reservation["flights"]
        )

    def called_off(self, reservation: Record) -> bool:
        """A coming flight is cancelled, and nothing has been flown."""
        return not self.flown(reservation) and any(
            flight["date"] >= TODAY and self.instance(flight)["status"] == "cancelled"
            for flight in reservation["flights"]
        )

    def recognisable(self, reservation: Record) -> bool:
        """The customer's only trip between its two places."""
        places = {reservation["origin"], reservation["destination"]}
        others = self.own_reservations(self.users[reservation["user_id"]])
        return sum({other["origin"], other["destination"]} == places for other in others) == 1

    def membership(self, reservation: Record) -> str:
        return str(self.users[reservation["user_id"]]["membership"])

    # Flights

    def direct(self, origin: str, destination: str, date: str) -> list[Record]:
        """As search_direct_flight finds them, each with its date and its instance's seats and prices."""
        return [
            {**flight, "date": date, **flight["dates"][date]}
            for flight in self.flights.values()
            if flight["origin"] == origin
            and flight["destination"] == destination
            and flight["dates"][date]["status"] == "available"
        ]

    def cheapest(self, origin: str, destination: str, date: str, cabin: str, people: int) -> Record | None:
        """The direct flight with seats for all that costs least, if it is the only one."""
        return best(
            with_seats(self.direct(origin, destination, date), cabin, people), lambda flight: flight["prices"][cabin]
        )

    def onestop(self, origin: str, destination: str, date: str) -> list[tuple[Record, Record]]:
        """As search_onestop_flight finds them, the text comparison of times included."""
        found: list[tuple[Record, Record]] = []
        for hub in AIRPORTS:
            for first in self.direct(origin, hub, date):
                arrival = first["scheduled_arrival_time_est"]
                day = int(date[-2:]) + ("+1" in arrival)
                onward = self.direct(hub, destination, f"2024-05-{day:02}") if day <= 30 else []
                found += [(first, second) for second in onward if second["scheduled_departure_time_est"] >= arrival]
        return found

    # Money and bags

    def free_bags(self, user: Record, cabin: str, passengers: int) -> int:
        return FREE_BAGS[user["membership"], cabin] * passengers

    def method(self, user: Record, payment_id: str) -> str | None:
        """How the customer speaks of a payment method; None if the words would fit another one too."""
        texts = {identity: _method_text(method) for identity, method in user["payment_methods"].items()}
        text = texts[payment_id]
        return text if list(texts.values()).count(text) == 1 else None

    def methods(self, user: Record, source: str) -> list[Record]:
        return [
            method
            for method in user["payment_methods"].values()
            if method["source"] == source and self.method(user, method["id"])
        ]

    def payer(self, dice: Dice, user: Record, amount: int) -> tuple[str, str] | None:
        """A credit card, or a gift card that covers the amount: id and words."""
        able = self.methods(user, "credit_card")
        able += [method for method in self.methods(user, "gift_card") if method["amount"] >= max(amount, 0)]
        if not able:
            return None
        payment_id = dice.pick(able)["id"]
        return payment_id, self.method(user, payment_id) or ""

    def cabin_difference(self, reservation: Record, cabin: str) -> int | None:
        """What moving the reservation to another cabin costs today; None where it is not possible."""
        people = len(reservation["passengers"])
        total = 0
        for flight in reservation["flights"]:
            day = self.instance(flight)
            if day["status"] != "available" or day["available_seats"][cabin] < people:
                return None
            total += (day["prices"][cabin] - flight["price"]) * people
        return total


def _method_text(method: Record) -> str:
    match method["source"]:
        case "credit_card":
            return f"@my {'Visa' if method['brand'] == 'visa' else 'Mastercard'} ending in {method['last_four']}"
        case "gift_card":
            return f"@my gift card with {method['amount']:.0f} dollars on it"
        case _:
            return f"@my certificate worth {method['amount']:.0f} dollars"


def best(items: Iterable[T], key: Callable[[T], Any]) -> T | None:
    """The item with the smallest key, if it is the only one."""
    ranked = sorted(items, key=key)
    if not ranked or (len(ranked) > 1 and key(ranked[0]) == key(ranked[1])):
        return None
    return ranked[0]


def with_seats(flights: Iterable[Record], cabin: str, people: int) -> list[Record]:
    return [flight for flight in flights if flight["available_seats"][cabin] >= people]


def departure(flight: Record) -> str:
    return str(flight["scheduled_departure_time_est"])


def paid(reservation: Record) -> int:
    return int(sum(payment["amount"] for payment in reservation["payment_history"]))


def recent(reservation: Record) -> bool:
    return datetime.fromisoformat(reservation["created_at"]) > NOW - timedelta(hours=24)


def plain(reservation: Record) -> bool:
    """Booked longer ago, not insured, not in business: nothing that lets it be cancelled."""
    return not recent(reservation) and reservation["insurance"] == "no" and reservation["cabin"] != "business"


# Words


def city(code: str) -> str:
    return AIRPORTS[code][0]


def day(date: str) -> str:
    return f"May {int(date[-2:])}"


def route(reservation: Record) -> str:
    return f"{city(reservation['origin'])} to {city(reservation['destination'])}"


def trip(reservation: Record) -> str:
    kind = "round trip" if reservation["flight_type"] == "round_trip" else "trip"
    verb = "that starts on" if kind == "round trip" else "on"
    return f"{kind} from {route(reservation)} {verb} {day(reservation['flights'][0]['date'])}"


def person(passenger: Record) -> str:
    return f"{passenger['first_name']} {passenger['last_name']}, born {passenger['dob']}"


def people(passengers: list[Record]) -> str:
    return "; ".join(person(passenger) for passenger in passengers)


def bags(count: int) -> str:
    return f"{COUNTS[count]} checked bag{'' if count == 1 else 's'}"


# Steps and facts that many tasks share


def customer(user: Record) -> dict[str, str]:
    return {**user["name"], "dob": user["dob"]}


def about(user: Record) -> tuple[Fact, ...]:
    name = f"{user['name']['first_name']} {user['name']['last_name']}"
    return (
        Fact("user_id", user["user_id"], f"@My user id is {user['user_id']}."),
        Fact("name", name, f"@My name is {name}."),
        Fact("dob", user["dob"], f"@My date of birth is {user['dob']}."),
    )


def known_number(reservation: Record) -> tuple[Fact, ...]:
    number = reservation["reservation_id"]
    return (Fact("reservation_id", number, f"@My reservation number is {number}."),)


def unknown_number(reservation: Record) -> tuple[Fact, ...]:
    """The customer has only the route and the first day."""
    date = reservation["flights"][0]["date"]
    return (
        Fact("reservation_id", None, "@I do not have the reservation number at hand."),
        Fact("route", route(reservation), f"The trip goes from {route(reservation)}."),
        Fact("date", date, f"The trip starts on {day(date)}."),
    )


def look_up(user: Record, *reservations: Record) -> tuple[Step, ...]:
    """Open the profile and the reservations whose numbers are known."""
    return (
        Step("get_user_details", {"user_id": user["user_id"]}),
        *(Step("get_reservation_details", {"reservation_id": r["reservation_id"]}) for r in reservations),
    )


def search_for(world: World, user: Record, *wanted: Record) -> tuple[Step, ...]:
    """Open the profile and one reservation after the other until all that are wanted have been seen."""
    own = world.own_reservations(user)
    last = max(own.index(reservation) for reservation in wanted)
    return look_up(user, *own[: last + 1])


def check_status(flight: Record) -> Step:
    return Step("get_flight_status", {"flight_number": flight["flight_number"], "date": flight["date"]})


def find_direct(origin: str, destination: str, date: str) -> Step:
    return Step("search_direct_flight", {"origin": origin, "destination": destination, "date": date})


def price_check(reservation: Record) -> tuple[Step, ...]:
    """Look at today's seats and prices of every segment."""
    return tuple(find_direct(f["origin"], f["destination"], f["date"]) for f in reservation["flights"])


def segments(flights: Iterable[Record]) -> list[dict[str, str]]:
    return [{"flight_number": flight["flight_number"], "date": flight["date"]} for flight in flights]
