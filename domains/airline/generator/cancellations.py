"""Task templates: cancelling, allowed and not."""

from __future__ import annotations

from collections.abc import Iterator

from domains.airline.generator.network import TODAY
from domains.airline.generator.wishes import CALLED_OFF, PLANS, booking, cancel, hand_over
from domains.airline.generator.world import (
    NO_NUMBERS,
    Record,
    World,
    about,
    check_status,
    city,
    customer,
    day,
    find_direct,
    known_number,
    look_up,
    paid,
    plain,
    recent,
    route,
    search_for,
    trip,
    unknown_number,
)
from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice

HEALTH = Fact("reason", "health", "@I have fallen ill and @am not fit to fly.")
WEATHER = Fact("reason", "weather", "There is a storm warning for the day, so the reason is the weather.")


def within_a_day(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        uncovered = reservation["insurance"] == "no" and reservation["cabin"] != "business"
        return recent(reservation) and uncovered and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        yield Draft(
            "A reservation booked less than a day ago can be cancelled whatever the fare.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I booked a trip by mistake and want to cancel it. How much will @i get back in all?",
                    steps=(*look_up(user, reservation), cancel(reservation)),
                    details=(PLANS,),
                    answers=(str(paid(reservation)),),
                ),
            ),
        )


def called_off(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return plain(reservation) and world.called_off(reservation) and world.recognisable(reservation)

    for user, reservation in world.trips(dice, fits):
        flight = called_off_flight(world, reservation)
        yield Draft(
            "The airline cancelled a flight, so an ordinary reservation can be cancelled; its number has to be found.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I have heard that a flight of @my {trip(reservation)} will not go. In that case please cancel "
                    "the whole reservation.",
                    steps=(*search_for(world, user, reservation), check_status(flight), cancel(reservation)),
                    details=(CALLED_OFF,),
                ),
            ),
        )


def business(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        uncovered = reservation["insurance"] == "no" and not recent(reservation)
        return reservation["cabin"] == "business" and uncovered and world.coming(reservation)

    for user, reservation in world.trips(dice, fits, world.recognisable):
        yield Draft(
            "A business reservation can be cancelled for any reason.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"Please cancel @my {trip(reservation)}. @I also want to know the full amount that will be paid "
                    "back.",
                    steps=(*search_for(world, user, reservation), cancel(reservation)),
                    details=(PLANS,),
                    answers=(str(paid(reservation)),),
                ),
            ),
        )


def insured(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return _insured_only(reservation) and world.coming(reservation) and world.recognisable(reservation)

    for user, reservation in world.trips(dice, fits):
        reason = dice.pick((HEALTH, WEATHER))
        yield Draft(
            "Insurance covers a cancellation for health or weather.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I have to cancel @my {trip(reservation)}.",
                    steps=(*search_for(world, user, reservation), cancel(reservation)),
                    details=(reason,),
                ),
            ),
        )


def not_covered(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return plain(reservation) and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        yield Draft(
            "Nothing allows this cancellation, whatever a colleague is said to have promised.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    "@I want to cancel @my trip and get the money back. Somebody at the airline promised on the "
                    "phone that this would be no problem.",
                    steps=look_up(user, reservation),
                    details=(PLANS,),
                    refused=True,
                ),
            ),
        )


def wrong_reason(world: World, dice: Dice) -> Iterator[Draft]:
    def fits(reservation: Record) -> bool:
        return _insured_only(reservation) and world.coming(reservation) and world.recognisable(reservation)

    for user, reservation in world.trips(dice, fits):
        yield Draft(
            "Insurance does not cover a change of plans.",
            (*about(user), *unknown_number(reservation)),
            (
                Wish(
                    f"@I want to cancel @my {trip(reservation)}. It is insured, so there should be a full refund.",
                    steps=search_for(world, user, reservation),
                    details=(PLANS,),
                    refused=True,
                ),
            ),
        )


def partly_flown(world: World, dice: Dice) -> Iterator[Draft]:
    for user, reservation in world.trips(dice, world.partly_flown):
        number = reservation["reservation_id"]
        summary = f"The customer wants to cancel reservation {number}, of which a part has been flown."
        yield Draft(
            "A reservation that is partly flown is a case for a human agent.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@I @am already at @my destination and want to cancel what is left of @my {trip(reservation)}.",
                    steps=(
                        *look_up(user, reservation),
                        check_status(reservation["flights"][0]),
                        hand_over(summary),
                    ),
                    details=(PLANS,),
                ),
            ),
        )


