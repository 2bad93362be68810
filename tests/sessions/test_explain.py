"""Why a reward is what it is: fields, the calls that made them, faults, where it went wrong, writes unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains import load_domain
from domains.catalog import Domain
from domains.task import Task
from domains.values import ABSENT
from sessions.communicate import find
from sessions.deviation import names
from sessions.explain import Explanation, explain
from sessions.interop.tau2 import read
from sessions.reward import score
from tests.sessions.small_world import call, finish, task, turns, world


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return world(tmp_path)


def explained(domain: Domain, wanted: Task, *acts: Any, end: str = "user_stop") -> Explanation:
    return explain(score(domain, wanted, turns(*acts), end))


def status(task_id: str, value: str) -> Any:
    return call("update_task_status", task_id=task_id, status=value)


def seen(found: Explanation) -> list[tuple[Any, ...]]:
    return [(d.kind, d.change.key, d.change.path, d.change.before, d.change.after) for d in found.differences]


def faults(found: Explanation) -> list[tuple[Any, ...]]:
    return [(f.type, f.write and f.write.turn, f.gold and f.gold.id) for f in found.faults]


# Which fields differ


def test_a_field_only_the_goal_moved_is_missing_with_the_gold_write_nobody_made(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")))
    assert seen(found) == [("missing", "task_1", ("status",), "completed", "pending")]
    (difference,) = found.differences
    assert difference.made_by is None
    assert difference.wanted_by is not None
    assert difference.wanted_by.gold.arguments == {"task_id": "task_1", "status": "completed"}
    assert difference.wanted_by.made is None


def test_a_field_only_the_session_moved_is_unexpected_with_its_call(domain: Domain) -> None:
    found = explained(domain, task(), "user: hi", finish("task_2"))
    assert seen(found) == [("unexpected", "task_2", ("status",), "pending", "completed")]
    (difference,) = found.differences
    assert difference.made_by is not None
    assert (difference.made_by.turn, difference.made_by.name) == (1, "update_task_status")
    assert difference.wanted_by is None


def test_a_field_both_moved_is_different_with_both_calls(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), status("task_1", "later"), status("task_1", "never"))
    assert seen(found) == [("different", "task_1", ("status",), "completed", "never")]
    (difference,) = found.differences
    assert difference.start == "pending"
    assert difference.made_by is not None
    assert difference.wanted_by is not None
    assert (difference.made_by.turn, difference.wanted_by.gold.id) == (1, "a0")


def test_a_record_that_is_not_there_is_one_difference(domain: Domain) -> None:
    found = explained(domain, task(call("create_task", user_id="user_1", title="Dust")))
    kinds = {(kind, key, path, after) for kind, key, path, _, after in seen(found)}
    assert kinds == {("missing", "task_3", (), ABSENT), ("missing", "user_1", ("tasks", 2), ABSENT)}


def test_nothing_is_compared_where_the_task_compares_nothing(domain: Domain) -> None:
    assert explained(domain, task(actions=None), finish("task_1")).differences == ()


# What was wrong with the writes


def test_everything_done_is_no_fault_in_any_order(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1"), finish("task_2")), finish("task_2"), finish("task_1"))
    assert (faults(found), found.decisive, found.missing) == ([], None, ())
    assert [g.made and g.made.turn for g in found.gold] == [1, 0]


def test_a_strict_subset_is_partially_completed(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1"), finish("task_2")), finish("task_2"))
    assert faults(found) == [("partially_completed", None, "a0")]
    assert found.decisive is None


def test_gold_plus_more_is_an_unintended_action(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), finish("task_1"), finish("task_2"))
    assert faults(found) == [("unintended_action", 1, None)]


def test_the_same_name_with_other_arguments_is_a_wrong_argument_given_against_gold(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), finish("task_2"))
    assert faults(found) == [("wrong_argument", 0, "a0")]
    (argument,) = found.faults[0].arguments
    assert (argument.name, argument.given, argument.gold) == ("task_id", "task_2", "task_1")


def test_a_wrong_argument_is_told_beside_the_gold_write_it_comes_closest_to(domain: Domain) -> None:
    new = call("create_task", user_id="user_1", title="Dust", description="all")
    other = call("create_task", user_id="user_1", title="Polish", description="silver")
    found = explained(domain, task(new, other), call("create_task", user_id="user_1", title="Polish"))
    assert faults(found) == [("wrong_argument", 0, "a1")]
    assert [a.name for a in found.faults[0].arguments] == ["description"]
    assert found.faults[0].arguments[0].given is ABSENT


def test_a_name_gold_does_not_hold_is_a_wrong_tool(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), call("create_task", user_id="user_1", title="Sweep"))
    assert faults(found) == [("wrong_tool", 0, None)]
    assert [g.gold.id for g in found.missing] == ["a0"]


def test_a_right_state_without_a_required_string_is_output_missing(domain: Domain) -> None:
    wanted = task(finish("task_1"), communicate_info=["7", "8"])
    found = explained(domain, wanted, finish("task_1"), "agent: That makes 8.")
    assert [(f.type, f.text) for f in found.faults] == [("output_missing", "7")]


def test_a_call_of_the_same_effect_fulfils_a_gold_write(domain: Domain) -> None:
    wanted = task(call("create_task", user_id="user_1", title="Dust"), finish("task_1"))
    found = explained(domain, wanted, call("create_task", user_id="user_1", title="Dust", description=None))
    assert faults(found) == [("partially_completed", None, "a1")]


def test_reads_and_refused_calls_are_no_writes(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), call("get_users"), finish("task_9"))
    assert (found.writes, [call.turn for call in found.failed]) == ((), [1])
    assert faults(found) == [("partially_completed", None, "a0")]


# Where it went wrong for good


def test_the_decisive_write_is_the_first_one_the_goal_cannot_be_reached_from(domain: Domain) -> None:
    wanted = task(finish("task_1"), call("create_task", user_id="user_1", title="Dust"))
    found = explained(
        domain, wanted, finish("task_1"), call("create_task", user_id="user_1", title="Rust"), finish("task_2")
    )
    assert found.decisive is not None
    assert found.decisive.turn == 1


def test_a_write_that_gold_overwrites_later_is_not_decisive(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), status("task_1", "later"), finish("task_2"))
    assert found.decisive is not None
    assert found.decisive.turn == 1


def test_a_detour_that_was_taken_back_is_not_decisive(domain: Domain) -> None:
    wanted = task(finish("task_1"))
    found = explained(domain, wanted, finish("task_2"), status("task_2", "pending"), finish("task_2"))
    assert found.decisive is not None
    assert found.decisive.turn == 2


def test_another_order_is_decisive_only_where_the_order_matters(domain: Domain) -> None:
    first, second = (call("create_task", user_id="user_1", title=title) for title in ("Dust", "Polish"))
    harmless = explained(domain, task(first, finish("task_1")), finish("task_1"))
    assert harmless.decisive is None
    swapped = explained(domain, task(first, second), second)  # new ids are counted
    assert swapped.decisive is not None
    assert swapped.decisive.turn == 0


def test_in_a_right_state_nothing_is_decisive(domain: Domain) -> None:
    found = explained(domain, task(finish("task_1")), finish("task_2"), status("task_2", "pending"), finish("task_1"))
    assert found.decisive is None


# Writes without a yes


def test_a_write_named_and_answered_is_confirmed(domain: Domain) -> None:
    acts = ("agent: Shall I mark task_1 as completed?", "user: yes", finish("task_1"))
    assert explained(domain, task(), *acts).unconfirmed == ()


def test_a_write_the_agent_never_spoke_of_is_unconfirmed(domain: Domain) -> None:
    found = explained(domain, task(), "agent: Hi!", "user: task_1 is on my mind", finish("task_1"))
    assert [(u.write.turn, u.reason) for u in found.unconfirmed] == [(2, "never_named")]


def test_a_write_in_the_breath_that_names_it_is_unconfirmed(domain: Domain) -> None:
    found = explained(domain, task(), "user: hi", "agent: I mark task_1 now.", finish("task_1"))
    assert [(u.write.turn, u.reason) for u in found.unconfirmed] == [(2, "same_turn")]


def test_the_users_own_writes_need_no_yes(domain: Domain) -> None:
    assert explained(domain, task(), call("dismiss_notification", "user", notification_id="n1")).unconfirmed == ()


@pytest.mark.parametrize(
    ("text", "value", "named"),
    [
        ("in Basic Economy", "basic_economy", True),
        ("on May 20th", "2024-05-20", True),
        ("on the 3rd of June: 3 June", "2024-06-03", True),
        ("on May 2", "2024-05-20", False),
        ("that is $1,628", 1628, True),
        ("that is 16280", 1628, False),
        ("order W123", "#W123", True),
        ("reservation xyz12", "XYZ1", False),
    ],
)
def test_a_value_is_named_in_any_usual_spelling(text: str, value: Any, named: bool) -> None:
    assert names(text, value) == named


# Required strings


def test_a_required_string_comes_with_its_sentence_and_turn(domain: Domain) -> None:
    wanted = task(communicate_info=["1628", "42"])
    found = explained(domain, wanted, "user: how much?", "agent: Let me see. The total is $1,628, fees included. OK?")
    said = found.required[0].said
    assert said is not None
    assert (said.turn, said.sentence, said.inside) == (1, "The total is $1,628, fees included.", "")
    assert found.required[1].said is None


@pytest.mark.parametrize(
    ("required", "text", "inside"),
    [
        ("10", "It is 100.", "100"),
        ("10", "It is 100, no, 10.", ""),
        ("10", "It is 10.50.", "10.50"),
        ("327", "It is $327.00.", ""),
        ("481.5", "It is 481.50", ""),
        ("5", "Version 2.5.", "2.5"),
        ("on", "Gone.", "gone"),
        ("basic economy", "in basic economy.", ""),
        ("-5", "It is -50", "-50"),
        ("", "anything", ""),
    ],
)
def test_a_match_inside_something_longer_is_shown(required: str, text: str, inside: str) -> None:
    said = find(required, [(0, text)])
    assert said is not None
    assert said.inside == inside


@given(st.text(), st.text(min_size=1, max_size=4))
def test_finding_follows_the_rule_and_quotes_the_text(text: str, required: str) -> None:
    said = find(required, [(0, text)])
    assert (said is not None) == (required.lower() in text.lower().replace(",", ""))
    if said is not None:
        assert said.sentence in text


# The rest of the evidence


def test_each_component_says_whether_it_counted(domain: Domain) -> None:
    found = explained(domain, task(basis=("DB", "ACTION")))
    assert found.counted == ("DB", "ACTION")
    assert found.diagnostic == ("ENV_ASSERTION", "COMMUNICATE", "NL_ASSERTION")


def test_gold_actions_and_assertions_come_with_their_verdicts(domain: Domain) -> None:
    wanted = task(
        finish("task_1"),
        finish("task_2"),
        env_assertions=[
            {
                "env_type": "assistant",
                "func_name": "assert_task_status",
                "arguments": {"task_id": "task_1", "expected_status": "completed"},
            }
        ],
        nl_assertions=["polite"],
    )
    found = explained(domain, wanted, finish("task_1"))
    assert [a.made and a.made.call.turn for a in found.actions] == [0, None]
    assert [a.met for a in found.assertions] == [True]
    assert [(j.text, j.met) for j in found.judgements] == [("polite", None)]


WRITES = st.lists(
    st.one_of(
        st.builds(status, st.sampled_from(["task_1", "task_2", "task_9"]), st.sampled_from(["completed", "pending"])),
        st.builds(lambda title: call("create_task", user_id="user_1", title=title), st.sampled_from(["Dust", "Rust"])),
        st.just(call("dismiss_notification", "user", notification_id="n1")),
    ),
    max_size=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=WRITES, gold=WRITES)
def test_an_explanation_agrees_with_its_verdict(domain: Domain, made: list[Any], gold: list[Any]) -> None:
    found = explained(domain, task(*gold), *made)
    equal = found.verdict.db_match
    assert (found.verdict.reward == 1) == bool(equal) == (not found.differences)
    assert all(d.made_by is not None or d.wanted_by is not None for d in found.differences)
    if equal:
        assert (found.faults, found.decisive) == ((), None)
    if found.decisive is None and not equal:
        assert found.missing
    fulfilled = [g.made.turn for g in found.gold if g.made is not None]
    assert len(fulfilled) == len(set(fulfilled))


@pytest.mark.official
def test_real_failures_of_the_airline_are_explained(official: Path, corpus: Path) -> None:
    results = read(corpus / "tau2" / "gpt-4.1-airline.json")
    domain, tasks = load_domain("airline", official), results.tasks()
    found = {}
    for run in results.simulations():
        assert not isinstance(run, Exception)
        assert run.turns is not None
        verdict = score(domain, tasks[run.task_id], run.turns, run.termination, with_history=True)
        found[run.task_id] = explain(verdict)
        assert bool(found[run.task_id].differences) != verdict.db_match
        assert all(d.made_by is not None or d.wanted_by is not None for d in found[run.task_id].differences)

    amount = found["2"].faults[0].arguments[0]
    assert (found["2"].faults[0].type, amount.name, amount.given, amount.gold) == ("wrong_argument", "amount", 100, 50)
    assert found["2"].differences[0].made_by == found["2"].decisive

    assert [(f.type, f.write and f.write.name) for f in found["26"].faults] == [
        ("unintended_action", "cancel_reservation")
    ]
    assert {d.kind for d in found["26"].differences} == {"unexpected"}

    assert {f.type for f in found["32"].faults} == {"partially_completed"}
    assert found["32"].decisive is None
    assert {d.kind for d in found["32"].differences} == {"missing"}

    bags = found["29"].unconfirmed
    assert [(u.write.name, u.reason) for u in bags] == [("update_reservation_baggages", "never_named")]
