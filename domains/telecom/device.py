"""How the phone behaves: the search for a network, whether data and picture messages work, how fast, the status bar."""

from __future__ import annotations

from typing import Any

from domains.toolkit import Toolkit
from domains.values import Record

STATUS_SIGNALS = {
    "none": "📵 No Signal",
    "poor": "📶¹ Poor",
    "fair": "📶² Fair",
    "good": "📶³ Good",
    "excellent": "📶⁴ Excellent",
}
ONLY = {"4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}
# Mbps, slowest and fastest
SPEEDS = {"2G": (0.1, 0.4), "3G": (1.0, 5.0), "4G": (10.0, 100.0), "5G": (50.0, 500.0)}
SIGNAL_FACTORS = {"poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
GRADES = ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"))
POOR_VPN = 0.1
DATA_SAVER = 0.2

DEFAULT_VPN = {"server_address": "192.168.1.1", "protocol": "OpenVPN", "server_performance": "excellent"}
BROKEN_VPN = "broken_vpn"


class Device(Toolkit):
    """The rules of the phone, without the tools that press its buttons."""

    owner = "user"

    @property
    def phone(self) -> Record:
        """The phone as it is; not to be changed."""
        return self._single("device")

    @property
    def around(self) -> Record:
        """Where the phone is and what the carrier grants it; not to be changed."""
        return self._single("surroundings")

    def _single(self, table: str) -> Record:
        found = self.db.get(table)
        assert found is not None
        return found

    def _set(self, **fields: Any) -> None:
        self.db.edit("device").update(fields)

    def _flip(self, field: str) -> bool:
        state = not self.phone[field]
        self._set(**{field: state})
        return state

    # The network

    def _sim(self) -> str:
        return "missing" if self.phone["sim_card_missing"] else str(self.phone["sim_card_status"])

    def _search(self) -> None:
        """Look for a network and connect, unless SIM, airplane mode, APN or the line stand against it."""
        if self._sim() == "active":
            self._connect()
        else:
            self._lose_service()
        if self.phone["airplane_mode"]:
            self._lose_service()
        # Once the settings are something that is no settings, every search fails here, half done.
        if self.phone["active_apn_settings"]["apn_name"] == "broken":
            self._lose_service()
        if not self.around["line_active"]:
            self._lose_service()

    def _connect(self) -> None:
        signals = self.around["signal_strength"]
        mode = self.phone["network_mode_preference"]
        if mode == "4g_5g_preferred" and signals.get("5G", "none") != "none":
            technology = "5G"
        else:  # also whatever is no mode at all: officially stored as it came, and then taken as 4G
            technology = ONLY.get(mode, "4G") if isinstance(mode, str) else "4G"
        self._set(
            network_connection_status="connected",
            network_technology_connected=technology,
            network_signal_strength=signals.get(technology, "none"),
        )

    def _lose_service(self) -> None:
        self._set(
            network_connection_status="no_service",
            network_technology_connected="none",
            network_signal_strength="none",
        )

    # What works

    def _data_works(self) -> bool:
        phone, around = self.phone, self.around
        return not (
            phone["airplane_mode"]
            or phone["network_signal_strength"] == "none"
            or phone["network_connection_status"] == "no_service"
            or (around["is_abroad"] and not (phone["roaming_enabled"] and around["roaming_allowed"]))
            or not phone["data_enabled"]
            or around["mobile_data_usage_exceeded"]
        )

    def _mms_works(self) -> bool:
        """Tell whether picture messages go out; Wi-Fi calling with MMS over Wi-Fi is not supported by the carrier."""
        phone = self.phone
        if not self._data_works() or phone["network_technology_connected"] == "2G":
            return False
        if phone["wifi_calling_enabled"] and phone["wifi_calling_mms_over_wifi"]:
            return False
        if phone["active_apn_settings"]["mmsc_url"] is None:
            return False
        app = phone["app_statuses"].get("messaging")
        return app is not None and bool(app["permissions"]["storage"] and app["permissions"]["sms"])

    def _speed(self) -> tuple[float, str] | None:
        """Return Mbps and a grade, None without a connection."""
        if not self._data_works():
            return None
        phone = self.phone
        vpn = phone["vpn_details"]
        factor = POOR_VPN if phone["vpn_connected"] and vpn and vpn["server_performance"] == "poor" else 1.0
        if phone["data_saver_mode"]:
            factor *= DATA_SAVER
        slowest, fastest = SPEEDS.get(phone["network_technology_connected"], (0.0, 0.0))
        signal = SIGNAL_FACTORS.get(phone["network_signal_strength"], 0.0)
        speed = round((slowest + fastest) / 2.0 * signal * factor, 2)
        return speed, next((grade for limit, grade in GRADES if speed < limit), "Excellent")

    # Switches with consequences

    def _toggle_airplane_mode(self) -> bool:
        phone = self.phone
        if phone["airplane_mode"]:
            self._set(airplane_mode=False, network_connection_status="searching")
            if phone["wifi_enabled"]:
                self._lose_wifi()
        else:
            self._set(airplane_mode=True)
            self._lose_wifi()
            self._drop_vpn()
        self._search()
        return bool(self.phone["airplane_mode"])

    def _lose_wifi(self) -> None:
        self._set(wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")

    def _flip_and_search(self, field: str) -> bool:
        state = self._flip(field)
        self._search()
        return state

    def _join_vpn(self) -> bool:
        if self.phone["vpn_connected"]:
            return False
        details = Record(DEFAULT_VPN)
        # Official oddity: a VPN once broken stays slow, however often it is connected anew.
        if self.db.remembers(BROKEN_VPN):
            details["server_performance"] = "poor"
        self._set(vpn_connected=True, vpn_details=details)
        return True

    def _drop_vpn(self) -> bool:
        if not self.phone["vpn_connected"]:
            return False
        self._set(vpn_connected=False, vpn_details=None)
        return True

    # The status bar

    def _with_status(self, message: str) -> str:
        return f"{message}\nStatus Bar: {self._status_bar()}"

    def _status_bar(self) -> str:
        phone = self.phone
        technology = phone["network_technology_connected"]
        icons: list[str] = []
        if phone["airplane_mode"]:
            icons.append("✈️ Airplane Mode")
        else:
            icons.append(STATUS_SIGNALS.get(phone["network_signal_strength"], STATUS_SIGNALS["none"]))
            if technology != "none":
                icons.append(technology)
            if phone["data_enabled"] and technology != "none":
                icons.append("📱 Data Enabled")
                if phone["data_saver_mode"]:
                    icons.append("🔽 Data Saver")
            else:
                icons.append("📵 Data Disabled")
        if phone["wifi_enabled"] and phone["wifi_connected"]:
            icons.append(f"📡 Connected to {phone['wifi_ssid']}" if phone["wifi_ssid"] else "📡 Enabled")
        if phone["vpn_connected"]:
            icons.append("🔒 VPN Connected")
        icons.append(f"🔋 {phone['battery_level']}%")
        return " | ".join(icons)
