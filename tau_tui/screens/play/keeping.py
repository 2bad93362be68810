"""What is recorded beside the turns: the words in the box, notes, and how a session is left."""

from __future__ import annotations

from textual import on, work

from tau_tui.screens.dialogs.note import NoteDialog
from tau_tui.screens.play.acting import Acting
from tau_tui.widgets.composer import Composer

SAVE_AFTER = 0.8
"""Seconds without a key after which what stands in the box is recorded."""


class Keeping(Acting):
    """Records what is no act."""

    @on(Composer.Drafted)
    def _drafted(self, event: Composer.Drafted) -> None:
        if self._unsaved is not None:
            self._unsaved.stop()
            self._unsaved = None
        if not self.running or self._acting or not self.playing.people:
            return
        if event.now:
            self._save_draft()
        else:
            self._unsaved = self.set_timer(SAVE_AFTER, self._save_draft)

    @work(group="draft")
    async def _save_draft(self) -> None:
        if self.running and self.session is not None and self.session.events:
            await self._record(self.session.draft(self._seat, self.composer.area.text))

    @work(exclusive=True, group="note")
    async def action_note(self) -> None:
        """Write a note on the last turn."""
        if self.session is not None and self.session.state.turns:
            about = f"turn {self.session.state.turns[-1].index}"
            text = await self.app.push_screen_wait(NoteDialog(about))
            if text:
                self._keep_note(text)

    @work(group="note-kept")
    async def _keep_note(self, text: str) -> None:
        session = self.playing
        turns = session.state.turns
        await self._record(session.note(text, turns[-1].index if turns else None))

    async def leave(self, *, abandon: bool) -> bool:
        """Keep what stands in the box, or end the session; tell whether that was kept."""
        session = self.playing
        if not session.events:
            return True
        self._leaving = True
        if not session.people and not abandon:
            return True
        by = self._seat if session.people else None
        last = session.abandon(by) if abandon else session.draft(self._seat, self.composer.area.text)
        self._leaving = await self._record(last)
        return self._leaving
