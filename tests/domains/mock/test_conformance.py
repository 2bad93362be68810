"""The task list answers as the official implementation did; agent data that takes over the user's database included."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain
from tests.domains.conforming import assert_answers, assert_digests, lines

pytestmark = pytest.mark.official


def test_gold_of_every_recorded_task_gives_the_recorded_results_states_and_verdicts(
    official: Path, conformance: Path
) -> None:
    domain = load_domain("mock", official)
    rows = lines(conformance / "gold" / "mock.jsonl", "mock")
    assert len(rows) == 10
    for row in rows:
        env = domain.environment(row["id"])
        assert_digests(env, row["before"], row["id"])
        for action in row["actions"]:
            assert_answers(env, action, action["result"], action["result"].startswith("Error:"), row["id"])
        assert_digests(env, row["after"], row["id"])
        criteria = domain.task(row["id"]).evaluation_criteria
        assertions = (criteria.env_assertions if criteria else None) or []
        assert [env.check(assertion) for assertion in assertions] == row["env_assertions_after"], row["id"]


def test_after_agent_data_both_sides_are_one_database(official: Path) -> None:
    env = load_domain("mock", official).environment("update_task_with_initialization_data")
    assert env.call("user", "check_notifications", {}).error
    result = env.call("agent", "update_task_status", {"task_id": "task_2", "status": "completed"})
    assert [change.path for change in result.changes] == [("status",)]
    assert env.changes() == result.changes
    assert env.digest("user") == env.digest("agent")
    twin = env.fork()
    twin.call("agent", "update_task_status", {"task_id": "task_1", "status": "completed"})
    assert twin.digest("user") == twin.digest("agent") != env.digest("agent")
