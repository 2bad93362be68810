"""Small players and helpers for tests of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from domains.catalog import Domain
from domains.toolkit import Seat
from sessions.event import PlayerInfo
from sessions.keeping import Keeper
from sessions.players.base import Action, Player, View
from sessions.session import Session


class Lines:
    """Plays a list of actions, then leaves with the stop."""

    def __init__(self, *actions: Action | str | Exception, kind: str = "script") -> None:
        self.info = PlayerInfo("script", kind)
        self.views: list[View] = []
        self._actions = [Action(text=a) if isinstance(a, str) else a for a in actions]

    async def act(self, view: View) -> Action:
        """Give the next line."""
        self.views.append(view)
        if not self._actions:
            return Action(stop="###STOP###")
        action = self._actions.pop(0)
        if isinstance(action, Exception):
            raise action
        return action


def session(
    domain: Domain, user: Player, agent: Player, *, task: str = "#0", keeper: Keeper | None = None, **options: object
) -> Session:
    """A session of two given players."""
    players: dict[Seat, Player] = {"user": user, "agent": agent}
    ticks = iter(range(10_000))
    return Session.new(
        domain,
        domain.task(task),
        players,
        view="open",
        keeper=keeper,
        clock=lambda: float(next(ticks)),
        session_id="S",
        **options,  # type: ignore[arg-type]  # whatever Session.new takes
    )


async def until(condition: Callable[[], bool], what: str = "") -> None:
    """Let other tasks run until something holds; raise when it never does."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError(f"never happened: {what or condition}")


def kinds(events: Iterable[object]) -> list[str]:
    """The names of the events' types."""
    return [type(event).__name__ for event in events]
