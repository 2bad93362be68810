"""A world in motion: two databases, the toolkits over them, calls with their changes, checkpoints and forks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from domains.database import Change, Database, Overlay
from domains.errors import DataError
from domains.toolkit import Seat, Tool, Toolkit
from domains.values import JSON, Record, copied

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from domains.task import EnvAssertion, EnvFunction, Task

Token: TypeAlias = "tuple[Overlay | None, Overlay | None]"
SeatName: TypeAlias = Literal["user", "agent", "assistant"]


class ToolError(Exception):
    """A call that the environment itself refuses, in the recorded words."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave: the text a model is shown, and what it changed.

    `changes` are the tool's own, kept also when it failed; `synced` are those the other side's world made of it.
    """

    content: str
    error: bool
    changes: tuple[Change, ...] = ()
    synced: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Definition:
    """The code of a domain, which serves several packs of content."""

    name: str
    now: str
    toolkits: Mapping[Seat, type[Toolkit]]
    databases: Mapping[Seat, tuple[str, type[BaseModel]]]
    """Side → name of the file without its ending, and the schema."""
    policy: Callable[[Path, bool], str]
    """Reads the policy from a pack's folder; True asks for the solo variant."""
    sync: Callable[[Environment], None] | None = None
    one_database_after_merge: bool = False
    """Official oddity: initialization_data for one side makes its database the other side's as well."""
    oddities: Mapping[str, str] = field(default_factory=dict)
    """Tool name → the official oddity a call of it may pass through."""
    knowledge: str = ""
    """`module:name` of what the check knows of the domain; read only where it is used."""


