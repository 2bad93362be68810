"""Task templates: other flights, other cabins, other passengers, more bags, and what cannot be changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domains.airline.generator.drafting import Draft, Fact, Step, Wish
from domains.airline.generator.world import (
    CABIN_NAMES,
    Record,
    World,
    about,
    bags,
    best,
    day,
    find_direct,
    known_number,
    look_up,
    person,
    price_check,
    search_for,
    segments,
    trip,
    unknown_number,
)
from domains.generating import FIRST_NAMES, LAST_NAMES, Dice, invent_birthday

SMALLEST_ANSWER = 100


def move_one_way(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        simple = len(reservation["flights"]) == 1 and reservation["cabin"] == "economy"
        return simple and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        people_count = len(reservation["passengers"])
        old = reservation["flights"][0]
        date = f"2024-05-{min(30, int(old['date'][-2:]) + dice.between(1, 4)):02}"
        chosen = _cheapest(world, reservation, old, date) if date != old["date"] else None
        difference = (chosen["prices"]["economy"] - old["price"]) * people_count if chosen else 0
        payer = world.payer(dice, user, difference)
        if not chosen or not payer or abs(difference) < SMALLEST_ANSWER:
            continue
        yield Draft(
            "Move an economy trip to another day; the price difference is charged or paid back.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@I want to fly on {day(date)} instead, on the cheapest direct flight of that day in the "
                    "same cabin. What "
                    "is the difference in price for the whole reservation?",
                    steps=(
                        *look_up(user, reservation),
                        find_direct(old["origin"], old["destination"], date),
                        *_new_flights(reservation, "economy", [chosen], payer[0]),
                    ),
                    details=_flight_details("economy", [chosen], "The cheapest direct flight that day.", payer),
                    answers=(str(abs(difference)),),
                ),
            ),
        )


def move_return(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        simple = len(reservation["flights"]) == 2 and reservation["flight_type"] == "round_trip"
        return simple and reservation["cabin"] != "basic_economy" and world.coming(reservation)

    for user, reservation in world.trips(dice, fits, world.recognisable):
        out, back = reservation["flights"]
        cabin = reservation["cabin"]
        number = int(back["date"][-2:]) + dice.between(1, 3)
        chosen = _cheapest(world, reservation, back, f"2024-05-{number}") if number <= 30 else None
        if not chosen:
            continue
        difference = (chosen["prices"][cabin] - back["price"]) * len(reservation["passengers"])
        payer = world.payer(dice, user, difference)
        if not payer or abs(difference) < SMALLEST_ANSWER:
            continue
        yield Draft(
            "Change the way back only; the way out keeps its price and stays in the list.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I want to stay longer on @my {trip(reservation)}. Please move the way back to May "
                    f"{number}, to the "
                    "cheapest direct flight in the same cabin, and leave the way out alone. What is the "
                    "difference in price "
                    "for all travellers?",
                    steps=(
                        *search_for(world, user, reservation),
                        find_direct(back["origin"], back["destination"], f"2024-05-{number}"),
                        *_new_flights(reservation, cabin, [out, chosen], payer[0]),
                    ),
                    details=_flight_details(
                        cabin,
                        [out, chosen],
                        f"The way out stays; the way back is the cheapest direct flight on May {number}.",
                        payer,
                    ),
                    answers=(str(abs(difference)),),
                ),
            ),
        )


def basic_economy_stays(world: World, dice: Dice) -> Iterator[Draft]:
    """No other flight for basic economy, but the cabin can be changed if the price is right."""

    def fits(reservation: Record) -> bool:
        return reservation["cabin"] == "basic_economy" and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        difference = world.cabin_difference(reservation, "economy")
        payer = world.payer(dice, user, difference or 0)
        if difference is None or difference < SMALLEST_ANSWER or not payer:
            continue
        yield Draft(
            "Basic economy flights cannot be changed; the cabin can.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I want to leave a day later than booked.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                _cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    "If that cannot be done, leave the flights as they are and put the whole reservation into "
                    "economy. What do @i "
                    "pay for it "
                    "in all?",
                    look_up(user, reservation),
                    answers=(str(difference),),
                ),
            ),
        )


def upgrade(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return reservation["cabin"] == "economy" and len(reservation["flights"]) > 1 and world.coming(reservation)

    for user, reservation in world.trips(dice, fits, world.recognisable):
        difference = world.cabin_difference(reservation, "business")
        payer = world.payer(dice, user, difference or 0)
        if difference is None or difference < SMALLEST_ANSWER or not payer:
            continue
        yield Draft(
            "Upgrade every segment to business at today's prices.",
            (*about(user), *unknown_number(reservation)),
            (
                _cabin_wish(
                    reservation,
                    "business",
                    payer,
                    f"Please upgrade @my {trip(reservation)} to business. @I need to know the total difference "
                    "for everybody.",
                    search_for(world, user, reservation),
                    answers=(str(difference),),
                ),
            ),
        )


def downgrade(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return reservation["cabin"] == "business" and reservation["total_baggages"] == 0 and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        difference = world.cabin_difference(reservation, "economy")
        payer = world.payer(dice, user, difference or 0)
        if difference is None or difference > -SMALLEST_ANSWER or not payer:
            continue
        yield Draft(
            "A cheaper cabin pays the difference back to a method the customer chooses.",
            (*about(user), *known_number(reservation)),
            (
                _cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    "Business has become too dear for @me. Please put @my reservation into economy on the same "
                    "flights, and "
                    "tell @me the sum that comes back.",
                    look_up(user, reservation),
                    answers=(str(-difference),),
                ),
            ),
        )


def no_upgrade_once_flown(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        statuses = world.statuses(reservation)
        return (
            statuses[0] == "landed"
            and statuses[-1] == "available"
            and reservation["flight_type"] == "round_trip"
            and reservation["cabin"] != "business"
        )

    for user, reservation in world.trips(dice, fits, world.recognisable):
        yield Draft(
            "The cabin cannot be changed once a segment has been flown.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I @am in the middle of @my {trip(reservation)} and want business class on the way back.",
                    steps=(*search_for(world, user, reservation), check_first(reservation)),
                    details=(Fact("cabin", "business", "@I want business."),),
                    refused=True,
                ),
            ),
        )


def no_upgrade_of_one_leg(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        round_trip = reservation["flight_type"] == "round_trip" and reservation["cabin"] == "economy"
        return round_trip and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        difference = world.cabin_difference(reservation, "business")
        payer = world.payer(dice, user, difference or 0)
        if difference is None or difference < SMALLEST_ANSWER or not payer:
            continue
        limit = (difference // 500 + 1) * 500
        yield Draft(
            "One leg cannot be upgraded alone; the whole reservation can, within the customer's budget.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I want business class on the way out, and to stay in economy on the way back.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                _cabin_wish(
                    reservation,
                    "business",
                    payer,
                    f"If that cannot be done, upgrade all of it to business, if that costs at most {limit} "
                    "dollars more altogether. "
                    "What exactly "
                    "will be charged?",
                    look_up(user, reservation),
                    answers=(str(difference),),
                ),
            ),
        )


def correct_name(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return len(reservation["passengers"]) > 1 and world.coming(reservation)

    for user, reservation in world.trips(dice, fits, world.recognisable):
        old = reservation["passengers"][-1]
        new = {**old, "last_name": dice.pick([name for name in LAST_NAMES if name != old["last_name"]])}
        if not _first_name_once(reservation, old):
            continue
        yield Draft(
            "A passenger's new last name; the other passengers stay as they are.",
            (*about(user), *unknown_number(reservation)),
            (
                passenger_wish(
                    reservation,
                    new,
                    f"{old['first_name']} {old['last_name']} has married and is now called {new['first_name']} "
                    f"{new['last_name']}. Please correct the name on @my {trip(reservation)}.",
                    search_for(world, user, reservation),
                ),
            ),
        )


def same_number_of_passengers(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return len(reservation["passengers"]) in (2, 3) and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        old = reservation["passengers"][-1]
        new = new_person(dice, reservation)
        if not _first_name_once(reservation, old):
            continue
        yield Draft(
            "Passengers can be exchanged, not taken off, and no human agent can do it either.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"{old['first_name']} {old['last_name']} cannot come along. Please take {old['first_name']} "
                    "off @my "
                    "reservation and refund that share.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                passenger_wish(
                    reservation,
                    new,
                    f"If that cannot be done, {person(new)}, will travel in the place of {old['first_name']}.",
                    look_up(user, reservation),
                ),
            ),
        )


def free_bags(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation, allowance in _with_allowance(world, dice):
        total = reservation["total_baggages"] + 1
        payer = world.payer(dice, user, 0)
        if total > allowance or not payer:
            continue
        yield Draft(
            "One more bag that the allowance covers.",
            (*about(user), *unknown_number(reservation)),
            (
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    f"Please add one more checked bag to @my {trip(reservation)}.",
                    search_for(world, user, reservation),
                ),
            ),
        )


def paid_bags(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation, allowance in _with_allowance(world, dice):
        total = allowance + 3
        fee = 50 * (total - allowance - reservation["nonfree_baggages"])
        payer = world.payer(dice, user, fee)
        if reservation["nonfree_baggages"] or total > 8 or not payer:
            continue
        added = total - reservation["total_baggages"]
        yield Draft(
            "More bags than the allowance covers: only the surplus is charged.",
            (*about(user), *known_number(reservation)),
            (
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    f"@I need to bring more: please add {bags(added)} to @my reservation. What will that cost?",
                    look_up(user, reservation),
                    answers=(str(fee),),
                ),
            ),
        )


def no_fewer_bags(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return reservation["nonfree_baggages"] > 0 and reservation["insurance"] == "no" and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        yield Draft(
            "Bags cannot be taken off and insurance cannot be added later.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I paid for a checked bag that @i do not need. Please take it off and refund it.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                Wish(
                    "@I also want to add travel insurance to the reservation.",
                    details=(Fact("insurance", "yes", "@I want the insurance for everybody."),),
                    refused=True,
                ),
            ),
        )


def everything_at_once(world: World, dice: Dice) -> Iterator[Draft]:
    """Three writes to one reservation; the bag is worked out with the new cabin's allowance."""

    def fits(reservation: Record) -> bool:
        plenty = len(reservation["passengers"]) > 1 and reservation["cabin"] == "basic_economy"
        return plenty and world.coming(reservation) and not reservation["nonfree_baggages"]

    for user, reservation in world.trips(dice, fits, world.recognisable):
        old, new = reservation["passengers"][-1], new_person(dice, reservation)
        difference = world.cabin_difference(reservation, "economy")
        cards = world.methods(user, "credit_card")
        if difference is None or difference < SMALLEST_ANSWER or not cards or not _first_name_once(reservation, old):
            continue
        payer = (cards[0]["id"], world.method(user, cards[0]["id"]) or "")
        allowance = world.free_bags(user, "economy", len(reservation["passengers"]))
        total = allowance + 1
        added = total - reservation["total_baggages"]
        reads = search_for(world, user, reservation)
        yield Draft(
            "A new cabin, a new passenger and more bags for one reservation, with one bag to pay.",
            (*about(user), *unknown_number(reservation)),
            (
                _cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    f"@I have several changes to @my {trip(reservation)}. First, please move it from basic "
                    "economy to economy.",
                    reads,
                ),
                passenger_wish(
                    reservation,
                    new,
                    f"Second, {old['first_name']} {old['last_name']} stays at home, and {person(new)}, comes "
                    "along instead.",
                    (),
                ),
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    f"Third, please add {bags(added)}, with the allowance of the new cabin. At the end @i want "
                    "to know what "
                    "the changes cost altogether.",
                    (),
                    answers=(str(difference + 50),),
                ),
            ),
        )


