"""A session cut off anywhere goes on exactly there; from any turn another one can be begun."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains import DataError, load_domain
from domains.toolkit import Seat
from sessions.event import Call, Ended, Event, Message, Opened, Resumed
from sessions.keeping import RecordingFailed
from sessions.limits import Limits
from sessions.players.base import Action, ToolCall
from sessions.players.human import HumanPlayer
from sessions.recorder import Recorder
from sessions.resuming import fork
from sessions.reward import score
from sessions.session import Session, play
from sessions.trajectory import fold
from tests.sessions.playing import Lines, kinds, session, until

DOMAIN = load_domain("airline")
BOOKINGS = list(DOMAIN.bases["agent"].tables["reservations"])[:3]
CANCELS = [Action(text="now", calls=(ToolCall("cancel_reservation", {"reservation_id": b}),)) for b in BOOKINGS]
ODD = Action(calls=(ToolCall("no_such_tool", {}), ToolCall("list_all_airports", {})))
AGENT = ("yes?", CANCELS[0], "done", ODD, CANCELS[1], "and done")
USER = ("hello", "cancel", "the other too")


def whole() -> list[Event]:
    """All events of a session played to its end."""
    s = session(DOMAIN, Lines(*USER), Lines(*AGENT))
    asyncio.run(play(s))
    return s.events


WHOLE = whole()


def rest(events: list[Event]) -> tuple[Lines, Lines]:
    """Players with the lines that were not yet said."""
    turns = fold(events).turns
    said = {seat: sum(t.seat == seat and t.index > 0 for t in turns) for seat in ("user", "agent")}
    return Lines(*USER[said["user"] :]), Lines(*AGENT[said["agent"] :])


def told(events: list[Event]) -> list[str]:
    return [kind for kind in kinds(events) if kind != "Resumed"]


@pytest.mark.parametrize("cut", range(1, len(WHOLE)))
def test_cut_off_after_any_event_it_ends_as_the_whole_one_did(cut: int) -> None:
    user, agent = rest(WHOLE[:cut])
    s = Session.continued(WHOLE[:cut], DOMAIN, {"user": user, "agent": agent})
    asyncio.run(play(s))
    assert isinstance(s.events[cut], Resumed)
    if not split(cut):
        assert told(s.events) == kinds(WHOLE)
        assert s.env.digest("agent") == session_digest()
    assert s.state.ended is not None
    assert s.state.ended.reason == "user_stop"


def split(cut: int) -> bool:
    """Whether the cut goes through an act: what of it was never begun is then not done, and its player acts again."""
    turn = getattr(WHOLE[cut - 1], "turn", None)
    return any(isinstance(event, Call) and event.turn == turn for event in WHOLE[cut:])


def session_digest() -> str | None:
    env = DOMAIN.environment(DOMAIN.task("#0"))
    for turn in fold(WHOLE).turns:
        for done in turn.calls:
            env.call(turn.seat, done.call.name, done.call.arguments)
    return env.digest("agent")


def test_a_call_that_was_being_made_is_made() -> None:
    cut = kinds(WHOLE).index("Call") + 1
    s = Session.continued(WHOLE[:cut], DOMAIN, dict(zip(("user", "agent"), rest(WHOLE[:cut]), strict=True)))
    asyncio.run(play(s))
    assert kinds(s.events)[cut : cut + 2] == ["Resumed", "Result"]


async def test_a_person_finds_their_words_again() -> None:
    person = HumanPlayer("ann")
    s = session(DOMAIN, person, Lines("yes?"))
    running = asyncio.create_task(play(s))
    await until(lambda: person.waiting)
    await s.draft("user", "half a sen")
    events = list(s.events)
    running.cancel()
    again = Session.continued(events, DOMAIN, {"user": HumanPlayer("ann"), "agent": Lines("yes?")})
    assert again.state.drafts == {"user": "half a sen"}
    assert again.state.next == "user"


def test_another_pack_than_the_one_that_was_played_is_noticed() -> None:
    events = list(WHOLE)
    at = kinds(events).index("Result")
    events[at] = type(events[at])(
        **{name: getattr(events[at], name) for name in events[at].__slots__} | {"content": "other", "at": 0.0}
    )
    with pytest.raises(DataError, match="cancel_reservation answers otherwise than it was recorded"):
        Session.continued(events, DOMAIN, {"user": Lines(), "agent": Lines()})


def test_a_fork_begins_as_its_parent_did_and_says_so() -> None:
    events = fork(WHOLE, 4, "CHILD")
    s = Session.continued(events, DOMAIN, {"user": Lines("no more"), "agent": Lines("fine")}, kept=False)
    asyncio.run(play(s))
    header = s.state.header
    assert header is not None
    assert (header.id, header.parent, header.parent_turn) == ("CHILD", "S", 4)
    assert [turn.text for turn in s.state.turns[:5]] == [turn.text for turn in fold(WHOLE).turns[:5]]
    assert [turn.text for turn in s.state.turns[5:]] == ["fine", "no more", ""] or s.state.ended is not None
    assert kinds(s.events).count("Resumed") == 0


@pytest.mark.parametrize(("turn", "line"), [(99, "has no turn 99"), (-1, "has no turn -1")])
def test_there_must_be_such_a_turn(turn: int, line: str) -> None:
    with pytest.raises(DataError, match=line):
        fork(WHOLE, turn, "CHILD")


def test_a_turn_that_ended_the_session_is_none_to_go_on_from() -> None:
    last = fold(WHOLE).turns[-1].index
    with pytest.raises(DataError, match="take one before it"):
        fork(WHOLE, last, "CHILD")


class TwoPeople:
    """A session of two people, who do whatever is asked of them when it is their turn."""

    def __init__(self) -> None:
        self.people: dict[Seat, HumanPlayer] = {"user": HumanPlayer("a"), "agent": HumanPlayer("b")}
        self.session = session(DOMAIN, self.people["user"], self.people["agent"])
        self.running = asyncio.create_task(play(self.session))

    async def turn(self) -> None:
        await until(lambda: any(person.waiting for person in self.people.values()))

    async def act(self, action: Action) -> None:
        before = len(self.session.state.turns)
        assert self.session.state.next is not None
        self.session.submit(self.session.state.next, action)
        await until(lambda: len(self.session.state.turns) > before)

    async def leave(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    async def fork(self, name: str) -> None:
        await self.leave()
        events = fork(self.session.events, self.session.state.turns[-1].index, name)
        self.people = {"user": HumanPlayer("a"), "agent": HumanPlayer("b")}
        self.session = Session.continued(events, DOMAIN, self.people, kept=False)
        self.running = asyncio.create_task(play(self.session))

    async def do(self, step: str, number: int) -> None:
        s = self.session
        match step:
            case "say":
                await self.act(Action(text=f"words {number}"))
            case "call" if s.state.next == "agent":
                await self.act(CANCELS[number % 3])
            case "undo" if s.undoable is not None:
                await s.undo()
            case "note":
                await s.note("n")
            case "draft":
                await s.draft("user", f"d{number}")
            case "fork" if len(s.state.turns) > 1:
                await self.fork(f"F{number}")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["say", "call", "undo", "note", "draft", "fork"]), max_size=14))
def test_folding_equals_the_live_state_after_any_sequence(steps: list[str]) -> None:
    async def scenario() -> None:
        two = TwoPeople()
        for number, step in enumerate(steps):
            await two.turn()
            await two.do(step, number)
        await two.turn()
        assert fold(two.session.events) == two.session.state
        again = Session.continued(two.session.events, DOMAIN, {"user": Lines(), "agent": Lines()})
        assert again.env.digest("agent") == two.session.env.digest("agent")
        await two.leave()

    asyncio.run(scenario())


# Killed in the middle, for real

PLAYING = """
import asyncio, sys
from pathlib import Path
from sessions.recorder import Recorder
from tests.sessions.test_resuming import AGENT, DOMAIN, USER
from tests.sessions.playing import Lines, session

