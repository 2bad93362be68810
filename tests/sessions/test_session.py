"""Turns, limits and ends as the benchmarks have them; failures, undo and leaving as people need them."""

from __future__ import annotations

import asyncio

import pytest

from domains import load_domain
from domains.catalog import Domain
from sessions.event import Event, Exposure, Failure, Judged, Message, Result, Termination
from sessions.keeping import RecordingFailed
from sessions.limits import Limits
from sessions.orchestrator import GREETING, NotAllowed
from sessions.players.base import Action, PlayerFailure, ToolCall
from sessions.players.human import HumanPlayer, NotYourTurn
from sessions.session import Session, play
from sessions.trajectory import fold
from tests.sessions.playing import Lines, kinds, session, until

AIRPORTS = ToolCall("list_all_airports", {})
NONSENSE = ToolCall("no_such_tool", {})
STOP = Action(stop="###STOP###")


@pytest.fixture
def domain() -> Domain:
    return load_domain("airline")


def reason(s: Session) -> Termination:
    assert s.state.ended is not None
    return s.state.ended.reason


async def test_the_agent_greets_first_and_the_user_stops(domain: Domain) -> None:
    s = session(domain, Lines("hello"), Lines("yes?"))
    events = await play(s)
    assert kinds(events) == ["Opened", "Message", "Message", "Message", "Message", "Ended"]
    greeting = events[1]
    assert isinstance(greeting, Message)
    assert (greeting.turn, greeting.seat, greeting.text) == (0, "agent", GREETING)
    assert reason(s) == "user_stop"


async def test_words_and_several_calls_in_one_turn_are_all_kept(domain: Domain) -> None:
    both = Action(text="One moment.", calls=(AIRPORTS, NONSENSE))
    user = Lines("hello")
    s = session(domain, user, Lines(both, "done"))
    events = await play(s)
    assert kinds(events)[3:8] == ["Message", "Call", "Result", "Call", "Result"]
    turn = s.state.turns[2]
    assert (turn.text, [done.call.name for done in turn.calls]) == (
        "One moment.",
        ["list_all_airports", "no_such_tool"],
    )
    assert [done.result.error for done in turn.calls if done.result] == [False, True]


async def test_the_user_hears_neither_calls_nor_the_words_sent_with_them(domain: Domain) -> None:
    user = Lines("hello")
    agent = Lines(Action(text="aside", calls=(AIRPORTS,)), "done")
    await play(session(domain, user, agent))
    heard = user.views[-1].turns
    assert [turn.text for turn in heard] == [GREETING, "hello", "done"]
    assert not any(turn.calls for turn in heard)
    assert user.views[0].policy is None
    assert agent.views[0].scenario is None
    assert len(agent.views[-1].turns) == 3


async def test_a_changing_call_carries_its_changes(domain: Domain) -> None:
    booking = next(iter(domain.bases["agent"].tables["reservations"]))
    cancel = Action(calls=(ToolCall("cancel_reservation", {"reservation_id": booking}),))
    events = await play(session(domain, Lines("cancel it"), Lines(cancel, "done")))
    (result,) = [event for event in events if isinstance(event, Result)]
    assert {change.key for change in result.changes} == {booking}


@pytest.mark.parametrize(
    ("limits", "expected", "steps"),
    [
        # hello 1, what? 2, well 3, a call 4, its results 5, a call 6, its results 7
        (Limits(max_steps=3), "max_steps", 3),
        (Limits(max_steps=4), "max_steps", 5),  # 4 falls where the environment is to receive: not looked at
        (Limits(max_steps=6), "max_steps", 7),
        (Limits(max_agent_actions=2), "max_steps", 5),  # the words and one call
        (Limits(max_errors=3), "too_many_errors", 7),  # two a call, over all calls
    ],
)
async def test_limits_are_counted_as_the_benchmarks_do(
    domain: Domain, limits: Limits, expected: Termination, steps: int
) -> None:
    call = Action(calls=(NONSENSE, AIRPORTS, NONSENSE))
    if limits.max_agent_actions:
        call = Action(calls=(AIRPORTS,))
    s = session(domain, Lines("hello", "well"), Lines("what?", call, call, call), limits=limits)
    await play(s)
    assert (reason(s), s.state.steps) == (expected, steps)


