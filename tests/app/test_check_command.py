"""`tau-tui check` as a person and as a program see it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from domains import DataError, load_domain
from tau_tui import cli
from tau_tui.commands.check import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with the bundled task list, one of its tasks spoiled."""
    bundled = load_domain("mock").folder
    pack = tmp_path / "data" / "tau2" / "domains" / "mock"
    pack.mkdir(parents=True)
    for name in ("db.json", "user_db.json", "policy.md"):
        (pack / name).write_bytes((bundled / name).read_bytes())
    tasks: list[dict[str, Any]] = json.loads((bundled / "tasks.json").read_text())
    spoiled = next(t for t in tasks if any(a["name"] == "create_task" for a in t["evaluation_criteria"]["actions"]))
    spoiled["id"] = "spoiled [/b]"
    spoiled["initial_state"] = None
    for action in spoiled["evaluation_criteria"]["actions"]:
        if action["name"] == "create_task":
            action["arguments"]["user_id"] = "user_\x1b[2J"
    (pack / "tasks.json").write_text(json.dumps([spoiled, *(t for t in tasks if t is not spoiled)]))
    return tmp_path / "data"


def test_a_sound_pack_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["airline"], None) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 2 and "0 errors, 0 warnings" in out.replace("\n", " ")


def test_what_is_wrong_is_told_by_task_with_reason_and_remedy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mock"], folder) == 1
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert "task spoiled [/b]" in words and "create_task" in words and "drops out of the goal" in words
    assert "The evaluator skips it silently" in words and "\x1b[2J" not in out


def test_programs_get_one_object_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--domain", "mock", "--data", str(folder), "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    wrong = next(row for row in rows if row["code"] == "gold-write-fails")
    assert list(wrong) == [
        *("domain", "task", "level", "code", "where", "action", "action_id", "name", "what", "why", "do")
    ]
    assert (wrong["domain"], wrong["task"], wrong["level"], wrong["name"]) == (
        *("mock", "spoiled [/b]", "error", "create_task"),
    )
    assert any(row["level"] == "info" for row in rows)
    assert cli.main(["check", "--domain", "mock", "--data", str(folder), "--json", "--level", "error"]) == 1
    assert all(json.loads(line)["level"] == "error" for line in capsys.readouterr().out.splitlines())


def test_one_task_is_found_in_whatever_pack_holds_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], folder, tasks=["spoiled [/b]"]) == 1
    assert "mock: 1 task," in capsys.readouterr().out
    assert run(["mock"], folder, tasks=["#1"]) == 0
    with pytest.raises(DataError, match="no task 'spoild'; the nearest are"):
        run(["mock"], folder, tasks=["spoild"])
    with pytest.raises(DataError, match="no domain has task #999; `tau-tui tasks` lists those there are"):
        run([], None, tasks=["#999"])


def test_the_text_for_an_issue(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], folder, report="spoiled [/b]") == 1
    out = capsys.readouterr().out
    assert out.startswith("# mock task spoiled [/b]: gold-write-fails")
    assert "tau-tui check --domain mock --task 'spoiled [/b]' --data DIR --level info" in out
    assert "agent: create_task(" in out and "→ Error: User user_" in out
    assert str(folder) not in out and "\x1b" not in out


def test_it_writes_nothing_into_the_data_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def content() -> dict[str, tuple[str, int]]:
        files = sorted(p for p in folder.rglob("*") if p.is_file())
        return {str(p): (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns) for p in files}

    before = content()
    run(["mock"], folder)
    run(["mock"], folder, report="spoiled [/b]")
    assert content() == before and capsys.readouterr().out


def test_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--domain", "moon"]) == 2
    assert "there is no domain 'moon'" in capsys.readouterr().err
