"""Reads results of τ-bench (v1): a list of runs, their calls as OpenAI tool calls or written as text.

A run becomes turns in tau2's terms, its task a tau2 task. The environment is not named in such a file: it is told from
the tools that are called.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from domains.errors import DataError
from domains.schema import explain
from domains.task import EvaluationCriteria, GoldAction, Task, UserScenario
from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import Call, Message, PlayerInfo, Result, Stop
from sessions.interop.recorded import RecordedRun
from sessions.interop.streaming import Watch, items
from sessions.limits import Limits
from sessions.trajectory import Done, Turn

RESPOND: Final = "respond"
"""The action by which an agent speaks."""

TRANSFER: Final = "transfer_to_human_agents"
"""The tool that ends a run, in both environments."""

STOPS: Final[tuple[Stop, ...]] = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
"""How a customer ends: the first in v1, all of them in a session of tau2 or ours that was written in v1's form."""

API_OUTPUT: Final = "API output: "
MAX_STEPS: Final = 30
"""The acts of an agent after which a run ends, unless it was run with another number."""

TOOLS: Final[Mapping[str, frozenset[str]]] = {
    "airline": frozenset(
        (
            "book_reservation",
            "cancel_reservation",
            "get_reservation_details",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
            "send_certificate",
            "update_reservation_baggages",
            "update_reservation_flights",
            "update_reservation_passengers",
        )
    ),
    "retail": frozenset(
        (
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "find_user_id_by_email",
            "find_user_id_by_name_zip",
            "get_order_details",
            "get_product_details",
            "list_all_product_types",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        )
    ),
}
"""The tools that only one environment has."""


class Wire(BaseModel):
    """A part of the format; fields we do not read are ignored."""

    model_config = ConfigDict(extra="ignore")


class WireAction(Wire):
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict, validation_alias=AliasChoices("kwargs"))


class WireTask(Wire):
    user_id: str = ""
    actions: list[WireAction] = Field(default_factory=list)
    instruction: str = ""
    outputs: list[str] = Field(default_factory=list)


class WireVerdict(Wire):
    r_actions: float | bool | None = None
    r_outputs: float | None = None
    outputs: dict[str, bool] | None = None


class WireReward(Wire):
    reward: float | None = None
    info: WireVerdict = Field(default_factory=WireVerdict)


class WireInfo(Wire):
    task: WireTask | None = None
    reward_info: WireReward | None = None
    user_cost: float | None = None
    error: str | None = None


class WireFunction(Wire):
    name: str
    arguments: str | dict[str, Any] | None = None


class WireCall(Wire):
    id: str | None = None
    function: WireFunction


class WireMessage(Wire):
    role: Literal["system", "user", "assistant", "tool", "function", "developer"]
    content: str | list[Any] | None = None
    tool_calls: list[WireCall] | None = None
    function_call: WireFunction | None = None
    tool_call_id: str | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The words, also where they come in parts."""
        if isinstance(self.content, list):
            return "".join(str(p.get("text") or "") for p in self.content if isinstance(p, dict))
        return self.content or ""


class WireRun(Wire):
    task_id: int | str
    reward: float | None
    info: WireInfo = Field(default_factory=WireInfo)
    traj: list[WireMessage] = Field(default_factory=list)
    trial: int | None = None


@dataclass(frozen=True, slots=True)
class TauBenchRun(RecordedRun):
    """A run together with the task it brings."""

    task: WireTask | None = None


@dataclass(frozen=True, slots=True)
class TauBenchResults:
    """A list of runs, read and validated one by one; neither models nor domain stand in it."""

    path: Path
    domain: str
    format: Literal["tau-bench"] = "tau-bench"
    solo: Literal[False] = False
    policy: Literal[""] = ""
    limits: Limits = field(default_factory=lambda: Limits(max_agent_actions=MAX_STEPS))
    about: Mapping[str, JSON] = field(default_factory=dict)
    converted: dict[str, Task] = field(default_factory=dict, repr=False, compare=False)

    @property
    def players(self) -> dict[Seat, PlayerInfo]:
        """Who filled the seats: the file does not say, so its name stands for the agent."""
        return {"user": PlayerInfo("model", "unknown"), "agent": PlayerInfo("model", self.path.stem)}

    @property
    def size(self) -> int:
        """How many bytes `simulations` reads."""
        return self.path.stat().st_size

    def simulations(self, watch: Watch | None = None) -> Iterator[RecordedRun | DataError]:
        """Yield every run, or what is wrong with it, one at a time. Raises OSError."""
        try:
            for i, item in enumerate(items(self.path, "item", watch)):
                try:
                    yield run_of(item, f"{self.path}: {_named(item, i)}")
                except DataError as error:
                    yield error
        except DataError as error:
            yield error

    def task_of(self, run: RecordedRun) -> Task | None:
        """Return the task of a run in tau2's schema, None for a run that failed before it named one."""
        wire = run.task if isinstance(run, TauBenchRun) else None
        if wire is None:
            return self.converted.get(run.task_id)
        task = task_of(run.task_id, wire)
        self.converted[run.task_id] = task
        return task


