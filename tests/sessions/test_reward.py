"""The reward rules, each with the smallest session that shows it."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any

import pytest

from domains import load_domain
from domains.catalog import Domain
from domains.task import Task
from sessions.interop.tau2 import read
from sessions.reward import goal, score
from sessions.trajectory import Turn
from tests.sessions.small_world import DB, call, finish, task, turns, world


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return world(tmp_path)


def rewarded(domain: Domain, wanted: Task, *acts: Any, end: str | None = "user_stop", **more: Any) -> float | None:
    return score(domain, wanted, turns(*acts), end, **more).reward


# DB


def test_reaching_the_gold_state_is_one_and_not_reaching_it_zero(domain: Domain) -> None:
    wanted = task(finish("task_1"))
    assert rewarded(domain, wanted, finish("task_1")) == 1
    assert rewarded(domain, wanted) == 0
    assert rewarded(domain, wanted, finish("task_1"), finish("task_2")) == 0


def test_the_users_database_counts_too(domain: Domain) -> None:
    wanted = task(call("dismiss_notification", "user", notification_id="n1"))
    assert rewarded(domain, wanted, call("dismiss_notification", "user", notification_id="n1")) == 1
    assert rewarded(domain, wanted) == 0


def test_equality_is_that_of_the_json_text(domain: Domain) -> None:
    wanted = task(call("update_task_status", task_id="task_1", status=4))
    assert rewarded(domain, wanted, call("update_task_status", task_id="task_1", status=4)) == 1
    assert rewarded(domain, wanted, call("update_task_status", task_id="task_1", status=4.0)) == 0


def test_calls_to_unknown_tools_and_of_the_wrong_seat_do_nothing(domain: Domain) -> None:
    wanted = task()
    assert rewarded(domain, wanted, call("drop_tables"), call("update_task_status", "user", task_id="task_1")) == 1


def test_the_reached_state_is_recomputed_whatever_the_recorded_answers_say(domain: Domain) -> None:
    verdict = score(domain, task(finish("task_1")), turns(finish("task_1"), finish("task_9")), "user_stop")
    assert verdict.db_match
    assert verdict.agent_digest() == verdict.evidence.gold.env.digest("agent")
    assert verdict.user_digest() == domain.environment().digest("user")


def test_a_gold_action_that_fails_is_skipped_and_reported(domain: Domain) -> None:
    verdict = score(domain, task(finish("task_9"), finish("task_1")), turns(finish("task_1")), "user_stop")
    assert verdict.reward == 1
    assert [note for note in verdict.notes if "task_9" in note and "skipped" in note]


def test_null_actions_and_null_assertions_compare_nothing_but_empty_ones_do(domain: Domain) -> None:
    assert score(domain, task(actions=None), turns(finish("task_1")), "user_stop").db_match is True
    assert score(domain, task(actions=[]), turns(finish("task_1")), "user_stop").db_match is False
    assert score(domain, task(actions=None, env_assertions=[]), turns(finish("task_1")), "user_stop").db_match is False


def test_without_criteria_every_evaluated_ending_is_one(domain: Domain) -> None:
    bare = Task.model_validate({"id": "t", "user_scenario": {}})
    verdict = score(domain, bare, turns(finish("task_1")), "agent_stop")
    assert (verdict.reward, verdict.db_match, verdict.components) == (1, None, {})
    assert rewarded(domain, bare, end="max_steps") == 0


def test_initial_data_and_actions_are_part_of_both_states(domain: Domain) -> None:
    start = {
        "initialization_actions": [
            {
                "env_type": "user",
                "func_name": "add_notification",
                "arguments": {"notification_id": "n2", "message": "Mop!"},
            }
        ]
    }
    wanted = task(call("dismiss_notification", "user", notification_id="n2"), initial_state=start)
    assert rewarded(domain, wanted, call("dismiss_notification", "user", notification_id="n2")) == 1
    assert rewarded(domain, wanted) == 0


HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "Is task_1 done?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "h1", "name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}
        ],
    },
    {"role": "tool", "id": "h1", "content": "{}"},
    {"role": "assistant", "content": "Sweeping is done."},
]


def test_the_tasks_history_is_played_once_and_heard(domain: Domain) -> None:
    wanted = task(finish("task_2"), communicate_info=["sweeping is done"], initial_state={"message_history": HISTORY})
    ours = score(domain, wanted, turns(finish("task_2")), "user_stop")
    assert ours.reward == 1
    assert [turn.index for turn in ours.evidence.turns] == [-3, -2, -1, 0]
    recorded = tuple(Turn(t.index + 3, t.seat, t.text, calls=t.calls) for t in ours.evidence.turns)
    theirs = score(domain, wanted, recorded, "user_stop", with_history=True)
    assert (theirs.reward, theirs.evidence.history, len(theirs.evidence.turns)) == (1, 3, 4)


# COMMUNICATE


@pytest.mark.parametrize(
    ("required", "words", "met"),
    [
        ("1628", "agent: It costs $1,628.", True),
        ("Sweep", "agent: you have to SWEEP", True),
        ("10", "agent: It costs 100.", True),
        ("1,628", "agent: It costs $1,628.", False),
        ("1628", "user: It costs 1628.", False),
        ("1628", "agent: It costs a lot.", False),
    ],
)
def test_a_required_string_is_a_substring_of_what_the_agent_says(
    domain: Domain, required: str, words: str, met: bool
) -> None:
    verdict = score(domain, task(communicate_info=[required]), turns(words), "user_stop")
    assert verdict.communicate == (met,)
    assert verdict.reward == float(met)


def test_a_string_found_only_inside_a_longer_one_is_met_and_warned_about(domain: Domain) -> None:
    inside = score(domain, task(communicate_info=["10"]), turns("agent: It costs 100."), "user_stop")
    assert inside.reward == 1
    assert [note for note in inside.notes if "'100'" in note]
    alone = score(domain, task(communicate_info=["10"]), turns("agent: 100, or rather 10."), "user_stop")
    assert not alone.notes


def test_words_sent_together_with_a_call_are_heard(domain: Domain) -> None:
    (said,) = turns(finish("task_1"))
    both = Turn(0, "agent", "All 3 are done", calls=said.calls)
    assert score(domain, task(finish("task_1"), communicate_info=["3"]), (both,), "user_stop").reward == 1


# ACTION


@pytest.mark.parametrize(
    ("given", "compare", "matches"),
    [
        ({"task_id": "task_1", "status": "completed"}, None, True),
        ({"task_id": "task_1"}, None, True),  # null compares what the caller gave
        ({"task_id": "task_1", "status": "completed", "more": 1}, None, False),
        ({"task_id": "task_1", "status": "pending"}, ["task_id"], True),
        ({"task_id": "task_2", "status": "completed"}, ["task_id"], False),
        ({}, None, True),
    ],
)
def test_a_gold_action_is_matched_by_name_and_compared_arguments(
    domain: Domain, given: dict[str, Any], compare: list[str] | None, matches: bool
) -> None:
    wanted = task(finish("task_1"), basis=("ACTION",))
    assert wanted.evaluation_criteria is not None
    wanted.gold[0].compare_args = compare
    verdict = score(domain, wanted, turns(call("update_task_status", **given)), "user_stop")
    assert verdict.action_checks == (matches,)
    assert verdict.reward == float(matches)


def test_arguments_are_equal_in_pythons_sense(domain: Domain) -> None:
    wanted = task(call("update_task_status", task_id="task_1", status=1), basis=("ACTION",))
    assert rewarded(domain, wanted, call("update_task_status", task_id="task_1", status=True)) == 1


# ENV_ASSERTION


def assertion(func_name: str, value: bool = True, **arguments: Any) -> dict[str, Any]:
    return {"env_type": "assistant", "func_name": func_name, "arguments": arguments, "assert_value": value}


def test_assertions_are_about_the_reached_state_and_one_that_raises_is_not_met(domain: Domain) -> None:
    wanted = task(
        basis=("ENV_ASSERTION",),
        env_assertions=[
            assertion("assert_task_status", task_id="task_1", expected_status="completed"),
            assertion("assert_task_status", value=False, task_id="task_2", expected_status="completed"),
            assertion("assert_task_status", task_id="task_9", expected_status="completed"),
            assertion("assert_nothing_known"),
        ],
    )
    verdict = score(domain, wanted, turns(finish("task_1")), "user_stop")
    assert verdict.env_assertions == (True, True, False, False)
    assert verdict.reward == 0


# NL_ASSERTION


def test_what_nobody_judged_is_neither_zero_nor_one(domain: Domain) -> None:
    wanted = task(basis=("NL_ASSERTION",), nl_assertions=["polite", "short"])
    unjudged = score(domain, wanted, (), "user_stop")
    assert (unjudged.reward, unjudged.nl_assertions) == (None, ())
    assert [note for note in unjudged.notes if "nobody judged" in note]
    assert rewarded(domain, wanted, judgements=[True, True]) == 1
    assert rewarded(domain, wanted, judgements=[True, False]) == 0
    with pytest.raises(ValueError, match="1 judgements for 2"):
        score(domain, wanted, (), "user_stop", judgements=[True])


def test_the_component_waits_until_the_last_assertion_is_judged(domain: Domain) -> None:
    wanted = task(basis=("NL_ASSERTION",), nl_assertions=["polite", "short"])
    half = score(domain, wanted, (), "user_stop", judgements=[False, None])
    assert (half.reward, half.nl_assertions) == (None, (False, None))
    assert "natural-language assertions that count and nobody judged: 1" in half.notes
    none = score(domain, wanted, (), "user_stop", judgements=[None, None])
    assert (none.reward, none.nl_assertions) == (None, ())


def test_no_assertions_at_all_are_met_and_those_outside_the_basis_do_not_matter(domain: Domain) -> None:
    assert rewarded(domain, task(basis=("NL_ASSERTION",))) == 1
    assert rewarded(domain, task(basis=("DB",), nl_assertions=["polite"])) == 1


# The product, and the ending


def test_the_reward_is_the_product_of_the_basis_and_the_rest_is_shown(domain: Domain) -> None:
    wanted = task(finish("task_1"), basis=("DB",), communicate_info=["done"])
    verdict = score(domain, wanted, turns(finish("task_1")), "user_stop")
    assert verdict.reward == 1
    assert verdict.breakdown == {"DB": 1}
    assert verdict.components["COMMUNICATE"] == 0


@pytest.mark.parametrize(
    "end", ["max_steps", "too_many_errors", "agent_error", "user_error", "infrastructure_error", "abandoned", "new_one"]
)
def test_other_endings_are_zero_with_their_components_computed(domain: Domain, end: str) -> None:
    verdict = score(domain, task(finish("task_1"), nl_assertions=["polite"]), turns(finish("task_1")), end)
    assert (verdict.reward, verdict.db_match, verdict.components["DB"]) == (0, True, 1)
    assert [note for note in verdict.notes if end in note]


def test_a_session_that_has_not_ended_has_no_reward(domain: Domain) -> None:
    assert rewarded(domain, task(finish("task_1")), finish("task_1"), end=None) is None


def test_a_verdict_is_stable_json(domain: Domain) -> None:
    verdict = score(domain, task(finish("task_1"), communicate_info=["1"]), turns(finish("task_1")), "user_stop")
    once = json.dumps(verdict.to_json())
    assert once == json.dumps(verdict.to_json())
    assert json.loads(once)["components"] == {
        "DB": 1.0,
        "ENV_ASSERTION": 1.0,
        "ACTION": 1.0,
        "COMMUNICATE": 0.0,
        "NL_ASSERTION": 1.0,
    }
    assert list(json.loads(once)) == [
        "reward",
        "termination",
        "reward_basis",
        "components",
        "db_match",
        "env_assertions",
        "action_checks",
        "communicate",
        "nl_assertions",
        "agent_digest",
        "user_digest",
        "notes",
    ]


def test_gold_is_played_once_for_each_database_and_task(domain: Domain, tmp_path: Path) -> None:
    wanted = task(finish("task_1"))
    assert goal(domain, wanted) is goal(domain, wanted.model_copy(deep=True))
    assert goal(domain, wanted) is not goal(domain, task(finish("task_2")))
    other = tmp_path / "other"
    other.mkdir()
    assert goal(world(other), wanted) is not goal(domain, wanted)


def test_scoring_leaves_the_base_as_it_was(domain: Domain) -> None:
    score(domain, task(finish("task_1")), turns(finish("task_2")), "user_stop")
    assert domain.environment().databases["agent"].dump() == DB


@pytest.mark.official
def test_a_verdict_takes_two_milliseconds_at_most(official: Path, corpus: Path) -> None:
    results = read(corpus / "tau2" / "gpt-4.1-airline.json")
    domain, tasks = load_domain("airline", official), results.tasks()
    runs = [run for run in results.simulations() if not isinstance(run, Exception)]
    took = []
    for run in runs:
        assert run.turns is not None
        best = []
        for _ in range(3):
            began = time.perf_counter()
            score(domain, tasks[run.task_id], run.turns, run.termination, with_history=True)
            best.append(time.perf_counter() - began)
        took.append(min(best))
    assert statistics.median(took) <= 0.002
