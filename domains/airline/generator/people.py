"""Customers: who they are, how they pay, and with whom they travel."""

from __future__ import annotations

from typing import Any

from domains.generating import FIRST_NAMES, LAST_NAMES, Dice, invent_address, invent_birthday

USERS = 500
RESERVED_NUMBERS = {"3221322", "3221323", "3221324"}
"""Numbers that send_certificate gives to new certificates."""


def build_users(seed: int) -> dict[str, dict[str, Any]]:
    names, wallets = Dice(seed, "users"), Dice(seed, "wallets")
    numbers_taken = set(RESERVED_NUMBERS)
    users: dict[str, dict[str, Any]] = {}
    while len(users) < USERS:
        first, last = names.pick(FIRST_NAMES), names.pick(LAST_NAMES)
        user_id = f"{first}_{last}_{names.digits(4)}".lower()
        if user_id in users:
            continue
        users[user_id] = {
            "user_id": user_id,
            "name": {"first_name": first, "last_name": last},
            "address": invent_address(names),
            "email": f"{first}.{last}{names.digits(4)}@example.com".lower(),
            "dob": invent_birthday(names),
            "payment_methods": _build_wallet(wallets, numbers_taken),
            "saved_passengers": _build_companions(names, first, last),
            "membership": names.weighted([("regular", 40), ("silver", 33), ("gold", 27)]),
            "reservations": [],
        }
    return users


def build_passenger(dice: Dice, last_name: str) -> dict[str, str]:
    return {"first_name": dice.pick(FIRST_NAMES), "last_name": last_name, "dob": invent_birthday(dice)}


def _build_companions(dice: Dice, first_name: str, last_name: str) -> list[dict[str, str]]:
    companions: list[dict[str, str]] = []
    known = {first_name}
    for _ in range(dice.weighted([(0, 15), (1, 30), (2, 25), (3, 18), (4, 12)])):
        companion = build_passenger(dice, last_name if dice.chance(55) else dice.pick(LAST_NAMES))
        if companion["first_name"] not in known:
            known.add(companion["first_name"])
            companions.append(companion)
    return companions


def _build_wallet(dice: Dice, numbers_taken: set[str]) -> dict[str, dict[str, Any]]:
    sources = ["credit_card"] * dice.weighted([(0, 8), (1, 58), (2, 34)])
    sources += ["gift_card"] * dice.weighted([(0, 40), (1, 35), (2, 17), (3, 8)])
    sources += ["certificate"] * dice.weighted([(0, 50), (1, 27), (2, 17), (3, 6)])
    if "credit_card" not in sources and "gift_card" not in sources:
        sources.append("credit_card")
    wallet: dict[str, dict[str, Any]] = {}
    for source in dice.shuffled(sources):
        number = dice.digits(7)
        while number in numbers_taken:
            number = dice.digits(7)
        numbers_taken.add(number)
        method: dict[str, Any] = {"source": source, "id": f"{source}_{number}"}
        match source:
            case "credit_card":
                method |= {"brand": dice.pick(("visa", "mastercard")), "last_four": dice.digits(4)}
            case "gift_card":
                method["amount"] = float(dice.between(20, 480))
            case _:
                method["amount"] = float(dice.pick((100, 150, 200, 250, 300, 500)))
        wallet[method["id"]] = method
    return wallet
