"""All 2,285 official telecom tasks begin, and their gold, played live, meets what they assert."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain

pytestmark = pytest.mark.official


def test_every_official_task_begins_and_its_gold_meets_every_assertion(official: Path) -> None:
    # The whole takes about two seconds; a sample would be no faster to understand.
    domain = load_domain("telecom", official)
    assert len(domain.tasks) == 2285
    assert {name: len(ids) for name, ids in domain.splits.items()} == {
        "full": 2285,
        "base": 114,
        "train": 74,
        "test": 40,
        "small": 20,
    }
    unmet = []
    for task in domain.tasks:
        env = domain.environment(task)
        for action in task.gold:
            assert not env.call(action.requestor, action.name, action.arguments).error, (task.id, action)
        assert task.evaluation_criteria is not None
        unmet += [(task.id, a) for a in task.evaluation_criteria.env_assertions or () if not env.check(a)]
    assert not unmet
