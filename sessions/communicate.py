"""Whether the agent said a required string, where, and whether it is only part of a longer number or word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

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


def folded(text: str) -> str:
    """Return a text as the rule compares it: lower-cased, without commas."""
    return text.lower().replace(",", "")


def find(required: str, texts: Iterable[tuple[int, str]]) -> Said | None:
    """Return where a required string was said, rather where it stands alone; None when the rule is not met."""
    needle = required.lower()
    within: Said | None = None
    for turn, text in texts:
        haystack = folded(text)
        at = haystack.find(needle)
        while at >= 0:
            inside = _longer(haystack, at, at + len(needle))
            if not inside:
                return Said(turn, _sentence(text, haystack, at))
            within = within or Said(turn, _sentence(text, haystack, at), inside)
            at = haystack.find(needle, at + 1)
    return within


def _longer(text: str, start: int, end: int) -> str:
    """Return the longer number or word around a match, or nothing where the match stands alone."""
    left, right = start, end
    if start < end:
        while left > 0 and text[start].isalnum() and _joins(text, left - 1, text[start]):
            left -= 1
        while right < len(text) and text[end - 1].isalnum() and _joins(text, right, text[end - 1]):
            right += 1
    found = text[left:right]
    return "" if (left, right) == (start, end) or _amount(found) == _amount(text[start:end]) is not None else found


def _amount(text: str) -> float | None:
    """Return a number written plainly; 327.00 is the amount 327."""
    return float(text) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) else None


def _joins(text: str, at: int, edge: str) -> bool:
    """Tell whether the character there makes the match part of something longer."""
    if text[at].isalnum():
        return True
    between_digits = 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()
    return text[at] == "." and edge.isdigit() and between_digits


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
