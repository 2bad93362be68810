"""The main job in a real terminal: a task is played from each seat to its reward, and nothing shown is ever lost."""

from __future__ import annotations

import asyncio
import signal
from functools import cache
from pathlib import Path

import pytest

from domains import load_domain
from domains.task import Task
from sessions.event import Event
from sessions.explain import Explanation, explain
from sessions.players.oracle import OracleAgent
from sessions.players.script import ScriptUser
from sessions.reward import score
from sessions.session import Session, play
from sessions.trajectory import fold
from sessions.value_text import path_text
from tests.app.pty_driver import Program, command, sessions
from tests.app.pty_person import Person, calls, recording

DOMAIN = load_domain("airline")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@cache
def played(task_id: str, slips: int = 0, seed: int = 0) -> tuple[list[Event], Explanation]:
    """Play a task without a terminal, oracle against script."""
    task = DOMAIN.task(task_id)
    agent = OracleAgent(DOMAIN, task, slips=slips, seed=seed)
    session = Session.new(DOMAIN, task, {"user": ScriptUser(DOMAIN, task, seed=seed), "agent": agent}, view="open")
    asyncio.run(play(session))
    ended = session.state.ended
    assert ended is not None
    return session.events, explain(score(DOMAIN, task, session.state.turns, ended.reason))


def flat(task: Task) -> bool:
    """Tell whether every gold call has plain arguments."""
    return not any(isinstance(value, list | dict) for action in task.gold for value in action.arguments.values())


def short_task(*, nested: bool) -> Task:
    """Return a task with few arguments to fill in, nested ones among them or not, that is soon talked through."""
    fitting = [task for task in DOMAIN.tasks if writes(task) and flat(task) != nested]
    fewest = sorted(fitting, key=lambda task: sum(len(action.arguments) for action in task.gold))[:4]
    return min(fewest, key=lambda task: len(played(task.id)[0]))


def writes(task: Task) -> list[str]:
    kit = DOMAIN.definition.toolkits["agent"].tools
    return [action.name for action in task.gold if kit[action.name].mutates]


def wrong_argument() -> tuple[Task, int, Explanation]:
    """Return a task and a seed with which the oracle's slip leaves a wrong field that a call has made."""
    for seed in range(20):
        for task in DOMAIN.tasks[:8]:
            explanation = played(task.id, 1, seed)[1]
            if any(d.kind == "different" and d.made_by for d in explanation.differences):
                return task, seed, explanation
    raise AssertionError("no slip makes a wrong field")


def person(program: Program, task: Task, *seats: str) -> Person:
    minds = {"user": ScriptUser(DOMAIN, task), "agent": OracleAgent(DOMAIN, task)}
    return Person(program, DOMAIN, task, {seat: minds[seat] for seat in seats})  # type: ignore[misc]  # seats as literals


def only(home: Path) -> dict[str, object]:
    (session,) = sessions(home)
    return session


def test_as_the_customer_against_the_oracle_to_reward_1(home: Path) -> None:
    task = short_task(nested=True)
    with Program(home, "--domain", "airline", "--play", "user", "--task", task.id) as program:
        program.wait_for(f"airline #{task.id} · USER/oracle · open", "Hi! How can I help you today?")
        person(program, task, "user").play()
        program.wait_for("reward 1 = DB 1 × COMMUNICATE 1", "ended by user_stop")
        program.control("q")
        assert program.leave() == 0
    assert only(home)["reward"] == 1.0
    assert only(home)["status"] == "ended"


def test_a_slip_is_explained_by_the_wrong_field_and_the_call_that_made_it(home: Path) -> None:
    task, seed, explanation = wrong_argument()
    wrong = next(d for d in explanation.differences if d.kind == "different" and d.made_by)
    assert wrong.made_by is not None
    options = ("--agent", "oracle:slips=1", "--seed", str(seed))
    with Program(
        home, "--domain", "airline", "--play", "user", "--task", task.id, *options, columns=160, rows=45
    ) as program:
        person(program, task, "user").play()
        program.wait_for(
            "reward 0 = DB 0",
            f"different {path_text(wrong.change.path)}:",
            f"by {wrong.made_by.name} at t{wrong.made_by.turn}",
        )
    assert only(home)["reward"] == 0.0


@pytest.mark.parametrize("nested", [False, True])
def test_as_the_agent_against_the_script_through_the_tool_form_to_reward_1(home: Path, nested: bool) -> None:
    task = short_task(nested=nested)
    with Program(home, "--domain", "airline", "--play", "agent", "--task", task.id) as program:
        program.wait_for(f"airline #{task.id} · AGENT/script · open")
        hand = person(program, task, "agent")
        hand.play()
        program.wait_for("reward 1 = DB 1")
        assert calls(hand.events()) == [action.name for action in task.gold]


