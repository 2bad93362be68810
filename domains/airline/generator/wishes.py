"""The wishes that many templates share, and the writes they stand for."""

from __future__ import annotations

from typing import Any

from domains.airline.generator.world import (
    CABIN_NAMES,
    Record,
    World,
    bags,
    city,
    look_up,
    people,
    person,
    price_check,
    segments,
)
from domains.drafting import Fact, Step, Wish

PLANS = Fact("reason", "change of plan", "@My plans have changed.")
CALLED_OFF = Fact("reason", "airline cancelled flight", "The airline has called off a flight of it.")


def booking(
    world: World,
    user: Record,
    text: str,
    *,
    flights: list[Record],
    flights_text: str,
    cabin: str,
    passengers: list[dict[str, str]],
    total_baggages: int,
    insurance: str,
    payments: list[tuple[str, int]],
    payment_text: str,
    searches: tuple[Step, ...],
    answers: tuple[str, ...],
    round_trip: bool = False,
    cabin_text: str = "",
) -> Wish:
    """A booking that keeps the rules; the details are what the agent has to ask for."""
    end = len(flights) // 2 - 1 if round_trip else -1
    arguments: dict[str, Any] = {
        "user_id": user["user_id"],
        "origin": flights[0]["origin"],
        "destination": flights[end]["destination"],
        "flight_type": "round_trip" if round_trip else "one_way",
        "cabin": cabin,
        "flights": segments(flights),
        "passengers": passengers,
        "payment_methods": [{"payment_id": payment_id, "amount": amount} for payment_id, amount in payments],
        "total_baggages": total_baggages,
        "nonfree_baggages": max(0, total_baggages - world.free_bags(user, cabin, len(passengers))),
        "insurance": insurance,
    }
    who = f"The passenger is {people(passengers)}." if len(passengers) == 1 else ""
    texts = {
        "origin": f"@I leave from {city(arguments['origin'])}.",
        "destination": f"@I want to go to {city(arguments['destination'])}.",
        "flight_type": "It is a round trip." if round_trip else "It is one way.",
        "cabin": cabin_text or f"@I want {CABIN_NAMES[cabin]}.",
        "flights": flights_text,
        "passengers": who or f"The passengers, in this order, are {people(passengers)}.",
        "payment_methods": payment_text,
        "total_baggages": f"@I have {bags(total_baggages)}{' in all' if total_baggages else ''}.",
        "insurance": "@I want the travel insurance." if insurance == "yes" else "@I do not want travel insurance.",
    }
    return Wish(
        text,
        steps=(*look_up(user), *searches, Step("book_reservation", arguments)),
        details=tuple(Fact(name, arguments[name], text) for name, text in texts.items()),
        answers=answers,
    )


def cabin_wish(
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
        steps=(*reads, *price_check(reservation), new_flights(reservation, cabin, flights, payer[0])),
        details=flight_details(cabin, flights, "@I want to keep the same flights.", payer),
        answers=answers,
    )


def new_flights(reservation: Record, cabin: str, flights: list[Record], payment_id: str) -> Step:
    arguments = {
        "reservation_id": reservation["reservation_id"],
        "cabin": cabin,
        "flights": segments(flights),
        "payment_id": payment_id,
    }
    return Step("update_reservation_flights", arguments)


def flight_details(cabin: str, flights: list[Record], text: str, payer: tuple[str, str]) -> tuple[Fact, ...]:
    return (
        Fact("cabin", cabin, f"The cabin @i want is {CABIN_NAMES[cabin]}."),
        Fact("flights", segments(flights), text),
        Fact("payment_id", payer[0], f"For the difference please use {payer[1]}."),
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


def cancel(reservation: Record) -> Step:
    return Step("cancel_reservation", {"reservation_id": reservation["reservation_id"]})


def hand_over(summary: str) -> Step:
    return Step("transfer_to_human_agents", {"summary": summary})
