"""What flows between carrier and phone after every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from domains.schema import record
from domains.telecom.device_models import PaymentRequest

if TYPE_CHECKING:
    from domains.environment import Environment
    from domains.telecom.device_conditions import DeviceToolkit
    from domains.telecom.tools import TelecomTools


def sync(env: Environment) -> None:
    """Tell the phone of its line and of a bill to pay, and the carrier of a payment. Raises ValueError.

    The phone does not look for a network by itself: a resumed line shows after the next search.
    """
    carrier, device = cast("TelecomTools", env.kits["agent"]), cast("DeviceToolkit", env.kits["user"])
    number = device.around["phone_number"]
    if number is None:
        return
    line = carrier.line_by_phone(number)
    _note(device, "line_active", line["status"] == "Active")
    _note(device, "roaming_allowed", bool(line["roaming_enabled"]))
    limit = carrier.plan(line["plan_id"])["data_limit_gb"] + line["data_refueling_gb"]
    _note(device, "mobile_data_usage_exceeded", line["data_used_gb"] >= limit)

    asked = device.around["payment_request"]
    if asked is not None and asked["paid"]:
        carrier.set_bill_paid(asked["bill_id"])
        _note(device, "payment_request", None)
        asked = None
    if asked is None and (bill := carrier.bill_awaiting_payment(number)) is not None:
        request = PaymentRequest(bill_id=bill["bill_id"], amount_due=bill["total_due"])
        _note(device, "payment_request", record(request))


def _note(device: DeviceToolkit, field: str, value: object) -> None:
    if device.around[field] != value:
        device.db.edit("surroundings")[field] = value
