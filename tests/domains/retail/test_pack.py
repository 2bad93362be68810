"""The bundled shop: made by its generator, sound as data, fair as a set of tasks."""

from __future__ import annotations

import json
import lzma
import re
from typing import Any

import pytest

from domains import load_domain
from domains.catalog import Domain
from domains.generating import Dice, compact_json_text, json_text
from domains.retail.generate import PACK, SEED
from domains.retail.generator.database import build_database
from domains.retail.generator.tasks import TEMPLATES, build_tasks
from domains.retail.generator.world import World
from domains.retail.tools import RetailTools
from domains.task import Task
from domains.templates import split
from tests.domains.packing import answers, assert_one_voice, spoken, strings, twelve_words

Database = dict[str, dict[str, dict[str, Any]]]
TASKS = load_domain("retail").tasks
WRITES = {name for name, tool in RetailTools.tools.items() if tool.mutates}
ADDRESS = {"address1", "address2", "city", "state", "country", "zip"}


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load_domain("retail")


@pytest.fixture(scope="module")
def packed() -> str:
    return lzma.decompress((PACK / "db.json.xz").read_bytes()).decode()


@pytest.fixture(scope="module")
def database(packed: str) -> Database:
    content: Database = json.loads(packed)
    return content


each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


# Made again


def test_the_generator_makes_the_same_pack_again(packed: str) -> None:
    built = build_database(SEED)
    tasks = build_tasks(SEED, built)
    assert compact_json_text(built) == packed
    assert json_text(tasks) == (PACK / "tasks.json").read_text("utf-8")
    assert json_text(split(tasks)) == (PACK / "split_tasks.json").read_text("utf-8")


def test_making_tasks_leaves_the_database_alone(database: Database, packed: str) -> None:
    build_tasks(SEED, database)
    assert compact_json_text(database) == packed


def test_another_seed_makes_another_pack(packed: str) -> None:
    assert compact_json_text(build_database(SEED + 1)) != packed


def test_every_template_could_give_more_tasks(database: Database) -> None:
    world = World(database)
    for template, _ in TEMPLATES:
        drafts = template(world, Dice(SEED, template.__name__))
        customers = {draft.user_id for draft, _ in zip(drafts, range(8), strict=False)}
        assert len(customers) >= 3, template.__name__


# The database


def test_it_has_full_size(database: Database) -> None:
    assert {name: len(table) for name, table in database.items()} == {"products": 50, "users": 500, "orders": 1000}
    assert all(len(product["variants"]) >= 6 for product in database["products"].values())
    assert {order["status"] for order in database["orders"].values()} == {
        "pending",
        "processed",
        "delivered",
        "cancelled",
    }


def test_ids_have_their_shape_and_occur_once(database: Database) -> None:
    items = [item for product in database["products"].values() for item in product["variants"]]
    methods = [method for user in database["users"].values() for method in user["payment_methods"]]
    assert all(re.fullmatch(r"\d{10}", number) for number in [*items, *database["products"]])
    assert len({*items, *database["products"]}) == len(items) + 50
    assert all(re.fullmatch(r"#W\d{7}", number) for number in database["orders"])
    assert all(re.fullmatch(r"[a-z]+_[a-z]+_\d{4}", user_id) for user_id in database["users"])
    assert all(re.fullmatch(r"(credit_card|gift_card|paypal)_\d{7}", method) for method in methods)
    assert len(set(methods)) == len(methods)


def test_records_and_keys_agree(database: Database) -> None:
    for table, field in (("products", "product_id"), ("users", "user_id"), ("orders", "order_id")):
        assert all(record[field] == key for key, record in database[table].items())
    for user in database["users"].values():
        assert all(method["id"] == key for key, method in user["payment_methods"].items())
        own = [n for n, order in database["orders"].items() if order["user_id"] == user["user_id"]]
        assert user["orders"] == own
    for product in database["products"].values():
        assert all(variant["item_id"] == key for key, variant in product["variants"].items())
        assert any(variant["available"] for variant in product["variants"].values())


def test_every_customer_is_found_by_email_and_by_name(database: Database) -> None:
    users = list(database["users"].values())
    assert len({user["email"] for user in users}) == 500
    assert len({(*user["name"].values(), user["address"]["zip"]) for user in users}) == 500


def test_the_options_of_a_product_tell_its_variants_apart(database: Database) -> None:
    for product in database["products"].values():
        options = [tuple(variant["options"].items()) for variant in product["variants"].values()]
        assert len(set(options)) == len(options)
        assert len({tuple(variant["options"]) for variant in product["variants"].values()}) == 1


