"""Opening and playing: events go to the panes, what failed is tried again, seats change hands, a turn is taken back."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from textual import on, work
from textual.css.query import NoMatches
from textual.worker import WorkerState

from domains.toolkit import Seat
from sessions.event import Call, Ended, Event, Failure, Message, Opened, Result, Seated, Undone
from sessions.keeping import RecordingFailed
from sessions.seating import table_of
from tau_tui.going_on import told_turn
from tau_tui.opening import Branch, task_number
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.partners import Partners
from tau_tui.screens.play.looking import Looking
from tau_tui.screens.writing import EVERY
from tau_tui.widgets.banner import Banner
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.sections import of_policy, of_scenario

if TYPE_CHECKING:
    from sessions.session import Session

T = TypeVar("T")


class Playing(Looking):
    """Runs the session in a worker."""

    @work(thread=True, exclusive=True, group="open")
    def _open(self) -> None:
        try:
            session = self.app.open_session(self.choice)
        except Exception as error:  # whatever it is, the command line or the lobby tells it in one line
            self.app.call_from_thread(self.app.refuse, error)
        else:
            self.app.call_from_thread(self._begin, session)

    @work(exclusive=True, group="begin")
    async def _begin(self, session: Session) -> None:
        self.session = session
        self._number = task_number(session)
        if self.choice.recorded:
            self._sit_down_again(session)
        view = session.header.view
        await self.panes.lay_out(session)
        self.set_class(view == "present", "-present")
        self._fill_documents()
        self.partners = Partners(self, session)
        if self._asks_anew(session):
            await self._record(self.partners.supervise(True))
        self.set_interval(EVERY, self._look)
        if view != "present":
            self.set_interval(1.0, self._tick)
            self.set_interval(0.12, self._spinning)
        self._play()

    def _fill_documents(self) -> None:
        session = self.playing
        if (policy := self.panes.document("policy")) is not None:
            policy.show(of_policy(session.view("agent").policy or ""))
        if (scenario := self.panes.document("scenario")) is not None:
            scenario.show(of_scenario(session.task.user_scenario))

    def _asks_anew(self, session: Session) -> bool:
        """Tell whether writes are to be approved from here on only: the flag was given when it was taken up."""
        asked = self.choice.resume is not None and self.choice.table.approve
        return asked and not session.supervised and "agent" not in session.people

    def _sit_down_again(self, session: Session) -> None:
        """Take the seats of the one who played, with what stood in the box and what was sent from it."""
        self._seat = session.people[0] if session.people else "user"
        self.choice = replace(
            self.choice,
            domain=session.header.domain,
            table=replace(table_of(session.header), approve=session.supervised or self._asks_anew(session)),
        )
        area = self.composer.area
        for turn in session.state.turns:
            if turn.seat in session.people and turn.text and turn.index > 0:
                area.remember(turn.text)
        if draft := session.state.drafts.get(self._seat, ""):
            area.write(draft + area.text)

    @work(exclusive=True, group="play")
    async def _play(self) -> None:
        session = self.playing
        self.banner.close()
        try:
            for event in session.events[self._shown :]:
                await self._show(event)
            async for event in session.run():
                await self._show(event)
        except RecordingFailed as failure:
            self._not_recorded(failure)
            return
        if session.state.ended is not None:
            await self._finish()

    async def _show(self, event: Event) -> None:
        self._shown += 1
        self._is_recorded()
        if self._sending is not None and isinstance(event, Message | Undone | Seated | Failure | Ended):
            self._kept()
        if self._shown > self._acted_at:
            self._acting = False
        if self.partners is not None:
            self.partners.show(event)
        self.panes.show(event, self.playing)
        if isinstance(event, Result) and not event.error:
            made = (call for call in reversed(self.playing.events) if isinstance(call, Call) and call.id == event.id)
            self.composer.forget(event.seat, next(made).name)
        if isinstance(event, Seated):
            await self._lay_out_again()
        if isinstance(event, Failure) and self.playing.state.failure is event:
            self.banner.open(event.what, retryable=event.retryable, others=event.seat is not None)
            if event.what.endswith(" was stopped"):
                self.action_ways()
        if isinstance(event, Opened) or self._shown == len(self.playing.events):
            self._turn()

    async def _lay_out_again(self) -> None:
        """Have the panes of those who sit here now; new ones are told everything so far."""
        self._laying_out = True
        if await self.panes.lay_out(self.playing):
            self._fill_documents()
            for event in self.playing.events[: self._shown]:
                self.panes.show(event, self.playing)
        self._laying_out = False

    def _look(self) -> None:
        if self.partners is not None and not self._laying_out:
            self.partners.look()

    async def _finish(self) -> None:
        """Score, record the verdict, and show the result."""
        from domains.errors import DataError
        from tau_tui.finishing import finish

        self.composer.offer(None)
        self.composer.tell("ended · scoring …")
        try:
            self._verdict = await finish(self.playing)
        except RecordingFailed as failure:
            self._not_recorded(failure)
            return
        except DataError as error:
            self._trouble = str(error)
        self._scored = True
        self._is_recorded()
        with suppress(NoMatches):  # while the program is being left, the parts of the screen go one by one
            self.composer.tell("ended · F12 result")
            self.composer.place("the session has ended · F12 shows the result")
        self.action_result()

    # Going on after a failure

    @on(Banner.Retry)
    @work(exclusive=True, group="retry")
    async def action_retry(self) -> None:
        """Try again what failed: to record, or to act."""
        session = self.session
        if session is None:
            return
        self.banner.close()
        self.composer.area.focus()
        if not self._going_on():
            self._play()
        elif await self._record(session.flush()):
            self._is_recorded()
            self._turn()

    def _going_on(self) -> bool:
        return any(w.group == "play" and w.state == WorkerState.RUNNING for w in self.workers)

    def _go_on(self) -> None:
        """Play on, where a failure has stopped it."""
        if not self._going_on():
            self.banner.close()
            self.composer.area.focus()
            self._play()

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Take back the last message nobody has answered."""
        from sessions.orchestrator import NotAllowed

        if self.session is None:
            return
        taken = self.session.undoable
        try:
            text = await self.session.undo()
        except NotAllowed as refusal:
            bound = (active.binding for active in self.active_bindings.values() if active.binding.id == "play.rewind")
            key = next((f"{self.app.get_key_display(binding).upper()} or " for binding in bound), "")
            self._refuse(f"{refusal}; {key}/rewind goes back to a turn, in a new session")
        except RecordingFailed as failure:
            self._not_recorded(failure)
        else:
            self._go_on()
            seat = self._seat if taken is None else taken.seat
            standing = self.composer.area.text if seat == self._seat else self._words.get(seat, "")
            if standing.strip():
                self._refuse("taken back; its words are in the history (↑)")
            elif seat == self._seat:
                self.composer.area.write(text)
            else:  # of two seats of one person: they stand in its box once it is that one's turn
                self._words[seat] = text

    # Those who are no people

    @on(Banner.Others)
    @work(exclusive=True, group="ways")
    async def action_ways(self) -> None:
        """Choose how to go on after a failure."""
        if self.partners is None:
            return
        chosen = await self._changing(self.partners.ways())
        if chosen == "undo":
            self.action_undo()
        elif chosen:
            self.action_retry()

    @work(exclusive=True, group="ways")
    async def action_seats(self) -> None:
        """Choose who sits where from here on."""
        if self.partners is not None and self.running and await self._changing(self.partners.change()):
            self._go_on()

    @work(group="give-back")
    async def give_back(self, seat: Seat) -> None:
        """Let whoever lent a seat have it again."""
        if self.partners is not None:
            await self._changing(self.partners.seats.give_back(seat))

    async def _changing(self, change: Awaitable[T]) -> T | None:
        """Let seats change; what is not possible is told."""
        from sessions.orchestrator import NotAllowed
        from sessions.players.spec import UnknownPlayer

        try:
            return await change
        except (NotAllowed, UnknownPlayer) as refusal:
            self._refuse(one_line(str(refusal)))
        except RecordingFailed as failure:
            self._not_recorded(failure)
        return None

    def propose(self, seat: Seat, words: str) -> None:
        """Put words into the box of a seat that the person has taken."""
        self._words[seat] = words
        if seat == self._seat:
            self.composer.area.write(words)

    @work(group="expose")
    async def expose_words(self, seat: Seat) -> None:
        """Record that words were seen that the other side is not told."""
        if self.session is not None and self.session.people:
            await self._record(self.session.expose(self.session.people[0], "words", f"of the {seat}"))

    @work(group="supervise")
    async def _supervise(self) -> None:
        if self.partners is None or not self.running:
            return
        on = self.partners.supervising is None
        if await self._record(self.partners.supervise(on)):
            self._tick()
            self._refuse(f"writes are {'made only when you approve them' if on else 'made without asking you'}")

    # Going on from a turn, in a new session

    @work(exclusive=True, group="rewind")
    async def action_rewind(self) -> None:
        """Choose a turn to go on from, in a new session."""
        session = self.session
        if session is None or not session.state.turns:
            return
        answers = [(str(turn.index), told_turn(turn)) for turn in reversed(session.state.turns)]
        own = (turn for turn in reversed(session.state.turns) if turn.seat in session.people and turn.index > 0)
        first = next((str(turn.index) for turn in own), None)
        text = "A turn of yours is played again, another is answered, in a new session. This one stays as it is."
        chosen = await self.app.push_screen_wait(ChoiceDialog("Go on from which turn?", text, answers, first=first))
        if chosen is not None:
            await self._go_on_from(int(chosen))

    @work(exclusive=True, group="rewind")
    async def _rewind_to(self, rest: str) -> None:
        number = rest.strip().removeprefix("t")
        if number.isdigit():
            await self._go_on_from(int(number))
        else:
            self._refuse(f"/rewind {rest}: name a turn, such as /rewind t4")

    async def _go_on_from(self, turn: int) -> None:
        from domains.errors import DataError
        from sessions.resuming import kept_turn

        session = self.playing
        try:
            kept_turn(session.state.turns, turn, session.people)
        except DataError as error:
            self._refuse(str(error))
            return
        if not self.running or await self.leave(abandon=False):
            seen = self.session is not None and session.state.ended is not None
            self.app.start(replace(self.choice, resume=None, branch=Branch(session.header.id, turn, seen=seen)))
