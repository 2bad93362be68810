"""What the official shop does that nobody would expect; each is reproduced on purpose."""

from __future__ import annotations

import json
from typing import Any

from domains.database import Database
from domains.environment import Environment, ToolResult
from domains.retail import definition
from domains.retail.models import RetailDB
from domains.schema import load_base

ADDRESS = {"address1": "1 A", "address2": "", "city": "B", "country": "USA", "state": "OR", "zip": "97401"}


def variant(item_id: str, price: float, color: str) -> dict[str, Any]:
    return {"item_id": item_id, "options": {"color": color}, "available": True, "price": price}


def order(order_id: str, status: str, **more: Any) -> dict[str, Any]:
    items = [
        {"name": "Mug", "product_id": "1", "item_id": "11", "price": 10.1, "options": {"color": "red"}},
        {"name": "Rug", "product_id": "2", "item_id": "21", "price": 50.2, "options": {"color": "grey"}},
    ]
    paid = [{"transaction_type": "payment", "amount": 60.3, "payment_method_id": "gift_card_1"}]
    base = {"order_id": order_id, "user_id": "u", "address": ADDRESS, "items": items, "status": status}
    return {**base, "fulfillments": [], "payment_history": paid, **more}


def shop(**more: Any) -> Environment:
    card = {"source": "credit_card", "id": "credit_card_1", "brand": "visa", "last_four": "1234"}
    data = {
        "products": {
            "1": {
                "name": "Mug",
                "product_id": "1",
                "variants": {"11": variant("11", 10.1, "red"), "12": variant("12", 12.3, "blue")},
            },
            "2": {
                "name": "Rug",
                "product_id": "2",
                "variants": {"21": variant("21", 50.2, "grey"), "22": variant("22", 48.0, "teal")},
            },
        },
        "users": {
            "u": {
                "user_id": "u",
                "name": {"first_name": "Ada", "last_name": "Novak"},
                "address": ADDRESS,
                "email": "ada@example.com",
                "payment_methods": {
                    "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": 100},
                    "credit_card_1": card,
                },
                "orders": ["#W1", "#W2"],
            }
        },
        "orders": {"#W1": order("#W1", "pending", **more), "#W2": order("#W2", "delivered")},
    }
    return Environment(definition, {"agent": Database(load_base("agent", RetailDB, data, "test"))})


def swap(env: Environment, tool: str, order_id: str, old: Any, new: Any, pay: str = "credit_card_1") -> ToolResult:
    arguments = {"order_id": order_id, "item_ids": old, "new_item_ids": new, "payment_method_id": pay}
    return env.call("agent", tool, arguments)


def record(result: ToolResult) -> dict[str, Any]:
    assert not result.error, result.content
    shown: dict[str, Any] = json.loads(result.content)
    return shown


def test_every_modified_item_gets_the_price_and_options_of_the_last_new_one() -> None:
    env = shop()
    changed = record(swap(env, "modify_pending_order_items", "#W1", ["11", "21"], ["12", "22"]))
    assert [(i["item_id"], i["price"], i["options"]) for i in changed["items"]] == [
        ("12", 48.0, {"color": "teal"}),
        ("22", 48.0, {"color": "teal"}),
    ]


def test_the_difference_of_a_modification_is_not_rounded_and_a_gift_card_is() -> None:
    env = shop()
    changed = record(swap(env, "modify_pending_order_items", "#W1", ["11"], ["12"], "gift_card_1"))
    assert changed["payment_history"][1]["amount"] == 12.3 - 10.1 != 2.2
    user = record(env.call("agent", "get_user_details", {"user_id": "u"}))
    assert user["payment_methods"]["gift_card_1"]["balance"] == 97.8


def test_a_modification_of_nothing_is_noted_as_a_refund_of_nothing_and_locks_the_order() -> None:
    env = shop()
    changed = record(swap(env, "modify_pending_order_items", "#W1", [], []))
    assert changed["status"] == "pending (item modified)"
    assert changed["payment_history"][1]["transaction_type"] == "refund"
    assert '"amount": 0.0' in json.dumps(changed)
    assert env.call("agent", "cancel_pending_order", {"order_id": "#W1", "reason": "no longer needed"}).error
    assert not env.call("agent", "modify_pending_order_address", {"order_id": "#W1", **ADDRESS, "city": "C"}).error


def test_cancelling_after_a_change_of_payment_refunds_all_three_entries() -> None:
    env = shop()
    env.call("agent", "modify_pending_order_payment", {"order_id": "#W1", "payment_method_id": "credit_card_1"})
    cancelled = record(env.call("agent", "cancel_pending_order", {"order_id": "#W1", "reason": "ordered by mistake"}))
    assert [p["transaction_type"] for p in cancelled["payment_history"]] == ["payment", "payment", *["refund"] * 4]
    user = record(env.call("agent", "get_user_details", {"user_id": "u"}))
    assert user["payment_methods"]["gift_card_1"]["balance"] == 280.9


def test_a_cancellation_that_fails_half_way_keeps_the_refunds_it_had_made() -> None:
    gone = {"transaction_type": "payment", "amount": 5.0, "payment_method_id": "paypal_9"}
    paid = {"transaction_type": "payment", "amount": 60.3, "payment_method_id": "gift_card_1"}
    env = shop(payment_history=[paid, gone])
    result = env.call("agent", "cancel_pending_order", {"order_id": "#W1", "reason": "no longer needed"})
    assert result.error and result.content == "Error: Payment method not found"
    assert [(c.table, c.path[-1], c.after) for c in result.changes] == [("users", "balance", 160.3)]


def test_a_change_of_payment_away_from_an_unknown_method_fails_after_it_was_noted() -> None:
    env = shop(payment_history=[{"transaction_type": "payment", "amount": 60.3, "payment_method_id": "paypal_9"}])
    arguments = {"order_id": "#W1", "payment_method_id": "gift_card_1"}
    result = env.call("agent", "modify_pending_order_payment", arguments)
    assert result.content == "Error: Payment method not found"
    assert {change.table for change in result.changes} == {"orders", "users"}


def test_an_exchange_sorts_both_lists_and_of_nothing_it_succeeds_with_a_whole_number() -> None:
    both = record(swap(shop(), "exchange_delivered_order_items", "#W2", ["21", "11"], ["22", "12"]))
    assert (both["exchange_items"], both["exchange_new_items"]) == (["11", "21"], ["12", "22"])
    assert both["exchange_price_difference"] == 0.0
    nothing = swap(shop(), "exchange_delivered_order_items", "#W2", [], [])
    assert '"exchange_price_difference": 0,' in nothing.content


def test_a_return_of_nothing_succeeds() -> None:
    arguments = {"order_id": "#W2", "item_ids": [], "payment_method_id": "gift_card_1"}
    assert record(shop().call("agent", "return_delivered_order_items", arguments))["status"] == "return requested"


def test_capitals_do_not_matter_for_emails_and_names() -> None:
    env = shop()
    assert env.call("agent", "find_user_id_by_email", {"email": "ADA@Example.com"}).content == "u"
    person = {"first_name": "aDA", "last_name": "NOVAK", "zip": "97401"}
    assert env.call("agent", "find_user_id_by_name_zip", person).content == "u"
