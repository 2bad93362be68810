"""When a call is a gold action, and a text holds a required string: one rule for scoring and checking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from domains.task import GoldAction
from domains.values import JSON

GREETING = "Hi! How can I help you today?"
"""What the agent says before anybody has said anything; it counts as said."""


def accepts(action: GoldAction, name: str, arguments: Mapping[str, JSON]) -> bool:
    """Tell whether a call is the gold action; equality is Python's, in which 1 is 1.0 and true.

    Without `compare_args` the arguments the caller gave are compared, not those of gold.
    """
    if name != action.name:
        return False
    compared = action.compare_args if action.compare_args is not None else list(arguments)
    given = {name: value for name, value in arguments.items() if name in compared}
    return given == {name: value for name, value in action.arguments.items() if name in compared}


def folded(text: str) -> str:
    """Return what an agent says as it is compared: lower-cased, without commas."""
    return text.lower().replace(",", "")


def occurrences(required: str, haystack: str) -> Iterator[tuple[int, str]]:
    """Yield where a required string stands in a folded text, with the longer number or word it is only a part of."""
    needle = required.lower()
    at = haystack.find(needle)
    while at >= 0:
        yield at, _longer(haystack, at, at + len(needle))
        at = haystack.find(needle, at + 1)


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
