"""Wrong use is one line and exit code 2; lists are tables for people and JSON for programs."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from domains import load_domain
from sessions.recorder import Recorder
from sessions.session import play
from tau_tui.cli import main
from tau_tui.launch import shows_apps
from tests.sessions.playing import Lines, session


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "--domain airlin --play user",
            "there is no domain 'airlin'; did you mean airline? there are airline, retail,",
        ),
        ("--domain airline --play pilot", "invalid choice: 'pilot'"),
        ("--play user", "--play needs --domain"),
        ("--domain airline --task 3", "--task, --agent and --user need --play"),
        ("--domain airline --play user --agent gpt", "there is no such agent; choose oracle"),
        ("--domain airline --play user --agent oracle:slips=lots", "oracle takes seed=N, slips=N"),
        ("--domain airline --play agent --agent oracle", "you take that seat yourself"),
        ("--domain telecom --play user --solo", "it needs --play agent"),
        ("--domain airline --play user --max-steps 0", "is not a number above 0"),
        ("--domain airline --play user --player \x1b[2J", "a pseudonym is 1 to 64 printable characters"),
        ("--domain airline --play user --data /nowhere", "/nowhere is not a data folder: expected"),
        ("--domain airline --play user", "this is not a terminal"),
        ("tasks --domain nowhere", "there is no domain 'nowhere'"),
        ("tasks --domain airline --split nowhere", "airline has no split 'nowhere'; it has"),
        ("score", "nothing is recorded"),
        ("--colour", "unrecognized arguments: --colour"),
        ("--debug tasks", "a command comes first: tau-tui tasks --debug"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(line: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(line.split(" "))
    except SystemExit as left:
        code = int(str(left.code))
    printed = capsys.readouterr()
    assert code == 2
    assert says in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_tasks_are_named_by_number_and_reason_and_told_more_with_spoilers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "--domain", "airline", "--json"]) == 0
    listed = rows(capsys)
    assert len(listed) == len(load_domain("airline").tasks)
    assert listed[7].keys() == {"domain", "number", "reason", "splits"}
    assert listed[7]["number"] == "#7"
    assert main(["tasks", "--domain", "airline", "--json", "--spoilers", "--search", "CANCEL"]) == 0
    told = rows(capsys)
    assert 0 < len(told) < len(listed)
    assert told[0].keys() > {"id", "writes", "purpose"}


def test_where_the_encoding_lacks_a_letter_it_is_escaped() -> None:
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "tau_tui", "--help"]
    done = subprocess.run(command, env=ascii_only, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u03c4-bench" in done.stdout


def test_tasks_of_all_domains_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("airline", "retail", "telecom", "mock"))
    assert main(["tasks", "--search", "no such words anywhere"]) == 0
    assert capsys.readouterr().out == "no task matches\n"


async def test_sessions_are_listed_with_hostile_names_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sessions.db"
    recorder = Recorder(file)
    await play(session(load_domain("airline"), Lines("hi"), Lines("yes?", kind="[/b] \x1b[2J"), keeper=recorder))
    recorder.close()
    assert main(["sessions", "--db", str(file), "--json"]) == 0
    (row,) = rows(capsys)
    assert (row["agent"], row["status"], row["reason"]) == ("[/b] \x1b[2J", "ended", "user_stop")
    assert main(["sessions", "--db", str(file)]) == 0
    out = capsys.readouterr().out
    assert "\x1b[2J" not in out
    assert "[/b]" in out


async def test_sessions_fit_into_80_columns_one_line_each_with_their_whole_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sessions.db"
    recorder = Recorder(file)
    await play(
        session(load_domain("airline"), Lines("hi"), Lines("yes?", kind="a/model/of/many/words"), keeper=recorder)
    )
    recorder.close()
    monkeypatch.setattr("tau_tui.commands.printing.width", lambda: 80)
    monkeypatch.setattr("tau_tui.commands.sessions.width", lambda: 80)
    assert main(["sessions", "--db", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("S ")
    assert "user_stop" in lines[1]


def test_listing_creates_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none.db"
    assert main(["sessions", "--db", str(file)]) == 0
    assert capsys.readouterr().out.strip().replace("\n", "") == f"nothing is recorded in {file}"
    assert not file.exists()


def test_a_file_that_is_no_recording_fails_outside_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x" * 1000)
    assert main(["sessions", "--db", str(file)]) == 3
    assert "file is not a database; name another file with --db" in capsys.readouterr().err


@pytest.mark.parametrize("away", ["", "stdin", "stdout", "stderr"])
def test_the_app_is_shown_only_where_every_stream_is_the_terminal(
    away: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    controller, terminal_end = pty.openpty()
    with os.fdopen(controller, "rb"), os.fdopen(terminal_end, "w") as terminal, (tmp_path / "log").open("w") as file:
        for name in ("stdin", "stdout", "stderr"):
            monkeypatch.setattr(sys, name, file if name == away else terminal)
        shown = shows_apps()
        monkeypatch.undo()
    assert shown is (away == "")
