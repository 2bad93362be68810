"""`tau-tui doctor`: lines for people, one object for programs, 1 when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tau_tui.cli import main
from tests.sessions.test_doctor import SESSIONS, damage, recording


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    path.write_bytes(recording())
    return path


def test_a_sound_recording_and_an_absent_one(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--db", str(file), "--quick"]) == 0
    out = capsys.readouterr().out
    assert "python" in out and "terminal" in out and "bundled: airline, retail" in out
    assert f"{SESSIONS} sessions, " in out and "nothing is wrong with it" in out
    assert "played again" not in out  # --quick
    assert main(["doctor", "--db", str(tmp_path / "none.db")]) == 0
    assert "not there yet" in capsys.readouterr().out
    assert not (tmp_path / "none.db").exists()


def test_a_damaged_recording_is_told_saved_and_1(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(file, (0, bytes(100)))
    assert main(["doctor", "--db", str(file)]) == 1
    out = capsys.readouterr().out
    assert "wrong      file is not a database" in out
    assert "as recorded" not in out and "schema" not in out  # nothing of it was read
    assert f"tau-tui doctor --db {file} --save NEW.db" in out
    new = tmp_path / "new.db"
    assert main(["doctor", "--db", str(file), "--save", str(new), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["problems"] == [{"kind": "file", "session": None, "text": "file is not a database"}]
    assert told["saved"]["sessions"] == SESSIONS
    assert main(["doctor", "--db", str(new), "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["sessions"] == SESSIONS


def test_wrong_use_is_one_line(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--db", str(tmp_path / "none.db"), "--save", str(tmp_path / "new.db")]) == 2
    assert main(["doctor", "--db", str(file), "--save", str(file), "--quick"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("none.db: there is no such recording to save from")
    assert second.endswith("sessions.db: is there already; name a new file")


def test_an_installed_pack_that_was_changed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from domains.packs import packs_folder

    folder = packs_folder() / "official" / "tau2" / "domains" / "mock"
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_text("[]")
    manifest = {
        "title": "T",
        "source": "s",
        "installed": "now",
        "files": {"domains/mock/tasks.json": "0"},
        "unknown": [],
    }
    (packs_folder() / "official" / "pack.json").write_text(json.dumps(manifest))
    assert main(["doctor"]) == 1
    assert "was changed since it was installed" in capsys.readouterr().out
    (packs_folder() / "official" / "pack.json").write_text("{")
    assert main(["doctor"]) == 1
    assert "remove the folder and install it again" in capsys.readouterr().out
