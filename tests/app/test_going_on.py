"""Sessions entered again in the app: taken up, rewound, gone through, a seat taken, watched live."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList, Static

from domains import load_domain
from sessions.event import Ended, Header, Message, Opened, PlayerInfo, Scored, Supervision
from sessions.opening import find_open
from sessions.players.base import Action, ToolCall
from sessions.players.human import HumanPlayer
from sessions.players.oracle import OracleAgent
from sessions.recorder import Recorder
from sessions.reward import score
from sessions.seating import Table
from sessions.session import Session, play
from sessions.trajectory import fold
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.lobby import LobbyScreen
from tau_tui.screens.play import PlayScreen
from tau_tui.screens.result import ResultScreen
from tau_tui.screens.runs import RunsScreen
from tau_tui.screens.session_replay import SessionReplayScreen
from tau_tui.screens.sessions import SessionsScreen
from tau_tui.widgets.header import HeaderLine
from tau_tui.widgets.rewinding import Talk
from tests.app.helpers import SIZES, SMALL, WIDE, picture, wait_until

DOMAIN = load_domain("airline")
TASK = next(task for task in DOMAIN.tasks if any(a.name == "cancel_reservation" for a in task.gold))
NUMBER = DOMAIN.tasks.index(TASK)


class Going:
    """A running app on a recording."""

    def __init__(self, app: TauApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def front(self, kind: type[Screen[Any]], true: Callable[[Any], object] = lambda screen: True) -> Any:
        """Wait for a screen of this class in front that satisfies something."""
        await wait_until(self.pilot, lambda: isinstance(self.app.screen, kind) and true(self.app.screen), kind.__name__)
        return self.app.screen

    async def playing(self) -> PlayScreen:
        """Wait for a play screen on which it is the person's turn."""
        screen = await self.front(PlayScreen, lambda s: s.my_turn is not None and s._shown == len(s.playing.events))
        assert isinstance(screen, PlayScreen)
        return screen

    async def replaying(self) -> SessionReplayScreen:
        """Wait for a replay that has been read."""
        screen = await self.front(SessionReplayScreen, lambda s: s.watched is not None and s.replay is not None)
        assert isinstance(screen, SessionReplayScreen)
        return screen

    async def listed(self, rows: int) -> SessionsScreen:
        """Wait for a list of so many sessions."""
        screen = await self.front(SessionsScreen, lambda s: len(s.rows) == rows and s.shown_for == s.wanted)
        assert isinstance(screen, SessionsScreen)
        return screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    @property
    def picture(self) -> str:
        return picture(self.app)


@asynccontextmanager
async def going(db: Path, size: tuple[int, int] = WIDE, **options: Any) -> AsyncIterator[Going]:
    app = TauApp(Options(db=db, **options))
    async with app.run_test(size=size, notifications=True) as pilot:
        yield Going(app, pilot)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


async def until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 (another task makes it so)
        await asyncio.sleep(0.001)


def heard(s: Session, text: str) -> bool:
    return any(turn.text == text for turn in s.state.turns)


async def cut_off(db: Path, session_id: str = "01CUT", **header: Any) -> list[str]:
    """Play as the customer for a while, leave words in the box, go away; return what was said."""
    recorder = Recorder(db)
    person = HumanPlayer("ann")
    players: Any = {"user": person, "agent": OracleAgent(DOMAIN, TASK)}
    s = Session.new(DOMAIN, TASK, players, view="open", keeper=recorder, session_id=session_id, **header)
    running = asyncio.create_task(play(s))
    for text in ("Hello, I need help.", f"My user id is {user_id()}."):
        await until(lambda: person.waiting)
        s.submit("user", Action(text))
        await until(partial(heard, s, text))
    await until(lambda: person.waiting)
    await s.draft("user", "half a sen")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    recorder.close()
    return [turn.text for turn in s.state.turns if turn.text]


