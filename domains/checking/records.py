"""Lints of references: ids in gold, assertions and texts that exist nowhere, and what exists but is not to be had."""

from __future__ import annotations

from collections.abc import Iterator

from domains.checking.finding import Finding, at_action
from domains.checking.played import Played, texts
from domains.environment import Environment
from domains.knowledge import Kind, values_of, written_in


def missing(played: Played) -> Iterator[Finding]:
    """Lint ids of records that do not exist when they are used."""
    task, kinds = played.task, played.knowledge.kinds
    named: set[tuple[str, str]] = set()
    for step in played.steps:
        for kind in kinds:
            for argument, value in dict.fromkeys(values_of(kind, step.action.arguments)):
                if not kind.find(step.before, value):
                    named.add((kind.name, value))
                    what = f"{argument}: there is no {kind.name} {value!r}"
                    yield at_action(task.id, "warning", "missing-record", step.index, step.action, what)
    for index, assertion in enumerate(played.criteria.env_assertions or ()):
        for kind in kinds:
            for argument, value in values_of(kind, assertion.arguments):
                if not _ever(played, kind, value):
                    where = f"env_assertions[{index}] {assertion.func_name}"
                    what = f"{argument}: there is no {kind.name} {value!r}"
                    yield Finding(task.id, "warning", "missing-record", where, what)
    for where, text in texts(task):
        for kind in kinds:
            for value in written_in(kind, text):
                if (kind.name, value) not in named and not _ever(played, kind, value):
                    named.add((kind.name, value))
                    what = f"the text says {value!r}, and there is no such {kind.name}"
                    yield Finding(task.id, "warning", "missing-record", where, what)


def _ever(played: Played, kind: Kind, value: str) -> bool:
    return any(_found(kind, env, value) for env in (played.start, played.live))


def _found(kind: Kind, env: Environment, value: str) -> bool:
    return bool(kind.find(env, value))


def unavailable(played: Played) -> Iterator[Finding]:
    """Lint what gold writes rely on that is not to be had."""
    for step in played.writes:
        for what in played.knowledge.unavailable(step.call):
            yield at_action(played.task.id, "warning", "unavailable-record", step.index, step.action, what)
