"""One thing on the phone that can be pressed: a tile, which looks, or a key beside it, which does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tau_tui.widgets.phone.knowledge import Reading
from tau_tui.widgets.phone.tiles import Press, Tile
from tau_tui.widgets.safe_text import one_line

LABEL = 15
PHONE = Binding.Group("Phone")


class Key(Widget, can_focus=True):
    """Never disabled, so that it keeps the focus while an act of one's own is answered; the phone refuses the press."""

    DEFAULT_CSS = """
    Key { width: auto; height: 1; text-wrap: nowrap; text-overflow: ellipsis; pointer: pointer; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key--label", "key--value", "key--old", "key--hint"}
    ALLOW_SELECT = False

    @dataclass
    class Pressed(Message):
        """It was pressed."""

        key: Key

    @dataclass
    class Reached(Message):
        """It has the focus."""

        key: Key

    def __init__(self, tile: Tile, press: Press | None = None) -> None:
        super().__init__()
        self.tile = tile
        self.press = press

    def on_focus(self) -> None:
        """Whoever steers the arrow keys knows where one is."""
        self.post_message(self.Reached(self))

    def on_click(self, event: events.Click) -> None:
        """The finger."""
        event.stop()
        self.post_message(self.Pressed(self))


class PressKey(Key):
    """Does something."""

    def render(self) -> Content:
        """A word."""
        assert self.press is not None
        return Content(f" {self.press.word} ")


class TileKey(Key):
    """Shows what is known of a tile; a tap looks."""

    DEFAULT_CSS = "TileKey { width: 1fr; }"

    reading: reactive[Reading | None] = reactive(None)

    def __init__(self, tile: Tile, reading: Reading | None = None) -> None:
        super().__init__(tile)
        self.set_reactive(TileKey.reading, reading)

    def render(self) -> Content:
        """Label, value, and since when it is known; what is older than the last press is shown as such."""
        style = self.get_visual_style
        label = f"{set_cell_size(one_line(self.tile.label), LABEL)} " if self.tile.label else ""
        parts: list[Content] = [Content.styled(label, style("key--label"))]
        reading = self.reading
        if reading is None:
            parts.append(Content.styled(self.tile.look_word if self.tile.looks else "", style("key--hint")))
        else:
            value = one_line(reading.value)
            since = "" if reading.turn is None else f"t{reading.turn}"
            room = self.size.width - cell_len(label) - (len(since) + 1 if since else 0)
            value = set_cell_size(value if cell_len(value) <= room else f"{set_cell_size(value, room - 1)}…", room)
            parts.append(Content.styled(value, style("key--old" if reading.old else "key--value")))
            if since:
                parts.append(Content.styled(f" {since}", style("key--hint")))
        return Content("").join(parts)