def passenger_wish(reservation: Record, new: dict[str, str], text: str, reads: tuple[Step, ...]) -> Wish:
    """Somebody takes the last passenger's place."""
    arguments = {
        "reservation_id": reservation["reservation_id"],
        "passengers": [*reservation["passengers"][:-1], new],
    }
    return Wish(
        text,
        steps=(*reads, Step("update_reservation_passengers", arguments)),
        details=(
            Fact(
                "passengers",
                arguments["passengers"],
                f"On the list that place goes to {person(new)}; everybody else stays as booked.",
            ),
        ),
    )


def bag_wish(
    reservation: Record,
    total: int,
    allowance: int,
    payer: tuple[str, str],
    text: str,
    reads: tuple[Step, ...],
    answers: tuple[str, ...] = (),
) -> Wish:
    arguments = {
        "reservation_id": reservation["reservation_id"],
        "total_baggages": total,
        "nonfree_baggages": max(0, total - allowance),
        "payment_id": payer[0],
    }
    return Wish(
        text,
        steps=(*reads, Step("update_reservation_baggages", arguments)),
        details=(
            Fact("total_baggages", total, f"Together with those already booked that makes {bags(total)}."),
            Fact("payment_id", payer[0], f"If there is anything to pay, use {payer[1]}."),
        ),
        answers=answers,
    )