class Environment:
    """One fork of a domain's databases; see `Domain.environment`."""

    def __init__(self, definition: Definition, databases: Mapping[Seat, Database], *, solo: bool = False) -> None:
        self.definition = definition
        self.databases = dict(databases)
        self.solo = solo
        self.kits: dict[Seat, Toolkit] = {
            seat: kit(self.databases[seat]) for seat, kit in definition.toolkits.items() if seat in self.databases
        }
        self.user_tools: frozenset[str] | None = None
        """The user tools a task allows; None allows all."""
        self.sync()
        self.start = self.checkpoint()

    # Calling

    def call(self, seat: SeatName, name: str, arguments: Mapping[str, JSON], *, sync: bool = True) -> ToolResult:
        """Run a tool for a seat. Whatever a caller can cause comes back as an error, never as an exception.

        Without `sync` the other side learns nothing, as when the official evaluator plays gold.
        """
        self._begin()
        try:
            kit, tool = self.find(_seat(seat), name)
            if not isinstance(arguments, Mapping):
                raise ToolError(f"{name}: the arguments must be an object, not {type(arguments).__name__}")
            if misfit := tool.misfit(arguments):
                raise ToolError(misfit)
            content = content_of(tool.function(kit, **{k: copied(v) for k, v in arguments.items()}))
            changes = self._changes()
            self._begin()
            if sync:
                self.sync()
        except Exception as error:  # a tool may raise anything a caller's arguments make it raise
            return ToolResult(f"Error: {error}", True, self._changes())
        return ToolResult(content, False, changes, self._changes())

    def find(self, seat: Seat, name: str) -> tuple[Toolkit, Tool]:
        """Return the toolkit and tool a call of this seat reaches. Raises ToolError in the recorded words."""
        if seat == "user":
            if self.solo:
                raise ToolError("User tool calls are not allowed in solo mode")
            if "user" not in self.kits:
                raise ToolError("User tools not available")
        elif self.solo and "user" in self.kits and name in self.kits["user"].tools:
            seat = "user"
        kit = self.kits[seat]
        found = kit.tools.get(name) if isinstance(name, str) else None
        if found is None:
            raise ToolError(f"Tool '{name}' not found.")
        return kit, found

    def preview(self, seat: SeatName, name: str, arguments: Mapping[str, JSON]) -> ToolResult:
        """Say what a call would do, on a throw-away fork."""
        return self.fork().call(seat, name, arguments)

    def tools(self, seat: SeatName) -> tuple[Tool, ...]:
        """Return the tools a seat is offered; in solo mode the agent holds both sets."""
        own = _seat(seat)
        if self.solo:
            return () if own == "user" else (*self._offered("agent"), *self._offered("user"))
        return self._offered(own)

    def _offered(self, seat: Seat) -> tuple[Tool, ...]:
        if seat not in self.kits:
            return ()
        tools = self.kits[seat].tools.values()
        if seat == "user" and self.user_tools is not None:
            return tuple(tool for tool in tools if tool.name in self.user_tools)
        return tuple(tools)

    def mutates(self, seat: SeatName, name: str) -> bool:
        """Tell whether a call of this name could change a database; a call that reaches no tool cannot."""
        try:
            return self.find(_seat(seat), name)[1].mutates
        except ToolError:
            return False

    # The task's beginning, and assertions

    def apply(self, task: Task) -> None:
        """Bring a fresh environment into a task's initial state. Raises DataError when it does not apply."""
        self.user_tools = frozenset(task.user_tools) if task.user_tools is not None else None
        state = task.initial_state
        if state is not None:
            data = state.initialization_data
            if data is not None:
                for seat, part in (("agent", data.agent_data), ("user", data.user_data)):
                    if part is not None:
                        self._merge(seat, part)
            for action in state.initialization_actions or ():
                self.run(action)
            for message in state.message_history or ():
                for call in message.get("tool_calls") or ():
                    seat = call.get("requestor") or message["role"]
                    self.call(seat, call["name"], call["arguments"])
        self.sync()
        self.start = self.checkpoint()

    def _merge(self, seat: str, data: Mapping[str, JSON]) -> None:
        database = self.databases.get("agent" if seat == "agent" else "user")
        if database is None:
            raise DataError(f"initialization_data: {self.definition.name} has no {seat} database")
        database.merge(data)
        if self.definition.one_database_after_merge:
            self.databases = dict.fromkeys(self.databases, database)
            for kit in self.kits.values():
                kit.db = database

    def run(self, action: EnvFunction) -> JSON:
        """Run an environment function or a tool of either side, then sync. Raises DataError."""
        kit = self.kits.get(_seat(action.env_type))
        if kit is None or action.func_name not in kit.functions:
            raise DataError(f"{self.definition.name} has no {action.env_type} function {action.func_name!r}")
        self._begin()
        try:
            value = getattr(kit, action.func_name)(**{k: copied(v) for k, v in action.arguments.items()})
            self.sync()
        except Exception as error:  # the function is the domain's, its arguments are the task's
            raise DataError(f"{action.func_name}({action.arguments}): {error}") from error
        return value

    def check(self, assertion: EnvAssertion) -> bool:
        """Tell whether an assertion holds; one that raises or does not answer yes or no does not."""
        try:
            value = self.run(assertion)
        except DataError:
            return False
        return isinstance(value, bool) and value == assertion.assert_value

    def sync(self) -> None:
        """Let each side's world learn what the other did."""
        if self.definition.sync is not None:
            self.definition.sync(self)

    # States

    def checkpoint(self) -> Token:
        """Return a token of the present state, in constant time."""
        agent, user = self.databases.get("agent"), self.databases.get("user")
        return (agent.checkpoint() if agent else None, user.checkpoint() if user else None)

    def restore(self, token: Token) -> None:
        """Go to a state of this environment or of one it was forked from, in constant time."""
        for seat, overlay in zip(("agent", "user"), token, strict=True):
            if overlay is not None:
                self.databases[_seat(seat)].restore(overlay)

    def fork(self) -> Environment:
        """Return an independent environment in the same state."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        forks = {db: db.fork() for db in self._distinct()}
        twin.databases = {seat: forks[db] for seat, db in self.databases.items()}
        twin.kits = {seat: type(kit)(twin.databases[seat]) for seat, kit in self.kits.items()}
        return twin

    def changes(self, since: Token | None = None) -> tuple[Change, ...]:
        """Return what differs in both databases from an earlier state, by default from the start of the task."""
        token = self.start if since is None else since
        overlays = {
            self.databases[_seat(seat)]: overlay
            for seat, overlay in zip(("agent", "user"), token, strict=True)
            if overlay is not None
        }
        return tuple(change for database, overlay in overlays.items() for change in database.changes(overlay))

    def digest(self, seat: SeatName) -> str | None:
        """Return sha256 of one side's database as the official code computes it, None without that database."""
        database = self.databases.get(_seat(seat))
        return None if database is None else database.digest()

    def equals(self, other: Environment) -> bool:
        """Tell whether both databases are equal to another environment's."""
        return all(db.equals(other.databases[seat]) for seat, db in self.databases.items())

    def _begin(self) -> None:
        for database in self._distinct():
            database.begin()

    def _changes(self) -> tuple[Change, ...]:
        return tuple(change for database in self._distinct() for change in database.changes())

    def _distinct(self) -> Iterable[Database]:
        """Each database once; after a merge both sides may share one."""
        return dict.fromkeys(self.databases.values())


def _seat(name: str) -> Seat:
    match name:
        case "agent" | "assistant":
            return "agent"
        case "user":
            return "user"
        case _:
            raise ToolError(f"There is no seat {name!r}; the seats are user and agent")


def content_of(value: JSON) -> str:
    """Return what a model is shown: text as it is, otherwise JSON in which plain numbers have become strings."""
    if isinstance(value, str):
        return value
    return json.dumps(_shown(value), default=str)


def _shown(value: Any) -> JSON:
    # Official oddity: numbers and booleans become text, except inside records, which are dumped as they are.
    if isinstance(value, Record) or value is None:
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return [_shown(v) for v in value]
    if isinstance(value, dict):
        return {k: _shown(v) for k, v in value.items()}
    return value
