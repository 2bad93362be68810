"""Lints of names and of the beginning: does the initial state apply, are there such tools, arguments and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domains.catalog import Domain
from domains.checking.finding import Finding, Level, at_action
from domains.checking.played import Played, seat_of, texts
from domains.environment import Environment
from domains.errors import DataError
from domains.task import GoldAction, Task

MENTIONED = re.compile(r"`(\w+)(?:\(\))?`")


def begin(domain: Domain, task: Task) -> Environment | Finding:
    """Return the world in which a task begins, or why it cannot."""
    try:
        return domain.environment(task)
    except Exception as error:  # a message history is any JSON, and may make anything of itself
        what = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
        return Finding(task.id, "error", "initial-state-fails", "initial_state", what)


def initial_actions(domain: Domain, task: Task) -> Iterator[Finding]:
    """Lint initial actions that answer with a refusal instead of raising."""
    state = task.initial_state
    if state is None or not state.initialization_actions:
        return
    bare = task.model_copy(
        update={"initial_state": state.model_copy(update={"initialization_actions": None, "message_history": None})}
    )
    env = domain.environment(bare)
    for index, action in enumerate(state.initialization_actions):
        answer = env.run(action)
        refused = answer[0] is False if isinstance(answer, tuple) and answer else answer is False
        if refused:
            said = answer[1] if isinstance(answer, tuple) and len(answer) > 1 else answer
            where = f"initialization_actions[{index}] {action.func_name}"
            yield Finding(task.id, "warning", "initial-action-refused", where, f"it answers {said!r}")


def names(played: Played) -> Iterator[Finding]:
    """Lint names of tools, arguments and functions that do not exist."""
    task, toolkits = played.task, played.domain.definition.toolkits
    for index, action in enumerate(task.gold):
        if found := _action(played, index, action):
            yield found
        unknown = [name for name in action.compare_args or () if name not in action.arguments]
        if unknown:
            what = f"compare_args names {', '.join(unknown)}, which the action does not give"
            level: Level = "error" if played.counts("ACTION") else "warning"
            yield at_action(task.id, level, "unknown-compare-args", index, action, what)
    user_kit = toolkits.get("user")
    user_tools = set(user_kit.tools) if user_kit else set()
    for index, name in enumerate(task.user_tools or ()):
        if name not in user_tools:
            where, what = f"user_tools[{index}]", f"there is no user tool {name!r}"
            yield Finding(task.id, "error", "unknown-user-tool", where, what)
    known = {name for kit in toolkits.values() for name in (*kit.tools, *kit.functions)} | {"done"}
    # Only a name with an underscore is certainly meant as a tool.
    for where, text in texts(task):
        for name in dict.fromkeys(MENTIONED.findall(text)):
            if (
                "_" in name
                and name not in known
                and any(n.rpartition("_")[2] == name.rpartition("_")[2] for n in known)
            ):
                what = f"the text speaks of a tool {name!r}, which does not exist"
                yield Finding(task.id, "warning", "unknown-tool-mentioned", where, what)


def _action(played: Played, index: int, action: GoldAction) -> Finding | None:
    task, toolkits = played.task, played.domain.definition.toolkits
    seat = seat_of(action)
    kit, other = toolkits.get(seat), toolkits.get("agent" if seat == "user" else "user")
    if kit is None or action.name not in kit.tools:
        if other is not None and action.name in other.tools:
            what = f"it is the {other.owner}'s tool, and the action is the {seat}'s"
            return at_action(task.id, "error", "other-sides-tool", index, action, what)
        what = f"the {seat} has no tool {action.name!r}"
        return at_action(task.id, "error", "unknown-tool", index, action, what)
    if misfit := kit.tools[action.name].misfit(action.arguments):
        return at_action(task.id, "error", "misfit-arguments", index, action, misfit)
    if seat == "user" and task.user_tools is not None and action.name not in task.user_tools:
        return at_action(task.id, "error", "tool-not-offered", index, action, "user_tools does not list it")
    return None
