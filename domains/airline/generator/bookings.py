"""Task templates: booking. A template yields all tasks it can make, in seeded order; the caller takes some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domains.airline.generator.network import AIRPORTS
from domains.airline.generator.wishes import booking
from domains.airline.generator.world import (
    Record,
    World,
    about,
    best,
    city,
    customer,
    day,
    departure,
    find_direct,
    look_up,
    people,
    with_seats,
)
from domains.drafting import Draft, Fact, Step, Wish
from domains.generating import FIRST_NAMES, Dice, invent_birthday


def cheapest_direct(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        date = _coming_day(dice)
        chosen = world.cheapest(origin, destination, date, "economy", 1)
        card = world.payer(dice, user, 1000)
        if not chosen or not card:
            continue
        total = chosen["prices"]["economy"]
        yield Draft(
            "Book the cheapest direct flight for one person, with no more bags than asked for.",
            about(user),
            (
                booking(
                    world,
                    user,
                    f"@I want to book a one-way trip from {city(origin)} to {city(destination)} on {day(date)}, on "
                    "the cheapest direct flight in economy, and @i want to be told the price.",
                    flights=[chosen],
                    flights_text="@I want the cheapest direct flight in economy.",
                    cabin="economy",
                    passengers=[customer(user)],
                    total_baggages=dice.between(0, 1),
                    insurance="no",
                    payments=[(card[0], total)],
                    payment_text=f"@I want to pay with {card[1]}.",
                    searches=(find_direct(origin, destination, date),),
                    answers=(str(total),),
                ),
            ),
        )


def cheapest_connection(world: World, dice: Dice) -> Iterator[Draft]:
    """No direct flight, two people, a gift card used up and a credit card for the rest."""
    for user in world.customers(dice):
        origin, destination = dice.sample(list(AIRPORTS), 2)
        date = _coming_day(dice)
        if (origin, destination) in world.routes or not user["saved_passengers"]:
            continue
        gift_cards, cards = world.methods(user, "gift_card"), world.methods(user, "credit_card")
        ways = [way for way in world.onestop(origin, destination, date) if len(with_seats(way, "economy", 2)) == 2]
        chosen = best(ways, _price_of_way("economy"))
        if not chosen or len(ways) < 2 or not gift_cards or not cards:
            continue
        gift_card, card = gift_cards[0], cards[-1]
        total, value = 2 * _price_of_way("economy")(chosen), int(gift_card["amount"])
        if total <= value:
            continue
        passengers = [customer(user), user["saved_passengers"][0]]
        yield Draft(
            "Book a connection where no direct flight exists, for two people, with two payment methods.",
            about(user),
            (
                booking(
                    world,
                    user,
                    f"@I need to book a one-way trip for two from {city(origin)} to {city(destination)} on "
                    f"{day(date)}. @I want the cheapest connection with one stop, and the total for both people.",
                    flights=list(chosen),
                    flights_text="@I want the cheapest economy connection with one stop.",
                    cabin="economy",
                    passengers=passengers,
                    total_baggages=2,
                    insurance="no",
                    payments=[(gift_card["id"], value), (card["id"], total - value)],
                    payment_text=f"First use up {world.method(user, gift_card['id'])}, then put the rest on "
                    f"{world.method(user, card['id'])}.",
                    searches=(
                        find_direct(origin, destination, date),
                        Step(
                            "search_onestop_flight",
                            {"origin": origin, "destination": destination, "date": date},
                        ),
                    ),
                    answers=(str(total),),
                ),
            ),
        )


def insured_round_trip(world: World, dice: Dice) -> Iterator[Draft]:
    """Certificate, card, paid bags and insurance in one booking."""
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        out, back = dice.between(17, 22), dice.between(24, 29)
        certificates, cards = world.methods(user, "certificate"), world.methods(user, "credit_card")
        cabin = "economy"
        if not certificates or not cards or not user["saved_passengers"] or user["membership"] == "gold":
            continue
        there = best(with_seats(world.direct(origin, destination, f"2024-05-{out}"), cabin, 2), departure)
        return_ = world.cheapest(destination, origin, f"2024-05-{back}", cabin, 2)
        if not there or not return_:
            continue
        total_bags = world.free_bags(user, cabin, 2) + 2
        total = 2 * (there["prices"][cabin] + return_["prices"][cabin]) + 2 * 30 + 2 * 50
        certificate, card = certificates[0], cards[0]
        value = int(certificate["amount"])
        if total - value < 100:
            continue
        yield Draft(
            "Book a round trip with insurance and paid bags; a certificate is used up and a card pays the remainder.",
            about(user),
            (
                booking(
                    world,
                    user,
                    f"@I want to book a round trip for two from {city(origin)} to {city(destination)} in economy: out "
                    f"on May {out} with the direct flight that leaves earliest, back on May {back} with the cheapest "
                    "direct flight. @I want to know how much will be charged to the card.",
                    flights=[there, return_],
                    flights_text="Out with the direct flight that leaves earliest, back with the cheapest direct "
                    "flight.",
                    cabin=cabin,
                    passengers=[customer(user), user["saved_passengers"][0]],
                    total_baggages=total_bags,
                    insurance="yes",
                    payments=[(certificate["id"], value), (card["id"], total - value)],
                    payment_text=f"First {world.method(user, certificate['id'])}, then the rest on "
                    f"{world.method(user, card['id'])}.",
                    searches=(
                        find_direct(origin, destination, f"2024-05-{out}"),
                        find_direct(destination, origin, f"2024-05-{back}"),
                    ),
                    answers=(str(total - value),),
                    round_trip=True,
                ),
            ),
        )


def one_certificate_only(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        date = _coming_day(dice)
        certificates = sorted(world.methods(user, "certificate"), key=lambda method: -method["amount"])
        cards = world.methods(user, "credit_card")
        chosen = best(with_seats(world.direct(origin, destination, date), "business", 1), _late_departure)
        if not chosen or len(certificates) < 2 or len(cards) != 1:
            continue
        total, value = chosen["prices"]["business"], int(certificates[0]["amount"])
        both = int(certificates[0]["amount"] + certificates[1]["amount"])
        if total - value < 100 or total <= both:
            continue
        card = world.method(user, cards[0]["id"])
        names = [world.method(user, certificate["id"]) for certificate in certificates[:2]]
        yield Draft(
            "Two certificates are one too many: the larger one and a card pay for the booking.",
            about(user),
            (
                Wish(
                    "@I want to pay for a new booking with two of @my certificates at once and put the remainder on "
                    "a card.",
                    steps=look_up(user),
                    details=(
                        Fact(
                            "certificates", [c["id"] for c in certificates[:2]], f"@I mean {names[0]} and {names[1]}."
                        ),
                    ),
                    refused=True,
                ),
                booking(
                    world,
                    user,
                    f"The booking @i want is one way from {city(origin)} to {city(destination)} on {day(date)} in "
                    "business, on the direct flight that leaves last. @I want to know what will be left for the card.",
                    flights=[chosen],
                    flights_text="@I want the direct flight that leaves last that day.",
                    cabin="business",
                    passengers=[customer(user)],
                    total_baggages=dice.between(1, 2),
                    insurance="no",
                    payments=[(certificates[0]["id"], value), (cards[0]["id"], total - value)],
                    payment_text="If only one certificate is possible, first use up "
                    f"{world.method(user, certificates[0]['id'])}, then put the rest on {card}.",
                    searches=(find_direct(origin, destination, date),),
                    answers=(str(total - value),),
                ),
            ),
        )


def six_people(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        date = _coming_day(dice)
        if not world.direct(origin, destination, date):
            continue
        family = [
            {"first_name": name, "last_name": user["name"]["last_name"], "dob": invent_birthday(dice)}
            for name in dice.sample([n for n in FIRST_NAMES if n != user["name"]["first_name"]], 5)
        ]
        yield Draft(
            "Six people do not fit into one reservation.",
            about(user),
            (
                Wish(
                    f"@I want to book one reservation for six people from {city(origin)} to {city(destination)} on "
                    f"{day(date)}, in economy. @I do not want to split the group.",
                    details=(
                        Fact("flight_type", "one_way", "It is one way."),
                        Fact(
                            "passengers",
                            [customer(user), *family],
                            f"The passengers are {people([customer(user), *family])}.",
                        ),
                    ),
                    steps=look_up(user),
                    refused=True,
                ),
            ),
        )


def cabin_within_budget(world: World, dice: Dice) -> Iterator[Draft]:
    """The cabin depends on a price only the agent can see."""
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        date = _coming_day(dice)
        chosen = best(world.direct(origin, destination, date), departure)
        companions = user["saved_passengers"][:1]
        payer = world.payer(dice, user, 2000)
        if not chosen or not payer or not companions or min(chosen["available_seats"].values()) < 2:
            continue
        gap = chosen["prices"]["economy"] - chosen["prices"]["basic_economy"]
        limit = dice.pick((40, 60, 80))
        if gap == limit:
            continue
        cabin = "economy" if gap < limit else "basic_economy"
        passengers = [customer(user), companions[0]]
        total_bags = 2
        paid_bags = max(0, total_bags - world.free_bags(user, cabin, 2))
        total = 2 * chosen["prices"][cabin] + 50 * paid_bags
        yield Draft(
            "Choose the cabin by comparing two prices, and work out bag fees by membership and cabin.",
            about(user),
            (
                booking(
                    world,
                    user,
                    f"@I want to book two seats, one way, from {city(origin)} to {city(destination)} on {day(date)}, "
                    f"on the direct flight that leaves earliest: in economy if that costs less than {limit} dollars "
                    "more per person than basic economy, otherwise in basic economy. @I want to know the total with "
                    "the bags.",
                    flights=[chosen],
                    flights_text="@I want the direct flight that leaves earliest.",
                    cabin=cabin,
                    cabin_text=f"Economy if it is less than {limit} dollars more per person than basic economy, "
                    "otherwise basic economy.",
                    passengers=passengers,
                    total_baggages=total_bags,
                    insurance="no",
                    payments=[(payer[0], total)],
                    payment_text=f"@I want to pay with {payer[1]}.",
                    searches=(find_direct(origin, destination, date),),
                    answers=(str(total),),
                ),
            ),
        )


def two_bookings(world: World, dice: Dice) -> Iterator[Draft]:
    """Out in one cabin, back in another: two reservations of one way each, and the sum of both."""
    for user in world.customers(dice):
        origin, destination = dice.pick(world.routes)
        out, back = f"2024-05-{dice.between(17, 20)}", f"2024-05-{dice.between(22, 29)}"
        there = world.cheapest(origin, destination, out, "economy", 1)
        home = best(with_seats(world.direct(destination, origin, back), "business", 1), _late_departure)
        cards = world.methods(user, "credit_card")
        if not there or not home or len(cards) != 2:
            continue
        prices = there["prices"]["economy"], home["prices"]["business"] + 30
        first, second = (world.method(user, card["id"]) for card in cards)
        yield Draft(
            "Two bookings in one conversation, each with its own cabin, card and insurance.",
            about(user),
            (
                booking(
                    world,
                    user,
                    f"@I want two separate bookings. The first is one way from {city(origin)} to {city(destination)} "
                    f"on {day(out)}, on the cheapest direct flight in economy.",
                    flights=[there],
                    flights_text="For the first @i want the cheapest direct flight.",
                    cabin="economy",
                    passengers=[customer(user)],
                    total_baggages=1,
                    insurance="no",
                    payments=[(cards[0]["id"], prices[0])],
                    payment_text=f"The first goes on {first}.",
                    searches=(find_direct(origin, destination, out),),
                    answers=(),
                ),
                booking(
                    world,
                    user,
                    f"The second is one way back from {city(destination)} to {city(origin)} on {day(back)}, in "
                    "business, on the direct flight that leaves last. What do both bookings cost together?",
                    flights=[home],
                    flights_text="For the second @i want the direct flight that leaves last.",
                    cabin="business",
                    passengers=[customer(user)],
                    total_baggages=2,
                    insurance="yes",
                    payments=[(cards[1]["id"], prices[1])],
                    payment_text=f"The second goes on {second}.",
                    searches=(find_direct(destination, origin, back),),
                    answers=(str(sum(prices)),),
                ),
            ),
        )


def _coming_day(dice: Dice) -> str:
    return f"2024-05-{dice.between(17, 29)}"


def _price_of_way(cabin: str) -> Any:
    return lambda way: sum(flight["prices"][cabin] for flight in way)


def _late_departure(flight: Record) -> int:
    hours, minutes, _ = flight["scheduled_departure_time_est"].split(":")
    return -(int(hours) * 60 + int(minutes))
