"""The bundled task list: small, and with every feature a task can have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domains import load_domain
from domains.catalog import Domain
from domains.mock.tools import MockTools, MockUserTools
from domains.task import EnvAssertion, GoldAction, Task
from tests.domains.packing import answers, assert_one_voice, spoken, strings, twelve_words

TASKS = load_domain("mock").tasks
TOOLS = {**MockTools.tools, **MockUserTools.tools}
WRITES = {name for name, tool in TOOLS.items() if tool.mutates}


@pytest.fixture(scope="module")
def mock() -> Domain:
    return load_domain("mock")


each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def test_every_feature_of_a_task_occurs(mock: Domain) -> None:
    states = [task.initial_state for task in TASKS if task.initial_state]
    criteria = [task.evaluation_criteria for task in TASKS if task.evaluation_criteria]
    wishes = [wish for task in TASKS for wish in task.user_scenario.wishes]
    assert any(state.initialization_data for state in states)
    assert any(state.initialization_actions for state in states)
    assert any(state.message_history for state in states)
    assert {a.assert_value for c in criteria for a in c.env_assertions or ()} == {True, False}
    assert {a.env_type for c in criteria for a in c.env_assertions or ()} == {"user", "assistant"}
    assert {basis for c in criteria for basis in c.reward_basis} == {"DB", "COMMUNICATE", "ENV_ASSERTION", "ACTION"}
    assert any(c.nl_assertions for c in criteria)
    assert {action.name for task in TASKS for action in task.gold} == set(TOOLS)
    assert {action.requestor for task in TASKS for action in task.gold} == {"user", "assistant"}
    assert any(task.user_tools for task in TASKS) and all(task.ticket for task in TASKS)
    assert any(wish.refused for wish in wishes) and any(wish.conceal for wish in wishes)
    assert mock.splits == {"base": [task.id for task in TASKS]}
    assert mock.policy != mock.solo_policy


def test_tasks_and_their_owners_agree(mock: Domain) -> None:
    tables = mock.bases["agent"].tables
    assert sorted(t for user in tables["users"].values() for t in user["tasks"]) == sorted(tables["tasks"])
    inbox = mock.bases["user"].tables["notifications"]
    assert {n["task_id"] for n in inbox.values()} - {None} <= set(tables["tasks"])


@each_task
@pytest.mark.parametrize("solo", [False, True], ids=["two seats", "solo"])
def test_the_gold_plan_works_and_meets_the_assertions(mock: Domain, task: Task, solo: bool) -> None:
    env = mock.environment(task, solo=solo)
    gold: list[GoldAction] = task.gold
    for action in gold:
        assert env.user_tools is None or action.requestor == "assistant" or action.name in env.user_tools
        result = env.call("agent" if solo else action.requestor, action.name, action.arguments)
        assert not result.error, result.content
        assert bool(result.changes) == (action.name in WRITES)
    assert all(env.check(assertion) for assertion in assertions(task))


@each_task
def test_doing_nothing_does_not_meet_the_assertions(mock: Domain, task: Task) -> None:
    env = mock.environment(task)
    assert not assertions(task) or not all(env.check(assertion) for assertion in assertions(task))


@each_task
def test_the_recorded_beginning_is_what_the_tools_answer(mock: Domain, task: Task) -> None:
    env = mock.environment()
    history = (task.initial_state.message_history if task.initial_state else None) or []
    calls = [call for message in history for call in message.get("tool_calls") or ()]
    recorded = [message for message in history if message["role"] == "tool"]
    for call, message in zip(calls, recorded, strict=True):
        assert call["id"] == message["id"]
        assert env.call(call["requestor"], call["name"], call["arguments"]).content == message["content"]


@each_task
def test_facts_and_wishes_say_what_the_gold_plan_does(task: Task) -> None:
    scenario = task.user_scenario
    gold = [(a.requestor, a.name, a.arguments) for a in task.gold if a.name in WRITES]
    assert [(w.requestor, w.name, w.arguments) for wish in scenario.wishes for w in wish.writes] == gold
    assert [answer for wish in scenario.wishes for answer in wish.answers] == answers(task)
    for wish in scenario.wishes:
        assert not (wish.refused and (wish.writes or wish.answers))
        for detail in wish.details:
            for write in wish.writes:
                assert write.arguments.get(detail.name, detail.value) == detail.value
        named = {detail.name for detail in wish.details} | {"user_id", "notification_id"}
        assert all(set(write.arguments) <= named for write in wish.writes)
    assert not [text for text in spoken(task) for answer in answers(task) if answer in text]


@each_task
def test_scenario_and_facts_speak_with_one_voice(task: Task) -> None:
    assert_one_voice(task)


@pytest.mark.official
def test_nothing_is_taken_from_the_official_texts(mock: Domain, official: Path) -> None:
    folder = official / "tau2" / "domains" / "mock"
    official_tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    policies = [(folder / name).read_text("utf-8") for name in ("policy.md", "policy_solo.md")]
    described = [tool.description for tool in TOOLS.values()]
    ours = [mock.policy, mock.solo_policy, *described, *strings([task.model_dump() for task in TASKS])]
    assert not twelve_words(ours) & twelve_words([*policies, *strings(official_tasks)])


def assertions(task: Task) -> list[EnvAssertion]:
    found: Any = task.evaluation_criteria.env_assertions if task.evaluation_criteria else None
    return found or []
