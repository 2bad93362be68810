"""Lints of a whole pack: tasks that do not load, ids given twice, splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import ValidationError

from domains.catalog import Domain
from domains.checking.finding import Finding
from domains.errors import DataError
from domains.files import read_data
from domains.schema import explain
from domains.task import Task


def read(domain: Domain) -> tuple[list[Task], list[Finding]]:
    """Return the tasks that can be read, and what is wrong with the others.

    Raises DataError when the file is not a list of tasks at all.
    """
    path = domain.folder / "tasks.json"
    raw = read_data(path)
    if not isinstance(raw, list):
        raise DataError(f"{path}: expected a list of tasks, found {type(raw).__name__}")
    tasks: dict[str, Task] = {}
    findings = []
    for number, item in enumerate(raw):
        name = str(item.get("id", f"#{number}")) if isinstance(item, dict) else f"#{number}"
        try:
            task = Task.model_validate(item)
        except ValidationError as error:
            place, _, what = explain(error).partition(": ")
            findings.append(Finding(name, "error", "invalid-task", place, what))
            continue
        if task.id in tasks:
            findings.append(Finding(task.id, "error", "duplicate-id", "id", f"task number {number} has this id too"))
            continue
        tasks[task.id] = task
    return list(tasks.values()), findings


def splits(domain: Domain) -> Iterator[Finding]:
    """Lint the file of splits. Raises DataError when it cannot be read."""
    path = domain.folder / "split_tasks.json"
    if not path.is_file():
        return
    found = read_data(path)
    if not isinstance(found, dict) or not all(isinstance(ids, list) for ids in found.values()):
        raise DataError(f"{path}: expected an object of task ids by split name")
    there = {task.id for task in read(domain)[0]}
    for name, ids in found.items():
        for task_id, times in Counter(map(str, ids)).items():
            if task_id not in there:
                yield Finding(task_id, "error", "split-unknown-task", f"split {name}", "there is no task of this id")
            if times > 1:
                what = f"it is listed {times} times"
                yield Finding(task_id, "warning", "split-repeats-task", f"split {name}", what)
    both = set(map(str, found.get("train", ()))) & set(map(str, found.get("test", ())))
    for task_id in sorted(both):
        yield Finding(task_id, "warning", "split-overlap", "split train, split test", "it is in both")