def test_orders_hold_what_the_shop_sells_and_are_paid_for(database: Database) -> None:
    for order in database["orders"].values():
        methods = database["users"][order["user_id"]]["payment_methods"]
        assert len({item["item_id"] for item in order["items"]}) == len(order["items"]) >= 1
        for item in order["items"]:
            product = database["products"][item["product_id"]]
            assert item["name"] == product["name"]
            assert item["options"] == product["variants"][item["item_id"]]["options"]
        paid = order["payment_history"]
        assert paid[0]["amount"] == round(sum(item["price"] for item in order["items"]), 2)
        assert all(payment["payment_method_id"] in methods for payment in paid)
        kinds = [payment["transaction_type"] for payment in paid]
        assert kinds == (["payment", "refund"] if order["status"] == "cancelled" else ["payment"])
        sent = [item for shipment in order["fulfillments"] for item in shipment["item_ids"]]
        goods = [item["item_id"] for item in order["items"]]
        assert sent == (goods if order["status"] in ("processed", "delivered") else [])


# The tasks


def test_there_are_enough_tasks_of_every_kind(retail: Domain) -> None:
    used = {action.name for task in TASKS for action in task.gold}
    assert len(TASKS) >= 24
    assert used == set(RetailTools.tools)
    assert sum(len(writes(task)) > 1 for task in TASKS) >= 6
    assert sum(any(wish.refused for wish in task.user_scenario.wishes) for task in TASKS) >= 8
    assert sum(any(wish.conceal for wish in task.user_scenario.wishes) for task in TASKS) >= 4
    assert sum(bool(answers(task)) for task in TASKS) >= 12
    assert sum(task.gold[0].name == "find_user_id_by_name_zip" for task in TASKS) >= 8
    assert sum(any(f.name == "order_id" and f.value is None for f in task.user_scenario.facts) for task in TASKS) >= 8


def test_splits_divide_the_tasks(retail: Domain) -> None:
    ids = [task.id for task in TASKS]
    assert retail.splits["base"] == ids == [str(index) for index in range(len(ids))]
    assert sorted(retail.splits["train"] + retail.splits["test"], key=int) == ids


@each_task
def test_the_gold_plan_works_and_shows(retail: Domain, task: Task) -> None:
    env = retail.environment(task)
    untouched = env.digest("agent")
    for action in task.gold:
        result = env.call("agent", action.name, action.arguments)
        assert not result.error, result.content
        assert bool(result.changes) == (action.name in WRITES)
    assert (env.digest("agent") != untouched) == bool(writes(task))


@each_task
def test_the_gold_plan_keeps_the_policy(retail: Domain, task: Task) -> None:
    """Each write is judged on the state it meets, by the handbook's rules, most of which no tool checks."""
    env = retail.environment(task)
    assert task.gold[0].name.startswith("find_user_id_by_")
    user_id = env.call("agent", task.gold[0].name, task.gold[0].arguments).content
    seen: set[str] = set()
    for action in task.gold:
        arguments: dict[str, Any] = dict(action.arguments)
        user = shown(env.call("agent", "get_user_details", {"user_id": user_id}).content)
        if "order_id" in arguments and action.name in WRITES:
            order = shown(env.call("agent", "get_order_details", {"order_id": arguments["order_id"]}).content)
            assert order["user_id"] == user_id and arguments["order_id"] in seen
            assert order["status"] == ("pending" if "pending" in action.name else "delivered")
        seen |= {str(arguments.get("order_id", ""))}
        match action.name:
            case "cancel_pending_order":
                assert arguments["reason"] in ("no longer needed", "ordered by mistake")
            case "modify_user_address":
                assert arguments["user_id"] == user_id
            case "modify_pending_order_payment":
                assert_covers(user, arguments["payment_method_id"], order["payment_history"][0]["amount"])
            case "return_delivered_order_items":
                method = user["payment_methods"][arguments["payment_method_id"]]
                assert (
                    method["id"] == order["payment_history"][0]["payment_method_id"] or method["source"] == "gift_card"
                )
            case "modify_pending_order_items" | "exchange_delivered_order_items":
                price = 0.0
                for item_id, new_item_id in zip(arguments["item_ids"], arguments["new_item_ids"], strict=True):
                    (item,) = (item for item in order["items"] if item["item_id"] == item_id)
                    product = shown(
                        env.call("agent", "get_product_details", {"product_id": item["product_id"]}).content
                    )
                    assert new_item_id != item_id and product["variants"][new_item_id]["available"]
                    price += product["variants"][new_item_id]["price"] - item["price"]
                assert_covers(user, arguments["payment_method_id"], price)
        env.call("agent", action.name, arguments)