async def test_a_supervised_session_is_supervised_again_by_itself(db: Path) -> None:
    await cut_off(db, supervised=True)
    async with going(db, resume="") as app:
        screen = await app.playing()
        assert screen.partners is not None and screen.partners.supervising is not None
        assert screen.playing.supervisor is screen.partners.supervising
        assert "supervised" in app.picture.split("\n")[0]
        assert not [e for e in screen.playing.events if isinstance(e, Supervision)], "nothing has changed"
        screen._supervise()
        await wait_until(app.pilot, lambda: not screen.playing.supervised, "told not to ask")
    async with going(db, resume="") as app:
        screen = await app.playing()
        assert screen.playing.supervisor is None, "as it was left"
        assert "supervised" not in app.picture.split("\n")[0]


async def test_who_asks_for_it_when_taking_up_is_asked_from_then_on(db: Path) -> None:
    await cut_off(db)
    async with going(db, resume="", lobby=Table(person="ann", approve=True)) as app:
        screen = await app.playing()
        assert screen.playing.supervisor is not None and not screen.playing.header.supervised
        [event] = [e for e in screen.playing.events if isinstance(e, Supervision)]
        assert (event.on, event.by) == (True, "ann")


async def test_who_becomes_the_agent_supervises_nobody(db: Path) -> None:
    await cut_off(db, supervised=True)
    async with going(db, replay="01CUT", lobby=Table(person="ann", approve=True)) as app:
        await app.replaying()
        await app.press("end", "t")
        await wait_until(app.pilot, lambda: "Take which seat here?" in app.picture, "asked")
        await app.press("down", "enter")
        screen = await app.front(PlayScreen, lambda s: s.session is not None and s.session.events)
        assert screen.playing.people == ("agent",)
        assert screen.playing.supervisor is None and not screen.playing.header.supervised


def user_id() -> str:
    users = DOMAIN.bases["agent"].tables["users"]
    return next(key for key, user in users.items() if cancelled() in user["reservations"])


def cancelled() -> str:
    return next(str(a.arguments["reservation_id"]) for a in TASK.gold if a.name == "cancel_reservation")


def failed(db: Path, session_id: str = "01BAD") -> Session:
    """Record a session of the two partners in which another reservation is cancelled than should be."""
    recorder = Recorder(db)
    wrong = next(k for k in DOMAIN.bases["agent"].tables["reservations"] if k != cancelled())
    lines = [
        Action("I can cancel it for you. Shall I go on? Please answer yes or no."),
        Action(calls=(ToolCall("cancel_reservation", {"reservation_id": wrong}),)),
        Action("It is cancelled. Anything else?"),
    ]
    words = [Action("Cancel my trip, please."), Action("Yes, please."), Action("No, that is all.", stop="###STOP###")]
    players: Any = {"user": Said("script", "script", words), "agent": Said("oracle", "oracle", lines)}
    s = Session.new(DOMAIN, TASK, players, view="open", keeper=recorder, session_id=session_id)
    asyncio.run(play(s))
    verdict = score(DOMAIN, TASK, s.state.turns, "user_stop")
    asyncio.run(s.emit(Scored(reward=verdict.reward, verdict=verdict.to_json())))
    recorder.close()
    assert verdict.reward == 0
    return s


class Said:
    """Says its lines."""

    def __init__(self, kind: Any, name: str, lines: list[Action]) -> None:
        from sessions.event import PlayerInfo

        self.info = PlayerInfo(kind, name)
        self.lines = list(lines)

    async def act(self, view: object) -> Action:
        return self.lines.pop(0)


# Taking up


@pytest.mark.parametrize("size", SIZES)
async def test_a_session_is_taken_up_with_all_panes_and_the_words_in_the_box(db: Path, size: tuple[int, int]) -> None:
    said = await cut_off(db)
    async with going(db, size, resume="") as g:
        screen = await g.playing()
        assert [entry.text for entry in screen.panes.conversation.entries] == said
        assert screen.composer.area.text == "half a sen"
        assert f"airline #{NUMBER} · USER/oracle · open" in str(screen.header.content)
        trace = screen.panes.trace
        assert trace is not None
        made = [done.call.name for turn in screen.playing.state.turns for done in turn.calls]
        assert [row.done.call.name for row in trace.rows] == made
        assert made
        await g.press("end", *"tence", "enter")
        await wait_until(g.pilot, lambda: "half a sentence" in [t.text for t in screen.playing.state.turns], "said")


