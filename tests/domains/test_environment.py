"""Calls never raise, say what they changed, and can be tried, undone and forked."""

from __future__ import annotations

from typing import Any

import pytest

from domains import DataError, UnknownDomain, load_domain
from domains.environment import Environment, content_of
from domains.task import Task
from domains.values import Record


@pytest.fixture
def env() -> Environment:
    return load_domain("airline").environment()


def reservation_of(env: Environment) -> str:
    return next(iter(env.databases["agent"].rows("reservations")))


@pytest.mark.parametrize(
    ("seat", "name", "arguments", "content"),
    [
        ("agent", "no_such_tool", {}, "Error: Tool 'no_such_tool' not found."),
        ("agent", "_user", {"user_id": "x"}, "Error: Tool '_user' not found."),
        ("user", "get_user_details", {"user_id": "x"}, "Error: User tools not available"),
        ("agent", "get_user_details", {}, "Error: get_user_details(user_id): missing user_id"),
        ("agent", "get_user_details", {"user_id": "x", "zip": 1}, "Error: get_user_details(user_id): unexpected zip"),
        ("agent", "get_user_details", ["x"], "Error: get_user_details: the arguments must be an object, not list"),
        ("nobody", "get_user_details", {}, "Error: There is no seat 'nobody'; the seats are user and agent"),
    ],
)
def test_what_a_caller_can_cause_is_an_error_and_not_an_exception(
    env: Environment, seat: Any, name: str, arguments: Any, content: str
) -> None:
    result = env.call(seat, name, arguments)
    assert (result.content, result.error, result.changes) == (content, True, ())


def test_assistant_is_another_name_for_the_agent(env: Environment) -> None:
    assert not env.call("assistant", "list_all_airports", {}).error
    assert env.digest("assistant") == env.digest("agent")
    assert env.digest("user") is None


def test_a_write_says_what_it_changed_and_a_preview_changes_nothing(env: Environment) -> None:
    arguments = {"reservation_id": reservation_of(env)}
    before = env.digest("agent")
    preview = env.preview("agent", "cancel_reservation", arguments)
    assert env.digest("agent") == before
    result = env.call("agent", "cancel_reservation", arguments)
    assert result == preview
    assert {change.path[0] for change in result.changes} == {"status", "payment_history"}
    assert env.changes() == result.changes
    assert env.digest("agent") != before


def test_a_checkpoint_brings_back_any_state(env: Environment) -> None:
    before, start = env.digest("agent"), env.checkpoint()
    env.call("agent", "cancel_reservation", {"reservation_id": reservation_of(env)})
    after, end = env.digest("agent"), env.checkpoint()
    env.restore(start)
    assert (env.digest("agent"), env.changes()) == (before, ())
    env.restore(end)
    assert env.digest("agent") == after


def test_a_fork_goes_its_own_way(env: Environment) -> None:
    twin = env.fork()
    twin.call("agent", "cancel_reservation", {"reservation_id": reservation_of(env)})
    assert not twin.equals(env)
    assert env.changes() == ()


def test_arguments_stay_the_callers_own(env: Environment) -> None:
    booking = reservation_of(env)
    people = [{"first_name": "A", "last_name": "B", "dob": "1990-01-01"}]
    current = env.databases["agent"].get("reservations", booking)
    assert current is not None
    people *= len(current["passengers"])
    env.call("agent", "update_reservation_passengers", {"reservation_id": booking, "passengers": people})
    people[0]["first_name"] = "changed afterwards"
    stored = env.databases["agent"].get("reservations", booking)
    assert stored is not None
    assert stored["passengers"][0]["first_name"] == "A"


def test_what_a_model_is_shown() -> None:
    assert content_of("as it is") == "as it is"
    assert content_of(None) == "null"
    assert content_of([1, 2.5, True, None, "x"]) == '["1", "2.5", "True", null, "x"]'
    assert content_of({"a": 1, "b": Record(n=1)}) == '{"a": "1", "b": {"n": 1}}'


@pytest.mark.parametrize(
    "expression", ["9**9**9**9", "9" * 1_000_000, "(" * 900 + ")" * 900, "-" * 900 + "1", "2**-1" * 99]
)
def test_the_calculator_cannot_be_made_to_hang(env: Environment, expression: str) -> None:
    assert env.call("agent", "calculate", {"expression": expression}).content


@pytest.mark.parametrize(
    ("expression", "value"),
    [("2 + 2", "4.0"), ("1/3", "0.33"), ("2**10", "1024.0"), ("7//2", "3.0"), ("-(2+3)", "-5.0"), ("2**-1", "0.5")],
)
def test_the_calculator_answers_as_the_official_one(env: Environment, expression: str, value: str) -> None:
    assert env.call("agent", "calculate", {"expression": expression}).content == value


def test_an_initial_state_that_does_not_apply_names_what_is_wrong() -> None:
    domain = load_domain("airline")
    task = Task.model_validate(
        {
            "id": "x",
            "user_scenario": {"instructions": "…"},
            "initial_state": {
                "initialization_actions": [{"env_type": "assistant", "func_name": "fly", "arguments": {}}]
            },
        }
    )
    with pytest.raises(DataError, match="airline has no assistant function 'fly'"):
        domain.environment(task)


def test_an_unknown_domain_names_those_there_are() -> None:
    with pytest.raises(UnknownDomain, match="airline"):
        load_domain("airlin")


def test_every_tool_describes_itself_for_a_model_and_a_form() -> None:
    for tool in load_domain("airline").environment().tools("agent"):
        schema = tool.parameters
        assert tool.description
        assert schema["type"] == "object"
        assert set(schema.get("required", [])) == tool.required
        assert all("description" in field for field in schema["properties"].values()), tool.name
