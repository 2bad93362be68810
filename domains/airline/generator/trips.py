"""Reservations: trips the network can fly, bags the membership allows, payments that add up."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from domains.airline.generator.network import CABINS, DAYS, NOW, TODAY, Network, Schedule
from domains.airline.generator.people import build_passenger
from domains.generating import LAST_NAMES, Dice

RESERVATIONS = 2000
FREE_BAGS = {
    ("regular", "basic_economy"): 0,
    ("regular", "economy"): 1,
    ("regular", "business"): 2,
    ("silver", "basic_economy"): 1,
    ("silver", "economy"): 2,
    ("silver", "business"): 3,
    ("gold", "basic_economy"): 2,
    ("gold", "economy"): 3,
    ("gold", "business"): 4,
}
LAYOVER = (45, 300)
TODAY_INDEX = DAYS.index(TODAY)
ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@dataclass(frozen=True, slots=True)
class Leg:
    schedule: Schedule
    day_offset: int


Connection = tuple[Leg, ...]


def build_reservations(seed: int, network: Network, users: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The table of reservations; each is also entered at its user."""
    dice = Dice(seed, "reservations")
    connections = find_connections(network.schedules)
    direct = [pair for pair, ways in connections.items() if len(ways[0]) == 1]
    onestop = [pair for pair, ways in connections.items() if len(ways[0]) == 2]
    travellers = [(user_id, dice.weighted([(0, 8), (2, 30), (4, 40), (7, 22)])) for user_id in users]
    reservations: dict[str, dict[str, Any]] = {}
    while len(reservations) < RESERVATIONS:
        reservation_id = dice.code(ID_CHARACTERS, 6)
        # Letters only would read as a word, digits only as a number; HATHAT and its like belong to the tools.
        if reservation_id in reservations or reservation_id.isalpha() or reservation_id.isdigit():
            continue
        user = users[dice.weighted(travellers)]
        if len(user["reservations"]) == 9:
            continue
        origin, destination = dice.pick(direct if dice.chance(52) else onestop)
        reservation = _build_reservation(dice, network, connections, user, origin, destination)
        reservations[reservation_id] = {"reservation_id": reservation_id} | reservation
        user["reservations"].append(reservation_id)
    return reservations


def find_connections(schedules: tuple[Schedule, ...]) -> dict[tuple[str, str], list[Connection]]:
    """Every way from one airport to another: direct flights where there are any, otherwise with one change."""
    ways: dict[tuple[str, str], list[Connection]] = defaultdict(list)
    leaving: dict[str, list[Schedule]] = defaultdict(list)
    for schedule in schedules:
        ways[schedule.origin, schedule.destination].append((Leg(schedule, 0),))
        leaving[schedule.origin].append(schedule)
    served = set(ways)
    for first in schedules:
        for second in leaving[first.destination]:
            pair = (first.origin, second.destination)
            if pair in served or first.origin == second.destination:
                continue
            offset = first.arrival // (24 * 60)
            layover = second.departure + offset * 24 * 60 - first.arrival
            if LAYOVER[0] <= layover <= LAYOVER[1]:
                ways[pair].append((Leg(first, 0), Leg(second, offset)))
    return dict(ways)


def _build_reservation(
    dice: Dice,
    network: Network,
    connections: dict[tuple[str, str], list[Connection]],
    user: dict[str, Any],
    origin: str,
    destination: str,
) -> dict[str, Any]:
    cabin = dice.pick(CABINS)
    round_trip = dice.chance(48) and (destination, origin) in connections
    start = TODAY_INDEX if dice.chance(16) else dice.between(2, 26)
    legs = _place(dice.pick(connections[origin, destination]), start)
    if round_trip:
        back = min(start + dice.between(2, 7), 28)
        legs += _place(dice.pick(connections[destination, origin]), back)
    flights: list[dict[str, Any]] = [
        {
            "origin": schedule.origin,
            "destination": schedule.destination,
            "flight_number": schedule.number,
            "date": day,
            "price": network.fares[schedule.number, day][cabin] * dice.between(90, 112) // 100,
        }
        for schedule, day in legs
    ]
    passengers = _choose_passengers(dice, user)
    insured = dice.chance(42)
    allowance = FREE_BAGS[user["membership"], cabin] * len(passengers)
    bags = dice.between(0, 2 * len(passengers))
    paid_bags = max(0, bags - allowance)
    total = sum(flight["price"] for flight in flights) * len(passengers)
    total += (30 * len(passengers) if insured else 0) + 50 * paid_bags
    departure = datetime.fromisoformat(legs[0][1]) + timedelta(minutes=legs[0][0].departure)
    return {
        "user_id": user["user_id"],
        "origin": origin,
        "destination": destination,
        "flight_type": "round_trip" if round_trip else "one_way",
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": _split_payment(dice, user, total),
        "created_at": _booking_time(dice, departure),
        "total_baggages": bags,
        "nonfree_baggages": paid_bags,
        "insurance": "yes" if insured else "no",
    }


def _place(connection: Connection, start: int) -> list[tuple[Schedule, str]]:
    """The legs of a connection with their days, from the start-th day of the period (counted from 0)."""
    return [(leg.schedule, DAYS[start + leg.day_offset]) for leg in connection]


def _choose_passengers(dice: Dice, user: dict[str, Any]) -> list[dict[str, str]]:
    count = dice.weighted([(1, 46), (2, 32), (3, 16), (4, 5), (5, 1)])
    customer = {**user["name"], "dob": user["dob"]}
    passengers = ([customer] if dice.chance(88) else []) + dice.shuffled(user["saved_passengers"])
    names = {passenger["first_name"] for passenger in [customer, *user["saved_passengers"]]}
    while len(passengers) < count:
        guest = build_passenger(dice, dice.pick(LAST_NAMES))
        if guest["first_name"] not in names:
            names.add(guest["first_name"])
            passengers.append(guest)
    return [dict(passenger) for passenger in passengers[:count]]


def _split_payment(dice: Dice, user: dict[str, Any], total: int) -> list[dict[str, Any]]:
    """Mostly one method; sometimes a gift card first and a credit card for the rest."""
    methods = user["payment_methods"].values()
    cards = [method["id"] for method in methods if method["source"] == "credit_card"]
    gift_cards = [method["id"] for method in methods if method["source"] == "gift_card"]
    if cards and gift_cards and total > 200 and dice.chance(15):
        part = dice.between(40, 160)
        return [
            {"payment_id": dice.pick(gift_cards), "amount": part},
            {"payment_id": dice.pick(cards), "amount": total - part},
        ]
    return [{"payment_id": dice.pick(cards + gift_cards), "amount": total}]


def _booking_time(dice: Dice, departure: datetime) -> str:
    """Before the first departure and before now; for coming trips now and then within the last day."""
    latest = min(departure - timedelta(hours=6), NOW - timedelta(hours=24))
    created = latest - timedelta(minutes=dice.between(5, 14 * 24 * 60), seconds=dice.below(60))
    if departure > NOW + timedelta(hours=8) and dice.chance(9):
        created = NOW - timedelta(minutes=dice.between(20, 22 * 60), seconds=dice.below(60))
    return created.isoformat()