def read(path: Path, domain: str | None = None) -> TauBenchResults:
    """Open a list of runs. Without a domain it is told from the tools, of the first runs that call any.

    Raises OSError, and DataError when the domain cannot be told.
    """
    return TauBenchResults(path, domain or told_from_tools(path))


def told_from_tools(path: Path) -> str:
    """Return the environment whose tools the runs call or should have called. Raises OSError and DataError."""
    found = False
    for i, item in enumerate(items(path, "item")):
        found = True
        run = _valid(item, f"{path}: {_named(item, i)}")
        named = {action.name for action in run.info.task.actions} if run.info.task else set()
        named |= {done.call.name for turn in turns_of(run.traj) for done in turn.calls}
        votes = {domain: len(tools & named) for domain, tools in TOOLS.items()}
        best = max(votes, key=lambda domain: votes[domain])
        if votes[best] and sorted(votes.values())[-2] == 0:
            return best
    if not found:
        raise DataError(f"{path}: there is no run in it")
    raise DataError(f"{path}: no tool tells which domain it is: name it with --domain, for example --domain retail")


def _named(item: JSON, number: int) -> str:
    if not isinstance(item, dict):
        return f"run number {number}"
    return f"run number {number} (task {item.get('task_id')}, trial {item.get('trial')})"


def _valid(item: JSON, where: str) -> WireRun:
    try:
        return WireRun.model_validate(item)
    except ValidationError as error:
        raise DataError(f"{where}: {explain(error)}") from None


def run_of(item: JSON, where: str) -> TauBenchRun:
    """Validate one run; `where` begins the line of an error. Raises DataError."""
    wire = _valid(item, where)
    turns = turns_of(wire.traj)
    return TauBenchRun(
        id="",
        task_id=str(wire.task_id),
        termination=_termination(wire, turns),
        turns=turns,
        trial=wire.trial,
        reward_info=_reward_info(wire),
        extra={"user_cost": wire.info.user_cost} if wire.info.user_cost is not None else {},
        error=wire.info.error or "",
        task=wire.info.task,
    )


def task_of(task_id: str, wire: WireTask) -> Task:
    """Return a task in tau2's schema: what is compared is the database and the required strings."""
    gold = [
        GoldAction(action_id=f"{task_id}_{i}", name=action.name, arguments=action.arguments)
        for i, action in enumerate(wire.actions)
        if action.name != RESPOND
    ]
    criteria = EvaluationCriteria(actions=gold, communicate_info=list(wire.outputs), reward_basis=["DB", "COMMUNICATE"])
    scenario = UserScenario(instructions=wire.instruction)
    return Task(id=task_id, user_scenario=scenario, evaluation_criteria=criteria)


def _reward_info(wire: WireRun) -> dict[str, JSON] | None:
    """Return the recorded verdict in tau2's words, as far as the file says it; None where it says nothing."""
    if wire.reward is None and wire.info.reward_info is None:
        return None
    info: dict[str, JSON] = {"reward": wire.reward}
    if wire.info.reward_info is None:
        return info
    verdict = wire.info.reward_info.info
    if verdict.r_actions is not None:
        info["db_check"] = {"db_match": bool(verdict.r_actions), "db_reward": float(verdict.r_actions)}
    if verdict.outputs is not None:
        info["communicate_checks"] = [{"info": text, "met": met} for text, met in verdict.outputs.items()]
    return info


def _termination(wire: WireRun, turns: Sequence[Turn]) -> str:
    if wire.info.error is not None:
        return "infrastructure_error"
    last = turns[-1] if turns else None
    if last is not None and last.seat == "user" and last.stop is not None:
        return "user_stop"
    if (
        last is not None
        and last.seat == "agent"
        and ("###STOP###" in last.text or any(done.call.name == TRANSFER for done in last.calls))
    ):
        return "agent_stop"
    return "max_steps"


