"""What of the plan comes next: what the customer asked for, what is looked up before it, and what waits unasked."""

from __future__ import annotations

from sessions.players.oracle.memory import Memory, Request
from sessions.players.oracle.plan import Step
from sessions.players.wanting import TOOL_INTENTS

TOOLS_DO = frozenset().union(*TOOL_INTENTS.values())
"""Every intent that some tool serves."""
SERVICE = frozenset({"service"})


def wanted(memory: Memory) -> Step | None:
    """Return the next step that the customer has asked for, after those on the same record that come before it."""
    for index in memory.claimed:
        if not memory.settled(index):
            return _first_on_record(memory.plan.step(index), memory)
    return None


def _first_on_record(step: Step, memory: Memory) -> Step:
    earlier = [s for s in memory.plan.acts if s.index < step.index]
    if step.kind != "user" and TOOL_INTENTS.get(step.name) != SERVICE:
        earlier = [s for s in earlier if s.kind == "user" or (_record(s) and _record(s) == _record(step))]
    return next((s for s in earlier if not memory.settled(s.index)), step)


def _record(step: Step) -> str:
    return str(step.arguments.get("reservation_id") or step.arguments.get("order_id") or "")


def read_before(index: int, memory: Memory) -> Step | None:
    """Return the first of the gold plan's own look-ups before a step that is still to be made."""
    for step in memory.plan.steps:
        if step.index < index and step.kind in ("read", "other") and memory.called(step.name, step.arguments) is None:
            return step
    return None


def horizon(memory: Memory) -> int:
    """How far the plan's look-ups may go now: up to the first step that still waits to be asked for."""
    return min((s.index for s in memory.waiting), default=len(memory.plan.steps) + 1)


def unproposed(memory: Memory) -> Step | None:
    """Return the first step that waits and has not been spoken of."""
    return next((s for s in memory.waiting if not memory.asks[s.index] and not s.extra), None)


def unasked(memory: Memory) -> Step | None:
    """Return what the plan still holds, where no wishes tell when the customer will ask for it."""
    if memory.plan.wishes or not any(request.demand for request in memory.requests):
        return None
    return unproposed(memory)


def forbidden(request: Request, memory: Memory) -> Step | None:
    """Return the forbidden write a slip has planned for this wish."""
    for step in memory.plan.acts:
        if (
            step.extra
            and not memory.settled(step.index)
            and (request.wish is None or step.wish in (None, request.wish))
        ):
            return step
    return None


def suits(request: Request, waiting: list[Step], memory: Memory) -> bool:
    """Whether a wish may be the one the plan fulfils: of its kind, or any where the task does not tell wishes."""
    if not request.demand or _of_another_kind(request, waiting):
        return False
    kinds = [TOOL_INTENTS.get(s.name, SERVICE if s.kind == "user" else frozenset()) for s in waiting]
    return not memory.plan.wishes or not all(kinds) or any(request.intents & kind for kind in kinds)


def _of_another_kind(request: Request, waiting: list[Step]) -> bool:
    kinds = frozenset().union(*(TOOL_INTENTS.get(s.name, frozenset()) for s in waiting))
    known = request.intents & (TOOLS_DO | {"fewer_bags", "fewer_passengers", "insurance"})
    return bool(known) and not known & kinds