async def test_a_limit_reached_by_the_stop_itself_wins_as_in_tau2(domain: Domain) -> None:
    s = session(domain, Lines("hello"), Lines("yes?"), limits=Limits(max_steps=3))
    await play(s)
    assert reason(s) == "max_steps"


async def test_an_agent_that_stops_ends_the_session(domain: Domain) -> None:
    s = session(domain, Lines("hello"), Lines(STOP))
    await play(s)
    assert reason(s) == "agent_stop"


async def test_solo_ends_with_done_and_words_alone_are_an_error_of_the_agent(domain: Domain) -> None:
    s = session(domain, Lines(), Lines(Action(calls=(AIRPORTS,)), Action(calls=(ToolCall("done", {}),))), solo=True)
    events = await play(s)
    assert kinds(events) == ["Opened", "Call", "Result", "Message", "Ended"]
    assert reason(s) == "agent_stop"
    chatty = session(domain, Lines(), Lines("anyone there?"), solo=True)
    await play(chatty)
    assert reason(chatty) == "agent_error"


async def test_a_failing_player_is_a_failure_that_can_be_retried_and_no_reward(domain: Domain) -> None:
    s = session(domain, Lines("hello"), Lines(PlayerFailure("the model cannot be reached"), "now I am here"))
    await play(s)
    failure = s.events[-1]
    assert isinstance(failure, Failure)
    assert (failure.what, failure.seat, s.state.ended) == ("the model cannot be reached", "agent", None)
    await play(s)
    assert reason(s) == "user_stop"
    assert "now I am here" in [turn.text for turn in s.state.turns]


async def test_a_player_with_a_fault_of_its_own_does_not_take_the_session_down(domain: Domain) -> None:
    s = session(domain, Lines("hello"), Lines(ZeroDivisionError("oops"), Action(), "fine"))
    for detail in ("ZeroDivisionError: oops", ""):
        await play(s)
        assert isinstance(s.events[-1], Failure)
        assert s.events[-1].detail == detail
    await play(s)
    assert reason(s) == "user_stop"


class TestPerson:
    async def test_acts_when_it_is_their_turn_and_not_before(self, domain: Domain) -> None:
        user, agent = HumanPlayer("ann"), HumanPlayer("ann")
        s = session(domain, user, agent)
        running = asyncio.create_task(play(s))
        await until(lambda: user.waiting)
        with pytest.raises(NotYourTurn):
            s.submit("agent", Action(text="me first"))
        with pytest.raises(NotAllowed, match="a turn needs words"):
            s.submit("user", Action(text="  "))
        with pytest.raises(NotAllowed, match="only the customer"):
            s.submit("agent", Action(stop="###TRANSFER###"))
        s.submit("user", Action(text="text that quotes ###STOP### goes on"))
        await until(lambda: agent.waiting)
        s.submit("agent", Action(text="Thanks (great)"))
        await until(lambda: user.waiting)
        s.submit("user", Action(stop="###OUT-OF-SCOPE###"))
        await running
        assert reason(s) == "user_stop"
        assert [turn.text for turn in s.state.turns[1:3]] == ["text that quotes ###STOP### goes on", "Thanks (great)"]

    async def test_takes_back_a_message_nobody_has_answered(self, domain: Domain) -> None:
        user, agent = HumanPlayer("ann"), HumanPlayer("bob")
        s = session(domain, user, agent)
        running = asyncio.create_task(play(s))
        await until(lambda: user.waiting)
        with pytest.raises(NotAllowed):
            await s.undo()
        s.submit("user", Action(text="oops"))
        await until(lambda: agent.waiting)
        assert await s.undo() == "oops"
        await until(lambda: user.waiting)
        s.submit("user", Action(text="what I meant"))
        await until(lambda: agent.waiting)
        s.submit("agent", Action(text="I see"))
        await until(lambda: user.waiting)
        s.submit("user", STOP)
        await running
        with pytest.raises(NotAllowed):
            await s.undo()
        assert [turn.text for turn in s.state.turns] == [GREETING, "what I meant", "I see", ""]
        assert "oops" in [event.text for event in s.events if isinstance(event, Message)], "it stays in the log"
        assert s.state.steps == 3

    async def test_cannot_take_back_what_has_been_answered(self, domain: Domain) -> None:
        user = HumanPlayer("ann")
        s = session(domain, user, Lines("yes?"))
        running = asyncio.create_task(play(s))
        await until(lambda: user.waiting)
        s.submit("user", Action(text="hello"))
        await until(lambda: len(s.state.turns) == 3 and user.waiting)
        with pytest.raises(NotAllowed, match="before it is answered"):
            await s.undo()
        await s.abandon("user")
        await running

    async def test_leaves_whoevers_turn_it_is(self, domain: Domain) -> None:
        user, agent = HumanPlayer("ann"), HumanPlayer("bob")
        s = session(domain, user, agent)
        running = asyncio.create_task(play(s))
        await until(lambda: user.waiting)
        await s.abandon("agent")
        await running
        assert reason(s) == "abandoned"

    async def test_notes_drafts_and_exposures_are_events_beside_the_turns(self, domain: Domain) -> None:
        user = HumanPlayer("ann")
        s = session(domain, user, Lines("yes?"))
        running = asyncio.create_task(play(s))
        await until(lambda: user.waiting)
        await s.draft("user", "half a")
        await s.draft("user", "half a")
        assert s.state.drafts["user"] == "half a"
        await s.note("odd greeting", turn=0)
        await s.expose("user", "goal")
        s.submit("user", STOP)
        await running
        assert kinds(s.events) == [
            "Opened",
            "Message",
            "Exposure",
            "Exposure",
            "Draft",
            "Note",
            "Exposure",
            "Message",
            "Ended",
        ]
        assert {e.kind for e in s.events if isinstance(e, Exposure)} == {"database", "trace", "goal"}
        assert "user" not in s.state.drafts, "a draft is gone once it is sent"


