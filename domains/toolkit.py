"""Tools: what a seat may call, with a kind, a description and the JSON schema of the arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from domains.database import Database
from domains.values import JSON, Record

Kind: TypeAlias = Literal["read", "write", "generic", "think"]
Seat: TypeAlias = Literal["user", "agent"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Tool:
    """One callable of a domain, described as a model or a form needs it."""

    name: str
    kind: Kind
    owner: Seat
    mutates: bool
    description: str
    function: Callable[..., JSON] = field(repr=False, compare=False)
    required: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, JSON]:
        """The JSON schema of the arguments: an object with properties, required and $defs."""
        from domains.schema import parameters_of

        return parameters_of(self.function)

    def misfit(self, arguments: Mapping[str, JSON]) -> str:
        """Say what is wrong with the names of the arguments, or nothing."""
        missing = [name for name in self.order if name in self.required and name not in arguments]
        unexpected = [str(name) for name in arguments if name not in self.accepted]
        if not missing and not unexpected:
            return ""
        parts = []
        if missing:
            parts.append(f"missing {', '.join(missing)}")
        if unexpected:
            parts.append(f"unexpected {', '.join(unexpected)}")
        return f"{self.name}({', '.join(self.order)}): {'; '.join(parts)}"


def tool(kind: Kind, *, mutates: bool | None = None) -> Callable[[F], F]:
    """Mark a toolkit method as a tool; its docstring is the description a model is given."""

    def mark(function: F) -> F:
        function.__tool__ = (kind, kind == "write" if mutates is None else mutates)  # type: ignore[attr-defined]  # a mark, read back by Toolkit
        return function

    return mark


def env_function(function: F) -> F:
    """Mark a toolkit method as an environment function: for initial actions and assertions, never for a seat."""
    function.__env_function__ = True  # type: ignore[attr-defined]  # a mark, read back by Toolkit
    return function


class Toolkit:
    """The tools of one side over its database. `other` is the other side's toolkit, where there is one."""

    owner: ClassVar[Seat] = "agent"
    tools: ClassVar[dict[str, Tool]] = {}
    functions: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, db: Database) -> None:
        self.db = db

    def row(self, table: str, key: str, lacking: str) -> Record:
        """Return a record, which must not be changed. Raises ValueError with the words of `lacking`."""
        found = self.db.get(table, key)
        if found is None:
            raise ValueError(lacking)
        return found

    def __init_subclass__(cls) -> None:
        found: dict[str, Tool] = {}
        functions: set[str] = set()
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            mark = getattr(method, "__tool__", None)
            if mark is not None or getattr(method, "__env_function__", False):
                functions.add(name)
            if mark is None:
                continue
            parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
            found[name] = Tool(
                name=name,
                kind=mark[0],
                owner=cls.owner,
                mutates=mark[1],
                description=inspect.cleandoc(method.__doc__ or ""),
                function=method,
                required=frozenset(p.name for p in parameters if p.default is p.empty),
                accepted=frozenset(p.name for p in parameters),
                order=tuple(p.name for p in parameters),
            )
        cls.tools = found
        cls.functions = frozenset(functions)
