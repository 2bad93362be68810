"""The one door between a player and a session: `act(view) -> Action`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from domains.toolkit import Seat, Tool
from domains.values import JSON
from sessions.event import Decision, PlayerInfo, Reviewed, Stop
from sessions.trajectory import Turn

if TYPE_CHECKING:
    from domains.task import GoldAction, UserScenario


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a player asks for; without an id the orchestrator gives one."""

    name: str
    arguments: Mapping[str, JSON]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """What a player does with its turn: words, calls, both, or the end (`stop`; `abandon` for a person who leaves)."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop | None = None
    abandon: bool = False
    usage: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """What the benchmark lets a seat know when it is to act, whatever a screen shows beside it.

    The user: scenario, words exchanged, own tools and calls. The agent: policy, words exchanged, own tools and calls.
    """

    seat: Seat
    domain: str
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...]
    now: str
    policy: str | None = None
    scenario: UserScenario | None = None
    ticket: str | None = None
    plan: tuple[GoldAction, ...] | None = None
    """The gold steps, where the agent's seat is shown them (`--plan`)."""
    refused: tuple[Reviewed, ...] = ()
    """The writes of this seat that a supervisor refused, each in the turn that would have made it."""


class Player(Protocol):
    """Whoever fills a seat. `act` may take its time; it is cancelled when a message is taken back."""

    info: PlayerInfo

    async def act(self, view: View) -> Action:
        """Return what to do now."""
        ...


@runtime_checkable
class Closing(Protocol):
    """A player that holds something, such as a process. It is let go when nobody plays, and may have to act again."""

    async def close(self) -> None:
        """Let go of it."""
        ...


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a supervisor decides on a write: as it is, with other arguments, or not at all, and why."""

    decision: Decision
    arguments: Mapping[str, JSON] | None = None
    reason: str = ""
    by: str = ""


class Supervisor(Protocol):
    """Who is asked before a write is made (`--approve writes`)."""

    async def review(self, seat: Seat, call: ToolCall) -> Ruling:
        """Return the decision; cancelled when the message that led to the call is taken back."""
        ...


class PlayerFailure(Exception):
    """A player could not act for a reason that is not its own: recorded as a failure, never as a reward of 0."""

    def __init__(self, what: str, *, retryable: bool = True) -> None:
        super().__init__(what)
        self.retryable = retryable
