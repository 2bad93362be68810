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

    DEFAULT_CSS = "Banner { height: auto; max-height: 4; padding: 0 1; display: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,enter", "retry", "Try again", id="banner.retry", tooltip="Try again what failed"),
    ]

    @dataclass
    class Retry(Message):
        """It is to be tried again."""

    def open(self, what: str, *, retryable: bool = True) -> None:
        """Tell it."""
        hint = "press R to try again; nothing is lost" if retryable else "it cannot be tried again; nothing is lost"
        self.update(Content(f"{one_line(what)} · {hint}"))
        self.display = True
        self.focus()

    def close(self) -> None:
        """It is over."""
        self.display = False

    def action_retry(self) -> None:
        """Try again."""
        self.post_message(self.Retry())
