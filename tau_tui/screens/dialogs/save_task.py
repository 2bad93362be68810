"""The words a session lacks to be a task: who calls and why, and what the agent must say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Checkbox, Input, Label, SelectionList

from domains.task import Instructions, Task
from sessions.event import Event
from sessions.saving import Words, markable
from sessions.trajectory import fold
from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.safe_text import one_line

GROUP = Binding.Group("Save as task")
FIELDS: Final = {
    "pack": ("pack", "a name of your own, such as mine"),
    "reason": ("reason", "why the customer calls: You want to …"),
    "known": ("knows", "what the customer knows: Your user id is …"),
    "unknown": ("knows not", "what the customer does not know, if anything"),
    "instructions": ("instructions", "how to play the customer, if anything"),
    "persona": ("persona", "who the customer is, if that matters"),
    "say": ("also said", "further strings the agent must say, separated by |"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was filled in."""

    pack: str
    words: Words


class SaveTaskDialog(Dialog[Wanted | None]):
    """Asks for the words; None when it was closed. `before` is what was filled in the last time."""

    DEFAULT_CSS = """
    SaveTaskDialog {
        align: center middle;
        & > VerticalScroll { width: 90; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; }
        Horizontal { height: auto; }
        Label { width: 14; }
        Input { width: 1fr; }
        SelectionList { height: auto; max-height: 8; border: none; padding: 0; }
        Checkbox { border: none; padding: 0; }
        Button { margin-right: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="save_task.close", tooltip="Close without saving", group=GROUP),
        Binding("f10", "save", "Save", id="save_task.save", tooltip="Save the task and check it", group=GROUP),
    ]

    def __init__(self, events: Sequence[Event], before: Wanted | None = None) -> None:
        super().__init__()
        state = fold(events)
        assert state.header is not None
        self._values = _values(Task.model_validate(state.header.task), before)
        self._marked = before.words.say if before is not None else ()
        self._reads = before.words.reads if before is not None else False
        self._candidates = markable(state.turns)

    def compose(self) -> ComposeResult:
        """One row a field, and what the agent said, to be marked."""
        with VerticalScroll():
            yield Label("Save as a task: the writes made are its gold", classes="title")
            for name, (label, hint) in FIELDS.items():
                with Horizontal():
                    yield Label(label)
                    yield Input(self._values[name], placeholder=hint, compact=True, id=name)
            if self._candidates:
                yield Label("must be said")
                yield SelectionList[str](
                    *(
                        (
                            Text(one_line(f"{string}   {line}"), no_wrap=True, overflow="ellipsis"),
                            string,
                            string in self._marked,
                        )
                        for string, line in self._candidates
                    ),
                    compact=True,
                    id="marked",
                )
            yield Checkbox("the calls that changed nothing are gold too", self._reads, compact=True, id="reads")
            with Horizontal():
                yield Button("Save (F10)", variant="primary", compact=True, id="save")
                yield Button("Close (Esc)", compact=True, id="close")

    def on_mount(self) -> None:
        """Begin with the pack."""
        self.query_one("#pack", Input).focus()

    @on(Input.Submitted)
    def _next(self) -> None:
        self.focus_next()

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        """Save what is filled in."""
        values = {name: self.query_one(f"#{name}", Input).value.strip() for name in FIELDS}
        marked = self.query_one("#marked", SelectionList).selected if self._candidates else []
        said = [part.strip() for part in values["say"].split("|") if part.strip()]
        words = Words(
            reason=values["reason"],
            known=values["known"],
            unknown=values["unknown"],
            instructions=values["instructions"],
            persona=values["persona"] or None,
            say=tuple(dict.fromkeys((*marked, *said))),
            reads=self.query_one("#reads", Checkbox).value,
        )
        self.dismiss(Wanted(values["pack"], words))

    @on(Button.Pressed, "#close")
    def action_close(self) -> None:
        """Close without saving."""
        self.dismiss(None)


def _values(parent: Task, before: Wanted | None) -> dict[str, str]:
    """Return what stands in the fields: what was there before, or the scenario that was played."""
    if before is not None:
        words = before.words
        return {
            "pack": before.pack,
            "reason": words.reason,
            "known": words.known,
            "unknown": words.unknown,
            "instructions": words.instructions,
            "persona": words.persona or "",
            "say": " | ".join(words.say),
        }
    told = parent.user_scenario.instructions
    told = Instructions(reason_for_call=told) if isinstance(told, str) else told
    texts = {
        "reason": told.reason_for_call,
        "known": told.known_info,
        "unknown": told.unknown_info,
        "instructions": told.task_instructions,
        "persona": parent.user_scenario.persona,
    }
    return dict.fromkeys(FIELDS, "") | {"pack": "mine"} | {k: one_line(v or "") for k, v in texts.items()}
