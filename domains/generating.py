"""What every pack generator shares: seeded choices, invented people and places, files written the same each time."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

FIRST_NAMES = (
    "Ada Amara Anton Astrid Beatrix Bruno Callum Cora Dario Delia Dmitri Elif Elias Esther Farah Felix Freya Gideon "
    "Greta Hana Hector Hugo Ines Ivo Jasmin Jonas Joy Kamal Keiko Lars Leila Linus Luz Marco Maren Milo Nadia Nils "
    "Noor Odette Omar Orla Petra Priya Quentin Rafael Rosa Rufus Samir Selma Silas Tara Theo Tilda Uma Viktor Wanda "
    "Xavier Yara Yusuf Zelda Zoran"
).split()
LAST_NAMES = (
    "Abara Adler Almeida Baptiste Becker Bergman Cardoso Castell Conti Dacosta Demir Dubois Eklund Faulkner Ferro "
    "Fontaine Gallo Greenwood Haddad Halvorsen Hartley Ibarra Ishida Jansen Kaplan Keller Kowalski Laurent Lindqvist "
    "Maddox Marchetti Mbeki Mendes Nakagawa Novak Oduya Okafor Ortega Paulsen Petrov Quigley Ramaswamy Reyes Rosen "
    "Sandoval Sharma Solberg Takeda Tanaka Underwood Valdez Varga Walsh Whitaker Yamada Zapata Zielinski"
).split()
STREETS = (
    "Alder Beacon Birchwood Canal Chestnut Clover Copper Dogwood Fern Foundry Garnet Harbor Hazel Juniper Larkspur "
    "Lantern Meadow Millstone Orchard Pebble Poplar Quarry Rowan Saddle Sycamore Thistle Tidewater Walnut Willow Wren"
).split()
STREET_KINDS = ("Street", "Avenue", "Lane", "Road", "Court", "Way", "Terrace")
SECOND_LINES = ("Apt", "Unit", "Floor", "Suite")
# city, state, first three digits of its postal codes
CITIES = (
    ("Albany", "NY", "122"),
    ("Boise", "ID", "837"),
    ("Boulder", "CO", "803"),
    ("Buffalo", "NY", "142"),
    ("Cambridge", "MA", "021"),
    ("Cleveland", "OH", "441"),
    ("Dayton", "OH", "454"),
    ("Durham", "NC", "277"),
    ("El Paso", "TX", "799"),
    ("Eugene", "OR", "974"),
    ("Fresno", "CA", "937"),
    ("Grand Rapids", "MI", "495"),
    ("Hartford", "CT", "061"),
    ("Knoxville", "TN", "379"),
    ("Lincoln", "NE", "685"),
    ("Madison", "WI", "537"),
    ("Mesa", "AZ", "852"),
    ("Mobile", "AL", "366"),
    ("Norfolk", "VA", "235"),
    ("Oakland", "CA", "946"),
    ("Omaha", "NE", "681"),
    ("Pasadena", "CA", "911"),
    ("Providence", "RI", "029"),
    ("Reno", "NV", "895"),
    ("Rochester", "MN", "559"),
    ("Savannah", "GA", "314"),
    ("Spokane", "WA", "992"),
    ("Tacoma", "WA", "984"),
    ("Tampa", "FL", "336"),
    ("Tulsa", "OK", "741"),
)


class Dice:
    """Choices from one seeded stream; only `random()` is used, the one method whose sequence Python promises to keep.

    Each topic has a stream of its own (`Dice(seed, "users")`), so that more of one leaves the others as they were.
    """

    def __init__(self, seed: int, *topic: str) -> None:
        name = "/".join([str(seed), *topic])
        self._random = random.Random(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))

    def below(self, limit: int) -> int:
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def weighted(self, choices: Sequence[tuple[T, int]]) -> T:
        """One of the choices, each as likely as its weight."""
        point = self.below(sum(weight for _, weight in choices))
        for choice, weight in choices:
            point -= weight
            if point < 0:
                return choice
        raise ValueError("no choice has a weight")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        return self.shuffled(items)[:count]

    def digits(self, count: int) -> str:
        """Digits without a leading zero."""
        return str(self.between(10 ** (count - 1), 10**count - 1))

    def code(self, alphabet: str, count: int) -> str:
        return "".join(self.pick(alphabet) for _ in range(count))


def invent_birthday(dice: Dice, first_year: int = 1950, last_year: int = 2003) -> str:
    return f"{dice.between(first_year, last_year)}-{dice.between(1, 12):02}-{dice.between(1, 28):02}"


def invent_address(dice: Dice) -> dict[str, str]:
    """An American address in tau2's fields; the postal code fits the city."""
    city, state, zip_start = dice.pick(CITIES)
    return {
        "address1": f"{dice.between(10, 999)} {dice.pick(STREETS)} {dice.pick(STREET_KINDS)}",
        "address2": f"{dice.pick(SECOND_LINES)} {dice.between(1, 320)}",
        "city": city,
        "country": "USA",
        "state": state,
        "zip": zip_start + f"{dice.below(100):02}",
    }


def json_text(value: Any) -> str:
    """JSON for people: indented, in the order it was built, with a last newline."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def compact_json_text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    path.write_bytes(json_text(value).encode())


def write_json_xz(path: Path, value: Any) -> None:
    path.write_bytes(lzma.compress(compact_json_text(value).encode(), preset=9 | lzma.PRESET_EXTREME))
