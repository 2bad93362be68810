"""A person in a seat, without any screen: the decision is a future that whoever shows the session resolves."""

from __future__ import annotations

import asyncio

from sessions.event import PlayerInfo
from sessions.players.base import Action, View


class NotYourTurn(Exception):
    """An action was given while the session was not waiting for this person."""


class HumanPlayer:
    """Waits for `submit`."""

    def __init__(self, name: str) -> None:
        self.info = PlayerInfo("human", name)
        self._decision: asyncio.Future[Action] | None = None

    @property
    def waiting(self) -> bool:
        """Whether the session is waiting for this person."""
        return self._decision is not None and not self._decision.done()

    async def act(self, view: View) -> Action:
        """Wait for the person."""
        self._decision = asyncio.get_running_loop().create_future()
        try:
            return await self._decision
        finally:
            self._decision = None

    def submit(self, action: Action) -> None:
        """Give the person's action. Raises NotYourTurn."""
        if self._decision is None or self._decision.done():
            raise NotYourTurn("it is the other seat's turn")
        self._decision.set_result(action)
