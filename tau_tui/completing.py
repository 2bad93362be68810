"""Ids a form may complete: those the seat has already seen, and, where the view is open, those of the database."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from domains.values import JSON

if TYPE_CHECKING:
    from domains.environment import Environment
    from sessions.trajectory import Turn

ID = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Z]*\d[A-Z0-9]{3,}|[A-Z][A-Z0-9]{2,}")
LONGEST = 60


def seen_ids(turns: Iterable[Turn], field: str) -> tuple[str, ...]:
    """Return what could stand in a field, newest first: values of that name in own results, then ids in any words."""
    named: dict[str, None] = {}
    loose: dict[str, None] = {}
    for turn in reversed(list(turns)):
        for done in turn.calls:
            if done.result is not None and not done.result.error:
                named |= dict.fromkeys(_values(_parsed(done.result.content), field))
            value = done.call.arguments.get(field)
            if isinstance(value, str):
                named[value] = None
        loose |= dict.fromkeys(ID.findall(turn.text))
    return tuple(text for text in {**named, **loose} if len(text) <= LONGEST and text.isprintable())


def _parsed(content: str) -> JSON:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _values(value: JSON, field: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == field and isinstance(inner, str):
                yield inner
            elif isinstance(inner, list) and _plural(field) == name:
                yield from (item for item in inner if isinstance(item, str))
            elif isinstance(inner, dict) and _plural(field) in (name, f"{name}s"):
                yield from inner
            yield from _values(inner, field)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, field)


def _plural(field: str) -> str:
    """`reservation_id` names a record of `reservations`."""
    return f"{field.removesuffix('_id').removesuffix('_number')}s"


def database_ids(env: Environment, field: str) -> tuple[str, ...]:
    """Return the keys of the table a field names, in any database of the world."""
    table = _plural(field)
    keys: list[str] = []
    for database in env.databases.values():
        if any(known.name == table for known in database.base.shape):
            keys.extend(database.rows(table))
    return tuple(key for key in keys if key.isprintable())
