"""What a careless agent does though policy forbids it: the refused wish fulfilled, or a favour nobody may give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from domains.task import Task, Wish
from domains.values import JSON
from sessions.players import mentions, wanting
from sessions.players.lookup import Lookup
from sessions.players.oracle.plan import Plan

Forbidden: TypeAlias = tuple[int | None, str, dict[str, JSON]]
"""The wish it grants, None for a favour nobody asked for, and the call."""


def forbidden(plan: Plan, task: Task, lookup: Lookup) -> Iterator[Forbidden]:
    """Yield forbidden writes: first those that a wish without a gold write asks for, then favours."""
    for i, wish in enumerate(plan.wishes):
        if wish.writes or wish.answers:
            continue
        for name, arguments in _fulfilling(wish, plan, task, lookup):
            if any(step.name == name for step in plan.acts):
                continue  # the customer compares it with the write that is due
            yield i, name, arguments
    if not plan.acts:
        for name, arguments in _favours(plan, lookup):
            yield None, name, arguments


def _fulfilling(wish: Wish, plan: Plan, task: Task, lookup: Lookup) -> Iterator[tuple[str, dict[str, JSON]]]:
    intents = wanting.intents(wish.say)
    reservation = _meant(wish, plan, task, lookup)
    if reservation is not None:
        reservation_id = reservation["reservation_id"]
        methods = [
            p["payment_id"] for p in reservation["payment_history"] if not p["payment_id"].startswith("certificate")
        ]
        if "cancel" in intents:
            yield "cancel_reservation", {"reservation_id": reservation_id}
        elif "compensation" in intents:
            yield "send_certificate", {"user_id": reservation["user_id"], "amount": 50 * len(reservation["passengers"])}
        elif "fewer_bags" in intents and methods and reservation["total_baggages"] > 0:
            fewer = {
                "total_baggages": reservation["total_baggages"] - 1,
                "nonfree_baggages": max(0, reservation["nonfree_baggages"] - 1),
            }
            yield "update_reservation_baggages", {"reservation_id": reservation_id, **fewer, "payment_id": methods[0]}
        elif intents & {"cabin", "flights"} and methods:
            flights = [{"flight_number": f["flight_number"], "date": f["date"]} for f in reservation["flights"]]
            cabin = "economy" if reservation["cabin"] == "business" else "business"
            yield (
                "update_reservation_flights",
                {"reservation_id": reservation_id, "cabin": cabin, "flights": flights, "payment_id": methods[0]},
            )
    if "task" in intents and lookup.record("users", plan.user_id) is None:
        for fact in task.user_scenario.facts:
            if fact.name == "user_id" and lookup.record("users", str(fact.value)) is not None:
                yield "create_task", {"user_id": fact.value, "title": wish.say.rstrip(".")}
    order = _order(wish, task, lookup)
    if order is not None:
        if "cancel" in intents:
            yield "cancel_pending_order", {"order_id": order["order_id"], "reason": "no longer needed"}
        elif "return" in intents:
            items = [item["item_id"] for item in order["items"]][:1]
            method = order["payment_history"][0]["payment_method_id"]
            yield (
                "return_delivered_order_items",
                {"order_id": order["order_id"], "item_ids": items, "payment_method_id": method},
            )


def _favours(plan: Plan, lookup: Lookup) -> Iterator[tuple[str, dict[str, JSON]]]:
    """What could be done to please a customer of this plan, though nothing may be."""
    user = lookup.record("users", plan.user_id)
    if user is None:
        return
    if "reservations" in user:
        yield "send_certificate", {"user_id": plan.user_id, "amount": 50}
    for order_id in user.get("orders", ()):
        order = lookup.record("orders", order_id)
        if order is not None and order["status"] == "pending":
            yield "cancel_pending_order", {"order_id": order_id, "reason": "no longer needed"}


def _meant(wish: Wish, plan: Plan, task: Task, lookup: Lookup) -> Mapping[str, JSON] | None:
    """Return the reservation a wish is about: named as a fact or detail, or the one looked up on its route and day."""
    facts = [*wish.details, *task.user_scenario.facts]
    for fact in facts:
        if fact.name == "reservation_id" and isinstance(fact.value, str):
            return lookup.record("reservations", fact.value)
    read = [str(s.arguments.get("reservation_id")) for s in plan.steps if s.name == "get_reservation_details"]
    written = [str(s.arguments["reservation_id"]) for s in plan.acts if "reservation_id" in s.arguments]
    said = " ".join((wish.say, *(f.say for f in facts if f.name in ("route", "date"))))
    places = {code for f in lookup.places(said) for code in f.value.split("|")}
    dates = set(mentions.values(mentions.dates(said, lookup.year)))
    records = [r for i in (*written, *read) if (r := lookup.record("reservations", i)) is not None]
    for record in records:
        if (
            places
            and {record["origin"], record["destination"]} <= places
            and (not dates or any(f["date"] in dates for f in record["flights"]))
        ):
            return record
    return records[-1] if records else None


def _order(wish: Wish, task: Task, lookup: Lookup) -> Mapping[str, JSON] | None:
    for fact in (*wish.details, *task.user_scenario.facts):
        if fact.name == "order_id" and isinstance(fact.value, str):
            return lookup.record("orders", fact.value)
    for found in mentions.orders(wish.say):
        return lookup.record("orders", found.value)
    return None
