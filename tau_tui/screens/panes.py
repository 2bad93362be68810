"""The panes of the play screen: which there are for a seat and a view, and what each shows of an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message as UIMessage
from textual.reactive import reactive
from textual.widget import Widget

from domains.toolkit import Seat
from sessions.event import (
    Call,
    Event,
    Failure,
    Message,
    Opened,
    Result,
    Seated,
    Synced,
    Undone,
    ViewMode,
)
from sessions.trajectory import Done
from tau_tui.screens.arrangement import extras_of, first_panes, of_seat, offered_on_phone, pane_names, plan_steps
from tau_tui.widgets.conversation import Conversation, Entry
from tau_tui.widgets.db_diff import BASES, DatabaseDiff
from tau_tui.widgets.document import DocumentView
from tau_tui.widgets.entries import beside, of_message, with_call
from tau_tui.widgets.pane import Pane, Unseen
from tau_tui.widgets.phone import Phone
from tau_tui.widgets.phone.knowledge import answers_in, known_from, live
from tau_tui.widgets.plan import PlanView
from tau_tui.widgets.segments import Segments
from tau_tui.widgets.trace import CallRow, Trace

if TYPE_CHECKING:
    from sessions.session import Session
    from tau_tui.screens.writing import Draft

TITLES: Final = {
    "conversation": "Conversation",
    "trace": "Trace",
    "database": "Database",
    "scenario": "Task",
    "policy": "Policy",
    "phone": "Phone",
    "plan": "Plan",
}

DETAIL: Final = 400
"""Characters of what a failure says of itself, or of what was written when it was stopped; the replay has it whole."""

MOST: Final = 3
"""As many panes stand side by side in a wide screen; of more, the others are a tab away."""


class Panes(Horizontal):
    """Holds the panes; in narrow screens, and when zoomed, only the active one is seen."""

    DEFAULT_CSS = """
    Panes {
        height: 1fr;
        &.-zoomed > Pane { display: none; }
        &.-zoomed > Pane.-active { display: block; }
        & > .-off { display: none; }
    }
    """

    active: reactive[str] = reactive("conversation")
    zoomed: reactive[bool] = reactive(False, toggle_class="-zoomed")

    @dataclass
    class Relabelled(UIMessage):
        """The tabs have other badges, or another one is active."""

        labels: dict[str, str]
        active: str

    def __init__(self, view: ViewMode, people: Sequence[Seat], *, solo: bool = False) -> None:
        super().__init__(id="panes")
        self._view = view
        self._people = tuple(people)
        self._solo = solo
        self._extras: frozenset[str] = frozenset()
        self._tools: tuple[str, ...] = ()
        self._recent: list[str] = []
        self._seat: Seat = people[0] if people else "user"
        self._pending: Message | None = None
        self._last_call: Call | None = None

    def compose(self) -> ComposeResult:
        """The panes of the view."""
        yield from map(self._pane, pane_names(self._view, self._people, self._extras))

    def _pane(self, name: str) -> Pane:
        match name:
            case "conversation":
                return Pane(name, "Ticket" if self._solo else TITLES[name], Conversation(id=name))
            case "phone":
                return Pane(name, TITLES[name], Phone(self._tools, id=name))
            case "plan":
                return Pane(name, TITLES[name], PlanView(id=name))
            case "trace":
                return Pane(name, "Own calls" if self._view == "blind" else TITLES[name], Trace(id=name))
            case "database":
                segments = Segments(BASES, "start", id="bases")
                return Pane(name, TITLES[name], DatabaseDiff(segments, id=name), segments)
            case _:
                return Pane(name, TITLES[name], DocumentView(id=name))

    async def lay_out(self, session: Session) -> bool:
        """Have the panes of the session, should they differ from what there is; tell whether they are new."""
        before = (*pane_names(self._view, self._people, self._extras), self._solo)
        self._view, self._solo = session.header.view, session.header.solo
        if set(people := session.people) != set(self._people):
            self._people = people
            self._seat = people[0] if people else self._seat
        self._tools = offered_on_phone(session)
        self._extras = extras_of(session)
        names = pane_names(self._view, self._people, self._extras)
        if new := (*names, self._solo) != before:
            await self.remove_children()
            await self.mount_all(map(self._pane, names))
        self._recent = []
        self.turn_to(self._seat)
        self.conversation.watched = not people
        self.look_again(session, news=False)
        return new

    def on_mount(self) -> None:
        """Something is active from the first frame on."""
        self.turn_to(self._seat)

    # Which pane

    @property
    def panes(self) -> list[Pane]:
        """The panes of the seat, in order."""
        return [pane for pane in self.query_children(Pane) if not pane.has_class("-off")]

    def pane(self, name: str) -> Pane | None:
        """Return the pane of a name, None where the view has none."""
        return next((pane for pane in self.query_children(Pane) if pane.name == name), None)

    def turn_to(self, seat: Seat) -> None:
        """Show what this seat needs."""
        self._seat = seat
        for pane in self.query_children(Pane):
            pane.set_class(not of_seat(pane.name or "", seat, self._view), "-off")
        names = [pane.name or "" for pane in self.panes]
        wanted = first_panes(seat)
        self._recent = sorted(names, key=lambda name: wanted.index(name) if name in wanted else len(wanted))
        if self.active not in [pane.name for pane in self.panes]:
            self.active = "conversation"
        self.watch_active()

    def watch_active(self) -> None:
        """Tell the panes and the tabs."""
        if self.active in self._recent:
            self._recent.remove(self.active)
            self._recent.insert(0 if self.active == "conversation" else 1, self.active)
        for pane in self.query_children(Pane):
            pane.set_class(pane.name == self.active, "-active")
            pane.set_class(pane.name not in self._recent[:MOST], "-spare")
        self.screen.set_class(len(self._recent) > MOST, "-many")
        self._relabel()

    @on(Pane.Counted)
    def _relabel(self) -> None:
        self.post_message(self.Relabelled({pane.name or "": pane.label for pane in self.panes}, self.active))

    @on(Pane.Clicked)
    def _clicked(self, event: Pane.Clicked) -> None:
        event.stop()
        go = getattr(event.pane.body, "go_to_newest", None)
        if go is not None:
            go()
        event.pane.body.focus()

    def on_descendant_focus(self) -> None:
        """The pane one is in is the active one."""
        focused: Widget | None = self.screen.focused
        while focused is not None and not isinstance(focused, Pane):
            focused = focused.parent if isinstance(focused.parent, Widget) else None
        if focused is not None and focused.name:
            self.active = focused.name

    def next(self) -> None:
        """Go to the next pane."""
        names = [pane.name or "" for pane in self.panes]
        self.active = names[(names.index(self.active) + 1) % len(names)]
        if (pane := self.pane(self.active)) is not None:
            self.call_after_refresh(pane.body.focus)

    @on(Unseen)
    def _unseen(self, event: Unseen) -> None:
        event.stop()
        for pane in self.query_children(Pane):
            if pane.body is event.body:
                pane.unseen = event.count

    # What the panes show

    @property
    def conversation(self) -> Conversation:
        """What was said."""
        return self.query_one(Conversation)

    @property
    def trace(self) -> Trace | None:
        """The calls, where the seat sees any."""
        return next(iter(self.query(Trace)), None)

    @property
    def database(self) -> DatabaseDiff | None:
        """What moved, in open view."""
        return next(iter(self.query(DatabaseDiff)), None)

    @property
    def phone(self) -> Phone | None:
        """The phone, where there is one to be seen."""
        return next(iter(self.query(Phone)), None)

    def look_again(self, session: Session, *, news: bool = True) -> None:
        """Show the phone and the plan as they stand now: blind, as far as this seat's own calls have told."""
        turns = session.state.turns
        if (phone := self.phone) is not None:
            holder = "agent" if self._solo else "user"
            told = known_from(answers_in(turn for turn in turns if turn.seat == holder))
            known = replace(live(session.env), last=told.last) if self._view != "blind" else told
            phone.show(known, news=news)
        if (plan := next(iter(self.query(PlanView)), None)) is not None:
            plan.show(plan_steps(session, sees_all=self.sees_all))

    @property
    def sees_all(self) -> bool:
        """Whether nothing of either side is hidden here: in open view, from both seats, and from none."""
        return self._view != "blind" or len(self._people) != 1

    def show(self, event: Event, session: Session) -> None:
        """Show an event, as far as the view lets this seat see it."""
        if isinstance(event, Opened) and session.task.ticket is not None and self._solo:
            self._add(Entry("ticket", "user", "ticket", session.task.ticket))
        if isinstance(event, Result | Synced):
            self.look_again(session)
        if self._pending is not None and not isinstance(event, Call):
            pending, self._pending = self._pending, None
            self._say(pending)
        match event:
            case Message():
                # What the other side says together with calls goes to the tools, and a blind seat never hears it.
                if self.sees_all or event.seat in self._people:
                    self._say(event)
                elif session.mid_turn:
                    self._pending = event
                elif not _called(event.turn, session):
                    self._say(event)
            case Call():
                self._pending = None
                self._unwrite(event.seat)
                self._call(event, session)
            case Result():
                self._result(event, session)
            case Synced():
                self._synced(event, session)
            case Undone():
                self._unwrite()
                self.conversation.remove_entry(f"t{event.turn}")
            case Seated():
                self._unwrite(event.seat)
                self._beside(event, session)
            case Failure():
                self._unwrite()
                shown = event if len(event.detail) <= DETAIL else replace(event, detail=f"{event.detail[:DETAIL]}…")
                hint = "press R, or type /retry, to try again" if event.retryable else "this cannot be tried again"
                self._beside(shown, session, f"nothing is lost; {hint}")
            case _:
                self._beside(event, session)

    def _beside(self, event: Event, session: Session, mark: str = "") -> None:
        key = f"b{event.at} {type(event).__name__} {len(self.conversation.entries)}"
        if (entry := beside(event, key, session.events)) is not None:
            self._add(replace(entry, mark=mark or entry.mark))

    def _add(self, entry: Entry) -> None:
        self.conversation.add(entry)

    def _say(self, event: Message) -> None:
        own = event.seat in self._people
        entry = of_message(
            event,
            own=own,
            label="you" if own and len(self._people) == 1 else "",
            thoughts=self.sees_all or own,
            usage=self.sees_all,
        )
        if self.conversation.entry(_live(event.seat)) is not None:
            self.conversation.change(_live(event.seat), entry)
        else:
            self._add(entry)

    def write(self, seat: Seat, draft: Draft) -> None:
        """Show what a seat has written so far of a message, as far as it is one that this person will hear."""
        text = draft.shown if self.sees_all or not draft.calling else ""
        thought = "".join(draft.thought) if self.sees_all else ""
        if not text and not thought:
            self._unwrite(seat)
            return
        entry = Entry(_live(seat), seat, seat, text, thought=thought, live=True)
        if self.conversation.entry(entry.key) is not None:
            self.conversation.change(entry.key, entry)
        else:
            self._add(entry)

    def _unwrite(self, *seats: Seat) -> None:
        """Take away what was being written, by everybody where no seat is named."""
        for seat in seats or ("user", "agent"):
            if self.conversation.entry(_live(seat)) is not None:
                self.conversation.remove_entry(_live(seat))

    def _call(self, event: Call, session: Session) -> None:
        if not self.sees_all and event.seat not in self._people:
            return
        self._last_call = event
        entry = self.conversation.entry(f"t{event.turn}")
        if entry is not None:
            self.conversation.change(entry.key, with_call(entry, event.name))
        self._trace(event.turn, event.id, session)

    def _result(self, event: Result, session: Session) -> None:
        if not self.sees_all and event.seat not in self._people:
            return
        self._trace(event.turn, event.id, session)
        if (database := self.database) is not None:
            name = self._last_call.name if self._last_call is not None else ""
            database.called(name, event.changes, session.env.changes(), failed=event.error)

    def _synced(self, event: Synced, session: Session) -> None:
        if self._last_call is None or (not self.sees_all and self._last_call.seat not in self._people):
            return
        self._trace(event.turn, self._last_call.id, session)
        if (database := self.database) is not None:
            database.synced(event.changes, session.env.changes())

    def _trace(self, turn: int, call_id: str, session: Session) -> None:
        if (trace := self.trace) is None or (done := _done(turn, call_id, session)) is None:
            return
        whose = done.call.seat if len(session.env.kits) > 1 else ""
        trace.show(CallRow(done, kind_of(done, session), owner_of(done, session) if self._solo else whose))

    def document(self, name: str) -> DocumentView | None:
        """Return the pane's document, where the view has it as a pane."""
        pane = self.pane(name)
        return pane.body if pane is not None and isinstance(pane.body, DocumentView) else None


def _live(seat: Seat) -> str:
    return f"live {seat}"


def _called(turn: int, session: Session) -> bool:
    return any(known.index == turn and known.calls for known in session.state.turns)


def _done(turn: int, call_id: str, session: Session) -> Done | None:
    found: Iterable[Done] = (
        done for known in session.state.turns if known.index == turn for done in known.calls if done.call.id == call_id
    )
    return next(iter(found), None)


def kind_of(done: Done, session: Session) -> str:
    """Return a call's kind, nothing when it reaches no tool."""
    from domains.environment import ToolError

    try:
        return session.env.find(done.call.seat, done.call.name)[1].kind
    except ToolError:
        return ""


def owner_of(done: Done, session: Session) -> str:
    """Return whose tool a call reached, nothing when it reached none."""
    from domains.environment import ToolError

    try:
        return session.env.find(done.call.seat, done.call.name)[1].owner
    except ToolError:
        return ""
