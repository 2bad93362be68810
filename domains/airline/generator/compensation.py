"""Task templates: certificates for cancelled and delayed flights, and claims that get none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from domains.airline.generator.cancellations import called_off_flight
from domains.airline.generator.wishes import CALLED_OFF, PLANS, cancel, new_flights
from domains.airline.generator.world import (
    CABIN_NAMES,
    Record,
    World,
    about,
    best,
    check_status,
    city,
    day,
    departure,
    find_direct,
    known_number,
    look_up,
    plain,
    recent,
    search_for,
    segments,
    trip,
    unknown_number,
    with_seats,
)
from domains.drafting import Draft, Fact, Step, Wish
from domains.generating import Dice

CLAIM = "@I have been put to a lot of trouble and ask for compensation."
TOMORROW = "2024-05-16"


def certificate(user: Record, amount: int) -> Step:
    return Step("send_certificate", {"user_id": user["user_id"], "amount": amount})


def for_called_off_flight(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation in world.trips(dice, world.called_off, world.recognisable):
        if user["membership"] == "regular" or len(reservation["passengers"]) < 2:
            continue
        amount = 100 * len(reservation["passengers"])
        yield Draft(
            "Cancel after the airline cancelled, and compensate a member who asks for it, per passenger.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"A flight of @my {trip(reservation)} has been called off. Please cancel the reservation.",
                    steps=(
                        *search_for(world, user, reservation),
                        check_status(called_off_flight(world, reservation)),
                        cancel(reservation),
                    ),
                    details=(CALLED_OFF,),
                ),
                Wish(
                    f"{CLAIM} What can @i get?",
                    steps=(certificate(user, amount),),
                    answers=(str(amount),),
                    conceal=True,
                ),
            ),
        )


def kept_after_called_off_flight(world: World, dice: Dice) -> Iterator[Draft]:
    """The insurance qualifies a regular member; a cancelled flight needs no change of the reservation."""
    for user, reservation in world.trips(dice, world.called_off):
        if user["membership"] != "regular" or reservation["insurance"] == "no":
            continue
        amount = 100 * len(reservation["passengers"])
        yield Draft(
            "A regular member qualifies by insurance; compensation for a cancelled flight needs no further change.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"The airline has called off a flight of @my {trip(reservation)}. {CLAIM} How much is it? @I will "
                    "decide later what becomes of the reservation.",
                    steps=(
                        *look_up(user, reservation),
                        check_status(called_off_flight(world, reservation)),
                        certificate(user, amount),
                    ),
                    answers=(str(amount),),
                ),
            ),
        )


def for_delay_after_cancellation(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return reservation["cabin"] == "business" and not world.flown(reservation) and not recent(reservation)

    for user, reservation in world.trips(dice, fits, _delayed_today(world), world.recognisable):
        amount = 50 * len(reservation["passengers"])
        yield Draft(
            "A delay in business: cancel first, then compensate on request.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@My flight today is late, so the {trip(reservation)} makes no sense any more. Please cancel it.",
                    steps=(
                        *search_for(world, user, reservation),
                        check_status(_delayed_flight(world, reservation)),
                        cancel(reservation),
                    ),
                    details=(PLANS,),
                ),
                Wish(CLAIM, steps=(certificate(user, amount),), conceal=True),
            ),
        )


def for_delay_after_change(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return len(reservation["flights"]) == 1 and reservation["cabin"] != "basic_economy"

    for user, reservation in world.trips(dice, fits, _delayed_today(world)):
        cabin = reservation["cabin"]
        people_count = len(reservation["passengers"])
        origin, destination = reservation["origin"], reservation["destination"]
        chosen = best(with_seats(world.direct(origin, destination, TOMORROW), cabin, people_count), departure)
        if not chosen or _unqualified(user, reservation):
            continue
        payer = world.payer(dice, user, (chosen["prices"][cabin] - reservation["flights"][0]["price"]) * people_count)
        if not payer:
            continue
        amount = 50 * people_count
        yield Draft(
            "A delayed flight: move to tomorrow, then compensate on request.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@My flight from {city(origin)} to {city(destination)} is delayed today. Please move @me to the "
                    f"direct flight that leaves earliest on {day(TOMORROW)}, in the same cabin.",
                    steps=(
                        *look_up(user, reservation),
                        check_status(reservation["flights"][0]),
                        find_direct(origin, destination, TOMORROW),
                        new_flights(reservation, cabin, [chosen], payer[0]),
                    ),
                    details=(
                        Fact("cabin", cabin, f"@I want to stay in {CABIN_NAMES[cabin]}."),
                        Fact("flights", segments([chosen]), "@I want the direct flight that leaves earliest tomorrow."),
                        Fact("payment_id", payer[0], f"For any difference please use {payer[1]}."),
                    ),
                ),
                Wish(CLAIM, steps=(certificate(user, amount),), conceal=True),
            ),
        )


def nothing_for_regular(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation in world.trips(dice, plain, world.called_off):
        if user["membership"] != "regular":
            continue
        yield Draft(
            "A regular member without insurance may cancel after the airline did, but gets no compensation.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "The airline has called off a flight of @my trip. Please cancel the reservation. @I want to know "
                    "how long the refund takes.",
                    steps=(
                        *look_up(user, reservation),
                        check_status(called_off_flight(world, reservation)),
                        cancel(reservation),
                    ),
                    details=(CALLED_OFF,),
                ),
                Wish(CLAIM, refused=True, conceal=True),
            ),
        )


def nothing_for_accepted_delay(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation in world.trips(dice, _delayed_today(world)):
        if user["membership"] == "regular" or world.flown(reservation):
            continue
        yield Draft(
            "A delay is compensated only after a change or a cancellation, which the customer does not want.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@My flight today is delayed. {CLAIM} @I will still take the flight and do not want to change or "
                    "cancel anything.",
                    steps=(*look_up(user, reservation), check_status(_delayed_flight(world, reservation))),
                    refused=True,
                ),
            ),
        )


def _unqualified(user: Record, reservation: Record) -> bool:
    plain_fare = reservation["cabin"] != "business" and reservation["insurance"] == "no"
    return bool(plain_fare and user["membership"] == "regular")


def _delayed_today(world: World) -> Callable[[Record], bool]:
    return lambda reservation: "delayed" in world.statuses(reservation)


def _delayed_flight(world: World, reservation: Record) -> Record:
    flights: list[Record] = reservation["flights"]
    return next(flight for flight in flights if world.instance(flight)["status"] == "delayed")
