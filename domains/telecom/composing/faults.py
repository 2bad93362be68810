"""The atomic faults: how each begins, the steps that remove it, and what else has to hold afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from domains.telecom.composing.carrier import Caller

Call = dict[str, Any]
Persona = Literal["None", "Easy", "Hard"]


@dataclass(frozen=True, slots=True)
class Scene:
    """One caller on one day: what the faults and the words of a task are filled in from."""

    caller: Caller
    refuel_gb: float
    """What the customer would take if the allowance is used up."""
    country: str
    """Where the customer is, should the customer be abroad."""

    @property
    def line(self) -> dict[str, str]:
        return {"customer_id": self.caller.customer_id, "line_id": self.caller.line_id}


Calls = Callable[[Scene], list[Call]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong. `cure` is None where only a human colleague could help."""

    name: str
    summary: str
    begin: Calls
    cure: Calls | None
    ensure: Calls = lambda _: []
    abroad: bool = False


def on_phone(func_name: str, /, **arguments: Any) -> Call:
    return {"env_type": "user", "func_name": func_name, "arguments": arguments}


def at_carrier(func_name: str, /, **arguments: Any) -> Call:
    return {"env_type": "assistant", "func_name": func_name, "arguments": arguments}


def by_user(name: str, /, **arguments: Any) -> Call:
    return {"requestor": "user", "name": name, "arguments": arguments}


def by_agent(name: str, /, **arguments: Any) -> Call:
    return {"requestor": "assistant", "name": name, "arguments": arguments}


def _always(*calls: Call) -> Calls:
    return lambda _: [dict(call) for call in calls]


RENEW_APN = _always(by_user("reset_apn_settings"), by_user("reboot_device"))

# Service

airplane_mode_on = Fault(
    "airplane_mode_on",
    "airplane mode is on",
    _always(on_phone("turn_airplane_mode_on")),
    _always(by_user("toggle_airplane_mode")),
)
sim_card_loose = Fault(
    "sim_card_loose",
    "the SIM card is not seated",
    _always(on_phone("unseat_sim_card")),
    _always(by_user("reseat_sim_card")),
)
sim_card_locked = Fault(
    "sim_card_locked",
    "the SIM card is locked by its PIN",
    _always(on_phone("lock_sim_card", mode="pin")),
    None,
)
apn_name_wrong = Fault(
    "apn_name_wrong",
    "the access point has a wrong name",
    _always(on_phone("break_apn_settings")),
    RENEW_APN,
)


def _suspend(contract_ended: bool) -> Calls:
    return lambda scene: [
        at_carrier(
            "suspend_line_for_overdue_bill",
            **scene.line,
            new_bill_id=scene.caller.overdue_bill_id,
            contract_ended=contract_ended,
        ),
        on_phone("simulate_network_search"),
    ]


bill_overdue = Fault(
    "bill_overdue",
    "the line is suspended for an overdue bill",
    _suspend(contract_ended=False),
    lambda scene: [
        by_agent("send_payment_request", customer_id=scene.caller.customer_id, bill_id=scene.caller.overdue_bill_id),
        by_user("make_payment"),
        by_agent("resume_line", **scene.line),
        by_user("reboot_device"),
    ],
    lambda scene: [at_carrier("assert_no_overdue_bill", overdue_bill_id=scene.caller.overdue_bill_id)],
)
contract_over = Fault(
    "contract_over",
    "the line is suspended, and its contract has ended",
    _suspend(contract_ended=True),
    None,
    lambda scene: [at_carrier("assert_line_status", **scene.line, expected_status="Suspended")],
)

# Mobile data


def _abroad(phone: bool, line: bool) -> Calls:
    return lambda scene: [
        on_phone("set_user_location", abroad=True),
        on_phone("turn_roaming_on" if phone else "turn_roaming_off"),
        at_carrier("enable_roaming" if line else "disable_roaming", **scene.line),
    ]


