"""Events as blocks of a conversation, the same while it is played and when it is gone through later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domains.toolkit import Seat
from sessions.event import Ended, Event, Failure, Message, Note, Reviewed, Seated, Supervision, Termination
from sessions.event_text import filled_before, reviewed_text, seated_text, supervision_text
from sessions.usage_text import of_turn
from tau_tui.widgets.conversation import Entry
from tau_tui.widgets.end_menu import ENDED_WORDS

UNKEPT: Final = "unkept"
"""The key of words that are not kept yet."""

WHY_ENDED: Final[dict[Termination, str]] = {
    "max_steps": "the limit of steps is reached",
    "timeout": "the time is up",
    "too_many_errors": "too many tool calls failed",
    "abandoned": "abandoned",
    "agent_error": "the agent could not go on",
    "user_error": "the customer could not go on",
    "infrastructure_error": "something outside failed",
    "context_window_exceeded": "the conversation no longer fits the model",
    "unexpected_error": "an unexpected error",
}


def of_message(
    event: Message, *, own: bool = False, label: str = "", thoughts: bool = True, usage: bool = True
) -> Entry:
    """Return what was said, with the reasoning and what the turn took as far as they may be seen.

    `own` is what the person at this screen said; a greeting, which nobody typed, is none.
    """
    mark = ""
    if event.stop is not None:
        word = ENDED_WORDS[event.stop] if event.seat == "user" else "finished"
        mark = f"— ended: {word} —"
    if source := str(event.usage.get("source", "")):
        mark = f"{mark} ({source})".strip()
    return Entry(
        f"t{event.turn}",
        event.seat,
        label or event.seat,
        event.text,
        mark,
        own=own and event.turn > 0,
        thought=str(event.usage.get("reasoning") or "") if thoughts else "",
        usage=of_turn(event.usage) if usage else "",
    )


def unkept(seat: Seat, text: str, *, label: str) -> Entry:
    """Return words that were sent and are not kept yet; what is kept takes their place."""
    return Entry(UNKEPT, seat, label, text, "— not recorded yet —", own=True)


def with_call(entry: Entry, name: str) -> Entry:
    """Return a message that came with a call."""
    return replace(entry, mark=f"{entry.mark}, {name}" if entry.mark else f"with a call: {name}")


def beside(event: Event, key: str, events: Sequence[Event]) -> Entry | None:
    """Return the block of what happened beside the turns, None where there is none; `events` are those before it."""
    match event:
        case Seated():
            return Entry(key, "note", "seat", seated_text(event, filled_before(events, event)))
        case Reviewed():
            return Entry(key, "note", "review", reviewed_text(event))
        case Supervision():
            return Entry(key, "note", "review", supervision_text(event))
        case Failure():
            return Entry(key, "failure", "failed", f"{event.what}{f' ({event.detail})' if event.detail else ''}")
        case Note():
            return Entry(key, "note", "note", event.text)
        case Ended() if event.reason not in ("user_stop", "agent_stop"):
            return Entry(key, "ended", "", "", f"— ended: {WHY_ENDED.get(event.reason, event.reason)} —")
        case _:
            return None