def one_of_two(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        coming = [r for r in world.own_reservations(user) if world.coming(r) and world.recognisable(r)]
        allowed = [r for r in coming if r["cabin"] == "business" and not recent(r)]
        forbidden = [r for r in coming if plain(r)]
        if not allowed or not forbidden:
            continue
        yes, no = allowed[0], forbidden[0]
        yield Draft(
            "Of two cancellations one is allowed; the other is refused and nothing else happens to it.",
            (*about(user), NO_NUMBERS),
            (
                Wish(
                    f"@I want to cancel @my {trip(no)}.",
                    steps=search_for(world, user, no),
                    details=(PLANS, *_trip_details(no)),
                    refused=True,
                ),
                Wish(
                    f"Then there is @my {trip(yes)}, which should be cancelled too. What will be refunded?",
                    steps=(*search_for(world, user, yes), cancel(yes)),
                    details=(PLANS, *_trip_details(yes)),
                    answers=(str(paid(yes)),),
                ),
            ),
        )


def two_at_once(world: World, dice: Dice) -> Iterator[Draft]:
    """Two allowed cancellations for different reasons; only the sum answers the question."""
    for user in world.customers(dice):
        coming = [r for r in world.own_reservations(user) if world.coming(r) and world.recognisable(r)]
        firsts = [r for r in coming if r["cabin"] == "business" and r["insurance"] == "no" and not recent(r)]
        seconds = [r for r in coming if _insured_only(r)]
        if not firsts or not seconds:
            continue
        first, second = firsts[0], seconds[0]
        yield Draft(
            "Two cancellations, each allowed for a reason of its own, and the sum of the refunds.",
            (*about(user), NO_NUMBERS),
            (
                Wish(
                    f"@I @was told by @my doctor not to travel. Please cancel @my {trip(first)}.",
                    steps=(*search_for(world, user, first), cancel(first)),
                    details=(HEALTH, *_trip_details(first)),
                ),
                Wish(
                    f"Please also cancel @my {trip(second)}. @I want to know what the refunds for both add up to.",
                    steps=(*search_for(world, user, second), cancel(second)),
                    details=(HEALTH, *_trip_details(second)),
                    answers=(str(paid(first) + paid(second)),),
                ),
            ),
        )


def cancel_and_rebook(world: World, dice: Dice) -> Iterator[Draft]:
    """The date of a fresh basic economy booking is wrong: it cannot be changed, but cancelled and booked again."""

    def fits(reservation: Record) -> bool:
        simple = len(reservation["flights"]) == 1 and len(reservation["passengers"]) == 1
        return simple and recent(reservation) and reservation["cabin"] == "basic_economy" and world.coming(reservation)

    for user, reservation in world.trips(dice, fits):
        origin, destination = reservation["origin"], reservation["destination"]
        date = _day_after(reservation, dice.between(1, 3))
        chosen = world.cheapest(origin, destination, date, "economy", 1) if date else None
        card = world.payer(dice, user, 1000)
        if not chosen or not card or reservation["passengers"] != [customer(user)]:
            continue
        total = chosen["prices"]["economy"] + 30
        yield Draft(
            "A basic economy date cannot be changed, but a fresh booking can be cancelled and made anew.",
            (*about(user), *known_number(reservation)),
            (
                Wish(
                    f"@I booked a trip for {day(reservation['flights'][0]['date'])}, but need to fly on {day(date)}. "
                    "Please move it to that day.",
                    steps=look_up(user, reservation),
                    refused=True,
                ),
                Wish(
                    "If that cannot be done, please cancel that reservation.",
                    steps=(*look_up(user, reservation), cancel(reservation)),
                    details=(PLANS,),
                ),
                booking(
                    world,
                    user,
                    f"Then @i want a new booking, one way, from {city(origin)} to {city(destination)} on {day(date)}, "
                    "on the cheapest direct flight in economy. What is the total?",
                    flights=[chosen],
                    flights_text="@I want the cheapest direct flight in economy.",
                    cabin="economy",
                    passengers=[customer(user)],
                    total_baggages=1,
                    insurance="yes",
                    payments=[(card[0], total)],
                    payment_text=f"@I want to pay with {card[1]}.",
                    searches=(find_direct(origin, destination, date),),
                    answers=(str(total),),
                ),
            ),
        )


def called_off_flight(world: World, reservation: Record) -> Record:
    flights: list[Record] = reservation["flights"]
    return next(f for f in flights if f["date"] >= TODAY and world.instance(f)["status"] == "cancelled")


def _insured_only(reservation: Record) -> bool:
    """The insurance alone may let it be cancelled."""
    return reservation["insurance"] == "yes" and reservation["cabin"] != "business" and not recent(reservation)


def _trip_details(reservation: Record) -> tuple[Fact, ...]:
    """Which trip a wish is about, where the customer has several."""
    date = reservation["flights"][0]["date"]
    return (
        Fact("route", route(reservation), f"@I mean the trip from {route(reservation)}."),
        Fact("date", date, f"It starts on {day(date)}."),
    )


def _day_after(reservation: Record, days: int) -> str:
    number = int(reservation["flights"][-1]["date"][-2:]) + days
    return f"2024-05-{number:02}" if number <= 30 else ""
