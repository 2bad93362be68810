"""The gold plan as an agent works through it: look up, propose, do, ask the customer to do, hand over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from domains.environment import ToolError
from domains.task import Task, Wish
from domains.values import JSON
from sessions.players import mentions
from sessions.players.lookup import Lookup
from sessions.players.oracle.phrasing import describe
from sessions.players.oracle.steps import ask_for

Kind: TypeAlias = Literal["read", "write", "user", "transfer", "other"]


@dataclass(frozen=True, slots=True)
class Step:
    """One gold action; `executes` differs from `arguments`, or is None for a step left out, only by a slip."""

    index: int
    kind: Kind
    name: str
    arguments: Mapping[str, JSON]
    what: str
    executes: Mapping[str, JSON] | None
    wish: int | None = None
    asks: bool = True
    refused: bool = False
    extra: bool = False
    """No gold action: something that policy forbids."""


@dataclass(frozen=True)
class Plan:
    """The steps in gold order, the wishes they fulfil, and the strings that have to be said."""

    steps: tuple[Step, ...]
    wishes: tuple[Wish, ...]
    required: tuple[str, ...]
    said_instead: Mapping[str, str]
    """Required string → what a slip says in its place; empty for what it leaves out."""
    user_id: str = ""

    def step(self, index: int) -> Step:
        """Return the step with this index."""
        return next(step for step in self.steps if step.index == index)

    @property
    def acts(self) -> tuple[Step, ...]:
        """The steps that change something, on either side."""
        return tuple(step for step in self.steps if step.kind in ("write", "user"))

    @property
    def transfer(self) -> Step | None:
        """The hand-over to a human, where gold ends with one."""
        return next((step for step in self.steps if step.kind == "transfer" and not step.refused), None)

    def with_step(self, step: Step) -> Plan:
        """Return the plan with one step changed, or added at the end."""
        known = any(s.index == step.index for s in self.steps)
        steps = tuple(step if s.index == step.index else s for s in self.steps)
        return replace(self, steps=steps if known else (*steps, step))


def plan_of(task: Task, lookup: Lookup) -> Plan:
    """Return the plan of a task; a gold action of a tool that does not exist is left out."""
    wishes = tuple(task.user_scenario.wishes)
    steps = []
    env = lookup.env.fork()
    for i, action in enumerate(task.gold):
        seat: Literal["user", "agent"] = "user" if action.requestor == "user" else "agent"
        try:
            tool = lookup.env.find(seat, action.name)[1]
        except ToolError:
            continue
        kind: Kind
        if action.name == "transfer_to_human_agents":
            kind = "transfer"
        elif seat == "user":
            kind = "user"
        elif tool.kind == "write" or tool.mutates:
            kind = "write"
        else:
            kind = "read" if tool.kind == "read" else "other"
        becomes = env.call(seat, action.name, action.arguments).content if kind in ("user", "write") else ""
        what = (
            ask_for(action.name, action.arguments, becomes)
            if kind == "user"
            else describe(action.name, action.arguments, lookup)
        )
        steps.append(
            Step(
                i,
                kind,
                action.name,
                action.arguments,
                what,
                action.arguments,
                _wish(action.name, action.arguments, wishes),
            )
        )
    criteria = task.evaluation_criteria
    required = tuple((criteria.communicate_info if criteria else None) or ())
    return Plan(tuple(steps), wishes, required, {}, _customer(steps, task, lookup))


def _wish(name: str, arguments: Mapping[str, JSON], wishes: tuple[Wish, ...]) -> int | None:
    for i, wish in enumerate(wishes):
        if any(write.name == name and write.arguments == arguments for write in wish.writes):
            return i
    return None


def _customer(steps: list[Step], task: Task, lookup: Lookup) -> str:
    """Return the one customer the plan is about, or nothing when neither it nor the scenario tells."""
    found = set()
    instructions = task.user_scenario.instructions
    text = instructions if isinstance(instructions, str) else instructions.known_info or ""
    for step in steps:
        record = str(step.arguments.get("reservation_id") or step.arguments.get("order_id") or "")
        user_id = str(step.arguments.get("user_id") or lookup.owner(record))
        if step.name.startswith("find_user_id"):
            user_id = lookup.env.fork().call("agent", step.name, step.arguments).content
        if user_id and lookup.record("users", user_id) is not None:
            found.add(user_id)
    if not found:
        found = {f.value for f in mentions.user_ids(text) if lookup.record("users", f.value) is not None}
    return found.pop() if len(found) == 1 else ""
