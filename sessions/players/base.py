"""The one door between a player and a session: `act(view) -> Action`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from domains.toolkit import Seat, Tool
from domains.values import JSON
from sessions.event import PlayerInfo, Stop
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


class Player(Protocol):
    """Whoever fills a seat. `act` may take its time; it is cancelled when a message is taken back."""

    info: PlayerInfo

    async def act(self, view: View) -> Action:
        """Return what to do now."""
        ...


class PlayerFailure(Exception):
    """A player could not act for a reason that is not its own: recorded as a failure, never as a reward of 0."""

    def __init__(self, what: str, *, retryable: bool = True) -> None:
        super().__init__(what)
        self.retryable = retryable
