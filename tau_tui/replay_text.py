"""A replay in words: what a step is, and what the goal requires and has of it by then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sessions.event import Call, Ended, Failure, Message, Note, Reviewed, Seated, Supervision, Undone
from sessions.event_text import filled_before, reviewed_text, seated_text, supervision_text
from sessions.usage_text import of_thought, of_turn
from tau_tui.report import Line, Tone
from tau_tui.widgets.change_text import value_text
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from domains.database import Change
    from domains.task import RewardType
    from domains.values import JSON
    from sessions.event import Event
    from sessions.replay import Replay, Step


def told(replay: Replay, step: Step) -> tuple[str, Tone]:
    """Return one step in a line, with what becomes of it."""
    if (done := step.done) is not None:
        text, tone = _call_told(replay, step, done.call)
    elif step.events:
        text, tone = _event_told(replay, step.events[0])
    else:
        text, tone = _beginning(replay), "quiet"
    if step.number == replay.last and replay.gold is not None:
        text += f" · the end, with the goal: {_end(replay)}"
    return text, tone


def _beginning(replay: Replay) -> str:
    if replay.gold is None:
        return "before anything has happened"
    if not replay.task.gold:
        return "this task has no reference actions"
    return f"before the first of {_count(len(replay.task.gold), 'reference action')}"


def _call_told(replay: Replay, step: Step, call: Call) -> tuple[str, Tone]:
    parts = [call.seat, one_line(call.name), step.tool.kind if step.tool is not None else "no such tool"]
    tone: Tone = "plain"
    result = step.done.result if step.done is not None else None
    if result is not None and result.error:
        parts.append(f"fails: {one_line(result.content)}")
        tone = "bad"
        if step.made:
            parts.append(f"{fields(step.made)} it had written stay")
        if replay.gold is not None:
            parts.append(fate(replay, step))
    elif step.made:
        parts.append(f"{fields(step.made)} changed")
        tone = "good"
    elif step.tool is not None and step.tool.mutates:
        parts.append("changes nothing")
        tone = "warn"
    return " · ".join(parts), tone


def fate(replay: Replay, step: Step) -> str:
    """Return what the failure of a gold action means for the goal; nothing where it did not fail."""
    if not step.failed:
        return ""
    if not replay.drops_out(step):
        return "the goal is the same without it"
    return "drops out of the goal: the evaluator goes on without it"


def _event_told(replay: Replay, event: Event) -> tuple[str, Tone]:
    match event:
        case Message():
            return _message_told(event), "plain"
        case Undone():
            return f"{event.seat} takes back turn {event.turn}", "plain"
        case Reviewed():
            return one_line(
                reviewed_text(event).replace("\n", " · ")
            ), "warn" if event.decision == "refused" else "plain"
        case Supervision():
            return supervision_text(event), "plain"
        case Seated():
            return seated_text(event, filled_before(_all_events(replay), event)), "plain"
        case Note():
            return f"a note: {one_line(event.text)[:60]}", "plain"
        case Failure():
            return f"failed: {one_line(event.what)}", "plain"
        case Ended():
            return f"ended by {event.reason}", "plain"
        case _:
            return "", "plain"


def _message_told(event: Message) -> str:
    """Return who says what, and of a model what it took; without words it only called something."""
    stop = f" {event.stop}" if event.stop else ""
    says = f"{event.seat} says{stop}: {one_line(event.text)[:60]}"
    acts = says if event.text or event.stop else f"{event.seat} calls without a word"
    took = (of_thought(str(event.usage.get("reasoning") or "")), of_turn(event.usage))
    return " · ".join(filter(None, (acts, *took)))


def _all_events(replay: Replay) -> Iterator[Event]:
    return (event for step in replay.steps for event in step.events)


def _end(replay: Replay) -> str:
    last = replay.steps[replay.last]
    parts = [f"{fields(last.changes)} changed" if last.changes else "nothing is changed"]
    if replay.dropped:
        parts.append(f"{_count(len(replay.dropped), 'gold write')} dropped out")
    criteria = replay.task.evaluation_criteria
    if last.met:
        parts.append(f"{sum(last.met)} of {_count(len(last.met), 'assertion')} met")
    if criteria is not None and criteria.communicate_info:
        parts.append("the agent must say " + ", ".join(f"“{one_line(text)}”" for text in criteria.communicate_info))
    return ", ".join(parts)


# What the goal requires


def requirements(replay: Replay, step: Step) -> list[Line]:
    """Return what the task is scored by, each with how it stands at a step."""
    criteria = replay.task.evaluation_criteria
    if criteria is None:
        return [Line("the task has no criteria: nothing is compared", "quiet")]
    basis = " × ".join(dict.fromkeys(criteria.reward_basis)) or "nothing"
    lines = [Line(f"reward = {basis}", "plain"), *_database(replay, step)]
    if replay.task.env_assertions:
        lines += _assertions(replay, step)
    if criteria.communicate_info:
        lines.append(_heading(replay, "COMMUNICATE", "the agent must say"))
        lines += _said(replay, step, criteria.communicate_info)
    if criteria.nl_assertions:
        lines.append(_heading(replay, "NL_ASSERTION", "somebody must judge"))
        lines += [Line(f"  · {one_line(text)}") for text in criteria.nl_assertions]
    if "ACTION" in criteria.reward_basis:
        lines.append(_heading(replay, "ACTION", "must be called"))
        lines += _actions(replay, step)
    return lines


def _heading(replay: Replay, name: RewardType, text: str) -> Line:
    criteria = replay.task.evaluation_criteria
    counts = criteria is not None and name in criteria.reward_basis
    return Line(f"{name} · {'counts' if counts else 'does not count'} · {text}", "plain" if counts else "quiet")


def _database(replay: Replay, step: Step) -> Iterator[Line]:
    if replay.gold is None:
        return
    goal = replay.steps[replay.last].changes
    wanted = f"{fields(goal)} in {_count(records(goal), 'record')}" if goal else "nothing"
    yield _heading(replay, "DB", f"gold changes {wanted}")
    if step.changes == goal:
        yield Line("  ✓ as the goal wants it", "good")
    else:
        yield Line("  · not there yet", "quiet")
    for dropped in replay.dropped:
        if dropped.number <= step.number and dropped.done is not None:
            yield Line(f"  ! step {dropped.number} {one_line(dropped.done.call.name)} {fate(replay, dropped)}", "bad")
    if replay.synced:
        yield Line(f"  {HOW[replay.gold]}", "quiet")


HOW = {
    "live": "played live: each side's world learns what the other did",
    "evaluator": "played as the evaluator does: no side learns what the other did",
}


def _assertions(replay: Replay, step: Step) -> Iterator[Line]:
    met = sum(step.met)
    yield _heading(replay, "ENV_ASSERTION", f"{met} of {len(step.met)} met now")
    for assertion, holds in zip(replay.task.env_assertions, step.met, strict=True):
        text = f"{one_line(assertion.func_name)} {arguments_text(assertion.arguments)} → {assertion.assert_value}"
        yield Line(f"  {'✓' if holds else '✗'} {text}", "good" if holds else "bad")
    if replay.gold == "evaluator" and replay.synced:
        yield Line("  the evaluator checks them in what a session reached, never in this state", "quiet")


def _said(replay: Replay, step: Step, wanted: Sequence[str]) -> Iterator[Line]:
    """Gold says nothing, so only of a session is it told."""
    from sessions.communicate import agent_texts, find

    texts = agent_texts(replay.state(step.number).turns)
    for text in wanted:
        said = find(text, texts)
        yield Line(f"  {'✓' if said else '·'} “{one_line(text)}”", "good" if said else "plain")


def _actions(replay: Replay, step: Step) -> Iterator[Line]:
    from domains.matching import accepts

    calls = [done.call for past in replay.steps[: step.number + 1] if (done := past.done) is not None]
    for action in replay.task.gold:
        made = any(accepts(action, call.name, call.arguments) for call in calls)
        yield Line(f"  {'✓' if made else '·'} {one_line(action.name)}", "good" if made else "plain")


def arguments_text(arguments: Mapping[str, JSON]) -> str:
    """Return the arguments of a call on one line, long values cut."""
    return ", ".join(f"{one_line(str(name))}={value_text(value)}" for name, value in arguments.items())


def fields(changes: tuple[Change, ...]) -> str:
    """Return `3 fields`."""
    return _count(sum(change.fields for change in changes), "field")


def records(changes: tuple[Change, ...]) -> int:
    """Return how many records are changed."""
    return len({(change.database, change.table, change.key) for change in changes})


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
