"""What every dialog stands on: it is closed once, and closes nothing but itself."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Answer = TypeVar("Answer")
HELP = Binding.Group("Help")


class Dialog(ModalScreen[Answer]):
    """A key or a click that comes when the dialog has been answered, or lies under another one, does nothing."""

    # Of the app's own keys a modal screen hears only the urgent ones, and the line of keys below it shows F1.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.keys", "Keys", show=False, id="app.keys", tooltip="Show every key", group=HELP),
    ]

    _dismissed = False

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer. Textual would take away whatever screen is in front, and ask nobody twice."""
        if self._dismissed or self.app.screen is not self:
            return AwaitComplete()
        self._dismissed = True
        return super().dismiss(result)
