"""Every way to get one argument of a write wrong: another id, day, flight, cabin, amount, name, count, choice, list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domains.values import JSON, copied
from sessions.players.lookup import Lookup

CABINS = ("basic_economy", "economy", "business")
REASONS = ("no longer needed", "ordered by mistake")


def changes(arguments: Mapping[str, JSON], lookup: Lookup) -> Iterator[tuple[str, dict[str, JSON]]]:
    """Yield what was changed, and all arguments with that one change."""
    for name, value in arguments.items():
        for what, other in _others(name, value, arguments, lookup):
            if other != value:
                yield f"{name}: {what}", {**copied(dict(arguments)), name: other}


def _others(name: str, value: Any, arguments: Mapping[str, JSON], lookup: Lookup) -> Iterator[tuple[str, Any]]:
    match name:
        case "reservation_id":
            yield from (("another id", i) for i in _keys(lookup, "reservations", value))
        case "order_id":
            yield from (("another id", i) for i in _keys(lookup, "orders", value))
        case "user_id":
            yield from (("another customer", i) for i in _keys(lookup, "users", value))
        case "customer_id" | "line_id" | "bill_id":
            yield "another id", str(value)[:-1] + str((int(str(value)[-1]) + 1) % 10)
        case "payment_id" | "payment_method_id":
            yield from (("another payment method", i) for i in _methods(lookup, arguments, value))
        case "cabin":
            yield from (("another cabin", c) for c in CABINS)
        case "flight_type":
            yield "the other type", "one_way" if value == "round_trip" else "round_trip"
        case "insurance":
            yield "the other choice", "no" if value == "yes" else "yes"
        case "origin" | "destination":
            taken = (arguments["origin"], arguments["destination"])
            yield from (("another airport", code) for code in list(lookup.airports)[:6] if code not in taken)
        case "total_baggages" | "nonfree_baggages":
            yield from (("another count", value + d) for d in (-1, 1, 3) if value + d >= 0)
        case "amount" | "gb_amount":
            yield from (("another amount", value + d) for d in (-50, 50, 1) if value + d > 0)
        case "reason" if value in REASONS:
            yield "the other reason", REASONS[1 - REASONS.index(value)]
        case "flights":
            yield from _lists(value, {"flight_number": _flight, "date": _day})
            yield "one added", [*value, {"flight_number": "HAT999", "date": "2024-05-29"}]
        case "passengers":
            yield from _lists(value, {"first_name": _name, "last_name": _name, "dob": _birth})
            yield "one added", [*value, {"first_name": "Zacharias", "last_name": "Quill", "dob": "1980-02-29"}]
        case "payment_methods":
            known = {p["payment_id"] for p in value}
            others = [i for i in _methods(lookup, arguments, None) if i not in known]
            yield from _lists(value, {"amount": lambda amount: amount + 10})
            for i in range(len(value)):
                for other in others:
                    yield (
                        "another payment method",
                        [{**p, "payment_id": other} if i == j else p for j, p in enumerate(value)],
                    )
            if others:
                yield "one added", [*value, {"payment_id": others[0], "amount": 10}]
        case "item_ids" | "new_item_ids":
            for i in range(len(value)):
                yield "another item", [*value[:i], "1234567890", *value[i + 1 :]]
                if len(value) > 1:
                    yield "one removed", [*value[:i], *value[i + 1 :]]
            yield "one added", [*value, "9876543210"]
        case _ if isinstance(value, str):
            yield "another text", "Quite another 77"


def _lists(value: list[dict[str, JSON]], fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for i, element in enumerate(value):
        for field, other in fields.items():
            yield (
                f"another {field}",
                [{**e, field: other(element[field])} if i == j else e for j, e in enumerate(value)],
            )
        if len(value) > 1:
            yield "one removed", [e for j, e in enumerate(value) if i != j]


def _flight(number: str) -> str:
    return f"{number[:3]}{(int(number[3:]) + 7) % 300 + 1:03}"


def _day(date: str) -> str:
    return f"{date[:8]}{(int(date[8:]) % 28) + 1:02}"


def _name(name: str) -> str:
    return "Bartholomew" if name != "Bartholomew" else "Zeno"


def _birth(date: str) -> str:
    return f"{int(date[:4]) - 1}{date[4:]}"


def _keys(lookup: Lookup, table: str, value: str) -> list[str]:
    owner = lookup.owner(value)
    own = [r["reservation_id"] for r in lookup.trips(owner)] if table == "reservations" else []
    some = [key for key, _ in zip(lookup.env.databases["agent"].rows(table), range(3), strict=False)]
    return [key for key in (*own, *some) if key != value]


def _methods(lookup: Lookup, arguments: Mapping[str, JSON], value: str | None) -> list[str]:
    user_id = arguments.get("user_id") or lookup.owner(
        str(arguments.get("reservation_id") or arguments.get("order_id"))
    )
    user = lookup.record("users", str(user_id))
    own = list(user["payment_methods"]) if user else []
    return [i for i in (*own, "credit_card_1000001", "gift_card_1000002") if i != value]
