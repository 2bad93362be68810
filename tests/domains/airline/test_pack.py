"""The bundled airline pack: made by its generator, sound as data, fair as a set of tasks."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from domains import load_domain
from domains.airline.generate import PACK, SEED
from domains.airline.generator.database import build_database
from domains.airline.generator.network import AIRPORTS, NOW
from domains.airline.generator.tasks import TEMPLATES, build_tasks
from domains.airline.tools import AirlineTools
from domains.catalog import Domain
from domains.generating import compact_json_text, json_text
from domains.task import Task
from domains.templates import split
from tests.domains.packing import answers, assert_one_voice, spoken, strings, twelve_words

Database = dict[str, dict[str, dict[str, Any]]]
FREE_BAGS = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 4)}
CABINS = ("basic_economy", "economy", "business")
TASKS = load_domain("airline").tasks
WRITES = {name for name, tool in AirlineTools.tools.items() if tool.mutates}


@pytest.fixture(scope="module")
def airline() -> Domain:
    return load_domain("airline")


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
    from domains.airline.generator.world import World
    from domains.generating import Dice

    world = World(database)
    for template, _ in TEMPLATES:
        drafts = template(world, Dice(SEED, template.__name__))
        assert next(drafts, None) and next(drafts, None), template.__name__


# The database


def test_it_has_full_size(database: Database) -> None:
    assert {name: len(table) for name, table in database.items()} == {
        "flights": 300,
        "users": 500,
        "reservations": 2000,
    }
    assert {len(flight["dates"]) for flight in database["flights"].values()} == {30}
    assert {flight[end] for flight in database["flights"].values() for end in ("origin", "destination")} == set(
        AIRPORTS
    )
    assert (PACK / "db.json.xz").stat().st_size < 1_000_000


def test_the_airports_are_those_the_tool_lists(airline: Domain) -> None:
    listed = json.loads(airline.environment().call("agent", "list_all_airports", {}).content)
    assert {airport["iata"]: airport["city"] for airport in listed} == {code: AIRPORTS[code][0] for code in AIRPORTS}


def test_ids_have_their_shape_and_leave_room_for_those_the_tools_make(database: Database) -> None:
    assert list(database["flights"]) == [f"HAT{number:03}" for number in range(1, 301)]
    assert all(re.fullmatch(r"[a-z]+_[a-z]+_\d{4}", user_id) for user_id in database["users"])
    assert all(re.fullmatch(r"[A-Z0-9]{6}", number) for number in database["reservations"])
    assert not {"HATHAT", "HATHAU", "HATHAV"} & set(database["reservations"])
    methods = [method for user in database["users"].values() for method in user["payment_methods"]]
    assert all(re.fullmatch(r"(credit_card|gift_card|certificate)_\d{7}", method) for method in methods)
    assert len(set(methods)) == len(methods)
    assert not {f"certificate_322132{digit}" for digit in "234"} & set(methods)


def test_records_and_keys_agree(database: Database) -> None:
    for table, field in (("flights", "flight_number"), ("users", "user_id"), ("reservations", "reservation_id")):
        assert all(record[field] == key for key, record in database[table].items())
    for user in database["users"].values():
        assert all(method["id"] == key for key, method in user["payment_methods"].items())
        own = [n for n, r in database["reservations"].items() if r["user_id"] == user["user_id"]]
        assert sorted(user["reservations"]) == sorted(own)


def test_statuses_fit_the_clock(database: Database) -> None:
    now = NOW.isoformat()
    for flight in database["flights"].values():
        for date, day in flight["dates"].items():
            match day["status"]:
                case "available":
                    assert date > now and set(day["prices"]) == set(day["available_seats"]) == set(CABINS)
                case "landed":
                    assert day["actual_departure_time_est"] < day["actual_arrival_time_est"] <= now
                case "flying":
                    assert day["actual_departure_time_est"] <= now < day["estimated_arrival_time_est"]
                case "on time" | "delayed":
                    assert now < day["estimated_departure_time_est"] < day["estimated_arrival_time_est"]
                case other:
                    assert other == "cancelled" and set(day) == {"status"}


def test_reservations_can_be_flown(database: Database) -> None:
    for reservation in database["reservations"].values():
        flights = reservation["flights"]
        end = flights[len(flights) // 2 - 1] if reservation["flight_type"] == "round_trip" else flights[-1]
        assert (flights[0]["origin"], end["destination"]) == (reservation["origin"], reservation["destination"])
        for flight in flights:
            known = database["flights"][flight["flight_number"]]
            assert (known["origin"], known["destination"]) == (flight["origin"], flight["destination"])
        for before, after in pairwise(flights):
            assert before["destination"] == after["origin"]
            assert arrival(database, before) < departure(database, after)
        assert reservation["created_at"] < min(NOW, departure(database, flights[0])).isoformat()


def test_payments_add_up_and_bags_are_counted_by_the_rules(database: Database) -> None:
    for reservation in database["reservations"].values():
        user = database["users"][reservation["user_id"]]
        people = len(reservation["passengers"])
        assert 1 <= people <= 5
        free = FREE_BAGS[user["membership"]][CABINS.index(reservation["cabin"])] * people
        assert reservation["nonfree_baggages"] == max(0, reservation["total_baggages"] - free)
        price = sum(flight["price"] for flight in reservation["flights"]) * people
        price += 30 * people * (reservation["insurance"] == "yes") + 50 * reservation["nonfree_baggages"]
        assert sum(payment["amount"] for payment in reservation["payment_history"]) == price
        assert all(payment["payment_id"] in user["payment_methods"] for payment in reservation["payment_history"])


def test_connections_are_plentiful(airline: Domain) -> None:
    env = airline.environment()
    pairs = [(a, b) for a in AIRPORTS for b in AIRPORTS if a != b][::5]
    found = 0
    for origin, destination in pairs:
        arguments = {"origin": origin, "destination": destination, "date": "2024-05-20"}
        found += env.call("agent", "search_onestop_flight", arguments).content != "[]"
    assert found > len(pairs) * 0.8


# The tasks


def test_there_are_enough_tasks_of_every_kind(airline: Domain) -> None:
    used = {action.name for task in TASKS for action in task.gold}
    assert len(TASKS) >= 24
    assert used >= WRITES | {"transfer_to_human_agents"}
    assert sum(len(writes(task)) > 1 for task in TASKS) >= 8
    assert sum(any(wish.refused for wish in task.user_scenario.wishes) for task in TASKS) >= 8
    assert sum(bool(answers(task)) for task in TASKS) >= 8
    assert sum(any(f.value is None for f in task.user_scenario.facts) for task in TASKS) >= 8


def test_splits_divide_the_tasks(airline: Domain) -> None:
    ids = [task.id for task in TASKS]
    assert airline.splits["base"] == ids == [str(index) for index in range(len(ids))]
    assert sorted(airline.splits["train"] + airline.splits["test"], key=int) == ids


@each_task
def test_the_gold_plan_works_and_shows(airline: Domain, task: Task) -> None:
    env = airline.environment(task)
    untouched = env.digest("agent")
    for action in task.gold:
        result = env.call("agent", action.name, action.arguments)
        assert not result.error, result.content
        assert bool(result.changes) == (action.name in WRITES)
    assert (env.digest("agent") != untouched) == bool(writes(task))


@each_task
def test_the_gold_plan_keeps_the_policy(airline: Domain, database: Database, task: Task) -> None:
    """Each write is judged on the state it meets, by the handbook's rules, which no tool checks."""
    env = airline.environment(task)
    for action in task.gold:
        arguments: dict[str, Any] = dict(action.arguments)
        if "reservation_id" in arguments:
            looked_up = env.call("agent", "get_reservation_details", {"reservation_id": arguments["reservation_id"]})
            reservation: dict[str, Any] = json.loads(looked_up.content)
        else:
            reservation = {}
        user_id = reservation.get("user_id") or arguments.get("user_id")
        user = json.loads(env.call("agent", "get_user_details", {"user_id": user_id}).content) if user_id else {}
        statuses = [status(database, flight) for flight in reservation.get("flights", [])]
        match action.name:
            case "book_reservation":
                methods = [payment["payment_id"].rsplit("_", 1)[0] for payment in arguments["payment_methods"]]
                assert methods.count("certificate") <= 1 and methods.count("credit_card") <= 1
                assert methods.count("gift_card") <= 3 and len(arguments["passengers"]) <= 5
                assert arguments["nonfree_baggages"] == nonfree(user, arguments, arguments["total_baggages"])
            case "cancel_reservation":
                reasons = [d.value for w in task.user_scenario.wishes for d in w.details if d.name == "reason"]
                assert not {"landed", "flying"} & set(statuses)
                assert (
                    datetime.fromisoformat(reservation["created_at"]) > NOW - timedelta(hours=24)
                    or "cancelled" in statuses
                    or reservation["cabin"] == "business"
                    or (reservation["insurance"] == "yes" and {"health", "weather"} & set(reasons))
                )
            case "update_reservation_flights":
                kept = [(f["flight_number"], f["date"]) for f in reservation["flights"]]
                wanted = [(f["flight_number"], f["date"]) for f in arguments["flights"]]
                assert arguments["payment_id"] in user["payment_methods"]
                assert kept == wanted or reservation["cabin"] != "basic_economy"
                assert arguments["cabin"] == reservation["cabin"] or not {"landed", "flying"} & set(statuses)
            case "update_reservation_passengers":
                assert len(arguments["passengers"]) == len(reservation["passengers"])
            case "update_reservation_baggages":
                assert arguments["total_baggages"] > reservation["total_baggages"]
                assert arguments["nonfree_baggages"] == nonfree(user, reservation, arguments["total_baggages"])
            case "send_certificate":
                assert arguments["amount"] in deserved(database, task, user)
        env.call("agent", action.name, action.arguments)


