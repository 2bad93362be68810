"""What tasks do to the phone before a conversation, and what they ask of it afterwards; no seat can call these."""

from __future__ import annotations

from typing import Any, Literal, get_args

from domains.telecom.device import BROKEN_VPN
from domains.telecom.device_models import ServiceStatus
from domains.telecom.device_tools import DeviceTools
from domains.toolkit import env_function


class DeviceToolkit(DeviceTools):
    """The whole user side: rules, tools and environment functions."""

    @env_function
    def set_user_info(self, name: str, phone_number: str) -> None:
        """Say who holds the phone; from here on the carrier's line of that number serves it."""
        self.db.edit("surroundings").update(name=name, phone_number=phone_number)

    @env_function
    def set_user_location(self, abroad: bool) -> None:
        """Say whether the customer is abroad."""
        self.db.edit("surroundings")["is_abroad"] = abroad

    @env_function
    def simulate_network_search(self) -> None:
        """Have the phone look for a network."""
        self._search()

    @env_function
    def turn_airplane_mode_on(self) -> str:
        """Turn airplane mode on; a VPN is lost by it."""
        if not self._toggle_airplane_mode():
            self._toggle_airplane_mode()
        return "Airplane Mode is now ON."

    @env_function
    def turn_airplane_mode_off(self) -> str:
        """Turn airplane mode off; a VPN is lost by it even if it was off."""
        if self._toggle_airplane_mode():
            self._toggle_airplane_mode()
        return "Airplane Mode is now OFF."

    @env_function
    def unseat_sim_card(self) -> str:
        """Take the SIM card out."""
        self._set(sim_card_missing=True)
        self._search()
        return "SIM card un-seated successfully."

    @env_function
    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> str:
        """Lock the SIM card; no tool unlocks it."""
        if mode in ("pin", "puk"):
            self._set(sim_card_status=f"locked_{mode}")
        self._search()
        return f"SIM card locked successfully in {mode} mode."

    @env_function
    def turn_data_on(self) -> str:
        """Turn mobile data on, without a new search."""
        self._set(data_enabled=True)
        return "Data connection restored."

    @env_function
    def turn_data_off(self) -> str:
        """Turn mobile data off."""
        self._turn("data_enabled", False)
        return "Data connection broken."

    @env_function
    def turn_roaming_on(self) -> str:
        """Turn data roaming on."""
        self._turn("roaming_enabled", True)
        return "Data Roaming is now ON."

    @env_function
    def turn_roaming_off(self) -> str:
        """Turn data roaming off."""
        self._turn("roaming_enabled", False)
        return "Data Roaming is now OFF."

    def _turn(self, field: str, state: bool) -> None:
        self._set(**{field: state})
        self._search()

    @env_function
    def turn_data_saver_mode_on(self) -> str:
        """Turn Data Saver on."""
        self._set(data_saver_mode=True)
        return "Data Saver Mode is now ON."

    @env_function
    def turn_data_saver_mode_off(self) -> str:
        """Turn Data Saver off."""
        self._set(data_saver_mode=False)
        return "Data Saver Mode is now OFF."

    @env_function
    def break_apn_settings(self) -> str:
        """Spoil the access point's name: no service until it is reset."""
        self.db.edit("device")["active_apn_settings"]["apn_name"] = "broken"
        self._search()
        return "APN settings broken. Please call reset_apn_settings() to fix."

    @env_function
    def break_apn_mms_setting(self) -> str:
        """Delete the address for picture messages."""
        self.db.edit("device")["active_apn_settings"]["mmsc_url"] = None
        return "APN MMS setting broken. Please call reset_apn_settings() to fix."

    @env_function
    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> str:
        """Set Wi-Fi calling and, if given, whether picture messages go over Wi-Fi."""
        if self.phone["wifi_calling_enabled"] != enabled:
            self._flip("wifi_calling_enabled")
        message = f"Wi-Fi Calling is now {'ON' if enabled else 'OFF'}."
        if mms_over_wifi is not None:
            self._set(wifi_calling_mms_over_wifi=mms_over_wifi)
            message += f"\nMMS over Wi-Fi is now {'ON' if mms_over_wifi else 'OFF'}."
        return message

    @env_function
    def break_vpn(self) -> str:
        """Connect a VPN whose server is slow."""
        self._join_vpn()
        self.db.edit("device")["vpn_details"]["server_performance"] = "poor"
        self.db.remember(BROKEN_VPN)
        return "VPN connection broken."

    @env_function
    def remove_app_permission(self, app_name: str, permission: str) -> tuple[bool, str]:
        """Take a permission from an app."""
        app = self.phone["app_statuses"].get(app_name)
        permission = permission.lower()
        if app is None:
            return False, f"App '{app_name}' not found. Cannot remove permission."
        if permission not in app["permissions"]:
            return False, f"Permission '{permission}' not tracked for app '{app_name}'."
        self.db.edit("device")["app_statuses"][app_name]["permissions"][permission] = False
        return True, f"Permission '{permission}' removed from app '{app_name}'."

    # Assertions

    @env_function
    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        """Tell whether airplane mode is so."""
        return self._is(self.phone["airplane_mode"], expected_status)

    @env_function
    def assert_service_status(self, expected_status: str) -> bool:
        """Tell whether the cellular connection is so. Raises ValueError for what is no status."""
        if expected_status not in get_args(ServiceStatus):
            raise ValueError(f"{expected_status!r} is not a valid NetworkStatus")
        return self._is(self.phone["network_connection_status"], expected_status)

    @env_function
    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Tell whether mobile data works or not."""
        return self._is(self._data_works(), expected_status)

    @env_function
    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        """Tell whether the phone's roaming switch is so."""
        return self._is(self.phone["roaming_enabled"], expected_status)

    @env_function
    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        """Tell whether Data Saver is so."""
        return self._is(self.phone["data_saver_mode"], expected_status)

    @env_function
    def assert_internet_speed(self, expected_speed: float, expected_desc: str | None = None) -> bool:
        """Tell whether a speed test gives at least this much and, if given, this grade."""
        speed, grade = self._speed() or (0.0, "No Connection")
        return speed >= expected_speed and (expected_desc is None or grade.lower() == expected_desc.lower())

    @env_function
    def assert_internet_not_excellent(self) -> bool:
        """Tell whether a speed test is anything but excellent."""
        _, grade = self._speed() or (0.0, "No Connection")
        return grade != "Excellent"

    @env_function
    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Tell whether picture messages go out or not."""
        return self._is(self._mms_works(), expected_status)

    @env_function
    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        """Tell whether the data allowance is used up."""
        return self._is(self.around["mobile_data_usage_exceeded"], expected_status)

    @staticmethod
    def _is(actual: Any, expected: Any) -> bool:
        return bool(actual == expected)
