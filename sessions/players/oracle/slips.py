"""Mistakes of the kinds models make, seeded and built into the oracle's plan.

One that touches the goal comes first wherever the task allows one: each is tried on a fork before it is chosen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from domains.environment import Environment
from domains.task import Task
from sessions.players.lookup import Lookup
from sessions.players.oracle.forbidden import forbidden
from sessions.players.oracle.mistakes import mistaken
from sessions.players.oracle.phrasing import describe
from sessions.players.oracle.plan import Plan, Step

SlipKind: TypeAlias = Literal[
    "wrong_argument",
    "missing_information",
    "wrong_information",
    "wrong_decision",
    "partially_completed",
    "unconfirmed_write",
]
UNSEEN = "an amount I cannot see here"


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake, what it is, and whether it makes the goal unreachable."""

    kind: SlipKind
    detail: str
    touches_goal: bool


def with_slips(plan: Plan, task: Task, lookup: Lookup, count: int, seed: int) -> tuple[Plan, tuple[Slip, ...]]:
    """Return the plan with `count` mistakes, fewer where the task does not allow so many."""
    chance = random.Random(f"{task.id}/{seed}")
    made: list[Slip] = []
    used: set[object] = set()
    for _ in range(count):
        options = [option for option in _options(plan, task, lookup, chance, bool(made)) if option[0] not in used]
        touching = [option for option in options if option[1].touches_goal]
        options = touching if touching and not made else options
        kinds = sorted({option[1].kind for option in options})
        if not kinds:
            break
        # First the kind, then one of it: otherwise the many wrong arguments would crowd out the rest.
        kind = chance.choice(kinds)
        place, slip, plan = chance.choice([option for option in options if option[1].kind == kind])
        used.add(place)
        made.append(slip)
    return plan, tuple(made)


Option: TypeAlias = "tuple[object, Slip, Plan]"


def _options(plan: Plan, task: Task, lookup: Lookup, chance: random.Random, later: bool) -> Iterator[Option]:
    for step in plan.acts:
        if step.kind == "write" and not step.extra:
            yield from _on_write(step, plan, task, lookup, chance, later)
        elif step.kind == "user":
            left = plan.with_step(replace(step, refused=True))
            yield (
                step.index,
                Slip("partially_completed", f"never asks to {step.what}", _misses(left, task, lookup)),
                left,
            )
    if (transfer := plan.transfer) is not None:
        kept = plan.with_step(replace(transfer, refused=True))
        yield transfer.index, Slip("wrong_decision", "does not hand over to a human", _misses(kept, task, lookup)), kept
    yield from _on_information(plan, task)
    if any(step.extra for step in plan.steps):
        return
    index = max((s.index for s in plan.steps), default=0) + 1000
    found = False
    for wish, name, arguments in forbidden(plan, task, lookup):
        if found and wish is None:
            return
        what = describe(name, arguments, lookup)
        # A wish is granted with a yes; a favour nobody asked for is done without one.
        wrong = plan.with_step(
            Step(index, "write", name, arguments, what, arguments, wish, asks=wish is not None, extra=True)
        )
        if _works(wrong, index, lookup):
            found = True
            yield (
                "extra",
                Slip("wrong_decision", f"does what is not allowed: {what}", _misses(wrong, task, lookup)),
                wrong,
            )


def _on_write(
    step: Step, plan: Plan, task: Task, lookup: Lookup, chance: random.Random, later: bool
) -> Iterator[Option]:
    left = plan.with_step(replace(step, executes=None))
    missing = _misses(left, task, lookup)
    yield step.index, Slip("partially_completed", f"says it is done, and leaves it out: {step.what}", missing), left
    refused = plan.with_step(replace(step, refused=True))
    yield step.index, Slip("wrong_decision", f"refuses what is allowed: {step.what}", missing), refused
    for argument, arguments in mistaken(step.name, step.arguments, lookup, chance):
        wrong = plan.with_step(replace(step, executes=arguments))
        if _works(wrong, step.index, lookup) and _misses(wrong, task, lookup):
            yield step.index, Slip("wrong_argument", f"{step.name}: {argument} is not what was agreed", True), wrong
    if later:
        unasked = plan.with_step(replace(step, asks=False))
        yield step.index, Slip("unconfirmed_write", f"does it without asking: {step.what}", False), unasked


def _on_information(plan: Plan, task: Task) -> Iterator[Option]:
    criteria = task.evaluation_criteria
    counts = criteria is not None and "COMMUNICATE" in criteria.reward_basis
    told = " ".join(step.what for step in plan.steps).lower().replace(",", "")
    for required in plan.required:
        # A short number turns up anywhere, and one that a proposal names is said all the same.
        if required in plan.said_instead or required.lower() in told or len(required) < 3:
            continue
        yield required, Slip("missing_information", f"never says {required}", counts), _saying(plan, required, "")
        if re.fullmatch(r"\d+(?:\.\d+)?", required):
            other = _other_number(required)
            yield (
                required,
                Slip("wrong_information", f"says {other} for {required}", counts),
                _saying(plan, required, other),
            )


def _saying(plan: Plan, required: str, instead: str) -> Plan:
    return replace(plan, said_instead={**plan.said_instead, required: instead})


def _other_number(required: str) -> str:
    whole, dot, rest = required.partition(".")
    other = f"{int(whole) + 10}{dot}{rest}"
    return other if required not in other else f"{int(whole) + 21}{dot}{rest}"


# Trying it out


def _played(plan: Plan, lookup: Lookup) -> tuple[Environment, dict[int, bool]]:
    """Play the acts of a plan; return the state reached and which of them failed."""
    env, failed = lookup.env.fork(), {}
    for step in plan.acts:
        if step.executes is not None and not step.refused:
            failed[step.index] = env.call("user" if step.kind == "user" else "agent", step.name, step.executes).error
    return env, failed


def _works(plan: Plan, index: int, lookup: Lookup) -> bool:
    """Whether the step of this index runs without an error where it stands."""
    return not _played(plan, lookup)[1].get(index, True)


def _misses(plan: Plan, task: Task, lookup: Lookup) -> bool:
    """Whether what the plan reaches is not the goal, by the parts of the state the reward looks at."""
    criteria = task.evaluation_criteria
    if criteria is None:
        return False
    env = _played(plan, lookup)[0]
    if "ENV_ASSERTION" in criteria.reward_basis and not all(env.check(a) for a in criteria.env_assertions or ()):
        return True
    if "ACTION" in criteria.reward_basis and any(s.refused or s.executes is None for s in plan.steps):
        return True
    if "DB" not in criteria.reward_basis:
        return False
    goal = lookup.env.fork()
    for action in task.gold:
        goal.call("user" if action.requestor == "user" else "agent", action.name, action.arguments)
    return not env.equals(goal)