@each_task
def test_facts_and_wishes_say_what_the_gold_plan_does(task: Task) -> None:
    scenario, gold = task.user_scenario, [(a.name, a.arguments) for a in task.gold if a.name in WRITES]
    assert [(write.name, write.arguments) for wish in scenario.wishes for write in wish.writes] == gold
    assert [answer for wish in scenario.wishes for answer in wish.answers] == answers(task)
    known = {fact.name: fact.value for fact in scenario.facts}
    for wish in scenario.wishes:
        assert not (wish.refused and (wish.writes or wish.answers))
        for write in wish.writes:
            assert write.arguments.get("user_id", known["user_id"]) == known["user_id"]
            if known.get("reservation_id"):
                assert write.arguments.get("reservation_id", known["reservation_id"]) == known["reservation_id"]
        for detail in wish.details:
            for write in wish.writes:
                assert write.arguments.get(detail.name, detail.value) == detail.value


@each_task
def test_every_choice_of_a_write_is_the_customers_or_follows_from_the_rules(task: Task) -> None:
    derived = {"user_id", "reservation_id", "nonfree_baggages"}
    for wish in task.user_scenario.wishes:
        for write in wish.writes:
            if write.name != "send_certificate":
                assert set(write.arguments) - derived <= {detail.name for detail in wish.details}