async def test_the_screen_is_the_one_that_was_left(db: Path) -> None:
    await cut_off(db)
    pictures = []
    for _ in range(2):
        async with going(db, resume="01CUT") as g:
            screen = await g.playing()
            assert screen.composer.area.text == "half a sen"
            pictures.append(g.picture.partition("\n")[2])  # the first line holds a clock
    assert pictures[0] == pictures[1]


async def test_the_lobby_offers_what_was_interrupted(db: Path) -> None:
    await cut_off(db)
    async with going(db, SMALL) as g:
        lobby = await g.front(LobbyScreen)
        await wait_until(g.pilot, lambda: lobby.query_one("#interrupted", OptionList).option_count == 1, "listed")
        assert f"interrupted (F10) · airline #{NUMBER} · USER/oracle" in g.picture
        lobby.query_one("#interrupted").focus()
        await g.press("enter")
        screen = await g.playing()
        assert screen.playing.header.id == "01CUT"


async def test_the_lobbys_key_takes_up_the_one_left_last(db: Path) -> None:
    await cut_off(db, "01A")
    await cut_off(db, "01B")
    async with going(db) as g:
        lobby = await g.front(LobbyScreen)
        await wait_until(g.pilot, lambda: lobby.query_one("#interrupted", OptionList).option_count == 2, "listed")
        await g.press("f10")
        assert (await g.playing()).playing.header.id == "01B"


async def test_what_cannot_be_taken_up_is_told_in_one_line(db: Path) -> None:
    async with going(db, resume="nowhere") as g:
        await wait_until(g.pilot, lambda: g.app.refusal is not None, "refused")
        assert "there is no session 'nowhere'" in str(g.app.refusal)


async def test_what_another_program_plays_can_be_watched_live(db: Path) -> None:
    said = await cut_off(db)
    recorder = Recorder(db)

    def sql(text: str) -> None:
        with recorder._at_work() as conn:
            conn.execute(text)
            conn.commit()

    sql(f"update sessions set process = '{socket.gethostname()}:{os.getppid()}'")
    async with going(db, resume="01CUT") as g:
        await wait_until(g.pilot, lambda: "is being played by another tau-tui" in g.picture, "told")
        await g.press("enter")
        screen = await g.replaying()
        await g.press("end")
        assert "· live" in str(screen.query_one(HeaderLine).content)
        assert [entry.text for entry in screen.query_one(Talk).entries] == said
        events = recorder.events("01CUT")
        turn = fold(events).next_index
        recorder.write("01CUT", len(events), Message(turn=turn, seat="user", text="new words", at=events[-1].at))
        await wait_until(g.pilot, lambda: screen.query_one(Talk).entries[-1].text == "new words", "it follows")
        await g.press("home")
        recorder.write("01CUT", len(events) + 1, Ended(reason="abandoned", by="user", at=events[-1].at))
        await wait_until(g.pilot, lambda: "· abandoned" in str(screen.query_one(HeaderLine).content), "it has ended")
        assert screen.step == 0, "who has gone back stays there"
    recorder.close()


# Rewinding


async def test_rewinding_begins_a_marked_session_and_leaves_the_other_as_it_is(db: Path) -> None:
    said = await cut_off(db)
    async with going(db, resume="") as g:
        first = await g.playing()
        mine = next(t.index for t in first.playing.state.turns if t.text.startswith("My user id"))
        await g.press("f10")
        await wait_until(g.pilot, lambda: "Go on from which turn?" in g.picture, "asked")
        await g.press("escape")
        first._commanded(first.composer.Commanded("rewind", f"t{mine}"))
        screen = await g.front(PlayScreen, lambda s: s is not first and s.my_turn == "user")
        assert f"fork of …01CUT at t{mine - 1}" in str(screen.header.content)
        before = said[: said.index(f"My user id is {user_id()}.")]
        assert [entry.text for entry in screen.panes.conversation.entries] == before
        assert screen.composer.area.text == ""
        branch = screen.playing.header
        assert (branch.parent, branch.parent_turn) == ("01CUT", mine - 1)
    recorder = Recorder(db)
    assert fold(recorder.events("01CUT")).drafts == {"user": "half a sen"}
    assert find_open(recorder) == branch.id, "the one that was left for it is not offered"
    recorder.close()


