"""Writes a session as a transcript to read: the reward and why, then each turn with its calls and their changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessions.event import Failure, Note
from sessions.export.record import Record
from sessions.export.telling import Line, Step, Told, call_text, cards, facts, pretty, scenario, steps, title, when
from sessions.safe_text import one_line, safe
from sessions.usage_text import of_thought

SPEAKER = {"user": "Customer", "agent": "Agent"}
MARK = {"good": "✓ ", "bad": "✗ ", "warn": "! "}


def document(record: Record, told: Told | None) -> Iterator[str]:
    """Yield the text of one session; `told` is None where nobody can explain the reward."""
    yield f"# {escaped(title(record))}\n\n"
    for name, value in facts(record):
        yield f"- {name}: {escaped(value)}\n"
    yield "\n## Reward\n\n"
    yield from _reward(record, told)
    if told_to := scenario(record):
        yield "\n## What the customer was told\n"
        for heading, text in told_to:
            yield f"\n**{heading}.**\n\n{_quoted(text)}\n"
    yield "\n## What happened\n"
    for step in steps(record):
        yield from _step(step, record)
    yield from _loose(record)


def _reward(record: Record, told: Told | None) -> Iterator[str]:
    if told is None:
        reward = "not known" if record.reward is None else f"{record.reward:g}"
        yield f"**Recorded reward {reward}**\n\nNot explained: {escaped(record.missing)}\n"
        return
    yield f"**{escaped(told.headline)}**\n"
    if told.because:
        yield f"\n{escaped(told.because)}\n"
    if told.lines:
        yield "\n" + "".join(_lines(told.lines, 0))


def _lines(lines: Sequence[Line], depth: int) -> Iterator[str]:
    for line in lines:
        sign = "" if line.text[:1] in "✓✗?" else MARK.get(line.tone, "")
        yield f"{'  ' * depth}- {sign}{escaped(one_line(line.text))}\n"
        yield from _lines(line.children, depth + 1)


def _step(step: Step, record: Record) -> Iterator[str]:
    moment = when(step, record, ", ")
    for text in step.before:
        yield "\n" + "".join(f"> **{escaped(line)}**  \n" for line in text.split("\n"))
    if not step.is_call:
        yield f"\n### {SPEAKER[step.seat]} · {moment}\n\n"
        yield from _thought(step)
        if step.text:
            yield f"{_quoted(safe(step.text))}\n"
        if step.stop:
            yield f"{chr(10) if step.text else ''}*ends with {escaped(step.stop)}*\n"
    else:
        state = "error" if step.error else "" if step.answered else "never answered"
        heading = " · ".join(part for part in (f"calls `{_code(one_line(step.name))}`", moment, state) if part)
        yield f"\n### {SPEAKER[step.seat]} {heading}\n\n"
        yield from _thought(step)
        yield _fenced(call_text(step))
        if step.answered:
            yield _fenced(pretty(step.answer), "json" if step.answer[:1] in "{[" else "")
        for card in cards(step.made):
            yield f"- changed: {escaped(card.title)}{f' ({card.kind})' if card.kind != 'changed' else ''}\n"
            for name, before, after in card.lines:
                values = f"{before or '∅'} → {after or '∅'}" if card.kind == "changed" else before or after
                yield f"  - {escaped(name)}: {escaped(values)}\n"
    if step.usage:
        yield f"\n*{escaped(step.usage)}*\n"
    for remark in step.remarks:
        yield f"\n> **{escaped(one_line(remark))}**\n"


def _thought(step: Step) -> Iterator[str]:
    if step.thought:
        text = "\n".join(f"> {line}" for line in _quoted(safe(step.thought.strip())).split("\n"))
        yield f"*{escaped(of_thought(step.thought))}*\n\n{text}\n\n"


def _loose(record: Record) -> Iterator[str]:
    """Yield what is said of the session as a whole."""
    notes = [event.text for event in record.events if isinstance(event, Note) and event.turn is None]
    failures = [f"{event.what} {event.detail}".strip() for event in record.events if isinstance(event, Failure)]
    for heading, texts in (("Notes", notes), ("Failures of the machinery", failures)):
        if texts:
            yield f"\n## {heading}\n\n" + "".join(f"- {escaped(one_line(text))}\n" for text in texts)


def _quoted(text: str) -> str:
    return "\n".join(f"> {_inline(line)}".rstrip() for line in text.split("\n"))


def _fenced(text: str, language: str = "") -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"


def _code(text: str) -> str:
    return text.replace("`", "'")


def _inline(text: str) -> str:
    """Keep what people format on purpose, and let no HTML, link or picture through."""
    return re.sub(r"([<>&\[\]|])", r"\\\1", text)


def escaped(text: str) -> str:
    """Return text that stands as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", safe(text))
