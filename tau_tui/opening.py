"""Opens the session a person has chosen. Reads files and databases: call it in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task
    from domains.toolkit import Seat
    from sessions.recorder import Recorder
    from sessions.seating import Table
    from sessions.session import Session


@dataclass(frozen=True, slots=True)
class Branch:
    """Where to go on from: a turn of a recorded session. `seen`: the person knows how that one ended."""

    session: str
    turn: int
    taking: Seat | None = None
    """The seat the person takes; None for everybody as they were."""
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be played: a task of a domain at a table. Without a task, the next unplayed one of the split.

    `resume` names a session to take up instead (empty: the one left last), `branch` one to go on from otherwise.
    """

    domain: str
    table: Table
    task: str | None = None
    data: Path | None = None
    resume: str | None = None
    branch: Branch | None = None

    @property
    def recorded(self) -> bool:
        """Whether it was begun before, so that its header says who sits where."""
        return self.resume is not None or self.branch is not None


Opener: TypeAlias = "Callable[[Choice], Session]"


def open_choice(choice: Choice, recorder: Recorder, clock: Callable[[], float]) -> Session:
    """Read the pack, choose the task and seat everybody. Raises DataError, UnknownPlayer and RecordingFailed."""
    from domains.catalog import load_domain
    from sessions.seating import next_unplayed, open_session

    if choice.recorded:
        return _open_recorded(choice, recorder, clock)
    domain = load_domain(choice.domain, choice.data)
    if choice.task is None:
        played = recorder.best_by_task(domain.name, domain.origin)
        task = domain.task(next_unplayed(domain, choice.table.split, played))
    else:
        task = find_task(domain, choice.task)
    return open_session(domain, task, choice.table, keeper=recorder, clock=clock)


def _open_recorded(choice: Choice, recorder: Recorder, clock: Callable[[], float]) -> Session:
    from sessions.opening import find_open, open_fork, open_recorded

    packs = [] if choice.data is None else [choice.data]
    if (branch := choice.branch) is None:
        return open_recorded(recorder, find_open(recorder, choice.resume or ""), packs, clock=clock)
    return open_fork(
        recorder,
        branch.session,
        branch.turn,
        packs,
        taking=branch.taking,
        person=choice.table.person,
        seen=branch.seen,
        clock=clock,
    )


def find_task(domain: Domain, named: str) -> Task:
    """Return the task of an id, or of a number as lists show it (`#7`). Raises DataError."""
    return domain.task(named)


def task_number(session: Session) -> str:
    """Return `#7`: an id may say what the task is about, its number does not."""
    ids = [task.id for task in session.domain.tasks]
    return f"#{ids.index(session.task.id)}" if session.task.id in ids else ""
