"""Mistakes of the kinds models make, seeded and built into the oracle's plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from domains.catalog import Domain
from domains.task import Task
from sessions.players.lookup import Lookup
from sessions.players.oracle.plan import Plan

SlipKind: TypeAlias = Literal[
    "wrong_argument", "missing_information", "wrong_information", "wrong_decision", "partially_completed", "unconfirmed_write"
]


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake, and where it is made."""

    kind: SlipKind
    detail: str


def with_slips(plan: Plan, domain: Domain, task: Task, lookup: Lookup, count: int, seed: int) -> tuple[Plan, tuple[Slip, ...]]:
    """Return the plan with mistakes."""
    return plan, ()
