"""The tools a seat may call: filtered as one types, grouped by owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from domains.toolkit import Seat, Tool
from tau_tui.widgets.ownership import whose
from tau_tui.widgets.safe_text import one_line

PICKING = Binding.Group("Pick")
WIDEST = 48
"""Columns for a name, so that the first words of what a tool does are there at 80."""


class ToolList(Vertical):
    """A filter above the list; the arrow keys move the list's cursor while the filter has the focus."""

    DEFAULT_CSS = """
    ToolList { height: auto; & > OptionList { height: auto; max-height: 9; border: none; padding: 0;
        text-wrap: nowrap; text-overflow: ellipsis; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="tools.up", tooltip="The tool above", group=PICKING),
        Binding("down", "move(1)", "Down", show=False, id="tools.down", tooltip="The tool below", group=PICKING),
    ]

    @dataclass
    class Picked(Message):
        """A tool is to be called."""

        tool: Tool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tools: tuple[Tool, ...] = ()
        self._seat: Seat = "user"

    def compose(self) -> ComposeResult:
        """Filter and list."""
        yield Input(
            placeholder="which tool? type to filter, Enter picks, Escape goes back", compact=True, id="tool-filter"
        )
        yield OptionList(id="tool-options", markup=False, compact=True)

    def offer(self, tools: Iterable[Tool], seat: Seat, query: str = "") -> None:
        """Offer a seat these tools."""
        self._tools = tuple(tools)
        self._seat = seat
        box = self.query_one(Input)
        box.value = query
        box.focus()
        self._fill(query)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    def _fill(self, query: str) -> None:
        words = query.lower().split()
        found = [t for t in self._tools if all(word in f"{t.name} {t.description}".lower() for word in words)]
        found.sort(key=lambda t: not all(word in t.name for word in words))  # what the name says comes first
        options = self.query_one(OptionList)
        options.set_options(self._options(found))
        options.highlighted = next((i for i, o in enumerate(options.options) if not o.disabled), None)

    def _options(self, tools: list[Tool]) -> Iterator[Option]:
        owners = dict.fromkeys(whose(tool, self._seat) for tool in self._tools)
        width = min(WIDEST, max((cell_len(one_line(tool.name)) for tool in self._tools), default=0))
        for owner in owners:
            own = [tool for tool in tools if whose(tool, self._seat) == owner]
            if own:
                yield Option(owner, disabled=True)
            for tool in own:
                first = one_line(tool.description.split("\n")[0])
                name = set_cell_size(one_line(tool.name), width)
                yield Option(Content(f"  {name} {tool.kind:8} {first}"), id=tool.name)

    def action_move(self, by: int) -> None:
        """Move the cursor of the list."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if by > 0 else options.action_cursor_up()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(OptionList).action_select()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        for tool in self._tools:
            if tool.name == event.option_id:
                self.post_message(self.Picked(tool))
