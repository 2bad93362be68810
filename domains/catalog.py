"""Finds packs and reads them: the bundled ones, and folders in the layout of a tau2 data folder."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from domains.choices import among, numbered, numbers
from domains.errors import DataError, UnknownDomain
from domains.packs import BASE, installed_packs, place_of, read_base

__all__ = [
    "Domain",
    "check_domain",
    "domains_folder",
    "installed_packs",
    "list_domains",
    "load_domain",
    "place_of",
    "read_domain",
    "read_tasks",
]

if TYPE_CHECKING:
    from domains.database import Base
    from domains.environment import Definition, Environment
    from domains.task import Task
    from domains.toolkit import Seat

CODE: Mapping[str, tuple[str, str]] = {
    "airline": ("domains.airline:definition", "airline"),
    "retail": ("domains.retail:definition", "retail"),
    "telecom": ("domains.telecom:manual", "telecom"),
    "telecom-workflow": ("domains.telecom:workflow", "telecom"),
    "mock": ("domains.mock:definition", "mock"),
}
"""Domain name → the definition that serves it, and the folder of its pack."""


@dataclass
class Domain:
    """A pack together with the code that serves it; its parts are read when they are first asked for."""

    name: str
    definition: Definition
    folder: Path
    origin: str
    """`bundled`, or the folder or the name of the installed pack it was read from."""
    base: Domain | None = None
    """For tasks of one's own: the pack whose databases and policy they use."""

    @cached_property
    def policy(self) -> str:
        """The document that binds the agent."""
        return self.base.policy if self.base is not None else self.definition.policy(self.folder, False)

    @cached_property
    def solo_policy(self) -> str:
        """The document that binds an agent that works alone from a ticket."""
        return self.base.solo_policy if self.base is not None else self.definition.policy(self.folder, True)

    @cached_property
    def tasks(self) -> list[Task]:
        """Every task of the pack. Raises DataError with line and column, or task id and field."""
        return read_tasks(self.folder / "tasks.json")

    @cached_property
    def splits(self) -> dict[str, list[str]]:
        """Names of subsets → ids of their tasks; `base` is always there."""
        from domains.files import read_data

        path = self.folder / "split_tasks.json"
        splits: dict[str, list[str]] = read_data(path) if path.is_file() else {}
        if not isinstance(splits, dict):
            raise DataError(f"{path}: expected an object of task ids by split name")
        return {name: [str(i) for i in ids] for name, ids in splits.items()} | (
            {} if "base" in splits else {"base": [task.id for task in self.tasks]}
        )

    def task(self, task_id: str) -> Task:
        """Return a task by its id, or by `#N`, its number in the list.

        Raises DataError with the nearest ids and the numbers there are.
        """
        found = numbered(self.tasks, task_id) or self._by_id.get(task_id)
        if found is not None:
            return found
        import difflib

        # Whoever wrote a number means a number: ids that look like it are other tasks.
        ids = [] if task_id.startswith("#") else difflib.get_close_matches(task_id, self._by_id, n=3, cutoff=0.3)
        near = f"the nearest are {', '.join(ids)}; " if ids else ""
        raise DataError(f"{self.name} has no task {task_id!r}; {near}{numbers(self.tasks)}")

    @cached_property
    def _by_id(self) -> dict[str, Task]:
        return {task.id: task for task in self.tasks}

    @cached_property
    def bases(self) -> dict[Seat, Base]:
        """The databases as loaded, one for each side that has one. Raises DataError."""
        if self.base is not None:
            return self.base.bases
        from domains.files import read_data
        from domains.schema import load_base

        bases: dict[Seat, Base] = {}
        for seat, (stem, model) in self.definition.databases.items():
            path = _one_of(self.folder, stem)
            bases[seat] = load_base(seat, model, read_data(path), str(path))
        return bases

    def environment(self, task: Task | str | None = None, solo: bool = False) -> Environment:
        """Return a fresh fork with the task's initial state applied. Raises DataError when it does not apply."""
        from domains.database import Database
        from domains.environment import Environment

        env = Environment(self.definition, {seat: Database(base) for seat, base in self.bases.items()}, solo=solo)
        if task is not None:
            env.apply(self.task(task) if isinstance(task, str) else task)
        return env


def load_domain(name: str, data: Path | None = None) -> Domain:
    """Return a domain: the bundled pack, one in a folder in tau2's layout, or an installed one by its name.

    One object per process. Raises UnknownDomain, and DataError when the folder is not a data folder.
    """
    return _loaded(name, data, *_state(name, data))


