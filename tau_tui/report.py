"""The result in words: every line a person reads about a verdict, as plain values that any widget can show."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from domains.values import ABSENT
from sessions.event import Call, Ended, Event, Exposure, Failure, Judged, Mark, Message, Note, Opened, Result, Undone
from sessions.trajectory import fold
from sessions.usage_text import of_session, own
from sessions.value_text import path_text
from tau_tui.widgets.change_text import value_text
from tau_tui.widgets.safe_text import one_line, safe

if TYPE_CHECKING:
    from domains.task import RewardType
    from sessions.deviation import Argument, Fault, GoldWrite
    from sessions.explain import Difference, Explanation
    from sessions.reward import Verdict, Write

Tone: TypeAlias = Literal["good", "bad", "warn", "plain", "quiet"]
EVALUATED: Final = ("user_stop", "agent_stop")
MACHINERY: Final = ("infrastructure_error", "unexpected_error")
"""Endings in which neither side has failed; tau2 writes 0 for them and leaves them out of its statistics."""
SHORT: Final = 44
"""Characters of a value on a line of its own; the whole value stands in the details."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result, safe to show; `detail` is all there is to it."""

    text: str
    tone: Tone = "plain"
    detail: str = ""
    children: tuple[Line, ...] = ()
    open: bool = False
    assertion: int | None = None
    """The number of the assertion in words that is judged here."""


@dataclass(frozen=True, slots=True)
class Report:
    """The headline, the one reason that matters most, and the evidence for everything."""

    headline: str
    tone: Tone
    because: str
    lines: tuple[Line, ...] = field(default=())


def report(explanation: Explanation, events: Sequence[Event]) -> Report:
    """Tell a verdict with its evidence."""
    verdict = explanation.verdict
    headline, tone = _headline(verdict, events)
    judged = fold(events).judged
    components = [line for name in _shown(explanation) if (line := _component(name, explanation, judged))]
    lines = (*_wrong(explanation), *components, *_unconfirmed(explanation), *_process(verdict, events))
    return Report(headline, tone, _because(explanation), lines)


# The headline


def _headline(verdict: Verdict, events: Sequence[Event]) -> tuple[str, Tone]:
    product = " × ".join(f"{name} {amount(value)}" for name, value in verdict.breakdown.items())
    if verdict.termination is None:
        failure = next((event for event in reversed(events) if isinstance(event, Failure)), None)
        return f"not scored · {one_line(failure.what) if failure else 'the session has not ended'}", "warn"
    if verdict.termination in MACHINERY:
        return f"not scored · {verdict.termination}: the machinery failed, neither side did", "warn"
    if verdict.termination not in EVALUATED:
        return f"reward 0 · ended by {verdict.termination}, so {product or 'nothing'} does not count", "bad"
    if verdict.reward is None:
        return f"not judged = {product}", "warn"
    right = f" = {product}" if product else " · this task compares nothing"
    return f"reward {amount(verdict.reward)}{right}", "good" if verdict.reward >= 1 - 1e-6 else "bad"


def amount(value: float | None) -> str:
    """Return a reward as it is written: `1`, `0`, `0.5`, or `?` where nobody judged."""
    return "?" if value is None else f"{value:g}"


def _because(explanation: Explanation) -> str:
    if explanation.differences and explanation.faults:
        return _fault(explanation.faults[0])
    unsaid = next((r.text for r in explanation.required if r.said is None), None)
    if explanation.differences:
        return f"the database differs from the goal in {_count(len(explanation.differences), 'field')}"
    if unsaid is not None:
        return f"the agent never said “{one_line(unsaid)}”"
    if failed := [a for a in explanation.assertions if not a.met]:
        return f"{failed[0].assertion.func_name} does not hold"
    if "NL_ASSERTION" in explanation.counted:
        if broken := next((j.text for j in explanation.judgements if j.met is False), None):
            return f"judged not to be so: “{one_line(broken)}”"
        if waiting := sum(j.met is None for j in explanation.judgements):
            return f"{_count(waiting, 'assertion')} in words must be judged before there is a reward"
    return "the database is as the goal wants it" if explanation.verdict.db_match else ""


