"""One line to be typed: who is to sit in a seat."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.safe_text import one_line, safe


class LineDialog(Dialog[str | None]):
    """Returns the line, None when there is none."""

    CSS_PATH = "../../styles/dialogs.tcss"
    DEFAULT_CSS = "LineDialog { align: center middle; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", id="line.close", tooltip="Close without an answer"),
    ]

    def __init__(self, title: str, text: str, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._value = value

    def compose(self) -> ComposeResult:
        """A box of one line."""
        with Vertical(classes="dialog"):
            yield Static(Content(one_line(f"{self._title}   ·   Enter")), classes="dialog--title")
            yield Static(Content(safe(self._text)), classes="dialog--part")
            yield Input(self._value, id="line", compact=True)

    def on_mount(self) -> None:
        """The box takes the keys."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _written(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or None)

    def action_close(self) -> None:
        """No answer."""
        self.dismiss(None)
