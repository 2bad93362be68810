"""Opens what was recorded: a session that was cut off, or a new one that begins as another did."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ulid import ULID

from domains.catalog import Domain
from domains.errors import DataError
from domains.task import Task
from domains.toolkit import Seat
from sessions.event import Event, Exposure, Header, Opened, PlayerInfo
from sessions.export.record import pack_of
from sessions.players.base import Player
from sessions.players.human import HumanPlayer
from sessions.players.replay import ReplayPlayer
from sessions.processes import played_elsewhere
from sessions.program import program_version
from sessions.recorder import Recorder
from sessions.resuming import fork, kept_turn
from sessions.seating import DEFAULT_PARTNERS, model_of, partner_of, seat_player
from sessions.session import Session
from sessions.trajectory import fold, other


class BeingPlayed(DataError):
    """Another program plays the session; it can be watched."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"session {session_id} is being played by another tau-tui; watch it: tau-tui replay {session_id}"
        )
        self.session_id = session_id


def find_open(recorder: Recorder, beginning: str = "") -> str:
    """Return the id of a session to take up: the one whose id begins so, or the one left last. Raises DataError."""
    from sessions.choosing import by_id

    if beginning:
        return by_id(recorder, [beginning])[0]
    from sessions.listing import open_sessions

    for row in open_sessions(recorder):
        if row.status != "playing":
            return row.id
    raise DataError(f"no session in {recorder.file} was interrupted; `tau-tui sessions` lists them")


def events_of(recorder: Recorder, session_id: str) -> list[Event]:
    """Return the events of a session. Raises DataError when there is none, and RecordingFailed."""
    events = recorder.events(session_id)
    if not events:
        raise DataError(f"there is no session {session_id!r} in {recorder.file}; `tau-tui sessions` lists them")
    return events


def open_recorded(
    recorder: Recorder,
    session_id: str,
    packs: Sequence[Path] = (),
    *,
    clock: Callable[[], float] = time.time,
) -> Session:
    """Take up a session that was cut off, exactly where it was, with everybody in the seat they had.

    Its pack is looked for in `packs`, where it was, and among the bundled ones, and told by the digests of its
    databases. Raises BeingPlayed, DataError when it has ended or cannot be gone on with, and RecordingFailed.
    """
    events = events_of(recorder, session_id)
    state = fold(events)
    header = state.header
    assert header is not None
    if state.ended is not None:
        raise DataError(
            f"session {session_id} has ended by {state.ended.reason};"
            f" go on from a turn of it in tau-tui replay {session_id}"
        )
    [(process,)] = recorder.select("select process from sessions where id = ?", (session_id,))
    if played_elsewhere(process):
        raise BeingPlayed(session_id)
    domain = pack_of(header, packs)
    task = Task.model_validate(header.task)
    now = replace(header, players=state.players)  # a seat may have changed hands
    players = {seat: _seated(now, seat, domain, task, recorder) for seat in now.players}
    return _joined(Session.continued(events, domain, players, keeper=recorder, clock=clock))


def open_fork(
    recorder: Recorder,
    session_id: str,
    turn: int,
    packs: Sequence[Path] = (),
    *,
    taking: Seat | None = None,
    person: str = "me",
    seen: bool = False,
    clock: Callable[[], float] = time.time,
) -> Session:
    """Open a new session that goes on from a turn of another: that turn is played again, or answered (`kept_turn`).

    Without `taking` everybody keeps their seat. `taking` seats a person there, and the recorded lines of the other seat
    are said while they still fit, then an offline partner plays on. What was supervised stays so, but for a person who
    takes the agent's seat: its writes are then the person's own. `seen`: the person has seen how the other ended,
    which is recorded. Raises DataError and RecordingFailed.
    """
    events = events_of(recorder, session_id)
    state = fold(events)
    header = state.header
    assert header is not None
    domain = pack_of(header, packs)
    task = Task.model_validate(header.task)
    people: list[Seat] = [taking] if taking else [s for s, info in header.players.items() if info.kind == "human"]
    kept = kept_turn(state.turns, turn, people)
    players: dict[Seat, Player]
    if taking is None:
        players = {seat: _seated(header, seat, domain, task, recorder) for seat in header.players}
    else:
        players = {taking: HumanPlayer(person)}
        vacated = other(taking)
        if not header.solo:
            recorded = [t for t in state.turns if t.index > kept]
            partner = partner_of(header, vacated) or DEFAULT_PARTNERS[vacated]
            then = seat_player(vacated, partner, domain, task, _seed(header, vacated), model_of(header, vacated))
            players[vacated] = ReplayPlayer(vacated, recorded, then, parent=session_id, turn=kept)
    infos = {seat: player.info for seat, player in players.items()}
    begun = fork(events, kept, str(ULID()), infos)
    begun[0] = Opened(header=_fresh(begun[0], domain, taking))
    if taking is None:  # what the same people were shown, they know
        begun += dict.fromkeys(replace(event, at=0.0) for event in events if isinstance(event, Exposure))
    if seen:
        begun += [Exposure(seat=seat, kind="goal", detail=f"saw the end of {session_id}") for seat in people]
    return _joined(Session.continued(begun, domain, players, kept=False, keeper=recorder, clock=clock))


def _fresh(opened: Event, domain: Domain, taking: Seat | None) -> Header:
    assert isinstance(opened, Opened)
    header = replace(opened.header, pack=domain.origin, program=program_version())
    if taking is None:
        return header
    supervised = header.supervised and taking != "agent"
    return replace(header, view="open", split=header.split or "base", supervised=supervised)


def _seed(header: Header, seat: Seat) -> int:
    info = header.players.get(seat)
    seed = info.settings.get("seed") if info is not None else None
    return seed if isinstance(seed, int) else header.seed


def _seated(header: Header, seat: Seat, domain: Domain, task: Task, recorder: Recorder) -> Player:
    info = header.players[seat]
    match info.kind:
        case "human":
            return HumanPlayer(info.name)
        case "replay":
            partner = partner_of(header, seat) or DEFAULT_PARTNERS[seat]
            then = seat_player(seat, partner, domain, task, _seed(header, seat), model_of(header, seat))
            return _replaying(info, seat, then, recorder)
        case _ if partner := partner_of(header, seat):
            return seat_player(seat, partner, domain, task, _seed(header, seat), model_of(header, seat))
        case _:
            raise DataError(
                f"session {header.id}: the {seat} was {info.name}, a {info.kind}, which cannot be seated here yet;"
                f" take a seat yourself in tau-tui replay {header.id}"
            )


def _replaying(info: PlayerInfo, seat: Seat, then: Player, recorder: Recorder) -> ReplayPlayer:
    """Return the player of a seat with recorded lines; of a parent that was deleted there are none any more."""
    parent, turn = str(info.settings.get("parent", "")), info.settings.get("turn")
    kept = turn if isinstance(turn, int) else 0
    recorded = [t for t in fold(recorder.events(parent)).turns if t.index > kept]
    return ReplayPlayer(seat, recorded, then, parent=parent, turn=kept)


def _joined(session: Session) -> Session:
    """Let those who must know what has happened in the session know it."""
    for player in session.players.values():
        if isinstance(player, ReplayPlayer):
            player.happened = lambda: session.state.turns
    return session
