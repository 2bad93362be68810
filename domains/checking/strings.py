"""Lints of required strings: those that can never be found, and those that are found whatever the agent says."""

from __future__ import annotations

from collections.abc import Iterator

from domains.checking.finding import Finding, Level
from domains.checking.played import Played
from domains.matching import GREETING, folded, occurrences

SHORT = 2
"""A required number of so few digits stands in almost any id, date or price."""


def required(played: Played) -> Iterator[Finding]:
    """Lint `communicate_info`."""
    task, strings = played.task, played.criteria.communicate_info or []
    counted = played.counts("COMMUNICATE")
    serious: Level = "error" if counted else "warning"
    shown = [(step, folded(step.live.content)) for step in played.steps if not step.live.error]
    for index, text in enumerate(strings):
        where = f"communicate_info[{index}]"
        if not text.strip():
            yield Finding(task.id, serious, "required-string-empty", where, f"{text!r} says nothing")
            continue
        if "," in text:
            yield Finding(task.id, serious, "required-string-with-comma", where, f"{text!r} can never be found")
            continue
        if any(occurrences(text, folded(GREETING))):
            what = f"{text!r} stands in {GREETING!r}"
            yield Finding(task.id, serious, "required-string-in-greeting", where, what)
            continue
        for place, other in enumerate(strings):
            if text.lower() in other.lower() and (len(text), -index) < (len(other), -place):
                what = f"{text!r} is part of {other!r}, which is required too"
                yield Finding(task.id, "warning", "required-string-within-another", where, what)
                break
        for step, content in shown:
            inside = next((longer for _, longer in occurrences(text, content) if longer), None)
            if inside is not None:
                level: Level = "warning" if len(text) <= SHORT else "info"
                what = f"{text!r} is part of {inside!r}, which {step.action.name} shows"
                yield Finding(task.id, level, "required-string-by-accident", where, what)
                break
