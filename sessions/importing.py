"""Takes recorded runs of other programs, and sessions of other files of ours, into a recording.

A file is read twice: once to check all of it, so that a bad one leaves nothing behind, and once to keep it, in groups
of whole sessions. Ids are made of the content: what is there already is not kept again, so an import that was
interrupted is finished by running it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from domains.catalog import Domain, load_domain
from domains.errors import DataError, UnknownDomain
from domains.task import Task
from domains.values import JSON
from sessions.event import Event, Opened
from sessions.interop import ours, tau2, tau_bench
from sessions.interop.as_events import Fit, Retold, World, fit_of, retell, session_id
from sessions.interop.recorded import RecordedRun, RunFile
from sessions.interop.streaming import Watch, first_event
from sessions.interop.tau2_ours import events_from_export, is_ours
from sessions.recorder import Recorder

GROUP: Final = 25
"""Sessions that are committed together."""

SAMPLE: Final = 50
"""Runs that are tried on the pack before it is believed to be the one they were recorded on."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being done, how many bytes of it are done, and of how many."""

Status: TypeAlias = Literal["new", "known", "rescored", "longer", "other"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A session that was taken in, or was there. Rewards are None where there is none; `difference` explains two."""

    session: str
    simulation: str
    domain: str
    task: str
    trial: int | None
    status: Status
    reward: float | None = None
    recorded_reward: float | None = None
    difference: str = ""
    notes: tuple[str, ...] = ()


class Import:
    """The import of one file. `run` does it; the other attributes tell about it afterwards."""

    def __init__(
        self,
        path: Path,
        recorder: Recorder,
        *,
        data: Path | None = None,
        domain: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = path
        self.format = ""
        self.domain = ""
        self.digest = ""
        self.runs = 0
        self.said: list[str] = []
        """What is to be said of the whole file, one line each."""
        self._recorder = recorder
        self._data = data
        self._named = domain
        self._progress = progress or (lambda what, done, total: None)
        self._labels = Labels()

    def run(self) -> Generator[Taken, None, None]:
        """Check the file, then take it in, yielding every session once it is kept.

        Raises OSError and DataError before anything is kept, RecordingFailed when the recording cannot be written.
        """
        if ours.holds_sessions(self.path):
            yield from self._merge()
            return
        source = self._source()
        self.format, self.domain = source.format, source.domain
        world = self._check(source)
        count = 0
        for taken in self._in_groups(source, world):
            count += 1
            yield taken
        self._recorder.note_import(self.digest, self.path.name, count, self.format)

    # Reading

    def _source(self) -> RunFile:
        if self.path.is_dir() or first_event(self.path) == "start_map":
            found = tau2.read(self.path)
            return found if self._named is None else found.as_domain(self._named)
        if first_event(self.path) == "start_array":
            return tau_bench.read(self.path, self._named)
        raise DataError(
            f"{self.path}: expected tau2 results (an object), τ-bench results (a list), or a recording or an export of"
            " events of tau-tui"
        )

    def _watch(self, what: str, total: int) -> tuple[Watch, Callable[[], str]]:
        digest, done = hashlib.sha256(), 0

        def watch(data: bytes) -> None:
            nonlocal done
            digest.update(data)
            done += len(data)
            self._progress(what, done, total)

        return watch, digest.hexdigest

    def _check(self, source: RunFile) -> World | None:
        """Read the whole file and validate every run; return the world they were played in, where it is here.

        Raises OSError, and DataError for the first thing that is wrong.
        """
        watch, digest = self._watch("checking", source.size)
        world, unknown = self._world(source)
        raw, fit, wordless = _raw_tasks(source), Fit(), 0
        if isinstance(source, tau2.Results):
            self._labels.know(source.tasks().values())
        for run in source.simulations(watch):
            if isinstance(run, DataError):
                raise run
            self.runs += 1
            try:
                if is_ours(run.extra.get("info")):
                    events_from_export(run.extra["info"], raw)
                    continue
                session_id(source, run)
                wordless += not run.turns and not run.error
                task = source.task_of(run)
                self._labels.look(task, run)
                if self.runs <= SAMPLE and world is not None and task is not None:
                    fit += fit_of(source, run, task, world)
            except DataError as error:
                raise DataError(f"{source.path}: {_name(run)}: {error}") from None
            except RecursionError:
                raise DataError(f"{source.path}: {_name(run)}: nested too deeply") from None
        self.digest = digest()
        self.said += self._labels.said()
        if wordless:
            self.said.append(
                f"kept without a score: {wordless} of {self.runs} runs, of whose words the file holds none"
            )
        if unknown and self.runs:
            self.said.append(f"kept as transcripts without a score: {unknown}")
        if fit.foreign:
            self.said.append(
                f"kept as transcripts without a score: the runs were recorded on other data than {self._pack} (of"
                f" {fit.tried} calls that had worked {fit.failed} fail); --data DIR names the right ones"
            )
        return None if fit.foreign else world

    @property
    def _pack(self) -> str:
        return "the bundled pack" if self._data is None else str(self._data)

    def _world(self, source: RunFile) -> tuple[World | None, str]:
        try:
            return World.of(load_domain(source.domain, self._data), source.policy), ""
        except UnknownDomain as unknown:
            return None, str(unknown)

    # Keeping

    def _in_groups(self, source: RunFile, world: World | None) -> Iterator[Taken]:
        watch, _ = self._watch("importing", source.size)
        raw = _raw_tasks(source)
        new: list[tuple[Taken, Sequence[Event]]] = []
        seen: set[str] = set()
        for run in source.simulations(watch):
            if isinstance(run, DataError):
                raise run
            if is_ours(run.extra.get("info")):
                yield self._ours(run, events_from_export(run.extra["info"], raw))
                continue
            name = session_id(source, run)
            kept = self._recorder.kept(name)
            if name in seen or (kept is not None and kept.reward is not None):
                yield _taken(source, run, name, "known", kept.reward if kept else None)
                continue
            seen.add(name)
            retold = self._retell(source, run, world)
            if kept is None:
                taken = _taken(source, run, name, "new", retold.reward, retold)
                new.append((taken, retold.events))
            elif retold.reward is not None and kept.untouched:
                self._recorder.add([retold.events], replacing=True)
                yield _taken(source, run, name, "rescored", retold.reward, retold)
            else:
                yield _taken(source, run, name, "known", None)
            if len(new) == GROUP:
                yield from self._keep(new)
        yield from self._keep(new)

    def _keep(self, new: list[tuple[Taken, Sequence[Event]]]) -> Iterator[Taken]:
        self._recorder.add(events for _, events in new)
        yield from (taken for taken, _ in new)
        new.clear()

    def _retell(self, source: RunFile, run: RecordedRun, world: World | None) -> Retold:
        task, said = source.task_of(run), []
        if task is None and world is not None:
            task = _from_pack(world.domain, run)
            said += ["the task is not in the file: taken from the pack"] if task is not None else []
        if run.turns is None or not run.turns:
            said.append("the file holds none of its words" if not run.error else "it failed before anything was said")
        trusted = self._labels.trusted(task, run)
        if not trusted:
            said.append(self._labels.about(task, run))
        return retell(source, run, task, world, said=said, scorable=trusted and bool(run.turns))

    # Sessions of our own

    def _ours(self, run: RecordedRun, events: Sequence[Event]) -> Taken:
        status = ours.merge(self._recorder, events)
        return _told(events, status, run.id)

    def _merge(self) -> Iterator[Taken]:
        self.format = "tau-tui"
        if self.path.resolve() == self._recorder.file.resolve():
            raise DataError(f"{self.path}: this is the recording itself; name another with --db")
        for _ in ours.sessions(self.path):
            self.runs += 1
            self._progress("checking", self.runs, self.runs)
        watch, digest = self._watch("checking", self.path.stat().st_size)
        with self.path.open("rb") as file:
            while data := file.read(1 << 20):
                watch(data)
        self.digest = digest()
        others = 0
        for number, events in enumerate(ours.sessions(self.path), 1):
            status = ours.merge(self._recorder, events)
            others += status == "other"
            self._progress("importing", number, self.runs)
            yield _told(events, status, "")
        if others:
            self.said.append(f"{others} sessions differ from the ones of the same id here, which are left as they are")
        self._recorder.note_import(self.digest, self.path.name, self.runs, self.format)


class Labels:
    """Whether the task ids of a file can be believed: the actions a run was graded with must be those of its task."""

    def __init__(self) -> None:
        self._equal = 0
        self._other = 0
        self._by_gold: dict[str, set[str]] = {}

    def know(self, tasks: Iterable[Task]) -> None:
        """Take in the tasks of a file."""
        for task in tasks:
            self._by_gold.setdefault(repr(_gold(task)), set()).add(task.id)

    def look(self, task: Task | None, run: RecordedRun) -> None:
        """Take in one more run."""
        if task is None:
            return
        if checked := run.checked_actions():
            self._equal += checked == _gold(task)
            self._other += checked != _gold(task)

    @property
    def _mixed_up(self) -> bool:
        return self._other > self._equal

    def trusted(self, task: Task | None, run: RecordedRun) -> bool:
        """Tell whether a run may be scored against the task it names."""
        checked = run.checked_actions()
        if task is None or run.reward_info is None:
            return True
        return checked == _gold(task) if checked else not self._mixed_up

    def about(self, task: Task | None, run: RecordedRun) -> str:
        """Say why a run is not to be trusted."""
        checked = run.checked_actions()
        if not checked:
            return "not scored: the task ids of this file contradict its own action checks"
        whose = sorted(self._by_gold.get(repr(checked), ()))
        known = f"those of task {' or '.join(whose)}" if whose else "those of no task in the file"
        return f"not scored: it says task {task.id if task else '?'}, but was graded with other actions, {known}"

    def said(self) -> list[str]:
        """Return what is to be said of the whole file."""
        if not self._other:
            return []
        checked = self._other + self._equal
        line = f"the task ids contradict the file's own action checks in {self._other} of {checked} graded runs"
        what = "none of its runs is" if self._mixed_up else "those runs are not"
        return [f"{line}: mislabelled, or the tasks have changed; {what} scored, the recorded rewards are kept"]


def _gold(task: Task) -> list[tuple[str, JSON]]:
    return [(action.name, action.arguments) for action in task.gold]


def _raw_tasks(source: RunFile) -> Mapping[str, Mapping[str, JSON]]:
    tasks = source.raw.get("tasks") if isinstance(source, tau2.Results) else None
    return {str(task.get("id")): task for task in tasks or () if isinstance(task, dict)}


def _from_pack(domain: Domain, run: RecordedRun) -> Task | None:
    return next((task for task in domain.tasks if task.id == run.task_id), None)


def _name(run: RecordedRun) -> str:
    return f"simulation {run.id}" if run.id else f"task {run.task_id}, trial {run.trial}"


def _taken(
    source: RunFile, run: RecordedRun, name: str, status: Status, reward: float | None, retold: Retold | None = None
) -> Taken:
    return Taken(
        session=name,
        simulation=run.id,
        domain=source.domain,
        task=run.task_id,
        trial=run.trial,
        status=status,
        reward=reward,
        recorded_reward=run.reward,
        difference=retold.difference if retold else "",
        notes=retold.notes if retold else (),
    )


def _told(events: Sequence[Event], status: Status, simulation: str) -> Taken:
    from sessions.trajectory import fold

    state, opened = fold(events), events[0]
    assert isinstance(opened, Opened)
    header = opened.header
    return Taken(
        session=header.id,
        simulation=simulation,
        domain=header.domain,
        task=header.task_id,
        trial=header.origin.get("trial"),
        status=status,
        reward=state.scored.reward if state.scored else None,
        recorded_reward=state.recorded.reward if state.recorded else None,
    )
