"""Task templates: other passengers and more bags, and what cannot be changed about them."""

from __future__ import annotations

from collections.abc import Iterator

from domains.airline.generator.wishes import bag_wish, passenger_wish
from domains.airline.generator.world import (
    Record,
    World,
    about,
    bags,
    known_number,
    look_up,
    person,
    search_for,
    trip,
    unknown_number,
)
from domains.drafting import Draft, Fact, Wish
from domains.generating import FIRST_NAMES, LAST_NAMES, Dice, invent_birthday

BELIEF = Fact("membership", "gold", "@I believe that @i @am a gold member.")


def correct_name(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return len(reservation["passengers"]) > 1 and world.coming(reservation)

    for user, reservation in world.trips(dice, fits, world.recognisable):
        old = reservation["passengers"][-1]
        new = {**old, "last_name": dice.pick([name for name in LAST_NAMES if name != old["last_name"]])}
        if not first_name_once(reservation, old):
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
        if not first_name_once(reservation, old):
            continue
        yield Draft(
            "Passengers can be exchanged, not taken off, and no human agent can do it either.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"{old['first_name']} {old['last_name']} cannot come along. Please take {old['first_name']} off "
                    "@my reservation and refund that share.",
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


def believed_gold(world: World, dice: Dice) -> Iterator[Draft]:
    """The customer claims a membership the profile does not show."""
    for user, reservation, allowance in _with_allowance(world, dice):
        people_count = len(reservation["passengers"])
        total = reservation["total_baggages"] + 2
        fee = 50 * (max(0, total - allowance) - reservation["nonfree_baggages"])
        payer = world.payer(dice, user, fee)
        if user["membership"] != "regular" or people_count > 2 or fee != 100 or not payer:
            continue
        yield Draft(
            "The profile decides on the free bags, not what the customer believes to be.",
            (
                *about(user),
                *known_number(reservation),
                BELIEF,
            ),
            (
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    f"Please add {bags(2)} to @my reservation. As a gold member @i should get them free; if not, add "
                    "them all the same. @I want to know the fee.",
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


def new_person(dice: Dice, reservation: Record) -> dict[str, str]:
    taken = {passenger["first_name"] for passenger in reservation["passengers"]}
    return {
        "first_name": dice.pick([name for name in FIRST_NAMES if name not in taken]),
        "last_name": dice.pick(LAST_NAMES),
        "dob": invent_birthday(dice),
    }


def first_name_once(reservation: Record, passenger: Record) -> bool:
    return [p["first_name"] for p in reservation["passengers"]].count(passenger["first_name"]) == 1


def _with_allowance(world: World, dice: Dice) -> Iterator[tuple[Record, Record, int]]:
    for user, reservation in world.trips(dice, world.coming, world.recognisable):
        yield user, reservation, world.free_bags(user, reservation["cabin"], len(reservation["passengers"]))
