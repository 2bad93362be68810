"""The shop answers as the official implementation did, oddities included."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain
from tests.domains.conforming import assert_answers, assert_digests, assert_odd_calls, lines

pytestmark = pytest.mark.official


def test_odd_calls_are_answered_byte_for_byte(official: Path, conformance: Path) -> None:
    assert_odd_calls(load_domain("retail", official), conformance)


def test_gold_of_every_recorded_task_gives_the_recorded_results_and_states(official: Path, conformance: Path) -> None:
    domain = load_domain("retail", official)
    rows = lines(conformance / "gold" / "retail.jsonl", "retail")
    assert len(rows) == 57
    for row in rows:
        env = domain.environment(row["id"])
        assert_digests(env, row["before"], row["id"])
        for action in row["actions"]:
            assert_answers(env, action, action["result"], action["result"].startswith("Error:"), row["id"])
        assert_digests(env, row["after"], row["id"])
