"""A proposal as the customer hears it, and what the checks of its arguments share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from domains.values import JSON
from sessions.players.language import plain
from sessions.players.lookup import Lookup
from sessions.players.mentions import Found, number


@dataclass(frozen=True)
class Said:
    """A proposal as the customer `user_id` hears it, and the write it is compared with."""

    text: str
    lookup: Lookup
    user_id: str = ""
    write: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def low(self) -> str:
        """The text in plain form."""
        return plain(self.text)

    @property
    def record(self) -> Mapping[str, JSON]:
        """The reservation the write is about, or nothing."""
        return self.lookup.record("reservations", str(self.write.get("reservation_id", ""))) or {}


Check: TypeAlias = Callable[[JSON, Said], bool]
"""Whether the text contradicts the value an argument should have."""


def off(found: Iterable[Found], expected: Iterable[str]) -> bool:
    """Something else is named."""
    return not {f.value for f in found} <= set(expected)


def past(text: str, found: Found) -> bool:
    """The value is named as what is given up: `from economy`, `instead of May 20`, `currently`."""
    before = plain(text[max(0, found.start - 45) : found.start])
    return bool(
        re.search(
            r"\b(?:from|instead of|currently|current|existing|original|replac\w+|old|was|rather than|previous)(?: "
            r"\w+)?$",
            before,
        )
    )


def now(text: str, found: Iterable[Found]) -> list[Found]:
    return [f for f in found if not past(text, f)]


def cents(value: JSON) -> int:
    try:
        return round(float(value) * 100)
    except (TypeError, ValueError):
        return -1


def counted(pattern: str, said: Said) -> list[str]:
    return [number(m[1]) for m in re.finditer(pattern, said.low)]
