"""Writes events as they are recorded, one JSON object a line, each with its session and its place in it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sessions.event import encode
from sessions.export.record import Record


def lines(record: Record) -> Iterator[str]:
    """Yield the lines of one session."""
    for seq, event in enumerate(record.events):
        row = {"session": record.header.id, "seq": seq, **encode(event)}
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
