"""Control tokens in a model's text, where they count wherever they stand."""

from __future__ import annotations

from typing import get_args

from sessions.event import Stop

TOKENS: tuple[Stop, ...] = get_args(Stop)


def stop_in(text: str) -> Stop | None:
    """Return the first control token in a text."""
    found = [(at, token) for token in TOKENS if (at := text.find(token)) >= 0]
    return min(found)[1] if found else None
