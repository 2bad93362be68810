"""The scenario or the policy over the whole screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.document import DocumentView
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.sections import Section


class DocumentDialog(Dialog[None]):
    """Folds and searches as the pane does."""

    CSS_PATH = "../../styles/dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f2", "close", "Close", id="document.close", tooltip="Back to the session"),
    ]

    def __init__(self, title: str, sections: Sequence[Section]) -> None:
        super().__init__()
        self._title = title
        self._sections = sections

    def compose(self) -> ComposeResult:
        """Title above the text."""
        with Vertical(classes="dialog -large"):
            title = f"{one_line(self._title)}   ·   / search   ← → fold   Escape closes"
            yield Static(Content(title), classes="dialog--title")
            yield DocumentView()

    def on_mount(self) -> None:
        """The text takes the keys."""
        view = self.query_one(DocumentView)
        view.show(self._sections)
        view.focus()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()
