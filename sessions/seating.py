"""Who sits where: turns `oracle:slips=1`, `script` or a person's name into players, and options into a session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from sessions.limits import Limits
from sessions.players.spec import UnknownPlayer as UnknownPlayer
from sessions.players.spec import parse_spec, spec_of

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task
    from domains.toolkit import Seat
    from sessions.event import Header, PlayerInfo, ViewMode
    from sessions.keeping import Keeper
    from sessions.players.base import Player
    from sessions.players.model.choice import ModelChoice
    from sessions.players.spec import Spec
    from sessions.session import Session

Play: TypeAlias = Literal["user", "agent", "both", "none"]
NO_OTHER_LIMITS = Limits()
DEFAULT_PARTNERS: Mapping[Seat, str] = {"agent": "oracle", "user": "script"}


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
    approve: bool = False
    """Whether a person is asked before a write of anybody else is made."""
    models: Mapping[Seat, ModelChoice] = field(default_factory=dict)
    """The model of each seat, for one that is asked for as `llm`; naming one asks for it."""

    def check(self) -> None:
        """Find out without loading anything whether the partners can be seated. Raises UnknownPlayer."""
        for seat in self.partners:
            spec = parse_spec(seat, self.spec(seat))
            if spec.who == "llm":
                _model(seat, self.models.get(seat))

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats the person takes; with `play` none, the models and partners are among themselves."""
        match self.play:
            case "both":
                return ("user", "agent")
            case "none":
                return ()
            case seat:
                return (seat,)

    @property
    def partners(self) -> tuple[Seat, ...]:
        """The seats others take; in solo mode nobody is the customer."""
        seats: tuple[Seat, ...] = ("agent",) if self.solo else ("user", "agent")
        return tuple(seat for seat in seats if seat not in self.people)

    def spec(self, seat: Seat) -> str:
        """Return who was asked to sit there."""
        asked = self.agent if seat == "agent" else self.user
        return asked or ("llm" if seat in self.models else DEFAULT_PARTNERS[seat])

    def named(self, seat: Seat) -> str:
        """Return who sits there as a heading has it: of a model, its name."""
        spec = self.spec(seat)
        asked, _, style = spec.partition(":")
        if asked != "llm" or seat not in self.models:
            return spec
        return f"{self.models[seat].name}:{style}" if style else self.models[seat].name


def table_of(header: Header) -> Table:
    """Return the table at which a session was played, to sit down at it again; recorded lines give way to a partner."""
    people: list[Seat] = [seat for seat, info in header.players.items() if info.kind == "human"]
    partners = {seat: partner_of(header, seat) for seat in header.players if seat not in people}
    play: Play = "none" if not people else "both" if len(people) > 1 else people[0]
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
        approve=header.supervised and "agent" not in people,
        models={seat: model for seat in partners if (model := model_of(header, seat)) is not None},
    )


def partner_of(header: Header, seat: Seat) -> str:
    """Return what would seat again whoever sat in a seat or goes on in it, nothing for a person."""
    info = header.players.get(seat)
    return spec_of(seat, info) if info is not None else ""


def model_of(header: Header, seat: Seat) -> ModelChoice | None:
    """Return the model that sat in a seat or goes on in it. Its key is never recorded."""
    info = header.players.get(seat)
    if info is None:
        return None
    settings = info.settings
    name = info.name
    if info.kind == "replay":
        name, settings = str(settings.get("then_name", "")), settings.get("then_settings") or {}
    elif info.kind != "model" or "prompt" not in settings:
        return None
    if not name:
        return None
    from sessions.players.model.choice import ModelChoice

    return ModelChoice(name, settings.get("llm_args") or {}, str(settings.get("api_base") or ""))


def _model(seat: Seat, model: ModelChoice | None) -> ModelChoice:
    from sessions.players.model.choice import WrongModel

    if model is None:
        raise UnknownPlayer(f"--{seat} llm: which model? name it with --{seat}-llm, such as openai/gpt-4.1-mini")
    try:
        model.check()
    except WrongModel as error:
        raise UnknownPlayer(f"--{seat}-llm: {error}") from None
    return model


def seat_player(
    seat: Seat, spec: str, domain: Domain, task: Task, seed: int, model: ModelChoice | None = None
) -> Player:
    """Return a partner for a seat; `model` is the one that `llm` stands for. Raises UnknownPlayer."""
    wanted = parse_spec(seat, spec)
    drawn = wanted.options.get("seed", seed)
    match wanted.who:
        case "oracle":
            from sessions.players.oracle import OracleAgent

            return OracleAgent(domain, task, slips=wanted.options.get("slips", 0), seed=drawn)
        case "script":
            from sessions.players.script import ScriptUser

            return ScriptUser(domain, task, seed=drawn)
        case "class":
            from sessions.players.external import ClassPlayer

            return ClassPlayer(seat, wanted.code)
        case "cmd":
            from sessions.players.external import CommandPlayer

            return CommandPlayer(seat, wanted.code)
        case "llm":
            return _seat_model(seat, wanted, domain, task, drawn, _model(seat, model))


def _seat_model(seat: Seat, wanted: Spec, domain: Domain, task: Task, seed: int, model: ModelChoice) -> Player:
    # 0 is nobody's wish: a model draws as it likes, unless a seed is asked for.
    asked = seed or None
    if seat == "agent":
        from sessions.players.model.agents import AgentStyle, ModelAgent

        form: AgentStyle = "react" if wanted.style == "react" else "act" if wanted.style == "act" else "calls"
        shots = wanted.options.get("few-shot", 0)
        return ModelAgent(domain, task.id, model, style=form, shots=shots, seed=asked)
    from sessions.players.model.users import ModelUser, UserStyle

    manners: dict[str, UserStyle] = {"react": "react", "verify": "verify", "reflect": "reflect"}
    has_tools = bool(domain.environment(task).tools("user"))
    return ModelUser(domain, model, style=manners.get(wanted.style, "plain"), tools=has_tools, seed=asked)


def temperature_of(players: Iterable[PlayerInfo]) -> float | None:
    """Return the temperature a session was played at: the agent's, or where no model is the agent, the user's."""
    found = [info.settings.get("temperature") for info in players if info.kind == "model"]
    return next((float(value) for value in found if isinstance(value, int | float)), None)


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
    players |= {
        seat: seat_player(seat, table.spec(seat), domain, task, table.seed, table.models.get(seat))
        for seat in table.partners
    }
    view = table.view or default_view({seat: player.info for seat, player in players.items()}, table.people)
    return Session.new(
        domain,
        task,
        players,
        view=view,
        split=table.split,
        spoilers=table.spoilers,
        supervised=table.approve,
        solo=table.solo,
        plan=table.plan,
        no_policy=table.no_policy,
        limits=table.limits,
        seed=table.seed,
        temperature=temperature_of(players[seat].info for seat in ("agent", "user") if seat in players),
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
