"""Airports, routes, schedules, and what became of every flight on every day of May 2024."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isqrt
from typing import Any

from domains.generating import Dice

TODAY = "2024-05-15"
NOW = datetime.fromisoformat(f"{TODAY}T15:00:00")
DAYS = tuple(f"2024-05-{day:02}" for day in range(1, 31))
CABINS = ("basic_economy", "economy", "business")

# city, and latitude and longitude in hundredths of a degree
AIRPORTS: dict[str, tuple[str, int, int]] = {
    "SFO": ("San Francisco", 3762, -12238),
    "JFK": ("New York", 4064, -7378),
    "LAX": ("Los Angeles", 3394, -11841),
    "ORD": ("Chicago", 4198, -8790),
    "DFW": ("Dallas", 3290, -9704),
    "DEN": ("Denver", 3986, -10467),
    "SEA": ("Seattle", 4745, -12231),
    "ATL": ("Atlanta", 3364, -8443),
    "MIA": ("Miami", 2579, -8029),
    "BOS": ("Boston", 4236, -7101),
    "PHX": ("Phoenix", 3343, -11201),
    "IAH": ("Houston", 2998, -9534),
    "LAS": ("Las Vegas", 3608, -11515),
    "MCO": ("Orlando", 2843, -8131),
    "EWR": ("Newark", 4069, -7417),
    "CLT": ("Charlotte", 3521, -8094),
    "MSP": ("Minneapolis", 4488, -9322),
    "DTW": ("Detroit", 4221, -8335),
    "PHL": ("Philadelphia", 3987, -7524),
    "LGA": ("LaGuardia", 4078, -7387),
}

# Served both ways. The first half three times a day, the second half twice: 300 flights.
BUSY_ROUTES = (
    "SFO-JFK SFO-LAX SFO-ORD SFO-DEN SFO-SEA SFO-LAS LAX-JFK LAX-SEA LAX-DFW LAX-ORD LAX-LAS LAX-ATL SEA-DEN SEA-ORD "
    "DEN-DFW DEN-ORD DEN-MSP DFW-ATL DFW-ORD DFW-MIA ORD-ATL ORD-BOS ORD-EWR ORD-LGA ATL-MIA ATL-MCO ATL-PHL CLT-PHL "
    "JFK-MIA JFK-BOS"
).split()
QUIET_ROUTES = (
    "SFO-PHX SFO-BOS LAX-DEN LAX-PHX LAX-MIA SEA-MSP SEA-PHX DEN-LAS DEN-PHX DEN-ATL DEN-IAH DFW-CLT DFW-LAS DFW-LGA "
    "ORD-DTW ORD-MSP ATL-BOS ATL-EWR ATL-CLT ATL-DTW IAH-ATL IAH-EWR IAH-MCO CLT-BOS CLT-MCO CLT-LGA JFK-MCO PHL-MIA "
    "DTW-MSP DTW-MCO"
).split()
THREE_A_DAY = ((330, 560), (660, 900), (990, 1330))
TWO_A_DAY = ((360, 660), (840, 1290))


@dataclass(frozen=True, slots=True)
class Schedule:
    """One flight number: where it goes and when, in minutes after midnight (the arrival may lie beyond 24 h)."""

    number: str
    origin: str
    destination: str
    departure: int
    arrival: int


@dataclass(frozen=True, slots=True)
class Network:
    schedules: tuple[Schedule, ...]
    fares: dict[tuple[str, str], dict[str, int]]
    """What a seat costs, by flight number and day, whether or not it can still be bought."""
    flights: dict[str, dict[str, Any]]
    """The database's table."""


def build_network(seed: int) -> Network:
    schedules = tuple(_build_schedules(Dice(seed, "schedules")))
    fare_dice, day_dice, seat_dice = (Dice(seed, topic) for topic in ("fares", "days", "seats"))
    fares: dict[tuple[str, str], dict[str, int]] = {}
    flights: dict[str, dict[str, Any]] = {}
    for schedule in schedules:
        dates: dict[str, dict[str, Any]] = {}
        for day in DAYS:
            fares[schedule.number, day] = _build_fares(fare_dice, schedule, day)
            dates[day] = _build_day(day_dice, seat_dice, schedule, day, fares[schedule.number, day])
        flights[schedule.number] = {
            "flight_number": schedule.number,
            "origin": schedule.origin,
            "destination": schedule.destination,
            "scheduled_departure_time_est": _clock(schedule.departure),
            "scheduled_arrival_time_est": _clock(schedule.arrival),
            "dates": dates,
        }
    return Network(schedules, fares, flights)


