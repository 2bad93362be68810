"""The whole database of the bundled pack."""

from __future__ import annotations

from typing import Any

from domains.airline.generator.network import build_network
from domains.airline.generator.people import build_users
from domains.airline.generator.trips import build_reservations

Database = dict[str, dict[str, dict[str, Any]]]


def build_database(seed: int) -> Database:
    network = build_network(seed)
    users = build_users(seed)
    reservations = build_reservations(seed, network, users)
    return {"flights": network.flights, "users": users, "reservations": reservations}
