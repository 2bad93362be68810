"""Telecom answers as the official implementation did, on both sides, with and without sync between calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain
from tests.domains.conforming import assert_digests, assert_odd_calls, lines

pytestmark = pytest.mark.official


def test_odd_calls_are_answered_byte_for_byte(official: Path, conformance: Path) -> None:
    assert_odd_calls(load_domain("telecom", official), conformance)


def test_gold_of_every_recorded_task_gives_the_recorded_results_states_and_verdicts(
    official: Path, conformance: Path
) -> None:
    domain = load_domain("telecom", official)
    rows = lines(conformance / "gold" / "telecom.jsonl", "telecom")
    assert len(rows) == 57
    for row in rows:
        task = domain.task(row["id"])
        evaluated = domain.environment(task)
        live = evaluated.fork()
        assert_digests(evaluated, row["before"], row["id"])
        for action in row["actions"]:
            call = (action["requestor"], action["name"], action["arguments"])
            assert evaluated.mutates(*call[:2]) == action["mutates_state"], action
            assert evaluated.call(*call, sync=False).content == action["result"], (row["id"], action)
            assert live.call(*call).content == action.get("live_content", action["result"]), (row["id"], action)
        assert_digests(evaluated, row["after"], row["id"])
        assert_digests(live, row["after_live"], row["id"])
        assertions = task.evaluation_criteria.env_assertions if task.evaluation_criteria else None
        assert [evaluated.check(a) for a in assertions or ()] == row["env_assertions_after"], row["id"]
        assert [live.check(a) for a in assertions or ()] == row["env_assertions_live"], row["id"]


def test_both_packs_are_one_domain_with_another_document(official: Path) -> None:
    manual, workflow = load_domain("telecom", official), load_domain("telecom-workflow", official)
    folder = official / "tau2" / "domains" / "telecom"
    main, main_solo = ((folder / name).read_text() for name in ("main_policy.md", "main_policy_solo.md"))

    def composed(main: str, document: str) -> str:
        support = (folder / document).read_text()
        return f"<main_policy>\n{main}\n</main_policy>\n<tech_support_policy>\n{support}\n</tech_support_policy>"

    assert manual.policy == composed(main, "tech_support_manual.md")
    assert manual.solo_policy == composed(main_solo, "tech_support_manual.md")
    assert workflow.policy == composed(main, "tech_support_workflow.md")
    assert workflow.solo_policy == composed(main_solo, "tech_support_workflow_solo.md")
    assert manual.environment().digest("agent") == workflow.environment().digest("agent")
    assert len(manual.environment().tools("agent")) == 13
    assert len(manual.environment().tools("user")) == 30
    assert len(manual.environment(solo=True).tools("agent")) == 43
