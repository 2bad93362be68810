"""Flight reservations: people, flights by date, bookings and how they were paid."""

from __future__ import annotations

from domains.airline.models import AirlineDB
from domains.airline.tools import NOW, AirlineTools
from domains.environment import Definition
from domains.files import read_text

definition = Definition(
    name="airline",
    now=NOW,
    toolkits={"agent": AirlineTools},
    databases={"agent": ("db", AirlineDB)},
    policy=lambda folder, solo: read_text(folder, "policy.md"),
    knowledge="domains.airline.knowledge:knowledge",
    oddities={
        "book_reservation": "only three new reservation ids exist, and a certificate is consumed whole",
        "cancel_reservation": "cancelling twice negates the payments again, and no seats are freed",
        "update_reservation_flights": "seats are not taken, and kept segments keep their old price",
        "update_reservation_baggages": "bag counts are stored as given: 4.0 is not 4 to the digest",
        "search_onestop_flight": "the date after a night flight is always in May and not zero-padded",
        "send_certificate": "only three new certificate ids exist for a user",
    },
)
