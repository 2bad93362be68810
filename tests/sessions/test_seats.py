"""Seats change hands, writes are reviewed, whoever is at work can be stopped, and what a turn took is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import (
    Call,
    Event,
    Failure,
    Message,
    Opened,
    PlayerInfo,
    Result,
    Reviewed,
    Seated,
    Supervision,
    exposed,
)
from sessions.orchestrator import NotAllowed
from sessions.players.base import Action, Ruling, ToolCall, View
from sessions.players.human import HumanPlayer
from sessions.session import Session, play
from sessions.trajectory import fold
from tests.sessions.playing import Lines, session, until

MOCK = load_domain("mock")
CREATE = ToolCall("create_task", {"user_id": "user_1", "title": "Sweep"})
LOOK = ToolCall("get_users", {})


class Slow:
    """Acts when it is let go, and says when it is at work and when it was cancelled or closed."""

    def __init__(self, name: str = "slow") -> None:
        self.info = PlayerInfo("model", name)
        self.go = asyncio.Event()
        self.working = self.cancelled = self.closed = False

    async def act(self, view: View) -> Action:
        """Wait, then speak."""
        self.working = True
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Action(f"{self.info.name} speaks")

    async def close(self) -> None:
        """Be let go."""
        self.closed = True


class Boss:
    """A supervisor with a list of rulings."""

    def __init__(self, *rulings: Ruling) -> None:
        self.asked: list[ToolCall] = []
        self._rulings = list(rulings)

    async def review(self, seat: Seat, call: ToolCall) -> Ruling:
        """Give the next ruling."""
        self.asked.append(call)
        return self._rulings.pop(0)


def of(kind: type[Event], events: list[Event]) -> list[Event]:
    """The events of a kind."""
    return [event for event in events if isinstance(event, kind)]


# Supervised


async def test_an_approved_write_is_made_and_reads_are_nobodys_business() -> None:
    live = session(MOCK, Lines("do it"), Lines(Action(calls=(LOOK, CREATE))))
    live.supervisor = boss = Boss(Ruling("approved", by="ann"))
    events = await play(live)
    assert boss.asked == [CREATE]
    assert [event.name for event in of(Call, events)] == ["get_users", "create_task"]  # type: ignore[attr-defined]
    [reviewed] = of(Reviewed, events)
    assert isinstance(reviewed, Reviewed) and (reviewed.decision, reviewed.by) == ("approved", "ann")
    assert events.index(reviewed) < events.index(of(Call, events)[0])


async def test_an_edited_write_is_made_as_it_was_edited_and_both_are_kept() -> None:
    edited = {**CREATE.arguments, "title": "Mop"}
    live = session(MOCK, Lines("do it"), Lines(Action(calls=(CREATE,))))
    live.supervisor = Boss(Ruling("edited", edited))
    events = await play(live)
    [call], [reviewed] = of(Call, events), of(Reviewed, events)
    assert isinstance(call, Call) and isinstance(reviewed, Reviewed)
    assert call.arguments == edited == reviewed.edited and reviewed.arguments == CREATE.arguments


async def test_a_refused_write_is_never_made_and_the_player_is_told() -> None:
    agent = Lines(Action("I create it.", calls=(CREATE,)), "As you wish.")
    live = session(MOCK, Lines("do it"), agent)
    live.supervisor = Boss(Ruling("refused", reason="Not that one."))
    events = await play(live)
    assert of(Call, events) == [] and of(Result, events) == []
    assert not live.env.changes()
    assert [one.reason for one in agent.views[1].refused] == ["Not that one."]
    assert [event.text for event in of(Message, events)][-2:] == ["As you wish.", ""]  # type: ignore[attr-defined]
    assert fold(events).refused == live.state.refused


async def test_of_several_writes_only_the_refused_is_left_out() -> None:
    second = ToolCall("create_task", {"user_id": "user_1", "title": "Mop"})
    agent = Lines(Action(calls=(CREATE, second)))
    live = session(MOCK, Lines("do it"), agent)
    live.supervisor = Boss(Ruling("refused"), Ruling("approved"))
    events = await play(live)
    [call] = of(Call, events)
    assert isinstance(call, Call) and call.arguments["title"] == "Mop"


async def test_who_begins_or_stops_to_decide_in_the_middle_is_an_event() -> None:
    live = session(MOCK, Lines("do it", "and again"), Lines("Yes.", "Yes."))
    boss = Boss()
    async for event in live.run():
        if getattr(event, "turn", 0) == 2:
            await live.supervise(boss, by="ann")
            await live.supervise(boss, by="ann")
            await live.supervise(None, by="ann")
    assert [(e.on, e.by) for e in of(Supervision, live.events)] == [(True, "ann"), (False, "ann")]  # type: ignore[attr-defined]
    assert not live.supervised and not live.header.supervised
    assert exposed(live.events) >= {"supervised"}


async def test_who_decides_from_the_beginning_on_stands_in_the_header_alone() -> None:
    live = session(MOCK, Lines("do it"), Lines("Yes."))
    await live.supervise(Boss())
    assert live.supervised
    events = await play(live)
    assert isinstance(events[0], Opened) and events[0].header.supervised
    assert of(Supervision, events) == []
    assert fold(events).supervised


async def test_a_person_is_not_supervised() -> None:
    person = HumanPlayer("me")
    live = session(MOCK, Lines("do it"), person)
    live.supervisor = boss = Boss()
    running = asyncio.create_task(play(live))
    await until(lambda: person.waiting)
    live.submit("agent", Action(calls=(CREATE,)))
    await until(lambda: person.waiting and live.env.changes() != ())
    assert boss.asked == []
    running.cancel()


# Stopped


async def test_whoever_is_at_work_can_be_stopped_and_asked_again() -> None:
    slow = Slow()
    live = session(MOCK, Lines("hello"), slow)
    running = asyncio.create_task(play(live))
    await until(lambda: slow.working)
    assert live.stop("Half a sen")
    events = await running
    failure = events[-1]
    assert isinstance(failure, Failure) and failure.retryable and failure.seat == "agent"
    assert failure.what == "slow was stopped" and failure.detail == "Half a sen"
    assert slow.cancelled and slow.closed and live.state.ended is None
    slow.go.set()
    events = await play(live)
    assert live.state.ended is not None and live.state.ended.reason == "user_stop"


async def test_nobody_is_stopped_where_nobody_is_at_work() -> None:
    person = HumanPlayer("me")
    live = session(MOCK, person, Lines("hi"))
    assert not live.stop()
    running = asyncio.create_task(play(live))
    await until(lambda: person.waiting)
    assert not live.stop(), "a person is not stopped, it is their turn"
    running.cancel()


# Changing hands


async def played_until(live: Session, true: Callable[[], bool]) -> asyncio.Task[list[Event]]:
    """Begin to play, and return when something is so."""
    running = asyncio.create_task(play(live))
    await until(true)
    return running


async def test_a_person_takes_over_from_a_model_at_work_and_hands_back() -> None:
    slow, person = Slow(), HumanPlayer("ann")
    live = session(MOCK, Lines("hello", "and now?"), slow)
    running = await played_until(live, lambda: slow.working)
    await live.seat("agent", person)
    await until(lambda: person.waiting)
    assert slow.cancelled and slow.closed and live.people == ("agent",)
    live.submit("agent", Action("I am ann."))
    await until(lambda: person.waiting and live.state.next == "agent")
    back = Lines("I am back.")
    await live.seat("agent", back)
    events = await running
    said = [(event.seat, event.text) for event in events if isinstance(event, Message) and event.text]
    assert said[-4:] == [("user", "hello"), ("agent", "I am ann."), ("user", "and now?"), ("agent", "I am back.")]
    assert [event.player.name for event in of(Seated, events)] == ["ann", "script"]  # type: ignore[attr-defined]
    assert fold(events).players["agent"].name == "script"
    assert live.header.players["agent"].name == "slow", "the header says who began"


async def test_a_seat_changes_hands_while_the_other_one_is_at_work() -> None:
    slow = Slow()
    live = session(MOCK, Lines("hello"), slow)
    running = await played_until(live, lambda: slow.working)
    await live.seat("user", Lines("I am new"))
    assert not slow.cancelled
    slow.go.set()
    events = await running
    assert [event.text for event in events if isinstance(event, Message)][-3:] == ["I am new", "slow speaks", ""]


async def test_after_a_failure_another_can_sit_down_and_go_on() -> None:
    from sessions.players.base import PlayerFailure

    live = session(MOCK, Lines("hello"), Lines(PlayerFailure("no network")))
    assert isinstance((await play(live))[-1], Failure)
    await live.seat("agent", Lines("I am here"))
    events = await play(live)
    assert live.state.ended is not None
    assert "I am here" in [event.text for event in events if isinstance(event, Message)]


async def test_no_seat_is_taken_when_it_is_over() -> None:
    live = session(MOCK, Lines(), Lines())
    await play(live)
    with pytest.raises(NotAllowed, match="no agent seat"):
        await live.seat("agent", Lines())


# What a turn took


async def test_what_a_turn_of_calls_alone_took_is_kept_before_them() -> None:
    used = {"cost": 0.5, "prompt_tokens": 10}
    live = session(MOCK, Lines("do it"), Lines(Action(calls=(LOOK,), usage=used), "done"))
    events = await play(live)
    call = of(Call, events)[0]
    before = events[events.index(call) - 1]
    assert isinstance(before, Message) and before.text == "" and before.usage == used
    bare = session(MOCK, Lines("do it"), Lines(Action(calls=(LOOK,)), "done"))
    await play(bare)
    for one in (live, bare):
        assert (one.state.steps, one.state.agent_actions, len(one.state.turns)) == (5, 2, 5)