@pytest.mark.parametrize("rest", ["t99", "x"])
async def test_a_turn_that_is_not_there_is_refused(db: Path, rest: str) -> None:
    await cut_off(db)
    async with going(db, resume="") as g:
        screen = await g.playing()
        screen._commanded(screen.composer.Commanded("rewind", rest))
        await wait_until(g.pilot, lambda: "there is no turn" in g.picture or "name a turn" in g.picture, "refused")
        assert g.app.screen is screen


# Going through


def made(s: Session, name: str) -> bool:
    """Whether the last turn is a call of this name that was answered."""
    return any(done.result is not None and done.call.name == name for done in s.state.turns[-1].calls)


def answered(screen: PlayScreen, turns: int) -> bool:
    """Whether it has ended, or the person's turn has come again."""
    return not screen.running or (len(screen.playing.state.turns) > turns + 1 and screen.my_turn == "agent")


async def test_jumps_go_to_the_decisive_write_and_the_one_without_a_yes(db: Path) -> None:
    await asyncio.to_thread(failed, db)
    async with going(db, replay="01B") as g:
        screen = await g.replaying()
        assert "user_stop · reward 0" in str(screen.query_one(HeaderLine).content)
        await g.press("d")
        told = str(screen.query_one("#told", Static).content)
        assert "cancel_reservation" in told
        assert "decisive: after this the goal was out of reach" in told
        decisive = screen.step
        await g.press("home", "u")
        assert screen.step == decisive
        await g.press("home", "w")
        assert screen.step == decisive
        await g.press("f3")
        assert "reward 0 = DB 0" in g.picture


@pytest.mark.parametrize("size", SIZES)
async def test_a_seat_is_taken_the_task_played_right_and_the_reward_moves(db: Path, size: tuple[int, int]) -> None:
    await asyncio.to_thread(failed, db)
    async with going(db, size, replay="01BAD", confirm_writes=False) as g:
        await g.replaying()
        await g.press("d", "t")
        await wait_until(g.pilot, lambda: "Take which seat here?" in g.picture, "asked")
        assert "the agent: play this turn otherwise" in g.picture
        await g.press("down", "enter")
        screen = await g.playing()
        assert "AGENT/recorded+script" in str(screen.header.content)
        for action in TASK.gold:
            await wait_until(g.pilot, lambda: screen.my_turn == "agent", "turn")
            screen._act("agent", Action(calls=(ToolCall(action.name, action.arguments),)))
            await wait_until(g.pilot, partial(made, screen.playing, action.name), action.name)
        await g.playing()
        criteria = TASK.evaluation_criteria
        texts = ", ".join((criteria.communicate_info if criteria else None) or ())
        while screen.running:
            turns = len(screen.playing.state.turns)
            screen._act("agent", Action(f"It is cancelled. You get back: {texts}. Anything else?"))
            await wait_until(g.pilot, partial(answered, screen, turns), "answered")
        result = await g.front(ResultScreen, lambda s: s.report is not None)
        first = result.report.lines[0]
        assert first.text == "Against the session it forks: reward 0 → 1, by 1 change of the writes"
        (change,) = first.children
        assert change.text.startswith("instead of cancel_reservation(reservation_id=")
        assert f": cancel_reservation(reservation_id={cancelled()})" in change.text
        assert first.text in g.picture
        talk = [m for m in screen.panes.conversation.entries if m.voice == "user"]
        assert "recorded line" in talk[-1].mark or "script" in talk[-1].mark


async def test_everybody_goes_on_as_they_were_from_a_turn_of_a_replay(db: Path) -> None:
    await cut_off(db)
    async with going(db, replay="01CUT") as g:
        screen = await g.replaying()
        assert "· interrupted" in str(screen.query_one(HeaderLine).content)
        await g.press("right", "right", "g")
        again = await g.playing()
        assert again.playing.header.parent_turn == 0
        assert "USER/oracle" in str(again.header.content)