@lru_cache(maxsize=32)
def _loaded(name: str, data: Path | None, place: Path | None, changed: tuple[int, ...]) -> Domain:
    return read_domain(name, data)


def _state(name: str, data: Path | None) -> tuple[Path | None, tuple[int, ...]]:
    """Return what makes a pack another one: a name may mean another folder tomorrow, and tasks of one's own grow."""
    if data is None:
        return None, ()
    place = place_of(data)
    folder = place / "tau2" / "domains" / CODE[name][1] if name in CODE else place
    own = [folder / BASE, folder / "tasks.json"] if (folder / BASE).is_file() else []
    return place, tuple(path.stat().st_mtime_ns for path in own if path.is_file())


def read_domain(name: str, data: Path | None = None) -> Domain:
    """Do what `load_domain` does, and keep nothing of it."""
    if name not in CODE:
        raise UnknownDomain(f"there is no domain {name!r}; {among(name, list(CODE))}")
    where, pack = CODE[name]
    module, _, attribute = where.partition(":")
    definition: Definition = getattr(importlib.import_module(module), attribute)
    if data is None:
        return Domain(name, definition, _bundled(where), "bundled")
    folder = domains_folder(data) / pack
    if not folder.is_dir():
        raise UnknownDomain(f"there is no domain {name!r} in {data}; {among(name, list_domains(data))}")
    return Domain(name, definition, folder, _origin(data), _base_of(name, data, folder))


def _origin(data: Path) -> str:
    """Return the name of an installed pack, or a path that means the same folder from everywhere."""
    return str(data) if place_of(data) != data else str(data.absolute())


def _base_of(name: str, data: Path, folder: Path) -> Domain | None:
    named = read_base(folder)
    if named is None:
        return None
    try:
        base = load_domain(name, None if named == "bundled" else Path(named))
    except DataError as error:
        raise DataError(f"{data}: its {name} tasks need the pack {named!r}: {error}") from None
    if base.base is not None:
        raise DataError(f"{folder}: {BASE} names {named!r}, which itself has no database")
    return base


def check_domain(name: str | None, data: Path | None = None) -> None:
    """Find out without reading a pack whether it is there. Raises UnknownDomain, and DataError."""
    there = list_domains(data)
    if data is not None and not there:
        raise DataError(f"{data} holds no domain: {domains_folder(data)} has no airline/tasks.json or the like")
    if name is not None and name not in there:
        where = f" in {data}" if data is not None else ""
        raise UnknownDomain(f"there is no domain {name!r}{where}; {among(name, there)}")


def list_domains(data: Path | None = None) -> list[str]:
    """Return the names of the domains whose pack is there."""
    if data is None:
        return [name for name, (where, _) in CODE.items() if _bundled(where).is_dir()]
    folder = domains_folder(data)
    return [name for name, (_, pack) in CODE.items() if (folder / pack / "tasks.json").is_file()]


def _bundled(where: str) -> Path:
    return Path(__file__).parent / where.partition(":")[0].rpartition(".")[2] / "pack"


def domains_folder(data: Path) -> Path:
    """Return `DIR/[tau2/]domains`, also of an installed pack. Raises DataError when DIR is not a data folder."""
    place = place_of(data)
    for folder in (place / "tau2" / "domains", place / "domains"):
        if folder.is_dir():
            return folder
    advice = "; `tau-tui data install` fetches the official one" if str(data) == "official" else ""
    raise DataError(f"{data} is not a data folder: expected {data}/tau2/domains or {data}/domains{advice}")


def read_tasks(path: Path) -> list[Task]:
    """Read and validate a tasks file. Raises DataError naming line and column, or task id and field."""
    from pydantic import ValidationError

    from domains.files import read_data
    from domains.schema import explain
    from domains.task import Task

    raw = read_data(path)
    if not isinstance(raw, list):
        raise DataError(f"{path}: expected a list of tasks, found {type(raw).__name__}")
    tasks, seen = [], set()
    for i, item in enumerate(raw):
        try:
            task = Task.model_validate(item)
        except ValidationError as error:
            named = item.get("id", f"number {i}") if isinstance(item, dict) else f"number {i}"
            raise DataError(f"{path}: task {named}: {explain(error)}") from None
        if task.id in seen:
            raise DataError(f"{path}: task {task.id}: id: there are two tasks of this id")
        seen.add(task.id)
        tasks.append(task)
    return tasks


def _one_of(folder: Path, stem: str) -> Path:
    for ending in (".json", ".json.xz", ".toml"):
        if (path := folder / f"{stem}{ending}").is_file():
            return path
    raise DataError(f"{folder}: expected {stem}.json or {stem}.toml")
