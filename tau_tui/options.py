"""What the command line asked for, without anything heavy, so that the first frame can be drawn at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sessions.seating import Table

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice


@dataclass(frozen=True, slots=True)
class Options:
    """How to start the app. Without a table the lobby opens; without a task the next unplayed one is taken."""

    domain: str | None = None
    table: Table | None = None
    lobby: Table = field(default_factory=Table)
    """What the lobby starts its choices from: person, view, spoilers, limits."""
    task: str | None = None
    gold: bool = False
    """Go through the reference actions of the task instead of playing it."""
    resume: str | None = None
    """The session to take up, by its id or how that begins; empty for the one left last."""
    replay: str | None = None
    """The session to go through, or the file of runs to choose one of."""
    data: Path | None = None
    db: Path | None = None
    judge: Literal["human", "none"] = "human"
    """Whether the person may judge the assertions in words on the result screen."""
    judged_by: ModelChoice | None = None
    """The model that judges them first."""
    confirm_writes: bool = True
    bell: bool = False
