"""What a write would cost or pay back, by a dry run on the state that the agent's own calls have reached."""

from __future__ import annotations

import json

from domains.environment import Environment
from sessions.players import mentions
from sessions.players.lookup import Lookup
from sessions.players.oracle.memory import Memory
from sessions.players.oracle.phrasing import dollars
from sessions.players.oracle.plan import Step


def reached(memory: Memory, lookup: Lookup) -> Environment:
    """Return a fork in the state after the agent's calls; what the other side did is not known here."""
    env = lookup.env.fork()
    for made in memory.calls:
        if env.mutates("agent", made.name):
            env.call("agent", made.name, made.arguments)
    return env


def amount_of(step: Step, memory: Memory, lookup: Lookup) -> str:
    """Return a sentence with the price or refund of a step, nothing where there is none to tell."""
    if step.name not in (
        "cancel_reservation",
        "update_reservation_flights",
        "update_reservation_baggages",
        "exchange_delivered_order_items",
    ):
        return ""
    result = reached(memory, lookup).call("agent", step.name, step.arguments)
    if result.error:
        return ""
    after = json.loads(result.content)
    if step.name == "exchange_delivered_order_items":
        return _difference(after["exchange_price_difference"])
    paid = [
        change.after for change in result.changes if change.path[:1] == ("payment_history",) and len(change.path) == 2
    ]
    total = sum(payment["amount"] for payment in paid)
    if step.name == "cancel_reservation":
        return f"The refund is {dollars(-total)} in all."
    return _difference(total)


def _difference(amount: float) -> str:
    if amount > 0:
        return f"You pay {dollars(amount)} for it."
    return f"You get {dollars(-amount)} back." if amount < 0 else "There is nothing to pay for it."


def amount_told(step: Step, proposal: str) -> str:
    """Return the amount that a proposal has named, as a sentence; nothing where it named none."""
    after = proposal.partition(step.what)[2]
    told = [part for part in mentions.sentences(after) if mentions.money(part) or "nothing to pay" in part]
    if told:
        return " ".join(told)
    named = [float(found.value) for found in mentions.money(step.what)]
    if not named:
        return ""
    return f"It comes to {dollars(round(sum(named), 2))} in all." if len(named) > 1 else f"It is {dollars(named[0])}."
