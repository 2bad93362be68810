"""The smallest world to score in: one user, two tasks, one notification; and sessions written in a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from domains.catalog import Domain
from domains.mock import definition
from domains.task import Task
from domains.toolkit import Seat
from sessions.event import Call, Message
from sessions.trajectory import Done, Turn

DB = {
    "tasks": {
        "task_1": {"task_id": "task_1", "title": "Sweep", "description": None, "status": "pending"},
        "task_2": {"task_id": "task_2", "title": "Mop", "description": None, "status": "pending"},
    },
    "users": {"user_1": {"user_id": "user_1", "name": "Ada", "tasks": ["task_1", "task_2"]}},
}
USER_DB = {"notifications": {"n1": {"notification_id": "n1", "message": "Sweep!", "status": "unread"}}}


def world(folder: Path) -> Domain:
    """A domain whose pack is written to a folder."""
    (folder / "db.json").write_text(json.dumps(DB))
    (folder / "user_db.json").write_text(json.dumps(USER_DB))
    (folder / "tasks.json").write_text("[]")
    return Domain("mock", definition, folder, "test")


def call(name: str, seat: Seat = "agent", **arguments: Any) -> tuple[Seat, str, dict[str, Any]]:
    """A call in a session or, as gold, in a task."""
    return seat, name, arguments


def finish(task_id: str) -> tuple[Seat, str, dict[str, Any]]:
    """The write most examples make."""
    return call("update_task_status", task_id=task_id, status="completed")


def task(
    *gold: tuple[Seat, str, Mapping[str, Any]], basis: tuple[str, ...] = ("DB", "COMMUNICATE"), **more: Any
) -> Task:
    """A task with these gold actions; `more` are further criteria, or `initial_state`."""
    actions = [
        {
            "action_id": f"a{i}",
            "name": name,
            "arguments": arguments,
            "requestor": "user" if seat == "user" else "assistant",
        }
        for i, (seat, name, arguments) in enumerate(gold)
    ]
    start = more.pop("initial_state", None)
    criteria = {"actions": actions, "reward_basis": list(basis)} | more
    return Task.model_validate(
        {"id": "t", "user_scenario": {}, "evaluation_criteria": criteria, "initial_state": start}
    )


def turns(*acts: str | tuple[Seat, str, Mapping[str, Any]]) -> tuple[Turn, ...]:
    """A session: `user: words`, `agent: words`, or a call."""
    out = []
    for i, act in enumerate(acts):
        if isinstance(act, str):
            name, _, text = act.partition(": ")
            seat: Seat = "agent" if name == "agent" else "user"
            out.append(Turn(i, seat, text, message=Message(turn=i, seat=seat, text=text)))
        else:
            seat, name, arguments = act
            done = Done(Call(turn=i, seat=seat, id=f"c{i}", name=name, arguments=arguments))
            out.append(Turn(i, seat, calls=(done,)))
    return tuple(out)
