"""How far a plan has been followed: which of its steps have been made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from domains.matching import accepts
from sessions.reward import seat_of

if TYPE_CHECKING:
    from domains.task import GoldAction
    from domains.toolkit import Seat
    from sessions.trajectory import Done


def steps_made(plan: Sequence[GoldAction], calls: Iterable[Done], holder: Seat | None = None) -> tuple[bool, ...]:
    """Tell of each step whether it has been made; one call makes one step, a failed call none.

    A step is made by its own seat, or by `holder`, who in solo mode holds the tools of both.
    """
    made = [False] * len(plan)
    for done in calls:
        if done.result is None or done.result.error:
            continue
        for i, step in enumerate(plan):
            whose = holder or seat_of(step)
            if not made[i] and done.call.seat == whose and accepts(step, done.call.name, done.call.arguments):
                made[i] = True
                break
    return tuple(made)
