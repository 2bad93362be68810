"""Rows under a heading, drawn line by line: a DataTable needs 170 ms to take 2,285 rows at each key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar

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

from tau_tui.widgets.safe_text import one_line

R = TypeVar("R")
Subject = TypeVar("Subject")

Cell: TypeAlias = tuple[str, int, str]
"""Text, width (0 takes what the others leave), component class (empty for the looks of the row)."""

QUIET = "row-table--quiet"
MOVES = Binding.Group("Move", compact=True)


def moves(name: str, noun: str, first: str, last: str) -> list[BindingType]:
    """Return the keys that move the cursor, with ids `name.up` and so on; `first` and `last` name the edges."""
    return [
        Binding("up", "move(-1)", "Up", show=False, id=f"{name}.up", tooltip=f"The {noun} above", group=MOVES),
        Binding("down", "move(1)", "Down", show=False, id=f"{name}.down", tooltip=f"The {noun} below", group=MOVES),
        Binding("pageup", "page(-1)", "Page up", show=False, id=f"{name}.pageup", tooltip="A page up", group=MOVES),
        Binding("pagedown", "page(1)", "Page down", False, id=f"{name}.pagedown", tooltip="A page down", group=MOVES),
        Binding("home", "edge(0)", "First", show=False, id=f"{name}.first", tooltip=first, group=MOVES),
        Binding("end", "edge(1)", "Last", show=False, id=f"{name}.last", tooltip=last, group=MOVES),
    ]


class RowTable(ScrollView, Generic[R], can_focus=True):
    """One row is under the cursor; typing goes to whoever listens for `Typed`. What is out of sight costs nothing."""

    DEFAULT_CSS = "RowTable { height: 1fr; overflow-x: hidden; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-table--heading", "row-table--cursor", QUIET}
    ROOM: ClassVar[int] = 1
    """Columns that the cell of width 0 has at least."""

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Highlighted(Message, Generic[Subject]):
        """Another row is under the cursor; None when there is none."""

        row: Subject | None

    @dataclass
    class Chosen(Message, Generic[Subject]):
        """A row was clicked twice, or chosen by a key."""

        row: Subject

    @dataclass
    class Typed(Message):
        """Somebody types, which searches."""

        character: str

    def __init__(self, *, spoilers: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.spoilers = spoilers
        self.rows: Sequence[R] = ()

    # What a table of its own says

    def heading(self) -> list[Cell]:
        """Return the cells above the rows."""
        raise NotImplementedError

    def cells(self, row: R) -> list[Cell]:
        """Return the cells of a row, as many as the heading has."""
        raise NotImplementedError

    # What is shown

    @property
    def highlighted(self) -> R | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def put(self, rows: Sequence[R], cursor: int) -> None:
        """Show these rows, with the cursor on this one; it counts as moved, since another row may lie under it."""
        self.rows = rows
        self.virtual_size = Size(0, len(rows) + 1)
        self.set_reactive(RowTable.cursor, self.validate_cursor(cursor))
        self.watch_cursor()

    def validate_cursor(self, cursor: int) -> int:
        """Stay on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight, and tell what it is on."""
        self._keep_in_sight()
        self.post_message(self.Highlighted(self.highlighted))
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor in sight when there is less room."""
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        # The heading takes the first line, so that row n stands on line n + 1.
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True, x_axis=False)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw the heading, or the row that stands on this line."""
        base = self.rich_style
        if y == 0:
            return self._line(self.heading(), base + self.get_component_rich_style("row-table--heading"))
        index = self.scroll_offset.y + y - 1
        if index >= len(self.rows):
            return Strip.blank(self.size.width, base)
        cells = self.cells(self.rows[index])
        if index == self.cursor:
            plain = [(text, width, "") for text, width, _ in cells]
            return self._line(plain, base + self.get_component_rich_style("row-table--cursor"))
        return self._line(cells, base)

    def _line(self, cells: Sequence[Cell], style: Style) -> Strip:
        width = self.size.width
        free = max(self.ROOM, width - sum(wanted + 1 for _, wanted, _ in cells) - 1)
        segments = [Segment(" ", style)]
        for text, wanted, look in cells:
            own = style + self.get_component_rich_style(look) if look else style
            segments.append(Segment(set_cell_size(one_line(text), wanted or free) + " ", own))
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

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if (row := self.highlighted) is not None:
            self.post_message(self.Chosen(row))

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
            self.action_choose()
