"""What the check knows of the shop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domains.customers import USER, owner_in, payment_method, person, user_who
from domains.environment import Environment
from domains.knowledge import GoldCall, Kind, Knowledge, held
from domains.values import JSON, Record


def _item(env: Environment, item_id: str) -> Record | None:
    for product in env.databases["agent"].rows("products").values():
        if (variant := product["variants"].get(item_id)) is not None:
            found: Record = variant
            return found
    return None


def _owner_of_email(env: Environment, email: str) -> str | None:
    return user_who(env, lambda user: bool(user["email"].lower() == email.lower()))


KINDS = (
    USER,
    Kind(
        "email address",
        frozenset({"email"}),
        _owner_of_email,
        _owner_of_email,
        re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ),
    Kind(
        "order",
        frozenset({"order_id"}),
        lambda env, value: held(env, "orders", value),
        owner_in("orders"),
        re.compile(r"(?<![\w#])(?:#\w+|W\d{7})\b"),
        lambda text: f"#{text.lstrip('#')}",
    ),
    Kind("product", frozenset({"product_id"}), lambda env, value: held(env, "products", value)),
    Kind("item", frozenset({"item_id", "item_ids", "new_item_ids"}), _item),
    Kind(
        "product or item",
        frozenset(),
        lambda env, value: held(env, "products", value) or _item(env, value),
        written=re.compile(r"(?<![\w#.$-])\d{10}\b"),
    ),
    payment_method("payment_method_id", "credit_card", "gift_card", "paypal"),
)


def _unavailable(call: GoldCall) -> Iterator[str]:
    for item_id in _texts(call.arguments.get("new_item_ids")):
        variant = _item(call.env, item_id)
        if variant is not None and not variant["available"]:
            yield f"item {item_id} is not available"


def _oddity(call: GoldCall) -> str | None:
    if call.result.error:
        return None
    order = held(call.env, "orders", str(call.arguments.get("order_id")))
    old, new = call.arguments.get("item_ids"), _texts(call.arguments.get("new_item_ids"))
    match call.name:
        case "modify_pending_order_items":
            return _last_for_all(call, new) or _difference(call)
        case "cancel_pending_order" if order is not None and len(order["payment_history"]) > 1:
            return (
                f"all {len(order['payment_history'])} entries of the payment history are refunded, refunds among them"
            )
        case "modify_pending_order_address" | "modify_pending_order_payment" if (
            order is not None and order["status"] != "pending"
        ):
            return f"the order is {order['status']!r}, which counts as pending here"
        case "exchange_delivered_order_items" if not old:
            return "an exchange of nothing succeeds"
        case "exchange_delivered_order_items" if isinstance(old, list):
            pairs = list(zip(old, new, strict=False))
            if sorted(pairs) != list(zip(sorted(old), sorted(new), strict=False)):
                return "both lists are sorted apart, so the order no longer says which item is exchanged for which"
        case "return_delivered_order_items" if not old:
            return "a return of nothing succeeds"
    return None


def _last_for_all(call: GoldCall, new: list[str]) -> str | None:
    variants = [variant for item_id in new if (variant := _item(call.env, item_id)) is not None]
    wrong = [v["item_id"] for v in variants[:-1] if (v["price"], v["options"]) != _priced(variants[-1])]
    if not wrong:
        return None
    return f"{', '.join(wrong)} gets price and options of {variants[-1]['item_id']}, the last new item"


def _priced(variant: Record) -> tuple[JSON, JSON]:
    return variant["price"], variant["options"]


def _difference(call: GoldCall) -> str | None:
    history = [change.after for change in call.result.changes if change.path[:1] == ("payment_history",)]
    for entry in history:
        amount = entry.get("amount") if isinstance(entry, dict) else None
        if amount == 0:
            return "a difference of nothing is noted as a refund of 0"
        if isinstance(amount, float) and amount != round(amount, 2):
            return f"the difference is stored unrounded, as {amount!r}"
    return None


def _texts(values: JSON) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


knowledge = Knowledge(KINDS, person, _oddity, _unavailable)
