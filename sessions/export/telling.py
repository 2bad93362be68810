"""What a reader is told about a session, as plain values: the md and html exports only lay them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from domains.database import Change
from domains.values import ABSENT, JSON, Path, apply, copied, same
from sessions.event import Call, Mark, Message, Note, Reviewed, Seated, Supervision, exposed
from sessions.event_text import filled_before, reviewed_text, seated_text, supervision_text
from sessions.export.record import Record, iso
from sessions.safe_text import one_line, safe
from sessions.usage_text import of_turn
from sessions.value_text import path_text, value_text


class Line(Protocol):
    """One line of a reward's explanation, safe to show; `tone` is good, bad, warn, plain or quiet."""

    @property
    def text(self) -> str:
        """The line."""
        ...

    @property
    def tone(self) -> str:
        """How it is meant."""
        ...

    @property
    def children(self) -> Sequence[Line]:
        """What stands under it."""
        ...


class Told(Protocol):
    """The explained reward, as the result screen tells it."""

    @property
    def headline(self) -> str:
        """The reward as a product of its components."""
        ...

    @property
    def tone(self) -> str:
        """How it is meant."""
        ...

    @property
    def because(self) -> str:
        """The one reason that matters most."""
        ...

    @property
    def lines(self) -> Sequence[Line]:
        """The evidence."""
        ...


Teller: TypeAlias = Callable[[Record], Told]
"""Explains the reward in words; the words are those of the result screen, which sessions know nothing of."""


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of the conversation: words, or a call with its answer; `since` is what all so far has changed."""

    number: int
    turn: int
    seat: str
    at: float
    text: str = ""
    stop: str = ""
    name: str = ""
    arguments: Mapping[str, JSON] | None = None
    answer: str = ""
    error: bool = False
    answered: bool = True
    made: tuple[Change, ...] = ()
    since: tuple[Change, ...] = ()
    before: tuple[str, ...] = ()
    """What happened just before it: seats that changed hands, decisions of a supervisor; the last step has what came
    after it among its remarks."""
    thought: str = ""
    """The reasoning of a model, with the first step of its turn, and what the turn took."""
    usage: str = ""
    remarks: tuple[str, ...] = ()
    """Notes and fault marks of people on this turn, with its last step."""

    @property
    def is_call(self) -> bool:
        """Whether it is a call."""
        return bool(self.name)


def steps(record: Record) -> list[Step]:
    """Return the moments of a session in order."""
    out: list[Step] = []
    world = Since()
    remarks, beside = _remarks(record), _beside(record)
    for turn in record.state.turns:
        first = len(out)
        if turn.text or turn.stop or not turn.calls:
            out.append(
                Step(
                    len(out) + 1,
                    turn.index,
                    turn.seat,
                    turn.at,
                    text=turn.text,
                    stop=turn.stop or "",
                    since=world.changes(),
                )
            )
        for done in turn.calls:
            answered = done.result
            changes = (*(answered.changes if answered else ()), *(done.synced.changes if done.synced else ()))
            world.add(changes)
            out.append(
                Step(
                    len(out) + 1,
                    turn.index,
                    turn.seat,
                    answered.at if answered else done.call.at,
                    name=done.call.name,
                    arguments=done.call.arguments,
                    answer=answered.content if answered else "",
                    error=answered.error if answered else False,
                    answered=answered is not None,
                    made=changes,
                    since=world.changes(),
                )
            )
        if len(out) == first:
            continue
        if turn.index in remarks:
            out[-1] = replace(out[-1], remarks=tuple(remarks[turn.index]))
        used = turn.message.usage if turn.message is not None else {}
        out[first] = replace(
            out[first],
            before=tuple(beside.pop(turn.index, ())),
            thought=str(used.get("reasoning") or ""),
            usage=of_turn(used),
        )
    if out and (late := [text for texts in beside.values() for text in texts]):
        out[-1] = replace(out[-1], remarks=(*out[-1].remarks, *late))
    return out


def _beside(record: Record) -> dict[int | None, list[str]]:
    """Return what happened beside the turns by the turn that came next, None for what came after the last."""
    standing = {turn.index for turn in record.state.turns}
    found: dict[int | None, list[str]] = {}
    waiting: list[str] = []
    for event in record.events:
        match event:
            case Seated():
                waiting.append(seated_text(event, filled_before(record.events, event)))
            case Reviewed():
                waiting.append(reviewed_text(event))
            case Supervision():
                waiting.append(supervision_text(event))
            case Message() | Call() if waiting and event.turn in standing:
                found.setdefault(event.turn, []).extend(waiting)
                waiting = []
    return found | ({None: waiting} if waiting else {})


def _remarks(record: Record) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for event in record.events:
        if isinstance(event, Note) and event.turn is not None:
            found.setdefault(event.turn, []).append(f"note: {event.text}")
        elif isinstance(event, Mark):
            line = f" (policy: {event.policy_line})" if event.policy_line else ""
            kind = event.type.replace("_", " ")
            text = f"fault of the {event.author}, {kind}, {event.severity}: {event.text}{line}"
            found.setdefault(event.turn, []).append(text.rstrip(": "))
    return found


class Since:
    """Everything that has changed since the start, from the changes alone: no pack is needed."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], dict[Path, tuple[JSON, JSON]]] = {}

    def add(self, changes: Iterable[Change]) -> None:
        """Take in what was changed next."""
        for change in changes:
            record = self._found.setdefault((change.database, change.table, change.key), {})
            above = next((path for path in record if path == change.path[: len(path)]), None)
            if above is None:
                before, after = change.before, change.after
                for path in [path for path in record if path[: len(change.path)] == change.path]:
                    before = _put(before, path[len(change.path) :], record.pop(path)[0])
            else:
                before, after = record[above]
                after = apply(copied(after), change.path[len(above) :], change.after)
            where = change.path if above is None else above
            if same(before, after):
                record.pop(where, None)
            else:
                record[where] = (before, after)

    def changes(self) -> tuple[Change, ...]:
        """Return what differs now, in the order in which records were first touched."""
        return tuple(
            Change(*where, path, before, after)
            for where, record in self._found.items()
            for path, (before, after) in record.items()
        )


