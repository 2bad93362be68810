"""`tau-tui run`: for people and programs, killed and given again, its exit codes and what it asks before it costs."""

from __future__ import annotations

import fcntl
import io
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.players.model import client
from sessions.recorder import Recorder
from tau_tui.cli import main
from tau_tui.exits import DONE, NO, OUTSIDE, USAGE
from tests.fake_llm.answers import InTurn, Says
from tests.fake_llm.server import FakeLLM
from tests.sessions.batch_players import AGENT, USER, Stage, set_up

ROOT = Path(__file__).resolve().parents[2]
TRIALS = 60
"""What a run of three tasks tells of so many does not fit into the pipe."""
Command = Callable[..., int]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def run(db: Path) -> Command:
    """The command on a recording of its own."""
    return lambda *arguments: main(["run", *arguments, "--db", str(db)])


@pytest.fixture
def rows(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """What it has printed for programs."""
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_people_read_how_far_it_is_and_what_it_came_to(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--domain", "airline", "--tasks", "#1,#2", "--trials", "2") == DONE
    told = capsys.readouterr()
    assert "airline, agent oracle, user script, 2 tasks × 2 trials" in told.err
    assert "4/4 task" in told.err and "reward 1 (user_stop)" in told.err
    assert "4 trials of 4 finished" in told.out
    assert "pass^1 1.000" in told.out and "pass^2 1.000, 2 tasks" in told.out
    assert "the oracle knows the task" in told.out
    assert run("--domain", "airline", "--tasks", "#1,#2", "--trials", "2") == DONE
    assert "4 played before" in capsys.readouterr().err


def test_programs_read_one_object_a_session(run: Command, rows: Callable[[], list[dict[str, Any]]]) -> None:
    assert run("--domain", "airline", "--tasks", "#1", "--trials", "2", "--agent", "oracle:slips=1", "--json") == DONE
    first = rows()
    assert {(row["task"], row["trial"], row["reward"], row["reason"]) for row in first} == {
        ("1", 0, 0.0, "user_stop"),
        ("1", 1, 0.0, "user_stop"),
    }
    assert {(row["domain"], row["agent"], row["user"], row["cost"]) for row in first} == {
        ("airline", "oracle:slips=1", "script", 0.0)
    }
    assert run("--domain", "airline", "--tasks", "#1", "--trials", "2", "--agent", "oracle:slips=1", "--json") == DONE
    again = rows()
    assert [row["earlier"] for row in again] == [True, True]
    assert {row["id"] for row in again} == {row["id"] for row in first}


def heed_ctrl_c() -> None:
    """Undo what a shell does to whatever it starts in the background, these tests among it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def killed(db: Path, how: signal.Signals, *, after: int) -> tuple[int, str]:
    """Begin the run in a process of its own, and end it when so many sessions are done.

    What it tells is read letter by letter from a small pipe, so that it cannot be through before it is ended.
    """
    arguments = [
        "--domain",
        "airline",
        "--tasks",
        "#1,#2,#3",
        "--trials",
        str(TRIALS),
        "--concurrency",
        "5",
        "--db",
        str(db),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "tau_tui", "run", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        preexec_fn=heed_ctrl_c,
    )
    assert process.stderr is not None
    fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 4096)
    seen = 0
    while seen < after:
        line = process.stderr.readline()
        assert line, "it ended too early"
        seen += f"/{3 * TRIALS} task".encode() in line
    process.send_signal(how)
    out, _ = process.communicate(timeout=30)
    return process.returncode, out.decode()


def test_after_a_kill_every_trial_is_there_once(
    db: Path, run: Command, rows: Callable[[], list[dict[str, Any]]]
) -> None:
    code, _ = killed(db, signal.SIGKILL, after=6)
    assert code == -signal.SIGKILL
    recorder = Recorder(db)
    ended = dict(recorder.select("select id, ended from sessions where reward is not null"))
    assert 6 <= len(ended) < 3 * TRIALS
    begun = {name for (name,) in recorder.select("select id from sessions")}
    assert run("--domain", "airline", "--tasks", "#1,#2,#3", "--trials", str(TRIALS), "--json") == DONE
    found = rows()
    assert Counter((row["task"], row["trial"]) for row in found) == {(t, n): 1 for t in "123" for n in range(TRIALS)}
    assert {row["id"] for row in found if row["earlier"]} == ended.keys()
    assert begun <= {row["id"] for row in found}  # what was cut off was taken up
    assert {row["reward"] for row in found} == {1.0}
    after = recorder.select("select id, ended, reason from sessions")
    assert len(after) == 3 * TRIALS and {reason for _, _, reason in after} == {"user_stop"}
    assert ended.items() <= {name: at for name, at, _ in after}.items()
    recorder.close()


def test_ctrl_c_says_what_is_left(db: Path, run: Command) -> None:
    code, out = killed(db, signal.SIGINT, after=3)
    assert code == 130
    assert "the same command goes on with what is left" in out
    assert run("--domain", "airline", "--tasks", "#1,#2,#3", "--trials", str(TRIALS)) == DONE


def test_failures_stand_apart_and_are_played_again(
    run: Command, rows: Callable[[], list[dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(Stage(failures=1))
    arguments = ["--domain", "airline", "--tasks", "#1", "--trials", "3", "--agent", AGENT, "--user", USER]
    assert run(*arguments, "--concurrency", "1", "--json") == OUTSIDE
    told = capsys.readouterr()
    assert "2 trials of 3 finished, 1 failed" in told.err and "failed 1 ×: the line is dead" in told.err
    failed = [row for line in told.out.splitlines() if (row := json.loads(line))["failure"]]
    assert [(row["reward"], row["reason"]) for row in failed] == [(None, None)]
    assert run(*arguments, "--json") == DONE
    assert [row["continued"] for row in rows() if not row["earlier"]] == [True]


def test_max_cost_begins_no_further_session_and_says_so(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Stage(usage={"cost": 0.6, "prompt_tokens": 1000, "completion_tokens": 20}))
    arguments = ["--domain", "airline", "--trials", "2", "--agent", AGENT, "--concurrency", "1"]
    assert run(*arguments, "--user", USER, "--tasks", "#1,#2", "--max-cost", "1") == NO
    told = capsys.readouterr().out
    assert "stopped: $1.20 of --max-cost 1 are spent; 2 not begun" in told
    assert "cost n/a: 2,000 tokens of prompts, 40 of completions\nknown of it: $1.20" in told


def test_it_plays_on_from_a_turn_and_says_how_often_the_agent_recovers(
    run: Command, db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--domain", "airline", "--tasks", "#1", "--agent", "oracle:slips=1") == DONE
    recorder = Recorder(db)
    [(parent,)] = recorder.select("select id from sessions")
    recorder.close()
    capsys.readouterr()
    assert run("--from", f"{parent}@4", "--trials", "4", "--agent", "oracle") == DONE
    told = capsys.readouterr()
    assert f"from turn 4 of {parent}" in told.err
    assert "4 of 4 reach reward 1 from turn 4 (95 % 0.398–1.000, Clopper–Pearson)" in told.out
    assert "the session itself came to 0" in told.out


WRONG = {
    "nothing to play": [],
    "two things to play": ["--domain", "airline", "--from", "a@1"],
    "no such domain": ["--domain", "nowhere"],
    "no such task": ["--domain", "airline", "--tasks", "#999"],
    "no such split": ["--domain", "airline", "--split", "nowhere"],
    "nobody": ["--domain", "airline", "--agent", "nobody"],
    "no such class": ["--domain", "airline", "--agent", "nowhere:Nobody"],
    "no such session": ["--from", "01A@3"],
    "no turn": ["--from", "01A"],
    "no ticket": ["--domain", "airline", "--solo", "--agent", AGENT],
    "an oracle alone": ["--domain", "mock", "--solo"],
    "a customer alone": ["--domain", "mock", "--solo", "--user", "script"],
    "arguments of no model": ["--domain", "airline", "--agent-args", "{}"],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_one_line(name: str, run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*WRONG[name]) == USAGE
    told = capsys.readouterr()
    assert told.out == "" and told.err.splitlines()[-1].startswith("tau-tui: ")


def test_what_from_brings_with_it_is_said(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--domain", "airline", "--from", "a@1") == USAGE
    assert "--from brings the session's own domain: no --domain" in capsys.readouterr().err


# Models


warned = pytest.mark.filterwarnings("ignore")
"""litellm's own, which it silences once a process; pytest forgets that from test to test."""


@pytest.fixture
def server() -> Any:
    """Two models that hold a short conversation."""
    agent = InTurn([Says("What is your user id?"), Says("Is there anything else?")])
    user = InTurn([Says("Hello."), Says("I do not know."), Says("No. ###STOP###")])
    with FakeLLM(models={"agent": agent, "user": user}) as server:
        yield server


def models(server: FakeLLM) -> list[str]:
    base = ["--agent-llm", "openai/agent", "--agent-api-base", server.url]
    return [*base, "--user-llm", "openai/user", "--user-api-base", server.url]


@warned
def test_models_play_each_other_side_by_side(
    run: Command, server: FakeLLM, rows: Callable[[], list[dict[str, Any]]]
) -> None:
    arguments = ["--domain", "airline", "--tasks", "#1,#2", "--trials", "2", "--concurrency", "4", *models(server)]
    assert run(*arguments, "--yes", "--json") == DONE
    found = rows()
    assert len(found) == 4
    assert {(row["agent"], row["user"], row["reason"], row["cost"]) for row in found} == {
        ("openai/agent", "openai/user", "user_stop", None)
    }
    assert all(row["prompt_tokens"] > 0 for row in found)
    seeds = Counter(asked["seed"] for asked in server.requests)
    assert len(seeds) == 2  # one a trial


@warned
def test_what_it_will_cost_is_said_before_the_first_call(
    run: Command, server: FakeLLM, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"openai/agent": (2e-6, 8e-6)}
    monkeypatch.setattr(client, "prices", known.get)
    arguments = ["--domain", "airline", "--tasks", "#1", *models(server)]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(*arguments, "--max-cost", "3") == USAGE
    told = capsys.readouterr().err
    agent, user = (line for line in told.splitlines() if line.startswith("  "))
    assert "agent openai/agent: prompts " in agent and "tokens $0." in agent and "completions" in agent
    assert "n/a" in user and "n/a" not in agent
    assert "estimate for 1 session: n/a" in told
    assert "--max-cost counts known prices only" in told
    assert told.splitlines()[-1] == "tau-tui: nobody is there to say whether to go on; add --yes"
    assert server.requests == []


@warned
@pytest.mark.parametrize(("answer", "code"), [("y\n", DONE), ("\n", USAGE)])
def test_a_person_is_asked_whether_to_go_on(
    run: Command, server: FakeLLM, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    stdin = io.StringIO(answer)
    stdin.isatty = lambda: True  # type: ignore[method-assign]  # a terminal, as far as it matters
    monkeypatch.setattr("sys.stdin", stdin)
    assert run("--domain", "airline", "--tasks", "#1", *models(server)) == code
    assert bool(server.requests) == (code == DONE)


@warned
def test_a_model_that_cannot_be_reached_is_a_failure_and_no_reward(
    run: Command, rows: Callable[[], list[dict[str, Any]]]
) -> None:
    unreachable = ["--agent-llm", "openai/agent", "--agent-api-base", "http://127.0.0.1:9/v1"]
    arguments = ["--domain", "airline", "--tasks", "#1", *unreachable, "--agent-args", '{"num_retries": 0}']
    assert run(*arguments, "--yes", "--json") == OUTSIDE
    [row] = rows()
    assert row["reward"] is None and "openai/agent" in row["failure"]
