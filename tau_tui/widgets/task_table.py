"""The list of tasks: drawn line by line, because a DataTable needs 170 ms to take 2,285 rows at each key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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

from tau_tui.task_list import Row
from tau_tui.widgets.safe_text import one_line

ALIKE = 9
"""Columns for which one a task is of those with the same reason."""

MOVES = Binding.Group("Move", compact=True)


class TaskTable(ScrollView, can_focus=True):
    """Rows under a heading, one of them under the cursor; typing goes to whoever listens for `Typed`."""

    DEFAULT_CSS = """
    TaskTable { height: 1fr; overflow-x: hidden; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "task-table--heading",
        "task-table--cursor",
        "task-table--quiet",
        "task-table--solved",
        "task-table--unsolved",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="tasks.up", tooltip="The task above", group=MOVES),
        Binding("down", "move(1)", "Down", show=False, id="tasks.down", tooltip="The task below", group=MOVES),
        Binding("pageup", "page(-1)", "Page up", show=False, id="tasks.pageup", tooltip="A page up", group=MOVES),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="tasks.pagedown", tooltip="A page down", group=MOVES
        ),
        Binding("home", "edge(0)", "First", show=False, id="tasks.first", tooltip="The first task", group=MOVES),
        Binding("end", "edge(1)", "Last", show=False, id="tasks.last", tooltip="The last task", group=MOVES),
        Binding(
            "enter",
            "choose",
            "Play",
            show=False,
            id="tasks.choose",
            tooltip="Play the task under the cursor",
            group=MOVES,
        ),
    ]

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Highlighted(Message):
        """Another row is under the cursor; None when there is none."""

        row: Row | None

    @dataclass
    class Chosen(Message):
        """A row is to be played."""

        row: Row

    @dataclass
    class Typed(Message):
        """Somebody types, which searches."""

        character: str

    def __init__(self, *, spoilers: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._spoilers = spoilers
        self._rows: Sequence[Row] = ()
        self._shared = False

    @property
    def highlighted(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def show(self, rows: Sequence[Row], keep: str | None = None) -> None:
        """Show these rows, with the cursor on the task of this id, or on the first."""
        self._rows = rows
        self._shared = any(row.shared for row in rows)
        self.virtual_size = Size(0, len(rows) + 1)
        kept = next((i for i, row in enumerate(rows) if row.task_id == keep), 0)
        if kept == self.cursor:
            self._moved()
        self.cursor = kept
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Stay on a row."""
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        self._moved()
        self.refresh()

    def _moved(self) -> None:
        # The heading takes the first line, so that row n stands on line n + 1.
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True, x_axis=False)
        self.post_message(self.Highlighted(self.highlighted))

    def on_resize(self) -> None:
        """Keep the cursor in sight when there is less room."""
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True, x_axis=False)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw the heading, or the row that stands on this line."""
        width = self.size.width
        base = self.rich_style
        if y == 0:
            return self._line(self._heading(), base + self.get_component_rich_style("task-table--heading"), width)
        index = self.scroll_offset.y + y - 1
        if index >= len(self._rows):
            return Strip.blank(width, base)
        if index == self.cursor:
            style = base + self.get_component_rich_style("task-table--cursor")
            return self._line(self._cells(self._rows[index], None), style, width)
        return self._line(self._cells(self._rows[index], base), base, width)

    def _heading(self) -> list[tuple[str, int, Style | None]]:
        secret = [("id", 28, None), ("writes", 7, None)] if self._spoilers else []
        alike = [("alike", ALIKE, None)] if self._shared else []
        return [("#", 6, None), ("reason for contact", 0, None), *alike, *secret, ("you", 14, None)]

    def _cells(self, row: Row, base: Style | None) -> list[tuple[str, int, Style | None]]:
        def style(name: str) -> Style | None:
            return None if base is None else base + self.get_component_rich_style(f"task-table--{name}")

        quiet = style("quiet")
        secret = [(one_line(row.task_id), 28, quiet), (str(row.writes), 7, quiet)] if self._spoilers else []
        if row.played == 0:
            did, how = "–", quiet
        else:
            did, how = f"{row.solved} of {row.played} solved", style("solved" if row.solved else "unsolved")
        alike = [(row.shared, ALIKE, quiet)] if self._shared else []
        return [(f"#{row.number}", 6, quiet), (one_line(row.reason), 0, None), *alike, *secret, (did, 14, how)]

    def _line(self, cells: list[tuple[str, int, Style | None]], style: Style, width: int) -> Strip:
        """Lay cells out; the one of width 0 takes what the others leave."""
        free = max(1, width - sum(w + 1 for _, w, _ in cells) - 1)
        segments = [Segment(" ", style)]
        for text, wanted, own in cells:
            segments.append(Segment(set_cell_size(text, wanted or free) + " ", own or style))
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
        self.cursor = len(self._rows) - 1 if last else 0

    def action_choose(self) -> None:
        """Play the row under the cursor."""
        if (row := self.highlighted) is not None:
            self.post_message(self.Chosen(row))

    def on_key(self, event: events.Key) -> None:
        """Let printable keys search."""
        if event.is_printable and event.character:
            event.stop()
            self.post_message(self.Typed(event.character))

    def on_click(self, event: events.Click) -> None:
        """Move to the row; play the one that is there already when clicked twice."""
        index = self.scroll_offset.y + event.y - 1
        if event.y == 0 or index >= len(self._rows):
            return
        self.cursor = index
        if event.chain == 2:
            self.action_choose()
