"""Reads tau2 results of every version: one JSON object, or `results.json` beside `simulations/<id>.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from domains.errors import DataError
from domains.schema import explain
from domains.task import Task
from domains.toolkit import Seat
from domains.values import JSON, copied
from sessions.event import Call, Message, PlayerInfo, Result, Stop
from sessions.interop import voice
from sessions.interop.recorded import RecordedRun as RecordedRun
from sessions.interop.streaming import Watch, first_event, head, items, too_deep
from sessions.limits import Limits
from sessions.trajectory import Done, Turn

SOLO_AGENT = "llm_agent_solo"
STOPS: tuple[Stop, ...] = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")

LONG = (
    ("environment_info", "policy"),
    ("environment_info", "tool_defs"),
    ("user_info", "global_simulation_guidelines"),
)
"""Documents in `info` that are as long as many runs."""

HELD = frozenset(("id", "task_id", "termination_reason", "messages", "trial", "seed", "reward_info", "ticks"))
"""The fields of a simulation that a RecordedRun holds."""

Id = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]


class Wire(BaseModel):
    """A part of the format; fields we do not read are kept."""

    model_config = ConfigDict(extra="allow")


class WireCall(Wire):
    id: str = ""
    name: str
    arguments: dict[str, Any]
    requestor: Literal["user", "assistant"] | None = None


class WireMessage(Wire):
    role: Literal["user", "assistant", "tool", "system"]
    content: str | None = None
    tool_calls: list[WireCall] | None = None
    timestamp: str | None = None
    cost: float | None = None
    usage: dict[str, Any] | None = None
    id: str = ""
    error: bool = False
    tool_messages: list[WireMessage] | None = None


class WireNamed(Wire):
    implementation: str = ""
    llm: str | None = None
    llm_args: dict[str, Any] | None = None

    def player(self) -> PlayerInfo:
        """Return who filled the seat: the model that was asked for, or whatever played without one."""
        settings: dict[str, JSON] = {"implementation": self.implementation}
        if self.llm_args:
            settings["llm_args"] = self.llm_args
        if not self.llm:
            return PlayerInfo("replay", self.implementation or "unknown", settings)
        return PlayerInfo("model", self.llm, settings)


class WireEnvironment(Wire):
    domain_name: str
    policy: str = ""


class WireInfo(Wire):
    """How the runs were made."""

    environment_info: WireEnvironment
    agent_info: WireNamed = Field(default_factory=WireNamed)
    user_info: WireNamed = Field(default_factory=WireNamed)
    num_trials: int | None = None
    max_steps: int | None = None
    max_errors: int | None = None
    seed: int | None = None


class WireReward(Wire):
    reward: float | None = None


class WireSimulation(Wire):
    id: Id
    task_id: Id
    termination_reason: str
    messages: list[WireMessage] | None = None
    trial: int | None = None
    seed: int | None = None
    reward_info: WireReward | None = None
    start_time: str | None = None
    end_time: str | None = None
    ticks: list[Any] | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """A results file; simulations are read and validated one by one, when they are asked for."""

    path: Path
    info: WireInfo
    raw: Mapping[str, JSON]
    """The fields of the file; instead of the simulations, an empty list."""
    folder: Path | None
    """Where the simulations lie in the folder layout."""
    known: dict[str, Task] = field(default_factory=dict, repr=False, compare=False)

    @property
    def format(self) -> str:
        """The name of the format."""
        return "tau2"

    @property
    def domain(self) -> str:
        """The name of the domain, as the file gives it."""
        return self.info.environment_info.domain_name

    def as_domain(self, name: str) -> Results:
        """Return the same file, read as one of another domain."""
        world = self.info.environment_info.model_copy(update={"domain_name": name})
        return replace(self, info=self.info.model_copy(update={"environment_info": world}))

    @property
    def solo(self) -> bool:
        """Whether the agent worked alone from a ticket."""
        return self.info.agent_info.implementation == SOLO_AGENT

    @property
    def players(self) -> dict[Seat, PlayerInfo]:
        """Who filled the seats: the models that were asked for."""
        players: dict[Seat, PlayerInfo] = {"agent": self.info.agent_info.player()}
        return players if self.solo else {"user": self.info.user_info.player(), **players}

    @property
    def limits(self) -> Limits:
        """Where its runs ended by themselves."""
        return Limits(max_steps=self.info.max_steps or 200, max_errors=self.info.max_errors or 10)

    @property
    def policy(self) -> str:
        """The document that bound the agent."""
        return self.info.environment_info.policy

    @property
    def about(self) -> dict[str, JSON]:
        """What the file says of all its runs, without the long documents."""
        info = copied(self.raw["info"])
        for part, long in LONG:
            if isinstance(info.get(part), dict):
                info[part].pop(long, None)
        return {"info": info, "timestamp": self.raw.get("timestamp")}

    @property
    def size(self) -> int:
        """How many bytes `simulations` reads."""
        paths = [self.path] if self.folder is None else self._paths()
        return sum(path.stat().st_size for path in paths)

    def tasks(self) -> dict[str, Task]:
        """Return the tasks embedded in the file by id. Raises DataError with task and field."""
        if self.known:
            return self.known
        for i, item in enumerate(self.raw.get("tasks") or ()):
            try:
                task = Task.model_validate(item)
            except ValidationError as error:
                named = item.get("id", f"number {i}") if isinstance(item, dict) else f"number {i}"
                self.known.clear()
                raise DataError(f"{self.path}: task {named}: {explain(error)}") from None
            self.known[task.id] = task
        return self.known

    def task_of(self, run: RecordedRun) -> Task | None:
        """Return the task that a run names. Raises DataError."""
        return self.tasks().get(run.task_id)

    def simulations(self, watch: Watch | None = None) -> Iterator[RecordedRun | DataError]:
        """Yield every simulation, or what is wrong with it, one at a time. Raises OSError."""
        for where, item in self._items(watch):
            if isinstance(item, DataError):
                yield item
                continue
            try:
                yield run_of(item, where)
            except DataError as error:
                yield error

    def _items(self, watch: Watch | None) -> Iterator[tuple[str, JSON]]:
        if self.folder is not None:
            for path in self._paths():
                try:
                    yield f"{path}: simulation {path.stem}", parsed(path, watch)
                except DataError as error:
                    yield str(path), error
            return
        try:
            for i, item in enumerate(items(self.path, "simulations.item", watch)):
                named = item.get("id", f"number {i}") if isinstance(item, dict) else f"number {i}"
                yield f"{self.path}: simulation {named}", item
        except DataError as error:
            yield str(self.path), error

    def _paths(self) -> list[Path]:
        index = [entry.get("id") if isinstance(entry, dict) else entry for entry in self.raw["simulation_index"] or ()]
        order = {str(name): i for i, name in enumerate(index)}
        assert self.folder is not None
        # Names come from the folder, never from the data.
        return sorted(self.folder.glob("*.json"), key=lambda p: (order.get(p.stem, len(order)), p.name))


def read(path: Path) -> Results:
    """Open a results file, or a folder in the folder layout. Raises OSError, and DataError for anything else.

    Of a file, no more than what stands before the simulations is read, where that is enough.
    """
    if path.is_dir():
        if not (path / "results.json").is_file():
            raise DataError(f"{path}: no results folder: it holds no results.json; name the files in it one by one")
        path = path / "results.json"
    begins = first_event(path)
    if begins == "start_array":
        raise DataError(f"{path}: expected an object; a list of runs is tau-bench (v1), not tau2")
    raw = head(path, "simulations", ("info", "tasks")) if begins == "start_map" else {}
    if "info" not in raw:
        raise DataError(f"{path}: not a tau2 results file: expected an object with info, tasks and simulations")
    try:
        info = WireInfo.model_validate(raw["info"])
    except ValidationError as error:
        raise DataError(f"{path}: {explain(error, 'info')}") from None
    for name in ("tasks", "simulations", "simulation_index"):
        if not isinstance(raw.setdefault(name, None), list | None):
            raise DataError(f"{path}: {name}: expected a list")
    beside = path.parent / "simulations"
    folder = beside if raw["simulations"] is None and beside.is_dir() else None
    if raw["simulations"] is None and folder is None:
        raise DataError(f"{path}: simulations: not in the file, and there is no folder of that name beside it")
    return Results(path, info, raw, folder)


def parsed(path: Path, watch: Watch | None = None) -> JSON:
    """Parse a JSON file. Raises OSError, and DataError with line and column."""
    content = path.read_bytes()
    if watch is not None:
        watch(content)
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file: {error}") from None
    except RecursionError:
        raise too_deep(path) from None


def run_of(item: JSON, where: str) -> RecordedRun:
    """Validate one simulation; `where` begins the line of an error. Raises DataError."""
    try:
        wire = WireSimulation.model_validate(item)
    except ValidationError as error:
        raise DataError(f"{where}: {explain(error)}") from None
    said = wire.messages
    if not said and wire.ticks:
        try:
            said = [WireMessage.model_validate(message) for message in voice.messages(wire.ticks)] or None
        except ValidationError as error:
            raise DataError(f"{where}: {explain(error, 'ticks')}") from None
    turns = None if said is None else turns_of(said, where)
    return RecordedRun(
        id=wire.id,
        task_id=wire.task_id,
        termination=wire.termination_reason,
        turns=turns,
        trial=wire.trial,
        seed=wire.seed,
        reward_info=item.get("reward_info"),
        extra={name: item[name] for name in item if name not in HELD},
        start=_seconds(wire.start_time),
        end=_seconds(wire.end_time),
    )


def history_turns(messages: Iterable[Mapping[str, JSON]], where: str) -> tuple[Turn, ...]:
    """Return the turns of a task's message history, numbered so that they come before turn 0. Raises DataError."""
    try:
        wire = [WireMessage.model_validate(message) for message in messages]
    except ValidationError as error:
        raise DataError(f"{where}: {explain(error, 'message_history')}") from None
    spoken = sum(message.role in ("user", "assistant") for message in wire)
    return turns_of(wire, where, first=-spoken)


