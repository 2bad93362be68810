"""The play screen: it owns the session, hands its events to the panes, and takes the person's acts to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer
from textual.worker import WorkerState

from domains.toolkit import Seat, Tool
from domains.values import JSON
from sessions.event import Event, Failure, Opened, Seated
from sessions.players.base import Action, ToolCall
from sessions.seating import table_of
from tau_tui.going_on import away, told_turn
from tau_tui.opening import Branch, Choice, task_number
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.document import DocumentDialog
from tau_tui.screens.dialogs.note import NoteDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.panes import Panes
from tau_tui.screens.partners import Partners
from tau_tui.screens.pressing import arguments_of
from tau_tui.screens.writing import EVERY
from tau_tui.task_list import seating
from tau_tui.widgets.argument_fields import Field
from tau_tui.widgets.banner import Banner
from tau_tui.widgets.change_text import full_text, pretty
from tau_tui.widgets.composer import Composer, Offer
from tau_tui.widgets.db_diff import DatabaseDiff
from tau_tui.widgets.header import Facts, HeaderLine, modes_text, seats_text
from tau_tui.widgets.pane import Pane
from tau_tui.widgets.phone import LastAnswer, Phone
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.sections import of_policy, of_scenario
from tau_tui.widgets.segments import Segments
from tau_tui.widgets.tool_field import Ids, TextInput
from tau_tui.widgets.trace import Trace

if TYPE_CHECKING:
    from sessions.reward import Verdict
    from sessions.session import Session
    from tau_tui.app import TauApp

SAVE_AFTER = 0.8
"""Seconds without a key after which what stands in the box is recorded."""

PATIENCE = 2.0
"""Seconds in which a session that has said whose turn it is begins to wait for the act."""

T = TypeVar("T")
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LOOK, ACT, END, NOTE = (Binding.Group(name) for name in ("Look", "Act", "End", "Note"))


class PlayScreen(Screen[None]):
    """The first frame shows header, empty panes and box; a thread then opens the session, and a worker plays it."""

    CSS_PATH = "../styles/play.tcss"
    TITLE = "play"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Neighbours are of different groups: a footer folds one group into one word. F6 and F7 would select text.
        Binding("f2", "document", "Task", id="play.document", tooltip="Your scenario, or the policy", group=LOOK),
        Binding("f3", "mode('tool')", "Tool", id="play.tool", tooltip="Call a tool", group=ACT),
        Binding("f4", "mode('end')", "End", id="play.end", tooltip="End the conversation", group=END),
        Binding("f6", "zoom", "Zoom", id="play.zoom", priority=True, tooltip="One pane fills the screen", group=LOOK),
        Binding("f7", "note", "Note", id="play.note", priority=True, tooltip="Write a note on this turn", group=NOTE),
        Binding("f8", "undo", "Undo", id="play.undo", tooltip="Take back your last message", group=ACT),
        Binding("f9", "next_pane", "Pane", id="play.pane", tooltip="Go to the next pane", group=LOOK),
        Binding("f10", "rewind", "Rewind", show=False, id="play.rewind", tooltip="Go on from a turn", group=ACT),
        Binding("f12", "result", "Result", show=False, id="play.result", tooltip="The result", group=END),
        Binding("ctrl+s", "seats", "Seats", show=False, id="play.seats", tooltip="Who sits where", group=ACT),
        Binding("ctrl+g", "goal", "Goal", show=False, id="play.goal", tooltip="Reveal the goal", group=LOOK),
        Binding("escape", "back", "Back", show=False, id="play.back", tooltip="Close; then, the box", group=LOOK),
    ]

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
        self._spin = 0
        self._number = ""

    def compose(self) -> ComposeResult:
        """Header, tabs, panes, box, keys."""
        table = self.choice.table
        modes = modes_text(solo=table.solo, plan=table.plan, no_policy=table.no_policy, supervised=table.approve)
        yield HeaderLine(Facts(self.choice.domain, seats_text(table), table.view or "", modes), id="header")
        yield Segments({}, id="tabs")
        yield Panes(table.view or "open", table.people, solo=table.solo)
        yield Banner(id="banner")
        yield Composer(id="composer")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Open the session after the first frame."""
        self.composer.area.focus()
        self.composer.place("opening …")
        self.call_after_refresh(self._open)

    def type_ahead(self, text: str) -> None:
        """Put what was typed before the box was there into it."""
        self.composer.area.insert(text)

    # Opening and playing

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

    def _sit_down_again(self, session: Session) -> None:
        """Take the seats of the one who played, with what stood in the box and what was sent from it."""
        self._seat = session.people[0] if session.people else "user"
        self.choice = replace(
            self.choice,
            domain=session.header.domain,
            table=replace(table_of(session.header), approve=self.choice.table.approve),
        )
        area = self.composer.area
        for turn in session.state.turns:
            if turn.seat in session.people and turn.text and turn.index > 0:
                area.remember(turn.text)
        if draft := session.state.drafts.get(self._seat, ""):
            area.write(draft + area.text)

    @work(exclusive=True, group="play")
    async def _play(self) -> None:
        from sessions.session import RecordingFailed

        session = self.playing
        self.banner.close()
        try:
            for event in session.events[self._shown :]:
                await self._show(event)
            async for event in session.run():
                await self._show(event)
        except RecordingFailed as failure:
            self.banner.open(str(failure))
            return
        if session.state.ended is not None:
            await self._finish()

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
        if self.session is None or self._acting:
            return None
        state = self.session.state
        if state.turns and any(done.result is None for done in state.turns[-1].calls):
            return None
        return state.next if state.next in self.session.people and state.failure is None else None

    async def _show(self, event: Event) -> None:
        self._shown += 1
        if self._shown > self._acted_at:
            self._acting = False
        if self.partners is not None:
            self.partners.show(event)
        self.panes.show(event, self.playing)
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
        from sessions.session import RecordingFailed
        from tau_tui.finishing import finish

        self.composer.offer(None)
        self.composer.tell("ended · scoring …")
        try:
            self._verdict = await finish(self.playing)
        except RecordingFailed as failure:
            self.banner.open(str(failure))
            return
        except DataError as error:
            self._trouble = str(error)
        self._scored = True
        self.composer.tell("ended · F12 result")
        self.composer.place("the session has ended · F12 shows the result")
        self.action_result()

    # Whose turn it is

    def _turn(self) -> None:
        """Offer what the seat whose turn it is can do, and tell who is waited for."""
        self._tick()
        session, composer = self.playing, self.composer
        seat = self.my_turn
        if (phone := self.panes.phone) is not None:
            phone.why = self._phone_refusal(seat)
        if seat is None:
            composer.offer(None)
            self.say_waiting()
            return
        if seat != self._seat:
            self._words[self._seat] = composer.area.text
            self._seat = seat
            self.panes.turn_to(seat)
            composer.area.write(self._words.get(seat, session.state.drafts.get(seat, "")))
        solo = session.header.solo
        composer.offer(Offer(seat, session.view(seat).tools, self._ids, self._last_words(), solo=solo))
        both = len(session.people) > 1
        composer.tell(f"your turn as the {seat}" if both else "your turn")
        say = "nobody reads messages: F3 tool, F4 end" if solo else "type a message"
        composer.place(f"{f'say as the {seat}' if both else say} …   Enter send · / commands · F1 keys")
        self._announce()

    def say_waiting(self) -> None:
        """Tell who is waited for, and what they do."""
        if self.session is None or (seat := self.session.state.next) is None:
            return
        if self.session.state.failure is not None:
            self.composer.tell("failed · R tries again · O other ways on")
            return
        name = self.session.players[seat].info.name
        spinner = "" if self.has_class("-present") else f"{SPINNER[self._spin % len(SPINNER)]} "
        who = f"the {seat}" if seat in self.session.people else name
        status = self.partners.status(seat) if self.partners is not None else "is acting …"
        self.composer.tell(f"{spinner}{who} {status}")
        watching = "you are watching   ·   Ctrl+S takes a seat · / commands · F1 keys"
        stop = " · Esc stops it" if self.partners is not None and self.partners.stoppable(seat) else ""
        ahead = f"{who} is acting …   you may write ahead{stop}"
        self.composer.place(ahead if self.session.people else watching)

    def _spinning(self) -> None:
        if self.session is not None and self.my_turn is None and self.running and not self.banner.display:
            self._spin += 1
            self.say_waiting()

    def _announce(self) -> None:
        if self.app.options.bell:
            self.app.bell()

    def _tick(self) -> None:
        session = self.session
        if session is None or not session.events:
            return
        state, begun = session.state, session.events[0].at + away(session.events)
        until = state.ended.at if state.ended is not None else self.app.clock()
        header = session.header
        remark = f"fork of …{header.parent[-6:]} at t{header.parent_turn}" if header.parent else ""
        supervised = session.supervisor is not None
        shown = session.task.id if header.spoilers else self._number
        self.header.show(
            Facts(
                f"{session.header.domain} {shown}",
                seating(state.players.items()),
                session.header.view,
                modes_text(solo=header.solo, plan=header.plan, no_policy=header.no_policy, supervised=supervised),
                now=session.env.definition.now.replace("T", " ")[:16],
                turn=state.turns[-1].index if state.turns else 0,
                elapsed=None if self.has_class("-present") else max(0.0, until - begun),
                remark=" · ".join(filter(None, (remark, "" if state.ended is None else "ended"))),
            )
        )

    def _last_words(self) -> str:
        """Return the agent's last message as the seat heard it."""
        turns = self.playing.view(self._seat).turns
        return next((turn.text for turn in reversed(turns) if turn.seat == "agent" and turn.text), "")

    def _ids(self, field: Field) -> Ids:
        from tau_tui.completing import database_ids, seen_ids

        session = self.playing
        seen = seen_ids(session.view(self._seat).turns, field.name)
        blind = session.header.view == "blind"
        return Ids(seen, () if blind else database_ids(session.env, field.name))

    # Acting

    def _act(self, seat: Seat, action: Action) -> None:
        """Hand an act over; what is asked for a second time while that is under way is not done twice."""
        if not self._handing:
            self._handing = True
            self._hand_over(seat, action)

    @work(group="act")
    async def _hand_over(self, seat: Seat, action: Action) -> None:
        try:
            if not await self._submitted(seat, action):
                return
        finally:
            self._handing = False
        self._acting, self._acted_at = True, len(self.playing.events)
        if action.text:
            self.composer.area.remember(action.text)
            self.composer.area.empty()
            self._words.pop(seat, None)
            self.panes.active = "conversation"
        if self.composer.mode != "message":  # who presses keys on the phone stays there
            self.composer.choose("message")
        self.composer.offer(None)

    async def _submitted(self, seat: Seat, action: Action) -> bool:
        from sessions.orchestrator import NotAllowed
        from sessions.players.human import NotYourTurn

        session = self.playing
        deadline = self.app.clock() + PATIENCE
        while True:
            try:
                session.submit(seat, action)
                return True
            except NotYourTurn as refusal:  # an event is shown a moment before the session waits for the next act
                if self.my_turn != seat or self.app.clock() > deadline:
                    self._refuse(str(refusal))
                    return False
                await asyncio.sleep(0.005)
            except NotAllowed as refusal:
                self._refuse(str(refusal))
                return False

    def _refuse(self, why: str) -> None:
        self.notify(why, severity="warning", markup=False)

    @on(Composer.Said)
    def _said(self, event: Composer.Said) -> None:
        if event.text != self.composer.area.text:  # it has been sent, and Enter came twice
            return
        if self.session is not None and self.session.header.solo:
            self._refuse("solo: nobody reads messages, and one without a call ends it; F3 calls a tool, F4 ends")
        elif (seat := self.my_turn) is not None:
            self._act(seat, Action(text=event.text))
        else:
            opening = self.session is None or not self.session.events
            why = "the session is still being opened" if opening else "it is not your turn"
            self._refuse(f"{why}; what you wrote stays in the box")

    @on(Composer.Called)
    def _called(self, event: Composer.Called) -> None:
        if self.composer.mode != "tool":  # it has been made, and its form is closed
            return
        if event.what == "preview":
            self._preview(event.tool, event.arguments)
        else:
            self._call(event.tool, event.arguments)

    @work(exclusive=True, group="call")
    async def _call(self, tool: Tool, arguments: Mapping[str, JSON]) -> None:
        if (seat := self.my_turn) is None:
            self._refuse("it is not your turn")
            return
        if tool.mutates and self.app.options.confirm_writes:
            answers = (("call", f"call {tool.name}"), ("back", "back to the form"))
            dialog = ChoiceDialog(f"{tool.name} writes to the database", pretty(dict(arguments)), answers)
            if await self.app.push_screen_wait(dialog) != "call":
                return
        self._act(seat, Action(calls=(ToolCall(tool.name, arguments),)))

    @work(exclusive=True, group="call")
    async def _preview(self, tool: Tool, arguments: Mapping[str, JSON]) -> None:
        session = self.playing
        seat = self._seat
        if not await self._record(session.expose(seat, "preview", tool.name)):
            return
        result = session.env.preview(seat, tool.name, arguments)
        changes = full_text((*result.changes, *result.synced)) or "nothing would change"
        answer = "it would be refused" if result.error else "it would answer"
        parts = [("it would change", changes), (answer, pretty(result.content)), ("arguments", pretty(dict(arguments)))]
        self.app.push_screen(TextDialog(f"preview: {tool.name} (nothing has happened)", parts))

    @on(Composer.Closed)
    def _ending_picked(self, event: Composer.Closed) -> None:
        if (seat := self.my_turn) is None:
            self._refuse("it is not your turn")
        elif event.ending.stop is None:
            self._abandon(seat)
        elif self.playing.header.solo:
            self._act(seat, Action(calls=(ToolCall("done", {}),)))
        else:
            self._act(seat, Action(stop=event.ending.stop))

    # The phone

    def _phone_refusal(self, seat: Seat | None) -> str:
        """Say why the phone cannot be pressed, nothing when it can."""
        session = self.playing
        if seat is not None:
            mine = seat == "user" or session.header.solo
            return "" if mine else "it is the customer's phone, and the agent cannot press it"
        if session.state.ended is not None:
            return "the session has ended"
        if session.people == ("agent",) and not session.header.solo:
            return "it is the customer's phone, and the agent cannot press it"
        return "it is not your turn"

    @on(Phone.Refused)
    def _phone_refused(self, event: Phone.Refused) -> None:
        self._refuse(f"the phone cannot be pressed now: {event.why}")

    @on(Phone.Pressed)
    def _phone_pressed(self, event: Phone.Pressed) -> None:
        if event.press is not None and event.press.form:
            self.composer.fill_in(event.tool)
        else:
            self._press(event)

    @work(exclusive=True, group="call")
    async def _press(self, event: Phone.Pressed) -> None:
        arguments = await arguments_of(self.app, event, confirm=self.app.options.confirm_writes)
        if arguments is None:
            return
        if (seat := self.my_turn) is not None:
            self._act(seat, Action(calls=(ToolCall(event.tool, arguments),)))
        else:
            self._refuse("it is not your turn")

    @on(LastAnswer.Opened)
    def _answer_opened(self, event: LastAnswer.Opened) -> None:
        answer = event.answer
        parts = [("error" if answer.error else "answer", pretty(answer.content))]
        if answer.arguments:
            parts.insert(0, ("arguments", pretty(dict(answer.arguments))))
        self.app.push_screen(TextDialog(answer.tool, parts))

    @work(group="act")
    async def _abandon(self, seat: Seat) -> None:
        await self._record(self.playing.abandon(seat))

    @on(TextInput.Completed)
    async def _completed(self, event: TextInput.Completed) -> None:
        await self._record(self.playing.expose(self._seat, "completion", event.value))

    @on(Composer.Refused)
    def _refused(self, event: Composer.Refused) -> None:
        self._refuse(event.why)

    # What is recorded beside the turns

    async def _record(self, recording: object) -> bool:
        """Wait until it is kept; a recording that failed is told and can be tried again."""
        from sessions.session import RecordingFailed

        try:
            await recording  # type: ignore[misc]  # any coroutine of the session
        except RecordingFailed as failure:
            self.banner.open(str(failure))
            return False
        return True

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
            self._turn()

    def _going_on(self) -> bool:
        return any(w.group == "play" and w.state == WorkerState.RUNNING for w in self.workers)

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
        from sessions.session import RecordingFailed

        try:
            return await change
        except (NotAllowed, UnknownPlayer) as refusal:
            self._refuse(one_line(str(refusal)))
        except RecordingFailed as failure:
            self.banner.open(str(failure))
        return None

    def _go_on(self) -> None:
        """Play on, where a failure has stopped it."""
        if not self._going_on():
            self.banner.close()
            self.composer.area.focus()
            self._play()

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

    def _supervise(self) -> None:
        if self.partners is not None:
            on = self.partners.supervising is None
            self.partners.supervise(on)
            self._tick()
            self._refuse(f"writes are {'made only when you approve them' if on else 'made without asking you'}")

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

    # Commands and keys

    @on(Composer.Commanded)
    def _commanded(self, event: Composer.Commanded) -> None:
        match event.name:
            case "tool":
                self.composer.choose("tool", event.rest)
            case "end":
                self.composer.choose("end")
            case "note" if event.rest:
                self._keep_note(event.rest)
            case "note":
                self.action_note()
            case "scenario" | "policy":
                self._open_document(event.name)
            case "help":
                self.app.action_keys()
            case "quit":
                self.call_later(self.app.action_quit)
            case "phone" if (pane := self.panes.pane("phone")) is not None and not pane.has_class("-off"):
                self.call_after_refresh(pane.body.focus)
            case "phone":
                self._refuse(f"the {self._seat} sees no phone here")
            case "pane":
                self.action_next_pane()
            case "undo":
                self.action_undo()
            case "rewind" if event.rest:
                self._rewind_to(event.rest)
            case "rewind":
                self.action_rewind()
            case "goal":
                self.action_goal()
            case "zoom":
                self.action_zoom()
            case "retry":
                self.action_retry()
            case "seat":
                self.action_seats()
            case "approve":
                self._supervise()
            case "stop" if self.partners is None or not self.partners.stop():
                self._refuse("nobody is at work who could be stopped")
            case "result":
                self.action_result()

    def action_mode(self, mode: str) -> None:
        """Go into a mode of the box; the same key leaves it."""
        if self.composer.mode == mode:
            self.composer.choose("message")
        elif mode in ("tool", "end"):
            self.composer.choose("tool" if mode == "tool" else "end")

    def action_back(self) -> None:
        """Close what is open, innermost first; then go to the box."""
        if self.composer.step_back():
            return
        if self.panes.zoomed:
            self.action_zoom()
        elif self.partners is not None and self.focused is self.composer.area:
            self.partners.stop()
        self.composer.area.focus()

    def action_zoom(self) -> None:
        """Let the active pane fill the screen, or no longer."""
        self.panes.zoomed = not self.panes.zoomed
        self.set_class(self.panes.zoomed, "-zoomed")
        pane = self.panes.pane(self.panes.active)
        if self.panes.zoomed and pane is not None:
            pane.body.focus()
        elif not self.panes.zoomed:
            self.composer.area.focus()

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self.panes.next()

    def action_document(self) -> None:
        """Show the scenario to the user, the policy to the agent."""
        self._open_document("scenario" if self._seat == "user" else "policy")

    def _open_document(self, name: str) -> None:
        session = self.session
        if session is None:
            return
        if name == "policy" and ("agent" in session.people or session.header.view != "blind"):
            policy = session.view("agent").policy
            sections = of_policy(policy) if policy is not None else of_policy("This session is played without it.")
            self.app.push_screen(DocumentDialog("Policy", sections))
        elif name == "scenario" and ("user" in session.people or session.header.view != "blind"):
            self.app.push_screen(DocumentDialog("Scenario", of_scenario(session.task.user_scenario)))
        else:
            self._refuse(f"in blind view the {self._seat} does not see the {name}")

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

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Take back the last message nobody has answered."""
        from sessions.orchestrator import NotAllowed
        from sessions.session import RecordingFailed

        if self.session is None:
            return
        try:
            text = await self.session.undo()
        except NotAllowed as refusal:
            self._refuse(str(refusal))
        except RecordingFailed as failure:
            self.banner.open(str(failure))
        else:
            self._go_on()
            if self.composer.area.text.strip():
                self._refuse("taken back; its words are in the history (↑)")
            else:
                self.composer.area.write(text)

    @work(exclusive=True, group="rewind")
    async def action_rewind(self) -> None:
        """Choose a turn to go on from, in a new session."""
        session = self.session
        if session is None or not session.state.turns:
            return
        answers = [(str(turn.index), told_turn(turn)) for turn in reversed(session.state.turns)]
        text = "A turn of yours is played again, another is answered, in a new session. This one stays as it is."
        chosen = await self.app.push_screen_wait(ChoiceDialog("Go on from which turn?", text, answers))
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

    @on(DatabaseDiff.Asked)
    def _asked(self, event: DatabaseDiff.Asked) -> None:
        self._compare_with(event.basis)

    @on(Segments.Chosen, "#bases")
    def _basis_clicked(self, event: Segments.Chosen) -> None:
        self._compare_with(event.name)

    def _compare_with(self, basis: str) -> None:
        database = self.panes.database
        if database is None:
            return
        if basis == "goal" and not database.goal_is_known:
            self.action_goal()
        else:
            database.choose(basis)

    @work(exclusive=True, group="goal")
    async def action_goal(self) -> None:
        """Show the goal, once it is plain that this is wanted, and recorded that it was done."""
        from domains.errors import DataError
        from tau_tui.finishing import goal_changes

        session, database = self.session, self.panes.database
        if session is None or not session.events:
            return
        if session.state.ended is None and not (database is not None and database.goal_is_known):
            answers = (("no", "no, play on"), ("yes", "reveal it, and record that it was revealed"))
            text = "The goal gives the answer away. The session stays marked for it, and statistics can leave it out."
            if await self.app.push_screen_wait(ChoiceDialog("Reveal the goal?", text, answers)) != "yes":
                return
            if not await self._record(session.expose(self._seat, "goal")):
                return
        try:
            changes = await asyncio.to_thread(goal_changes, session)
        except DataError as error:
            self._refuse(str(error))
            return
        if database is not None:
            database.reveal(changes)
            self.panes.active = "database"
        else:
            self.app.push_screen(TextDialog("Goal", [("", full_text(changes) or "the goal changes nothing")]))

    def action_result(self) -> None:
        """Show the result, once there is one."""
        from tau_tui.screens.result import ResultScreen

        if self.session is None or self.session.state.ended is None:
            self._refuse("the session has not ended; F4 ends it")
        elif self._scored and not self._leaving:
            self.app.push_screen(ResultScreen(self.session, self._verdict, self._trouble))

    # What the panes say

    @on(Panes.Relabelled)
    def _relabelled(self, event: Panes.Relabelled) -> None:
        tabs = self.query_one("#tabs", Segments)
        tabs.rename(event.labels)
        tabs.active = event.active

    @on(Segments.Chosen, "#tabs")
    def _tab_clicked(self, event: Segments.Chosen) -> None:
        self.panes.active = event.name

    @on(Trace.Opened)
    def _call_opened(self, event: Trace.Opened) -> None:
        done = event.row.done
        parts = [("arguments", pretty(dict(done.call.arguments)))]
        if done.result is not None:
            changes = (*done.result.changes, *(done.synced.changes if done.synced else ()))
            if changes:
                left = "changes left by the call that failed" if done.result.error else "changes"
                parts.append((left, full_text(changes)))
            parts.append(("error" if done.result.error else "result", pretty(done.result.content)))
        self.app.push_screen(TextDialog(f"{done.call.name} · {event.row.kind or 'no such tool'}", parts))

    @on(DatabaseDiff.Opened)
    def _changes_opened(self, event: DatabaseDiff.Opened) -> None:
        self.app.push_screen(TextDialog(event.title, [("", full_text(event.changes) or "nothing has changed")]))

    def on_key(self, event: events.Key) -> None:
        """Typing over a pane writes into the box."""
        bound = event.key in self.active_bindings
        if self._beside_the_box and not bound and event.is_printable and event.character:
            event.stop()
            self.composer.area.focus()
            self.composer.area.begin(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """So does pasting."""
        if self._beside_the_box:
            event.stop()
            self.composer.area.focus()
            self.composer.area.post_message(events.Paste(event.text))

    @property
    def _beside_the_box(self) -> bool:
        """Whether a pane has the focus while the box is open for words."""
        inside = self.focused is not None and any(isinstance(node, Pane) for node in self.focused.ancestors)
        return inside and self.composer.mode == "message"