async def test_nobody_sat_in_a_run_of_partners_and_at_its_beginning_there_is_nothing_to_play_again(db: Path) -> None:
    await asyncio.to_thread(failed, db)
    async with going(db, replay="01BAD") as g:
        screen = await g.replaying()
        await g.press("g")
        await wait_until(g.pilot, lambda: "nobody sat here" in g.picture, "refused")
        await g.press("t")
        await wait_until(g.pilot, lambda: "the agent: answer it" in g.picture, "the greeting stays")
        await g.press("escape")
        assert g.app.screen is screen


async def test_the_result_is_gone_through_again(db: Path) -> None:
    await cut_off(db)
    async with going(db, resume="") as g:
        screen = await g.playing()
        screen._act("user", Action("Goodbye.", stop="###STOP###"))
        result = await g.front(ResultScreen, lambda s: s.report is not None)
        await g.press("f12")
        assert (await g.replaying()).watched.header.id == "01CUT"  # type: ignore[union-attr]  # it has been read
        await g.press("escape")
        assert g.app.screen is result


async def test_from_the_result_one_goes_on_from_the_turn_that_went_wrong(db: Path) -> None:
    await cut_off(db)
    async with going(db, resume="") as g:
        screen = await g.playing()
        screen._act("user", Action("Goodbye.", stop="###STOP###"))
        await g.front(ResultScreen, lambda s: s.report is not None)
        await g.press("f10")
        await wait_until(g.pilot, lambda: "Go on from which turn?" in g.picture, "asked")
        await g.press("home", "enter")
        again = await g.front(PlayScreen, lambda s: s is not screen and s.my_turn == "user")
        assert again.playing.header.parent == "01CUT"
        assert "goal" in {e.kind for e in again.playing.events if hasattr(e, "kind")}