def turns_of(messages: Iterable[WireMessage], where: str, first: int = 0) -> tuple[Turn, ...]:
    """Return one turn for each message of a player, with the answers to its calls. Raises DataError."""
    turns: list[Turn] = []
    for i, message in enumerate(messages):
        match message.role:
            case "user" | "assistant":
                turns.append(_turn(message, first + len(turns)))
            case "tool":
                for answer in message.tool_messages or (message,):
                    if not turns or not _answered(turns, answer):
                        raise DataError(f"{where}: messages.{i}.id: answers no call before it ({answer.id!r})")
            case "system":
                pass  # instructions to a model, not something that happened
    return tuple(turns)


def _turn(message: WireMessage, index: int) -> Turn:
    seat: Seat = "agent" if message.role == "assistant" else "user"
    text, at = message.content or "", _seconds(message.timestamp)
    stop = next((token for token in STOPS if token in text), None)
    usage: dict[str, JSON] = {
        name: value for name in ("cost", "usage") if (value := getattr(message, name)) is not None
    }
    calls = tuple(
        Done(
            Call(
                turn=index,
                seat=seat if call.requestor is None else "agent" if call.requestor == "assistant" else "user",
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                at=at,
            )
        )
        for call in message.tool_calls or ()
    )
    spoken = Message(turn=index, seat=seat, text=text, stop=stop, usage=usage, at=at) if text or not calls else None
    return Turn(index=index, seat=seat, text=text, stop=stop, calls=calls, at=at, message=spoken)


def _answered(turns: list[Turn], answer: WireMessage) -> bool:
    """Put an answer to its call in the last turn; ids repeat within some files, so the first open one takes it."""
    turn = turns[-1]
    for i, done in enumerate(turn.calls):
        if done.result is None and done.call.id == answer.id:
            call = done.call
            result = Result(
                turn=call.turn,
                seat=call.seat,
                id=call.id,
                content=answer.content or "",
                error=answer.error,
                at=_seconds(answer.timestamp),
            )
            calls = (*turn.calls[:i], Done(call, result), *turn.calls[i + 1 :])
            turns[-1] = Turn(turn.index, turn.seat, turn.text, turn.stop, calls, turn.at, turn.message)
            return True
    return False


def _seconds(timestamp: str | None) -> float:
    """Return seconds since the epoch; 0 where a file gives no readable time, UTC where it gives no zone."""
    try:
        when = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return 0.0
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
