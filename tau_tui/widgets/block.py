"""One block of a conversation: who speaks in the margin, the words, and below them what the program adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from sessions.usage_text import of_thought
from tau_tui.widgets.safe_text import safe

Voice: TypeAlias = Literal["agent", "user", "failure", "ended", "note"]

GUTTER = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """One block. `key` names it for later changes; `mark` is what the program adds to a player's words."""

    key: str
    voice: Voice
    label: str
    text: str
    mark: str = ""
    own: bool = False
    """Said by the person at this screen: the view follows it whatever it showed before."""
    thought: str = ""
    """The reasoning of a model, folded until it is asked for."""
    usage: str = ""
    """What the turn took: tokens, cost, time."""
    live: bool = False
    """Still being written."""


class Block(Static):
    """The words, selectable, with the speaker in the margin beside the first line. A click unfolds the reasoning."""

    DEFAULT_CSS = f"Block {{ padding-left: {GUTTER}; height: auto; }}"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"block--label", "block--mark", "block--thought"}

    def __init__(self, entry: Entry) -> None:
        super().__init__(classes=f"-{entry.voice}")
        self.entry = entry
        self.unfolded = False

    def on_mount(self) -> None:
        """Draw it."""
        self.show(self.entry)

    def show(self, entry: Entry) -> None:
        """Draw an entry, or what has become of it."""
        self.entry = entry
        self.set_class(entry.live, "-live")
        parts = []
        if entry.thought:
            style = self.get_visual_style("block--thought")
            parts.append(Content.styled(thought_text(entry, unfolded=self.unfolded), style))
        if entry.text:
            parts.append(Content(safe(entry.text)))
        style = self.get_visual_style("block--mark")
        parts += [Content.styled(safe(line), style) for line in (entry.mark, entry.usage) if line]
        self.update(Content("\n").join(parts))

    def fold(self, unfolded: bool) -> None:
        """Show the reasoning, or only that there is some."""
        if self.entry.thought and self.unfolded != unfolded:
            self.unfolded = unfolded
            self.show(self.entry)

    def on_click(self, event: events.Click) -> None:
        """Unfold, or fold, where the reasoning begins."""
        if event.y == 0 and self.entry.thought:
            self.fold(not self.unfolded)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Put the label into the margin, where it is no part of what a mouse selects."""
        strips = super().render_lines(crop)
        if crop.y == 0 and crop.x == 0 and strips:
            style = self.get_component_rich_style("block--label")
            label = Strip([Segment(set_cell_size(safe(self.entry.label), GUTTER), style)])
            for line_filter in self.app.get_line_filters():  # what is joined here has missed them: NO_COLOR, dimming
                label = label.apply_filter(line_filter, self.background_colors[1])
            strips[0] = Strip.join([label.crop(0, crop.width), strips[0].crop(GUTTER)])
        return strips


def thought_text(entry: Entry, *, unfolded: bool) -> str:
    """Return the reasoning, or the line that stands for it."""
    head = of_thought(entry.thought, live=entry.live)
    if not unfolded:
        return f"▸ {head}{'' if entry.live else ' · Enter here unfolds'}"
    return f"▾ {head}\n{safe(entry.thought.strip())}"
