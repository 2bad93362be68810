"""A write that waits for a person: approve it, edit its arguments, or refuse it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from domains.toolkit import Seat
from domains.values import JSON
from sessions.players.base import Ruling, ToolCall
from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.change_text import pretty
from tau_tui.widgets.message_area import MessageArea
from tau_tui.widgets.safe_text import one_line, safe

ANSWERS = (
    ("approve", "approve: it is made as it stands"),
    ("edit", "edit its arguments"),
    ("refuse", "refuse: it is not made, and the player is told"),
    ("why", "refuse, and say why"),
)


class ReviewDialog(Dialog[Ruling | None]):
    """Returns the ruling, None when it was closed without one: then the write goes on waiting."""

    CSS_PATH = "../../styles/dialogs.tcss"
    DEFAULT_CSS = """
    ReviewDialog {
        align: center middle;
        & MessageArea { display: none; height: auto; max-height: 12; }
        &.-writing MessageArea { display: block; }
        &.-writing OptionList, &.-edit .dialog--text { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", id="review.close", tooltip="Back; the write waits"),
    ]

    def __init__(self, seat: Seat, call: ToolCall, *, by: str) -> None:
        super().__init__()
        self._seat = seat
        self._call = call
        self._by = by

    def compose(self) -> ComposeResult:
        """The call, the answers, and a box for what must be written."""
        with Vertical(classes="dialog"):
            title = f"The {self._seat} wants to write: {self._call.name}"
            yield Static(Content(one_line(title)), classes="dialog--title")
            with VerticalScroll(classes="dialog--text", can_focus=False):
                yield Static(Content(safe(pretty(dict(self._call.arguments)))), classes="dialog--part")
            yield OptionList(*(Option(Content(says), id=name) for name, says in ANSWERS), markup=False, compact=True)
            yield Static("", id="review-says", markup=False)
            yield MessageArea(id="review")

    def on_mount(self) -> None:
        """The answers take the keys."""
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _answered(self, event: OptionList.OptionSelected) -> None:
        match event.option_id:
            case "approve":
                self.dismiss(Ruling("approved", by=self._by))
            case "refuse":
                self.dismiss(Ruling("refused", by=self._by))
            case "edit":
                text = json.dumps(dict(self._call.arguments), ensure_ascii=False, indent=2)
                self._write("-edit", text, "the arguments, as JSON · Enter makes the call, Ctrl+J is a new line")
            case "why":
                self._write("-why", "", "why · Enter refuses")

    def _write(self, what: str, text: str, says: str) -> None:
        self.add_class("-writing", what)
        self.query_one("#review-says", Static).update(Content(says))
        area = self.query_one(MessageArea)
        area.write(text)
        area.focus()

    @on(MessageArea.Sent)
    def _written(self, event: MessageArea.Sent) -> None:
        if self.has_class("-why"):
            self.dismiss(Ruling("refused", reason=event.text.strip(), by=self._by))
            return
        try:
            arguments = _arguments(event.text)
        except ValueError as wrong:
            self.query_one("#review-says", Static).update(Content(one_line(f"not yet: {wrong}")))
            return
        same = arguments == dict(self._call.arguments)
        decision = Ruling("approved", by=self._by) if same else Ruling("edited", arguments, by=self._by)
        self.dismiss(decision)

    def withdraw(self) -> None:
        """Nobody waits for the answer any more."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Back from the box to the answers, from the answers to the session."""
        if self.has_class("-writing"):
            self.remove_class("-writing", "-edit", "-why")
            self.query_one("#review-says", Static).update("")
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)


def _arguments(text: str) -> Mapping[str, JSON]:
    """Return the arguments. Raises ValueError."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("the arguments must be one JSON object")
    return found