# Where it went wrong


def _wrong(explanation: Explanation) -> Iterator[Line]:
    if not explanation.faults and explanation.decisive is None:
        return
    children = [Line(_fault(fault), "bad", _fault_detail(fault)) for fault in explanation.faults]
    if (write := explanation.decisive) is not None:
        text = f"decisive: after {_named(write)} the goal was out of reach"
        children.append(Line(text, "warn", f"{text}\n\n{_call(write)}"))
    yield Line("Where it went wrong", "bad", children=tuple(children), open=True)


def _fault(fault: Fault) -> str:
    kind = fault.type.replace("_", " ")
    match fault.type:
        case "output_missing":
            return f"{kind}: “{one_line(fault.text)}” was never said"
        case "partially_completed" if fault.gold is not None:
            return f"{kind}: {fault.gold.name} is missing"
        case "wrong_argument":
            arguments = ", ".join(_argument(argument) for argument in fault.arguments)
            return f"{kind}: {_named(fault.write)} with {arguments}"
        case _:
            return f"{kind}: {_named(fault.write)}"


def _argument(argument: Argument) -> str:
    return f"{one_line(argument.name)} {short(argument.given)}, goal {short(argument.gold)}"


def _fault_detail(fault: Fault) -> str:
    made = [f"made:   {_call(fault.write)}"] if fault.write else []
    wanted = [f"wanted: {_call(fault.gold)}"] if fault.gold else []
    return "\n".join([_fault(fault), "", *made, *wanted])


# The components


def _shown(explanation: Explanation) -> list[RewardType]:
    """Return the components in the order of the headline, then those that were only looked at."""
    return [*explanation.counted, *explanation.diagnostic]


def _component(name: RewardType, explanation: Explanation, judged: Mapping[int, Judged]) -> Line | None:
    children, summary = _evidence(name, explanation, judged)
    counts = name in explanation.counted
    if not children and not summary and not counts:
        return None
    value = explanation.verdict.components[name]
    tone: Tone = "warn" if value is None else "good" if value >= 1 - 1e-6 else "bad"
    text = f"{name} {amount(value)} · {'counts' if counts else 'diagnostic only'} · {summary or 'nothing to compare'}"
    return Line(text, tone if counts else "quiet", text, tuple(children), open=counts and tone != "good")


def _evidence(name: RewardType, explanation: Explanation, judged: Mapping[int, Judged]) -> tuple[list[Line], str]:
    match name:
        case "DB":
            return _database(explanation)
        case "COMMUNICATE":
            lines = [_required(r.text, r.said) for r in explanation.required]
            return lines, _of(sum(r.said is not None for r in explanation.required), len(lines), "said")
        case "ENV_ASSERTION":
            lines = [
                _check(
                    a.met, f"{a.assertion.func_name}({_arguments(a.assertion.arguments)}) is {a.assertion.assert_value}"
                )
                for a in explanation.assertions
            ]
            return lines, _of(sum(a.met for a in explanation.assertions), len(lines), "hold")
        case "ACTION":
            lines = [
                _check(
                    a.made is not None,
                    f"{a.action.name}({_arguments(a.action.arguments)})",
                    f"made at t{a.made.call.turn}" if a.made else "never made so",
                )
                for a in explanation.actions
            ]
            return lines, _of(sum(a.made is not None for a in explanation.actions), len(lines), "made")
        case "NL_ASSERTION":
            lines = [_judged(i, j.text, j.met, judged.get(i)) for i, j in enumerate(explanation.judgements)]
            unjudged = sum(j.met is None for j in explanation.judgements)
            met = sum(bool(j.met) for j in explanation.judgements)
            return lines, f"{unjudged} not judged" if unjudged else _of(met, len(lines), "met")


