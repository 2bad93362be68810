"""Task templates: other flights and other cabins, and what cannot be changed about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domains.airline.generator.wishes import cabin_wish, flight_details, new_flights
from domains.airline.generator.world import (
    Record,
    World,
    about,
    check_status,
    day,
    find_direct,
    known_number,
    look_up,
    search_for,
    trip,
    unknown_number,
)
from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice

SMALLEST_ANSWER = 100


def move_one_way(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        simple = len(reservation["flights"]) == 1 and reservation["cabin"] != "basic_economy"
        return simple and world.coming(reservation)

    for (user, reservation), days in _each_with_days(world.trips(dice, fits), dice):
        people_count = len(reservation["passengers"])
        old, cabin = reservation["flights"][0], reservation["cabin"]
        date = f"2024-05-{min(30, int(old['date'][-2:]) + days):02}"
        chosen = _cheapest(world, reservation, old, date) if date != old["date"] else None
        difference = (chosen["prices"][cabin] - old["price"]) * people_count if chosen else 0
        payer = world.payer(dice, user, difference)
        if not chosen or not payer or abs(difference) < SMALLEST_ANSWER:
            continue
        yield Draft(
            "Move a trip to another day; the price difference is charged or paid back.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@I want to fly on {day(date)} instead, on the cheapest direct flight of that day in the same "
                    "cabin. What is the difference in price for the whole reservation?",
                    steps=(
                        *look_up(user, reservation),
                        find_direct(old["origin"], old["destination"], date),
                        new_flights(reservation, cabin, [chosen], payer[0]),
                    ),
                    details=flight_details(cabin, [chosen], "The cheapest direct flight that day.", payer),
                    answers=(str(abs(difference)),),
                ),
            ),
        )


def move_return(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        simple = len(reservation["flights"]) == 2 and reservation["flight_type"] == "round_trip"
        return simple and reservation["cabin"] != "basic_economy" and world.coming(reservation)

    for (user, reservation), days in _each_with_days(world.trips(dice, fits, world.recognisable), dice):
        out, back = reservation["flights"]
        cabin = reservation["cabin"]
        number = int(back["date"][-2:]) + days
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
                    f"@I want to stay longer on @my {trip(reservation)}. Please move the way back to May {number}, to "
                    "the cheapest direct flight in the same cabin, and leave the way out alone. What is the "
                    "difference in price for all travellers?",
                    steps=(
                        *search_for(world, user, reservation),
                        find_direct(back["origin"], back["destination"], f"2024-05-{number}"),
                        new_flights(reservation, cabin, [out, chosen], payer[0]),
                    ),
                    details=flight_details(
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

    for user, reservation, difference, payer in _dearer(world, dice, world.trips(dice, fits), "economy"):
        yield Draft(
            "Basic economy flights cannot be changed; the cabin can.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I want to leave a day later than booked.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    "If that cannot be done, leave the flights as they are and put the whole reservation into "
                    "economy. What do @i pay for it in all?",
                    look_up(user, reservation),
                    answers=(str(difference),),
                ),
            ),
        )


def upgrade(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return reservation["cabin"] == "economy" and len(reservation["flights"]) > 1 and world.coming(reservation)

    for user, reservation, difference, payer in _dearer(
        world, dice, world.trips(dice, fits, world.recognisable), "business"
    ):
        yield Draft(
            "Upgrade every segment to business at today's prices.",
            (*about(user), *unknown_number(reservation)),
            (
                cabin_wish(
                    reservation,
                    "business",
                    payer,
                    f"Please upgrade @my {trip(reservation)} to business. @I need to know the total difference for "
                    "everybody.",
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
                cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    "Business has become too dear for @me. Please put @my reservation into economy on the same "
                    "flights. @I want to know the sum that comes back.",
                    look_up(user, reservation),
                    answers=(str(-difference),),
                ),
            ),
        )


def no_upgrade_once_flown(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return world.partly_flown(reservation) and reservation["cabin"] != "business"

    for user, reservation in world.trips(dice, fits, world.recognisable):
        yield Draft(
            "The cabin cannot be changed once a segment has been flown.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I @am in the middle of @my {trip(reservation)} and want business class on the way back.",
                    steps=(*search_for(world, user, reservation), check_status(reservation["flights"][0])),
                    details=(Fact("cabin", "business", "@I want business."),),
                    refused=True,
                ),
            ),
        )


def no_upgrade_of_one_leg(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        round_trip = reservation["flight_type"] == "round_trip" and reservation["cabin"] == "economy"
        return round_trip and world.coming(reservation)

    for user, reservation, difference, payer in _dearer(world, dice, world.trips(dice, fits), "business"):
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
                cabin_wish(
                    reservation,
                    "business",
                    payer,
                    f"If that cannot be done, upgrade all of it to business, if that costs at most {limit} dollars "
                    "more altogether. What exactly will be charged?",
                    look_up(user, reservation),
                    answers=(str(difference),),
                ),
            ),
        )


def _dearer(
    world: World, dice: Dice, trips: Iterable[tuple[Record, Record]], cabin: str
) -> Iterator[tuple[Record, Record, int, tuple[str, str]]]:
    """Every trip that costs more in another cabin, with the difference and who pays it."""
    for user, reservation in trips:
        difference = world.cabin_difference(reservation, cabin)
        payer = world.payer(dice, user, difference or 0)
        if difference is not None and difference >= SMALLEST_ANSWER and payer:
            yield user, reservation, difference, payer


def _each_with_days(trips: Iterator[tuple[Record, Record]], dice: Dice) -> Iterator[tuple[tuple[Record, Record], int]]:
    """Every trip with every number of days it may be put off."""
    for one in trips:
        for days in dice.shuffled((1, 2, 3, 4)):
            yield one, days


def _cheapest(world: World, reservation: Record, old: Record, date: str) -> Record | None:
    """The flight of another day that may take the place of a booked one."""
    return world.cheapest(old["origin"], old["destination"], date, reservation["cabin"], len(reservation["passengers"]))
