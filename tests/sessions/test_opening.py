"""What was recorded is opened again: taken up by its players, or gone on from with a seat taken."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from domains import DataError, load_domain
from domains.toolkit import Seat
from sessions.event import Exposure, Header, Opened, PlayerInfo, Supervision
from sessions.opening import BeingPlayed, find_open, open_fork, open_recorded
from sessions.players.base import Action, ToolCall
from sessions.players.human import HumanPlayer
from sessions.players.oracle import OracleAgent
from sessions.players.replay import RECORDED, SOURCE, ReplayPlayer
from sessions.players.script import ScriptUser
from sessions.recorder import Recorder
from sessions.seating import Table, table_of
from sessions.session import Session, play
from sessions.trajectory import fold
from sessions.trials import start_from, table_from
from tests.sessions.playing import Lines

DOMAIN = load_domain("airline")
TASK = DOMAIN.tasks[3]


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "s.db")


async def until(condition: Callable[[], bool]) -> None:
    """Let the others run until something holds; what they record takes the disk its time."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.001)


def person_against_oracle(recorder: Recorder, session_id: str = "01A") -> Session:
    players = {"user": HumanPlayer("ann"), "agent": OracleAgent(DOMAIN, TASK, slips=1, seed=4)}
    return Session.new(DOMAIN, TASK, players, view="open", keeper=recorder, session_id=session_id, seed=9)  # type: ignore[arg-type]  # seats as literals


def heard(s: Session, text: str) -> bool:
    return any(turn.text == text for turn in s.state.turns)


async def cut_off(s: Session, *words: str) -> None:
    """Say some words, leave others in the box, and go away."""
    running = asyncio.create_task(play(s))
    person = s.players["user"]
    assert isinstance(person, HumanPlayer)
    for text in words:
        await until(lambda: person.waiting)
        s.submit("user", Action(text))
        await until(partial(heard, s, text))
    await until(lambda: person.waiting)
    await s.draft("user", "half a sen")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def whole(recorder: Recorder) -> Session:
    """A session of the two partners, to its end."""
    players = {"user": ScriptUser(DOMAIN, TASK), "agent": OracleAgent(DOMAIN, TASK)}
    s = Session.new(DOMAIN, TASK, players, view="open", keeper=recorder, session_id="01W")  # type: ignore[arg-type]  # seats as literals
    asyncio.run(play(s))
    return s


def rewritten(recorder: Recorder, session_id: str, **header: object) -> None:
    """Put another header into a session."""
    opened, *rest = recorder.events(session_id)
    assert isinstance(opened, Opened)
    recorder.add([[replace(opened, header=replace(opened.header, **header)), *rest]], replacing=True)  # type: ignore[arg-type]  # whatever a test changes


# Taken up


async def test_everybody_sits_where_they_sat_with_the_words_in_the_box(recorder: Recorder) -> None:
    await cut_off(person_against_oracle(recorder), "hello")
    again = open_recorded(recorder, "01A")
    person, agent = again.players["user"], again.players["agent"]
    assert isinstance(person, HumanPlayer)
    assert isinstance(agent, OracleAgent)
    assert (agent.info.name, agent.info.settings) == ("oracle:slips=1", {"slips": 1, "seed": 4})
    assert again.header.players == {"user": PlayerInfo("human", "ann"), "agent": agent.info}
    assert again.state.drafts == {"user": "half a sen"}
    assert again.people == ("user",)
    assert [turn.text for turn in again.state.turns][:2] == ["Hi! How can I help you today?", "hello"]


async def test_the_one_left_last_is_taken_up_and_any_by_how_its_id_begins(recorder: Recorder) -> None:
    with pytest.raises(DataError, match=r"no session in .* was interrupted"):
        find_open(recorder)
    await cut_off(person_against_oracle(recorder, "01A"))
    await cut_off(person_against_oracle(recorder, "01B"), "hello")
    assert find_open(recorder) == "01B"
    assert find_open(recorder, "01A") == "01A"
    with pytest.raises(DataError, match="2 sessions begin with '01'"):
        find_open(recorder, "01")
    with pytest.raises(DataError, match="no session 'x'"):
        find_open(recorder, "x")


def test_what_has_ended_is_not_taken_up(recorder: Recorder) -> None:
    whole(recorder)
    with pytest.raises(DataError, match="01W has ended by user_stop"):
        open_recorded(recorder, "01W")


