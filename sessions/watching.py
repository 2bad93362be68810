"""A recorded session as it is watched: its steps, where it went wrong, and whether it is still going on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from domains.errors import DataError
from domains.task import Task
from sessions.event import Event, Header
from sessions.explain import Explanation
from sessions.export.record import pack_of, record
from sessions.replay import Replay, session_replay, transcript_replay
from sessions.reward import Write
from sessions.trajectory import State


@dataclass(frozen=True)
class Watched:
    """`missing` says why there is no explanation, or no world at all."""

    replay: Replay
    events: tuple[Event, ...] = field(repr=False)
    header: Header = field(repr=False)
    state: State = field(repr=False)
    explanation: Explanation | None = field(repr=False)
    missing: str = ""

    @property
    def decisive(self) -> int | None:
        """The step after which the goal was out of reach."""
        write = self.explanation.decisive if self.explanation is not None else None
        return None if write is None else self._step(write)

    @property
    def unconfirmed(self) -> tuple[int, ...]:
        """The steps of the writes without a yes before them."""
        found = self.explanation.unconfirmed if self.explanation is not None else ()
        return tuple(sorted(step for one in found if (step := self._step(one.write)) is not None))

    def _step(self, write: Write) -> int | None:
        for step in self.replay.steps:
            call = step.done.call if step.done is not None else None
            if call is not None and (call.turn, call.id) == (write.turn, write.id):
                return step.number
        return None

    def turn_at(self, step: int) -> int | None:
        """Return the turn that a step shows, or the last one before it; None when nothing was ever said or done."""
        standing = [turn.index for turn in self.state.turns]
        shown = [turn.index for turn in self.replay.state(step).turns if turn.index in standing]
        return shown[-1] if shown else next(iter(standing), None)


def watched(events: Sequence[Event], packs: Sequence[Path] = ()) -> Watched:
    """Make a recorded session ready to be gone through. Raises DataError when it has no beginning."""
    found = record(events, packs)
    task = Task.model_validate(found.header.task)
    try:
        replay = session_replay(pack_of(found.header, packs), task, found.events, solo=found.header.solo)
    except DataError as error:
        missing = found.missing or str(error)
        return Watched(transcript_replay(task, found.events), found.events, found.header, found.state, None, missing)
    return Watched(replay, found.events, found.header, found.state, found.explanation, found.missing)
