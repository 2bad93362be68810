"""`tau-tui bundle` on one machine, `tau-tui open` on another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.bundle import write_bundle
from sessions.recorder import Recorder
from tau_tui.app import build_app
from tau_tui.cli import main
from tau_tui.options import Options
from tau_tui.screens.bundle import BundleScreen
from tests.app.helpers import picture, wait_until
from tests.sessions.test_bundle import moved
from tests.sessions.test_doctor import named, played


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    recorder = Recorder(path)
    recorder.add([named("S1"), named("S2")])
    recorder.close()
    return path


def test_a_session_goes_into_a_file_and_is_told_from_it(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.tau"
    assert main(["bundle", "S1", "--turn", "3", "--out", str(out), "--db", str(db)]) == 0
    assert capsys.readouterr().err == f"wrote {out}, which opens at turn 3: tau-tui open {out}\n"
    assert main(["open", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"opens at turn 3 of {max(getattr(e, 'turn', None) or 0 for e in played())}",
        "its pack is here (bundled)",
    ]
    assert main(["open", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["session"] == "S1"


def test_a_folder_takes_the_name_of_the_session(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "S2", "--out", str(tmp_path), "--anonymous", "--json", "--db", str(db)]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(tmp_path / "S2.tau")
    assert (tmp_path / "S2.tau").is_file()


def test_wrong_use_is_one_line(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.tau")
    assert main(["bundle", "S", "--out", out, "--db", str(db)]) == 2
    assert main(["bundle", "S1", "--turn", "77", "--out", out, "--db", str(db)]) == 2
    assert main(["bundle", "S1", "--out", out, "--db", str(tmp_path / "none.db")]) == 2
    assert main(["open", str(db)]) == 2
    assert main(["open", "nowhere.tau"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert "has no turn 77" in lines[1] and "expected a bundle" in lines[3]


def test_a_missing_pack_is_said_and_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bundle(tmp_path / "x.tau", moved("/x/mine", agent="0" * 64))
    assert main(["open", str(tmp_path / "x.tau")]) == 1
    assert "it needs the pack 'mine' of whoever sent it" in capsys.readouterr().out


async def test_the_app_opens_at_the_turn_and_a_seat_can_be_taken(tmp_path: Path) -> None:
    file = tmp_path / "x.tau"
    write_bundle(file, played(), 3)
    app = build_app(Options(replay=str(file), db=tmp_path / "own.db"))
    async with app.run_test(size=(160, 45)) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, BundleScreen) and app.screen.replay is not None)
        screen = app.screen
        assert isinstance(screen, BundleScreen) and screen.watched is not None
        await pilot.pause()
        assert screen.watched.turn_at(screen.step) == 3
        assert screen.watched.missing == ""
        await pilot.press("home")
        assert screen.step == 0
        screen._take(list(screen.watched.events))
        assert [row.id for row in app.recorder.sessions()] == ["S"]


async def test_the_app_says_which_pack_is_needed(tmp_path: Path) -> None:
    file = tmp_path / "x.tau"
    write_bundle(file, moved("/x/mine", agent="0" * 64), 3)
    app = build_app(Options(replay=str(file), db=tmp_path / "own.db"))
    async with app.run_test(size=(160, 45)) as pilot:
        await wait_until(pilot, lambda: "it needs the pack 'mine'" in " ".join(picture(app).split()))
