"""The lobby: found by typing, played by Enter, from the seat and in the view that are chosen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Select, Static

from domains import load_domain
from sessions.event import Ended, Header, Opened, PlayerInfo, Scored
from sessions.recorder import Recorder
from sessions.seating import Table
from tau_tui.app import TauApp
from tau_tui.exits import explained
from tau_tui.opening import Choice
from tau_tui.options import Options
from tau_tui.screens.dialogs.keys import keys_of
from tau_tui.screens.lobby import LobbyScreen
from tests.app.helpers import picture

BASE = len(load_domain("airline").splits["base"])
SIZES = [(80, 24), (120, 36), (160, 45)]


class Lobby:
    """The app in its lobby; what is to be played is noted instead of played."""

    def __init__(self, **options: Any) -> None:
        self.app = TauApp(Options(**options))
        self.started: list[Choice] = []
        self.app.start = self.started.append  # type: ignore[assignment,method-assign]  # a subclass would look for styles here

    def run_test(self, size: tuple[int, int]) -> AbstractAsyncContextManager[Pilot[None]]:
        return self.app.run_test(size=size)

    @property
    def lobby(self) -> LobbyScreen:
        screen = self.app.screen
        assert isinstance(screen, LobbyScreen)
        return screen

    def said(self, name: str) -> str:
        return str(self.lobby.query_one(f"#{name}", Static).content)


async def until(pilot: Pilot[None], condition: Callable[[], bool], what: str) -> None:
    for _ in range(400):
        if condition():
            return
        await pilot.pause(0.005)
    raise AssertionError(f"never: {what}")


async def ready(app: Lobby, pilot: Pilot[None]) -> None:
    await until(pilot, lambda: isinstance(app.app.screen, LobbyScreen), "the lobby comes over the first frame")
    await until(pilot, lambda: app.lobby.table.highlighted is not None, "the tasks are listed")


def finished(recorder: Recorder, session_id: str, task_id: str, reward: float | None) -> None:
    players = {"user": PlayerInfo("human", "me"), "agent": PlayerInfo("oracle", "oracle")}
    header = Header(session_id, "airline", task_id, {}, players, "open")  # type: ignore[arg-type]  # seats as literals
    recorder.write(session_id, 0, Opened(header=header, at=1.0))
    if reward is not None:
        recorder.write(session_id, 1, Ended(reason="user_stop", at=2.0))
        recorder.write(session_id, 2, Scored(reward=reward, verdict={}, at=3.0))


@pytest.mark.parametrize("size", SIZES)
async def test_enter_plays_the_first_unplayed_task(size: tuple[int, int]) -> None:
    app = Lobby(domain="airline")
    async with app.run_test(size=size) as pilot:
        await ready(app, pilot)
        await pilot.press("enter")
        assert app.started == [Choice("airline", Table(play="user"), "0")]


async def test_typing_searches_number_and_reason_and_escape_clears() -> None:
    app = Lobby(domain="airline")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        await pilot.press(*"cancel trip")
        await until(pilot, lambda: not app.said("status").startswith(f"{BASE} of"), "the list is searched")
        row = app.lobby.table.highlighted
        assert row is not None
        assert "cancel" in row.reason.lower()
        await pilot.press("escape", *"#17")
        assert (found := app.lobby.table.highlighted) is not None
        assert found.number == 17
        await pilot.press("escape", *"no such task")
        assert "no task matches" in app.said("status")
        await pilot.press("enter")
        assert app.started == []


async def test_the_cursor_moves_while_the_search_box_has_the_keys() -> None:
    app = Lobby(domain="airline")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        await pilot.press("down", "down", "up", "pagedown", "pageup", "down", "enter")
        assert app.started[0].task == "2"


async def test_seat_view_and_split_count_for_the_next_session() -> None:
    app = Lobby(domain="airline")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        await pilot.press("f4", "f6", "f9")
        await until(pilot, lambda: f"of {BASE} tasks" not in app.said("status"), "another split")
        await pilot.press("enter")
        (choice,) = app.started
        assert choice.table.play == "agent"
        assert choice.table.view == "blind"
        assert choice.table.split in ("train", "test")


async def test_next_unplayed_goes_past_what_was_played_and_what_is_filtered(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "sessions.db")
    finished(recorder, "A", "0", 1.0)
    finished(recorder, "B", "1", 0.0)
    recorder.close()
    app = Lobby(domain="airline", db=tmp_path / "sessions.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        assert (row := app.lobby.table.highlighted) is not None
        assert row.number == 2
        await pilot.press("f8", "f8")
        await until(pilot, lambda: f"2 of {BASE} " in app.said("status"), "only the played ones")
        await pilot.press("f8")
        await until(pilot, lambda: f"1 of {BASE} " in app.said("status"), "only those with reward 1")
        await pilot.press("f3")
        assert (row := app.lobby.table.highlighted) is not None
        assert row.number == 2
        assert app.lobby.query_one("#show", Select).value == "all"


async def test_interrupted_sessions_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.processes.this_process", lambda: "elsewhere:1")
    recorder = Recorder(tmp_path / "sessions.db")
    finished(recorder, "A", "7", None)
    recorder.close()
    app = Lobby(domain="airline", db=tmp_path / "sessions.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        (option,) = app.lobby.query_one("#interrupted", OptionList).options
        assert (option.id, "airline #7 · USER/oracle" in str(option.prompt)) == ("A", True)


async def test_f1_tells_each_key_once() -> None:
    lobby = Lobby()
    async with lobby.run_test((120, 36)) as pilot:
        await ready(lobby, pilot)
        lines = [line for _, text in keys_of(lobby.lobby) for line in text.splitlines()]
    assert len(lines) == len(set(lines))
    assert sum(line.startswith("⏎ ") for line in lines) == 1


@pytest.mark.parametrize("size", SIZES)
async def test_rows_of_the_same_reason_are_told_apart(size: tuple[int, int]) -> None:
    app = Lobby(domain="telecom")
    async with app.run_test(size) as pilot:
        await ready(app, pilot)
        rows = picture(app.app).split("\n")
        first, second = app.lobby.table.rows[:2]
        for row in (first, second):
            [line] = [line for line in rows if line.lstrip().startswith(f"#{row.number} ") and "solved" not in line][:1]
            assert f"{row.alike[0]} of {row.alike[1]}" in line
        alike = f"{first.shared} tasks that begin with these words"
        await until(pilot, lambda: alike in app.said("reason"), alike)


async def test_a_pack_without_such_rows_has_no_column_for_them() -> None:
    app = Lobby(domain="airline")
    async with app.run_test((120, 36)) as pilot:
        await ready(app, pilot)
        assert "alike" not in picture(app.app)


async def test_ids_and_writes_are_shown_with_spoilers_only() -> None:
    for spoilers in (False, True):
        app = Lobby(domain="airline", lobby=Table(spoilers=spoilers))
        async with app.run_test(size=(120, 36)) as pilot:
            await ready(app, pilot)
            heading = app.lobby.table.render_line(0).text
            assert ("writes" in heading) == spoilers


async def test_a_data_folder_that_is_not_one_is_told_and_the_bundled_packs_remain(tmp_path: Path) -> None:
    app = Lobby(data=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(app, pilot)
        assert "is not a data folder" in app.said("trouble")


@pytest.mark.official
async def test_recordings_that_cannot_be_read_end_it_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("x" * 1000)
    lobby = Lobby(db=file)
    async with lobby.run_test((80, 24)) as pilot:
        await until(pilot, lambda: lobby.app.refusal is not None, "it is refused")
    code, line = explained(lobby.app.refusal or Exception())
    assert (code, line) == (3, f"{file}: file is not a database; name another file with --db")


async def test_thousands_of_tasks_are_listed_and_named_by_number_and_reason(official: Path) -> None:
    app = Lobby(domain="telecom", data=official)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(app, pilot)
        await pilot.press("f9", "f9", "f9", "f9", "f9")
        splits = app.lobby.query_one("#split", Select)
        for _ in range(6):
            if "full" in str(splits.value):
                break
            await pilot.press("f9")
        await until(pilot, lambda: "2285" in app.said("status"), "all of them")
        await pilot.press("pagedown", *"phone")
        row = app.lobby.table.highlighted
        assert row is not None
        assert row.task_id not in app.said("reason")
        await pilot.press("enter")
        assert app.started[0].task == row.task_id
        assert app.started[0].data == official
