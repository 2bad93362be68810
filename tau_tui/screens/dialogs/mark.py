"""Marks a fault on a turn: who erred, how, how badly, in one's own words, and the policy line it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label, Select

from sessions.event import Mark
from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.letter_select import LetterSelect
from tau_tui.widgets.safe_text import one_line

AUTHORS: Final = ("agent", "user", "environment", "task")
TYPES: Final = (
    "wrong_tool",
    "wrong_argument",
    "partially_completed",
    "wrong_information",
    "wrong_decision",
    "unintended_action",
    "other",
)
SEVERITIES: Final = ("minor", "critical")
USER_SEVERITIES: Final = ("minor", "critical_helped", "critical_hindered")
"""A user's critical fault may have helped the agent or hindered it (`measures.md` §5)."""

GROUP = Binding.Group("Fault mark")


class MarkDialog(Dialog[Mark | None]):
    """Asks for a mark; None when it was closed. `turns` are the turns to choose from with a label each."""

    DEFAULT_CSS = """
    MarkDialog {
        align: center middle;
        & > Vertical { width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; }
        Horizontal { height: auto; }
        Label { width: 14; }
        Select { width: 1fr; }
        Input { width: 1fr; }
        Button { margin-right: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="mark.close", tooltip="Close without marking", group=GROUP),
        Binding("f10", "save", "Keep", id="mark.save", tooltip="Keep this mark", group=GROUP),
    ]

    def __init__(self, turns: Sequence[tuple[int, str]], *, by: str, turn: int | None = None, author: str = "") -> None:
        super().__init__()
        self._turns = turns
        self._by = by
        self._turn = turn if turn is not None else (turns[-1][0] if turns else 0)
        self._author = author or AUTHORS[0]

    def compose(self) -> ComposeResult:
        """One row a field."""
        labels = [
            (Text(one_line(f"t{turn} {label}"), no_wrap=True, overflow="ellipsis"), turn) for turn, label in self._turns
        ]
        severities = USER_SEVERITIES if self._author == "user" else SEVERITIES
        with Vertical():
            yield Label("Mark a fault", classes="title")
            with Horizontal():
                yield Label("turn")
                yield LetterSelect(labels or [("the session", 0)], value=self._turn, id="turn")
            for name, choices, value in (
                ("author", AUTHORS, self._author),
                ("type", TYPES, TYPES[0]),
                ("severity", severities, severities[0]),
            ):
                with Horizontal():
                    yield Label(name)
                    yield LetterSelect(_options(choices), value=value, id=name)
            with Horizontal():
                yield Label("in words")
                yield Input(placeholder="what was wrong", compact=True, id="words")
            with Horizontal():
                yield Label("policy line")
                yield Input(placeholder="the rule it rests on, if any", compact=True, id="policy")
            with Horizontal():
                yield Button("Keep (F10)", variant="primary", compact=True, id="keep")
                yield Button("Close (Esc)", compact=True, id="close")

    def on_mount(self) -> None:
        """Begin with the turn."""
        self.query_one("#turn", Select).focus()

    @on(Select.Changed, "#author")
    def _author_changed(self, event: Select.Changed) -> None:
        severity: Select[str] = self.query_one("#severity", Select)
        wanted = USER_SEVERITIES if event.value == "user" else SEVERITIES
        if severity.value not in wanted:
            severity.set_options(_options(wanted))
            severity.value = wanted[-1]
        else:
            kept = severity.value
            severity.set_options(_options(wanted))
            severity.value = kept

    @on(Input.Submitted)
    @on(Button.Pressed, "#keep")
    def action_save(self) -> None:
        """Keep the mark."""
        self.dismiss(
            Mark(
                turn=int(str(self.query_one("#turn", Select).value)),
                author=str(self.query_one("#author", Select).value),
                type=str(self.query_one("#type", Select).value),
                severity=str(self.query_one("#severity", Select).value),
                text=self.query_one("#words", Input).value.strip(),
                policy_line=self.query_one("#policy", Input).value.strip(),
                by=self._by,
            )
        )

    @on(Button.Pressed, "#close")
    def action_close(self) -> None:
        """Close without marking."""
        self.dismiss(None)


def _options(values: Sequence[str]) -> list[tuple[str, str]]:
    return [(value.replace("_", " "), value) for value in values]
