"""Changes as text: grouped by record, a new record folded to one card, counters collapsed. No widget, no colour."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from domains.database import Change
from domains.values import ABSENT, JSON, Path
from sessions.value_text import path_text
from tau_tui.widgets.safe_text import one_line, safe

NOTHING = "∅"
VALUE_WIDTH = 60
CARD_FIELDS = 6
COUNTERS = frozenset({"available_seats"})
"""Fields whose single steps say little: a booking lowers one for each segment."""


@dataclass(frozen=True, slots=True)
class Line:
    """One changed field: `path before → after`; `sign` is + or − where an item of a list came or went."""

    path: str
    before: str = ""
    after: str = ""
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What happened to one record. `by` names the call that touched it last, `failed` that this call was refused."""

    table: str
    key: str
    changes: tuple[Change, ...]
    by: str = ""
    failed: bool = False
    lines: tuple[Line, ...] = field(default=())

    @property
    def title(self) -> str:
        """`reservations XEHM4B`."""
        return one_line(f"{self.table} {self.key}")

    @property
    def kind(self) -> str:
        """`new`, `removed`, or nothing for a record that was there and still is."""
        first = self.changes[0]
        if first.path:
            return ""
        return "new" if first.before is ABSENT else "removed" if first.after is ABSENT else ""


Touched = dict[tuple[str, str, str], tuple[str, bool]]
"""(database, table, key) → the call that touched it last, and whether that call was refused."""


def cards(changes: Iterable[Change], touched: Touched | None = None) -> list[Card]:
    """Group changes by record, in the order in which the records come."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.database, change.table, change.key), []).append(change)
    out = []
    for record, found in groups.items():
        by, failed = (touched or {}).get(record, ("", False))
        out.append(Card(record[1], record[2], tuple(found), by, failed, tuple(_lines(found))))
    return out


def _lines(changes: list[Change]) -> Iterator[Line]:
    counters = [change for change in changes if COUNTERS & set(map(str, change.path))]
    for change in changes:
        if not change.path:
            yield from _folded(change)
        elif change not in counters:
            yield _line(change.path, change.before, change.after)
    if counters:
        first = counters[0]
        name = next(str(part) for part in first.path if str(part) in COUNTERS)
        if len(counters) == 1:
            yield Line(name, value_text(first.before), value_text(first.after))
        else:
            yield Line(name, after=f"{len(counters)} counts changed")


def _folded(change: Change) -> Iterator[Line]:
    record = change.after if change.after is not ABSENT else change.before
    if not isinstance(record, dict):
        yield Line("", value_text(change.before), value_text(change.after))
        return
    plain = [(name, value) for name, value in record.items() if not isinstance(value, dict | list)]
    for name, value in plain[:CARD_FIELDS]:
        yield Line(safe(str(name)), after=value_text(value))
    if change.fields > CARD_FIELDS:
        yield Line(f"… {change.fields} fields in all")


def _line(path: Path, before: JSON, after: JSON) -> Line:
    if path and isinstance(path[-1], int) and (before is ABSENT) != (after is ABSENT):
        gone = after is ABSENT
        return Line(path_text(path[:-1]), after=value_text(before if gone else after), sign="−" if gone else "+")
    return Line(path_text(path), value_text(before), value_text(after))


def value_text(value: JSON, width: int = VALUE_WIDTH) -> str:
    """Return a value on one line; nothing and null are ∅, text is quoted only where it could be something else."""
    if value is ABSENT or value is None:
        return NOTHING
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False) if _ambiguous(value) else value
    elif isinstance(value, dict):
        text = " ".join(str(v) if isinstance(v, str) else value_text(v, width) for v in value.values())
    else:
        text = json.dumps(value, ensure_ascii=False)
    text = one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _ambiguous(text: str) -> bool:
    if text != text.strip() or not text or text == NOTHING:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def full_text(changes: Iterable[Change]) -> str:
    """Return every change unfolded, with whole values, for a view that has the room."""
    parts = []
    for card in cards(changes):
        parts.append(f"{card.title}{f' ({card.kind})' if card.kind else ''}")
        for change in card.changes:
            if change.path:
                parts.append(f"  {path_text(change.path)}: {_whole(change.before)} → {_whole(change.after)}")
            else:
                parts.append(pretty(change.after if change.after is not ABSENT else change.before))
    return "\n".join(parts)


def _whole(value: JSON) -> str:
    if value is ABSENT or value is None:
        return NOTHING
    return safe(json.dumps(value, ensure_ascii=False))


def pretty(value: JSON) -> str:
    """Return a JSON value, or a text that may hold one, on several lines."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return safe(value)
        if isinstance(value, str):
            return safe(value)
    return safe(json.dumps(value, ensure_ascii=False, indent=2))
