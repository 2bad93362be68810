"""A small task list with users and their inboxes, for first steps and for trying things out."""

from __future__ import annotations

from domains.environment import Definition
from domains.files import read_text
from domains.mock.models import MockDB, MockUserDB
from domains.mock.tools import MockTools, MockUserTools

definition = Definition(
    name="mock",
    now="2024-05-15T15:00:00",
    toolkits={"agent": MockTools, "user": MockUserTools},
    databases={"agent": ("db", MockDB), "user": ("user_db", MockUserDB)},
    policy=lambda folder, solo: read_text(folder, "policy_solo.md" if solo else "policy.md"),
    one_database_after_merge=True,
    knowledge="domains.mock.knowledge:knowledge",
    oddities={
        "create_task": "ids are counted, so a list with gaps can have a task replaced",
        "update_task_status": "any status is stored as it came",
    },
)
