"""A few names on one row, one of them chosen: tabs of panes, modes of the composer, what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

GAP = " │ "


class Segments(Widget):
    """Shows the names and tells when one is clicked; who owns it gives the keys, so that Tab has few stops."""

    DEFAULT_CSS = "Segments { width: auto; height: 1; text-wrap: nowrap; pointer: pointer; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"segments--active", "segments--quiet"}
    ALLOW_SELECT = False

    labels: reactive[tuple[tuple[str, str], ...]] = reactive((), layout=True)
    active: reactive[str] = reactive("")

    @dataclass
    class Chosen(Message):
        """A name was clicked."""

        segments: Segments
        name: str

        @property
        def control(self) -> Segments:
            """Whose name it was."""
            return self.segments

    def __init__(self, labels: Mapping[str, str], active: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(Segments.labels, tuple(labels.items()))
        self.set_reactive(Segments.active, active or next(iter(labels), ""))

    def rename(self, labels: Mapping[str, str]) -> None:
        """Show other names, or the same with other badges."""
        self.labels = tuple(labels.items())

    def next(self, by: int = 1) -> str:
        """Return the name after the active one, round and round."""
        names = [name for name, _ in self.labels]
        return names[(names.index(self.active) + by) % len(names)] if self.active in names else names[0]

    def render(self) -> Content:
        """Draw the names with what separates them."""
        chosen = self.get_visual_style("segments--active")
        quiet = self.get_visual_style("segments--quiet")
        parts: list[Content] = []
        for name, label in self.labels:
            if parts:
                parts.append(Content.styled(GAP, quiet))
            parts.append(Content.styled(label, chosen if name == self.active else quiet))
        return Content("").join(parts)

    def on_click(self, event: events.Click) -> None:
        """Find out which name is under the pointer."""
        x = 0
        for name, label in self.labels:
            width = cell_len(label)
            if x - 1 <= event.x <= x + width:
                event.stop()
                self.post_message(self.Chosen(self, name))
                return
            x += width + cell_len(GAP)
