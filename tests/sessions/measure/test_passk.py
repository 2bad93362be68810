"""pass^k and pass@k of groups of sessions: the estimators, the conventions, what is left out and why."""

from __future__ import annotations

from itertools import count
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.measure.passk import REASONS, Group, groups, pass_at, pass_hat

NUMBERS = count()


def row(task: str = "t1", reward: float | None = 1.0, **changed: Any) -> dict[str, Any]:
    """A finished session of two models, as the recording tells it."""
    given: dict[str, Any] = {
        "id": f"{next(NUMBERS):04}",
        "domain": "airline",
        "task_id": task,
        "task_digest": None,
        "user_kind": "model",
        "user_name": "gpt",
        "agent_kind": "model",
        "agent_name": "gpt",
        "spoilers": 0,
        "parent": None,
        "started": 0.0,
        "ended": 1.0,
        "reason": "user_stop",
        "reward": reward,
        "recorded_reward": None,
        "trial": None,
        "exposures": "",
        "view": "blind",
    }
    return given | changed


def one(*rows: dict[str, Any], **options: Any) -> Group:
    """The only group of these sessions."""
    (found,) = groups(rows, ["view"], **options)
    return found


def hat(group: Group) -> list[tuple[Any, int]]:
    """pass^1, pass^2 … each with the number of its tasks."""
    return [(estimate.value, estimate.tasks) for estimate in group.hat]


# The estimators


def test_reference_values_of_one_task() -> None:
    assert [pass_hat(4, 3, k) for k in (1, 2, 3, 4)] == pytest.approx([0.75, 0.5, 0.25, 0.0])
    assert pass_at(4, 3, 2) == 1.0


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_the_product_is_the_quotient_of_combinations(counted: tuple[int, int, int]) -> None:
    n, c, k = counted
    assert pass_hat(n, c, k) == pytest.approx(comb(c, k) / comb(n, k))
    assert pass_at(n, c, k) == pytest.approx(1 - comb(n - c, k) / comb(n, k))


def test_fewer_trials_than_k_have_no_value() -> None:
    assert pass_hat(2, 2, 3) is None
    assert pass_at(2, 2, 3) is None


def test_reference_values_of_fifty_tasks() -> None:
    rows = []
    for successes, tasks in {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}.items():
        for i in range(tasks):
            rows += [row(f"{successes}-{i}", float(trial < successes), trial=trial) for trial in range(4)]
    for convention in ("ours", "tau2", "tau-bench"):
        group = one(*rows, convention=convention)
        assert [value for value, _ in hat(group)] == pytest.approx([0.42, 0.27333, 0.22, 0.2], abs=5e-6)
        assert [e.value for e in group.at] == pytest.approx([0.42, 0.56667, 0.66, 0.72], abs=5e-6)
        assert [e.tasks for e in group.hat] == [50] * 4
    assert group.icc == pytest.approx(0.4046, abs=5e-5)
    assert group.standard_error == pytest.approx(0.05222, abs=5e-6)
    assert [i.method for i in group.hat[0].intervals] == ["bootstrap"]


# Conventions


def uneven() -> list[dict[str, Any]]:
    """Three trials of one task, one of another; one ended too early, in one the machinery failed."""
    return [
        row("a", 1.0),
        row("a", 1.0),
        row("a", 0.0, reason="max_steps"),
        row("a", 0.0, reason="unexpected_error"),
        row("a", 0.0, reason="infrastructure_error"),
        row("b", 1.0),
    ]


def test_ours_takes_each_k_over_the_tasks_that_have_so_many_trials() -> None:
    group = one(*uneven())
    assert hat(group) == [(pytest.approx((2 / 3 + 1) / 2), 2), (pytest.approx(1 / 3), 1), (0.0, 1)]
    assert group.excluded == {"machinery": 2}


def test_tau2_leaves_out_infrastructure_errors_only_and_stops_at_the_fewest_trials() -> None:
    group = one(*uneven(), convention="tau2")
    assert hat(group) == [(pytest.approx((2 / 4 + 1) / 2), 2)]
    assert group.excluded == {"machinery": 1}


def test_tau_bench_takes_a_missing_trial_for_a_failure() -> None:
    group = one(*uneven(), convention="tau-bench")
    assert hat(group)[:2] == [(pytest.approx((2 / 5 + 1 / 5) / 2), 2), (pytest.approx((1 / 10 + 0) / 2), 2)]
    assert len(group.hat) == 5 and group.excluded == {}


def test_trial_numbers_of_two_imports_are_not_taken_for_the_same() -> None:
    rows = [row("a", 1.0, trial=0), row("a", 1.0, trial=1), row("a", 1.0, trial=0), row("a", 0.0, trial=1)]
    assert hat(one(*rows, convention="tau-bench"))[0] == (0.75, 1)


# What succeeds


@pytest.mark.parametrize(
    ("reward", "reason", "succeeds"),
    [
        (1.0, "user_stop", True),
        (1 - 1e-7, "agent_stop", True),
        (0.999, "user_stop", False),
        (1.0, "max_steps", False),  # whatever a file says
    ],
)
def test_a_session_succeeds_that_ended_well_with_reward_one(reward: float, reason: str, succeeds: bool) -> None:
    assert one(row(reward=reward, reason=reason)).successes == succeeds


