"""Lints of the gold replay: actions that fail, writes without effect, assertions that gold does not meet, oddities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from domains.checking.finding import Finding, Level, at_action
from domains.checking.played import Played, Step
from domains.database import compare
from domains.errors import DataError
from domains.task import EnvAssertion
from domains.values import JSON

SHOWN = 3
"""How many differing fields are named before the rest is counted."""


def actions(played: Played) -> Iterator[Finding]:
    """Lint every gold action by what it gives."""
    task = played.task
    for step in played.steps:
        if not _callable(played, step):
            continue  # said by the lint of names
        if step.live.error or step.unsynced.error:
            yield _failing(played, step)
        elif step.mutates and not step.live.changes:
            what = f"it changes nothing and answers {_short(step.live.content)}"
            yield at_action(task.id, "info", "gold-write-changes-nothing", step.index, step.action, what)
        if found := played.knowledge.oddity(step.call):
            yield at_action(task.id, "info", "passes-through-oddity", step.index, step.action, found)


def _callable(played: Played, step: Step) -> bool:
    kit = played.domain.definition.toolkits.get(step.seat)
    tool = kit.tools.get(step.action.name) if kit else None
    return tool is not None and not tool.misfit(step.action.arguments)


def _failing(played: Played, step: Step) -> Finding:
    result = step.live if step.live.error else step.unsynced
    when = "" if step.live.error else " when the evaluator plays it"
    why = result.content.removeprefix("Error: ")
    if not step.mutates:
        return at_action(
            played.task.id, "warning", "gold-read-fails", step.index, step.action, f"it fails{when}: {_short(why)}"
        )
    kept = " and leaves what it had already written" if result.changes else ""
    # A failing write is met by everybody when no state is compared, unless the call itself counts.
    level: Level = "error" if played.counts("DB") or played.counts("ACTION") or step.live.error else "warning"
    what = f"it fails{when}{kept} and drops out of the goal: {_short(why)}"
    return at_action(played.task.id, level, "gold-write-fails", step.index, step.action, what)


def sync(played: Played) -> Iterator[Finding]:
    """Lint a goal that a session cannot reach by doing what gold does."""
    if not played.counts("DB") or played.goal.equals(played.live):
        return
    fields = [
        f"{change.database} {change.table} {change.key}".rstrip() + f" {'.'.join(map(str, change.path))}"
        for seat, database in played.goal.databases.items()
        for change in compare(database.base, database.checkpoint(), played.live.databases[seat].checkpoint())
    ]
    more = f" and {len(fields) - SHOWN} more" if len(fields) > SHOWN else ""
    what = f"gold played live ends in another state: {', '.join(islice(fields, SHOWN))}{more}"
    yield Finding(played.task.id, "error", "gold-needs-sync", "actions", what)


def assertions(played: Played) -> Iterator[Finding]:
    """Lint every assertion on the state that gold reaches live, and on the one before."""
    for index, assertion in enumerate(played.criteria.env_assertions or ()):
        given = ", ".join(f"{name}={value!r}" for name, value in assertion.arguments.items())
        where = f"env_assertions[{index}] {assertion.func_name}"
        code, what = _assertion(played, assertion)
        if code:
            level: Level = "error" if played.counts("ENV_ASSERTION") else "warning"
            yield Finding(played.task.id, level, code, where, f"{assertion.func_name}({given}) {what}")
        elif played.criteria.actions and played.start.fork().check(assertion):
            what = f"{assertion.func_name}({given}) holds before anything is done"
            yield Finding(played.task.id, "info", "assertion-holds-at-start", where, what)


def _assertion(played: Played, assertion: EnvAssertion) -> tuple[str, str]:
    """Return code and words of what is wrong with an assertion after gold, or nothing."""
    env = played.live.fork()
    kit = env.kits.get("user" if assertion.env_type == "user" else "agent")
    if kit is None or assertion.func_name not in kit.functions:
        return "unknown-function", f"is no function of the {assertion.env_type}'s side"
    try:
        value: JSON = env.run(assertion)
    except DataError as error:
        return "assertion-raises", f"raises after gold: {_short(str(error).rpartition('): ')[2])}"
    if not isinstance(value, bool):
        return "assertion-not-boolean", f"answers {_short(repr(value))} after gold"
    if value != assertion.assert_value:
        # Without gold actions there is no plan that could be wrong: the state may be reached in other ways.
        if played.criteria.actions is None:
            return "", ""
        return "assertion-unmet", f"is {value} after gold, and should be {assertion.assert_value}"
    return "", ""


def _short(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
