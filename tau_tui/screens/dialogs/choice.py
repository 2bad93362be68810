"""A question with a few answers: a write to confirm, a goal to reveal, whether to leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.safe_text import one_line, safe


class ChoiceDialog(Dialog[str | None]):
    """Returns the id of the answer, None when closed without one. `first` is the one pointed at in the beginning."""

    CSS_PATH = "../../styles/dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", id="choice.close", tooltip="Close without an answer"),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        answers: Sequence[tuple[str, str]],
        *,
        first: str | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._first = first
        self._title = title
        self._text = text
        self._answers = answers

    def compose(self) -> ComposeResult:
        """Question, what it is about, answers."""
        with Vertical(classes="dialog"):
            yield Static(Content(one_line(self._title)), classes="dialog--title")
            with VerticalScroll(classes="dialog--text", can_focus=False):
                yield Static(Content(safe(self._text)), classes="dialog--part")
            yield OptionList(
                *(Option(Content(says), id=name) for name, says in self._answers), markup=False, compact=True
            )

    def on_mount(self) -> None:
        """The answers take the keys."""
        answers = self.query_one(OptionList)
        answers.focus()
        if self._first is not None and any(name == self._first for name, _ in self._answers):
            answers.highlighted = answers.get_option_index(self._first)

    @on(OptionList.OptionSelected)
    def _answered(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_close(self) -> None:
        """No answer."""
        self.dismiss(None)
