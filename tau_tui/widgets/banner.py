"""A failure of the machinery: what happened, what to do, and the key that tries again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from tau_tui.widgets.safe_text import one_line


class Banner(Static, can_focus=True):
    """Takes the focus when it opens, so that R is no letter of a message; not from somebody who is writing one."""

    _others = False
    _retryable = True
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
        box = self.screen.focused
        words = box.text if isinstance(box, TextArea) else box.value if isinstance(box, Input) else ""
        key = "press Escape, then R" if words else "press R"
        again = f"{key} to try again" if retryable else "it cannot be tried again"
        hint = f"{again}, O for other ways to go on" if others else f"{again}; nothing is lost"
        self._others, self._retryable = others, retryable
        self.update(Content(f"{one_line(what)} · {hint}"))
        self.display = True
        self.refresh_bindings()
        if not words:
            self.focus()

    def close(self) -> None:
        """It is over."""
        self.display = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what is possible."""
        return {"retry": self._retryable, "others": self._others}.get(action, True)

    def action_others(self) -> None:
        """Ask for other ways."""
        self.post_message(self.Others())

    def action_retry(self) -> None:
        """Try again."""
        self.post_message(self.Retry())
