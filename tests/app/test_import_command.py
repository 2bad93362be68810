"""`tau-tui import`: what people and programs are told, exit codes, an interruption, and how much memory it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.importing import measure, write_results
from sessions.importing import Import
from sessions.recorder import Recorder
from tau_tui.cli import main
from tests.interop.results import TASKS, results, simulation


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def kept(db: Path) -> int:
    recorder = Recorder(db)
    count = len(recorder.sessions())
    recorder.close()
    return count


def test_people_are_told_in_a_line_a_file_and_a_line_a_disagreement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, db = results(tmp_path / "r.json", simulation(0), simulation(1, upto=0)), tmp_path / "s.db"
    assert main(["import", str(path), "--db", str(db)]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        f"{path} · tau2 · airline · 2 sessions: 2 new; recorded 1.000; computed here 0.500",
        f"  task {TASKS[1].id}, trial 0: 1 in the file, 0 here: the database: not met here, met in the file",
    ]
    assert printed.err == ""
    assert main(["import", str(path), "--db", str(db)]) == 0
    assert "2 already here" in capsys.readouterr().out


def test_programs_get_a_row_a_session_and_a_row_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "r.json", simulation(0), simulation(1, upto=0))
    assert main(["import", str(path), "--db", str(tmp_path / "s.db"), "--json"]) == 0
    first, second, whole = rows(capsys.readouterr().out)
    assert list(first) == [
        "kind",
        "file",
        "session",
        "simulation",
        "domain",
        "task",
        "trial",
        "status",
        "reward",
        "recorded_reward",
        "difference",
        "notes",
    ]
    assert (first["status"], first["reward"], second["reward"], second["recorded_reward"]) == ("new", 1, 0, 1)
    assert second["difference"]
    assert (whole["kind"], whole["sessions"], whole["new"], whole["known"]) == ("file", 2, 2, 0)
    assert (whole["recorded_reward"], whole["reward"], whole["disagreements"]) == (1, 0.5, 1)


def test_nothing_in_a_file_steers_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = TASKS[0].model_dump(mode="json", exclude_unset=True) | {"id": "[/b]\x1b[2J"}
    run = simulation(0, upto=0, task_id="[/b]\x1b[2J")
    path = results(tmp_path / "r.json", run, tasks=[task])
    assert main(["import", str(path), "--db", str(tmp_path / "s.db")]) == 0
    out = capsys.readouterr().out
    assert "[/b]␛[2J" in out
    assert "\x1b" not in out


def test_a_bad_file_is_one_line_and_the_others_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, db = results(tmp_path / "good.json", simulation()), tmp_path / "s.db"
    bad = tmp_path / "bad.json"
    bad.write_text('{"info": \n')
    assert main(["import", str(bad), str(good), "--db", str(db)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"tau-tui import: {bad}: line 2, column 1: premature EOF\n"
    assert "1 session" in printed.out
    assert main(["import", str(tmp_path / "nowhere.json"), str(good), "--db", str(db)]) == 3
    assert "nowhere.json: cannot be read" in capsys.readouterr().err
    assert kept(db) == 1


def test_a_recording_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "r.json", simulation())
    assert main(["import", str(path), "--db", str(path / "s.db")]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_ctrl_c_says_how_far_it_came_and_that_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sessions.importing.GROUP", 2)
    path, db = results(tmp_path / "r.json", *(simulation(i % 3, i) for i in range(5))), tmp_path / "s.db"
    keep, groups = Recorder.add, 0

    def interrupted(self: Recorder, sessions: Any, **more: Any) -> int:
        nonlocal groups
        groups += 1
        if groups == 2:
            raise KeyboardInterrupt
        return keep(self, sessions, **more)

    monkeypatch.setattr(Recorder, "add", interrupted)
    assert main(["import", str(path), "--db", str(db)]) == 130
    assert "interrupted: 2 of 5 done; run it again to go on" in capsys.readouterr().err
    assert kept(db) == 2
    assert main(["import", str(path), "--db", str(db)]) == 0
    assert "3 new, 2 already here" in capsys.readouterr().out
    assert kept(db) == 5


def test_a_v1_file_whose_tools_tell_nothing_asks_for_the_domain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v1.json"
    path.write_text(
        json.dumps([{"task_id": 1, "reward": 1.0, "info": {}, "traj": [{"role": "user", "content": "Hi"}]}])
    )
    assert main(["import", str(path), "--db", str(tmp_path / "s.db")]) == 2
    assert "--domain" in capsys.readouterr().err
    assert main(["import", str(path), "--db", str(tmp_path / "s.db"), "--domain", "retail"]) == 0
    assert "retail" in capsys.readouterr().out
    assert main(["import", str(path), "--db", str(tmp_path / "s.db"), "--domain", "retial"]) == 2
    assert "did you mean retail? there are airline, retail, telecom" in capsys.readouterr().err


def test_progress_is_told_in_bytes_for_both_readings(tmp_path: Path) -> None:
    path = results(tmp_path / "r.json", simulation())
    told: list[tuple[str, int, int]] = []
    recorder = Recorder(tmp_path / "s.db")
    list(Import(path, recorder, progress=lambda *step: told.append(step)).run())
    recorder.close()
    size = path.stat().st_size
    assert [step for step in told if step[1] == size] == [("checking", size, size), ("importing", size, size)]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """The full size is measured in bench/importing.py; here four times the file may cost no more than a few MB."""
    peaks = []
    for size in (1_000_000, 4_000_000):
        path = tmp_path / f"{size}.json"
        write_results(path, size)
        peaks.append(measure(path, tmp_path / f"{size}.db")[0] / 1e6)
    assert max(peaks) < 300
    assert peaks[1] - peaks[0] < 30
