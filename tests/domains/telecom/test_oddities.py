"""What telecom does on purpose: the official oddities, what flows between the sides, and our two deviations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domains import load_domain
from domains.environment import Environment
from domains.task import EnvFunction
from domains.telecom.composing.carrier import Caller, callers


def one_caller(drafted: bool) -> Caller:
    """A caller whose next bill is drafted already, or not."""
    database = load_domain("telecom").environment().databases["agent"].dump()
    has_draft = {bill["customer_id"] for bill in database["bills"] if bill["status"] == "Draft"}
    return next(caller for caller in callers(database) if (caller.customer_id in has_draft) == drafted)


CALLER = one_caller(drafted=True)
LINE = {"customer_id": CALLER.customer_id, "line_id": CALLER.line_id}
LINE_OWNER = {"customer_id": CALLER.customer_id}


@pytest.fixture
def env() -> Environment:
    return calling(CALLER)


def calling(caller: Caller) -> Environment:
    env = load_domain("telecom").environment()
    begin(env, "user", "set_user_info", name=caller.full_name, phone_number=caller.phone_number)
    return env


def begin(env: Environment, side: Any, name: str, /, **arguments: Any) -> None:
    env.run(EnvFunction(env_type=side, func_name=name, arguments=arguments))


def press(env: Environment, name: str, /, **arguments: Any) -> str:
    result = env.call("user", name, arguments)
    assert not result.error, result.content
    return result.content


def phone(env: Environment) -> dict[str, Any]:
    state: dict[str, Any] = env.databases["user"].dump()["device"]
    return state


# The phone


def test_a_vpn_once_broken_is_slow_again_when_reconnected_in_this_environment_only(env: Environment) -> None:
    begin(env, "user", "break_vpn")
    press(env, "disconnect_vpn")
    twin, token = env.fork(), env.checkpoint()
    assert "connected successfully" in press(env, "connect_vpn")
    assert "<PerformanceLevel.POOR: 'poor'>" in press(env, "check_vpn_status")
    env.restore(token)
    press(env, "connect_vpn")
    press(twin, "connect_vpn")
    assert phone(env)["vpn_details"] == phone(twin)["vpn_details"]
    assert phone(env)["vpn_details"]["server_performance"] == "poor"

    fresh = calling(CALLER)
    press(fresh, "connect_vpn")
    assert press(fresh, "check_vpn_status") == (
        "VPN is ON and connected. Details: {'server_address': '192.168.1.1', 'protocol': 'OpenVPN', "
        "'server_performance': <PerformanceLevel.EXCELLENT: 'excellent'>}"
    )


def test_remembering_a_broken_vpn_is_no_part_of_the_state(env: Environment) -> None:
    before, start = env.digest("user"), env.checkpoint()
    begin(env, "user", "break_vpn")
    press(env, "disconnect_vpn")
    assert env.digest("user") == before
    assert env.changes(start) == ()


@pytest.mark.parametrize(("mode", "stored"), [(5, 5), (["4g_only"], ["4g_only"]), (None, None), (True, True)])
def test_a_mode_that_is_no_text_is_stored_before_it_is_refused(env: Environment, mode: Any, stored: Any) -> None:
    result = env.call("user", "set_network_mode_preference", {"mode": mode})
    assert result.error == (mode is not None)
    assert phone(env)["network_mode_preference"] == stored
    assert phone(env)["network_technology_connected"] == "4G"
    assert env.call("user", "check_network_mode_preference", {}).error


def test_a_text_that_is_no_mode_changes_nothing(env: Environment) -> None:
    result = env.call("user", "set_network_mode_preference", {"mode": "6g"})
    assert (result.error, result.changes) == (False, ())
    assert result.content.startswith("Failed to set network mode: '6g' is not a valid option. Please use one of: 4g_5g")


@pytest.mark.parametrize("settings", ["internet", ["internet"], None, 7])
def test_settings_that_are_no_object_are_stored_and_spoil_every_later_search(env: Environment, settings: Any) -> None:
    assert env.call("user", "set_apn_settings", {"apn_settings": settings}).error
    assert phone(env)["active_apn_settings"] == settings
    # The search has connected to 2G before it stumbles.
    assert env.call("user", "set_network_mode_preference", {"mode": "2g_only"}).error
    assert phone(env)["network_technology_connected"] == "2G"
    assert env.call("user", "check_apn_settings", {}).error
    assert env.call("user", "reset_apn_settings", {}).error
    assert "2G" in press(env, "check_status_bar")


def test_settings_are_validated_as_loosely_as_pydantic_does(env: Environment) -> None:
    press(env, "set_apn_settings", apn_settings={"mms_port": "8080", "reset_at_reboot": "yes"})
    assert phone(env)["active_apn_settings"] == {
        "apn_name": "internet",
        "reset_at_reboot": True,
        "mms_apn": "mms",
        "mmsc_url": "http://mms.carrier.com/mms/wapenc",
        "mms_proxy": None,
        "mms_port": 8080,
    }
    for wrong in ({"apn_name": "other"}, {"unknown": 1}, {"mmsc_url": 5}):
        result = env.call("user", "set_apn_settings", {"apn_settings": wrong})
        assert result.error and result.changes == ()


def test_some_refusals_are_answers_not_errors(env: Environment) -> None:
    answer = press(env, "grant_app_permission", app_name="messaging", permission="CAMERA")
    assert answer.startswith(
        "Error. Permission 'camera' not tracked for app 'messaging', "
        "available permissions: ['sms', 'storage', 'phone', 'network']\nStatus Bar: "
    )
    answer = press(env, "grant_app_permission", app_name="maps", permission="sms")
    assert answer.startswith("Error. App 'maps' not found. Cannot grant permission.\nStatus Bar: ")
    assert press(env, "check_app_status", app_name="maps") == "App 'maps' not found on this phone."
    assert press(env, "make_payment") == "You do not have a payment request."
    assert env.call("user", "grant_app_permission", {"app_name": "maps", "permission": None}).error


# Between the sides


def test_a_bill_travels_to_the_phone_and_its_payment_back(env: Environment) -> None:
    begin(
        env,
        "assistant",
        "suspend_line_for_overdue_bill",
        **LINE,
        new_bill_id=CALLER.overdue_bill_id,
        contract_ended=False,
    )
    begin(env, "user", "simulate_network_search")
    asked = env.call("agent", "send_payment_request", {**LINE_OWNER, "bill_id": CALLER.overdue_bill_id})
    assert {change.database for change in asked.changes} == {"agent"}
    assert {change.database for change in asked.synced} == {"user"}
    assert env.call("agent", "send_payment_request", {**LINE_OWNER, "bill_id": "B0"}).content == (
        "Error: A bill is already awaiting payment for this customer"
    )
    paid = env.call("user", "make_payment", {})
    assert {change.database for change in paid.synced} == {"agent", "user"}
    bill = json.loads(env.call("agent", "get_details_by_id", {"id": CALLER.overdue_bill_id}).content)
    assert bill["status"] == "Paid"
    assert press(env, "check_payment_request") == "No payment request has been made."
    env.call("agent", "resume_line", LINE)
    assert "No Signal" in press(env, "check_status_bar")
    assert "Excellent" in press(env, "reboot_device")


def test_without_sync_the_other_side_learns_nothing(env: Environment) -> None:
    result = env.call("agent", "suspend_line", {**LINE, "reason": "asked for"}, sync=False)
    assert result.changes and result.synced == ()
    assert env.databases["user"].dump()["surroundings"]["line_active"] is True
    env.sync()
    assert env.databases["user"].dump()["surroundings"]["line_active"] is False


# The carrier


def test_two_gigabytes_are_not_two_point_nothing_on_the_bill(env: Environment) -> None:
    twin = env.fork()
    assert "added 2 GB" in env.call("agent", "refuel_data", {**LINE, "gb_amount": 2}).content
    assert "added 2.0 GB" in twin.call("agent", "refuel_data", {**LINE, "gb_amount": 2.0}).content
    assert env.digest("agent") != twin.digest("agent")
    assert env.digest("user") == twin.digest("user")


def test_a_suspended_line_can_be_refuelled_by_any_amount(env: Environment) -> None:
    env.call("agent", "suspend_line", {**LINE, "reason": ""})
    assert not env.call("agent", "refuel_data", {**LINE, "gb_amount": 500}).error
    for wrong in ("2", None, [2]):
        result = env.call("agent", "refuel_data", {**LINE, "gb_amount": wrong})
        assert result.error and result.changes == ()


def test_a_new_bill_gets_the_same_id_whenever_the_same_is_done() -> None:
    caller = one_caller(drafted=False)
    line = {"customer_id": caller.customer_id, "line_id": caller.line_id}
    first, again, other = calling(caller), calling(caller), calling(caller)
    for env, amount in ((first, 2.0), (again, 2.0), (other, 1.0)):
        result = env.call("agent", "refuel_data", {**line, "gb_amount": amount})
        (made,) = [change.key for change in result.changes if change.table == "bills"]
        assert len(made) == 9 and made.startswith("B")
        bill = json.loads(env.call("agent", "get_details_by_id", {"id": made}).content)
        assert (bill["status"], bill["issue_date"], bill["due_date"]) == ("Draft", "2025-03-01", "2025-03-15")
        assert bill["total_due"] == amount * caller.price_per_gb
    assert first.digest("agent") == again.digest("agent") != other.digest("agent")


@pytest.mark.parametrize("odd", [None, 5, ["C1"], {"id": "C1"}])
def test_ids_of_any_kind_are_simply_not_found(env: Environment, odd: Any) -> None:
    assert (
        env.call("agent", "get_customer_by_id", {"customer_id": odd}).content
        == f"Error: Customer with ID {odd} not found"
    )
    missing = env.call("agent", "resume_line", {"customer_id": CALLER.customer_id, "line_id": odd})
    assert missing.content == f"Error: Line {odd} not found for customer {CALLER.customer_id}"
    assert env.call("agent", "get_details_by_id", {"id": odd}).error