def test_the_reward_of_the_file_counts_where_there_is_none_of_ours_or_where_asked() -> None:
    rows = [row("a", 0.0, recorded_reward=1.0), row("b", None, recorded_reward=1.0), row("c", 1.0)]
    ours, recorded = one(*rows), one(*rows, reward="recorded")
    assert (ours.successes, ours.used, ours.recorded, ours.disagreeing) == (2, 3, 1, 1)
    assert (recorded.successes, recorded.used, recorded.excluded) == (2, 2, {"not-scored": 1})


# What is left out


HUMAN = {"user_kind": "human", "user_name": "Anna"}

LEFT_OUT: dict[str, dict[str, Any]] = {
    "machinery": {"reason": "unexpected_error"},
    "abandoned": {"reason": "abandoned"},
    "branch": {"parent": "0"},
    "offline-partner": {"agent_kind": "oracle"},
    "seat": {"exposures": "seat"},
    "supervised": {"exposures": "supervised"},
    "goal": {"exposures": "trace goal"},
    "plan": {"exposures": "plan"},
    "trace": {"exposures": "trace"},
    "database": {"exposures": "database completion"},
    "preview": {"exposures": "preview"},
    "completion": {"exposures": "completion"},
    "spoilers": {"spoilers": 1, **HUMAN},
}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_each_reason_leaves_out_and_can_be_switched_in(reason: str) -> None:
    group = one(row("a"), row("b", **LEFT_OUT[reason]))
    assert (group.used, group.excluded) == (1, {reason: 1})
    included = one(row("a"), row("b", **LEFT_OUT[reason]), include=[reason, "trace", "completion"])
    assert (included.used, included.excluded) == (2, {})
    assert one(row("a"), row("b", **LEFT_OUT[reason]), include=["all"]).used == 2


def test_there_is_an_example_of_every_reason() -> None:
    assert LEFT_OUT.keys() | {"again"} == REASONS.keys()


def test_what_has_no_outcome_is_never_counted() -> None:
    rows = [row("a", None, ended=None, reason=None), row("b", None), row("c", None, reason="max_steps")]
    group = one(*rows, include=["all"])
    assert group.excluded == {"unfinished": 1, "not-scored": 1}
    assert (group.used, group.successes) == (1, 0)  # a premature end is 0 whoever would have had to judge


def test_a_session_is_counted_under_the_first_reason_that_applies() -> None:
    both = row("a", reason="abandoned", agent_kind="script", exposures="goal")
    assert one(both).excluded == {"abandoned": 1}
    assert one(both, include=["abandoned"]).excluded == {"offline-partner": 1}


def test_a_reason_there_is_none_of_is_said() -> None:
    with pytest.raises(ValueError, match="nothing is left out as 'weather'"):
        one(row(), include=["weather"])


def test_a_person_counts_once_for_a_task_and_k_people_are_k_trials() -> None:
    anna = dict(HUMAN)
    rows = [
        row("a", 0.0, started=1.0, **anna),
        row("a", 1.0, started=2.0, **anna),  # knew the task by then
        row("b", 1.0, started=3.0, **anna),
        row("a", 1.0, started=4.0, user_kind="human", user_name="Ben"),
    ]
    group = one(*reversed(rows))
    assert (group.people, group.excluded) == (2, {"again": 1})
    assert [(c.task, c.n, c.c) for c in group.counts] == [("a", 2, 1), ("b", 1, 1)]
    assert one(*rows, include=["again"]).used == 4


def test_an_attempt_that_was_left_out_does_not_use_up_the_person() -> None:
    rows = [row("a", 0.0, reason="infrastructure_error", **HUMAN), row("a", 1.0, started=1.0, **HUMAN)]
    assert one(*rows).excluded == {"machinery": 1}


# Groups


def test_groups_are_told_apart_by_every_field_asked_for() -> None:
    rows = [row("a", agent_name="x"), row("a", 0.0, agent_name="y"), row("b", agent_name="x", view=None)]
    found = groups(rows, ["agent_name", "view"])
    assert [(group.values, group.used) for group in found] == [
        ({"agent_name": "x", "view": "blind"}, 1),
        ({"agent_name": "x", "view": None}, 1),
        ({"agent_name": "y", "view": "blind"}, 1),
    ]


def test_two_tasks_of_one_name_are_two_tasks() -> None:
    assert len(one(row("a", task_digest="1"), row("a", task_digest="2")).counts) == 2


def test_domains_are_averaged_apart() -> None:
    rows = [row("a"), row("b"), row("c"), row("x", 0.0, domain="retail")]
    group = one(*rows)
    assert hat(group) == [(0.75, 4)]
    assert [(e.k, e.value, e.tasks) for e in group.over_domains] == [(1, 0.5, 2)]
    assert one(row()).over_domains == ()


def test_one_rate_has_the_intervals_of_a_rate_and_nothing_has_none() -> None:
    once = one(row("a"), row("b", 0.0), row("c"))
    assert [i.method for i in once.hat[0].intervals] == ["wilson", "clopper-pearson"]
    same = one(*[row(task, 1.0) for task in "ab" for _ in range(2)])
    assert same.hat[0].intervals == ()  # every task alike, several trials each: no honest width
    nothing = one(row(agent_kind="oracle"))
    assert (nothing.hat, nothing.standard_error, nothing.icc) == ((), None, None)