def distance(origin: str, destination: str) -> int:
    """Miles on a flat map, in whole numbers so that no machine rounds them differently."""
    _, latitude, longitude = AIRPORTS[origin]
    _, other_latitude, other_longitude = AIRPORTS[destination]
    return isqrt(((latitude - other_latitude) * 69) ** 2 + ((longitude - other_longitude) * 54) ** 2) // 100


def _build_schedules(dice: Dice) -> list[Schedule]:
    planned: list[tuple[str, str, int, int]] = []
    for routes, slots in ((BUSY_ROUTES, THREE_A_DAY), (QUIET_ROUTES, TWO_A_DAY)):
        for route in routes:
            for origin, destination in (route.split("-"), reversed(route.split("-"))):
                for first, last in slots:
                    departure = dice.between(first // 5, last // 5) * 5
                    planned.append((origin, destination, departure, departure + _duration(origin, destination)))
    return [Schedule(f"HAT{index:03}", *flight) for index, flight in enumerate(dice.shuffled(planned), start=1)]


def _duration(origin: str, destination: str) -> int:
    """Minutes from gate to gate; the wind makes the way west longer."""
    westward = AIRPORTS[destination][2] < AIRPORTS[origin][2]
    minutes = 40 + distance(origin, destination) * 60 // (450 if westward else 490)
    return (minutes + 4) // 5 * 5


def _build_fares(dice: Dice, schedule: Schedule, day: str) -> dict[str, int]:
    miles = distance(schedule.origin, schedule.destination)
    weekday = datetime.fromisoformat(day).weekday()
    base = (70 + miles * 7 // 100) * (112 if weekday in (4, 6) else 100)
    return {
        "basic_economy": base * dice.between(52, 74) // 10000,
        "economy": base * dice.between(88, 128) // 10000,
        "business": base * dice.between(215, 330) // 10000,
    }


def _build_day(dice: Dice, seat_dice: Dice, schedule: Schedule, day: str, fares: dict[str, int]) -> dict[str, Any]:
    # Storms today: delays are what many customers call about.
    late = dice.between(30, 200) if dice.chance(45 if day == TODAY else 22) else dice.between(-8, 22)
    drift = dice.between(-9, 12)
    luck = dice.below(1000)
    midnight = datetime.fromisoformat(day)
    departure = midnight + timedelta(minutes=schedule.departure + late)
    arrival = midnight + timedelta(minutes=schedule.arrival + late + drift)
    seats = {cabin: _seats_left(seat_dice, cabin) for cabin in CABINS}

    if luck < _cancellations_per_mille(day):
        return {"status": "cancelled"}
    if day > TODAY:
        return {"status": "available", "available_seats": seats, "prices": fares}
    if arrival <= NOW:
        return {
            "status": "landed",
            "actual_departure_time_est": departure.isoformat(),
            "actual_arrival_time_est": arrival.isoformat(),
        }
    if departure <= NOW:
        return {
            "status": "flying",
            "actual_departure_time_est": departure.isoformat(),
            "estimated_arrival_time_est": arrival.isoformat(),
        }
    return {
        "status": "delayed" if late >= 30 else "on time",
        "estimated_departure_time_est": departure.isoformat(),
        "estimated_arrival_time_est": arrival.isoformat(),
    }


def _cancellations_per_mille(day: str) -> int:
    if day <= TODAY:
        return 70
    return 80 if day <= "2024-05-18" else 4


def _seats_left(dice: Dice, cabin: str) -> int:
    return 0 if dice.chance(6) else dice.between(1, 12 if cabin == "business" else 22)


def _clock(minutes: int) -> str:
    """`HH:MM:SS`, with `+1` when it is past midnight."""
    days, minutes = divmod(minutes, 24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:00" + (f"+{days}" if days else "")
