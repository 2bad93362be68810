"""What a customer is asked to do on their own side, in plain words, and how it is done for those who ask back."""

from __future__ import annotations

import re
from collections.abc import Mapping

from domains.values import JSON

_ASK: Mapping[str, tuple[str, str]] = {
    "toggle_airplane_mode": (
        "turn airplane mode off",
        "Open the quick settings, there is an airplane. Nothing is lost by it",
    ),
    "toggle_data": ("turn mobile data on", "Open the settings, go to Mobile network and find Mobile data"),
    "toggle_roaming": (
        "turn data roaming on",
        "Open the settings, go to Mobile network and find Data roaming",
    ),
    "toggle_data_saver_mode": (
        "turn Data Saver off",
        "Open the settings, go to Data usage and find Data Saver",
    ),
    "toggle_wifi": ("switch Wi-Fi", "Open the quick settings, there is the Wi-Fi sign"),
    "toggle_wifi_calling": (
        "turn Wi-Fi calling off",
        "Open the settings, go to Calls and find Wi-Fi calling",
    ),
    "reseat_sim_card": (
        "take the SIM card out and put it back in",
        "Open the little tray with the pin, lift the card, lay it back and close the tray. Your data is not on it",
    ),
    "reset_apn_settings": (
        "reset the APN settings",
        "Open the settings, go to Mobile network, Access point names, and choose Reset. It only concerns the "
        "connection",
    ),
    "reboot_device": (
        "restart the phone",
        "Hold the power button and choose Restart. Your photos and messages stay where they are",
    ),
    "connect_vpn": ("connect the VPN", "Open the settings, go to VPN, and tap Connect"),
    "disconnect_vpn": ("disconnect the VPN", "Open the settings, go to VPN, and tap Disconnect"),
    "make_payment": (
        "pay the bill by the payment request on your phone",
        "Open the payment request that has come in, and tap Pay",
    ),
}


_NAMES = {
    "toggle_airplane_mode": "airplane mode",
    "toggle_data": "mobile data",
    "toggle_roaming": "data roaming",
    "toggle_data_saver_mode": "Data Saver",
    "toggle_wifi": "Wi-Fi",
    "toggle_wifi_calling": "Wi-Fi calling",
}


def ask_for(name: str, arguments: Mapping[str, JSON], becomes: str = "") -> str:
    """Return what the customer is asked to do, as the end of `Please ...`; `becomes` is what a switch will say."""
    state = re.search(r"\bis now (ON|OFF)\b", becomes)
    if name in _NAMES and state is not None:
        return f"turn {_NAMES[name]} {state[1].lower()}"
    match name, arguments:
        case "check_notifications", _:
            return "look at your notifications"
        case "dismiss_notification", {"notification_id": notification}:
            return f"dismiss the notification {notification}"
        case "set_network_mode_preference", {"mode": mode}:
            return f"set the preferred network mode to {mode}"
        case "grant_app_permission", {"app_name": app, "permission": permission}:
            return f"give the {app} app the {permission} permission"
        case "set_apn_settings", {"apn_settings": settings}:
            return f"set the APN settings to {settings}"
        case _ if name in _ASK:
            return _ASK[name][0]
        case _:
            said = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in arguments.items())
            return f"use {name.replace('_', ' ')}" + (f" ({said})" if said else "")


def explain(name: str, what: str) -> str:
    """Return how the step is done; a switch that stands as it should is left alone."""
    if name in _NAMES:
        return f"{_ASK[name][1]}. {unless_done(name, what)}".strip()
    if name == "set_network_mode_preference":
        return "Open the settings, go to Mobile network, Preferred network type, and choose it there."
    if name == "grant_app_permission":
        return "Open the settings, go to Apps, choose the app, then Permissions, and allow it there."
    return _ASK[name][1] + "." if name in _ASK else "You find it in the settings of your phone. Nothing is lost by it."


def unless_done(name: str, what: str) -> str:
    """Return the reminder that keeps a step on a switch from undoing itself; nothing for other steps."""
    state = what.rsplit(" ", 1)[-1]
    return f"Tap it only if it is not {state} already." if name in _NAMES and state in ("on", "off") else ""
