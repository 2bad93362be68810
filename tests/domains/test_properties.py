"""Whatever is called, in whatever order and with whatever arguments, the world keeps its promises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains import list_domains, load_domain
from domains.catalog import CODE
from domains.database import Base, Database, apply_changes
from domains.environment import Definition, Environment, SeatName, Token
from domains.toolkit import Tool
from domains.values import Record, apply, copied, differences, same, text_of
from tests.conftest import official_folder

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
Call = tuple[SeatName, str, Any]
SEATS: tuple[SeatName, ...] = ("user", "agent", "assistant")


class World:
    """A few customers of a domain with everything that belongs to them, and calls made of what is found there."""

    def __init__(self, definition: Definition, bases: dict[Any, Base], people: int = 8) -> None:
        self.definition = definition
        self.bases = {seat: _around_few(base, people) for seat, base in bases.items()}
        self.records = {
            key: record for base in self.bases.values() for rows in base.tables.values() for key, record in rows.items()
        }
        env = self.environment()
        self.tools: list[tuple[SeatName, Tool]] = [(seat, tool) for seat in env.kits for tool in env.tools(seat)]

    def environment(self) -> Environment:
        return Environment(self.definition, {seat: Database(base) for seat, base in self.bases.items()})

    def text(self) -> str:
        return json.dumps([base.tables for base in self.bases.values()])

    def near(self, key: str) -> dict[str, list[str]]:
        """The texts of a record and of those it names, by field name."""
        words: dict[str, list[str]] = {}
        own = self.records[key]
        named = {v: self.records[v] for _, v in _named(own) if isinstance(v, str) and v in self.records}
        for record in (own, *named.values()):
            for name, value in _named(record):
                if isinstance(value, str):
                    words.setdefault(name, []).append(value)
        return words


@st.composite
def calls(draw: st.DrawFn, world: World) -> Call:
    """A call of any tool by any seat: mostly of the right shape and about one record, sometimes anything at all."""
    seat, tool = draw(st.sampled_from(world.tools))
    about = [key for key, record in world.records.items() if tool.order and tool.order[0] in record]
    near = world.near(draw(st.sampled_from(about or list(world.records))))
    schema = tool.parameters
    defs = schema.get("$defs", {})
    match draw(st.sampled_from(["fits"] * 8 + ["one odd", "some missing", "other seat", "anything"])):
        case "fits":
            return seat, tool.name, _fitting(draw, schema, "", defs, near)
        case "one odd":
            arguments = _fitting(draw, schema, "", defs, near)
            return seat, tool.name, {**arguments, draw(st.sampled_from([*tool.order, "more"])): draw(JSON_VALUES)}
        case "some missing":
            arguments = _fitting(draw, schema, "", defs, near)
            return seat, tool.name, {name: value for name, value in arguments.items() if draw(st.booleans())}
        case "other seat":
            other: SeatName = draw(st.sampled_from(SEATS))
            return other, tool.name, _fitting(draw, schema, "", defs, near)
        case _:
            return seat, draw(st.sampled_from((tool.name, "", "__init__", "_user"))), draw(JSON_VALUES)


def _fitting(draw: st.DrawFn, schema: dict[str, Any], name: str, defs: dict[str, Any], near: dict[str, Any]) -> Any:
    """A value of the right type, taken from the neighbourhood where it has some of that name."""
    if "$ref" in schema:
        return _fitting(draw, defs[schema["$ref"].rpartition("/")[2]], name, defs, near)
    if "anyOf" in schema:
        return _fitting(draw, draw(st.sampled_from(schema["anyOf"])), name, defs, near)
    if "enum" in schema or "const" in schema:
        return draw(st.sampled_from(schema.get("enum") or [schema["const"]]))
    match schema.get("type"):
        case "object":
            return {key: _fitting(draw, part, key, defs, near) for key, part in schema.get("properties", {}).items()}
        case "array":
            length = draw(st.sampled_from((0, 1, 1, 1, 2, 2, 3)))
            return [_fitting(draw, schema.get("items", {}), name, defs, near) for _ in range(length)]
        case "string":
            singular = name.removesuffix("s").removeprefix("new_")
            lists = [
                near.get(key, []) for key in {name: 0, singular: 0, singular.removesuffix("_id") + "s": 0, "id": 0}
            ]
            found = [word for words in lists for word in words]
            return draw(st.sampled_from(found) if found else st.text(max_size=8))
        case "integer":
            return draw(st.integers(-3, 2_000))
        case "number":
            return draw(st.integers(-3, 50) | st.floats(-5, 50))
        case "boolean":
            return draw(st.booleans())
        case "null":
            return None
        case _:
            return draw(JSON_VALUES)


def _named(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value with the name of its field; the keys of a mapping go by the mapping's name."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield name, key
            yield from _named(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _named(part, name)
    else:
        yield name, value


def _around_few(base: Base, people: int) -> Base:
    """The base cut down to some customers and what their records name, so that a digest costs next to nothing."""
    homes = {key: (table, key) for table, rows in base.tables.items() for key in rows}
    first = next((t for t in ("users", "customers") if t in base.tables), base.shape[0].name)
    wanted = [(first, key) for key in list(base.tables[first])[:people]]
    for place in wanted:
        table, key = place
        for _, value in _named(base.tables[table][key]):
            if isinstance(value, str) and value in homes and homes[value] not in wanted and len(wanted) < 60:
                wanted.append(homes[value])
    keep = set(wanted) | {(table.name, "") for table in base.shape if table.kind == "single"}
    tables = {t: {k: r for k, r in rows.items() if (t, k) in keep} for t, rows in base.tables.items()}
    return Base(base.name, base.shape, tables)


@cache
def world_of(name: str) -> World:
    data = official_folder()
    if data is None and name not in list_domains():
        pytest.skip(f"{name} has no bundled pack, and the official data is not there")
    domain = load_domain(name, data if name not in list_domains() else None)
    return World(domain.definition, dict(domain.bases))


def digests(env: Environment) -> tuple[str | None, str | None]:
    return env.digest("agent"), env.digest("user")


def at(env: Environment, token: Token) -> Environment:
    """The same world in another state."""
    other = env.fork()
    other.restore(token)
    return other


def replay(env: Environment, changes: tuple[Any, ...]) -> None:
    for database in set(env.databases.values()):
        apply_changes(database, tuple(change for change in changes if change.database == database.base.name))


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(old=JSON_VALUES, new=JSON_VALUES)
def test_differences_replayed_on_the_old_value_give_the_new_one(old: Any, new: Any) -> None:
    kept = text_of(old)
    value = copied(Record(value=old))
    for path, _, after in differences(Record(value=old), Record(value=new)):
        value = apply(value, path, after)
    assert same(value, Record(value=new))
    assert same(old, new) == (text_of(old) == text_of(new))
    assert text_of(old) == kept


@pytest.mark.parametrize("name", sorted(CODE))
@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_calls_answer_and_their_changes_lead_from_the_old_state_to_the_new(name: str, data: st.DataObject) -> None:
    world = world_of(name)
    untouched = world.text()
    env = world.environment()
    tokens = [env.checkpoint()]
    for seat, tool, arguments in data.draw(st.lists(calls(world), min_size=2, max_size=8)):
        before, was = env.checkpoint(), digests(env)
        twin = at(env, before)
        preview = env.preview(seat, tool, arguments)
        assert digests(env) == was

        result = env.call(seat, tool, arguments)
        now = digests(env)
        assert result == preview
        assert result.error == result.content.startswith("Error: ")
        json.loads(json.dumps(env.databases["agent"].dump()))

        assert env.equals(twin) == (now == was)
        assert bool(result.changes + result.synced) == (now != was)
        replay(twin, result.changes)
        replay(twin, result.synced)
        assert digests(twin) == now and twin.equals(env)

        assert digests(at(env, before)) == was
        tokens.append(env.checkpoint())

    end = digests(env)
    back = at(env, data.draw(st.sampled_from(tokens)))
    replay(back, env.changes(back.checkpoint()))
    assert digests(back) == end
    assert world.text() == untouched
    assert digests(world.environment()) == digests(at(env, tokens[0]))
