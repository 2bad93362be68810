"""Forks cost what was touched; the base is never changed; every state can be named, compared and gone back to."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from domains.database import SINGLE, Base, Change, Database, apply_changes
from domains.errors import DataError
from domains.schema import load_base
from domains.values import ABSENT, Record, differences, same


class Item(BaseModel):
    id: str
    price: float
    tags: list[str] = []
    note: str | None = None


class Clock(BaseModel):
    hour: int = 12


class Shop(BaseModel):
    ids: ClassVar[dict[str, str]] = {"queue": "id"}

    items: dict[str, Item]
    queue: list[Item]
    clock: Clock


@pytest.fixture
def base() -> Base:
    raw = {
        "items": {"a": {"id": "a", "price": 3, "unknown": 1}, "b": {"id": "b", "price": 4.5, "tags": ["x", "y"]}},
        "queue": [{"id": "q2", "price": 1}, {"id": "q1", "price": 2}],
        "clock": {},
    }
    return load_base("agent", Shop, raw, "shop.json")


def state(database: Database) -> str:
    return json.dumps(database.dump(), sort_keys=True, default=str)


def test_loading_normalises_fields_in_schema_order_unknown_dropped_defaults_filled_floats_as_floats(base: Base) -> None:
    assert json.dumps(base.tables["items"]["a"]) == '{"id": "a", "price": 3.0, "tags": [], "note": null}'


def test_a_bad_database_is_one_line_with_file_and_place() -> None:
    with pytest.raises(DataError, match=r"^shop\.json: items\.a\.price: .*number"):
        load_base("agent", Shop, {"items": {"a": {"id": "a", "price": "?"}}, "queue": [], "clock": {}}, "shop.json")


def test_writing_to_one_fork_is_seen_by_no_other_and_not_by_the_base(base: Base) -> None:
    one = Database(base)
    two = one.fork()
    one.edit("items", "a")["price"] = 9.0
    assert two.get("items", "a") == {"id": "a", "price": 3.0, "tags": [], "note": None}
    assert base.tables["items"]["a"]["price"] == 3.0


def test_the_digest_is_that_of_the_whole_state_as_json(base: Base) -> None:
    import hashlib

    database = Database(base)
    database.edit("queue", "q2")["tags"].append("ü")
    database.insert("items", "c", Record(id="c", price=1.5, tags=[], note=None))
    database.delete("items", "b")
    assert database.digest() == hashlib.sha256(state(database).encode()).hexdigest()
    assert [row["id"] for row in database.dump()["queue"]] == ["q2", "q1"], "a list keeps its order"


def test_changes_name_table_key_and_path(base: Base) -> None:
    database = Database(base)
    database.begin()
    database.edit("items", "b")["tags"][0] = "z"
    database.edit("clock")["hour"] = 13
    assert database.changes() == (
        Change("agent", "items", "b", ("tags", 0), "x", "z"),
        Change("agent", "clock", SINGLE, ("hour",), 12, 13),
    )


def test_a_new_record_is_one_change_of_many_fields(base: Base) -> None:
    database = Database(base)
    database.begin()
    database.insert("items", "c", Record(id="c", price=1.0, tags=["x"], note=None))
    (change,) = database.changes()
    assert (change.path, change.before, change.fields) == ((), ABSENT, 4)


def test_what_was_written_and_written_back_is_no_change(base: Base) -> None:
    database = Database(base)
    database.begin()
    database.edit("items", "a")["price"] = 5.0
    database.edit("items", "a")["price"] = 3.0
    assert database.changes() == ()
    assert database.equals(Database(base))


def test_going_back_and_forth_between_checkpoints(base: Base) -> None:
    database = Database(base)
    start = database.checkpoint()
    database.edit("items", "a")["tags"].append("1")
    middle = database.checkpoint()
    database.edit("items", "a")["tags"].append("2")
    end = database.checkpoint()
    for token, tags in ((start, []), (middle, ["1"]), (end, ["1", "2"]), (middle, ["1"])):
        database.restore(token)
        record = database.get("items", "a")
        assert record is not None
        assert record["tags"] == tags


def test_changes_applied_to_the_old_state_give_the_new_one(base: Base) -> None:
    database = Database(base)
    old = database.fork()
    database.begin()
    database.edit("items", "b")["tags"] = []
    database.edit("items", "a")["tags"] = ["1", "2"]
    database.delete("queue", "q1")
    apply_changes(old, database.changes())
    assert old.equals(database)
    assert state(old) == state(database)


def test_initialisation_data_is_merged_deeply_and_lists_are_replaced(base: Base) -> None:
    database = Database(base)
    database.merge({"items": {"b": {"tags": ["new"]}, "c": {"id": "c", "price": 1}}, "clock": {"hour": 3}})
    dumped = database.dump()
    assert dumped["items"]["b"] == {"id": "b", "price": 4.5, "tags": ["new"], "note": None}
    assert dumped["items"]["c"]["price"] == 1.0
    assert dumped["clock"] == {"hour": 3}
    database.merge({"queue": [{"id": "q9", "price": 9}]})
    assert [row["id"] for row in database.dump()["queue"]] == ["q9"]


def test_initialisation_data_for_a_table_that_is_not_there_is_refused(base: Base) -> None:
    with pytest.raises(DataError, match="no table 'itmes'"):
        Database(base).merge({"itmes": {}})


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (4, 4.0, False),
        (True, 1, False),
        (None, ABSENT, False),
        ([1, 2], [1, 2], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (0.1 + 0.2, 0.3, False),
        (float("nan"), float("nan"), True),
        ("1", 1, False),
    ],
)
def test_equality_is_that_of_the_json_text(a: Any, b: Any, equal: bool) -> None:
    assert same(a, b) is equal
    assert bool(list(differences(a, b))) is not equal
