"""What the play screen does about those who are no people: their words as they come, ways on, seats, supervision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from domains.toolkit import Seat
from sessions.event import Call, Event, Failure, Message, Seated, Undone
from sessions.trajectory import other
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.line import LineDialog
from tau_tui.screens.panes import DETAIL
from tau_tui.screens.seats import WHO, Seats
from tau_tui.screens.supervising import Supervising
from tau_tui.screens.writing import Writing

if TYPE_CHECKING:
    from sessions.session import Session
    from tau_tui.screens.play.playing import Playing

SLOW: Final = ("model", "replay")
"""Who can be stopped; the offline partners are done before anybody could."""


class Partners:
    """Belongs to one play screen, and to the session it plays."""

    def __init__(self, screen: Playing, session: Session) -> None:
        self._screen = screen
        self._session = session
        self._person = screen.choice.table.person
        self.seats = Seats(session, self._person)
        self.writing = Writing(screen.app.clock, self._withdrawn)
        self.supervising: Supervising | None = None
        self._told = False
        self.listen()
        if session.supervised:
            self.supervising = session.supervisor = self._supervisor()

    def listen(self) -> None:
        """Listen to everybody who tells anything; begin to load what a model needs."""
        self.writing.listen(self._session.players)
        if any(info.kind in SLOW for info in (player.info for player in self._session.players.values())):
            from sessions.players.model import client
            from sessions.players.model.player import ModelPlayer

            players = list(self._session.players.values())
            if any(isinstance(one, ModelPlayer) for p in players for one in (p, getattr(p, "then", None))):
                client.load()

    async def supervise(self, on: bool) -> None:
        """Ask before writes from now on, or no longer. Raises RecordingFailed."""
        self.supervising = self._supervisor() if on else None
        await self._session.supervise(self.supervising, by=self._person)

    def _supervisor(self) -> Supervising:
        screen = self._screen
        return Supervising(screen.app, self._person, screen.say_waiting, self._expose_calls)

    async def _expose_calls(self) -> None:
        """Record, once, that a person in blind view is shown a call of the other side."""
        from sessions.event import exposed

        session = self._session
        if not self._screen.panes.sees_all and "trace" not in exposed(session.events):
            await session.expose(session.people[0], "trace", "approve writes")

    # What they do now

    def show(self, event: Event) -> None:
        """Take notice of what has happened."""
        match event:
            case Message() | Call():
                self._over(event.seat)
                if self.seats.lent == event.seat:
                    self._screen.give_back(event.seat)
            case Seated():
                self._over(event.seat)
                self.listen()
            case Undone():
                self._over(other(event.seat))
            case Failure() if event.seat is not None:
                self._over(event.seat)

    def _over(self, seat: Seat) -> None:
        self.writing.forget(seat)
        self._told = False

    def look(self) -> None:
        """Draw what has been written since the last look."""
        changed = list(self.writing.changed())
        for seat, draft in changed:
            self._screen.panes.write(seat, draft)
        if changed:
            self._screen.call_after_refresh(self.writing.drawn, self._screen.app.clock())

    def status(self, seat: Seat) -> str:
        """Return what a partner does, as far as this person may know."""
        if self.supervising is not None and self.supervising.waiting is not None:
            return "waits for your decision · Esc opens it"
        status = self.writing.status(seat)
        if status.startswith("is calling") and not self._screen.panes.sees_all:
            status = "is writing …"
        return status or "is acting …"

    def stoppable(self, seat: Seat) -> bool:
        """Whether a seat is filled by somebody who takes long enough to be stopped."""
        return self._session.players[seat].info.kind in SLOW

    def _withdrawn(self, seat: Seat) -> None:
        """Words that were seen are not heard after all: a person in blind view has seen more than the seat does."""
        if not self._screen.panes.sees_all and not self._told:
            self._told = True
            self._screen.expose_words(seat)

    def stop(self) -> bool:
        """Stop a model at work, or come back to the write that waits; tell whether there was anything."""
        seat = self._session.state.next
        if self.supervising is not None and self.supervising.aside:
            self.supervising.ask_again()
            return True
        if seat is None or self._session.players[seat].info.kind not in SLOW:
            return False
        return self._session.stop(self.writing.words(seat))

    # Ways on

    async def ways(self) -> str | None:
        """Ask how to go on after a failure, and prepare it; return what was chosen, None when nothing was."""
        session, failure = self._session, self._session.state.failure
        if failure is None or failure.seat is None or (seat := failure.seat) not in session.players:
            return None
        name = session.players[seat].info.name
        written = failure.detail if failure.what.endswith(" was stopped") else ""
        answers = [("again", f"ask {name} again")] if failure.retryable else []
        if session.undoable is not None:
            answers.append(("undo", "take your last message back, and write it anew"))
        if written:
            answers.append(("edit", f"go on from its words yourself, for this one message of the {seat}"))
        answers.append(("other", "ask another model, or a partner …"))
        answers.append(("take", f"take the {seat}'s seat yourself; it can be handed back"))
        shown = f"{written[:DETAIL]}…" if len(written) > DETAIL else written
        text = "\n\n".join(filter(None, (shown and f"So far: {shown}", "Nothing is lost. Escape decides later.")))
        chosen = await self._screen.app.push_screen_wait(ChoiceDialog(failure.what, text, answers))
        match chosen:
            case "edit":
                await self.seats.take(seat)
                self.seats.lent = seat
                self._screen.propose(seat, written)
            case "take":
                await self.seats.take(seat)
            case "other" if not await self._give(seat):
                return None
        return chosen

    async def change(self) -> bool:
        """Ask who shall sit where, and let them; tell whether anybody has changed."""
        answers = self.seats.answers()
        if self._session.state.ended is not None:
            return False
        text = "From here on; it is recorded, and statistics leave the session out."
        chosen = await self._screen.app.push_screen_wait(ChoiceDialog("Who sits where?", text, answers))
        if chosen is None:
            return False
        what, _, named = chosen.partition(" ")
        seat: Seat = "agent" if named == "agent" else "user"
        match what:
            case "take":
                await self.seats.take(seat)
            case "back":
                await self.seats.give_back(seat)
            case _:
                return await self._give(seat)
        return True

    async def _give(self, seat: Seat) -> bool:
        """Ask for somebody else, and seat them."""
        value = ""
        if (info := self.seats.before(seat)) is not None and info.kind == "model":
            base = info.settings.get("api_base", "")
            value = f"{info.name} @ {base}" if base else info.name
        asked = await self._screen.app.push_screen_wait(LineDialog(f"Who shall be the {seat}?", WHO, value))
        if asked is None:
            return False
        await self.seats.give(seat, asked)
        return True
