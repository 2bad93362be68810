"""What all parts of the play screen stand on: the session, whose turn it is, and how things are told and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import getters
from textual.screen import Screen
from textual.timer import Timer

from domains.toolkit import Seat
from sessions.keeping import RecordingFailed
from tau_tui.opening import Choice
from tau_tui.screens.panes import Panes
from tau_tui.screens.partners import Partners
from tau_tui.widgets.banner import Banner
from tau_tui.widgets.composer import Composer
from tau_tui.widgets.entries import UNKEPT, unkept
from tau_tui.widgets.header import HeaderLine

if TYPE_CHECKING:
    from sessions.reward import Verdict
    from sessions.session import Session
    from tau_tui.app import TauApp


class PlayBase(Screen[None]):
    """Owns the session; the parts of the screen build on each other, and PlayScreen is the last of them."""

    panes = getters.query_one("#panes", Panes)
    composer = getters.query_one("#composer", Composer)
    header = getters.query_one("#header", HeaderLine)
    banner = getters.query_one("#banner", Banner)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, choice: Choice) -> None:
        super().__init__()
        self.choice = choice
        self.session: Session | None = None
        self.partners: Partners | None = None
        self._shown = 0
        self._seat: Seat = next(iter(choice.table.people), "user")
        self._words: dict[Seat, str] = {}
        self._unsaved: Timer | None = None
        self._verdict: Verdict | None = None
        self._trouble = ""
        self._scored = False
        self._leaving = False
        self._laying_out = False
        self._acting = False
        self._acted_at = 0
        self._handing = False
        self._sending: tuple[Seat, str] | None = None
        """Words that have left the box and are not known to be kept."""
        self._unrecorded = False
        """Whether something could not be kept, and nothing has been since."""
        self._spin = 0
        self._number = ""

    @property
    def playing(self) -> Session:
        """The session; only for what cannot happen before it is open."""
        assert self.session is not None
        return self.session

    @property
    def running(self) -> bool:
        """Whether a session is open that has not ended."""
        return self.session is not None and self.session.state.ended is None

    @property
    def my_turn(self) -> Seat | None:
        """The person's seat that is to act now, None while somebody else is."""
        if self.session is None or self._acting or (self._unrecorded and self._sending is not None):
            return None
        state = self.session.state
        if state.turns and (state.turns[-1].stop or any(done.result is None for done in state.turns[-1].calls)):
            return None
        return state.next if state.next in self.session.people and state.failure is None else None

    def _refuse(self, why: str) -> None:
        self.notify(why, severity="warning", markup=False)

    async def _record(self, recording: object) -> bool:
        """Wait until it is kept; a recording that failed is told and can be tried again."""
        try:
            await recording  # type: ignore[misc]  # any coroutine of the session
        except RecordingFailed as failure:
            self._not_recorded(failure)
            return False
        return True

    def _not_recorded(self, failure: RecordingFailed) -> None:
        """Tell it, until something is kept again; words that were sent stay in sight."""
        self._unrecorded = True
        self._show_unkept()
        self.banner.open(str(failure))
        if self.my_turn is None:
            self.say_waiting()

    def _is_recorded(self) -> None:
        """Something has been kept: what was told of a recording that failed is over."""
        if self._unrecorded:
            self._unrecorded = False
            if self.banner.has_focus:
                self.composer.area.focus()
            self.banner.close()

    def _show_unkept(self) -> None:
        """Show words that were sent and have not been kept, marked as such."""
        conversation = self.panes.conversation
        if self._sending is not None and conversation.entry(UNKEPT) is None:
            seat, text = self._sending
            conversation.add(unkept(seat, text, label=seat if len(self.playing.people) > 1 else "you"))

    def _kept(self) -> None:
        """The words that were sent are kept, or will not be: what stands in the conversation tells."""
        self._sending = None
        self.panes.conversation.remove_entry(UNKEPT)

    def say_waiting(self) -> None:
        """Tell who is waited for, or what went wrong."""
        raise NotImplementedError
