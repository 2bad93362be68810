"""Where a replay is, on one row: a track to click and to drag along, with the writes and the errors on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

Mark: TypeAlias = Literal["", "write", "error"]
SIGNS: dict[Mark, str] = {"": "", "write": "●", "error": "✗"}
LEFT = 2
"""Cells before the track: what the button there does, and a space."""


class Scrubber(Widget):
    """Shows where it is told to be; who owns it has the keys, and goes where a click or a drag asks to."""

    DEFAULT_CSS = "Scrubber { height: 1; width: 1fr; pointer: pointer; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "scrubber--past",
        "scrubber--future",
        "scrubber--here",
        "scrubber--write",
        "scrubber--error",
        "scrubber--quiet",
    }
    ALLOW_SELECT = False

    step: reactive[int] = reactive(0)
    playing: reactive[bool] = reactive(False)
    speed: reactive[float] = reactive(1.0)

    @dataclass
    class Moved(Message):
        """A step was pointed at."""

        step: int

    @dataclass
    class Pressed(Message):
        """Play, or stop playing."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks: tuple[Mark, ...] = ("",)
        self._dragging = False

    def show(self, marks: Sequence[Mark]) -> None:
        """Have one place for each of these steps."""
        self._marks = tuple(marks)
        self.refresh()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self._marks) - 1

    @property
    def _said(self) -> str:
        return f"  {self.step}/{self.last} · {self.speed:g}/s"

    @property
    def _width(self) -> int:
        return max(1, self.size.width - LEFT - cell_len(self._said))

    def cell(self, step: int) -> int:
        """Return the cell of the track on which a step stands."""
        return 0 if self.last == 0 else round(step * (self._width - 1) / self.last)

    def at(self, x: int) -> int:
        """Return the step nearest to a cell of the widget."""
        if self._width == 1:
            return 0
        return max(0, min(self.last, round((x - LEFT) * self.last / (self._width - 1))))

    def render(self) -> Content:
        """Draw the button, the track, and where it is."""
        style = self.get_visual_style
        here = self.cell(self.step)
        signs: list[Mark] = [""] * self._width
        for step, mark in enumerate(self._marks):
            cell = self.cell(step)
            signs[cell] = mark if mark == "error" or not signs[cell] else signs[cell]
        parts = [("⏸ " if self.playing else "▶ ", style("scrubber--here"))]
        for cell, mark in enumerate(signs):
            passed = "past" if cell < here else "future"
            sign = "█" if cell == here else SIGNS[mark] or ("━" if cell < here else "─")
            parts.append((sign, style(f"scrubber--{'here' if cell == here else mark or passed}")))
        parts.append((self._said, style("scrubber--quiet")))
        return Content.assemble(*parts)

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go there, and on along the track while the button is held; or press the button on the left."""
        event.stop()
        if event.x < LEFT:
            self.post_message(self.Pressed())
            return
        self._dragging = True
        self.capture_mouse()
        self._point(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the pointer."""
        if self._dragging:
            event.stop()
            self._point(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stay there."""
        self._dragging = False
        self.release_mouse()

    def _point(self, x: int) -> None:
        if (step := self.at(x)) != self.step:
            self.post_message(self.Moved(step))
