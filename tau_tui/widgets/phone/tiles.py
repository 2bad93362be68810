"""What the phone shows and what can be pressed on it: a tile for each thing, made of the customer's tools. No widget.

A pattern finds a tile's value in what a tool answered; the phone knows nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from domains.values import JSON


@dataclass(frozen=True, slots=True)
class Press:
    """A key beside a tile. `choices` are what one argument can be; `form` asks for arguments a list cannot offer."""

    word: str
    tool: str
    argument: str = ""
    choices: tuple[str, ...] = ()
    form: bool = False
    asks: str = ""
    """Asked before it is done, where a phone would ask."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One thing of the phone. `looks` are the tools that show it, the first one offered is called by a tap."""

    name: str
    label: str
    looks: tuple[str, ...] = ()
    presses: tuple[Press, ...] = ()
    found: Mapping[str, str] = field(default_factory=dict)
    """Tool → pattern whose groups, joined, are the value."""
    look_word: str = "tap to look"
    fixed: Mapping[str, JSON] = field(default_factory=dict)


NOW: Final = r"is now (ON|OFF)\."
NETWORK: Final = "check_network_status"
MODES: Final = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
PERMISSIONS: Final = ("sms", "storage", "phone", "network")


def _switch(name: str, label: str, tool: str, look: str, shown: str) -> Tile:
    return Tile(name, label, (look,), (Press("switch", tool),), {look: shown, tool: NOW})


STATUS_BAR: Final = Tile("status_bar", "", ("check_status_bar",), look_word="tap to look at the status bar")

SWITCHES: Final = (
    _switch("airplane", "Airplane mode", "toggle_airplane_mode", NETWORK, r"^Airplane Mode: (\w+)"),
    _switch("data", "Mobile data", "toggle_data", NETWORK, r"^Mobile Data Enabled: (\w+)"),
    _switch("roaming", "Data roaming", "toggle_roaming", NETWORK, r"^Data Roaming Enabled: (\w+)"),
    _switch(
        "saver", "Data Saver", "toggle_data_saver_mode", "check_data_restriction_status", r"^Data Saver mode is (\w+)"
    ),
    Tile(
        "wifi",
        "Wi-Fi",
        ("check_wifi_status",),
        (Press("switch", "toggle_wifi"),),
        {
            "check_wifi_status": r"^Wi-Fi is (?:turned )?(\w+)(?: and (connected to '.*'))?",
            NETWORK: r"^Wi-Fi Radio: (\w+)",
            "toggle_wifi": r"^Wi-Fi is now (ON|OFF)\.",
        },
    ),
    _switch(
        "wifi_calling",
        "Wi-Fi calling",
        "toggle_wifi_calling",
        "check_wifi_calling_status",
        r"^Wi-Fi Calling is currently turned (\w+)",
    ),
    Tile(
        "vpn",
        "VPN",
        ("check_vpn_status",),
        (Press("on", "connect_vpn"), Press("off", "disconnect_vpn")),
        {
            "check_vpn_status": r"^VPN is (?:turned )?(ON|OFF)(?: and (connected)| in settings.* (not connected))?"
            r"(?:.*: '(\w+)'>)?",
            "connect_vpn": r"^VPN (connected|already connected)",
            "disconnect_vpn": r"^(?:VPN (disconnected)|No active VPN connection.*)",
        },
    ),
)

SETTINGS: Final = (
    Tile(
        "connection",
        "Connection",
        (NETWORK,),
        found={
            NETWORK: r"^Cellular Connection: (\w+)\nCellular Signal: (\w+)\nCellular Network Type: (\w+)",
        },
    ),
    Tile(
        "sim",
        "SIM card",
        ("check_sim_status",),
        (Press("reseat", "reseat_sim_card"),),
        {
            "check_sim_status": r"SIM card is (active|locked with a \w+ code)|^(No SIM card)",
            NETWORK: r"^SIM Card Status: (\w+)",
            "reseat_sim_card": r"^SIM card (re-seated)",
        },
    ),
    Tile(
        "mode",
        "Network mode",
        ("check_network_mode_preference",),
        (Press("choose…", "set_network_mode_preference", "mode", MODES),),
        {
            "check_network_mode_preference": r"^Network Mode Preference: (.*)$",
            "set_network_mode_preference": r"^Preferred Network Mode set to: (.*)$",
        },
    ),
    Tile(
        "apn",
        "Access point",
        ("check_apn_settings",),
        (Press("reset", "reset_apn_settings"), Press("edit…", "set_apn_settings", form=True)),
        {
            "check_apn_settings": r"^Current APN Name: (.*)\nMMSC URL \(for picture messages\): (.*)$",
            "reset_apn_settings": r"^APN settings will (reset at reboot)",
            "set_apn_settings": r"^APN settings set to: (.*)$",
        },
    ),
    Tile("restart", "Power", (), (Press("restart", "reboot_device"),)),
)

TESTS: Final = (
    Tile(
        "speed",
        "Speed test",
        ("run_speed_test",),
        found={"run_speed_test": r"^Speed Test Result: (.*? Mbps) \((.*?)\)|^Speed test failed: (.*)\.$"},
        look_word="tap to measure",
    ),
    Tile(
        "mms",
        "Picture message",
        ("can_send_mms",),
        found={"can_send_mms": r"^Your messaging app (can|cannot) send MMS"},
        look_word="tap to try",
    ),
)

BILLS: Final = (
    Tile(
        "payment",
        "To pay",
        ("check_payment_request",),
        (Press("pay", "make_payment", asks="Pay what the carrier has asked for?"),),
        {
            "check_payment_request": r"payment request for (bill .*) of (.*)\.$|^(No payment request)",
            "make_payment": r"^Payment of (.*) has been made|^(You do not have a payment request)",
        },
    ),
)

APPS: Final = Tile("apps", "Installed apps", ("check_installed_apps",))
APP_LOOKS: Final = ("check_app_permissions", "check_app_status")


def app_tile(app: str) -> Tile:
    """Return the tile of an app that has been seen."""
    fixed = {"app_name": app}
    presses = (
        Press("page", "check_app_status"),
        Press("allow…", "grant_app_permission", "permission", PERMISSIONS),
    )
    return Tile(f"app:{app}", app, APP_LOOKS, presses, fixed=fixed)


TILES: Final = (*SWITCHES, *SETTINGS, *TESTS, *BILLS)


def _looks() -> frozenset[str]:
    return frozenset(name for tile in (STATUS_BAR, *TILES, APPS, app_tile("")) for name in tile.looks)


def _presses() -> frozenset[str]:
    return frozenset(press.tool for tile in (*TILES, app_tile("")) for press in tile.presses)


TOOLS: Final = _looks() | _presses()
"""Every tool the phone is made of."""

WRITES: Final = _presses() - _looks()
"""Those after which what was seen before may no longer be so."""