def _put(value: JSON, path: Path, part: JSON) -> JSON:
    """Return a value as it was before a part of it was changed; a part that cannot be put back stays as it is."""
    try:
        return apply(copied(value), path, part)
    except (KeyError, IndexError, TypeError):
        return value


# Words


def pretty(text: str) -> str:
    """Return an answer that holds JSON on several lines, any other as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return safe(text)
    return safe(json.dumps(value, ensure_ascii=False, indent=2)) if isinstance(value, dict | list) else safe(text)


def call_text(step: Step) -> str:
    """Return a call in one line."""
    given = ", ".join(f"{one_line(str(k))}={value_text(v)}" for k, v in (step.arguments or {}).items())
    return f"{one_line(step.name)}({given})"


def scenario(record: Record) -> list[tuple[str, str]]:
    """Return what the customer was told, as (heading, text)."""
    told = record.header.task.get("user_scenario") or {}
    found = [("Who", told.get("persona"))]
    instructions = told.get("instructions")
    if isinstance(instructions, dict):
        names = {
            "reason_for_call": "Why they call",
            "known_info": "What they know",
            "unknown_info": "What they do not know",
            "task_instructions": "How they behave",
        }
        found += [(heading, instructions.get(name)) for name, heading in names.items()]
    else:
        found.append(("What they want", instructions))
    if record.header.task.get("ticket"):
        found.append(("Ticket", record.header.task["ticket"]))
    return [(heading, safe(str(text)).strip()) for heading, text in found if text]


def title(record: Record) -> str:
    """Return the session in a few words."""
    seats = {"user": "customer", "agent": "agent"}
    who = " and ".join(f"{info.name} as the {seats[seat]}" for seat, info in record.header.players.items())
    return one_line(f"{record.header.domain}, task {record.header.task_id}: {who}")


def facts(record: Record) -> list[tuple[str, str]]:
    """Return what a reader wants to know first, as (name, value)."""
    header, state = record.header, record.state
    who = {"user": "Customer", "agent": "Agent"}
    found = [(who[seat], f"{info.name} ({info.kind})") for seat, info in header.players.items()]
    ended = state.ended
    found += [
        ("Task", f"{header.domain} {header.task_id}"),
        (
            "View",
            header.view + (", agent alone" if header.solo else "") + (", supervised" if header.supervised else ""),
        ),
        ("Started", iso(record.started)[:19].replace("T", " ") + " UTC" if record.timed else "not known"),
        *([("Lasted", clock(record.finished - record.started))] if record.timed else []),
        ("Ended", ENDINGS.get(ended.reason, ended.reason.replace("_", " ")) if ended else "not yet"),
        ("Turns", str(len(state.turns))),
    ]
    if header.parent:
        found.append(("Branch of", f"session {header.parent}, turn {header.parent_turn}"))
    if shown := sorted(exposed(record.events)):
        found.append(("Shown what the benchmark hides", ", ".join(shown)))
    return [(name, one_line(value)) for name, value in found]


ENDINGS = {
    "user_stop": "by the customer",
    "agent_stop": "by the agent",
    "max_steps": "at the limit of steps",
    "timeout": "at the limit of time",
    "too_many_errors": "after too many tool errors",
    "abandoned": "left by a person",
}


def when(step: Step, record: Record, joint: str = " · ") -> str:
    """Return the turn of a step, and how long after the start it was where that is known."""
    after = f"{joint}{clock(step.at - record.started)}" if record.timed else ""
    return f"turn {step.turn}{after}"


def clock(seconds: float) -> str:
    """Return a duration as `2:31`, or `1:02:31`."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@dataclass(frozen=True, slots=True)
class Card:
    """What has changed in one record; `kind` is new, removed or changed, `lines` are (field, before, after)."""

    title: str
    kind: str
    lines: tuple[tuple[str, str, str], ...]
    where: tuple[str, str, str]


def cards(changes: Iterable[Change]) -> list[Card]:
    """Group changes by record."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.database, change.table, change.key), []).append(change)
    return [_card(where, found) for where, found in groups.items()]


def _card(where: tuple[str, str, str], found: Sequence[Change]) -> Card:
    database, table, key = where
    title = one_line(f"{table} {key}") + (" (customer's side)" if database == "user" else "")
    first = found[0]
    if first.path:
        lines = tuple((path_text(c.path), value_text(c.before), value_text(c.after)) for c in found)
        return Card(title, "changed", lines, where)
    new = first.before is ABSENT
    whole = first.after if new else first.before
    values = whole.items() if isinstance(whole, dict) else [("", whole)]
    if new:
        lines = tuple((one_line(str(name)), "", value_text(value)) for name, value in values)
    else:
        lines = tuple((one_line(str(name)), value_text(value), "") for name, value in values)
    return Card(title, "new" if new else "removed", lines, where)