async def test_another_database_is_told_by_its_digest(recorder: Recorder) -> None:
    await cut_off(person_against_oracle(recorder))
    rewritten(recorder, "01A", digests={"agent": "0" * 64})
    with pytest.raises(DataError, match="played on another database than those here; name its folder with --data"):
        open_recorded(recorder, "01A")


async def test_a_player_that_cannot_be_seated_is_named(recorder: Recorder) -> None:
    await cut_off(person_against_oracle(recorder))
    rewritten(recorder, "01A", players={"user": PlayerInfo("human", "ann"), "agent": PlayerInfo("model", "gpt-x")})
    with pytest.raises(DataError, match="the agent was gpt-x, a model, which cannot be seated here yet"):
        open_recorded(recorder, "01A")


async def test_what_another_program_plays_is_not_taken_up_until_that_has_gone(recorder: Recorder) -> None:
    await cut_off(person_against_oracle(recorder))
    host = socket.gethostname()

    def played_by(process: str) -> None:
        with recorder._at_work() as conn:
            conn.execute("update sessions set process = ?", (process,))
            conn.commit()

    played_by(f"{host}:{os.getppid()}")
    with pytest.raises(BeingPlayed, match="tau-tui replay 01A"):
        open_recorded(recorder, "01A")
    with pytest.raises(DataError, match="was interrupted"):
        find_open(recorder)
    played_by(f"{host}:{os.getpid()}")
    assert find_open(recorder) == "01A", "this program has left it itself"
    assert open_recorded(recorder, "01A").header.id == "01A"


# Supervised


def supervised(recorder: Recorder) -> Session:
    """A session of the two partners over whose writes a person decides, to its end."""
    players = {"user": ScriptUser(DOMAIN, TASK), "agent": OracleAgent(DOMAIN, TASK)}
    s = Session.new(DOMAIN, TASK, players, view="open", keeper=recorder, session_id="01V", supervised=True)  # type: ignore[arg-type]  # seats as literals
    asyncio.run(play(s))
    return s


async def test_what_was_supervised_is_supervised_again_when_it_is_taken_up(recorder: Recorder) -> None:
    s = person_against_oracle(recorder)
    s.header = replace(s.header, supervised=True)
    await cut_off(s, "hello")
    assert open_recorded(recorder, "01A").supervised
    again = open_recorded(recorder, "01A")
    await again.supervise(None, by="ann")
    assert not open_recorded(recorder, "01A").supervised, "as it was left"


@pytest.mark.parametrize(("taking", "stays"), [(None, True), ("user", True), ("agent", False)])
def test_a_branch_stays_supervised_unless_a_person_becomes_the_agent(
    recorder: Recorder, taking: Seat | None, stays: bool
) -> None:
    supervised(recorder)
    assert open_fork(recorder, "01V", 2, taking=taking).header.supervised is stays


def test_a_branch_begins_as_supervised_as_the_turn_it_goes_on_from(recorder: Recorder) -> None:
    events = list(supervised(recorder).events)
    at = next(i for i, event in enumerate(events) if getattr(event, "turn", 0) == 3)
    recorder.add([[*events[:at], Supervision(on=False, at=events[at].at), *events[at:]]], replacing=True)
    assert open_fork(recorder, "01V", 1).header.supervised
    assert not open_fork(recorder, "01V", 4).header.supervised


def test_a_table_is_supervised_again_but_for_one_at_which_no_person_sits(recorder: Recorder) -> None:
    header = supervised(recorder).header
    assert table_of(header).approve
    assert not table_of(replace(header, players={**header.players, "agent": PlayerInfo("human", "ann")})).approve
    assert not table_from(start_from(recorder, "01V", 2), Table(play="none")).approve


# Gone on from


async def test_everybody_keeps_their_seat_and_what_was_said_before(recorder: Recorder) -> None:
    await cut_off(person_against_oracle(recorder), "hello", "my user id is mia_li_3668")
    turns = fold(recorder.events("01A")).turns
    mine = next(turn.index for turn in turns if turn.text.startswith("my user"))
    branch = open_fork(recorder, "01A", mine)
    header = branch.header
    assert (header.parent, header.parent_turn, header.seed) == ("01A", mine - 1, 9)
    assert header.players == person_against_oracle(recorder).header.players
    running = asyncio.create_task(play(branch))
    await until(lambda: branch.players["user"].waiting)  # type: ignore[attr-defined]  # a person
    assert [turn.text for turn in branch.state.turns] == [turn.text for turn in turns if turn.index < mine]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert recorder.events(header.id) == branch.events


