"""Tells a model's reasoning from its words, where both come as one text."""

from __future__ import annotations

from typing import Final

from sessions.players.model.progress import Progress, Thought, Wrote

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class ThinkSplitter:
    """Takes a text piece by piece; what stands in `<think>…</think>` at its beginning is reasoning.

    Nowhere else: a model may speak of such tags.
    """

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, piece: str) -> list[Progress]:
        """Return what a piece adds."""
        if self._state == "after" and (piece := piece.lstrip()):
            self._state = "words"
        if self._state in ("words", "after"):
            return [Wrote(piece)] if piece else []
        self._held += piece
        if self._state == "start":
            begun = self._held.lstrip()
            if OPEN.startswith(begun[: len(OPEN)]) and len(begun) < len(OPEN):
                return []
            if not begun.startswith(OPEN):
                words, self._held, self._state = self._held, "", "words"
                return [Wrote(words)]
            self._state, self._held = "thinking", begun[len(OPEN) :]
        thought, closed, rest = self._held.partition(CLOSE)
        if closed:
            rest = rest.lstrip()
            told: list[Progress] = [Thought(thought)] if thought else []
            self._state, self._held = ("words" if rest else "after"), ""
            return [*told, Wrote(rest)] if rest else told
        # What may be the beginning of the closing tag waits for the next piece.
        keep = next((n for n in range(len(CLOSE) - 1, 0, -1) if thought.endswith(CLOSE[:n])), 0)
        self._held = thought[len(thought) - keep :]
        rest = thought[: len(thought) - keep]
        return [Thought(rest)] if rest else []

    def end(self) -> list[Progress]:
        """Return what was still held back."""
        held, self._held = self._held, ""
        if not held:
            return []
        return [Thought(held)] if self._state == "thinking" else [Wrote(held)]
