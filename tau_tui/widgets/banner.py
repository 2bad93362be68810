"""A failure of the machinery: what happened, what to do, and the key that tries again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tau_tui.widgets.safe_text import one_line


class Banner(Static, can_focus=True):
    """Takes the focus when it opens, so that R is no letter of a message."""

    _others = False
    DEFAULT_CSS = "Banner { height: auto; max-height: 4; padding: 0 1; display: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,enter", "retry", "Try again", id="banner.retry", tooltip="Try again what failed"),
        Binding("o", "others", "Other ways", id="banner.others", tooltip="Choose another way to go on"),
    ]

    @dataclass
    class Retry(Message):
        """It is to be tried again."""

    @dataclass
    class Others(Message):
        """Other ways to go on are asked for."""

    def open(self, what: str, *, retryable: bool = True, others: bool = False) -> None:
        """Tell it; `others` when there are other ways to go on."""
        hint = "press R to try again; nothing is lost" if retryable else "it cannot be tried again; nothing is lost"
        if others:
            hint = f"{'press R to try again' if retryable else 'it cannot be tried again'}, O for other ways to go on"
        self._others = others
        self.update(Content(f"{one_line(what)} · {hint}"))
        self.display = True
        self.focus()

    def close(self) -> None:
        """It is over."""
        self.display = False

    def action_others(self) -> None:
        """Ask for other ways."""
        if self._others:
            self.post_message(self.Others())

    def action_retry(self) -> None:
        """Try again."""
        self.post_message(self.Retry())
