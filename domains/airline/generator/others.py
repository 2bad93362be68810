"""Task templates: questions, requests outside the tools, and several matters in one conversation."""

from __future__ import annotations

from collections.abc import Iterator

from domains.airline.generator.changes import SMALLEST_ANSWER
from domains.airline.generator.travellers import first_name_once, new_person
from domains.airline.generator.wishes import PLANS, bag_wish, cabin_wish, cancel, hand_over, passenger_wish
from domains.airline.generator.world import (
    NO_NUMBERS,
    Record,
    World,
    about,
    bags,
    known_number,
    look_up,
    paid,
    person,
    plain,
    recent,
    search_for,
    trip,
    unknown_number,
)
from domains.drafting import Draft, Wish
from domains.generating import Dice

OUTSIDE = (
    ("@I want to take @my dog along in the cabin.", "The customer wants to travel with a dog in the cabin."),
    ("@I want to choose seats by the window.", "The customer wants to choose seats by the window."),
    ("@I want to order a vegan meal.", "The customer wants to order a vegan meal."),
)


def outside_the_tools(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation in world.trips(dice, world.coming):
        request, summary = dice.pick(OUTSIDE)
        number = reservation["reservation_id"]
        yield Draft(
            "No tool can do this, so a human agent has to.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@I have a question about @my coming trip. {request}",
                    steps=(
                        *look_up(user, reservation),
                        hand_over(f"{summary} Reservation {number}."),
                    ),
                ),
            ),
        )


def bag_then_transfer(world: World, dice: Dice) -> Iterator[Draft]:
    """What the tools can do is done before the customer is handed over."""
    for user, reservation in world.trips(dice, world.coming):
        allowance = world.free_bags(user, reservation["cabin"], len(reservation["passengers"]))
        total = reservation["total_baggages"] + 1
        payer = world.payer(dice, user, 50)
        if total <= allowance or not payer:
            continue
        request, summary = dice.pick(OUTSIDE)
        number = reservation["reservation_id"]
        yield Draft(
            "First the bag that can be added, then the transfer for what no tool can do.",
            (*about(user), *known_number(reservation)),
            (
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    "Please add one checked bag to @my reservation.",
                    look_up(user, reservation),
                ),
                Wish(
                    request,
                    steps=(hand_over(f"{summary} Reservation {number}."),),
                    conceal=True,
                ),
            ),
        )


def insists_on_a_person(world: World, dice: Dice) -> Iterator[Draft]:
    """A refusal alone is no reason to transfer; a demand for a person is."""
    for user, reservation in world.trips(dice, plain, world.coming):
        number = reservation["reservation_id"]
        summary = f"The customer demands a person after the cancellation of reservation {number} was refused."
        yield Draft(
            "Refuse first; transfer only because the customer expressly demands a person.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I want to cancel @my trip.",
                    steps=look_up(user, reservation),
                    details=(PLANS,),
                    refused=True,
                ),
                Wish(
                    "@I insist on talking to a human agent about this.",
                    steps=(hand_over(summary),),
                    conceal=True,
                ),
            ),
        )


def what_did_it_cost(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        own = world.own_reservations(user)
        coming = [reservation for reservation in own if world.coming(reservation)]
        total = sum(paid(reservation) for reservation in coming)
        if (
            not 3 <= len(own) <= 4
            or len(coming) != 2
            or any(r["flights"][-1]["date"] >= "2024-05-15" for r in own if r not in coming)
        ):
            continue
        yield Draft(
            "A question only: nothing is written.",
            (*about(user), NO_NUMBERS),
            (
                Wish(
                    "@I @am doing @my accounts. How much have @i paid altogether for @my trips that start after today?",
                    steps=search_for(world, user, *own),
                    answers=(str(total),),
                ),
            ),
        )


def dearest_of_all(world: World, dice: Dice) -> Iterator[Draft]:
    """The customer cannot say which reservation is meant; the amounts decide."""
    for user in world.customers(dice):
        own = world.own_reservations(user)
        coming = sorted((r for r in own if world.coming(r)), key=lambda r: -paid(r))
        if len(coming) < 2 or len(own) > 4 or paid(coming[0]) == paid(coming[1]):
            continue
        if any(r["flights"][-1]["date"] >= "2024-05-15" for r in own if r not in coming):
            continue
        dearest = coming[0]
        if dearest["cabin"] != "business" or recent(dearest):
            continue
        yield Draft(
            "Find the dearest of the coming trips and cancel it.",
            (*about(user), NO_NUMBERS),
            (
                Wish(
                    "@I have to save money. Please find out which of @my trips that start after today cost the most, "
                    "and cancel that one. @I want to know the amount.",
                    steps=(*search_for(world, user, *own), cancel(dearest)),
                    details=(PLANS,),
                    answers=(str(paid(dearest)),),
                ),
            ),
        )


def three_matters(world: World, dice: Dice) -> Iterator[Draft]:
    """One reservation is cancelled, one changed, one refused."""
    for user in world.customers(dice):
        coming = [r for r in world.own_reservations(user) if world.coming(r) and world.recognisable(r)]
        given_up = [r for r in coming if r["cabin"] == "business" and not recent(r)]
        kept = [r for r in coming if plain(r) and len(r["passengers"]) > 1]
        payer = world.payer(dice, user, 100)
        if not given_up or not kept or not payer:
            continue
        dropped, changed = given_up[0], kept[0]
        old, new = changed["passengers"][-1], new_person(dice, changed)
        allowance = world.free_bags(user, changed["cabin"], len(changed["passengers"]))
        total = changed["total_baggages"] + 2
        yield Draft(
            "Several matters: one cancellation, a passenger and bags for another trip, and a refusal at the end.",
            (*about(user), NO_NUMBERS),
            (
                Wish(
                    f"Please cancel @my {trip(dropped)}. @I want to know what @i will get back for it.",
                    steps=(*search_for(world, user, dropped), cancel(dropped)),
                    details=(PLANS,),
                    answers=(str(paid(dropped)),),
                ),
                passenger_wish(
                    changed,
                    new,
                    f"On @my {trip(changed)}, {person(new)}, will travel instead of {old['first_name']} "
                    f"{old['last_name']}.",
                    search_for(world, user, changed),
                ),
                bag_wish(
                    changed,
                    total,
                    allowance,
                    payer,
                    f"The same trip needs {bags(2)} more.",
                    (),
                ),
                Wish(
                    f"@I have thought again: please cancel @my {trip(changed)} as well.",
                    details=(PLANS,),
                    refused=True,
                    conceal=True,
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
        if difference is None or difference < SMALLEST_ANSWER or not cards or not first_name_once(reservation, old):
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
                cabin_wish(
                    reservation,
                    "economy",
                    payer,
                    f"@I have several changes to @my {trip(reservation)}. First, please move it from basic economy to "
                    "economy.",
                    reads,
                ),
                passenger_wish(
                    reservation,
                    new,
                    f"Second, {old['first_name']} {old['last_name']} stays at home, and {person(new)}, comes along "
                    "instead.",
                    (),
                ),
                bag_wish(
                    reservation,
                    total,
                    allowance,
                    payer,
                    f"Third, please add {bags(added)}, with the allowance of the new cabin. At the end @i want to "
                    "know what the changes cost altogether.",
                    (),
                    answers=(str(difference + 50),),
                ),
            ),
        )
