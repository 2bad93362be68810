"""The commands that `/` opens, filtered by what is typed; the last line sends the text as a message instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tau_tui.widgets.safe_text import one_line


@dataclass(frozen=True, slots=True)
class Command:
    """A word after the slash and the action of the screen it stands for; `rest` says what may follow the word."""

    name: str
    says: str
    rest: str = ""


COMMANDS: Final = (
    Command("tool", "call a tool (F3)", "name"),
    Command("end", "end the conversation (F4)"),
    Command("undo", "take back your last message (F8)"),
    Command("rewind", "go on from an earlier turn (F10)", "turn"),
    Command("note", "write a note on this turn (F7)", "text"),
    Command("scenario", "what you know and want (F2)"),
    Command("policy", "the rules of the agent (F2)"),
    Command("goal", "reveal the goal: recorded"),
    Command("phone", "your phone, where there is one"),
    Command("zoom", "one pane fills the screen (F6)"),
    Command("pane", "the next pane (F9)"),
    Command("retry", "try again what failed"),
    Command("stop", "stop the model that is writing (Esc)"),
    Command("seat", "take a seat, hand it back (Ctrl+S)"),
    Command("approve", "approve each write first, or no longer"),
    Command("result", "the result, once it has ended"),
    Command("help", "keys and commands (F1)"),
    Command("quit", "leave (Ctrl+Q)"),
)
AS_MESSAGE: Final = "\0message"


class CommandList(OptionList):
    """Takes no focus: the box that is typed in moves its cursor."""

    DEFAULT_CSS = "CommandList { height: auto; max-height: 8; border: none; padding: 0 1; display: none; }"

    @dataclass
    class Picked(Message):
        """A command was clicked, or chosen with Enter; `name` is `AS_MESSAGE` for none of them."""

        name: str
        rest: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self.can_focus = False
        self._query = ""
        self._warned = ""

    def filter(self, query: str | None) -> None:
        """Show what fits; None closes the list."""
        self.display = query is not None
        if query != self._warned:
            self._warned = ""
        if query is None:
            return
        self._query = query
        word = query[1:].split(" ", 1)[0]
        found = [command for command in COMMANDS if command.name.startswith(word.lower())]
        if " " in query:
            found = [command for command in found if command.name == word.lower()]
        options = [Option(f"{f'/{c.name} {c.rest}':14} {c.says}", id=c.name) for c in found]
        shown = _short(query)
        none = f"there is no command {_short('/' + word)}; Enter again sends it as a message"
        as_message = none if self._warned else f"send “{shown}” as a message"
        options.append(Option(Content(as_message), id=AS_MESSAGE))
        self.set_options(options)
        self.highlighted = 0

    def move(self, by: int) -> None:
        """Move the cursor."""
        if self.option_count:
            self.highlighted = ((self.highlighted or 0) + by) % self.option_count

    def pick(self) -> None:
        """Take what is under the cursor."""
        option = self.highlighted_option
        if self.option_count == 1 and option is not None and option.id == AS_MESSAGE and not self._warned:
            self._warned = self._query
            self.filter(self._query)
        elif option is not None:
            self.post_message(self.Picked(option.id or AS_MESSAGE, self._query.partition(" ")[2].strip()))

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.highlighted = event.option_index
        self.pick()


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) < 40 else text[:39] + "…"
