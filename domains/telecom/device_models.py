"""The customer's side: one phone, and where its owner is with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from domains.telecom.models import Strict

SimStatus = Literal["active", "missing", "locked_pin", "locked_puk"]
Technology = Literal["none", "2G", "3G", "4G", "5G"]
NetworkMode = Literal["4g_5g_preferred", "4g_only", "3g_only", "2g_only"]
Signal = Literal["none", "poor", "fair", "good", "excellent"]
Performance = Literal["unknown", "poor", "fair", "good", "excellent"]
ServiceStatus = Literal["connected", "searching", "no_service", "emergency_only"]
Permission = Literal["sms", "storage", "phone", "network"]


class APNSettings(Strict):
    apn_name: Annotated[Literal["internet", "broken"], Field(description="Name of the access point")] = "internet"
    reset_at_reboot: Annotated[bool, Field(description="Whether the next restart brings back the defaults")] = False
    mms_apn: Annotated[str | None, Field(description="Access point for picture messages")] = "mms"
    mmsc_url: Annotated[str | None, Field(description="Where picture messages are handed over")] = (
        "http://mms.carrier.com/mms/wapenc"
    )
    mms_proxy: Annotated[str | None, Field(description="Proxy for picture messages")] = None
    mms_port: Annotated[int | None, Field(description="Port of that proxy")] = None


class VpnDetails(Strict):
    server_address: str | None = None
    protocol: str | None = None
    server_performance: Performance = "unknown"


class AppPermissions(Strict):
    sms: bool = False
    storage: bool = False
    phone: bool = False
    network: bool = False


class AppStatus(Strict):
    app_name: str
    permissions: AppPermissions = Field(default_factory=AppPermissions)


def _apps() -> dict[str, AppStatus]:
    return {
        "messaging": AppStatus(app_name="messaging", permissions=AppPermissions(sms=True, storage=True, phone=True)),
        "browser": AppStatus(app_name="browser", permissions=AppPermissions(network=True, storage=True)),
    }


class Phone(Strict):
    sim_card_status: SimStatus = "active"
    sim_card_missing: bool = False
    airplane_mode: bool = False
    network_signal_strength: Signal = "good"
    network_technology_connected: Technology = "5G"
    network_connection_status: ServiceStatus = "connected"
    battery_level: int = 80
    data_enabled: bool = True
    roaming_enabled: bool = False
    network_mode_preference: NetworkMode = "4g_5g_preferred"
    active_apn_settings: APNSettings = Field(default_factory=APNSettings)
    wifi_enabled: bool = False
    wifi_connected: bool = False
    wifi_ssid: str | None = None
    wifi_signal_strength: Signal = "none"
    wifi_calling_enabled: bool = False
    wifi_calling_mms_over_wifi: bool = False
    data_saver_mode: bool = False
    vpn_enabled_setting: bool = False
    vpn_connected: bool = False
    vpn_details: VpnDetails | None = None
    app_statuses: dict[str, AppStatus] = Field(default_factory=_apps)


class PaymentRequest(Strict):
    bill_id: str
    amount_due: float
    paid: bool = False


def _signals() -> dict[Technology, Signal]:
    return {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}


class Surroundings(Strict):
    name: str | None = None
    phone_number: str | None = None
    is_abroad: bool = False
    roaming_allowed: bool = False
    signal_strength: dict[Technology, Signal] = Field(default_factory=_signals)
    mobile_data_usage_exceeded: bool = False
    line_active: bool = True
    payment_request: PaymentRequest | None = None


class TelecomUserDB(Strict):
    device: Phone = Field(default_factory=Phone)
    surroundings: Surroundings = Field(default_factory=Surroundings)
