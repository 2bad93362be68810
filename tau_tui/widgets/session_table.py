"""Sessions in a table that draws only what is in sight, so that 100,000 of them cost nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tau_tui.task_list import players_text
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.listing import Row

MOVES = Binding.Group("Move", compact=True)
AHEAD = 50
"""Rows from the end at which more are asked for."""

Numbers = Mapping[tuple[str, str, str], str]
"""Domain, pack, task id → `#7`."""


class SessionTable(ScrollView, can_focus=True):
    """One row is under the cursor. `More` asks for the rows that follow those that are there."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("session-table--heading", "session-table--cursor", "session-table--quiet", "session-table--good"),
        *("session-table--bad", "session-table--open"),
    }
    DEFAULT_CSS = "SessionTable { height: 1fr; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="sessions.up", tooltip="The session above", group=MOVES),
        Binding("down", "move(1)", "Down", show=False, id="sessions.down", tooltip="The session below", group=MOVES),
        Binding("pageup", "page(-1)", "Page up", show=False, id="sessions.pageup", tooltip="A page up", group=MOVES),
        Binding("pagedown", "page(1)", "Page down", False, id="sessions.pagedown", tooltip="A page down", group=MOVES),
        Binding("home", "edge(0)", "First", show=False, id="sessions.first", tooltip="The newest", group=MOVES),
        Binding("end", "edge(1)", "Last", show=False, id="sessions.last", tooltip="The last one read", group=MOVES),
    ]

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Highlighted(Message):
        """Another row is under the cursor; None when there is none."""

        row: Row | None

    @dataclass
    class Chosen(Message):
        """A row was clicked twice."""

        row: Row

    @dataclass
    class More(Message):
        """The end of what has been read is near."""

    @dataclass
    class Typed(Message):
        """Somebody types, which searches."""

        character: str

    def __init__(self, *, spoilers: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._spoilers = spoilers
        self.rows: Sequence[Row] = ()
        self.numbers: Numbers = {}

    @property
    def highlighted(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def show(self, rows: Sequence[Row], *, keep: bool = False) -> None:
        """Show these rows, with the cursor where it was (`keep`), or on the first."""
        self.rows = rows
        self.virtual_size = Size(0, len(rows) + 1)
        cursor = self.cursor if keep else 0
        self.set_reactive(SessionTable.cursor, max(0, min(cursor, len(rows) - 1)))
        self._moved()
        self.refresh()

    def name_tasks(self, numbers: Numbers) -> None:
        """Show tasks by these numbers."""
        self.numbers = numbers
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Stay on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        self._moved()
        self.refresh()

    def _moved(self) -> None:
        # The heading takes the first line, so that row n stands on line n + 1.
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True, x_axis=False)
        self.post_message(self.Highlighted(self.highlighted))
        if self.rows and self.cursor >= len(self.rows) - AHEAD:
            self.post_message(self.More())

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw the heading, or the row that stands on this line."""
        width, base = self.size.width, self.rich_style
        if y == 0:
            style = base + self.get_component_rich_style("session-table--heading")
            return self._line(
                ("started", "task", "players", "view", "turns", "ended by", "reward", "from"), style, None
            )
        index = self.scroll_offset.y + y - 1
        if index >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[index]
        style = base + self.get_component_rich_style("session-table--cursor") if index == self.cursor else base
        return self._line(self._cells(row), style, None if index == self.cursor else self._tones(row))

    def _cells(self, row: Row) -> tuple[str, ...]:
        reward = row.reward if row.reward is not None else row.recorded_reward
        status = row.status
        came = f"fork t{row.parent_turn}" if row.parent else row.origin or ""
        return (
            when(row.started),
            task_text(row, self.numbers, spoilers=self._spoilers),
            players_text(row),
            row.view,
            f"t{row.turns}",
            row.reason or "" if status == "ended" else status,
            "–" if reward is None else f"{reward:g}",
            came,
        )

    def _tones(self, row: Row) -> dict[int, Style]:
        tones = {0: "quiet", 3: "quiet", 4: "quiet", 7: "quiet"}
        reward = row.reward if row.reward is not None else row.recorded_reward
        if reward is not None:
            tones[6] = "good" if reward >= 1 - 1e-6 else "bad"
        if row.status != "ended":
            tones[5] = "open"
        return {cell: self.get_component_rich_style(f"session-table--{name}") for cell, name in tones.items()}

    def _line(self, cells: Sequence[str], style: Style, tones: Mapping[int, Style] | None) -> Strip:
        """Lay cells out; players take what the others leave, and what a narrow screen has no room for goes."""
        width = self.size.width
        widths = [16, 14, 0, 7, 5, 12, 6, 10] if width >= 100 else [11, 12, 0, 0, 0, 11, 6, 8]
        free = max(8, width - sum(w + 1 for i, w in enumerate(widths) if w and i != 2) - 2)
        segments = [Segment(" ", style)]
        for i, (text, wanted) in enumerate(zip(cells, widths, strict=True)):
            if not wanted and i != 2:
                continue
            room = wanted or free
            text = text[5:] if i == 0 and room < len(text) else text  # a date without its year
            own = style + tones[i] if tones is not None and i in tones else style
            segments.append(Segment(set_cell_size(one_line(text), room) + " ", own))
        return Strip(segments).adjust_cell_length(width, style)

    # Acting

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by what is in sight."""
        self.cursor += by * max(1, self.size.height - 2)

    def action_edge(self, last: int) -> None:
        """Move the cursor to the first or the last row."""
        self.cursor = len(self.rows) - 1 if last else 0

    def on_key(self, event: events.Key) -> None:
        """Let printable keys search."""
        if event.is_printable and event.character:
            event.stop()
            self.post_message(self.Typed(event.character))

    def on_click(self, event: events.Click) -> None:
        """Move to the row; choose the one that is there already when clicked twice."""
        index = self.scroll_offset.y + event.y - 1
        if event.y == 0 or index >= len(self.rows):
            return
        self.cursor = index
        if event.chain == 2:
            self.post_message(self.Chosen(self.rows[index]))


def when(at: float) -> str:
    """Return a time as it is listed, in this place's own."""
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}" if at else "–"


def task_text(row: Row, numbers: Numbers, *, spoilers: bool = False) -> str:
    """Return `airline #7`; an id that is no number says too much, and stands only with spoilers."""
    known = f"#{row.task_id}" if row.task_id.isdigit() else numbers.get((row.domain, row.pack, row.task_id), "")
    return f"{row.domain} {row.task_id if spoilers else known}".rstrip()
