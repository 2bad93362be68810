"""What the check finds: each lint on a bundled task spoiled in one place, then the official packs as they are."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domains import list_domains, load_domain
from domains.check import RULES, Finding, check, check_task
from domains.checking import pack
from domains.task import Task

Spoil = Callable[[dict[str, Any]], None]


def writing(domain: str, tool: str) -> dict[str, Any]:
    """The first bundled task whose gold calls a tool, as JSON."""
    task = next(t for t in load_domain(domain).tasks if any(a.name == tool for a in t.gold))
    found: dict[str, Any] = task.model_dump(mode="json")
    return found


def codes(domain: str, raw: dict[str, Any], *, mildest: str = "warning") -> set[str]:
    levels = ("error", "warning", "info")[: 3 if mildest == "info" else 2]
    return {f.code for f in findings(domain, raw) if f.level in levels}


def findings(domain: str, raw: dict[str, Any]) -> list[Finding]:
    return check_task(load_domain(domain), Task.model_validate(raw))


def action(raw: dict[str, Any], tool: str) -> dict[str, Any]:
    found: dict[str, Any] = next(a for a in raw["evaluation_criteria"]["actions"] if a["name"] == tool)
    return found


def add(raw: dict[str, Any], name: str, arguments: dict[str, Any], **more: Any) -> None:
    raw["evaluation_criteria"]["actions"].append({"name": name, "arguments": arguments} | more)


def told(raw: dict[str, Any], text: str) -> None:
    raw["user_scenario"]["instructions"]["task_instructions"] += f"\n{text}"


@pytest.fixture
def cancelling() -> dict[str, Any]:
    return writing("airline", "cancel_reservation")


@pytest.fixture
def phone() -> dict[str, Any]:
    return writing("telecom", "toggle_data")


@pytest.fixture
def booking() -> dict[str, Any]:
    return writing("airline", "book_reservation")


@pytest.mark.parametrize("domain", list_domains())
def test_nothing_is_wrong_in_the_bundled_packs(domain: str) -> None:
    assert [f for f in check(load_domain(domain)) if f.level != "info"] == []


# Gold


def test_a_gold_write_that_fails_is_named_with_its_reason(cancelling: dict[str, Any]) -> None:
    add(cancelling, "update_reservation_baggages", {})
    action(cancelling, "cancel_reservation")["arguments"]["reservation_id"] = "QQQQQ1"
    found = next(f for f in findings("airline", cancelling) if f.code == "gold-write-fails")
    assert (found.level, found.name) == ("error", "cancel_reservation")
    assert "drops out of the goal: Reservation QQQQQ1 not found" in found.what
    assert codes("airline", cancelling) >= {"misfit-arguments", "missing-record"}


def test_a_gold_read_that_fails_is_a_warning(cancelling: dict[str, Any]) -> None:
    add(cancelling, "get_user_details", {"user_id": "nobody_at_0000"})
    found = {f.code: f.level for f in findings("airline", cancelling)}
    assert found["gold-read-fails"] == found["missing-record"] == "warning"


def test_a_second_cancellation_passes_through_an_oddity(cancelling: dict[str, Any]) -> None:
    assert "passes-through-oddity" not in codes("airline", cancelling, mildest="info")
    add(cancelling, "cancel_reservation", action(cancelling, "cancel_reservation")["arguments"])
    found = next(f for f in findings("airline", cancelling) if f.code == "passes-through-oddity")
    assert found.level == "info" and "already cancelled" in found.what


def test_a_write_without_effect(phone: dict[str, Any]) -> None:
    add(phone, "connect_vpn", {}, requestor="user")
    add(phone, "connect_vpn", {}, requestor="user")
    assert "gold-write-changes-nothing" in codes("telecom", phone, mildest="info")


def test_an_assertion_that_gold_does_not_meet(phone: dict[str, Any]) -> None:
    add(phone, "toggle_airplane_mode", {}, requestor="user")
    assert "assertion-unmet" in codes("telecom", phone)


@pytest.mark.parametrize(
    ("assertion", "code"),
    [
        ({"env_type": "user", "func_name": "assert_moon_phase"}, "unknown-function"),
        ({"env_type": "assistant", "func_name": "assert_can_send_mms"}, "unknown-function"),
        ({"env_type": "user", "func_name": "assert_can_send_mms", "arguments": {"no": 1}}, "assertion-raises"),
        ({"env_type": "user", "func_name": "check_status_bar"}, "assertion-not-boolean"),
    ],
)
def test_an_assertion_that_can_never_be_met(phone: dict[str, Any], assertion: dict[str, Any], code: str) -> None:
    phone["evaluation_criteria"]["env_assertions"].append(assertion)
    assert code in codes("telecom", phone)


def test_a_goal_that_only_a_world_without_sync_reaches() -> None:
    raw = writing("telecom", "make_payment")
    assert "gold-needs-sync" not in codes("telecom", raw)
    raw["evaluation_criteria"]["reward_basis"] = ["DB"]
    found = next(f for f in findings("telecom", raw) if f.code == "gold-needs-sync")
    assert found.level == "error" and "bills" in found.what


# Inaction


def test_a_task_that_passes_by_inaction(cancelling: dict[str, Any]) -> None:
    criteria = cancelling["evaluation_criteria"]
    criteria["communicate_info"] = []
    assert "passes-by-inaction" not in codes("airline", cancelling)
    criteria["actions"] = [a for a in criteria["actions"] if a["name"].startswith("get_")]
    assert next(f for f in findings("airline", cancelling)).code == "passes-by-inaction"
    criteria["reward_basis"] = ["DB", "NL_ASSERTION"]
    criteria["nl_assertions"] = ["The agent is polite."]
    assert "passes-by-inaction-unless-judged" in codes("airline", cancelling)
    criteria["reward_basis"] = ["DB", "ACTION"]
    assert codes("airline", cancelling) == set()


def test_what_the_history_holds_counts_as_done(cancelling: dict[str, Any]) -> None:
    criteria = cancelling["evaluation_criteria"]
    criteria["actions"], criteria["communicate_info"] = [], ["refunded"]
    assert "passes-by-inaction" not in codes("airline", cancelling)
    history = [{"role": "assistant", "content": "It is Refunded."}]
    cancelling["initial_state"] = {"message_history": history}
    assert "passes-by-inaction" in codes("airline", cancelling)


def test_no_criteria(cancelling: dict[str, Any]) -> None:
    cancelling["evaluation_criteria"] = None
    assert "no-criteria" in codes("airline", cancelling)


# Records and people


def test_an_id_that_only_the_text_names(cancelling: dict[str, Any]) -> None:
    told(cancelling, "If asked, say that it is ZZ9ZZ9, flight HAT999, PLEASE.")
    found = [f.what for f in findings("airline", cancelling) if f.code == "missing-record"]
    assert len(found) == 2 and "'ZZ9ZZ9'" in found[0] and "'HAT999'" in found[1]


def test_a_flight_that_is_not_for_sale(booking: dict[str, Any]) -> None:
    flights = load_domain("airline").bases["agent"].tables["flights"]
    number, date = next((n, d) for n, f in flights.items() for d, v in f["dates"].items() if v["status"] == "cancelled")
    action(booking, "book_reservation")["arguments"]["flights"] = [{"flight_number": number, "date": date}]
    assert codes("airline", booking) >= {"unavailable-record", "gold-write-fails"}


def test_an_item_that_is_sold_out() -> None:
    raw = writing("retail", "exchange_delivered_order_items")
    products = load_domain("retail").bases["agent"].tables["products"].values()
    gone = next(i for product in products for i, v in product["variants"].items() if not v["available"])
    action(raw, "exchange_delivered_order_items")["arguments"]["new_item_ids"][0] = gone
    assert "unavailable-record" in codes("retail", raw)


def test_records_of_another_customer(cancelling: dict[str, Any]) -> None:
    mine = action(cancelling, "get_user_details")["arguments"]["user_id"]
    reservations = load_domain("airline").bases["agent"].tables["reservations"]
    other = next(r for r in reservations.values() if r["user_id"] != mine)
    add(cancelling, "cancel_reservation", {"reservation_id": other["reservation_id"]})
    found = {f.code: f.what for f in findings("airline", cancelling)}
    assert other["user_id"] in found["several-people"] and other["user_id"] in found["other-person"]


def test_a_customer_who_is_described_as_somebody_else(cancelling: dict[str, Any]) -> None:
    known = cancelling["user_scenario"]["instructions"]
    known["known_info"] = known["known_info"].replace("Your name is ", "Your name is Zebedee ")
    known["task_instructions"] += "\nYour zip code is 00001."
    assert codes("airline", cancelling) >= {"name-disagrees", "zip-disagrees"}


def test_a_fact_and_its_sentence(cancelling: dict[str, Any]) -> None:
    users = list(load_domain("airline").bases["agent"].tables["users"])
    fact = next(f for f in cancelling["user_scenario"]["facts"] if f["name"] == "user_id")
    fact["value"] = next(user for user in users if user not in fact["say"])
    assert "fact-disagrees" in codes("airline", cancelling)


def test_a_ticket_about_another_customer(phone: dict[str, Any]) -> None:
    phone["ticket"] = "Phone number: 555-000-0000 has no data."
    assert codes("telecom", phone) == {"ticket-disagrees", "missing-record"}


# Required strings


@pytest.mark.parametrize(
    ("strings", "code"),
    [
        (["1,464"], "required-string-with-comma"),
        ([" "], "required-string-empty"),
        (["help"], "required-string-in-greeting"),
        (["credit card", "credit"], "required-string-within-another"),
    ],
)
def test_required_strings(booking: dict[str, Any], strings: list[str], code: str) -> None:
    booking["evaluation_criteria"]["communicate_info"] = strings
    assert code in codes("airline", booking)


def test_a_short_number_that_stands_in_an_id(booking: dict[str, Any]) -> None:
    user = action(booking, "get_user_details")["arguments"]["user_id"]
    booking["evaluation_criteria"]["communicate_info"] = [user[-4:-2]]
    assert "required-string-by-accident" in codes("airline", booking)


# Days


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("You fly on Monday, May 21.", "date-impossible"),  # a Tuesday in 2024
        ("You fly on May 20, 2024 (Monday).", None),
        ("You fly on February 30.", "date-impossible"),
        ("You may 40 times ask.", None),
    ],
)
def test_days_in_texts(cancelling: dict[str, Any], text: str, code: str | None) -> None:
    told(cancelling, text)
    assert codes("airline", cancelling) == ({code} if code else set())


def test_gold_on_another_day_than_the_text(booking: dict[str, Any]) -> None:
    date = action(booking, "book_reservation")["arguments"]["flights"][0]["date"]
    scene = booking["user_scenario"]["instructions"]
    month_day = time.strftime("%B %d", time.strptime(date, "%Y-%m-%d")).replace(" 0", " ")
    assert month_day in scene["reason_for_call"]
    scene["reason_for_call"] = scene["reason_for_call"].replace(month_day, f"{month_day}, 2023")
    assert "date-disagrees" in codes("airline", booking)
    scene["reason_for_call"] = scene["reason_for_call"].replace(f"{month_day}, 2023", "June 1")
    assert "date-not-in-scenario" in codes("airline", booking, mildest="info")


# Names and set-up


def spoil_tool(raw: dict[str, Any]) -> None:
    add(raw, "fly_to_the_moon", {})


def spoil_side(raw: dict[str, Any]) -> None:
    add(raw, "toggle_data", {}, requestor="assistant")


def spoil_compare(raw: dict[str, Any]) -> None:
    raw["evaluation_criteria"]["actions"][0]["compare_args"] = ["altitude"]


def spoil_user_tools(raw: dict[str, Any]) -> None:
    raw["user_tools"] = ["check_status_bar", "refuel_data"]


def spoil_state(raw: dict[str, Any]) -> None:
    raw["initial_state"]["initialization_actions"].append({"env_type": "user", "func_name": "turn_moon_off"})


def spoil_history(raw: dict[str, Any]) -> None:
    raw["initial_state"]["message_history"] = [{"tool_calls": [{"name": "toggle_data"}]}]


def spoil_app(raw: dict[str, Any]) -> None:
    arguments = {"app_name": "chess", "permission": "sms"}
    call = {"env_type": "user", "func_name": "remove_app_permission", "arguments": arguments}
    raw["initial_state"]["initialization_actions"].append(call)


def spoil_mention(raw: dict[str, Any]) -> None:
    told(raw, "Look at it with `get_status_bar`, not `can_send_mms`.")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (spoil_tool, "unknown-tool"),
        (spoil_side, "other-sides-tool"),
        (spoil_compare, "unknown-compare-args"),
        (spoil_user_tools, "unknown-user-tool"),
        (spoil_user_tools, "tool-not-offered"),
        (spoil_state, "initial-state-fails"),
        (spoil_history, "initial-state-fails"),
        (spoil_app, "initial-action-refused"),
        (spoil_mention, "unknown-tool-mentioned"),
    ],
)
def test_names_and_set_up(phone: dict[str, Any], spoil: Spoil, code: str) -> None:
    assert code not in codes("telecom", phone)
    spoil(phone)
    assert code in codes("telecom", phone)


def test_a_pack_with_broken_tasks_is_checked_all_the_same(tmp_path: Path, cancelling: dict[str, Any]) -> None:
    spoiled = json.loads(json.dumps(cancelling)) | {"id": "spoiled"}
    spoiled["evaluation_criteria"]["reward_basis"] = ["DB", "LUCK"]
    (tmp_path / "tasks.json").write_text(json.dumps([cancelling, spoiled, cancelling]))
    number = cancelling["id"]
    splits = {"train": [number, number, "gone"], "test": [number]}
    (tmp_path / "split_tasks.json").write_text(json.dumps(splits))
    bundled = load_domain("airline")
    domain = replace(bundled, folder=tmp_path)
    domain.bases = bundled.bases
    found = {(f.task, f.code) for f in check(domain) if f.level != "info"}
    assert found == {
        ("spoiled", "invalid-task"),
        (number, "duplicate-id"),
        ("gone", "split-unknown-task"),
        (number, "split-repeats-task"),
        (number, "split-overlap"),
    }
    assert [task.id for task in pack.read(domain)[0]] == [number]


def test_every_code_says_why_it_matters_and_what_to_do() -> None:
    assert all(rule.why.endswith(".") and rule.do.endswith(".") for rule in RULES.values())


# The official packs


@pytest.fixture(scope="module")
def official_retail(official: Path) -> list[Finding]:
    return check(load_domain("retail", official))


@pytest.mark.official
def test_official_retail_gold_errors(official_retail: list[Finding]) -> None:
    failing = [f for f in official_retail if f.code in ("gold-read-fails", "gold-write-fails")]
    per_task = Counter(f.task for f in failing)
    assert per_task == {
        **dict.fromkeys(("2", "3", "4", "35", "37", "38", "39", "54", "55", "64", "68", "105"), 1),
        **dict.fromkeys(("46", "47", "67"), 2),
    }
    assert sum(per_task.values()) == 18
    assert all(f.name and f.action is not None and " fails" in f" {f.what}" for f in failing)
    writes = {f.task: f for f in failing if f.code == "gold-write-fails"}
    assert writes.keys() == {"64", "105"} and all(f.level == "error" for f in writes.values())
    assert "Non-delivered order cannot be exchanged" in writes["64"].what
    assert "Insufficient gift card balance" in writes["105"].what


@pytest.mark.official
def test_official_retail_inaction_and_the_product_that_does_not_exist(official_retail: list[Finding]) -> None:
    by_code: dict[str, set[str]] = {}
    for finding in official_retail:
        by_code.setdefault(finding.code, set()).add(finding.task)
    assert by_code["passes-by-inaction"] == {"10", "12", "25", "50", "57", "65"}
    assert by_code["passes-by-inaction-unless-judged"] == {"24", "62", "67", "68", "105"}
    product = [f for f in official_retail if f.code == "missing-record" and "no product '6086499569'" in f.what]
    assert [f.task for f in product] == ["2", "3", "4"]
    assert {f.name for f in product} == {"get_product_details"}


@pytest.mark.official
def test_official_airline(official: Path) -> None:
    counts = Counter(f.code for f in check(load_domain("airline", official)) if f.level != "info")
    assert counts == {"passes-by-inaction": 23, "required-string-by-accident": 1}


@pytest.mark.official
def test_every_official_telecom_task_begins_and_is_met_by_gold(official: Path) -> None:
    start = time.perf_counter()
    domain = load_domain("telecom", official)
    found = check(domain)
    assert len(domain.tasks) == 2285 and time.perf_counter() - start < 60
    counts = Counter(f.code for f in found if f.level != "info")
    assert counts == {"unknown-tool-mentioned": 2285, "missing-record": 7}
