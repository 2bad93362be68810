"""The phone: its face, why it cannot be pressed when it cannot, and what it answered last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from domains.values import JSON
from tau_tui.widgets.pane import Unseen
from tau_tui.widgets.phone.face import Face
from tau_tui.widgets.phone.key import PHONE, Key
from tau_tui.widgets.phone.knowledge import Answer, Known
from tau_tui.widgets.phone.tiles import TOOLS, Press
from tau_tui.widgets.safe_text import one_line, safe

SHORT, LONG = 3, 10
"""As many lines of an answer are shown on a short screen, and on others; all of it opens by a click or Enter."""


class LastAnswer(Static, can_focus=True):
    """The last answer in its own words."""

    DEFAULT_CSS = f"LastAnswer {{ height: auto; max-height: {LONG}; pointer: pointer; display: none; }}"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "In full", show=False, id="phone.answer", tooltip="The whole answer", group=PHONE),
    ]

    @dataclass
    class Opened(Message):
        """All of it is to be shown."""

        answer: Answer

    answer: reactive[Answer | None] = reactive(None)

    def watch_answer(self, answer: Answer | None) -> None:
        """Show it."""
        self.display = answer is not None
        if answer is None:
            return
        lines = safe(answer.content).split("\n")
        low = self.screen.has_class("-short") or self.screen.has_class("-tiny")
        most = SHORT if low else LONG
        rest = [f"… {len(lines) - most + 1} more lines: Enter"] if len(lines) > most else []
        self.update(Content("\n".join([*lines[: most - len(rest)], *rest])))
        self.set_class(answer.error, "-wrong")

    def action_open(self) -> None:
        """Show all of it."""
        if self.answer is not None:
            self.post_message(self.Opened(self.answer))

    def on_click(self, event: events.Click) -> None:
        """Show all of it."""
        event.stop()
        self.action_open()


class Phone(Vertical):
    """Says what was pressed; whose turn it is and what becomes of the press is the screen's."""

    DEFAULT_CSS = """
    Phone {
        height: 1fr;
        & > Face { height: auto; max-height: 1fr; }
        & > #phone-why { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    @dataclass
    class Pressed(Message):
        """A tool of the phone is to be called, with these arguments and what `press` has to ask for first."""

        tool: str
        arguments: Mapping[str, JSON]
        press: Press | None = None

    @dataclass
    class Refused(Message):
        """It was pressed while it cannot be."""

        why: str

    why: reactive[str] = reactive("opening …")
    """Why nothing can be pressed now; nothing when it can."""

    def __init__(self, tools: Iterable[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tools = TOOLS.intersection(tools)
        self._face = Face(self._tools)
        self.known = Known()
        self._news = 0

    def compose(self) -> ComposeResult:
        """What can be done, the face, the answer."""
        yield Static("", id="phone-why", markup=False)
        yield self._face
        yield LastAnswer()

    def on_mount(self) -> None:
        """Say from the first why it cannot be pressed."""
        self.watch_why(self.why)

    def focus(self, scroll_visible: bool = True, **_: object) -> Phone:
        """The key one was at last takes it."""
        if (here := self._face.here) is not None:
            here.focus(scroll_visible)
        return self

    def go_to_newest(self) -> None:
        """Everything is as new as it is known."""

    def show(self, known: Known, *, news: bool = True) -> None:
        """Show what is known now; is it news, the tab counts it."""
        self._news += news and known != self.known
        self.known = known
        self._face.show(known)
        self.query_one(LastAnswer).answer = known.last
        self._tell()

    def watch_why(self, why: str) -> None:
        """Grey it out, with the reason above."""
        self.set_class(bool(why), "-locked")
        if self.is_mounted:
            said = f"not now: {one_line(why)}" if why else "Enter or a click looks, or presses"
            self.query_one("#phone-why", Static).update(Content(said))

    def on_show(self) -> None:
        """It is looked at."""
        self._tell()

    def on_descendant_focus(self) -> None:
        """It is looked at, whether or not its being shown was told: Textual does not always tell that."""
        self._tell()

    def _tell(self) -> None:
        if all(node.display for node in self.ancestors_with_self if isinstance(node, Widget)):
            self._news = 0
        self.post_message(Unseen(self, self._news))

    @on(Key.Pressed)
    def _pressed(self, event: Key.Pressed) -> None:
        event.stop()
        tile, press = event.key.tile, event.key.press
        tool = press.tool if press is not None else next((name for name in tile.looks if name in self._tools), None)
        if self.why:
            self.post_message(self.Refused(self.why))
        elif tool is not None:
            self.post_message(self.Pressed(tool, tile.fixed, press))
