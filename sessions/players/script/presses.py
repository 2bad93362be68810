"""From an agent's words to what is done on the phone: which tool, with which arguments, towards which state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from domains.values import JSON
from sessions.players import language
from sessions.players.language import plain
from sessions.players.mentions import sentences


@dataclass(frozen=True, slots=True)
class Press:
    """One thing to do; a switch with a `state` is only flipped when it is not in it."""

    tool: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    state: bool | None = None
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """How a switch is named, flipped, and read: the tool that shows it, and the words that say it is on."""

    words: str
    flip: str
    read: str
    on: str


SWITCHES = (
    Switch(r"air ?plane(?: mode)?|flight mode", "toggle_airplane_mode", "check_network_status", r"airplane mode: on"),
    Switch(r"data[- ]saver(?: mode)?", "toggle_data_saver_mode", "check_data_restriction_status", r"mode is on"),
    Switch(r"wi-?fi[- ]calling", "toggle_wifi_calling", "check_wifi_calling_status", r"turned on"),
    Switch(r"(?:data )?roaming", "toggle_roaming", "check_network_status", r"roaming enabled: yes"),
    Switch(r"wi-?fi(?![- ]calling)", "toggle_wifi", "check_network_status", r"wi-fi radio: on"),
    Switch(
        r"(?:mobile|cellular) data|\bdata\b(?![- ](?:saver|roaming|usage|plan|allowance|restriction))",
        "toggle_data",
        "check_network_status",
        r"data enabled: yes",
    ),
)
_OFF = r"\b(?:off|disable|deactivate|stop)\b"
_ON = r"\b(?:on|enable|activate)\b"
_FLIP = r"\b(?:turn|turning|switch|toggle|enable|disable|activate|deactivate|put|set|flip)\b"

_DEEDS: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:re-?seat|take (?:out )?(?:the |your )?sim|remove (?:the |your )?sim|re-?insert|put (?:the |your "
        r")?sim|sim(?: card)? (?:out|back))\b",
        "reseat_sim_card",
    ),
    (r"\breset\w*\b.*\bapn\b|\bapn\b.*\breset\b|\bdefault apn\b", "reset_apn_settings"),
    (r"\b(?:re-?boot|re-?start|power cycle|turn (?:it|your phone|the phone) off and on)\b", "reboot_device"),
    (
        r"\b(?:disconnect|turn off|switch off|disable|stop|deactivate)\b.*\bvpn\b|\bvpn\b.*\b(?:off|disconnect)\b",
        "disconnect_vpn",
    ),
    (r"\b(?:connect|turn on|enable)\b.*\bvpn\b", "connect_vpn"),
    (r"\b(?:pay|make (?:the |a )?payment|settle)\b.*\b(?:bill|request|payment|it|amount|now)\b", "make_payment"),
    (r"\bdismiss\b", "dismiss_notification"),
)
_LOOKS: tuple[tuple[str, str], ...] = (
    (r"\bstatus bar\b|\btop of (?:the|your) screen\b|\bsignal bars?\b", "check_status_bar"),
    (
        r"\bnetwork mode\b|\bpreferred network\b|\bmode preference\b|\bnetwork preference\b|\bnetwork type\b",
        "check_network_mode_preference",
    ),
    (r"\bspeed ?test\b|\bspeed of\b|\bhow fast\b|\binternet speed\b", "run_speed_test"),
    (r"\bpayment requests?\b", "check_payment_request"),
    (r"\bsim\b", "check_sim_status"),
    (r"\bdata[- ]saver\b|\bdata restriction\b|\brestrict\w*\b", "check_data_restriction_status"),
    (r"\bapn\b|\bmmsc\b", "check_apn_settings"),
    (r"\bwi-?fi[- ]calling\b", "check_wifi_calling_status"),
    (r"\bvpn\b", "check_vpn_status"),
    (r"\binstalled apps\b|\bwhich apps\b|\bwhat apps\b", "check_installed_apps"),
    (r"\bpermissions?\b", "check_app_permissions"),
    (
        r"\b(?:send|sending)\b.*\b(?:mms|pictures?|picture messages?|photos?)\b|\bmms\b|\bpicture messages?\b",
        "can_send_mms",
    ),
    (r"\bwi-?fi\b", "check_wifi_status"),
    (
        r"\bnetwork status\b|\bconnection\b|\bairplane\b|\broaming\b|\bmobile data\b|\bdata (?:on|enabled)\b|"
        r"\bsignal\b|\bservice\b",
        "check_network_status",
    ),
    (r"\bnotifications?\b|\binbox\b", "check_notifications"),
)
_LOOK = (
    r"\b(?:check|look|see|tell me|what|which|is|are|does|run|try|test|read|show|can you send|do you (?:see|have)|"
    r"verify|confirm|whether|how)\b"
)
_MODES = (
    (r"4g_5g_preferred|\b5g\b|newest|fastest|4g ?/ ?5g|4g and 5g", "4g_5g_preferred"),
    (r"4g_only|\b4g\b|\blte\b", "4g_only"),
    (r"3g_only|\b3g\b", "3g_only"),
    (r"2g_only|\b2g\b", "2g_only"),
)
_PERMISSIONS = ("sms", "storage", "phone", "network")


def presses(text: str, tools: frozenset[str]) -> list[Press]:
    """Return what a message asks to be done or looked at, in order, each once."""
    found: list[Press] = []
    for part in sentences(text):
        if not _is_for_customer(part):
            continue
        for press in _in(plain(part)):
            if press.tool in tools and press not in found:
                found.append(press)
    # Whoever presses a switch looks at it anyway.
    flipped = {switch.read for switch in SWITCHES if any(p.tool == switch.flip for p in found)}
    writes = [press for press in found if not press.looks]
    return writes + [press for press in found if press.looks and press.tool not in flipped and not writes]


def _is_for_customer(part: str) -> bool:
    said = plain(part)
    mine = re.match(r"(?:and |so |then |ok,? |okay,? |now,? )?(?:i|we)(?:'ll|'ve|'d|'m)?\b", said)
    return not language.asks_to_confirm(part) and not mine and not language.reports_done(part)


def _in(said: str) -> Iterator[Press]:
    doing = list(_deeds(said))
    yield from doing
    if not doing and re.search(_LOOK, said):
        yield from _looks(said)


def _deeds(said: str) -> Iterator[Press]:
    for pattern, tool in _DEEDS:
        if re.search(pattern, said):
            named = re.search(r"\bnotif_\d+\b", said)
            if tool != "dismiss_notification":
                yield Press(tool)
            elif named is not None:
                yield Press(tool, {"notification_id": named[0]})
    if re.search(r"\b(?:grant|give|allow|enable|turn on|let)\b", said) and re.search(
        r"\bpermissions?\b|\baccess\b", said
    ):
        app = _app(said)
        for permission in _PERMISSIONS:
            if re.search(rf"\b{permission}\b", re.sub(r"\b(?:on|of) (?:your|the) phone\b", "", said)):
                yield Press("grant_app_permission", {"app_name": app, "permission": permission})
        return
    if re.search(
        r"\b(?:network (?:mode|type)|preferred network|mode preference|network preference)\b", said
    ) and re.search(r"\b(?:set|change|switch|choose|select|put)\b", said):
        mode = next((mode for pattern, mode in _MODES if re.search(pattern, said)), "4g_5g_preferred")
        yield Press("set_network_mode_preference", {"mode": mode})
        return
    if re.search(_FLIP, said) and not re.match(r"(?:is|are|do|does|did|have|has|check|what)\b", said):
        rest = said
        for switch in SWITCHES:
            named = re.search(switch.words, rest)
            if named is None or "vpn" in said:
                continue
            rest = rest.replace(named[0], " ", 1)
            toggled = re.search(rf"\btoggle (?:the |your )?(?:{switch.words})", said) and not re.search(
                rf"{_OFF}|{_ON}", said
            )
            state = None if toggled else not re.search(_OFF, said)
            yield Press(switch.flip, {}, state)


def _looks(said: str) -> Iterator[Press]:
    rest = said
    for pattern, tool in _LOOKS:
        if re.search(pattern, rest):
            rest = re.sub(pattern, " ", rest)
            arguments = {"app_name": _app(said)} if tool == "check_app_permissions" else {}
            yield Press(tool, arguments, looks=True)


def _app(said: str) -> str:
    """Return the app that is named; picture messages are the messaging app's."""
    named = re.search(r"\b(browser|messaging|phone|camera|maps|email) app\b", said) or re.search(
        r"\bapp (?:called |named )?['\"]?(\w+)", said
    )
    return (
        named[1]
        if named is not None and named[1] not in ("the", "a", "to", "permission", "permissions")
        else "messaging"
    )
