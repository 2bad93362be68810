"""Tasks out of templates. A template yields every draft it can make, in seeded order; some of them are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from domains.drafting import Draft, task_record
from domains.generating import Dice

W = TypeVar("W")
Template = Callable[[W, Dice], Iterator[Draft]]


def fill(
    domain: str,
    templates: Sequence[tuple[Template[W], int]],
    world: W,
    seed: int,
    accept: Callable[[Draft], Draft | None],
) -> list[dict[str, Any]]:
    """Take so many tasks of each template. Every customer appears in one task; `accept` may add to a draft or drop it.

    Raises ValueError where the database has no records for a template.
    """
    customers: set[str] = set()
    drafts: list[Draft] = []
    for template, count in templates:
        found = 0
        for drafted in template(world, Dice(seed, "tasks", template.__name__)):
            draft = accept(drafted)
            if draft is None or draft.user_id in customers or draft.gives_itself_away:
                continue
            customers.add(draft.user_id)
            drafts.append(draft)
            found += 1
            if found == count:
                break
        if found < count:
            raise ValueError(f"{template.__name__}: {found} tasks instead of {count}")
    return [task_record(domain, str(index), draft) for index, draft in enumerate(drafts)]


def split(tasks: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Two of five tasks are for testing."""
    ids = [task["id"] for task in tasks]
    test = [task_id for task_id in ids if int(task_id) % 5 in (1, 4)]
    return {"base": ids, "train": [task_id for task_id in ids if task_id not in test], "test": test}
