"""One key after the other: the next one is handed on when the app has done all that the last one asked for.

Textual hands every key at once to the widget that has the focus, and finds bindings only after the key has bubbled up
to the app: of keys that come in one burst, those after a Tab go to the field that is being left, and a second Enter
answers a dialog that is already answered.

While the first frame stands in for a screen that is still being loaded, all of them are held, in order, for that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from textual import events

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.message_pump import MessagePump
    from textual.screen import Screen

Stroke: TypeAlias = "events.Key | events.Paste"

ROUNDS: Final = 8
"""A key becomes a message, that one another, then a worker, a dialog, a focus: each takes a round at most."""

PATIENCE: Final = 1.0
"""Seconds after which a key is handed on although something is still at work."""


class Keystrokes:
    """Holds keys and pastes back, in order; everything here runs in the app's own message loop."""

    def __init__(self, app: App[None], hand_on: Callable[[Stroke], Awaitable[None]]) -> None:
        self._app = app
        self._hand_on = hand_on
        self._held: deque[Stroke] = deque()
        self._number = 0
        self._busy = False
        self._watched = False
        self._holding = False

    @property
    def busy(self) -> bool:
        """Whether a key has not had all its effect."""
        return self._busy

    async def take(self, stroke: Stroke) -> None:
        """Hand a key on, now or when those before it are done."""
        if self._holding and isinstance(stroke, events.Key) and stroke.key in self._app._bindings.key_to_bindings:
            await self._hand_on(stroke)  # what works everywhere is meant for no screen
            return
        self._held.append(stroke)
        if self._holding:
            return
        if self._busy:
            self._watch()
        else:
            await self._next()

    def hold(self) -> None:
        """Hand nothing on until `let_go`: the screen it is meant for is not there."""
        self._holding = True

    def let_go(self) -> None:
        """Hand on what was held; the screen is there, and what takes its keys has the focus."""
        self._holding = False
        if not self._busy:
            self._app.call_later(self._next)

    async def _next(self) -> None:
        self._number += 1
        self._busy = bool(self._held)
        if self._held:
            await self._hand_on(self._held.popleft())
            self._begin_round(self._number, ROUNDS)

    async def _done(self, number: int) -> None:
        if number == self._number:
            await self._next()

    def _watch(self) -> None:
        """Whoever is being taken away, or waits for something else, never tells that it is done."""
        if not self._watched:
            self._watched = True
            self._app.set_timer(PATIENCE, partial(self._overdue, self._number))

    async def _overdue(self, number: int) -> None:
        self._watched = False
        if self._busy:
            await self._done(number)
        if self._held:
            self._watch()

    def _begin_round(self, number: int, left: int) -> None:
        """Pass from the focus up to the app; what each has in its queue by then is done on the way."""
        screen = self._app.screen
        focused: DOMNode = screen.focused or screen
        self._pass_on(number, left, screen, [*focused.ancestors_with_self], True)

    def _pass_on(self, number: int, left: int, screen: Screen[Any], way: Sequence[MessagePump], quiet: bool) -> None:
        for i, pump in enumerate(way):
            quiet = quiet and not pump.message_queue_size
            if pump.call_later(self._pass_on, number, left, screen, way[i + 1 :], quiet):
                return
        if number != self._number:
            return
        settled = quiet and self._app.screen is screen
        if left and not settled:
            self._begin_round(number, left - 1)
        else:
            self._app.call_later(self._done, number)
