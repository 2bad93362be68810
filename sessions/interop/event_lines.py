"""Reads sessions out of an export of events: one JSON object a line, with its session and its place in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from domains.errors import DataError
from domains.values import JSON
from sessions.event import Event, Opened, decode

BEGINNING: Final = re.compile(rb'\s*\{\s*"session"\s*:')
LOOKED_AT: Final = 256
"""Bytes that tell what a file is: results on one line may be of any size."""


def is_event_lines(path: Path) -> bool:
    """Tell whether a file is an export of events, by its name or by how it begins. Raises OSError."""
    if path.is_dir():
        return False
    with path.open("rb") as file:
        return path.suffix == ".jsonl" or BEGINNING.match(file.read(LOOKED_AT)) is not None


def sessions(path: Path) -> Iterator[tuple[Event, ...]]:
    """Yield the events of every session, one session at a time. Raises OSError, and DataError with the line."""
    empty = True
    for session_id, group in groupby(_rows(path), key=lambda row: row[0]):
        empty = False
        events: list[Event] = []
        for _, seq, event in group:
            if seq != len(events):
                raise DataError(f"{path}: session {session_id}, event {seq}: event {len(events)} is missing")
            events.append(event)
        if not isinstance(events[0], Opened) or events[0].header.id != session_id:
            raise DataError(f"{path}: session {session_id}, event 0: expected the opening of this session")
        yield tuple(events)
    if empty:
        raise DataError(f"{path}: expected events of tau-tui, one a line; it holds none")


def _rows(path: Path) -> Iterator[tuple[str, JSON, Event]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                yield row["session"], row["seq"], decode(row)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise DataError(f"{path}: line {number}: expected an event of tau-tui: {error!r}") from None
