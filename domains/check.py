"""An offline verdict on the tasks of a pack: can they be solved as they say, and not by doing nothing."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence

from domains.catalog import Domain
from domains.checking import agreement, dates, gold, inaction, pack, records, setup, strings
from domains.checking.finding import LEVELS, RULES, Finding, Level, Rule
from domains.checking.played import Played, play
from domains.knowledge import Knowledge
from domains.task import Task

__all__ = ["LEVELS", "RULES", "Finding", "Level", "Rule", "check", "check_task", "knowledge_of", "play_task"]

LINTS = (
    setup.names,
    gold.actions,
    gold.sync,
    gold.assertions,
    inaction.probe,
    records.missing,
    records.unavailable,
    strings.required,
    agreement.people,
    dates.days,
)


def check(domain: Domain, tasks: Sequence[Task] | None = None) -> list[Finding]:
    """Return what is found in the given tasks; without them in the whole pack, its splits and its unreadable tasks too.

    Writes nothing. Raises DataError when the pack cannot be read at all.
    """
    findings: list[Finding] = []
    if tasks is None:
        tasks, findings = pack.read(domain)
        findings += pack.splits(domain)
    return findings + [finding for task in tasks for finding in check_task(domain, task)]


def check_task(domain: Domain, task: Task) -> list[Finding]:
    """Return what is found in one task, the worst first."""
    found = list(_found(domain, task))
    return sorted(found, key=lambda finding: LEVELS.index(finding.level))


def _found(domain: Domain, task: Task) -> Iterator[Finding]:
    played = play_task(domain, task)
    if isinstance(played, Finding):
        yield played
        return
    yield from setup.initial_actions(domain, task)
    for lint in LINTS:
        yield from lint(played)


def play_task(domain: Domain, task: Task) -> Played | Finding:
    """Return a task with its gold played, or why it cannot begin."""
    start = setup.begin(domain, task)
    return start if isinstance(start, Finding) else play(domain, knowledge_of(domain), task, start)


def knowledge_of(domain: Domain) -> Knowledge:
    """Return what can be told of a domain's data; nothing for a domain that says nothing."""
    if not domain.definition.knowledge:
        return Knowledge((), lambda env, key: None, lambda call: None)
    module, _, name = domain.definition.knowledge.partition(":")
    found: Knowledge = getattr(importlib.import_module(module), name)
    return found
