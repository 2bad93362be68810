"""Seats players at a session and plays it; a person is replaced by the lines they would type."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from domains.catalog import Domain
from domains.task import Task
from domains.toolkit import Seat
from sessions.event import Call, Event, Message, PlayerInfo
from sessions.players.base import Action, Player, View
from sessions.players.oracle import OracleAgent
from sessions.players.script import ScriptUser
from sessions.reward import Verdict, score
from sessions.session import Session, play


class Typed:
    """A person who says these lines, whatever is answered, and then leaves."""

    def __init__(self, lines: Iterable[str | Action]) -> None:
        self.info = PlayerInfo("human", "somebody")
        self.lines = list(lines)

    async def act(self, view: View) -> Action:
        """Say the next line."""
        if not self.lines:
            return Action(abandon=True)
        line = self.lines.pop(0)
        return line if isinstance(line, Action) else Action(line)


@dataclass
class Played:
    """A finished session."""

    session: Session

    @property
    def events(self) -> list[Event]:
        """Everything that happened."""
        return self.session.events

    def said(self, seat: Seat) -> list[str]:
        """Return the words of one seat, the greeting left out."""
        return [e.text for e in self.events if isinstance(e, Message) and e.seat == seat and e.turn > 0]

    def calls(self, seat: Seat = "agent") -> list[Call]:
        """Return the calls of one seat."""
        return [e for e in self.events if isinstance(e, Call) and e.seat == seat]

    def writes(self) -> list[Call]:
        """Return the agent's calls that may change something."""
        return [c for c in self.calls() if self.session.env.mutates("agent", c.name)]

    @property
    def verdict(self) -> Verdict:
        """The reward of the session."""
        ended = self.session.state.ended
        return score(self.session.domain, self.session.task, self.session.state.turns, ended.reason if ended else None)


def session_of(domain: Domain, task: Task, players: Mapping[Seat, Player]) -> Session:
    """Open a session."""
    return Session.new(domain, task, players, view="open")


def played(
    domain: Domain,
    task: Task,
    *,
    agent: Player | None = None,
    user: Player | None = None,
    slips: int = 0,
    seed: int = 0,
) -> Played:
    """Play a task; a seat that is not given is taken by its offline partner."""
    players: dict[Seat, Player] = {
        "agent": agent or OracleAgent(domain, task, slips=slips, seed=seed),
        "user": user or ScriptUser(domain, task),
    }
    session = session_of(domain, task, players)
    asyncio.run(play(session))
    return Played(session)
