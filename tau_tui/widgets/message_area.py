"""The box a person writes in: Enter sends, Ctrl+J and Shift+Enter make a line, ↑ on the first line brings back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

EDITING = Binding.Group("Write")


def one_to_one(text: str) -> str:
    """Make control characters visible without moving any other: what a terminal must never get from a paste."""
    return "".join(_shown(c) for c in text)


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20 and char != "\t":
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    unruly = 0x80 <= code < 0xA0 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return "�" if unruly or code in (0x2028, 0x2029) or 0xD800 <= code <= 0xDFFF else char


class MessageArea(TextArea):
    """Commands begin with a typed `/` in an empty box; what is pasted, or has two lines, is never a command."""

    DEFAULT_CSS = """
    MessageArea { height: auto; max-height: 8; border: none; padding: 0; scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send", show=False, id="message.send", tooltip="Send what is written", group=EDITING),
        Binding(
            "ctrl+j,shift+enter,alt+enter",
            "newline",
            "New line",
            show=False,
            id="message.newline",
            tooltip="Begin a new line",
            group=EDITING,
        ),
    ]

    @dataclass
    class Sent(Message):
        """Enter was pressed."""

        text: str

    @dataclass
    class Commanding(Message):
        """A command is being typed (`query`, from the `/` on), or no longer (None)."""

        query: str | None

    @dataclass
    class Move(Message):
        """An arrow key was pressed while a command is being typed."""

        by: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, show_line_numbers=False, soft_wrap=True, highlight_cursor_line=False)
        self.commanding = False
        self.sent: list[str] = []
        self._at: int | None = None
        self._unsent = ""

    def get_line(self, line_index: int) -> Text:
        """Return a line in which nothing steers the terminal."""
        return Text(one_to_one(self.document.get_line(line_index)), end="", no_wrap=True)

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        event.prevent_default()  # or the base class would handle it a second time
        if event.key == "enter":
            return  # the binding's
        if event.character == "/" and not self.text and not self.read_only:
            self.commanding = True
        await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        self.commanding = False
        if len(event.text.splitlines()) > 1 or not self.text:
            self._tell_command()
        event.stop()
        event.prevent_default()
        await super()._on_paste(events.Paste(event.text.replace("\r\n", "\n").replace("\r", "\n")))

    def on_text_area_changed(self) -> None:
        """Find out whether this is still a command."""
        if self.commanding and (not self.text.startswith("/") or "\n" in self.text):
            self.commanding = False
        self._tell_command()

    def _tell_command(self) -> None:
        self.post_message(self.Commanding(self.text if self.commanding else None))

    def action_send(self) -> None:
        """Hand over what is written."""
        self.post_message(self.Sent(self.text))

    def action_newline(self) -> None:
        """Begin a new line."""
        if not self.read_only:
            self._replace_via_keyboard("\n", *self.selection)

    def action_cursor_up(self, select: bool = False) -> None:
        """Go up; on the first line, back to what was sent before."""
        if self.commanding:
            self.post_message(self.Move(-1))
        elif select or not self.cursor_at_first_line or not self.sent or self.read_only:
            super().action_cursor_up(select)
        else:
            if self._at is None:
                self._unsent, self._at = self.text, len(self.sent)
            if self._at > 0:
                self._at -= 1
                self._recall(self.sent[self._at])

    def action_cursor_down(self, select: bool = False) -> None:
        """Go down; on the last line, forward again."""
        if self.commanding:
            self.post_message(self.Move(1))
        elif select or not self.cursor_at_last_line or self._at is None or self.read_only:
            super().action_cursor_down(select)
        else:
            self._at += 1
            if self._at < len(self.sent):
                self._recall(self.sent[self._at])
            else:
                self._at = None
                self._recall(self._unsent)

    def _recall(self, text: str) -> None:
        self.write(text)

    def write(self, text: str) -> None:
        """Put a text in place of what is there; it is a message, whatever it begins with."""
        self.commanding = False
        self.load_text(text)
        self.move_cursor(self.document.end)

    def empty(self) -> None:
        """Begin anew."""
        self._at = None
        self.write("")

    def begin(self, character: str) -> None:
        """Take a key that was pressed elsewhere, as if it had been pressed here."""
        if character == "/" and not self.text:
            self.commanding = True
        self.insert(character)

    def sent_off(self, text: str) -> None:
        """Take away and remember what was sent; what has been typed behind it since then stays."""
        self.remember(text)
        self._at = None
        self.write(self.text.removeprefix(text))

    def remember(self, text: str) -> None:
        """Keep what was sent for ↑."""
        if text and (not self.sent or self.sent[-1] != text):
            self.sent.append(text)
