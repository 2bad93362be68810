"""What a model's turns took, in words: tokens, cost and time. A price nobody knows is `n/a`, never 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from domains.values import JSON
from sessions.event import Header, Message

Usage = Mapping[str, JSON]


def own(messages: Iterable[Message], header: Header | None) -> Iterator[Message]:
    """Yield the messages of this very session: of a branch those after its parent's turn, which others paid for."""
    last = None if header is None else header.parent_turn
    return (message for message in messages if last is None or message.turn > last)


def of_turn(usage: Usage) -> str:
    """Return `1,240 + 45 tokens · $0.0012 · 1.3 s`, nothing where no model spoke; what is no number is not there."""
    if not _of_model(usage):
        return ""
    prompt, completion = number_in(usage, "prompt_tokens"), number_in(usage, "completion_tokens")
    parts = []
    if prompt is not None or completion is not None:
        parts.append(f"{prompt or 0:,.0f} + {completion or 0:,.0f} tokens")
    parts.append(_cost(number_in(usage, "cost")))
    if (latency := number_in(usage, "latency")) is not None:
        parts.append(f"{latency:.1f} s")
    if (attempts := number_in(usage, "attempts") or 1) > 1:
        parts.append(f"{attempts:.0f} attempts")
    return " · ".join(parts)


def of_thought(reasoning: str, *, live: bool = False) -> str:
    """Return `thought · 12 words`, which stands for the reasoning where it is folded; nothing where there is none."""
    if not reasoning:
        return ""
    return f"{'thinking' if live else 'thought'} · {len(reasoning.split()):,} words"


def of_session(usages: Iterable[Usage]) -> list[str]:
    """Return the same of all turns together, and how many of them have no known price."""
    turns = [usage for usage in usages if _of_model(usage)]
    if not turns:
        return []
    tokens = sum(number_in(usage, name) or 0 for usage in turns for name in ("prompt_tokens", "completion_tokens"))
    known = [price for usage in turns if (price := number_in(usage, "cost")) is not None]
    unknown = len(turns) - len(known)
    cost = _cost(sum(known) if known else None)
    parts = [f"{tokens:,.0f} tokens"] if tokens else []
    parts.append(f"{cost} + {unknown} turn{'s' * (unknown > 1)} n/a" if known and unknown else cost)
    if seconds := sum(number_in(usage, "latency") or 0 for usage in turns):
        parts.append(f"models {seconds:.1f} s")
    return parts


def _of_model(usage: Usage) -> bool:
    return any(name in usage for name in ("latency", "prompt_tokens", "completion_tokens", "cost"))


def number_in(usage: Usage, name: str) -> float | None:
    """Return what is a number; what was imported, or told by a player of one's own, may be anything."""
    nested = usage.get("usage")  # as tau2 has it
    value = usage.get(name, nested.get(name) if isinstance(nested, dict) else None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _cost(dollars: float | None) -> str:
    return "cost n/a" if dollars is None else f"${dollars:.4f}"
