"""The runs of one file, to be looked at without taking them in: a list of them, and the events of any one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from domains.catalog import load_domain
from domains.errors import DataError, UnknownDomain
from domains.values import JSON
from sessions.event import Event, Header
from sessions.interop import ours, tau2, tau_bench
from sessions.interop.as_events import World, fit_of, retell
from sessions.interop.recorded import RecordedRun, RunFile
from sessions.interop.streaming import first_event
from sessions.interop.tau2_ours import events_from_export, is_ours
from sessions.trajectory import State, fold

Tasks: TypeAlias = Mapping[str, Mapping[str, JSON]]


@dataclass(frozen=True, slots=True)
class Listed:
    """One run of a file; `number` says which to `events`. `problem` says why it cannot be opened."""

    number: int
    name: str
    domain: str
    task: str
    trial: int | None
    ending: str
    reward: float | None
    turns: int
    problem: str = ""


class Runs:
    """A file of runs: tau2 or τ-bench results, events or a recording of ours. Reading it is for a thread."""

    def __init__(self, path: Path, data: Path | None = None, domain: str | None = None) -> None:
        self.path = path
        self._data = data
        self._domain = domain

    def __iter__(self) -> Iterator[Listed]:
        """Yield every run in the file's order. Raises DataError and OSError."""
        if self._holds_sessions:
            for number, events in enumerate(ours.sessions(self.path)):
                yield _of_session(number, events)
            return
        source = self._source()
        for number, run in enumerate(source.simulations()):
            yield (
                Listed(number, "", "", "", None, "", None, 0, str(run))
                if isinstance(run, DataError)
                else _of_run(number, source, run)
            )

    def events(self, number: int) -> list[Event]:
        """Return the events of one run; it is scored where its world is here. Raises DataError and OSError."""
        if self._holds_sessions:
            return list(_nth(ours.sessions(self.path), number, self.path))
        source = self._source()
        run = _nth(source.simulations(), number, self.path)
        if isinstance(run, DataError):
            raise run
        if is_ours(run.extra.get("info")):
            raw = source.raw.get("tasks") if isinstance(source, tau2.Results) else None
            tasks: Tasks = {str(task.get("id")): task for task in raw or () if isinstance(task, dict)}
            return events_from_export(run.extra["info"], tasks)
        return list(self._retold(source, run))

    @property
    def _holds_sessions(self) -> bool:
        return ours.holds_sessions(self.path)

    def _source(self) -> RunFile:
        if not self.path.is_dir() and first_event(self.path) == "start_array":
            return tau_bench.read(self.path, self._domain)
        found = tau2.read(self.path)
        return found if self._domain is None else found.as_domain(self._domain)

    def _retold(self, source: RunFile, run: RecordedRun) -> tuple[Event, ...]:
        task, world = source.task_of(run), None
        said = []
        try:
            world = World.of(load_domain(source.domain, self._data), source.policy)
        except UnknownDomain as unknown:
            said.append(f"a transcript without a score: {unknown}")
        if task is None and world is not None:
            task = next((task for task in world.domain.tasks if task.id == run.task_id), None)
        if world is not None and task is not None and fit_of(source, run, task, world).foreign:
            said.append("a transcript without a score: it was recorded on other data; --data DIR names the right ones")
            world = None
        return retell(source, run, task, world, said=said, scorable=bool(run.turns)).events


def _nth(items: Iterator[RecordedRun | DataError] | Iterator[tuple[Event, ...]], number: int, path: Path) -> JSON:
    there = 0
    for index, item in enumerate(items):
        if index == number:
            return item
        there = index + 1
    raise DataError(f"{path}: there is no run {number}; it holds {f'0 to {there - 1}' if there else 'none'}")


def _of_run(number: int, source: RunFile, run: RecordedRun) -> Listed:
    turns = len(run.turns or ())
    return Listed(number, run.id, source.domain, run.task_id, run.trial, run.termination, run.reward, turns)


def _of_session(number: int, events: tuple[Event, ...]) -> Listed:
    state: State = fold(events)
    header: Header | None = state.header
    if header is None:
        return Listed(number, "", "", "", None, "", None, 0, "a session without a beginning")
    scored = state.scored or state.recorded
    return Listed(
        number,
        header.id,
        header.domain,
        header.task_id,
        header.origin.get("trial"),
        state.ended.reason if state.ended is not None else "not ended",
        scored.reward if scored is not None else None,
        len(state.turns),
    )
