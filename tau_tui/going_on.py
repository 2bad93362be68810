"""Small things that screens on which one goes on from a turn share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from textual.screen import Screen
from textual.worker import get_current_worker

from sessions.event import Call, Event, Resumed
from tau_tui.replay_text import arguments_text
from tau_tui.report import Line, Tone, amount
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.comparing import Comparison, Edit
    from sessions.trajectory import Turn


def hand_over(screen: Screen[Any], show: Callable[..., None], *values: object) -> None:
    """Show on a screen, from a thread, what the thread has read, unless the screen has been left in the meantime."""

    def shown() -> None:
        # While a screen is being taken away it is still attached, and its parts are gone.
        if screen.is_attached and screen.display:
            show(*values)

    if not get_current_worker().is_cancelled:
        screen.app.call_from_thread(shown)


def told_turn(turn: Turn) -> str:
    """Return one turn in a line."""
    what = one_line(turn.text)[:70] or ", ".join(one_line(done.call.name) for done in turn.calls) or turn.stop or ""
    return f"t{turn.index} {turn.seat}: {what}"


def against(comparison: Comparison) -> Line:
    """Return what became of the parent's reward, and which of the writes made the difference."""
    before, after = (amount(reward) for reward in (comparison.parent, comparison.child))
    if not comparison.flipped:
        text = f"Against the session it forks: reward {before} as before"
        same = "with the same writes" if not comparison.edits else f"with {_count(comparison.edits)} of the writes"
        return Line(f"{text.replace('as before', after) if before != after else text}, {same}", "quiet")
    edits = comparison.smallest
    text = f"Against the session it forks: reward {before} → {after}"
    tone: Tone = "good" if (comparison.child or 0) > (comparison.parent or 0) else "bad"
    if not edits:
        why = "what was said made the difference" if not comparison.edits else "no write made the difference"
        return Line(f"{text}: {why}, or how it ended", tone)
    few = "the smallest change of writes that does it" if comparison.tried else "every change of the writes"
    children = tuple(Line(told, "plain", f"{few}:\n\n{told}") for told in map(edit_text, edits))
    return Line(f"{text}, by {_count(edits)} of the writes", tone, f"{text}\n{few}", children, open=True)


def edit_text(edit: Edit) -> str:
    """Return `instead of a(…) at t12: b(…)`."""
    if not edit.instead:
        return f"added: {_calls(edit.made)}"
    if not edit.made:
        return f"left out: {_calls(edit.instead)}"
    return f"instead of {_calls(edit.instead)}: {_calls(edit.made)}"


def _calls(calls: Sequence[Call]) -> str:
    return ", ".join(f"{one_line(call.name)}({arguments_text(call.arguments)}) at t{call.turn}" for call in calls)


def _count(edits: Sequence[Edit]) -> str:
    return f"{len(edits)} change{'' if len(edits) == 1 else 's'}"


def away(events: Sequence[Event]) -> float:
    """Return the seconds in which a session lay there, cut off, until it was taken up again."""
    return sum(after.at - before.at for before, after in pairwise(events) if isinstance(after, Resumed))
