"""Customers: who they are, where they live, how they pay."""

from __future__ import annotations

from typing import Any

from domains.generating import FIRST_NAMES, LAST_NAMES, Dice, invent_address

USERS = 500


def build_users(seed: int) -> dict[str, dict[str, Any]]:
    names, wallets = Dice(seed, "customers"), Dice(seed, "customers' wallets")
    numbers_taken: set[str] = set()
    found_by: set[tuple[str, str, str]] = set()
    users: dict[str, dict[str, Any]] = {}
    while len(users) < USERS:
        first, last, address = names.pick(FIRST_NAMES), names.pick(LAST_NAMES), invent_address(names)
        user_id = f"{first}_{last}_{names.digits(4)}".lower()
        email = f"{first}.{last}{names.digits(4)}@example.com".lower()
        # The tools find a customer by name and postal code, so no two may share them.
        if user_id in users or (first, last, address["zip"]) in found_by:
            continue
        found_by.add((first, last, address["zip"]))
        users[user_id] = {
            "user_id": user_id,
            "name": {"first_name": first, "last_name": last},
            "address": address,
            "email": email,
            "payment_methods": _build_wallet(wallets, numbers_taken),
            "orders": [],
        }
    return users


def _build_wallet(dice: Dice, numbers_taken: set[str]) -> dict[str, dict[str, Any]]:
    sources = ["credit_card"] * dice.weighted([(0, 30), (1, 50), (2, 20)])
    sources += ["gift_card"] * dice.weighted([(0, 50), (1, 44), (2, 6)])
    sources += ["paypal"] * dice.weighted([(0, 50), (1, 50)])
    wallet: dict[str, dict[str, Any]] = {}
    for source in dice.shuffled(sources or ["credit_card"]):
        number = dice.digits(7)
        while number in numbers_taken:
            number = dice.digits(7)
        numbers_taken.add(number)
        method: dict[str, Any] = {"source": source, "id": f"{source}_{number}"}
        match source:
            case "credit_card":
                method |= {"brand": dice.pick(("visa", "mastercard")), "last_four": dice.digits(4)}
            case "gift_card":
                method["balance"] = float(dice.between(5, 260) if dice.chance(70) else dice.between(300, 1500))
        wallet[method["id"]] = method
    return wallet
