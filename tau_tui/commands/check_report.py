"""The text of an issue on one task: what is wrong, why it matters, and how anybody can see it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from domains.catalog import Domain
from domains.check import Finding, play_task
from domains.checking.inaction import components
from domains.checking.played import Played, Step
from domains.database import Change
from domains.task import Task
from domains.values import ABSENT, JSON

SHORT, LONG = 160, 600
"""Characters shown of a result, and of one that something was found in."""
CHANGES = 8


def issue(domain: Domain, task: Task, findings: Sequence[Finding], *, with_data: bool) -> str:
    """Return the text in Markdown. It names no path of this machine."""
    return "\n".join(_lines(domain, task, findings, with_data)) + "\n"


def _lines(domain: Domain, task: Task, findings: Sequence[Finding], with_data: bool) -> Iterator[str]:
    codes = ", ".join(dict.fromkeys(f.code for f in findings if f.level != "info")) or "nothing wrong"
    yield f"# {domain.name} task {task.id}: {codes}"
    yield ""
    yield f"- reason for contact: {task.reason}"
    yield f"- reward basis: {', '.join(task.evaluation_criteria.reward_basis) if task.evaluation_criteria else 'none'}"
    yield f"- digest of the task: `{task.digest()[:16]}`"
    yield f"- digest of the database: `{(domain.environment().digest('agent') or '')[:16]}`"
    yield ""
    yield "## What is wrong"
    yield ""
    if not findings:
        yield "Nothing was found."
    for number, finding in enumerate(findings, 1):
        identity = f" (id `{finding.action_id}`)" if finding.action_id else ""
        yield f"{number}. **{finding.code}** ({finding.level}) at `{finding.where}`{identity}: {finding.what}."
        yield f"   Why it matters: {finding.why}"
        yield f"   What to do: {finding.do}"
    yield ""
    yield "## How to see it"
    yield ""
    data = " --data DIR" if with_data else ""
    yield "```"
    yield f"tau-tui check --domain {domain.name} --task {_quoted(task.id)}{data} --level info"
    yield "```"
    played = play_task(domain, task)
    if isinstance(played, Finding):
        return
    flagged = {finding.action for finding in findings if finding.action is not None}
    yield ""
    yield "The gold actions, played in order from the task's initial state, with their results and changes:"
    yield ""
    yield "```"
    yield from _steps(played, flagged)
    yield "```"
    yield from _outcome(played)


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _steps(played: Played, flagged: set[int]) -> Iterator[str]:
    if not played.steps:
        yield "(there are none)"
    for step in played.steps:
        mark = "!" if step.index in flagged else " "
        arguments = json.dumps(step.action.arguments, ensure_ascii=False)
        yield f"{mark}[{step.index}] {step.seat}: {step.action.name}({arguments})"
        yield f"      → {_cut(step.live.content, LONG if step.index in flagged else SHORT)}"
        if step.unsynced.content != step.live.content:
            yield f"      → as the evaluator plays it: {_cut(step.unsynced.content, SHORT)}"
        yield from _changes(step)


def _changes(step: Step) -> Iterator[str]:
    changes = (*step.live.changes, *step.live.synced)
    for change in changes[:CHANGES]:
        yield f"      {_change(change)}"
    if len(changes) > CHANGES:
        yield f"      … {len(changes) - CHANGES} more changes"


def _change(change: Change) -> str:
    place = ".".join(str(part) for part in (change.database, change.table, change.key, *change.path) if part != "")
    return f"{place}: {_value(change.before)} → {_value(change.after)}"


def _value(value: JSON) -> str:
    return "nothing" if value is ABSENT else _cut(json.dumps(value, ensure_ascii=False, default=str), SHORT)


def _outcome(played: Played) -> Iterator[str]:
    assertions = played.criteria.env_assertions or ()
    if assertions:
        yield ""
        yield "Assertions, before and after gold:"
        yield ""
    for assertion in assertions:
        given = json.dumps(assertion.arguments, ensure_ascii=False)
        before, after = (env.fork().check(assertion) for env in (played.start, played.live))
        yield f"- `{assertion.func_name}({given})` is {assertion.assert_value}: {_yes(before)} → {_yes(after)}"
    if played.criteria.communicate_info:
        yield ""
        yield f"Required strings: {', '.join(f'`{text}`' for text in played.criteria.communicate_info)}"
    reached = components(played)
    counted = [f"{name} {_number(reached[name])}" for name in dict.fromkeys(played.criteria.reward_basis)]
    if played.task.evaluation_criteria is not None:
        yield ""
        yield f"A session in which nothing is done gets: {', '.join(counted)}."


def _yes(met: bool) -> str:
    return "met" if met else "not met"


def _number(value: float | None) -> str:
    return "not judged" if value is None else f"{value:g}"


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
