"""Which panes a session has for a seat and a view, and in which order a seat needs them. No widget."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import ViewMode
from tau_tui.widgets.phone.tiles import TOOLS as PHONE_TOOLS
from tau_tui.widgets.plan import Step

if TYPE_CHECKING:
    from sessions.session import Session


def pane_names(view: ViewMode, people: Sequence[Seat], extras: Set[str] = frozenset()) -> tuple[str, ...]:
    """Return the panes of a view: open shows all that moves, blind what the benchmark gives the person's seats.

    `extras` is what this session has beside: `phone`, `tools` (the customer's, without a phone), `plan`, `no policy`.
    """
    plan = ("plan",) if "plan" in extras and "agent" in people else ()
    phone = ("phone",) if "phone" in extras else ()
    if view != "blind":
        return ("conversation", *plan, "trace", *phone, "database")
    policy = () if "no policy" in extras else ("policy",)
    if len(people) > 1:
        return ("conversation", "trace", "scenario", *phone, *policy, *plan)
    if "user" in people:
        return ("conversation", *(("trace",) if "tools" in extras else ()), "scenario", *phone)
    return ("conversation", "trace", *policy, *plan)


def of_seat(name: str, seat: Seat, view: ViewMode) -> bool:
    """Tell whether a pane is of use to a seat: each has its own document; blind, the customer has the phone."""
    if name == "phone":
        return seat == "user" or view != "blind"
    return name not in (("policy", "plan") if seat == "user" else ("scenario",))


def first_panes(seat: Seat) -> tuple[str, ...]:
    """Return the panes in the order in which a seat needs them."""
    if seat == "user":
        return ("conversation", "phone", "scenario", "database", "trace")
    return ("conversation", "plan", "database", "trace", "policy", "phone")


def offered_on_phone(session: Session) -> tuple[str, ...]:
    """Return the names of the customer's tools that make up a phone, nothing when there is none."""
    holder: Seat = "agent" if session.header.solo else "user"
    return tuple(t.name for t in session.env.tools(holder) if t.owner == "user" and t.name in PHONE_TOOLS)


def extras_of(session: Session) -> frozenset[str]:
    """Return what this session has beside the usual panes."""
    phone = offered_on_phone(session)
    has = {
        "phone": bool(phone),
        "tools": not phone and bool(session.env.tools("user")),
        "plan": session.header.plan,
        "no policy": session.header.no_policy,
    }
    return frozenset(name for name, there in has.items() if there)


def _typed(value: JSON) -> str:
    """Return a value as it is typed into a form."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def plan_steps(session: Session, *, sees_all: bool) -> tuple[Step, ...]:
    """Return the gold steps for the agent's seat; in blind view it does not learn which of the customer's are made."""
    from sessions.progress import steps_made
    from sessions.reward import seat_of

    solo = session.header.solo
    plan = session.view("agent").plan or ()
    calls = [done for turn in session.state.turns for done in turn.calls]
    made = steps_made(plan, calls, holder="agent" if solo else None)
    knows = [sees_all or solo or seat_of(step) == "agent" for step in plan]
    return tuple(
        Step(
            "the agent's" if seat_of(step) == "agent" else "the customer's",
            step.name,
            ", ".join(f"{name}={_typed(value)}" for name, value in step.arguments.items()),
            done if known else None,
        )
        for step, done, known in zip(plan, made, knows, strict=True)
    )