async def main():
    s = session(DOMAIN, Lines(*USER), Lines(*AGENT), keeper=Recorder(Path(sys.argv[1])))
    print("ready", flush=True)
    async for event in s.run():
        print(len(s.events), flush=True)

asyncio.run(main())
"""
ROOT = Path(__file__).resolve().parents[2]


def killed(file: Path, after: float, how: signal.Signals = signal.SIGKILL) -> int:
    """Play in a process of its own and kill it `after` seconds from the first event; return how many were shown."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", PLAYING, str(file)], stdout=subprocess.PIPE, cwd=ROOT, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = int(process.stdout.readline() or 0)  # making the file takes longer than the session does
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(how)
        shown = process.stdout.read().split()
    return int(shown[-1]) if shown else first


def taken_up(file: Path) -> Session:
    """Resume what is in the file and play it to its end."""
    recorder = Recorder(file)
    events = recorder.events("S")
    if any(isinstance(event, Ended) for event in events):
        s = Session.continued(events, DOMAIN, {"user": Lines(), "agent": Lines()})
    else:
        user, agent = rest(events)
        s = Session.continued(events, DOMAIN, {"user": user, "agent": agent}, keeper=recorder)
        asyncio.run(play(s))
        assert recorder.events("S") == s.events
    recorder.close()
    return s


