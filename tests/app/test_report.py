"""What the result screen says: the product, the evidence of each component, and the reason that matters most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from domains.catalog import Domain
from domains.task import Task
from sessions.event import Call, Ended, Event, Exposure, Failure, Mark, Message, Note, Opened, Result, Undone
from sessions.explain import explain
from sessions.reward import score
from tau_tui.report import Line, Report, facts, report
from tests.sessions.export.sessions_made import header
from tests.sessions.small_world import call, finish, task, turns, world


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return world(tmp_path)


def told(
    domain: Domain, wanted: Task, *acts: Any, end: str | None = "user_stop", events: Sequence[Event] = ()
) -> Report:
    return report(explain(score(domain, wanted, turns(*acts), end)), events)


def every(lines: Sequence[Line]) -> Iterator[Line]:
    for line in lines:
        yield line
        yield from every(line.children)


def texts(found: Report) -> list[str]:
    return [line.text for line in every(found.lines)]


# The headline


def test_the_headline_is_the_product(domain: Domain) -> None:
    done = told(domain, task(finish("task_1")), finish("task_1"))
    assert (done.headline, done.tone) == ("reward 1 = DB 1 × COMMUNICATE 1", "good")
    left = told(domain, task(finish("task_1")))
    assert (left.headline, left.tone) == ("reward 0 = DB 0 × COMMUNICATE 1", "bad")


def test_what_nobody_judged_is_not_judged(domain: Domain) -> None:
    found = told(domain, task(basis=("DB", "NL_ASSERTION"), nl_assertions=["is kind"]))
    assert (found.headline, found.tone) == ("not judged = DB 1 × NL_ASSERTION ?", "warn")
    assert "? is kind · not judged" in texts(found)


def test_another_ending_counts_nothing(domain: Domain) -> None:
    found = told(domain, task(), end="max_steps")
    assert found.headline == "reward 0 · ended by max_steps, so DB 1 × COMMUNICATE 1 does not count"


@pytest.mark.parametrize("end", ["infrastructure_error", "unexpected_error"])
def test_a_failure_of_the_machinery_is_not_a_zero(domain: Domain, end: str) -> None:
    found = told(domain, task(), end=end)
    assert found.headline == f"not scored · {end}: the machinery failed, neither side did"
    assert found.tone == "warn"


def test_a_session_that_failed_without_an_end_names_the_failure(domain: Domain) -> None:
    found = told(domain, task(), end=None, events=[Failure(what="the model cannot be reached")])
    assert found.headline == "not scored · the model cannot be reached"


# The evidence


def test_a_missing_field_names_the_gold_write_nobody_made(domain: Domain) -> None:
    found = told(domain, task(finish("task_1")))
    assert "missing status: pending → goal completed · update_task_status is missing" in texts(found)
    assert "gold write missing: update_task_status(task_id=task_1, status=completed)" in texts(found)
    assert found.because == "partially completed: update_task_status is missing"


def test_an_unexpected_field_names_the_call_that_made_it(domain: Domain) -> None:
    found = told(domain, task(), "user: hi", finish("task_2"))
    assert "unexpected status: completed → goal pending · by update_task_status at t1" in texts(found)
    assert found.because == "unintended action: update_task_status at t1"


def test_a_different_field_names_the_wrong_argument(domain: Domain) -> None:
    wrong = call("update_task_status", task_id="task_1", status="later")
    found = told(domain, task(finish("task_1")), "user: hi", wrong)
    assert "different status: later → goal completed · by update_task_status at t1" in texts(found)
    assert found.because == "wrong argument: update_task_status at t1 with status later, goal completed"


def test_the_write_after_which_the_goal_was_out_of_reach_is_named(domain: Domain) -> None:
    extra = call("create_task", user_id="user_1", title="Dust")
    found = told(domain, task(finish("task_1")), "user: hi", extra, finish("task_1"))
    assert "decisive: after create_task at t1 the goal was out of reach" in texts(found)


def test_a_required_string_stands_with_its_sentence_or_was_never_said(domain: Domain) -> None:
    wanted = task(communicate_info=["327", "gone"])
    found = told(domain, wanted, "agent: Well. You get $327 back. Bye.")
    assert "✓ “327” t0: You get $327 back." in texts(found)
    assert "✗ “gone” never said" in texts(found)
    assert found.because == "the agent never said “gone”"


def test_a_string_within_a_longer_one_is_warned_of(domain: Domain) -> None:
    found = told(domain, task(communicate_info=["10"]), "agent: It is 100.")
    line = next(line for line in every(found.lines) if "only within" in line.text)
    assert line.tone == "warn"


def test_each_assertion_and_action_is_checked(domain: Domain) -> None:
    assertion = {
        "env_type": "assistant",
        "func_name": "assert_task_status",
        "arguments": {"task_id": "task_1", "expected_status": "completed"},
    }
    wanted = task(finish("task_1"), basis=("ENV_ASSERTION", "ACTION"), env_assertions=[assertion])
    found = texts(told(domain, wanted))
    assert "✗ assert_task_status(task_id=task_1, expected_status=completed) is True" in found
    assert "✗ update_task_status(task_id=task_1, status=completed) · never made so" in found


def test_it_says_what_counts_and_what_is_only_diagnostic(domain: Domain) -> None:
    found = texts(told(domain, task(finish("task_1")), finish("task_1")))
    assert any(text.startswith("DB 1 · counts") for text in found)
    assert any(text.startswith("ACTION 1 · diagnostic only") for text in found)


def test_failed_components_are_open_and_met_ones_closed(domain: Domain) -> None:
    found = told(domain, task(finish("task_1"), communicate_info=["x"]), "agent: x")
    state = {line.text.split()[0]: line.open for line in found.lines}
    assert state["DB"]
    assert not state["COMMUNICATE"]


def test_a_write_without_a_yes_is_told(domain: Domain) -> None:
    found = texts(told(domain, task(finish("task_1")), "user: do it", finish("task_1")))
    assert any("without a yes before" in text for text in found)


# What else happened


def test_notes_marks_failures_and_exposures_are_listed(domain: Domain) -> None:
    events: list[Event] = [
        Note(text="odd [/b]", turn=3),
        Mark(turn=2, author="agent", type="wrong_tool", severity="minor", text="\x1b[2J"),
        Failure(what="a lock"),
        Exposure(seat="user", kind="trace"),
        Exposure(seat="user", kind="database"),
    ]
    found = texts(told(domain, task(), events=events))
    assert "t3 odd [/b]" in found
    assert "t2 agent wrong_tool (minor) ␛[2J" in found
    assert "a lock" in found
    assert "shown what the benchmark hides: database, trace" in found


def test_the_facts_count_what_stands(domain: Domain) -> None:
    events: list[Event] = [
        Message(turn=0, seat="agent", text="Hi", at=100.0),
        Message(turn=1, seat="user", text="Oops", at=101.0),
        Undone(turn=1, seat="user", at=102.0),
        Message(turn=2, seat="user", text="Hello", at=103.0),
        Call(turn=3, seat="agent", id="a", name="x", arguments={}, at=104.0),
        Result(turn=3, seat="agent", id="a", content="Error", error=True, at=105.0),
        Message(turn=4, seat="agent", text="y", at=106, usage={"prompt_tokens": 1200, "cost": 0.5}),
        Ended(reason="agent_stop", at=251.0),
    ]
    assert (
        facts(events) == "ended by agent_stop · 4 turns · 02:31 · 1 tool call · 1 tool error · 1,200 tokens · $0.5000"
    )


@pytest.mark.parametrize(("parent_turn", "took"), [(None, "70 tokens · $0.7000"), (2, "40 tokens · $0.4000")])
def test_a_branch_takes_what_its_own_turns_took_and_not_what_its_parents_did(
    parent_turn: int | None, took: str
) -> None:
    events: list[Event] = [
        Opened(header=header(parent="" if parent_turn is None else "01PARENT", parent_turn=parent_turn)),
        Message(turn=0, seat="agent", text="Hi"),
        Message(turn=1, seat="user", text="Hello", usage={"prompt_tokens": 10, "cost": 0.1}),
        Message(turn=2, seat="agent", text="Yes?", usage={"prompt_tokens": 20, "cost": 0.2}),
        Message(turn=3, seat="user", text="Bye", usage={"prompt_tokens": 40, "cost": 0.4}),
    ]
    assert facts(events) == f"not ended · 4 turns · 00:00 · 0 tool calls · 0 tool errors · {took}"


def test_a_branch_in_which_no_model_spoke_took_nothing() -> None:
    events: list[Event] = [
        Opened(header=header(parent="01PARENT", parent_turn=1)),
        Message(turn=1, seat="agent", text="Yes?", usage={"prompt_tokens": 20, "cost": 0.2}),
        Message(turn=2, seat="user", text="Bye"),
    ]
    assert facts(events).endswith("0 tool errors")
