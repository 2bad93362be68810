"""What is drawn at once: the header and empty panes. The real screen is imported in a thread and takes its place."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual import getters, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from tau_tui.widgets.header import Facts, HeaderLine

if TYPE_CHECKING:
    from tau_tui.app import TauApp


@runtime_checkable
class TypeAhead(Protocol):
    """A screen with a box for what was typed before it was there."""

    def focus_box(self) -> None:
        """Give the box the keys, at once."""
        ...


class FirstFrame(Screen[None]):
    """`module` is imported in a thread; `build` makes the screen to come.

    What is typed meanwhile is held by the app (`Keystrokes.hold`), and typed there.
    """

    DEFAULT_CSS = """
    FirstFrame {
        & > Horizontal > Static { width: 1fr; height: 1fr; padding: 0 1; color: $text-accent; text-style: bold; }
    }
    """
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, facts: Facts, panes: Sequence[str], module: str, build: Callable[[], Screen[None]]) -> None:
        super().__init__()
        self._facts = facts
        self._panes = panes
        self._module = module
        self._build = build
        self._gave_way = False

    def compose(self) -> ComposeResult:
        """Draw as little as can be."""
        yield HeaderLine(self._facts)
        with Horizontal():
            for pane in self._panes:
                yield Static(pane, markup=False)

    def on_mount(self) -> None:
        """Go on when this has been drawn."""
        self.call_after_refresh(self._load)

    @work(thread=True)
    def _load(self) -> None:
        importlib.import_module(self._module)
        self.app.call_from_thread(self.app.run_worker, self._give_way())

    async def _give_way(self) -> None:
        screen = self._build()
        # It stays below: Textual cannot put another screen in place of the one an app begins with.
        await self.app.push_screen(screen)
        gc.freeze()  # what has been made so far lasts; going through it again and again would hold up keys
        gc.enable()
        self._gave_way = True
        if self.app.screen is screen and isinstance(screen, TypeAhead):
            screen.focus_box()
        self.app.keystrokes.let_go()

    def on_screen_resume(self) -> None:
        """Nothing can be done here: whoever is left with it goes where a task is chosen."""
        if self._gave_way and self.app.refusal is None:
            self.app.open_lobby()
