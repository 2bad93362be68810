"""A session that somebody sent in a file, opened at the turn they meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.widgets import Static

from tau_tui.screens.replay import ReplayScreen
from tau_tui.screens.session_replay import SessionReplayScreen
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.event import Event
    from sessions.replay import Replay
    from sessions.watching import Watched
    from tau_tui.app import TauApp


class BundleScreen(SessionReplayScreen):
    """Begins at the turn the file names; going on from it takes the session into the recording."""

    def __init__(self, app: TauApp, path: Path, data: Path | None) -> None:
        super().__init__(self._open_bundle, keep=self._take)
        self._app = app
        self._path = path
        self._packs = [] if data is None else [data]
        self._turn = 0

    def _open_bundle(self) -> tuple[Watched, str]:
        from sessions.bundle import read_bundle
        from sessions.watching import watched

        bundle = read_bundle(self._path)
        self._turn = bundle.turn
        found = watched(bundle.events, self._packs)
        missing = bundle.missing(self._packs)
        return (replace(found, missing=missing) if missing else found), "ended"

    def _take(self, events: list[Event]) -> None:
        from sessions.interop.ours import merge

        merge(self._app.recorder, events)

    def _read(self) -> tuple[Replay, ...]:
        replays = super()._read()
        assert self.watched is not None
        at = [s.number for s in replays[0].steps if self._turn in {getattr(e, "turn", None) for e in s.events}]
        self.set_reactive(ReplayScreen.step, max(at))
        return replays

    def _show_all(self) -> None:
        super()._show_all()
        if self.watched is not None and self.watched.missing and self.step:
            told = self.query_one("#told", Static)
            told.update(one_line(f"{self.watched.missing} · {told.content}"))
