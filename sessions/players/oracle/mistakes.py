"""One argument of a call got wrong in a way that could happen: another flight, the other card, a digit, a name."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from domains.values import JSON, copied
from sessions.players.lookup import Lookup

CABINS = ("basic_economy", "economy", "business")
REASONS = ("no longer needed", "ordered by mistake")


def mistaken(
    name: str, arguments: Mapping[str, JSON], lookup: Lookup, chance: random.Random
) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield (argument, all arguments with that one wrong), the most one for each argument, in random order."""
    keys = list(arguments)
    chance.shuffle(keys)
    for key in keys:
        options = [value for value in _values(key, arguments[key], arguments, lookup) if value != arguments[key]]
        if options:
            yield key, {**copied(dict(arguments)), key: chance.choice(options)}


def _values(key: str, value: Any, arguments: Mapping[str, JSON], lookup: Lookup) -> Iterator[Any]:
    owner = str(
        arguments.get("user_id") or lookup.owner(str(arguments.get("reservation_id") or arguments.get("order_id")))
    )
    user: Mapping[str, JSON] = lookup.record("users", owner) or {}
    match key:
        case "reservation_id":
            yield from user.get("reservations", ())
        case "order_id":
            yield from user.get("orders", ())
        case "payment_id" | "payment_method_id":
            yield from user.get("payment_methods", ())
        case "cabin":
            yield from CABINS
        case "reason" if value in REASONS:
            yield from REASONS
        case "total_baggages" | "nonfree_baggages":
            yield value + 1
        case "amount":
            yield from (value + 50, value + 100)
        case "gb_amount":
            yield from (value + 1, value / 2)
        case "passengers":
            for i, person in enumerate(value):
                for wrong in ({"dob": _digit(str(person["dob"]))}, {"last_name": f"{person['last_name']}s"}):
                    yield [{**p, **wrong} if i == j else p for j, p in enumerate(value)]
        case "flights":
            for i, flight in enumerate(value):
                for number in _instead(flight, lookup):
                    yield [{**f, "flight_number": number} if i == j else f for j, f in enumerate(value)]
        case "new_item_ids":
            for i, item in enumerate(value):
                for other in lookup.variants(str(item)):
                    yield [*value[:i], other, *value[i + 1 :]]
        case "item_ids" if len(value) > 1 and "new_item_ids" not in arguments:
            yield value[:-1]
        case "zip" | "address1":
            yield _digit(str(value))
        case _:
            return


def _instead(flight: Mapping[str, JSON], lookup: Lookup) -> Iterator[str]:
    """Other flights on the same route."""
    known = lookup.record("flights", str(flight["flight_number"]))
    for other in lookup.rows("flights"):
        if known and (other["origin"], other["destination"]) == (known["origin"], known["destination"]):
            yield str(other["flight_number"])


def _digit(text: str) -> str:
    """Change the last digit."""
    for i in reversed(range(len(text))):
        if text[i].isdigit():
            return f"{text[:i]}{(int(text[i]) + 1) % 9 or 1}{text[i + 1 :]}"
    return f"{text} 2"
