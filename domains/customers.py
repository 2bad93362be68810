"""What the check knows alike of the airline's and the shop's customers, who stand in a table `users`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from domains.knowledge import Kind, Person, held
from domains.values import Record

if TYPE_CHECKING:
    from domains.environment import Environment


def person(env: Environment, user_id: str) -> Person | None:
    """Return who a customer is; the shop holds no dates of birth."""
    user = held(env, "users", user_id)
    if user is None:
        return None
    name = user["name"]
    return Person(user_id, f"{name['first_name']} {name['last_name']}", user["address"]["zip"], user.get("dob", ""))


def user_who(env: Environment, fits: Callable[[Record], bool]) -> str | None:
    """Return the id of the first customer whose profile fits."""
    return next((user_id for user_id, user in env.databases["agent"].rows("users").items() if fits(user)), None)


def owner_in(table: str) -> Callable[[Environment, str], str | None]:
    """Return a function that finds whose a record of this table is."""

    def owner(env: Environment, key: str) -> str | None:
        found = held(env, table, key)
        return None if found is None else str(found["user_id"])

    return owner


def owner_of_payment(env: Environment, payment_id: str) -> str | None:
    """Return whose a payment method is."""
    return user_who(env, lambda user: payment_id in user["payment_methods"])


def payment_method(argument: str, *sources: str) -> Kind:
    """Return the kind of ids of payment methods: `gift_card_17`, `certificate_4`, whatever the sources are."""
    written = re.compile(rf"\b(?:{'|'.join(sources)})_\d+\b")
    return Kind("payment method", frozenset({argument}), owner_of_payment, owner_of_payment, written)


USER = Kind(
    "user",
    frozenset({"user_id"}),
    lambda env, value: held(env, "users", value),
    lambda env, value: value,
    re.compile(r"\b[a-z]+_[a-z]+_\d{4}\b"),
)
