"""Tables in a pipe: one row is one line with all that is in it, so that grep finds rows; a terminal wraps them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from domains import load_domain
from sessions.recorder import Recorder
from tau_tui.cli import main
from tau_tui.commands.printing import print_line, print_table
from tests.interop.results import results, simulation
from tests.sessions.export.sessions_made import session

LONG = "words " * 100


def piped(*arguments: str | Path) -> list[str]:
    """The lines of a command whose output goes into a pipe, in an environment that speaks of a small terminal."""
    environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"} | {"COLUMNS": "80"}
    command = [sys.executable, "-m", "tau_tui", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_row_is_one_line_in_a_pipe_and_nothing_of_it_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["id", "what"], [["a", LONG + "end"], ["bb", "one\ntwo"], ["", ""]], empty="none", whole=["id"])
    assert capsys.readouterr().out.splitlines() == ["id  what", f"a   {LONG}end", "bb  one; two", ""]


def test_one_long_cell_does_not_make_every_row_as_long(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["what", "more"], [["x" * 500, "here"], ["y", "there"]], empty="none")
    assert capsys.readouterr().out.splitlines()[1:] == ["x" * 500 + "  here", "y" + " " * 61 + "there"]


def test_wide_letters_are_aligned_by_the_cells_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a", "b"], [["航空", "x"], ["air", "y"]], empty="none")
    assert capsys.readouterr().out.splitlines() == ["a     b", "航空  x", "air   y"]


def test_nothing_in_a_row_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a"], [["[/b]\x1b[2J"]], empty="none")
    assert capsys.readouterr().out == "a\n[/b]␛[2J\n"


def test_on_a_terminal_rows_and_lines_are_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tau_tui.commands.printing.width", lambda: 80)
    print_table(["id", "what"], [["a", LONG]], empty="none")
    print_line(LONG)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 14
    assert max(map(len, lines)) <= 80


def test_every_task_is_one_line_with_its_whole_reason() -> None:
    tasks = load_domain("retail").tasks
    lines = piped("tasks", "--domain", "retail", "--spoilers")
    assert len(lines) == 1 + len(tasks)
    for line, task in zip(lines[1:], tasks, strict=True):
        assert task.reason in line
        assert task.id in line


def test_every_session_is_one_line_with_the_whole_names(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    recorder.add([session(id="01AAAA", task_id="a-task-of-" + "many-" * 60 + "words")])
    recorder.close()
    head, row = piped("sessions", "--db", tmp_path / "s.db")
    assert head.split()[:2] == ["id", "started"]
    assert row.startswith("01AAAA") and "many-words" in row and "Anna/oracle" in row


def test_the_intervals_of_a_group_stand_on_its_line(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    path = results(tmp_path / "r.json", *(simulation(0, trial) for trial in range(3)))
    assert main(["import", str(path), "--db", str(recorder.file)]) == 0
    recorder.close()
    lines = piped("compare", "--by", "agent_name", "--db", tmp_path / "s.db")
    (row,) = [line for line in lines if line.startswith("  1 ")]
    assert "W " in row and "; CP " in row


def test_every_finding_is_one_line() -> None:
    arguments = ["check", "--domain", "airline", "--level", "info"]
    lines, told = piped(*arguments), [json.loads(line) for line in piped(*arguments, "--json")]
    assert told
    for what in {one["what"] for one in told}:
        assert any(line.startswith("     info  ") and line.endswith(f": {what}") for line in lines)
    (meaning,) = {line for line in lines if line.startswith(told[0]["code"])}
    assert meaning.endswith(told[0]["do"])


def test_every_scored_run_is_one_line(tmp_path: Path) -> None:
    path = results(tmp_path / "r.json", simulation(0))
    lines = piped("score", path)
    assert [line.split()[0] for line in lines[1:3]] == ["task", simulation(0)["task_id"]]
