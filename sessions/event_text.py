"""What happens beside the turns, in words that screens, tables and exports share: seats, a supervisor's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from domains.values import JSON, differences
from sessions.event import Event, Opened, PlayerInfo, Reviewed, Seated, Supervision
from sessions.safe_text import one_line
from sessions.value_text import path_text, value_text

WIDTH: Final = 60
"""Characters of a value; the events have it whole."""


def filled_before(events: Iterable[Event], event: Seated) -> PlayerInfo | None:
    """Return who filled the seat until this event, None where nobody is known to have."""
    found: PlayerInfo | None = None
    for one in events:
        if one is event:
            break
        match one:
            case Opened():
                found = one.header.players.get(event.seat)
            case Seated() if one.seat == event.seat:
                found = one.player
    return found


def seated_text(event: Seated, before: PlayerInfo | None) -> str:
    """Return who takes a seat, or hands it on, and to whom."""
    seat, now = f"the {event.seat}'s seat", one_line(event.player.name)
    if before is None:
        return f"{now} takes {seat}"
    left = one_line(before.name)
    match before.kind == "human", event.player.kind == "human":
        case False, True:
            return f"{now} takes {seat} from {left}"
        case True, False:
            return f"{left} hands {seat} to {now}"
        case _:
            return f"{seat} goes from {left} to {now}"


def supervision_text(event: Supervision) -> str:
    """Return from when on, or until when, somebody decided on writes."""
    by = one_line(event.by) or "a person"
    return f"{by} decides on writes from here on" if event.on else f"{by} no longer decides on writes"


def reviewed_text(event: Reviewed) -> str:
    """Return a supervisor's decision: the write as it was wanted, what was edited in it line by line, and why."""
    by = f" by {one_line(event.by)}" if event.by else ""
    given = ", ".join(f"{one_line(str(name))}={value_text(value, WIDTH)}" for name, value in event.arguments.items())
    lines = [f"{event.decision}{by}: {one_line(event.name)}({given})", *edits(event.arguments, event.edited)]
    if event.reason:
        lines.append(f"because: {one_line(event.reason)}")
    return "\n".join(lines)


def edits(before: Mapping[str, JSON], after: Mapping[str, JSON] | None) -> list[str]:
    """Return `flights[0].date: 2024-05-20 → 2024-05-21` for each argument that was edited."""
    if after is None:
        return []
    changed = differences(dict(before), dict(after))
    return [f"{path_text(path)}: {value_text(old, WIDTH)} → {value_text(new, WIDTH)}" for path, old, new in changed]
