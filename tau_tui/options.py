"""What the command line asked for, without anything heavy, so that the first frame can be drawn at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sessions.seating import Table


@dataclass(frozen=True, slots=True)
class Options:
    """How to start the app. Without a task the next unplayed one is taken; without a table, the lobby opens."""

    domain: str | None = None
    table: Table | None = None
    task: str | None = None
    data: Path | None = None
    db: Path | None = None
    person: str = "me"
    spoilers: bool = False
    confirm_writes: bool = True