@each_task
def test_no_task_passes_through_an_oddity(task: Task) -> None:
    for action in task.gold:
        if action.name == "modify_pending_order_items":
            assert len(action.arguments["item_ids"]) == 1
        assert action.arguments.get("item_ids") != []
    cancelled = [a.arguments["order_id"] for a in task.gold if a.name == "cancel_pending_order"]
    assert not [a for a in task.gold if a.name.endswith("_payment") and a.arguments["order_id"] in cancelled]


@each_task
def test_facts_and_wishes_say_what_the_gold_plan_does(task: Task) -> None:
    scenario, gold = task.user_scenario, [(a.name, a.arguments) for a in task.gold if a.name in WRITES]
    assert [(write.name, write.arguments) for wish in scenario.wishes for write in wish.writes] == gold
    assert [answer for wish in scenario.wishes for answer in wish.answers] == answers(task)
    known = {fact.name: fact.value for fact in scenario.facts}
    for wish in scenario.wishes:
        assert not (wish.refused and (wish.writes or wish.answers))
        for write in wish.writes:
            if known.get("order_id") and "order_id" in write.arguments:
                assert write.arguments["order_id"] == known["order_id"]
            for detail in wish.details:
                assert write.arguments.get(detail.name, detail.value) == detail.value
    if task.gold[0].name == "find_user_id_by_email":
        assert task.gold[0].arguments["email"] == known["email"]
    else:
        assert known["email"] is None
        assert task.gold[0].arguments == {name: known[name] for name in ("first_name", "last_name", "zip")}


@each_task
def test_every_choice_of_a_write_is_the_customers(task: Task) -> None:
    for wish in task.user_scenario.wishes:
        for write in wish.writes:
            assert set(write.arguments) - {"user_id", "order_id"} <= {detail.name for detail in wish.details}
            if write.name.endswith("_address"):
                assert {detail.name for detail in wish.details} == ADDRESS


@each_task
def test_scenario_and_facts_speak_with_one_voice(task: Task) -> None:
    assert_one_voice(task)


@each_task
def test_required_answers_do_not_occur_by_accident(task: Task) -> None:
    """The customer does not say them, and no identifier the agent may repeat holds them."""
    ids = [value for action in task.gold if action.name != "calculate" for value in strings(action.arguments)]
    for answer in answers(task):
        assert re.fullmatch(r"\d{2,}\.\d[1-9]|\d{12}", answer)
        assert not [text for text in ids + spoken(task) if answer in text]


def test_every_customer_appears_once(retail: Domain) -> None:
    env = retail.environment()
    customers = [env.call("agent", task.gold[0].name, task.gold[0].arguments).content for task in TASKS]
    assert len(set(customers)) == len(TASKS)


# Our own words


@pytest.mark.official
def test_nothing_is_taken_from_the_official_texts(retail: Domain, official: Any) -> None:
    folder = official / "tau2" / "domains" / "retail"
    official_tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    theirs = twelve_words([(folder / "policy.md").read_text("utf-8"), *strings(official_tasks)])
    described = [tool.description for tool in RetailTools.tools.values()]
    ours = twelve_words([retail.policy, *described, *strings([task.model_dump() for task in TASKS])])
    assert not ours & theirs


@pytest.mark.official
def test_no_record_is_taken_from_the_official_database(database: Database, official: Any) -> None:
    theirs = json.loads((official / "tau2" / "domains" / "retail" / "db.json").read_text("utf-8"))
    for table in ("users", "orders", "products"):
        assert not set(theirs[table]) & set(database[table])
    assert not {p["name"] for p in theirs["products"].values()} & {p["name"] for p in database["products"].values()}
    assert not {u["email"] for u in theirs["users"].values()} & {u["email"] for u in database["users"].values()}


def shown(content: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(content)
    return record


def assert_covers(user: dict[str, Any], method_id: str, amount: float) -> None:
    method = user["payment_methods"][method_id]
    assert method["source"] != "gift_card" or method["balance"] >= amount


def writes(task: Task) -> list[Any]:
    return [action for action in task.gold if action.name in WRITES]
