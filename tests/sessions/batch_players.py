"""Players for runs, named by `tests.sessions.batch_players:Class`; each test sets up what they do in `stage`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from domains.values import JSON
from sessions.players.base import Action, PlayerFailure, View


@dataclass
class Stage:
    """What happens to the players of one test."""

    failures: int = 0
    """How many of the next acts fail."""
    together: int = 0
    """How many acts wait for one another before any of them goes on."""
    usage: Mapping[str, JSON] = field(default_factory=dict)
    acting: int = 0
    peak: int = 0
    acts: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)


stage = Stage()


def set_up(new: Stage) -> Stage:
    """Begin a test."""
    global stage
    stage = new
    return new


class Leaver:
    """A customer who says one thing, hears one answer and leaves."""

    async def act(self, view: View) -> Action:
        """Speak, or leave."""
        spoken = any(turn.seat == "user" for turn in view.turns)
        return Action(stop="###STOP###") if spoken else Action("Hello.")


class Waiter:
    """An agent that acts when as many are acting as are to."""

    async def act(self, view: View) -> Action:
        """Answer, once so many are waiting."""
        stage.acts += 1
        stage.acting += 1
        stage.peak = max(stage.peak, stage.acting)
        try:
            if stage.failures:
                stage.failures -= 1
                raise PlayerFailure("the line is dead")
            if stage.acting >= stage.together:
                stage.gate.set()
            await stage.gate.wait()
        finally:
            stage.acting -= 1
        return Action("How can I help?", usage=stage.usage)


AGENT = f"{__name__}:{Waiter.__name__}"
USER = f"{__name__}:{Leaver.__name__}"
