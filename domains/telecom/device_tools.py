"""The customer's thirty tools: what can be looked at and pressed on the phone, exact to the recordings."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from domains.schema import record
from domains.telecom.device import Device
from domains.telecom.device_models import APNSettings, NetworkMode
from domains.toolkit import tool
from domains.values import JSON

MODES = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
SIM_WORDS = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
SPEED_WORDS = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


class PerformanceLevel(StrEnum):
    """Official oddity: the VPN's details are printed as a Python dict, this enum's repr in it."""

    UNKNOWN = "unknown"
    POOR = "poor"
    FAIR = "fair"
    GOOD = "good"
    EXCELLENT = "excellent"


AppName = Annotated[str, Field(description="Name of an installed app, for example messaging")]


def _on(state: bool) -> str:
    return "ON" if state else "OFF"


def _yes(state: bool) -> str:
    return "Yes" if state else "No"


def _allowed(permissions: JSON) -> list[str]:
    return [name for name, allowed in permissions.items() if allowed]


class DeviceTools(Device):
    """Everything belongs to the user; in solo mode the agent holds it too."""

    # Looking

    @tool("read")
    def check_status_bar(self) -> JSON:
        """Read the icons at the top of the screen: signal, network, data, Wi-Fi, VPN, battery."""
        return f"Status Bar: {self._status_bar()}"

    @tool("read")
    def check_network_status(self) -> JSON:
        """Read the connection page: airplane mode, SIM, cellular connection and signal, data, roaming, Wi-Fi."""
        phone = self.phone
        lines = [
            f"Airplane Mode: {_on(phone['airplane_mode'])}",
            f"SIM Card Status: {self._sim()}",
            f"Cellular Connection: {phone['network_connection_status']}",
            f"Cellular Signal: {phone['network_signal_strength']}",
            f"Cellular Network Type: {phone['network_technology_connected']}",
            f"Mobile Data Enabled: {_yes(phone['data_enabled'])}",
            f"Data Roaming Enabled: {_yes(phone['roaming_enabled'])}",
            f"Wi-Fi Radio: {_on(phone['wifi_enabled'])}",
            f"Wi-Fi Connected: {_yes(phone['wifi_connected'])}",
        ]
        if phone["wifi_connected"]:
            lines.append(f"Connected Wi-Fi Network: {phone['wifi_ssid']}")
        return "\n".join(lines)

    @tool("read")
    def check_network_mode_preference(self) -> JSON:
        """See which kinds of network the phone prefers."""
        mode = self.phone["network_mode_preference"]
        if not isinstance(mode, str):
            raise TypeError(f"The network mode is set to {mode!r}, which is no mode")
        return f"Network Mode Preference: {mode}"

    @tool("read")
    def run_speed_test(self) -> JSON:
        """Measure the speed of mobile data."""
        measured = self._speed()
        if measured is None:
            return "Speed test failed: No Connection."
        speed, grade = measured
        return f"Speed Test Result: {speed:.2f} Mbps ({grade}). {SPEED_WORDS[grade]}"

    @tool("read")
    def check_sim_status(self) -> JSON:
        """See whether the SIM is recognised and unlocked."""
        return SIM_WORDS[self._sim()]

    @tool("read")
    def check_data_restriction_status(self) -> JSON:
        """See whether Data Saver holds data back."""
        return (
            "Data Saver mode is ON (limits data usage)." if self.phone["data_saver_mode"] else "Data Saver mode is OFF."
        )

    @tool("read")
    def check_apn_settings(self) -> JSON:
        """See the access point's name and the address for picture messages."""
        apn = self.phone["active_apn_settings"]
        return (
            f"Current APN Name: {apn['apn_name'] or 'Not Set'}\n"
            f"MMSC URL (for picture messages): {apn['mmsc_url'] or 'Not Set'}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    @tool("read")
    def check_wifi_status(self) -> JSON:
        """See whether Wi-Fi is on, to which network it is connected, and how well."""
        phone = self.phone
        if not phone["wifi_enabled"]:
            return "Wi-Fi is turned OFF."
        if not phone["wifi_connected"]:
            return "Wi-Fi is ON but not connected to any network."
        return f"Wi-Fi is ON and connected to '{phone['wifi_ssid']}'. Signal strength: {phone['wifi_signal_strength']}."

    @tool("read")
    def check_wifi_calling_status(self) -> JSON:
        """See whether calls may go over Wi-Fi."""
        return f"Wi-Fi Calling is currently turned {_on(self.phone['wifi_calling_enabled'])}."

    @tool("read")
    def check_vpn_status(self) -> JSON:
        """See whether a VPN is connected, and how its server does."""
        phone = self.phone
        if not phone["vpn_connected"]:
            return (
                "VPN is turned ON in settings, but currently not connected."
                if phone["vpn_enabled_setting"]
                else "VPN is turned OFF."
            )
        if not phone["vpn_details"]:
            return "VPN is ON and connected (no specific details available)."
        details = dict(phone["vpn_details"])
        details["server_performance"] = PerformanceLevel(details["server_performance"])
        return f"VPN is ON and connected. Details: {details}"

    @tool("read")
    def check_installed_apps(self) -> JSON:
        """List the installed apps."""
        return f"The following apps are installed on the phone: {', '.join(self.phone['app_statuses'])}"

    @tool("read")
    def check_app_status(self, app_name: AppName) -> JSON:
        """See an app's page: what it may use, one permission a line."""
        app = self.phone["app_statuses"].get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _allowed(app["permissions"])
        if not allowed:
            return f"Status for App: {app_name}\n - Permissions: None granted."
        return "\n".join((f"Status for App: {app_name}", " - Permissions Granted:", *(f"   - {p}" for p in allowed)))

    @tool("read")
    def check_app_permissions(self, app_name: AppName) -> JSON:
        """See what an app may use, in one sentence."""
        app = self.phone["app_statuses"].get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _allowed(app["permissions"])
        if not allowed:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(allowed)}."

    @tool("read")
    def can_send_mms(self) -> JSON:
        """Try whether the messaging app gets a picture message out."""
        return f"Your messaging app {'can' if self._mms_works() else 'cannot'} send MMS messages."

    @tool("read")
    def check_payment_request(self) -> JSON:
        """See whether the carrier has asked for a payment, and for how much."""
        asked = self.around["payment_request"]
        if asked is None:
            return "No payment request has been made."
        return f"You have a payment request for bill {asked['bill_id']} of {asked['amount_due']} USD."

    # Pressing

    @tool("write")
    def set_network_mode_preference(
        self, mode: Annotated[NetworkMode, Field(description="The kinds of network to use")]
    ) -> JSON:
        """Choose which kinds of network the phone uses; newer ones are faster."""
        if isinstance(mode, str) and mode not in MODES:
            return self._no_mode(mode)
        # Official oddity: anything that is not a text is stored before it is found to be no mode.
        self._set(network_mode_preference=mode)
        self._search()
        if mode is None:
            return self._no_mode(mode)
        if not isinstance(mode, str):
            raise TypeError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
        return self._with_status(f"Preferred Network Mode set to: {mode}")

    def _no_mode(self, mode: object) -> str:
        return self._with_status(
            f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: {', '.join(MODES)}"
        )

    @tool("write")
    def toggle_airplane_mode(self) -> JSON:
        """Switch airplane mode, which cuts every radio connection while it is on."""
        return self._with_status(f"Airplane Mode is now {_on(self._toggle_airplane_mode())}.")

    @tool("write")
    def reseat_sim_card(self) -> JSON:
        """Take the SIM card out and put it back in."""
        self._set(sim_card_missing=False)
        self._search()
        return self._with_status("SIM card re-seated successfully.")

    @tool("write")
    def toggle_data(self) -> JSON:
        """Switch mobile data."""
        return self._with_status(f"Mobile Data is now {_on(self._flip_and_search('data_enabled'))}.")

    @tool("write")
    def toggle_roaming(self) -> JSON:
        """Switch data roaming: whether the phone uses data on partner networks abroad."""
        return self._with_status(f"Data Roaming is now {_on(self._flip_and_search('roaming_enabled'))}.")

    @tool("write")
    def toggle_data_saver_mode(self) -> JSON:
        """Switch Data Saver, which saves data and slows it down."""
        return self._with_status(f"Data Saver Mode is now {_on(self._flip('data_saver_mode'))}.")

    @tool("write")
    def set_apn_settings(
        self, apn_settings: Annotated[APNSettings, Field(description="The whole settings; what is left out is default")]
    ) -> JSON:
        """Enter the access point's settings by hand."""
        if not isinstance(apn_settings, dict):
            # Official oddity: stored all the same, and from then on no search for a network ends well.
            self._set(active_apn_settings=apn_settings)
            raise TypeError(f"apn_settings must be an object, not {apn_settings!r}")
        settings = record(APNSettings(**apn_settings))
        self._set(active_apn_settings=settings)
        self._search()
        return self._with_status(f"APN settings set to: {settings['apn_name']}")

    @tool("write")
    def reset_apn_settings(self) -> JSON:
        """Have the access point's settings go back to the defaults at the next restart."""
        self.db.edit("device")["active_apn_settings"]["reset_at_reboot"] = True
        self._search()
        return self._with_status("APN settings will reset at reboot.")

    @tool("write")
    def toggle_wifi(self) -> JSON:
        """Switch Wi-Fi; not possible in airplane mode."""
        if self.phone["airplane_mode"]:
            return self._with_status("Cannot change Wi-Fi settings while Airplane Mode is ON.")
        state = self._flip("wifi_enabled")
        if not state:
            self._lose_wifi()
        return self._with_status(f"Wi-Fi is now {_on(state)}.")

    @tool("write")
    def toggle_wifi_calling(self) -> JSON:
        """Switch Wi-Fi calling: whether calls may go over Wi-Fi."""
        return self._with_status(f"Wi-Fi Calling is now {_on(self._flip('wifi_calling_enabled'))}.")

    @tool("write")
    def connect_vpn(self) -> JSON:
        """Connect the VPN."""
        if not self._join_vpn():
            return "VPN already connected."
        return self._with_status("VPN connected successfully.")

    @tool("write")
    def disconnect_vpn(self) -> JSON:
        """Disconnect the VPN."""
        return self._with_status(
            "VPN disconnected successfully." if self._drop_vpn() else "No active VPN connection to disconnect."
        )

    @tool("write")
    def grant_app_permission(
        self,
        app_name: AppName,
        permission: Annotated[str, Field(description="sms, storage, phone or network")],
    ) -> JSON:
        """Let an app use something of the phone."""
        app = self.phone["app_statuses"].get(app_name)
        permission = permission.lower()
        # Official oddity: these two refusals are answers, not errors, though they begin like one.
        if app is None:
            return self._with_status(f"Error. App '{app_name}' not found. Cannot grant permission.")
        if permission not in app["permissions"]:
            return self._with_status(
                f"Error. Permission '{permission}' not tracked for app '{app_name}', "
                f"available permissions: {list(app['permissions'])}"
            )
        self.db.edit("device")["app_statuses"][app_name]["permissions"][permission] = True
        return self._with_status(f"Success. Permission '{permission}' granted to app '{app_name}'.")

    @tool("write")
    def reboot_device(self) -> JSON:
        """Restart the phone; it looks for a network anew."""
        lines = []
        if self.phone["active_apn_settings"]["reset_at_reboot"]:
            lines.append("Resetting APN settings...")
            self._set(active_apn_settings=record(APNSettings()))
        lines.append("Restarting network services...")
        self._set(network_connection_status="searching")
        self._search()
        return self._with_status("\n".join(lines))

    @tool("write")
    def make_payment(self) -> JSON:
        """Pay the bill the carrier has asked for."""
        asked = self.around["payment_request"]
        if asked is None:
            return "You do not have a payment request."
        self.db.edit("surroundings")["payment_request"]["paid"] = True
        return f"Payment of {asked['amount_due']} USD has been made for bill {asked['bill_id']}."
