"""A note on the turn that was just played."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.message_area import MessageArea


class NoteDialog(Dialog[str | None]):
    """Returns the note, None when there is none."""

    CSS_PATH = "../../styles/dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", id="note.close", tooltip="Close without a note"),
    ]

    def __init__(self, about: str) -> None:
        super().__init__()
        self._about = about

    def compose(self) -> ComposeResult:
        """A box."""
        with Vertical(classes="dialog"):
            yield Static(Content(f"A note on {self._about}   ·   Enter keeps it"), classes="dialog--title")
            yield MessageArea(id="note")

    def on_mount(self) -> None:
        """The box takes the keys."""
        self.query_one(MessageArea).focus()

    @on(MessageArea.Sent)
    def _written(self, event: MessageArea.Sent) -> None:
        self.dismiss(event.text.strip() or None)

    def action_close(self) -> None:
        """No note."""
        self.dismiss(None)
