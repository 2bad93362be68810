"""What the check knows of the carrier and of the phone."""

from __future__ import annotations

import re
from collections.abc import Callable

from domains.environment import Environment
from domains.knowledge import GoldCall, Kind, Knowledge, Person, held
from domains.telecom.device import BROKEN_VPN


def _holding(field: str) -> Callable[[Environment, str], str | None]:
    """Return a function that finds the customer whose list of ids holds one."""

    def owner(env: Environment, key: str) -> str | None:
        customers = env.databases["agent"].rows("customers")
        return next((found for found, customer in customers.items() if key in customer[field]), None)

    return owner


def _line_of(env: Environment, number: str) -> str | None:
    lines = env.databases["agent"].rows("lines")
    return next((line_id for line_id, line in lines.items() if line["phone_number"] == number), None)


def _owner_of_number(env: Environment, number: str) -> str | None:
    for customer_id, customer in env.databases["agent"].rows("customers").items():
        if customer["phone_number"] == number:
            return customer_id
    line_id = _line_of(env, number)
    return None if line_id is None else _holding("line_ids")(env, line_id)


def _person(env: Environment, customer_id: str) -> Person | None:
    found = held(env, "customers", customer_id)
    if found is None:
        return None
    return Person(customer_id, found["full_name"], found["address"]["zip_code"], found["date_of_birth"])


def _kind(
    name: str,
    table: str,
    initial: str,
    owner: Callable[[Environment, str], str | None] = lambda env, value: None,
    *more: str,
) -> Kind:
    return Kind(
        name,
        frozenset({f"{name}_id", *more}),
        lambda env, value: held(env, table, value),
        owner,
        re.compile(rf"\b{initial}\d{{4,}}\b"),
    )


KINDS = (
    _kind("customer", "customers", "C", lambda env, value: value),
    _kind("line", "lines", "L", _holding("line_ids")),
    _kind("bill", "bills", "B", _holding("bill_ids"), "overdue_bill_id"),
    _kind("plan", "plans", "P"),
    _kind("device", "devices", "D"),
    Kind(
        "phone number",
        frozenset({"phone_number"}),
        _owner_of_number,
        _owner_of_number,
        re.compile(r"(?<![\d-])\d{3}-\d{3}-\d{4}(?![\d-])"),
    ),
)


def _oddity(call: GoldCall) -> str | None:
    phone = call.env.databases["user"]
    match call.name:
        case "refuel_data":
            line = held(call.env, "lines", str(call.arguments.get("line_id")))
            if line is not None and line["status"] == "Suspended" and not call.result.error:
                return "a suspended line is refuelled"
            if type(call.arguments.get("gb_amount")) is int:
                return "the bill's text says the amount as it was given: a call with 2.0 makes another bill than with 2"
        case "send_payment_request":
            bill = held(call.env, "bills", str(call.arguments.get("bill_id")))
            if bill is not None and bill["status"] == "Paid" and not call.result.error:
                return "payment of a paid bill is asked for"
        case "check_vpn_status" if "PerformanceLevel" in call.result.content:
            return "the details are a Python dict with an enum's repr"
        case "connect_vpn" if phone.remembers(BROKEN_VPN):
            return "a VPN that was broken is slow again"
        case "set_network_mode_preference" if not isinstance(call.arguments.get("mode"), str):
            return "a mode that is not a text is stored"
        case "set_apn_settings" if not isinstance(call.arguments.get("apn_settings"), dict):
            return "settings that are not an object are stored"
        case "grant_app_permission" if call.result.content.startswith("Error. "):
            return "the refusal is an answer, not an error"
    return None


knowledge = Knowledge(KINDS, _person, _oddity)
