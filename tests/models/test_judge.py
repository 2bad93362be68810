"""A model judges assertions in words: one verdict for each, or it is not judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domains import load_domain
from domains.errors import DataError
from domains.task import Task
from sessions.event import Judged, Scored
from sessions.judging import JudgedSession, judge_recorded
from sessions.players.base import Action, PlayerFailure
from sessions.players.model.judge import agreement, judge, read_findings
from sessions.recorder import Recorder
from sessions.session import Session, play
from sessions.trajectory import fold
from tests.models.asking import MODEL, Answers, called, said
from tests.sessions.playing import Lines

TURNS = (said(0, "agent", "Hi!"), called(1, "agent", "get_user_details", {"user_id": "a"}, "Ann"))
ASSERTIONS = ["The agent greets.", "The agent\nsays no."]


def verdicts(*met: Any, **more: Any) -> str:
    """A judge's answer."""
    return json.dumps({"results": [{"statement": i, "reason": "so", "met": m} for i, m in enumerate(met, 1)], **more})


async def test_it_reads_the_conversation_with_its_calls_and_judges_each() -> None:
    answers = Answers(f"Here it is:\n```json\n{verdicts(True, False)}\n```")
    found = await judge(MODEL, ASSERTIONS, TURNS, answers)
    assert found.verdicts == (True, False) and found.problem == "" and found.usage["prompt_tokens"] == 10
    asked = answers.heard()[0]["content"]
    assert "1. The agent greets." in asked and "2. The agent says no." in asked
    assert 'agent calls get_user_details({"user_id": "a"})' in asked and "answer: Ann" in asked
    assert answers.asked[0].temperature == 0.0
    assert list(found.events()) == [
        Judged(assertion=0, met=True, by="openai/small", kind="model", reason="so"),
        Judged(assertion=1, met=False, by="openai/small", kind="model", reason="so"),
    ]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (verdicts(True), "1 verdicts for 2 statements"),
        (verdicts(True, True, True), "3 verdicts for 2 statements"),
        (verdicts(True, "yes"), "verdict 2 is neither true nor false"),
        (verdicts(True, None), "verdict 2 is neither true nor false"),
        ('{"results": []}', "0 verdicts for 2 statements"),
        ('{"results": {"a": true}}', "no list of results"),
        ('{"results": [{"statement": 1, "met": true}, {"statement": 1, "met": true}]}', "one for each statement"),
        ("Yes to both.", "holds no JSON"),
        ('{"results": [', "cannot be read"),
    ],
)
async def test_an_odd_answer_is_not_judged(answer: str, problem: str) -> None:
    found = await judge(MODEL, ASSERTIONS, TURNS, Answers(answer))
    assert found.verdicts == () and problem in found.problem and "not judged" in found.problem
    assert list(found.events()) == []


async def test_a_judge_that_fails_is_not_judged_either() -> None:
    found = await judge(MODEL, ASSERTIONS, TURNS, Answers(PlayerFailure("openai/small: the reply was empty")))
    assert found.verdicts == () and "empty" in found.problem


async def test_without_assertions_nobody_is_asked() -> None:
    answers = Answers()
    assert (await judge(MODEL, [], TURNS, answers)).problem == ""
    assert answers.asked == []


def test_verdicts_are_put_in_order_by_their_numbers() -> None:
    text = '{"results": [{"statement": 2, "met": false}, {"statement": 1, "met": true}]}'
    assert [finding.met for finding in read_findings(text, 2)] == [True, False]


def test_agreement_counts_what_both_have_judged() -> None:
    def by(kind: Any, *met: bool) -> list[Judged]:
        return [Judged(assertion=i, met=m, by="m", kind=kind) for i, m in enumerate(met)]

    found = agreement(
        "m", [[*by("human", True, False), *by("model", True, True)], by("model", True), by("human", False)]
    )
    assert (found.n, found.agreed, found.kappa) == (2, 1, 0.0)
    assert "1 of 2" in found.line()
    assert agreement("m", []).kappa is None
    every = agreement("m", [[*by("human", True, True), *by("model", True, True)]])
    assert (every.agreed, every.kappa) == (2, None), "chance alone would agree always"


def test_a_persons_verdict_stands_over_a_models() -> None:
    person = Judged(assertion=0, met=True, by="ann")
    model = Judged(assertion=0, met=False, by="m", kind="model")
    assert fold([person, model]).judgements(1) == (True,)
    assert fold([model, person]).judgements(1) == (True,)
    assert fold([model, Judged(assertion=0, met=True, by="n", kind="model")]).judgements(1) == (True,)


async def recorded(file: Path, session_id: str = "S") -> Recorder:
    """A recording with one ended session whose task has an assertion in words that counts."""
    domain = load_domain("mock")
    task = Task.model_validate(
        {
            "id": "t",
            "user_scenario": {},
            "evaluation_criteria": {"nl_assertions": ["The agent greets."], "reward_basis": ["NL_ASSERTION"]},
        }
    )
    recorder = Recorder(file)
    players = {"user": Lines("hello", Action(stop="###STOP###")), "agent": Lines("hi")}
    session = Session.new(domain, task, players, view="open", keeper=recorder, session_id=session_id)  # type: ignore[arg-type]
    await play(session)
    return recorder


async def test_a_recorded_session_is_judged_later_and_scored_anew(tmp_path: Path) -> None:
    recorder = await recorded(tmp_path / "s.db")
    [found] = await judge_recorded(recorder, ["S"], MODEL, complete=Answers(verdicts(True)))
    assert isinstance(found, JudgedSession) and found.verdict.reward == 1.0
    *_, judged, scored = recorder.events("S")
    assert isinstance(judged, Judged) and judged.by == "openai/small" and judged.kind == "model"
    assert isinstance(scored, Scored) and scored.reward == 1.0
    assert recorder.sessions()[0].reward == 1.0
    recorder.close()


async def test_what_was_not_judged_changes_nothing_in_the_recording(tmp_path: Path) -> None:
    recorder = await recorded(tmp_path / "s.db")
    before = recorder.events("S")
    [found] = await judge_recorded(recorder, ["S"], MODEL, complete=Answers("no idea"))
    assert isinstance(found, JudgedSession) and found.verdict.reward is None and "not judged" in found.problem
    assert recorder.events("S") == before
    [missing] = await judge_recorded(recorder, ["X"], MODEL, complete=Answers())
    assert isinstance(missing, DataError)
    recorder.close()
