"""What a task is scored by, and how much of it is met now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tau_tui.report import Line, Tone


class RequirementText(Static):
    """The lines, selectable."""

    DEFAULT_CSS = "RequirementText { height: auto; }"
    TONES: ClassVar[tuple[Tone, ...]] = ("good", "bad", "warn", "plain", "quiet")
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"requirement--{tone}" for tone in TONES}

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines."""
        parts = [Content.styled(line.text, self.get_visual_style(f"requirement--{line.tone}")) for line in lines]
        self.update(Content("\n").join(parts))


class Requirements(VerticalScroll, can_focus=True):
    """Scrolls where there are many; stays where the reader has scrolled to."""

    DEFAULT_CSS = "Requirements { height: 1fr; overflow-x: hidden; }"

    def compose(self) -> ComposeResult:
        """One text."""
        yield RequirementText()

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines."""
        self.query_one(RequirementText).show(lines)

    def go_to_newest(self) -> None:
        """Nothing is newer than the rest."""
