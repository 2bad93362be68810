"""`tau-tui tasks`: the tasks of the domains that are there."""

from __future__ import annotations

from pathlib import Path

from domains import load_domain
from domains.catalog import Domain, list_domains
from domains.errors import DataError
from domains.task import Task
from domains.values import JSON
from tau_tui.commands.printing import print_json, print_table


def run(name: str | None, data: Path | None, split: str | None, *, search: str, spoilers: bool, as_json: bool) -> int:
    """Print one row a task. Raises DataError."""
    rows = [
        row
        for domain in ([load_domain(name, data)] if name else [load_domain(n, data) for n in list_domains(data)])
        for row in _rows(domain, split, search, spoilers)
    ]
    if as_json:
        for row in rows:
            print_json(row)
        return 0
    columns = ["domain", "number", "reason", *(["id", "writes", "purpose"] if spoilers else [])]
    print_table(columns, [[row[column] for column in columns] for row in rows], empty="no task matches")
    return 0


def _rows(domain: Domain, split: str | None, search: str, spoilers: bool) -> list[dict[str, JSON]]:
    if split is not None and split not in domain.splits:
        raise DataError(f"{domain.name} has no split {split!r}; it has {', '.join(domain.splits)}")
    chosen = None if split is None else set(domain.splits[split])
    return [
        _row(domain, number, task, spoilers)
        for number, task in enumerate(domain.tasks)
        if (chosen is None or task.id in chosen) and search.lower() in task.reason.lower()
    ]


def _row(domain: Domain, number: int, task: Task, spoilers: bool) -> dict[str, JSON]:
    row: dict[str, JSON] = {
        "domain": domain.name,
        "number": f"#{number}",
        "reason": task.reason,
        "splits": [name for name, ids in domain.splits.items() if task.id in ids],
    }
    if spoilers:
        toolkits = domain.definition.toolkits
        owners = {"assistant": "agent", "user": "user"}
        row["id"] = task.id
        row["writes"] = sum(
            (tool := toolkits[owners[action.requestor]].tools.get(action.name)) is not None and tool.mutates  # type: ignore[index]  # owners are seats
            for action in task.gold
        )
        row["purpose"] = (task.description.purpose if task.description else None) or ""
    return row