def _database(explanation: Explanation) -> tuple[list[Line], str]:
    if explanation.verdict.db_match is None:
        return [], ""
    records: dict[tuple[str, str, str], list[Difference]] = {}
    for difference in explanation.differences:
        change = difference.change
        records.setdefault((change.database, change.table, change.key), []).append(difference)
    lines = [
        Line(
            f"{one_line(table)} {one_line(key)}{' · user database' if database == 'user' else ''}",
            "bad",
            children=tuple(_difference(difference) for difference in found),
            open=len(records) <= 6,
        )
        for (database, table, key), found in records.items()
    ]
    for gold in explanation.missing:
        vain = f", called at t{gold.in_vain.turn} and changed nothing" if gold.in_vain else ""
        lines.append(Line(f"gold write missing: {_call(gold.gold)}{vain}", "bad", f"missing: {_call(gold.gold)}{vain}"))
    for call in explanation.failed:
        text = f"refused: {_call(call)}"
        lines.append(Line(text, "warn", f"{text} at t{call.turn}\n{safe(call.content)}"))
    for write in explanation.skipped:
        text = f"gold action that fails and is skipped: {_call(write)}"
        lines.append(Line(text, "warn", f"{text}\n{safe(write.content)}"))
    lines.extend(
        Line(f"t{write.turn} wrote: {_call(write)}", "quiet", f"t{write.turn} {_call(write)}")
        for write in explanation.writes
    )
    fields = len(explanation.differences)
    if fields:
        return lines, f"{_count(fields, 'field')} differ{'s' if fields == 1 else ''} from the goal"
    return lines, "equal to the goal" if explanation.verdict.db_match else "differs from the goal"


def _difference(difference: Difference) -> Line:
    change = difference.change
    name = path_text(change.path) or "the whole record"
    text = f"{difference.kind} {name}: {short(change.after)} → goal {short(change.before)} · {_cause(difference)}"
    detail = [
        f"{difference.kind} · {one_line(change.table)} {one_line(change.key)} · {name}",
        f"reached: {value(change.after)}",
        f"goal:    {value(change.before)}",
        f"start:   {value(difference.start)}",
    ]
    if (made := difference.made_by) is not None:
        detail.append(f"made by: {_call(made)} at t{made.turn}")
    if (wanted := difference.wanted_by) is not None:
        detail.append(f"gold:    {_call(wanted.gold)}, {_fulfilled(wanted)}")
    return Line(text, "bad", "\n".join(detail))


def _cause(difference: Difference) -> str:
    wanted, made = difference.wanted_by, difference.made_by
    if made is not None:
        return f"by {_named(made)}"
    if wanted is not None:
        return f"{wanted.gold.name} is missing" if wanted.made is None else f"after {_named(wanted.made)}"
    return "by no call"


def _fulfilled(wanted: GoldWrite) -> str:
    if wanted.made is not None:
        return f"made at t{wanted.made.turn}"
    if wanted.in_vain is not None:
        return f"called at t{wanted.in_vain.turn}, where it changed nothing"
    return "never made"


def _required(text: str, said: Any) -> Line:
    if said is None:
        return Line(f"✗ “{one_line(text)}” never said", "bad", f"“{safe(text)}” was never said by the agent")
    inside = f" (only within “{one_line(said.inside)}”)" if said.inside else ""
    line = f"“{one_line(text)}” t{said.turn}{inside}: {one_line(said.sentence)}"
    return Line(f"✓ {line}", "warn" if inside else "good", line)


def _check(met: bool, text: str, more: str = "") -> Line:
    line = f"{text}{f' · {more}' if more else ''}"
    return Line(f"{'✓' if met else '✗'} {line}", "good" if met else "bad", line)


def _judged(number: int, text: str, met: bool | None, by: Judged | None) -> Line:
    if met is None:
        return Line(f"? {one_line(text)} · not judged", "warn", f"{safe(text)}\nnot judged", assertion=number)
    line = f"{'✓' if met else '✗'} {one_line(text)}"
    if by is None or by.met != met or by.kind == "human":
        return Line(line, "good" if met else "bad", safe(text), assertion=number)
    judge = f"judged by {one_line(by.by)}"
    detail = f"{safe(text)}\n{judge}{f': {safe(by.reason)}' if by.reason else ''}"
    return Line(f"{line} · {judge}", "good" if met else "bad", detail, assertion=number)


