"""Who sits where: turns `oracle:slips=1`, `script` or a person's name into players, and options into a session."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sessions.limits import Limits

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task
    from domains.toolkit import Seat
    from sessions.event import Header, ViewMode
    from sessions.players.base import Player
    from sessions.session import Keeper, Session

Play: TypeAlias = Literal["user", "agent", "both"]
NO_OTHER_LIMITS = Limits()
DEFAULT_PARTNERS: Mapping[Seat, str] = {"agent": "oracle", "user": "script"}


class UnknownPlayer(Exception):
    """A player that nobody knows; one line with those there are."""


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that decides how a session is played, before a task is chosen."""

    play: Play = "user"
    agent: str = ""
    user: str = ""
    person: str = "me"
    view: ViewMode | None = None
    split: str = "base"
    spoilers: bool = False
    solo: bool = False
    plan: bool = False
    no_policy: bool = False
    limits: Limits = NO_OTHER_LIMITS
    seed: int = 0

    def check(self) -> None:
        """Find out without loading anything whether the partners can be seated. Raises UnknownPlayer."""
        for seat in self.partners:
            parse_partner(seat, self.spec(seat))

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats the person takes."""
        return ("user", "agent") if self.play == "both" else (self.play,)

    @property
    def partners(self) -> tuple[Seat, ...]:
        """The seats others take; in solo mode nobody is the customer."""
        if self.solo:
            return ()
        return tuple(seat for seat in ("user", "agent") if seat not in self.people)

    def spec(self, seat: Seat) -> str:
        """Return who was asked to sit there."""
        return (self.agent if seat == "agent" else self.user) or DEFAULT_PARTNERS[seat]


def table_of(header: Header) -> Table:
    """Return the table at which a session was played, to sit down at it again; recorded lines give way to a partner."""
    people: list[Seat] = [seat for seat, info in header.players.items() if info.kind == "human"]
    partners = {seat: partner_of(header, seat) for seat in header.players if seat not in people}
    play: Play = "both" if len(people) != 1 else people[0]
    return Table(
        play=play,
        agent=partners.get("agent", ""),
        user=partners.get("user", ""),
        person=next((header.players[seat].name for seat in people), "me"),
        view=header.view,
        split=header.split or "base",
        spoilers=header.spoilers,
        solo=header.solo,
        plan=header.plan,
        no_policy=header.no_policy,
        limits=header.limits,
        seed=header.seed,
    )


def partner_of(header: Header, seat: Seat) -> str:
    """Return the offline partner that sat in a seat or goes on in it, nothing where another kind of player sat."""
    info = header.players.get(seat)
    match info and info.kind:
        case "oracle" | "script":
            return info.name if info is not None else ""
        case "replay":
            return str(info.settings.get("then", "")) if info is not None else ""
        case _:
            return ""


def parse_partner(seat: Seat, spec: str) -> tuple[str, dict[str, int]]:
    """Split `oracle:slips=1,seed=3` into its name and options. Raises UnknownPlayer."""
    name, _, rest = spec.partition(":")
    known: Mapping[str, set[str]] = {"oracle": {"slips", "seed"}} if seat == "agent" else {"script": {"seed"}}
    if name not in known:
        raise UnknownPlayer(f"--{seat} {spec}: there is no such {seat}; choose {' or '.join(known)}")
    options: dict[str, int] = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        if key not in known[name] or not value.isdigit():
            raise UnknownPlayer(f"--{seat} {spec}: {name} takes {', '.join(f'{k}=N' for k in sorted(known[name]))}")
        options[key] = int(value)
    return name, options


def seat_player(seat: Seat, spec: str, domain: Domain, task: Task, seed: int) -> Player:
    """Return an offline partner for a seat. Raises UnknownPlayer."""
    name, options = parse_partner(seat, spec)
    seed = options.get("seed", seed)
    if name == "oracle":
        from sessions.players.oracle import OracleAgent

        return OracleAgent(domain, task, slips=options.get("slips", 0), seed=seed)
    from sessions.players.script import ScriptUser

    return ScriptUser(domain, task, seed=seed)


def open_session(
    domain: Domain,
    task: Task,
    table: Table,
    *,
    keeper: Keeper | None = None,
    clock: Callable[[], float] = time.time,
) -> Session:
    """Seat everybody and open a session. Raises UnknownPlayer and DataError."""
    from domains.errors import DataError
    from sessions.players.human import HumanPlayer
    from sessions.session import Session
    from sessions.view import default_view

    if table.solo and task.ticket is None:
        raise DataError(f"{domain.name}: task {task.id} has no ticket, so it cannot be played solo")
    players: dict[Seat, Player] = {seat: HumanPlayer(table.person) for seat in table.people}
    players |= {seat: seat_player(seat, table.spec(seat), domain, task, table.seed) for seat in table.partners}
    view = table.view or default_view({seat: player.info for seat, player in players.items()}, table.people)
    return Session.new(
        domain,
        task,
        players,
        view=view,
        split=table.split,
        spoilers=table.spoilers,
        solo=table.solo,
        plan=table.plan,
        no_policy=table.no_policy,
        limits=table.limits,
        seed=table.seed,
        keeper=keeper,
        clock=clock,
    )


def next_unplayed(domain: Domain, split: str, played: Mapping[str, object] | Sequence[str]) -> str:
    """Return the first task of a split that has not been played, or the first one of all. Raises DataError."""
    from domains.errors import DataError

    ids = domain.splits.get(split)
    if ids is None:
        raise DataError(f"{domain.name} has no split {split!r}; it has {', '.join(domain.splits)}")
    if not ids:
        raise DataError(f"the split {split!r} of {domain.name} has no tasks")
    return next((task_id for task_id in ids if task_id not in played), ids[0])
