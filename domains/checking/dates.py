"""Lints of days: those in the texts exist and are the weekday they are said to be, and gold means the same ones."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from domains.checking.finding import Finding, at_action
from domains.checking.played import Played, Step, texts
from domains.knowledge import values_of
from domains.values import JSON

MONTHS = "January February March April May June July August September October November December".lower().split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
WEEKDAY = "|".join(WEEKDAYS)
NAMED = re.compile(
    rf"(?:\b(?P<before>{WEEKDAY}),?\s+(?:the\s+)?)?"
    rf"\b(?P<month>{MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?:,?\s+(?P<year>(?:19|20)\d\d)\b)?"
    rf"(?:,?\s*\(?\s*(?:a\s+)?(?P<after>{WEEKDAY})\b)?",
    re.IGNORECASE,
)
ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b")


@dataclass(frozen=True, slots=True)
class Named:
    """A day that a text names, the year and the weekday if it says them."""

    text: str
    month: int
    day: int
    year: int | None
    weekday: str | None

    def date(self, year: int) -> dt.date | None:
        """Return the day, in the year the text says or else in this one; None if there is no such day."""
        try:
            return dt.date(self.year or year, self.month, self.day)
        except ValueError:
            return None


def named_in(text: str) -> Iterator[Named]:
    """Yield every day that a text names with its month."""
    for found in ISO.finditer(text):
        yield Named(found[0], int(found["month"]), int(found["day"]), int(found["year"]), None)
    for found in NAMED.finditer(text):
        # "May" with a number may also be a verb: "you may 2" does not occur, "may 20" without a capital is no date.
        if found["month"][0].islower():
            continue
        month = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(found["month"].lower()[:3]))
        weekday = found["before"] or found["after"]
        year = int(found["year"]) if found["year"] else None
        yield Named(" ".join(found[0].split()), month, int(found["day"]), year, weekday.lower() if weekday else None)


def days(played: Played) -> Iterator[Finding]:
    """Lint the days of texts and gold."""
    task, this_year = played.task, int(played.domain.definition.now[:4])
    told: list[Named] = []
    for where, text in texts(task):
        for named in named_in(text):
            date = named.date(this_year)
            if date is None:
                yield Finding(task.id, "warning", "date-impossible", where, f"there is no {named.text}")
                continue
            if named.weekday and WEEKDAYS[date.weekday()] != named.weekday:
                what = f"{named.text!r}: {date} is a {WEEKDAYS[date.weekday()].capitalize()}"
                yield Finding(task.id, "warning", "date-impossible", where, what)
            told.append(named)
    if told:
        yield from _gold(played, told, this_year)


def _gold(played: Played, told: list[Named], this_year: int) -> Iterator[Finding]:
    """Lint days that only gold names. Those of records it looks at need no mention."""
    mentioned = {date for named in told if (date := named.date(this_year))}
    known = mentioned | {date for step in played.steps for date in _of_records(played, step)}
    seen: set[dt.date] = set()
    for step in played.steps:
        for argument, date in _of_arguments(step.action.arguments):
            if date in known or date in seen:
                continue
            seen.add(date)
            other = next((n for n in told if n.year and (n.month, n.day) == (date.month, date.day)), None)
            if other is not None:
                what = f"{argument} is {date}, and the text says {other.text!r}"
                yield at_action(played.task.id, "warning", "date-disagrees", step.index, step.action, what)
            else:
                what = f"{argument} is {date}; the text names {', '.join(dict.fromkeys(n.text for n in told))}"
                yield at_action(played.task.id, "info", "date-not-in-scenario", step.index, step.action, what)


def _of_records(played: Played, step: Step) -> Iterator[dt.date]:
    for kind in played.knowledge.kinds:
        for _, value in values_of(kind, step.action.arguments):
            record = kind.find(step.before, value)
            # A flight has every day of the month.
            if isinstance(record, dict) and "dates" not in record:
                yield from (date for _, date in _of_arguments(record))


def _of_arguments(value: JSON, name: str = "") -> Iterator[tuple[str, dt.date]]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _of_arguments(inner, key)
        case list():
            for inner in value:
                yield from _of_arguments(inner, name)
        case str() if found := ISO.fullmatch(value):
            try:
                yield name, dt.date(int(found["year"]), int(found["month"]), int(found["day"]))
            except ValueError:
                return
