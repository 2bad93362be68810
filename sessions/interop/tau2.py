"""Reads tau2 results of every version: one JSON object, or `results.json` beside `simulations/<id>.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from domains.errors import DataError
from domains.schema import explain
from domains.task import Task
from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import Call, Message, Result, Stop
from sessions.trajectory import Done, Turn

SOLO_AGENT = "llm_agent_solo"
STOPS: tuple[Stop, ...] = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")

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


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One simulation of a results file. `turns` is None where the file holds no messages (full duplex)."""

    id: str
    task_id: str
    termination: str
    turns: tuple[Turn, ...] | None
    trial: int | None = None
    seed: int | None = None
    reward_info: Mapping[str, JSON] | None = None
    extra: Mapping[str, JSON] = field(default_factory=dict)
    """Every other field of the simulation, as it stood there."""

    @property
    def reward(self) -> float | None:
        """The reward the file holds."""
        return self.reward_info.get("reward") if self.reward_info else None

    def judgements(self, assertions: Sequence[str]) -> list[bool] | None:
        """Return the recorded verdicts on these natural-language assertions, None unless there is one for each."""
        checks = (self.reward_info or {}).get("nl_assertions") or ()
        met = {c.get("nl_assertion"): c.get("met") for c in checks if isinstance(c, dict)}
        found = [met.get(text) for text in assertions]
        return [bool(verdict) for verdict in found] if None not in found else None

    def checked_actions(self) -> list[tuple[str, JSON]] | None:
        """Return name and arguments of the gold actions the file was graded with, None when it does not say."""
        checks = (self.reward_info or {}).get("action_checks")
        if not isinstance(checks, list):
            return None
        actions = [c.get("action") or {} for c in checks if isinstance(c, dict)]
        return [(action.get("name", ""), action.get("arguments")) for action in actions]


@dataclass(frozen=True, slots=True)
class Results:
    """A results file; simulations are validated one by one, when they are asked for."""

    path: Path
    info: WireInfo
    raw: Mapping[str, JSON]
    folder: Path | None
    """Where the simulations lie in the folder layout."""

    @property
    def domain(self) -> str:
        """The name of the domain, as the file gives it."""
        return self.info.environment_info.domain_name

    @property
    def solo(self) -> bool:
        """Whether the agent worked alone from a ticket."""
        return self.info.agent_info.implementation == SOLO_AGENT

    def tasks(self) -> dict[str, Task]:
        """Return the tasks embedded in the file by id. Raises DataError with task and field."""
        tasks = {}
        for i, item in enumerate(self.raw.get("tasks") or ()):
            try:
                task = Task.model_validate(item)
            except ValidationError as error:
                named = item.get("id", f"number {i}") if isinstance(item, dict) else f"number {i}"
                raise DataError(f"{self.path}: task {named}: {explain(error)}") from None
            tasks[task.id] = task
        return tasks

    def simulations(self) -> Iterator[RecordedRun | DataError]:
        """Yield every simulation, or what is wrong with it, one at a time."""
        for where, item in self._items():
            if isinstance(item, DataError):
                yield item
                continue
            try:
                yield run_of(item, where)
            except DataError as error:
                yield error

    def _items(self) -> Iterator[tuple[str, JSON]]:
        if self.folder is None:
            for i, item in enumerate(self.raw.get("simulations") or ()):
                named = item.get("id", f"number {i}") if isinstance(item, dict) else f"number {i}"
                yield f"{self.path}: simulation {named}", item
            return
        index = [entry.get("id") if isinstance(entry, dict) else entry for entry in self.raw["simulation_index"] or ()]
        order = {str(name): i for i, name in enumerate(index)}
        # Names come from the folder, never from the data.
        for path in sorted(self.folder.glob("*.json"), key=lambda p: (order.get(p.stem, len(order)), p.name)):
            try:
                yield f"{path}: simulation {path.stem}", parsed(path)
            except DataError as error:
                yield str(path), error


def read(path: Path) -> Results:
    """Open a results file, or a folder in the folder layout. Raises OSError, and DataError for anything else."""
    if path.is_dir():
        path = path / "results.json"
    raw = parsed(path)
    if isinstance(raw, list):
        raise DataError(f"{path}: expected an object; a list of runs is tau-bench (v1), not tau2")
    if not isinstance(raw, dict) or "info" not in raw:
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


def parsed(path: Path) -> JSON:
    """Parse a JSON file. Raises OSError, and DataError with line and column."""
    content = path.read_bytes()
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file: {error}") from None
    except RecursionError:
        raise DataError(f"{path}: nested too deeply") from None


def run_of(item: JSON, where: str) -> RecordedRun:
    """Validate one simulation; `where` begins the line of an error. Raises DataError."""
    try:
        wire = WireSimulation.model_validate(item)
    except ValidationError as error:
        raise DataError(f"{where}: {explain(error)}") from None
    turns = None if wire.messages is None else turns_of(wire.messages, where)
    return RecordedRun(
        id=wire.id,
        task_id=wire.task_id,
        termination=wire.termination_reason,
        turns=turns,
        trial=wire.trial,
        seed=wire.seed,
        reward_info=item.get("reward_info"),
        extra={name: item[name] for name in item if name not in WireSimulation.model_fields},
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
