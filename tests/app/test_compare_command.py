"""`tau-tui compare`: a table for people, JSON for programs, and what was left out in both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.event import PlayerInfo, Scored
from sessions.recorder import Recorder
from tau_tui.cli import main
from tau_tui.exits import DONE, USAGE
from tests.sessions.export.sessions_made import header, session

GPT = PlayerInfo("model", "gpt")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two people with a model and one with the oracle."""
    recorder = Recorder(tmp_path / "s.db")
    for number, (name, reward, agent) in enumerate([("Anna", 1.0, GPT), ("Ben", 0.0, GPT), ("Anna", 1.0, None)]):
        players = {"user": PlayerInfo("human", name), "agent": agent or header().players["agent"]}
        recorder.add([session(Scored(reward=reward, verdict={}), id=f"0{number}", players=players)])
    recorder.close()
    return tmp_path / "s.db"


@pytest.fixture
def compare(db: Path) -> Callable[..., int]:
    """The command on this recording."""
    return lambda *arguments: main(["compare", *arguments, "--db", str(db)])


def test_people_read_groups_and_what_was_left_out(
    compare: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare("--by", "agent_name") == DONE
    told = capsys.readouterr().out
    assert "convention ours" in told
    assert "agent_name = gpt\n  2 of 2 sessions, 1 task, 2 people" in told
    assert re.search(r"1 +0\.500 +W 0\.095–0\.905; CP 0\.013–0\.987 +0\.500 +W 0\.095–0\.905; CP ", told)
    assert re.search(r"2 +0\.000 +n/a +1\.000 +n/a", told)
    assert "k different people all succeeded" in told
    assert "agent_name = oracle\n  0 of 1 session, 0 tasks" in told
    assert "left out: 1 offline-partner" in told
    assert "pass^k n/a: nothing is left to count" in told


def test_programs_read_the_same(compare: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("--by", "agent_name", "--by", "view", "--json", "--include", "offline-partner") == DONE
    gpt, oracle = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert gpt["group"] == {"agent_name": "gpt", "view": "open"}
    assert [(e["k"], e["value"], e["tasks"]) for e in gpt["pass_hat"]] == [(1, 0.5, 1), (2, 0.0, 1)]
    assert gpt["pass_hat"][1]["intervals"] == [] and gpt["icc"] is None
    assert (oracle["used"], oracle["excluded"], oracle["endings"]) == (1, {}, {"user_stop": 1})


def test_sessions_are_chosen_first(compare: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("--by", "header.limits.max_steps", "--where", "user_name=Ben", "--json") == DONE
    (only,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (only["group"], only["sessions"]) == ({"header.limits.max_steps": 200}, 1)


def test_the_convention_is_printed(compare: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("--by", "view", "--convention", "tau-bench") == DONE
    assert "a missing one is a failure" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--by", "weather"], "no field 'weather'; there are id, domain,"),
        (["--by", "view", "--include", "weather"], "--include: nothing is left out as 'weather'"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], line: str, compare: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(*arguments) == USAGE
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert line in told.err


def test_nothing_recorded_is_nothing_to_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--by", "view", "--db", str(tmp_path / "none.db")]) == DONE
    assert "no session in" in capsys.readouterr().out
    assert not (tmp_path / "none.db").exists()
