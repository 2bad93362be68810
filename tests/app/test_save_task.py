"""Save as task: on the command line, and by one key on the result screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input, SelectionList

from domains import load_domain
from sessions.recorder import Recorder
from sessions.session import Session
from tau_tui.app import TauApp, build_app
from tau_tui.cli import main
from tau_tui.options import Options
from tau_tui.screens.dialogs.save_task import SaveTaskDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.lobby import LobbyScreen
from tau_tui.screens.result import ResultScreen
from tau_tui.screens.session_replay import SessionReplayScreen
from tests.app.helpers import picture, wait_until
from tests.sessions.test_saving import booking, events


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    recorder = Recorder(path)
    recorder.add([events()])
    recorder.close()
    return path


def test_the_command_saves_checks_and_says_how_to_play_it(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["save-task", "S", "--pack", "mine", "--reason", "You want to cancel.", "--known", f"It is {booking()}."]
    assert main([*line, "--say", "1628", "--db", str(db)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("saved as task S of mine: 1 gold write, in ")
    assert out.splitlines()[-1] == "play it: tau-tui --domain airline --data mine --play user --task S"
    assert main([*line, "--db", str(db), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["task"] == "S-2"
    assert main(["tasks", "--domain", "airline", "--data", "mine", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["data", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["own"] is True


def test_wrong_use_is_one_line(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["save-task", "S", "--reason", "r"]
    assert main([*line, "--pack", "official", "--db", str(db)]) == 2
    assert main([*line, "--pack", "mine", "--db", str(tmp_path / "none.db")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_session_is_saved_from_its_replay_by_one_key(db: Path, size: tuple[int, int]) -> None:
    app = build_app(Options(replay="S", db=db))
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, SessionReplayScreen) and app.screen.replay is not None)
        await pilot.press("s")
        await wait_until(pilot, lambda: isinstance(app.screen, SaveTaskDialog))
        form = app.screen
        form.query_one("#pack", Input).value = "official"
        form.query_one("#reason", Input).value = "You want [b]to cancel[/b]."
        form.query_one("#say", Input).value = f"{booking()} | 1628"
        form.query_one("#marked", SelectionList).select("1628")
        await pilot.press("f10")
        await wait_until(pilot, lambda: isinstance(app.screen, SaveTaskDialog) and app.screen is not form)
        again = app.screen
        assert again.query_one("#reason", Input).value == "You want [b]to cancel[/b]."
        assert again.query_one("#marked", SelectionList).selected == ["1628", booking()]
        again.query_one("#pack", Input).value = "mine"
        await pilot.press("f10")
        await wait_until(pilot, lambda: isinstance(app.screen, TextDialog))
        assert "saved as task S of mine" in " ".join(picture(app).split())
    (task,) = load_domain("airline", Path("mine")).tasks
    assert task.reason == "You want [b]to cancel[/b]."
    assert task.evaluation_criteria is not None
    assert task.evaluation_criteria.communicate_info == ["1628", booking()]


async def test_closing_the_form_saves_nothing(db: Path) -> None:
    app = build_app(Options(replay="S", db=db))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, SessionReplayScreen) and app.screen.replay is not None)
        await pilot.press("s")
        await wait_until(pilot, lambda: isinstance(app.screen, SaveTaskDialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, SessionReplayScreen))


async def test_a_session_is_saved_from_its_result_by_one_key(db: Path) -> None:
    recorder = Recorder(db)
    played = recorder.events("S")
    recorder.close()
    session = Session.continued(played, load_domain("airline"), {})
    app = TauApp(Options(db=db))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        app.push_screen(ResultScreen(session, None, "not scored here"))
        await wait_until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await pilot.press("s")
        await wait_until(pilot, lambda: isinstance(app.screen, SaveTaskDialog))
        await pilot.press("f10")
        await wait_until(pilot, lambda: isinstance(app.screen, TextDialog))
    (task,) = load_domain("airline", Path("mine")).tasks
    assert task.reason == load_domain("airline").tasks[0].reason
