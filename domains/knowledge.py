"""What can be told of a domain's data beyond its tools: how ids look and whose they are, who people are, oddities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.values import JSON, Record

if TYPE_CHECKING:
    from domains.environment import Environment, ToolResult


@dataclass(frozen=True, slots=True)
class Person:
    """A customer as a scenario may describe one; what a domain does not hold is empty."""

    id: str
    name: str
    zip: str = ""
    dob: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing with ids: the arguments that hold one, how one looks in a text, and where it is found."""

    name: str
    arguments: frozenset[str]
    find: Callable[[Environment, str], JSON]
    """The record, None where there is none."""
    owner: Callable[[Environment, str], str | None] = lambda env, value: None
    """The id of the customer whose it is, None where it is nobody's."""
    written: re.Pattern[str] | None = None
    spelled: Callable[[str], str] = str
    """Turns what stands in a text into the id."""


@dataclass(frozen=True, slots=True)
class GoldCall:
    """A gold action as it is played: the world before it, and what came of it."""

    env: Environment
    name: str
    arguments: Mapping[str, JSON]
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything the check knows of one domain."""

    kinds: tuple[Kind, ...]
    person: Callable[[Environment, str], Person | None]
    oddity: Callable[[GoldCall], str | None]
    """Names the known oddity of a tool that a call really passes through, in one sentence."""
    unavailable: Callable[[GoldCall], Iterable[str]] = lambda call: ()
    """Names what a call relies on that exists but is not to be had."""


def held(env: Environment, table: str, key: str) -> Record | None:
    """Return a record of the agent's database, None where there is none."""
    return env.databases["agent"].get(table, key)


def values_of(kind: Kind, arguments: JSON, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield argument name and id for every id of this kind in a call's arguments, at any depth."""
    match arguments:
        case dict():
            for key, value in arguments.items():
                yield from values_of(kind, value, key)
        case list():
            for value in arguments:
                yield from values_of(kind, value, name)
        case str() if name in kind.arguments:
            yield name, arguments


def written_in(kind: Kind, text: str) -> Iterator[str]:
    """Yield every id of this kind that a text names, once."""
    if kind.written is not None:
        yield from dict.fromkeys(kind.spelled(found) for found in kind.written.findall(text))
