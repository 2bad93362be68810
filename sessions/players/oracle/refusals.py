"""Why something cannot be done: the rule in a sentence, from the kind of request and what the records show."""

from __future__ import annotations

from collections.abc import Mapping

from domains.values import JSON
from sessions.players import mentions
from sessions.players.oracle.answers import Record, shown
from sessions.players.oracle.memory import Memory, Request
from sessions.players.oracle.talk import SORRY

ALL_DONE = "Everything that I know to do about it has been done. More than that I cannot do here."
_REASONS: Mapping[str, str] = {
    "fewer_bags": "bags that are booked cannot be taken off a reservation",
    "fewer_passengers": "the number of passengers on a reservation cannot be changed",
    "insurance": "travel insurance can only be bought together with the trip, not added or returned later",
    "compensation": "the conditions for a compensation are not met here",
    "cancel": "this one does not meet our conditions for a cancellation",
    "flights": "the rules of this fare do not allow such a change of flights",
    "cabin": "the cabin can only be changed for the whole reservation, and not once a part of it has been flown",
    "passengers": "our rules do not allow this change of passengers",
    "bags": "our rules do not allow this change of bags",
    "book": "our rules do not allow a booking of this kind",
    "transfer": "this is something I can settle here, so there is no need for a colleague",
    "return": "this order does not meet our conditions for a return",
    "exchange": "these items do not meet our conditions for an exchange",
    "items": "this order does not meet our conditions for such a change",
    "address": "the address of this order can no longer be changed",
    "payment": "the way of payment cannot be changed any more",
    "service": "our rules do not allow it for this line",
}
_ORDER = ("fewer_bags", "fewer_passengers", "insurance", "compensation", "cancel", "flights", "cabin")


def refusal(request: Request, memory: Memory) -> str:
    """Return a polite no with its reason."""
    text = memory.plan.wishes[request.wish].say if request.wish is not None else request.text
    for name in (*_ORDER, *(n for n in _REASONS if n not in _ORDER)):
        if name in request.intents:
            return f"{SORRY}: {_by_records(name, text, memory) or _REASONS[name]}."
    return f"{SORRY}: it is not possible within our rules and with the means I have here."


def _by_records(name: str, text: str, memory: Memory) -> str:
    """Return a more exact reason where the reservation meant is known."""
    reservation = _meant(text, memory)
    if reservation is None:
        return ""
    this = f"reservation {reservation['reservation_id']}"
    if any(f["date"] < memory.lookup.today for f in reservation.get("flights", ())):
        return f"a part of {this} has already been flown" if name in ("cancel", "cabin", "flights") else ""
    if name == "flights" and reservation.get("cabin") == "basic_economy":
        return f"{this} is in basic economy, whose flights cannot be changed"
    if name == "cancel":
        insured = "insured, but not for this reason" if reservation.get("insurance") == "yes" else "not insured"
        return (
            f"{this} is {insured}, it is in {str(reservation.get('cabin')).replace('_', ' ')}, was booked more than "
            "24 hours ago, and no flight of it has been called off by us"
        )
    return ""


def _meant(text: str, memory: Memory) -> Record | None:
    reservations = [r for r in shown(memory, "get_reservation_details") if r.get("reservation_id")]
    for source in (text, memory.user_text):
        named = {f.value for f in memory.lookup.reservations(source)}
        places = {c for f in memory.lookup.places(source) for c in f.value.split("|")}
        dates = set(mentions.values(mentions.dates(source, memory.lookup.year)))
        here = [r for r in reservations if r["reservation_id"] in named] or [
            r for r in reservations if places and {r["origin"], r["destination"]} <= places and _on(r, dates)
        ]
        if here:
            return here[0]
    return reservations[0] if len(reservations) == 1 else None


def _on(record: Mapping[str, JSON], dates: set[str]) -> bool:
    return not dates or any(f["date"] in dates for f in record.get("flights", ()))