async def test_what_was_shown_before_stays_known(recorder: Recorder) -> None:
    s = person_against_oracle(recorder)
    await cut_off(s, "hello")
    await s.expose("user", "goal")
    branch = open_fork(recorder, "01A", 1)
    running = asyncio.create_task(play(branch))
    await until(lambda: branch.players["user"].waiting)  # type: ignore[attr-defined]  # a person
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    shown = [event.kind for event in branch.events if isinstance(event, Exposure)]
    assert sorted(shown) == ["database", "goal", "trace"]


def test_a_person_takes_a_seat_and_the_other_says_its_recorded_lines(recorder: Recorder) -> None:
    first = whole(recorder)
    spoken = [turn for turn in first.state.turns if turn.seat == "agent" and turn.index > 0]
    s = open_fork(recorder, "01W", spoken[0].index, taking="agent", person="ann", seen=True)
    assert s.header.players["agent"] == PlayerInfo("human", "ann")
    assert s.header.players["user"].kind == "replay"
    assert s.header.parent_turn == spoken[0].index - 1
    again = Lines(
        *(Action(t.text, tuple(ToolCall(d.call.name, d.call.arguments) for d in t.calls), t.stop) for t in spoken)
    )
    s.players = {**s.players, "agent": again}
    asyncio.run(play(s))
    assert [(turn.seat, turn.text) for turn in s.state.turns] == [(t.seat, t.text) for t in first.state.turns]
    sources = [t.message.usage.get(SOURCE) for t in s.state.turns if t.seat == "user" and t.message and t.index > 1]
    assert set(sources) == {RECORDED}
    assert any(isinstance(event, Exposure) and event.kind == "goal" for event in s.events)


def test_when_something_else_is_said_the_script_plays_on(recorder: Recorder) -> None:
    first = whole(recorder)
    turn = next(turn.index for turn in first.state.turns if turn.seat == "agent" and turn.index > 0)
    s = open_fork(recorder, "01W", turn, taking="agent")
    s.players = {**s.players, "agent": Lines("I cannot do anything for you today. Anything else?", "Goodbye.")}
    asyncio.run(play(s))
    sources = [t.message.usage.get(SOURCE) for t in s.state.turns if t.seat == "user" and t.message and t.index > 1]
    assert set(sources) == {"script"}
    assert s.state.ended is not None


def test_a_branch_with_recorded_lines_is_itself_taken_up(recorder: Recorder) -> None:
    first = whole(recorder)
    turn = next(turn.index for turn in first.state.turns if turn.seat == "agent" and turn.index > 0)
    s = open_fork(recorder, "01W", turn, taking="agent")

    async def begin() -> None:
        running = asyncio.create_task(play(s))
        await until(lambda: s.players["agent"].waiting)  # type: ignore[attr-defined]  # a person
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(begin())
    again = open_recorded(recorder, s.header.id)
    user = again.players["user"]
    assert isinstance(user, ReplayPlayer)
    assert user.info == s.header.players["user"]
    assert user._recorded
    recorder.delete(["01W"])
    alone = open_recorded(recorder, s.header.id).players["user"]
    assert isinstance(alone, ReplayPlayer)
    assert not alone._recorded, "the lines went with their session, and the script plays on"


def test_what_was_imported_is_gone_on_from_as_a_session_of_ours(recorder: Recorder) -> None:
    whole(recorder)
    rewritten(recorder, "01W", origin={"format": "tau2"}, players=dict.fromkeys(("user", "agent"), MODEL), split="")
    s = open_fork(recorder, "01W", 4, taking="user")
    assert isinstance(s.header, Header)
    assert (s.header.origin, s.header.split, s.header.view) == ({}, "base", "open")
    assert s.header.players["agent"].name == "recorded+oracle"


MODEL = PlayerInfo("model", "gpt-x")


@pytest.mark.parametrize(("turn", "seat", "kept"), [(1, "user", 0), (1, "agent", 1), (0, "agent", 0), (2, "agent", 1)])
def test_ones_own_turn_is_played_again_and_anothers_is_answered(
    recorder: Recorder, turn: int, seat: str, kept: int
) -> None:
    whole(recorder)
    assert open_fork(recorder, "01W", turn, taking=seat).header.parent_turn == kept  # type: ignore[arg-type]  # a seat


def test_there_must_be_such_a_turn(recorder: Recorder) -> None:
    whole(recorder)
    with pytest.raises(DataError, match="there is no turn 99; there are 0 to"):
        open_fork(recorder, "01W", 99, taking="user")
    with pytest.raises(DataError, match="there is no session 'nowhere'"):
        open_fork(recorder, "nowhere", 1)
