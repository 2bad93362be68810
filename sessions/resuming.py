"""Takes up recorded sessions: where they were cut off, or from an earlier turn as a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domains.database import apply_changes
from domains.environment import Environment
from domains.errors import DataError
from domains.toolkit import Seat
from sessions.event import Call, Event, Message, Opened, PlayerInfo, Result, Supervision, Synced, Undone
from sessions.trajectory import State, Turn


def rebuild(env: Environment, state: State) -> None:
    """Make the world of a session again from its calls, in place. Raises DataError when it is not the recorded one.

    Proven twice: every answer is the recorded one, and the digests are those that the recorded changes lead to. What
    was begun by another program, whose answers may be worded otherwise, is proven by digest alone.
    """
    header = state.header
    ours = header is None or not (header.origin or header.parent)
    proof = env.fork()
    for turn in state.turns:
        for done in turn.calls:
            if done.result is None:
                continue
            made = env.call(turn.seat, done.call.name, done.call.arguments)
            if ours and (made.content, made.error) != (done.result.content, done.result.error):
                raise DataError(
                    f"turn {turn.index}: {done.call.name} answers otherwise than it was recorded;"
                    " the pack is not the one that was played: name that one with --data"
                )
            changes = (*done.result.changes, *(done.synced.changes if done.synced is not None else made.synced))
            for seat, database in proof.databases.items():
                apply_changes(database, tuple(change for change in changes if change.database == seat))
    for seat in env.databases:
        if env.digest(seat) != proof.digest(seat):
            raise DataError(
                f"the {seat} database cannot be brought into the recorded state; `tau-tui doctor` says more"
            )


def fork(
    events: Sequence[Event], turn: int, session_id: str, players: Mapping[Seat, PlayerInfo] | None = None
) -> list[Event]:
    """Return the events of a new session that begins as this one did, up to and with a turn, and names its parent.

    `players` are those who go on, the same ones when not given. Raises DataError when there is no such turn.
    """
    opened = events[0]
    assert isinstance(opened, Opened)
    taken_back = {event.turn for event in events if isinstance(event, Undone)}
    kept = [
        replace(event, at=0.0)
        for event in events
        if isinstance(event, Message | Call | Result | Synced) and event.turn <= turn and event.turn not in taken_back
    ]
    if not any(event.turn == turn for event in kept):
        raise DataError(f"session {opened.header.id} has no turn {turn}")
    if any(isinstance(event, Message) and event.stop is not None for event in kept):
        raise DataError(f"session {opened.header.id} ends with turn {turn}; take one before it")
    header = replace(
        opened.header,
        id=session_id,
        parent=opened.header.id,
        parent_turn=turn,
        players=opened.header.players if players is None else players,
        supervised=_supervised(events, turn),
        origin={},  # what was imported is the parent
        run="",  # so is what a run has played
        trial=None,
    )
    return [Opened(header=header), *kept]


def _supervised(events: Sequence[Event], turn: int) -> bool:
    """Tell whether a person decided on writes when the next turn after this one was taken."""
    on = False
    for event in events:
        match event:
            case Opened():
                on = event.header.supervised
            case Supervision():
                on = event.on
            case Message() | Call() if event.turn > turn:
                break
    return on


def kept_turn(turns: Sequence[Turn], turn: int, seats: Sequence[Seat]) -> int:
    """Return the last turn that is kept when these seats go on from one: their own is played again, another answered.

    Raises DataError where nothing comes before a turn that would be played again.
    """
    known = [t.index for t in turns]
    chosen = next((t for t in turns if t.index == turn), None)
    if chosen is None:
        raise DataError(
            f"there is no turn {turn}; there are {known[0]} to {known[-1]}" if known else "nothing was said"
        )
    greeting = turn == 0 and chosen.seat == "agent" and not chosen.calls
    if (chosen.seat not in seats or greeting) and chosen.stop is None:
        return turn
    before = [index for index in known if index < turn]
    if not before:
        raise DataError("it begins with this turn; play the task again instead")
    return before[-1]
