"""What the official task list does that nobody would expect; each is reproduced on purpose."""

from __future__ import annotations

import json

from domains import load_domain
from domains.task import Task


def test_ids_are_counted_so_a_list_with_gaps_has_a_task_replaced() -> None:
    lone = {"tasks": {"task_5": {"task_id": "task_5", "title": "Five", "status": "pending"}}, "users": {}}
    state = {"initialization_data": {"agent_data": lone}}
    task = Task.model_validate({"id": "gap", "user_scenario": {}, "initial_state": state})
    env = load_domain("mock").environment(task)
    result = env.call("agent", "create_task", {"user_id": "user_1", "title": "New"})
    assert json.loads(result.content)["task_id"] == "task_5"
    assert ("tasks", ("title",), "Five", "New") in [(c.table, c.path, c.before, c.after) for c in result.changes]


def test_any_status_is_stored_as_it_came() -> None:
    env = load_domain("mock").environment()
    result = env.call("agent", "update_task_status", {"task_id": "task_1", "status": ["half", 1]})
    assert json.loads(result.content)["status"] == ["half", 1]


def test_a_title_that_is_no_text_is_refused_and_nothing_is_left_behind() -> None:
    env = load_domain("mock").environment()
    result = env.call("agent", "create_task", {"user_id": "user_1", "title": 7})
    assert result.error and not result.changes