roaming_off_on_phone = Fault(
    "roaming_off_on_phone",
    "abroad, and the phone does not roam",
    _abroad(phone=False, line=True),
    _always(by_user("toggle_roaming")),
    abroad=True,
)
roaming_off_on_line = Fault(
    "roaming_off_on_line",
    "abroad, and the line does not roam",
    _abroad(phone=True, line=False),
    lambda scene: [by_agent("enable_roaming", **scene.line)],
    abroad=True,
)
roaming_off_on_both = Fault(
    "roaming_off_on_both",
    "abroad, and neither phone nor line roams",
    _abroad(phone=False, line=False),
    lambda scene: [by_agent("enable_roaming", **scene.line), by_user("toggle_roaming")],
    abroad=True,
)
mobile_data_off = Fault(
    "mobile_data_off",
    "mobile data is off",
    _always(on_phone("turn_data_off")),
    _always(by_user("toggle_data")),
)
allowance_used_up = Fault(
    "allowance_used_up",
    "the data allowance is used up",
    lambda scene: [
        at_carrier(
            "set_data_usage",
            **scene.line,
            data_used_gb=round(scene.caller.allowance_gb + scene.refuel_gb * 0.6, 1),
        )
    ],
    lambda scene: [by_agent("refuel_data", **scene.line, gb_amount=scene.refuel_gb)],
    lambda scene: [at_carrier("assert_data_refueling_amount", **scene.line, expected_amount=scene.refuel_gb)],
)
data_saver_on = Fault(
    "data_saver_on",
    "Data Saver is on",
    _always(on_phone("turn_data_saver_mode_on")),
    _always(by_user("toggle_data_saver_mode")),
)
old_network_only = Fault(
    "old_network_only",
    "the phone keeps to 2G",
    _always(on_phone("set_network_mode_preference", mode="2g_only")),
    _always(by_user("set_network_mode_preference", mode="4g_5g_preferred")),
)
slow_vpn = Fault(
    "slow_vpn",
    "a slow VPN is connected",
    _always(on_phone("break_vpn")),
    _always(by_user("disconnect_vpn")),
)

# Picture messages

wifi_calling_on = Fault(
    "wifi_calling_on",
    "Wi-Fi calling takes the picture messages",
    _always(on_phone("set_wifi_calling", enabled=True, mms_over_wifi=True)),
    _always(by_user("toggle_wifi_calling")),
)
picture_address_missing = Fault(
    "picture_address_missing",
    "the address for picture messages is missing",
    _always(on_phone("break_apn_mms_setting")),
    RENEW_APN,
)


def _permissions(name: str, summary: str, *missing: str) -> Fault:
    app = "messaging"
    return Fault(
        name,
        summary,
        _always(*(on_phone("remove_app_permission", app_name=app, permission=p) for p in missing)),
        _always(*(by_user("grant_app_permission", app_name=app, permission=p) for p in missing)),
    )


sms_permission_missing = _permissions("sms_permission_missing", "the messaging app may not use SMS", "sms")
storage_permission_missing = _permissions(
    "storage_permission_missing", "the messaging app may not use storage", "storage"
)
both_permissions_missing = _permissions(
    "both_permissions_missing", "the messaging app may use neither SMS nor storage", "sms", "storage"
)

ROAMING = (roaming_off_on_phone, roaming_off_on_line, roaming_off_on_both)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a customer calls about: exclusive groups of faults in the order of the workflow, and what solved means.

    A task has at most one fault of each group, and at least one of `own`; the others stand in its way.
    """

    name: str
    before: tuple[tuple[Fault, ...], ...]
    own: tuple[tuple[Fault, ...], ...]
    solved: Call
    unsolved: Call


INTENTS = (
    Intent(
        "service_issue",
        (),
        ((airplane_mode_on,), (sim_card_loose,), (sim_card_locked,), (apn_name_wrong,), (bill_overdue, contract_over)),
        on_phone("assert_service_status", expected_status="connected"),
        on_phone("assert_service_status", expected_status="no_service"),
    ),
    Intent(
        "mobile_data_issue",
        ((airplane_mode_on,),),
        (ROAMING, (mobile_data_off,), (allowance_used_up,), (data_saver_on,), (old_network_only,), (slow_vpn,)),
        on_phone("assert_internet_speed", expected_speed=200, expected_desc="excellent"),
        on_phone("assert_internet_not_excellent"),
    ),
    Intent(
        "mms_issue",
        ((airplane_mode_on,), (sim_card_loose,), ROAMING, (mobile_data_off,), (allowance_used_up,)),
        (
            (old_network_only,),
            (wifi_calling_on,),
            (sms_permission_missing, storage_permission_missing, both_permissions_missing),
            (picture_address_missing,),
        ),
        on_phone("assert_can_send_mms", expected_status=True),
        on_phone("assert_can_send_mms", expected_status=False),
    ),
)
