"""The list of sessions, and how a session's time and task are written in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from tau_tui.widgets.header import SEATS, fitted, watched_text
from tau_tui.widgets.row_table import QUIET, Cell, RowTable, moves

if TYPE_CHECKING:
    from sessions.listing import Row

AHEAD = 50
"""Rows from the end at which more are asked for."""
HEADING = ("started", "task", "players", "view", "turns", "ended by", "reward", "from")
WIDE = (16, 14, 0, 7, 5, 12, 6, 10)
NARROW = (11, 12, 0, None, None, 11, 6, 8)
"""Columns of each cell on a narrow screen; None for what it has no room for."""

IN_WORDS = 34
"""Columns from which on two partners are told in words; with fewer, the heading says whose name comes first."""

Numbers = Mapping[tuple[str, str, str], str]
"""Domain, pack, task id → `#7`."""


class SessionTable(RowTable["Row"]):
    """Sessions, newest first. `More` asks for the rows that follow those that are there."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"session-table--good", "session-table--bad", "session-table--open"}
    BINDINGS: ClassVar[list[BindingType]] = moves("sessions", "session", "The newest", "The last one read")
    ROOM = 8

    @dataclass
    class More(Message):
        """The end of what has been read is near."""

    def __init__(self, *, spoilers: bool = False, id: str | None = None) -> None:
        super().__init__(spoilers=spoilers, id=id)
        self.numbers: Numbers = {}

    def show(self, rows: Sequence[Row], *, keep: bool = False) -> None:
        """Show these rows, with the cursor where it was (`keep`), or on the first."""
        self.put(rows, self.cursor if keep else 0)

    def name_tasks(self, numbers: Numbers) -> None:
        """Show tasks by these numbers."""
        self.numbers = numbers
        self.refresh()

    def watch_cursor(self) -> None:
        """Ask for more rows before the cursor comes to the end of them."""
        super().watch_cursor()
        if self.rows and self.cursor >= len(self.rows) - AHEAD:
            self.post_message(self.More())

    def heading(self) -> list[Cell]:
        """Return the names of the columns there is room for."""
        names = list(HEADING)
        if self._room < IN_WORDS:
            names[2] = "user/agent"
        return self._laid_out(names, {})

    def cells(self, row: Row) -> list[Cell]:
        """Return what the heading names of a session."""
        reward = row.reward if row.reward is not None else row.recorded_reward
        status = row.status
        looks = {0: QUIET, 3: QUIET, 4: QUIET, 7: QUIET}
        if reward is not None:
            looks[6] = "session-table--good" if reward >= 1 - 1e-6 else "session-table--bad"
        if status != "ended":
            looks[5] = "session-table--open"
        texts = (
            when(row.started),
            task_text(row, self.numbers, spoilers=self.spoilers),
            seats_text(row, self._room),
            row.view,
            f"t{row.turns}",
            row.reason or "" if status == "ended" else status,
            "–" if reward is None else f"{reward:g}",
            f"fork t{row.parent_turn}" if row.parent else row.origin or "",
        )
        return self._laid_out(texts, looks)

    @property
    def _widths(self) -> Sequence[int | None]:
        return WIDE if self.size.width >= 100 else NARROW

    @property
    def _room(self) -> int:
        """Columns for who sat where: what the other cells and the gaps leave."""
        return self.size.width - 1 - sum(width + 1 for width in self._widths if width is not None)

    def _laid_out(self, texts: Sequence[str], looks: Mapping[int, str]) -> list[Cell]:
        widths = self._widths
        cells: list[Cell] = []
        for i, (text, width) in enumerate(zip(texts, widths, strict=True)):
            if width is not None:
                # Where a date does not fit, its year is what goes.
                cells.append((text[5:] if i == 0 and width < len(text) else text, width, looks.get(i, "")))
        return cells


def when(at: float) -> str:
    """Return a time as it is listed, in this place's own."""
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}" if at else "–"


def seats_text(row: Row, room: int = SEATS) -> str:
    """Return who sat where: a person's seat in capitals, two partners in words, or `user/agent` in little room."""
    names = {seat: name for seat, kind, name in row.players if kind != "human"}
    people = [seat.upper() for seat, kind, _ in row.players if kind == "human"]
    if not names:
        return "BOTH" if len(people) > 1 else "".join(people)
    if people or len(names) == 1 or room < IN_WORDS:
        slashes = len(people) + len(names) - 1
        return "/".join([*people, *fitted(list(names.values()), room - slashes - len("".join(people)))])
    return watched_text({"agent": names["agent"], "user": names["user"]}, room)


def task_text(row: Row, numbers: Numbers, *, spoilers: bool = False) -> str:
    """Return `airline #7`; an id that is no number says too much, and stands only with spoilers."""
    known = f"#{row.task_id}" if row.task_id.isdigit() else numbers.get((row.domain, row.pack, row.task_id), "")
    return f"{row.domain} {row.task_id if spoilers else known}".rstrip()
