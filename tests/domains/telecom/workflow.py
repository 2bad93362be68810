"""An agent that knows nothing but the bundled workflow: it walks its boxes, reads only what tools answer, alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from domains.environment import Environment
from domains.task import Task

TODAY = "2025-02-25"


class HandOver(Exception):
    """Box T."""


class Walker:
    """Holds both tool sets; what the customer would answer comes from the task's facts and details."""

    def __init__(self, env: Environment, task: Task) -> None:
        self.env = env
        self.known = {fact.name: fact.value for fact in task.user_scenario.facts}
        self.agreed = {d.name: d.value for wish in task.user_scenario.wishes for d in wish.details}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.customer = json.loads(self.do("get_customer_by_phone", phone_number=self.known["phone_number"]))
        lines = [json.loads(self.do("get_details_by_id", id=line_id)) for line_id in self.customer["line_ids"]]
        self.line_id = next(line["line_id"] for line in lines if line["phone_number"] == self.known["phone_number"])
        self.ids = {"customer_id": self.customer["customer_id"], "line_id": self.line_id}

    def do(self, name: str, **arguments: Any) -> str:
        """Call a tool that must not fail."""
        result = self.env.call("agent", name, arguments)
        assert not result.error, (name, arguments, result.content)
        self.calls.append((name, arguments))
        return result.content

    def walk(self) -> None:
        """Start; ends solved or handed over."""
        paths: dict[str, Callable[[], None]] = {
            "service_issue": self.service,
            "mobile_data_issue": self.data,
            "mms_issue": self.pictures,
        }
        try:
            paths[self.known["problem"]]()
        except HandOver:
            self.do("transfer_to_human_agents", summary="nothing is left to try")

    def signal(self) -> bool:
        return "📶" in self.do("check_status_bar")

    def service(self) -> None:
        if self.signal():
            return
        if "Airplane" in self.do("check_status_bar"):
            self.do("toggle_airplane_mode")
            if self.signal():
                return
        sim = self.do("check_sim_status")
        if "No SIM" in sim:
            self.do("reseat_sim_card")
            sim = self.do("check_sim_status")
            if self.signal():
                return
        if "locked" in sim:
            raise HandOver
        if "broken" in self.do("check_apn_settings"):
            self.do("reset_apn_settings")
            self.do("reboot_device")
            if self.signal():
                return
        line = json.loads(self.do("get_details_by_id", id=self.line_id))
        if line["status"] != "Suspended" or line["contract_end_date"] < TODAY or self.agreed["bill_payment"] != "yes":
            raise HandOver
        for bill in json.loads(self.do("get_bills_for_customer", customer_id=self.ids["customer_id"])):
            if bill["status"] == "Overdue":
                self.do("send_payment_request", customer_id=self.ids["customer_id"], bill_id=bill["bill_id"])
                assert f"{bill['bill_id']} of {bill['total_due']} USD" in self.do("check_payment_request")
                self.do("make_payment")
                assert json.loads(self.do("get_details_by_id", id=bill["bill_id"]))["status"] == "Paid"
        self.do("resume_line", **self.ids)
        self.do("reboot_device")
        if not self.signal():
            raise HandOver

    def speed(self) -> str:
        return self.do("run_speed_test")

    def data(self) -> None:
        if "Excellent" in self.speed():
            return
        if "No Connection" in self.speed():
            self.service()
            self.connection()
        for repair in (self.data_saver, self.network_mode, self.vpn):
            if "Excellent" in self.speed():
                return
            repair()
        if "Excellent" not in self.speed():
            raise HandOver

    def connection(self) -> None:
        for repair in (self.roaming, self.data_switch, self.allowance):
            if "No Connection" not in self.speed():
                return
            repair()
        if "No Connection" in self.speed():
            raise HandOver

    def roaming(self) -> None:
        if self.known["location"] == "home":
            return
        if "Roaming Enabled: No" in self.do("check_network_status"):
            self.do("toggle_roaming")
        if not json.loads(self.do("get_details_by_id", id=self.line_id))["roaming_enabled"]:
            self.do("enable_roaming", **self.ids)

    def data_switch(self) -> None:
        if "Mobile Data Enabled: No" in self.do("check_network_status"):
            self.do("toggle_data")

    def allowance(self) -> None:
        usage = json.loads(self.do("get_data_usage", **self.ids))
        if float(usage["data_used_gb"]) < float(usage["data_limit_gb"]) + float(usage["data_refueling_gb"]):
            raise HandOver
        assert self.agreed["gb_amount"] <= 2
        self.do("refuel_data", **self.ids, gb_amount=self.agreed["gb_amount"])

    def data_saver(self) -> None:
        if "is ON" in self.do("check_data_restriction_status"):
            self.do("toggle_data_saver_mode")

    def network_mode(self) -> None:
        if "only" in self.do("check_network_mode_preference"):
            self.do("set_network_mode_preference", mode="4g_5g_preferred")

    def vpn(self) -> None:
        if "connected." in self.do("check_vpn_status"):
            self.do("disconnect_vpn")

    def pictures(self) -> None:
        for repair in (self.service, self.connection, self.old_network, self.wifi_calling, self.app, self.address):
            if self.sends():
                return
            repair()
        if not self.sends():
            raise HandOver

    def sends(self) -> bool:
        return "can send" in self.do("can_send_mms")

    def old_network(self) -> None:
        if "Network Type: 2G" in self.do("check_network_status"):
            self.do("set_network_mode_preference", mode="4g_5g_preferred")

    def wifi_calling(self) -> None:
        if "ON" in self.do("check_wifi_calling_status"):
            self.do("toggle_wifi_calling")

    def app(self) -> None:
        allowed = self.do("check_app_permissions", app_name="messaging")
        for permission in ("sms", "storage"):
            if permission not in allowed:
                self.do("grant_app_permission", app_name="messaging", permission=permission)

    def address(self) -> None:
        if "Not Set" in self.do("check_apn_settings"):
            self.do("reset_apn_settings")
            self.do("reboot_device")
