"""A mobile carrier with dual control: the agent works on lines and bills, the customer on the phone in hand."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from domains.environment import Definition
from domains.files import read_text
from domains.telecom.device_conditions import DeviceToolkit
from domains.telecom.device_models import TelecomUserDB
from domains.telecom.models import TelecomDB
from domains.telecom.sync import sync
from domains.telecom.tools import NOW, TelecomTools

if TYPE_CHECKING:
    from pathlib import Path


def policy_of(document: Literal["manual", "workflow"], folder: Path, solo: bool) -> str:
    """Compose the main policy with one of the two ways to write technical support down."""
    main = read_text(folder, "main_policy_solo.md" if solo else "main_policy.md")
    # There is no solo manual: it tells what is wrong, not who presses the button.
    variant = "_solo" if solo and document == "workflow" else ""
    support = read_text(folder, f"tech_support_{document}{variant}.md")
    return f"<main_policy>\n{main}\n</main_policy>\n<tech_support_policy>\n{support}\n</tech_support_policy>"


def _definition(name: str, document: Literal["manual", "workflow"]) -> Definition:
    return Definition(
        name=name,
        now=NOW,
        toolkits={"agent": TelecomTools, "user": DeviceToolkit},
        databases={"agent": ("db", TelecomDB), "user": ("user_db", TelecomUserDB)},
        policy=partial(policy_of, document),
        sync=sync,
        knowledge="domains.telecom.knowledge:knowledge",
        oddities={
            "refuel_data": "a suspended line can be refuelled, and 2 GB is not 2.0 GB on the bill",
            "send_payment_request": "a paid bill is not refused",
            "check_vpn_status": "the details are a Python dict with an enum's repr",
            "connect_vpn": "a VPN once broken is slow again after reconnecting",
            "set_network_mode_preference": "what is not a text is stored before it is refused",
            "set_apn_settings": "what is not an object is stored before it is refused",
            "grant_app_permission": "an unknown app or permission is answered, not raised",
        },
    )


manual = _definition("telecom", "manual")
workflow = _definition("telecom-workflow", "workflow")
