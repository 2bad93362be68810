"""The result screen by keyboard: evidence, what is kept, and where one goes from there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, Static, TextArea

from domains.catalog import Domain
from domains.task import Task
from sessions.event import Event, Mark, Note, PlayerInfo
from sessions.players.base import Action, ToolCall
from sessions.recorder import Recorder
from sessions.seating import Table
from sessions.session import Session, play
from tau_tui.app import TauApp
from tau_tui.finishing import finish
from tau_tui.opening import Choice
from tau_tui.options import Options
from tau_tui.report import Line
from tau_tui.screens.lobby import LobbyScreen
from tau_tui.screens.result import ResultScreen
from tau_tui.widgets.reward_tree import Evidence
from tau_tui.widgets.transcript import TranscriptScreen
from tests.app.test_report import every
from tests.sessions.playing import Lines
from tests.sessions.small_world import finish as finished
from tests.sessions.small_world import task, world

SIZES = [(80, 24), (120, 36), (160, 45)]
HAZARDS = "[/b] [mobile_data_issue] $x\nuser: hi \x1b[2J \x1b]8;;http://x\x07 \x1b]52;c;aGk=\x07 שלום 你好 👩‍👩‍👧"


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "policy.md").write_text("Be kind.")
    return world(folder)


async def ended(
    domain: Domain, wanted: Task, *agent: Action | str, said: str = "hello", keeper: Recorder | None = None
) -> Session:
    """A session that a person played against an agent that does this."""
    user = Lines(said, *["go on"] * sum(isinstance(act, str) for act in agent[:-1]))
    user.info = PlayerInfo("human", "me")
    lines = Lines(*agent)
    lines.info = PlayerInfo("oracle", "oracle:slips=1")
    session = Session.new(domain, wanted, {"user": user, "agent": lines}, view="open", keeper=keeper)
    await play(session)
    return session


def write(status: str) -> Action:
    return Action(calls=(ToolCall("update_task_status", {"task_id": "task_1", "status": status}),))


class Shown:
    """The app with a result in front; where it would go is noted."""

    def __init__(self, app: TauApp, pilot: Pilot[None], screen: ResultScreen) -> None:
        self.app, self.pilot, self.screen = app, pilot, screen
        self.started: list[Choice] = []
        app.start = self.started.append  # type: ignore[assignment,method-assign]  # a subclass would look for styles here

    def said(self, name: str) -> str:
        return str(self.screen.query_one(f"#{name}", Static).content)

    @property
    def front(self) -> str:
        return type(self.app.screen).__name__

    def kept(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.screen.session.events if isinstance(event, kind)]

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        for _ in range(400):
            if condition():
                return
            await self.pilot.pause(0.005)
        raise AssertionError(f"never: {what}")


@asynccontextmanager
async def shown(session: Session, size: tuple[int, int] = (80, 24), trouble: str = "") -> AsyncIterator[Shown]:
    app = TauApp(Options())
    verdict = None if trouble else await finish(session)
    async with app.run_test(size=size) as pilot:
        screen = ResultScreen(session, verdict, trouble)
        result = Shown(app, pilot, screen)
        await result.until(lambda: isinstance(app.screen, LobbyScreen), "the lobby")
        await app.push_screen(screen)
        await result.until(lambda: screen.report is not None or bool(trouble), "explained")
        await pilot.pause()
        yield result


@pytest.mark.parametrize("size", SIZES)
async def test_the_wrong_field_and_the_call_that_made_it_are_in_sight(domain: Domain, size: tuple[int, int]) -> None:
    session = await ended(domain, task(finished("task_1")), write("later"), "Done.")
    async with shown(session, size) as result:
        assert result.said("headline") == "reward 0 = DB 0 × COMMUNICATE 1"
        assert "wrong argument: update_task_status at t2 with status later" in result.said("because")
        tree = result.screen.query_one(Evidence)
        lines = [tree.render_line(y).text for y in range(tree.size.height)]
        assert any("different status: later → goal completed · by update_task_status" in line for line in lines)


async def test_the_whole_text_of_a_line_stands_below_and_the_keyboard_walks(domain: Domain) -> None:
    session = await ended(domain, task(finished("task_1")), write("later"), "Done.")
    async with shown(session) as result:
        for _ in range(4):
            await result.pilot.press("down")
        assert "made by: update_task_status(task_id=task_1, status=later) at t2" in result.said("whole-text")
        tree = result.screen.query_one(Evidence)
        await result.pilot.press("home", "enter")
        assert tree.cursor_node is not None
        assert not tree.cursor_node.is_expanded


async def test_play_again_next_and_the_other_seat(domain: Domain) -> None:
    session = await ended(domain, task(), "Bye.")
    async with shown(session) as result:
        await result.pilot.press("f3", "f4", "f6")
        following, again, other = result.started
        assert following.task is None
        assert again.task == "t"
        assert again.table == Table(play="user", agent="oracle:slips=1", view="open")
        assert other.table == Table(play="agent", view="open")


async def test_escape_goes_to_the_lobby(domain: Domain) -> None:
    session = await ended(domain, task(), "Bye.")
    async with shown(session) as result:
        await result.pilot.press("escape")
        await result.until(lambda: isinstance(result.app.screen, LobbyScreen), "the lobby")


async def test_a_fault_is_marked_on_a_turn(domain: Domain) -> None:
    session = await ended(domain, task(), write("later"), "Done.")
    async with shown(session) as result:
        await result.pilot.press("f7")
        dialog = result.app.screen
        assert dialog.query_one("#turn", Select).value == 2
        dialog.query_one("#author", Select).value = "user"
        await result.pilot.pause()
        dialog.query_one("#severity", Select).value = "critical_hindered"
        dialog.query_one("#words", Input).focus()
        await result.pilot.press(*"said later", "f10")
        await result.until(lambda: bool(result.kept(Mark)), "kept")
        (mark,) = result.kept(Mark)
        assert isinstance(mark, Mark)
        assert (mark.turn, mark.author, mark.severity, mark.text) == (2, "user", "critical_hindered", "said later")
        await result.until(lambda: any("fault mark" in line.text for line in lines_of(result)), "listed")


async def test_a_note_is_kept_and_escape_keeps_none(domain: Domain) -> None:
    session = await ended(domain, task(), "Done.")
    async with shown(session) as result:
        await result.pilot.press("f8", *"nice", "escape")
        assert result.front == "ResultScreen"
        await result.pilot.press("f8", *"[/b]", "enter")
        await result.until(lambda: bool(result.kept(Note)), "kept")
        (note,) = result.kept(Note)
        assert isinstance(note, Note)
        assert note.text == "[/b]"
        await result.until(lambda: any(line.text == "1 note" for line in lines_of(result)), "listed")


async def test_what_cannot_be_recorded_is_told_and_recorded_on_trying_again(domain: Domain, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "sessions.db")
    session = await ended(domain, task(), "Done.", keeper=recorder)
    async with shown(session) as result:
        real = recorder.file
        recorder.close()
        recorder.file = tmp_path
        await result.pilot.press("f8", *"odd", "enter")
        await result.until(lambda: "press r to try again" in result.said("problem"), "told")
        recorder.file = real
        await result.pilot.press("r")
        await result.until(lambda: bool(result.kept(Note)), "kept")
        assert not result.screen.query_one("#problem").display
    recorder.close()


async def test_texts_of_any_origin_stay_what_they_are(domain: Domain) -> None:
    wanted = task(communicate_info=["$x"])
    session = await ended(domain, wanted, HAZARDS, write(HAZARDS), HAZARDS, said=HAZARDS)
    async with shown(session, (160, 45)) as result:
        seen = "\n".join(line.text for line in lines_of(result))
        assert "[/b]" in seen
        assert "\x1b" not in seen
        await result.pilot.press("f9")
        assert isinstance(result.app.screen, TranscriptScreen)
        text = result.app.screen.query_one(TextArea).text
        assert "[/b] [mobile_data_issue] $x\nuser: hi ␛[2J" in text
        assert "שלום 你好 👩‍👩‍👧" in text
        assert "\x1b" not in text
        await result.pilot.press("escape")
        assert result.front == "ResultScreen"


async def test_a_very_long_message_does_not_hold_up_the_screen(domain: Domain) -> None:
    session = await ended(domain, task(communicate_info=["needle"]), "x " * 25_000 + "needle")
    async with shown(session) as result:
        await result.pilot.press("f9")
        assert isinstance(result.app.screen, TranscriptScreen)


async def test_without_a_verdict_it_says_why(domain: Domain) -> None:
    session = await ended(domain, task(), "Done.")
    async with shown(session, trouble="the pack is gone") as result:
        await result.until(lambda: result.said("because") == "the pack is gone", "told")
        assert result.said("headline") == "not scored"


def lines_of(result: Shown) -> list[Line]:
    return list(every(result.screen.report.lines)) if result.screen.report else []