# Turns


def turns_of(messages: Iterable[WireMessage]) -> tuple[Turn, ...]:
    """Return one turn for each act of a player, with the answers to its calls."""
    turns: list[Turn] = []
    as_text = False
    for message in messages:
        match message.role:
            case "assistant":
                turn, as_text = _agent_turn(message, len(turns))
                turns.append(turn)
            case "tool" | "function":
                _answer(turns, message.text)
            case "user" if as_text and turns and turns[-1].calls and message.text.startswith(API_OUTPUT):
                _answer(turns, message.text.removeprefix(API_OUTPUT))
            case "user":
                turns.append(_spoken(len(turns), "user", message.text))
            case _:
                pass  # instructions to a model, not something that happened
    return tuple(turns)


def _spoken(index: int, seat: Seat, text: str, reasoning: str = "") -> Turn:
    stop = next((token for token in STOPS if token in text), None) if seat == "user" else None
    usage: dict[str, JSON] = {"reasoning": reasoning} if reasoning else {}
    return Turn(
        index=index,
        seat=seat,
        text=text,
        stop=stop,
        message=Message(turn=index, seat=seat, text=text, stop=stop, usage=usage),
    )


def _agent_turn(message: WireMessage, index: int) -> tuple[Turn, bool]:
    """Return the agent's act, and whether it was written as text."""
    functions = [(call.id or "", call.function) for call in message.tool_calls or ()]
    if message.function_call is not None and not functions:
        functions = [("", message.function_call)]
    if functions:
        calls = tuple(
            _call(index, i, call_id, f.name, _arguments(f.arguments)) for i, (call_id, f) in enumerate(functions)
        )
        return _acting(index, message.text, calls), False
    thought, action = _written(message.text)
    if action is None:
        return _spoken(index, "agent", message.text), False
    name, arguments = action
    if name == RESPOND:
        said = arguments.get("content")
        return _spoken(index, "agent", said if isinstance(said, str) else json.dumps(said), thought), True
    turn = _acting(index, "", (_call(index, 0, "", name, arguments),))
    # What it thought was shown to nobody.
    kept = Message(turn=index, seat="agent", text="", usage={"reasoning": thought}) if thought else None
    return Turn(index=index, seat="agent", calls=turn.calls, message=kept), True


def _written(text: str) -> tuple[str, tuple[str, Mapping[str, JSON]] | None]:
    """Return what an act or ReAct agent thought, and the action it wrote; no action for plain words.

    What is no valid action was, for τ-bench, words to the customer: all that stands behind `Action:`.
    """
    before, marker, after = text.rpartition("Action:")
    if not marker and not text.lstrip().startswith("{"):
        return "", None
    thought = before.strip().removeprefix("Thought:").strip()
    try:
        action = json.loads(after)
    except (ValueError, RecursionError):
        action = None
    if isinstance(action, dict) and isinstance(action.get("name"), str) and isinstance(action.get("arguments"), dict):
        return thought, (action["name"], action["arguments"])
    return (thought, (RESPOND, {"content": after.strip()})) if marker else ("", None)


def _acting(index: int, text: str, calls: tuple[Done, ...]) -> Turn:
    said = Message(turn=index, seat="agent", text=text) if text else None
    return Turn(index=index, seat="agent", text=text, calls=calls, message=said)


def _call(index: int, number: int, call_id: str, name: str, arguments: Mapping[str, JSON]) -> Done:
    return Done(Call(turn=index, seat="agent", id=call_id or f"call_{index}_{number}", name=name, arguments=arguments))


def _arguments(arguments: str | dict[str, JSON] | None) -> Mapping[str, JSON]:
    """Return the arguments of a call; what is no object is kept under a name of its own, and no tool takes it."""
    if isinstance(arguments, dict):
        return arguments
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {"arguments": arguments}


def _answer(turns: list[Turn], content: str) -> None:
    """Put an answer to the first call of the last turn that has none; of several calls τ-bench made only the first."""
    if not turns:
        return
    turn = turns[-1]
    for i, done in enumerate(turn.calls):
        if done.result is None:
            result = Result(
                turn=turn.index, seat="agent", id=done.call.id, content=content, error=content.startswith("Error")
            )
            calls = (*turn.calls[:i], Done(done.call, result), *turn.calls[i + 1 :])
            turns[-1] = Turn(turn.index, turn.seat, turn.text, turn.stop, calls, turn.at, turn.message)
            return