def test_both_seats_by_hand(home: Path) -> None:
    task = short_task(nested=False)
    with Program(home, "--domain", "airline", "--play", "both", "--task", task.id, columns=120, rows=36) as program:
        program.wait_for(f"airline #{task.id} · BOTH · open", "your turn as the user")
        person(program, task, "user", "agent").play()
        program.wait_for("reward 1 = DB 1")
    assert (only(home)["user"], only(home)["agent"]) == ("me", "me")


def test_blind_view_shows_no_tool_call_before_the_end(home: Path) -> None:
    task = short_task(nested=False)
    with Program(home, "--domain", "airline", "--play", "user", "--view", "blind", "--task", task.id) as program:
        program.wait_for(f"airline #{task.id} · USER/oracle · blind")
        hand = person(program, task, "user")
        hand.play()
        before = program.output.decode()
        made = calls(hand.events())
        assert writes(task)[0] in made
        assert not any(name in before for name in made)
        program.wait_for("reward 1")
        assert not {"trace", "database"} & set(str(only(home)["exposures"]).split("'"))
        program.send("f9")
        program.wait_for(f"calls {made[0]}")


def test_kill_in_the_middle_loses_nothing_that_was_shown(home: Path) -> None:
    task = short_task(nested=True)
    with Program(home, "--domain", "airline", "--play", "user", "--task", task.id, columns=160, rows=45) as program:
        hand = person(program, task, "user")
        hand.play(turns=2)
        turns = hand.wait_for_turn().turns
        said = [turn.text[:24] for turn in turns if turn.text]
        program.wait_for(f"· t{turns[-1].index}", *said)
        program.kill()
    kept = fold(hand.events()).turns
    assert [turn.text[:24] for turn in kept if turn.text] == said
    (session,) = sessions(home)
    assert (session["status"], session["turns"]) == ("interrupted", turns[-1].index + 1)
    assert recording(home).is_file()
    with Program(home) as program:
        program.wait_for("interrupted", f"airline #{task.id} · USER/oracle")


def test_from_the_lobby_by_typing_to_a_session(home: Path) -> None:
    with Program(home) as program:
        program.wait_for("Enter plays", "reason for contact")
        program.type("#3")
        program.wait_for(f"#3 {DOMAIN.tasks[3].reason[:20]}")
        program.send("enter")
        program.wait_for("airline #3 · USER/oracle", "How can I help you today?")


def test_a_resize_in_the_middle_keeps_everything(home: Path) -> None:
    with Program(home, "--domain", "airline", "--play", "user", "--task", "0", columns=160, rows=45) as program:
        program.wait_for("2024-05-15 15:00", "How can I help you today?", "your turn")
        program.type("half a mess")
        program.wait_for("half a mess")
        program.resize(80, 24)
        program.wait_until(lambda words: "2024-05-15" not in words and "half a mess" in words, "the small screen")
        program.wait_for("How can I help you today?")


def test_leaving_with_a_session_open_loses_nothing(home: Path) -> None:
    with Program(home, "--domain", "airline", "--play", "user", "--task", "0") as program:
        program.wait_for("your turn")
        program.control("q")
        program.wait_for("leave it open")
        program.send("enter")
        assert program.leave() == 0
    assert only(home)["status"] == "interrupted"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--domain", "airlin", "--play", "user"),
            "there is no domain 'airlin'; did you mean airline? there are airline, retail",
        ),
        (("--domain", "airline", "--play", "user", "--task", "4000"), "has no task '4000'; the nearest are"),
        (("--domain", "airline", "--play", "user", "--data", "/nowhere"), "/nowhere is not a data folder"),
    ],
)
def test_wrong_use_gets_one_line_and_exit_code_2(home: Path, arguments: tuple[str, ...], said: str) -> None:
    with Program(home, *arguments, columns=160) as program:
        assert program.leave() == 2
        assert said in program.words()


@pytest.mark.parametrize("told", [True, False])
def test_a_closed_terminal_ends_it_whoever_is_told_of_that(home: Path, told: bool) -> None:
    with Program(home, "--domain", "airline", "--play", "user", told=told) as program:
        program.wait_for("your turn")
        assert program.hang_up() == -signal.SIGHUP
    (session,) = sessions(home)
    assert session["status"] == "interrupted"


def test_without_a_terminal_it_says_so(home: Path) -> None:
    refused = command(home, "--domain", "airline", "--play", "user")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "not a terminal" in refused.stderr
