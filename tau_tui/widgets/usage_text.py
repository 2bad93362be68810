"""What a model's turns took, in words: tokens, cost and time. A price nobody knows is `n/a`, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from domains.values import JSON

Usage = Mapping[str, JSON]


def of_turn(usage: Usage) -> str:
    """Return `1,240 + 45 tokens · $0.0012 · 1.3 s`, nothing where no model spoke."""
    if not _of_model(usage):
        return ""
    parts = []
    if "prompt_tokens" in usage or "completion_tokens" in usage:
        parts.append(f"{usage.get('prompt_tokens', 0):,} + {usage.get('completion_tokens', 0):,} tokens")
    parts.append(_cost(usage.get("cost")))
    if "latency" in usage:
        parts.append(f"{usage['latency']:.1f} s")
    if (attempts := usage.get("attempts", 1)) > 1:
        parts.append(f"{attempts} attempts")
    return " · ".join(parts)


def of_session(usages: Iterable[Usage]) -> list[str]:
    """Return the same of all turns together, and how many of them have no known price."""
    turns = [usage for usage in usages if _of_model(usage)]
    if not turns:
        return []
    prompt, completion = (sum(usage.get(name, 0) for usage in turns) for name in ("prompt_tokens", "completion_tokens"))
    known = [usage["cost"] for usage in turns if usage.get("cost") is not None]
    unknown = len(turns) - len(known)
    cost = _cost(sum(known) if known else None)
    parts = [f"{prompt + completion:,} tokens"] if prompt + completion else []
    parts.append(f"{cost} + {unknown} turn{'s' * (unknown > 1)} n/a" if known and unknown else cost)
    if seconds := sum(usage.get("latency", 0) for usage in turns):
        parts.append(f"models {seconds:.1f} s")
    return parts


def _of_model(usage: Usage) -> bool:
    return any(name in usage for name in ("latency", "prompt_tokens", "completion_tokens", "cost"))


def _cost(dollars: float | None) -> str:
    return "cost n/a" if dollars is None else f"${dollars:.4f}"
