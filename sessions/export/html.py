"""Writes a session as one page for people without the program: three panes, a scrubber, the reward and why.

Everything that came from a person, a model or a database is escaped here; the script on the page only shows and hides
what stands there already and never makes markup from text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files

from domains.database import Change
from domains.values import JSON
from sessions.event import Failure, Note
from sessions.export.record import Record
from sessions.export.telling import (
    Line,
    Step,
    Told,
    call_text,
    cards,
    facts,
    pretty,
    scenario,
    steps,
    title,
    when,
)
from sessions.safe_text import one_line, safe
from sessions.usage_text import of_thought

SPEAKER = {"user": "customer", "agent": "agent"}


def page(record: Record, told: Told | None) -> str:
    """Return the page; `told` is None where nobody can explain the reward."""
    moments = steps(record)
    parts = {
        "title": _text(title(record)),
        "headline": _text(told.headline if told else _recorded(record)),
        "tone": told.tone if told and told.tone.isalpha() else "plain",
        "because": _text(told.because if told else record.missing),
        "facts": "".join(f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in facts(record)),
        "explained": "".join(_tree(told.lines)) if told else "",
        "scenario": "".join(f"<h3>{_text(name)}</h3><p>{_text(text)}</p>" for name, text in scenario(record)),
        "conversation": "".join(_said(step, record) for step in moments),
        "trace": "".join(_called(step, record) for step in moments if step.is_call),
        "loose": "".join(_loose(record)),
        "cards": _cards(moments[-1].since if moments else (), nothing(record)),
        "last": str(len(moments)),
        "data": _data(_frames(moments) | {"nothing": nothing(record)}),
    }
    return re.sub(r"<!--(\w+)-->|/\*(\w+)\*/", lambda found: parts[found[1] or found[2]], template())


@lru_cache(maxsize=1)
def template() -> str:
    """Return the page without a session in it."""
    return (files("sessions.export") / "page.html").read_text("utf-8")


def _text(text: str) -> str:
    return escape(safe(text))


def _recorded(record: Record) -> str:
    return "reward not known" if record.reward is None else f"recorded reward {record.reward:g}"


def _data(value: JSON) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _tree(lines: Sequence[Line]) -> Iterator[str]:
    yield "<ul>"
    for line in lines:
        tone = line.tone if line.tone.isalpha() else "plain"
        text = f'<span class="tone {tone}">{_text(one_line(line.text))}</span>'
        if line.children:
            opened = " open" if line.tone in ("bad", "warn") else ""
            yield f"<li><details{opened}><summary>{text}</summary>{''.join(_tree(line.children))}</details></li>"
        else:
            yield f"<li>{text}</li>"
    yield "</ul>"


def _said(step: Step, record: Record) -> str:
    """Return an entry of the conversation; a call is one line there, which leads to the trace."""
    who = SPEAKER[step.seat]
    remarks = "".join(f'<p class="remark">{_text(remark)}</p>' for remark in step.remarks)
    before = "".join(f'<p class="remark beside">{_text(text)}</p>' for text in step.before)
    thought = ""
    if step.thought:
        head = of_thought(step.thought)
        thought = f'<details class="thought"><summary>{head}</summary><p>{_text(step.thought.strip())}</p></details>'
    took = f'<p class="took">{_text(step.usage)}</p>' if step.usage else ""
    if step.is_call:
        mark = "✗ " if step.error else "● " if step.made else ""
        body = f'{before}{thought}<p class="call">{mark}uses {_text(step.name)}</p>{took}'
        return f'<li class="entry tool {who}" data-step="{step.number}">{body}{remarks}</li>'
    stop = f'<p class="stop">ends the conversation ({_text(step.stop)})</p>' if step.stop else ""
    words = f'<p class="words">{_text(step.text)}</p>' if step.text else ""
    head = f'<p class="who">{who} <span class="when">{when(step, record)}</span></p>'
    body = f"{before}{head}{thought}{words}{stop}{took}{remarks}"
    return f'<li class="entry {who}" data-step="{step.number}">{body}</li>'


def _called(step: Step, record: Record) -> str:
    kind = "error" if step.error else "write" if step.made else "read" if step.answered else "unanswered"
    word = {"error": "error", "write": "changed the database", "read": "", "unanswered": "never answered"}[kind]
    answer = f"<h4>Answer</h4><pre>{_text(pretty(step.answer))}</pre>" if step.answered else ""
    return (
        f'<li class="entry {kind}" data-step="{step.number}"><details><summary>'
        f'<b>{_text(step.name)}</b> <span class="badge">{word}</span>'
        f'<span class="when">{SPEAKER[step.seat]} · {when(step, record)}</span>'
        f'<span class="short">{_text(call_text(step))}</span></summary>'
        f"<h4>Asked with</h4><pre>{_text(_arguments(step))}</pre>{answer}</details></li>"
    )


def _arguments(step: Step) -> str:
    return json.dumps(dict(step.arguments or {}), ensure_ascii=False, indent=2, default=str)


def _loose(record: Record) -> Iterator[str]:
    for event in record.events:
        if isinstance(event, Note) and event.turn is None:
            yield f'<p class="remark">note: {_text(event.text)}</p>'
        elif isinstance(event, Failure):
            yield f'<p class="remark">failure of the machinery: {_text(f"{event.what} {event.detail}".strip())}</p>'


def nothing(record: Record) -> str:
    """Return what to say of a database in which nothing has changed: an imported run may only not have told."""
    known = not record.header.origin or record.explanation is not None
    return "Nothing has changed." if known else "What was changed is not known: the run was imported from elsewhere."


def _cards(changes: Sequence[Change], none: str) -> str:
    """Return the database pane as it stands at the end, for readers without scripts."""
    out = []
    for card in cards(changes):
        rows = "".join(
            f"<tr><th>{_text(name)}</th><td>{_text(before)}</td><td>→</td><td>{_text(after)}</td></tr>"
            for name, before, after in card.lines
        )
        out.append(
            f'<section class="card"><h4>{_text(card.title)} <i>{card.kind}</i></h4><table>{rows}</table></section>'
        )
    return "".join(out) or f"<p>{_text(none)}</p>"


def _frames(moments: Sequence[Step]) -> dict[str, JSON]:
    """Return the cards once each, and for every step which of them stand since the start, and which the step made."""
    known: dict[tuple[JSON, ...], int] = {}

    def numbers(changes: Sequence[JSON]) -> list[int]:
        return [known.setdefault((c.title, c.kind, c.lines), len(known)) for c in cards(changes)]

    frames: list[JSON] = [[[], [], ""]]
    made: list[int] = []
    by = ""
    for step in moments:
        if step.is_call:
            made, by = numbers(step.made), one_line(step.name)
        frames.append([numbers(step.since), made, by])
    return {"cards": [list(card) for card in known], "frames": frames}
