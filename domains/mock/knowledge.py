"""What the check knows of the task list."""

from __future__ import annotations

import re
from typing import get_args

from domains.environment import Environment
from domains.knowledge import GoldCall, Kind, Knowledge, Person
from domains.mock.models import TaskStatus
from domains.values import Record


def _in(env: Environment, table: str, key: str) -> Record | None:
    # After a merge both sides share one database, which may be either.
    for database in env.databases.values():
        if table in database.base.tables and (found := database.get(table, key)) is not None:
            return found
    return None


def _person(env: Environment, user_id: str) -> Person | None:
    user = _in(env, "users", user_id)
    return None if user is None else Person(user_id, user["name"])


KINDS = (
    Kind(
        "user",
        frozenset({"user_id"}),
        lambda env, value: _in(env, "users", value),
        written=re.compile(r"\buser_\w+\b"),
    ),
    Kind(
        "task",
        frozenset({"task_id"}),
        lambda env, value: _in(env, "tasks", value),
        written=re.compile(r"\btask_\d+\b"),
    ),
    Kind(
        "notification",
        frozenset({"notification_id"}),
        lambda env, value: _in(env, "notifications", value),
        written=re.compile(r"\bnotif\w*_\d+\b"),
    ),
)


def _oddity(call: GoldCall) -> str | None:
    if call.result.error:
        return None
    match call.name:
        case "create_task" if any(c.table == "tasks" and c.path for c in call.result.changes):
            return "ids are counted, and this one replaces a task that is there"
        case "update_task_status" if call.arguments.get("status") not in get_args(TaskStatus):
            return f"any status is stored, also {call.arguments.get('status')!r}"
    return None


knowledge = Knowledge(KINDS, _person, _oddity)