@each_task
def test_scenario_and_facts_speak_with_one_voice(task: Task) -> None:
    assert_one_voice(task)


@each_task
def test_required_answers_do_not_occur_by_accident(task: Task) -> None:
    """The customer does not say them, and no identifier the agent may repeat holds them."""
    ids = [str(value) for action in task.gold for value in strings(action.arguments)]
    for answer in answers(task):
        assert len(answer) >= 3 and answer.isdigit()
        assert not [text for text in ids + spoken(task) if answer in text]


def test_every_customer_appears_once() -> None:
    customers = [fact.value for task in TASKS for fact in task.user_scenario.facts if fact.name == "user_id"]
    assert len(customers) == len(set(customers)) == len(TASKS)


# Our own words


@pytest.mark.official
def test_nothing_is_taken_from_the_official_texts(airline: Domain, official: Path) -> None:
    folder = official / "tau2" / "domains" / "airline"
    official_tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    theirs = twelve_words([(folder / "policy.md").read_text("utf-8"), *strings(official_tasks)])
    ours = twelve_words([airline.policy, *strings([task.model_dump() for task in TASKS])])
    assert not ours & theirs


@pytest.mark.official
def test_no_record_is_taken_from_the_official_database(database: Database, official: Path) -> None:
    theirs = json.loads((official / "tau2" / "domains" / "airline" / "db.json").read_text("utf-8"))
    assert not set(theirs["users"]) & set(database["users"])
    assert not {u["email"] for u in theirs["users"].values()} & {u["email"] for u in database["users"].values()}
    for number in set(theirs["reservations"]) & set(database["reservations"]):
        assert theirs["reservations"][number]["flights"] != database["reservations"][number]["flights"]
    assert not [n for n in database["flights"] if database["flights"][n]["dates"] == theirs["flights"][n]["dates"]]


def departure(database: Database, flight: dict[str, Any]) -> datetime:
    return moment(flight["date"], database["flights"][flight["flight_number"]]["scheduled_departure_time_est"])


def arrival(database: Database, flight: dict[str, Any]) -> datetime:
    return moment(flight["date"], database["flights"][flight["flight_number"]]["scheduled_arrival_time_est"])


def moment(date: str, clock: str) -> datetime:
    time, _, days = clock.partition("+")
    return datetime.fromisoformat(f"{date}T{time}") + timedelta(days=int(days or 0))


def status(database: Database, flight: dict[str, Any]) -> str:
    return str(database["flights"][flight["flight_number"]]["dates"][flight["date"]]["status"])


def nonfree(user: dict[str, Any], trip: dict[str, Any], total: int) -> int:
    free = FREE_BAGS[user["membership"]][CABINS.index(trip["cabin"])]
    return max(0, total - free * len(trip["passengers"]))


def deserved(database: Database, task: Task, user: dict[str, Any]) -> Iterator[int]:
    """The certificates the handbook grants for the reservations the task looks at."""
    changed = {a.arguments["reservation_id"] for a in task.gold if a.name in WRITES and "reservation_id" in a.arguments}
    for number in {a.arguments["reservation_id"] for a in task.gold if "reservation_id" in a.arguments}:
        reservation = database["reservations"][str(number)]
        people = len(reservation["passengers"])
        checked = {str(a.arguments["flight_number"]) for a in task.gold if a.name == "get_flight_status"}
        statuses = {status(database, f) for f in reservation["flights"] if f["flight_number"] in checked}
        if user["membership"] == "regular" and reservation["insurance"] == "no" and reservation["cabin"] != "business":
            continue
        if "cancelled" in statuses:
            yield 100 * people
        if "delayed" in statuses and number in changed:
            yield 50 * people


def writes(task: Task) -> list[Any]:
    return [action for action in task.gold if action.name in WRITES]
