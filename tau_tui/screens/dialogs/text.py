"""A text that needs room: a call in full, changes in full, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.safe_text import one_line, safe

CLOSE = Binding.Group("Close")


class TextDialog(Dialog[None]):
    """Parts of text under headings; everything is selectable and nothing is markup."""

    CSS_PATH = "../../styles/dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close", id="text.close", tooltip="Back to the session", group=CLOSE),
    ]

    def __init__(self, title: str, parts: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title = title
        self._parts = parts

    def compose(self) -> ComposeResult:
        """Title above what scrolls."""
        with Vertical(classes="dialog -large"):
            yield Static(Content(f"{one_line(self._title)}   ·   Escape closes"), classes="dialog--title")
            with VerticalScroll(classes="dialog--text"):
                for heading, text in self._parts:
                    if heading:
                        yield Static(Content(one_line(heading)), classes="dialog--heading")
                    yield Static(Content(safe(text)), classes="dialog--part")

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()
