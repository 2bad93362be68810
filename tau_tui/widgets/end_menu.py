"""How to end: the only way a person ends a conversation, whatever is written in a message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from domains.toolkit import Seat
from sessions.event import Stop


@dataclass(frozen=True, slots=True)
class Ending:
    """One way to end; without a token the session is left, which is no ending of the benchmark's."""

    name: str
    says: str
    stop: Stop | None


ENDINGS: Final[dict[Seat, tuple[Ending, ...]]] = {
    "user": (
        Ending("satisfied", "satisfied: what you came for is done", "###STOP###"),
        Ending("transferred", "transferred: you were handed to a person", "###TRANSFER###"),
        Ending("out of scope", "out of scope: your instructions do not say how to go on", "###OUT-OF-SCOPE###"),
        Ending("abandoned", "abandon: leave without an ending; the reward is 0", None),
    ),
    "agent": (
        Ending("finished", "finished: close the conversation as the agent", "###STOP###"),
        Ending("abandoned", "abandon: leave without an ending; the reward is 0", None),
    ),
}
SOLO_ENDINGS: Final = (Ending("done", "done: the ticket is finished", "###STOP###"), ENDINGS["agent"][-1])
ENDED_WORDS: Final[dict[Stop, str]] = {
    "###STOP###": "satisfied",
    "###TRANSFER###": "transferred",
    "###OUT-OF-SCOPE###": "out of scope",
}

PROMISES: Final = re.compile(
    r"\b(?:I will|I'll|I am going to|I'm going to)\b(?! (?:not|never)\b)"
    r"|\b(?:let me|one moment|just a moment|please hold|give me a)\b|\?\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def promise_in(text: str) -> str:
    """Return the words by which a message promises something or asks, or nothing."""
    found = [match.group(0).strip() for match in PROMISES.finditer(text.replace("’", "'"))]
    return found[-1] if found else ""


class EndMenu(Vertical):
    """A list of endings, under a warning when the agent has just promised something."""

    DEFAULT_CSS = """
    EndMenu { height: auto; & > #end-warning { height: auto; } & > OptionList { height: auto; border: none; } }
    """

    @dataclass
    class Picked(Message):
        """An ending was chosen."""

        ending: Ending

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._endings = ENDINGS["user"]

    def compose(self) -> ComposeResult:
        """Warning above list."""
        yield Static("", id="end-warning", markup=False)
        yield OptionList(id="endings", markup=False, compact=True)

    def offer(self, seat: Seat, last_words: str, *, solo: bool = False) -> None:
        """Offer a seat's endings; `last_words` is the agent's last message as the seat heard it."""
        self._endings = SOLO_ENDINGS if solo else ENDINGS[seat]
        promise = promise_in(last_words)
        warning = self.query_one("#end-warning", Static)
        warning.display = bool(promise)
        said = "has just asked something" if promise == "?" else f"has just said “{promise}”"
        warning.update(Content(f"The agent {said}: what it announced may not be done yet."))
        endings = self.query_one("#endings", OptionList)
        endings.set_options(Option(ending.says, id=ending.name) for ending in self._endings)
        endings.highlighted = 0
        endings.focus()

    @on(OptionList.OptionSelected, "#endings")
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Picked(self._endings[event.option_index]))
