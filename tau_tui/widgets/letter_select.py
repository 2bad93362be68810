"""A choice that letters jump to, without the list being opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from rich.text import Text
from textual import events
from textual.widgets import Select

Chosen = TypeVar("Chosen")


class LetterSelect(Select[Chosen], Generic[Chosen]):
    """Typed letters add up (`b` is the first with a b, `ba` the first with ba); one letter again goes to the next."""

    def __init__(
        self,
        options: Sequence[tuple[Text | str, Chosen]],
        *,
        prompt: str = "choose …",
        value: Chosen | None = None,
        id: str | None = None,
    ) -> None:
        if value is None:
            super().__init__(options, prompt=prompt, compact=True, id=id)
        else:
            super().__init__(options, value=value, allow_blank=False, compact=True, id=id)
        self._named: list[tuple[str, Chosen]] = []
        self._letters = ""
        self._name_them(options)

    def set_options(self, options: Sequence[tuple[Text | str, Chosen]]) -> None:  # type: ignore[override]  # gone over twice
        """Offer others."""
        super().set_options(options)
        self._name_them(options)

    def _name_them(self, options: Sequence[tuple[Text | str, Chosen]]) -> None:
        self._named = [(str(shown).lower(), value) for shown, value in options]

    def on_key(self, event: events.Key) -> None:
        """Jump."""
        char = (event.character or "").lower()
        if self.expanded or not event.is_printable or char.isspace():
            return
        event.stop()
        event.prevent_default()
        longer = self._starting(self._letters + char)
        if longer and self._letters != char:
            self._letters += char
            self.value = longer[0]
        elif found := self._starting(char):
            at = found.index(self.value) + 1 if self.value in found else 0
            self._letters = char
            self.value = found[at % len(found)]

    def on_blur(self) -> None:
        """Letters typed later begin anew."""
        self._letters = ""

    def _starting(self, letters: str) -> list[Chosen]:
        return [value for name, value in self._named if name.startswith(letters)]