# Everything else


def _unconfirmed(explanation: Explanation) -> Iterator[Line]:
    if not explanation.unconfirmed:
        return
    why = {
        "never_named": "its arguments were never named before",
        "same_turn": "named only in the same turn, with no answer in between",
    }
    lines = tuple(
        Line(f"{_named(u.write)}: {why[u.reason]}", "warn", f"{_call(u.write)} at t{u.write.turn}: {why[u.reason]}")
        for u in explanation.unconfirmed
    )
    yield Line(
        f"{_count(len(lines), 'write')} without a yes before · the reward ignores it", "warn", "", lines, open=True
    )


def _process(verdict: Verdict, events: Sequence[Event]) -> Iterator[Line]:
    said = [Line(one_line(text), "warn", safe(text)) for text in verdict.notes]
    if said:
        yield Line(f"{_count(len(said), 'remark')} on the verdict", "warn", "", tuple(said), open=True)
    yield from _kept("note", [(note.turn, note.text) for note in events if isinstance(note, Note)])
    marks = [mark for mark in events if isinstance(mark, Mark)]
    yield from _kept("fault mark", [(m.turn, f"{m.author} {m.type} ({m.severity}) {m.text}".rstrip()) for m in marks])
    failures = [(None, f"{event.what} {event.detail}".rstrip()) for event in events if isinstance(event, Failure)]
    yield from _kept("failure", failures, "warn")
    shown = Counter(event.kind for event in events if isinstance(event, Exposure))
    if shown:
        text = f"shown what the benchmark hides: {', '.join(sorted(shown))}"
        yield Line(text, "quiet", f"{text}\nStatistics can leave such sessions out.")


def _kept(name: str, items: Sequence[tuple[int | None, str]], tone: Tone = "plain") -> Iterator[Line]:
    if items:
        lines = tuple(
            Line(f"{'' if turn is None else f't{turn} '}{one_line(text)}", tone, safe(text)) for turn, text in items
        )
        yield Line(_count(len(items), name), tone, "", lines, open=True)


def facts(events: Sequence[Event]) -> str:
    """Return ending, turns, time, calls, errors and, where a model spoke, what that took, on one line.

    What a branch took is what its own turns took; the turns and calls are those of the whole conversation.
    """
    gone = {event.turn for event in events if isinstance(event, Undone)}
    turns = {event.turn for event in events if isinstance(event, Message | Call)} - gone
    ended = next((event for event in reversed(events) if isinstance(event, Ended)), None)
    calls = sum(isinstance(event, Call) for event in events)
    errors = sum(isinstance(event, Result) and event.error for event in events)
    header = next((event.header for event in events if isinstance(event, Opened)), None)
    messages = own((event for event in events if isinstance(event, Message)), header)
    parts = [
        f"ended by {ended.reason}" if ended else "not ended",
        _count(len(turns), "turn"),
        clock(((ended or events[-1]).at - events[0].at) if events else 0.0),
        _count(calls, "tool call"),
        _count(errors, "tool error"),
        *of_session(message.usage for message in messages),
    ]
    return " · ".join(parts)


def clock(seconds: float) -> str:
    """Return a duration as `2:31`, or `1:02:31`."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


# Words


def value(of: Any) -> str:
    """Return a value as it stands in a database: text as it is, ∅ where there is nothing."""
    if of is ABSENT:
        return "∅"
    return safe(of if isinstance(of, str) else json.dumps(of, ensure_ascii=False, default=str))


def short(of: Any) -> str:
    """Return a value on one line that is not too long."""
    return value_text(of, SHORT)


def _named(write: Write | None) -> str:
    return "" if write is None else f"{write.name}{'' if write.turn is None else f' at t{write.turn}'}"


def _call(write: Write | None) -> str:
    return "" if write is None else f"{one_line(write.name)}({_arguments(write.arguments)})"


def _arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{one_line(str(name))}={one_line(value(of))}" for name, of in arguments.items())


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _of(number: int, total: int, done: str) -> str:
    return f"{number} of {total} {done}" if total else ""
