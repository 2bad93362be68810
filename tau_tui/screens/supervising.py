"""Asks the person before a write of somebody who is no person is made (`--approve writes`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from domains.toolkit import Seat
from sessions.players.base import Ruling, ToolCall
from tau_tui.screens.dialogs.review import ReviewDialog

if TYPE_CHECKING:
    from textual.app import App


class Supervising:
    """Opens the question, and opens it again when it was closed without an answer and the person comes back to it."""

    def __init__(
        self, app: App[Any], person: str, changed: Callable[[], None], expose: Callable[[], Awaitable[None]]
    ) -> None:
        self._app = app
        self._person = person
        self._changed = changed
        self._expose = expose
        self._again = asyncio.Event()
        self.waiting: ToolCall | None = None
        """The write that waits for a decision."""

    @property
    def aside(self) -> bool:
        """Whether a write waits and the question about it is closed."""
        return self.waiting is not None and not isinstance(self._app.screen, ReviewDialog)

    def ask_again(self) -> None:
        """Open the question that was closed."""
        self._again.set()

    async def review(self, seat: Seat, call: ToolCall) -> Ruling:
        """Return the person's decision."""
        await self._expose()
        self.waiting = call
        self._changed()
        try:
            while True:
                self._again.clear()
                ruling = await self._asked(seat, call)
                if ruling is not None:
                    return ruling
                self._changed()
                await self._again.wait()
        finally:
            self.waiting = None
            self._changed()

    async def _asked(self, seat: Seat, call: ToolCall) -> Ruling | None:
        answer: asyncio.Future[Ruling | None] = asyncio.get_running_loop().create_future()

        def answered(ruling: Ruling | None) -> None:
            if not answer.done():
                answer.set_result(ruling)

        dialog = ReviewDialog(seat, call, by=self._person)
        await self._app.push_screen(dialog, answered)
        try:
            return await answer
        finally:
            if not answer.done() or answer.cancelled():  # the call is no longer wanted
                dialog.withdraw()
