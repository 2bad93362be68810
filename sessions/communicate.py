"""Whether the agent said a required string, where, and whether it is only part of a longer number or word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from domains.matching import folded, occurrences
from sessions.trajectory import Turn

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Said:
    """Where a required string was found; `inside` is the longer number or word when it was found only within one."""

    turn: int
    sentence: str
    inside: str = ""


def agent_texts(turns: Iterable[Turn]) -> list[tuple[int, str]]:
    """Return the agent's words, also those sent together with calls, by turn."""
    return [(turn.index, turn.text) for turn in turns if turn.seat == "agent" and turn.text.strip()]


def find(required: str, texts: Iterable[tuple[int, str]]) -> Said | None:
    """Return where a required string was said, rather where it stands alone; None when the rule is not met."""
    within: Said | None = None
    for turn, text in texts:
        haystack = folded(text)
        for at, inside in occurrences(required, haystack):
            if not inside:
                return Said(turn, _sentence(text, haystack, at))
            within = within or Said(turn, _sentence(text, haystack, at), inside)
    return within


def _sentence(text: str, haystack: str, at: int) -> str:
    """Return the sentence of the original text that holds the match."""
    origin = _position(text, haystack, at)
    start = 0
    for end in SENTENCE_END.finditer(text):
        if end.start() > origin:
            return text[start : end.start()].strip()
        start = end.end()
    return text[start:].strip()


def _position(text: str, haystack: str, at: int) -> int:
    """Return where a position of the folded text stands in the original one."""
    count = 0
    for i, character in enumerate(text):
        if character != ",":
            # A few characters become longer in lower case.
            count += len(character.lower())
            if count > at:
                return i
    return len(text)