def new_person(dice: Dice, reservation: Record) -> dict[str, str]:
    taken = {passenger["first_name"] for passenger in reservation["passengers"]}
    return {
        "first_name": dice.pick([name for name in FIRST_NAMES if name not in taken]),
        "last_name": dice.pick(LAST_NAMES),
        "dob": invent_birthday(dice),
    }


def check_first(reservation: Record) -> Step:
    first = reservation["flights"][0]
    return Step("get_flight_status", {"flight_number": first["flight_number"], "date": first["date"]})


def _cabin_wish(
    reservation: Record,
    cabin: str,
    payer: tuple[str, str],
    text: str,
    reads: tuple[Step, ...],
    answers: tuple[str, ...] = (),
) -> Wish:
    flights = reservation["flights"]
    return Wish(
        text,
        steps=(*reads, *price_check(reservation), *_new_flights(reservation, cabin, flights, payer[0])),
        details=_flight_details(cabin, flights, "@I want to keep the same flights.", payer),
        answers=answers,
    )


def _new_flights(reservation: Record, cabin: str, flights: list[Record], payment_id: str) -> tuple[Step, ...]:
    arguments = {
        "reservation_id": reservation["reservation_id"],
        "cabin": cabin,
        "flights": segments(flights),
        "payment_id": payment_id,
    }
    return (Step("update_reservation_flights", arguments),)


def _flight_details(cabin: str, flights: list[Record], text: str, payer: tuple[str, str]) -> tuple[Fact, ...]:
    return (
        Fact("cabin", cabin, f"The cabin @i want is {CABIN_NAMES[cabin]}."),
        Fact("flights", segments(flights), text),
        Fact("payment_id", payer[0], f"For the difference please use {payer[1]}."),
    )


def _cheapest(world: World, reservation: Record, old: Record, date: str) -> Any:
    cabin, people_count = reservation["cabin"], len(reservation["passengers"])
    found = world.direct(old["origin"], old["destination"], date)
    with_seats = [flight for flight in found if flight["available_seats"][cabin] >= people_count]
    return best(with_seats, lambda flight: flight["prices"][cabin])


def _first_name_once(reservation: Record, passenger: Record) -> bool:
    return [p["first_name"] for p in reservation["passengers"]].count(passenger["first_name"]) == 1


def _with_allowance(world: World, dice: Dice) -> Iterator[tuple[Record, Record, int]]:
    for user, reservation in world.trips(dice, world.coming, world.recognisable):
        yield user, reservation, world.free_bags(user, reservation["cabin"], len(reservation["passengers"]))