@pytest.mark.parametrize("number", range(20))
def test_killed_at_any_instant_every_shown_event_is_there_and_the_end_is_the_same(tmp_path: Path, number: int) -> None:
    file = tmp_path / "s.db"
    shown = killed(file, random.Random(number).uniform(0, 0.03))
    recorder = Recorder(file)
    assert len(recorder.events("S")) >= shown
    recorder.close()
    s = taken_up(file)
    assert s.env.digest("agent") == session_digest() or split_act(s.events)
    whole = score(DOMAIN, s.task, fold(WHOLE).turns, "user_stop")
    assert score(DOMAIN, s.task, s.state.turns, "user_stop").reward == whole.reward


def split_act(events: list[Event]) -> bool:
    """Whether it was killed between an act's words and its calls, which are then never made."""
    at = kinds(events).index("Resumed") if "Resumed" in kinds(events) else 0
    before = events[at - 1] if at else None
    return isinstance(before, Message) and before.text == "now"


def test_a_closed_terminal_loses_nothing(tmp_path: Path) -> None:
    shown = killed(tmp_path / "s.db", 0.03, signal.SIGHUP)
    recorder = Recorder(tmp_path / "s.db")
    assert len(recorder.events("S")) >= shown
    recorder.close()
    assert taken_up(tmp_path / "s.db").state.ended is not None


def test_a_full_disk_is_one_line_and_play_goes_on_when_there_is_room(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    recorder.sessions()
    conn = recorder._open().conn
    (pages,) = conn.execute("pragma page_count").fetchone()
    conn.execute(f"pragma max_page_count = {pages}")
    s = session(DOMAIN, Lines(*USER), Lines(*AGENT), keeper=recorder)
    with pytest.raises(RecordingFailed, match="full; free some space, then try again"):
        asyncio.run(play(s))
    conn.execute("pragma max_page_count = 1000000")
    asyncio.run(play(s))
    assert recorder.events("S") == s.events
    assert told(s.events) == kinds(WHOLE)
    recorder.close()


def test_two_programs_do_not_play_one_session_into_each_other(tmp_path: Path) -> None:
    one, two = Recorder(tmp_path / "s.db"), Recorder(tmp_path / "s.db")
    first = session(DOMAIN, Lines("hello"), Lines("yes?"), keeper=one)
    asyncio.run(play(first))
    opened = first.events[0]
    assert isinstance(opened, Opened)
    second = Session.continued(first.events[:3], DOMAIN, {"user": Lines(), "agent": Lines("no!")}, keeper=two)
    with pytest.raises(RecordingFailed, match="another tau-tui is playing session S"):
        asyncio.run(play(second))
    assert one.events("S") == first.events
    one.close()
    two.close()


def test_a_limit_that_was_reached_when_it_was_cut_off_still_ends_it() -> None:
    s = session(DOMAIN, Lines(*USER), Lines(*AGENT), limits=Limits(max_steps=2))
    asyncio.run(play(s))
    assert isinstance(s.events[-1], Ended)
    again = Session.continued(s.events[:-1], DOMAIN, {"user": Lines(), "agent": Lines()})
    asyncio.run(play(again))
    assert again.state.ended is not None
    assert again.state.ended.reason == "max_steps"
