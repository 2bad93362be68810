"""Small things that screens on which one goes on from a turn share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sessions.event import Event, Resumed
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.trajectory import Turn


def told_turn(turn: Turn) -> str:
    """Return one turn in a line."""
    what = one_line(turn.text)[:70] or ", ".join(one_line(done.call.name) for done in turn.calls) or turn.stop or ""
    return f"t{turn.index} {turn.seat}: {what}"


def away(events: Sequence[Event]) -> float:
    """Return the seconds in which a session lay there, cut off, until it was taken up again."""
    return sum(after.at - before.at for before, after in pairwise(events) if isinstance(after, Resumed))