async def test_a_file_opens_a_picker_and_a_run_taken_a_seat_in_is_kept(db: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    await asyncio.to_thread(failed, other)
    async with going(db, replay=str(other)) as g:
        runs = await g.front(RunsScreen, lambda s: s.rows)
        assert [(run.name, run.reward) for run in runs.rows] == [("01BAD", 0.0)]
        await g.press("enter")
        await g.replaying()
        await g.press("d", "t")
        await wait_until(g.pilot, lambda: "Take which seat here?" in g.picture, "asked")
        await g.press("enter")
        screen = await g.playing()
        assert screen.playing.header.parent == "01BAD"
    recorder = Recorder(db)
    assert len(recorder.events("01BAD")) > 5
    recorder.close()


async def test_a_file_that_does_not_tell_its_domain_is_gone_through_in_the_one_named(db: Path, tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    run = {"task_id": 3, "reward": 0.0, "info": {}, "traj": [{"role": "user", "content": "hello"}]}
    await asyncio.to_thread(file.write_text, json.dumps([run]))
    async with going(db, replay=str(file), domain="retail") as g:
        runs = await g.front(RunsScreen, lambda s: s.rows)
        assert [run.domain for run in runs.rows] == ["retail"]
        await g.press("enter")
        assert (await g.replaying()).watched.header.domain == "retail"  # type: ignore[union-attr]  # it has been read


# The list


@pytest.mark.parametrize("size", SIZES)
async def test_every_session_is_listed_filtered_and_opened(db: Path, size: tuple[int, int]) -> None:
    await cut_off(db)
    await asyncio.to_thread(failed, db)
    async with going(db, size) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        await g.listed(2)
        if size[0] < 100:
            assert "user/agent" in g.picture and "script/oracle" in g.picture
        else:
            assert "agent oracle · user script" in g.picture
        assert "interrupted" in g.picture
        await g.press(*"reward<1")
        screen = await g.listed(1)
        assert screen.rows[0].id == "01BAD"
        await g.press("enter")
        await g.replaying()
        await g.press("escape")
        await g.press("escape")
        await g.listed(2)
        await g.press("f7", "f7", "f7")
        screen = await g.listed(1)
        assert screen.rows[0].id == "01CUT"
        await g.press("f4")
        assert (await g.playing()).playing.header.id == "01CUT"


@pytest.mark.parametrize(
    ("width", "heading", "told"),
    [
        (80, "user/agent", "gpt-4.1-mini/gpt-4.1-mini"),
        (100, "user/agent", "gpt-4.1-m…/gpt-4.1-m…"),
        (120, "players", "agent gpt-4.1-mini · user gpt-4.1-mini"),
        (160, "players", "agent openai/gpt-4.1-mini · user openai/gpt-4.1-mini"),
    ],
)
async def test_of_two_models_the_list_says_which_sat_where(db: Path, width: int, heading: str, told: str) -> None:
    recorder = Recorder(db)
    model = PlayerInfo("model", "openai/gpt-4.1-mini")
    for i, players in enumerate(({"user": model, "agent": model}, {"user": PlayerInfo("human", "me"), "agent": model})):
        header = Header(f"01{i}", "airline", f"{i}", {}, players, "open")  # type: ignore[arg-type]  # seats as literals
        await asyncio.to_thread(recorder.write, header.id, 0, Opened(header=header, at=100.0 - i))
    recorder.close()
    async with going(db, (width, 36)) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        await g.listed(2)
        rows = g.picture.split("\n")
        assert any(heading in row and "ended by" in row for row in rows)
        assert any(f" {told} " in row for row in rows)
        assert any(" USER/openai/gpt-4.1-mini " in row or " USER/gpt-4.1-mini " in row for row in rows)
        assert "agent_name=oracle user_name=script reward<1" in g.picture


async def test_the_session_under_the_cursor_stays_in_sight_in_a_smaller_terminal(db: Path) -> None:
    recorder = Recorder(db)
    players = {"user": PlayerInfo("script", "script"), "agent": PlayerInfo("oracle", "oracle")}
    for i in range(100):
        header = Header(f"01{i:02}", "airline", f"{i + 1}", {}, players, "open")  # type: ignore[arg-type]  # seats as literals
        await asyncio.to_thread(recorder.write, header.id, 0, Opened(header=header, at=100.0 - i))
    recorder.close()
    async with going(db, (160, 45)) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        screen = await g.listed(100)
        for row in (screen.table.scrollable_content_region.height - 2, 99):
            screen.table.cursor = row
            await g.pilot.pause()
            assert f"airline #{row + 1} " in g.picture
            await g.pilot.resize_terminal(80, 24)
            await g.pilot.pause()
            assert f"airline #{row + 1} " in g.picture
            await g.pilot.resize_terminal(160, 45)
            await g.pilot.pause()


async def test_a_field_there_is_none_of_is_told_while_it_is_typed(db: Path) -> None:
    await asyncio.to_thread(failed, db)
    async with going(db) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        await g.listed(1)
        await g.press(*"agent=x")
        await wait_until(g.pilot, lambda: "sessions have no field 'agent'" in g.picture, "told")


async def test_branches_are_a_tree_below_and_are_opened_from_there(db: Path) -> None:
    from sessions.opening import open_fork

    await asyncio.to_thread(failed, db)
    recorder = Recorder(db)
    branch = open_fork(recorder, "01BAD", 3, taking="user", person="ann")
    running = asyncio.create_task(play(branch))
    await until(lambda: any(p.waiting for p in branch.players.values() if isinstance(p, HumanPlayer)))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    recorder.close()
    async with going(db) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        screen = await g.listed(2)
        await wait_until(g.pilot, lambda: screen.branches.option_count == 2, "the tree")
        assert "└─ from t2 ·" in g.picture
        await g.press("f6", "up", "enter")
        assert (await g.replaying()).watched.header.id == "01BAD"  # type: ignore[union-attr]  # it has been read


async def test_deleting_asks_and_leaves_nothing(db: Path) -> None:
    await asyncio.to_thread(failed, db)
    async with going(db) as g:
        await g.front(LobbyScreen)
        await g.press("f12")
        await g.listed(1)
        await g.press("f8")
        await wait_until(g.pilot, lambda: "Delete this session?" in g.picture, "asked")
        await g.press("enter")
        await g.listed(1)
        await g.press("f8")
        await wait_until(g.pilot, lambda: "Delete this session?" in g.picture, "asked again")
        await g.press("down", "enter")
        await g.listed(0)
        await wait_until(g.pilot, lambda: "nothing is recorded yet" in g.picture, "told")
    assert b"Cancel my trip" not in db.read_bytes()  # noqa: ASYNC240 (the app has ended)
