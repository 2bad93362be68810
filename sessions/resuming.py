"""Takes up recorded sessions: where they were cut off, or from an earlier turn as a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domains.database import apply_changes
from domains.environment import Environment
from domains.errors import DataError
from sessions.event import Call, Event, Message, Opened, Result, Synced, Undone
from sessions.trajectory import State


def rebuild(env: Environment, state: State) -> None:
    """Make the world of a session again from its calls, in place. Raises DataError when it is not the recorded one.

    Proven twice: every answer is the recorded one, and the digests are those that the recorded changes lead to.
    """
    proof = env.fork()
    for turn in state.turns:
        for done in turn.calls:
            if done.result is None:
                continue
            made = env.call(turn.seat, done.call.name, done.call.arguments)
            if (made.content, made.error) != (done.result.content, done.result.error):
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


def fork(events: Sequence[Event], turn: int, session_id: str) -> list[Event]:
    """Return the events of a new session that begins as this one did, up to and with a turn, and names its parent.

    Raises DataError when there is no such turn.
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
    header = replace(opened.header, id=session_id, parent=opened.header.id, parent_turn=turn)
    return [Opened(header=header), *kept]