class Unreliable:
    """Keeps events, except that every third attempt fails before or after it was kept."""

    def __init__(self) -> None:
        self.kept: dict[int, Event] = {}
        self.attempts = 0

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        self.attempts += 1
        if self.attempts % 3 == 0:
            raise RecordingFailed("disk full")
        self.kept[seq] = event
        if self.attempts % 5 == 0:
            raise RecordingFailed("too late to say")


async def test_what_cannot_be_kept_is_not_shown_and_play_goes_on_when_it_can(domain: Domain) -> None:
    keeper = Unreliable()
    calls = Action(calls=(AIRPORTS, AIRPORTS))
    s = session(domain, Lines("hello"), Lines(calls, "done"), keeper=keeper)
    shown: list[Event] = []
    failures = 0
    while s.state.ended is None:
        try:
            async for event in s.run():
                shown.append(event)
                assert list(keeper.kept.values())[: len(shown)] == shown, "kept before it is shown"
        except RecordingFailed:
            failures += 1
    assert failures > 3
    assert kinds(s.events) == [
        "Opened",
        "Message",
        "Message",
        "Call",
        "Result",
        "Call",
        "Result",
        "Message",
        "Message",
        "Ended",
    ]
    assert [keeper.kept[i] for i in sorted(keeper.kept)] == s.events


async def test_folding_the_log_gives_the_live_state(domain: Domain) -> None:
    s = session(domain, Lines("hello", "and?"), Lines(Action(text="a", calls=(AIRPORTS, NONSENSE)), "b", "c"))
    await play(s)
    assert fold(s.events) == s.state


async def test_a_persons_verdicts_are_kept_and_the_last_one_stands() -> None:
    s = session(load_domain("mock"), HumanPlayer("ann"), Lines(), task="task_done")
    assert s.state.judgements(1) == (None,)
    await s.judge(0, True)
    await s.judge(0, False)
    assert s.state.judgements(1) == (False,)
    assert [(e.assertion, e.met, e.by) for e in s.events if isinstance(e, Judged)] == [
        (0, True, "ann"),
        (0, False, "ann"),
    ]
    with pytest.raises(NotAllowed, match="no natural-language assertion 1"):
        await s.judge(1, True)


async def test_times_never_go_back(domain: Domain) -> None:
    times = iter([5.0, 3.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    s = session(domain, Lines("hello"), Lines("yes?"))
    s._clock = lambda: next(times)
    await play(s)
    assert [event.at for event in s.events] == sorted(event.at for event in s.events)
