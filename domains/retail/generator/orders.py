"""Orders: what was bought by whom, how it was paid, and how far it has come."""

from __future__ import annotations

from typing import Any

from domains.generating import Dice, invent_address

ORDERS = 1000
STATUSES = (("pending", 42), ("delivered", 38), ("processed", 10), ("cancelled", 10))
REASONS = ("no longer needed", "ordered by mistake")

Records = dict[str, dict[str, Any]]


def build_orders(seed: int, products: Records, users: Records) -> Records:
    """Make the orders and note them in their customers' profiles."""
    numbers, choices = Dice(seed, "order numbers"), Dice(seed, "orders")
    for_sale = [(item, variant) for item in products.values() for variant in item["variants"].values()]
    customers = list(users.values())
    orders: Records = {}
    while len(orders) < ORDERS:
        order_id = f"#W{numbers.digits(7)}"
        if order_id in orders:
            continue
        user = choices.pick(customers)
        if len(user["orders"]) == 5:
            continue
        status = choices.weighted(STATUSES)
        items = _pick_items(choices, for_sale)
        order: dict[str, Any] = {
            "order_id": order_id,
            "user_id": user["user_id"],
            "address": dict(user["address"]) if choices.chance(85) else invent_address(choices),
            "items": items,
            "status": status,
            "fulfillments": [],
            "payment_history": [
                {
                    "transaction_type": "payment",
                    "amount": round(sum(item["price"] for item in items), 2),
                    "payment_method_id": choices.pick(list(user["payment_methods"])),
                }
            ],
        }
        if status in ("processed", "delivered"):
            shipment = {"tracking_id": [numbers.digits(12)], "item_ids": [item["item_id"] for item in items]}
            order["fulfillments"].append(shipment)
        if status == "cancelled":
            order["payment_history"].append({**order["payment_history"][0], "transaction_type": "refund"})
            order["cancel_reason"] = choices.pick(REASONS)
        orders[order_id] = order
        user["orders"].append(order_id)
    return orders


def _pick_items(dice: Dice, for_sale: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[dict[str, Any]]:
    """A few different items; now and then a second one of the same product, or a price from before it changed."""
    picked = dice.sample(for_sale, dice.weighted([(1, 20), (2, 24), (3, 22), (4, 18), (5, 16)]))
    if dice.chance(12):
        kind = picked[0][0]
        others = [v for v in kind["variants"].values() if all(v is not variant for _, variant in picked)]
        if others:
            picked.append((kind, dice.pick(others)))
    return [
        {
            "name": kind["name"],
            "product_id": kind["product_id"],
            "item_id": variant["item_id"],
            "price": round(variant["price"] * dice.between(85, 110) / 100, 2) if dice.chance(15) else variant["price"],
            "options": dict(variant["options"]),
        }
        for kind, variant in picked
    ]
