"""The whole database of the bundled pack."""

from __future__ import annotations

from typing import Any

from domains.retail.generator.catalogue import build_products
from domains.retail.generator.orders import build_orders
from domains.retail.generator.people import build_users

Database = dict[str, dict[str, dict[str, Any]]]


def build_database(seed: int) -> Database:
    products = build_products(seed)
    users = build_users(seed)
    orders = build_orders(seed, products, users)
    return {"products": products, "users": users, "orders": orders}
