"""Where a session ends by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Steps as tau2 counts them, agent actions as τ-bench does, tool errors over both seats."""

    max_steps: int = 200
    max_agent_actions: int | None = None
    max_errors: int = 10
