"""How the writes of a session stand to the gold writes: what was wrong, what is missing, where it went wrong for good.

Everything here is computed (`measures.md` §5); what only a person can say is marked by people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from typing import Literal, TypeAlias

from domains.environment import Environment
from domains.values import ABSENT, JSON, same
from sessions.reward import Played, Write
from sessions.trajectory import Turn

FaultType: TypeAlias = Literal[
    "wrong_tool", "wrong_argument", "partially_completed", "unintended_action", "output_missing"
]

MOST_ORDERED = 4
"""Up to this many remaining gold writes are tried in every order; beyond, only in the gold order."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument in which a call differs from the gold call; ABSENT where it was not given."""

    name: str
    given: JSON
    gold: JSON


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that went wrong: `write` was made, `gold` was wanted, `text` was to be said."""

    type: FaultType
    write: Write | None = None
    gold: Write | None = None
    arguments: tuple[Argument, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class GoldWrite:
    """A gold write and the call that fulfilled it.

    `made` is the session's equal call, or one of the same name with the same effect. `in_vain` is an equal call that
    changed nothing, where there is no other.
    """

    gold: Write
    made: Write | None = None
    in_vain: Write | None = None


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """A write of the agent without a yes: it was `never_named` before, or only in the `same_turn`."""

    write: Write
    reason: Literal["never_named", "same_turn"]


def equal_call(made: Write, gold: Write) -> bool:
    """Tell whether two calls are the same: name and arguments, to the JSON text; a solo agent calls for both seats."""
    return made.name == gold.name and same(dict(made.arguments), dict(gold.arguments))


def differing(made: Write, gold: Write) -> tuple[Argument, ...]:
    """Return the arguments in which two calls differ."""
    names = dict.fromkeys((*gold.arguments, *made.arguments))
    pairs = ((name, made.arguments.get(name, ABSENT), gold.arguments.get(name, ABSENT)) for name in names)
    return tuple(Argument(name, given, wanted) for name, given, wanted in pairs if not same(given, wanted))


def pair(writes: Sequence[Write], calls: Sequence[Write], gold: Played, *, live: bool) -> tuple[GoldWrite, ...]:
    """Say for each gold write which of the session's writes fulfilled it; each fulfils one at most.

    `writes` are those of `calls` that changed something.
    """
    wanted = effective(gold.writes)
    by: dict[int, Write] = {}
    for write in writes:
        index = _fulfils(write, [(i, g) for i, g in enumerate(wanted) if i not in by], gold.env, live)
        if index is not None:
            by[index] = write
    changed = {id(write) for write in writes}
    idle = [call for call in calls if id(call) not in changed]
    return tuple(
        GoldWrite(g, by.get(i), None if i in by else next((c for c in idle if equal_call(c, g)), None))
        for i, g in enumerate(wanted)
    )


def effective(writes: Iterable[Write]) -> tuple[Write, ...]:
    """Return the calls that changed a database."""
    return tuple(write for write in writes if write.changes)


def _fulfils(made: Write, wanted: Sequence[tuple[int, Write]], env: Environment, live: bool) -> int | None:
    for index, gold in wanted:
        if equal_call(made, gold):
            return index
    for index, gold in wanted:
        if gold.name == made.name and _same_effect(made, gold, env, live):
            return index
    return None


def _same_effect(made: Write, gold: Write, env: Environment, live: bool) -> bool:
    ours, theirs = env.fork(), env.fork()
    ours.restore(made.after)
    theirs.restore(made.before)
    theirs.call(gold.seat, gold.name, gold.arguments, sync=live)
    return ours.equals(theirs)


def write_faults(writes: Sequence[Write], gold: Sequence[GoldWrite]) -> Iterator[Fault]:
    """Compare the writes made with the gold writes.

    With everything wanted done, what was done besides is `unintended_action`; with only a part done and nothing else,
    what is missing is `partially_completed`. Otherwise a write is `wrong_tool` when gold has none of its name,
    `wrong_argument` beside the missing gold write it comes closest to, and `unintended_action` when none is left.
    """
    fulfilling = {id(g.made) for g in gold if g.made is not None}
    extra = [write for write in writes if id(write) not in fulfilling]
    missing = [g.gold for g in gold if g.made is None]
    if not extra:
        yield from (Fault("partially_completed", gold=g) for g in missing)
        return
    names = {g.gold.name for g in gold}
    open_gold = list(missing)
    for write in extra:
        same_name = [g for g in open_gold if g.name == write.name]
        if same_name:
            closest = min(same_name, key=lambda g: len(differing(write, g)))
            open_gold.remove(closest)
            yield Fault("wrong_argument", write, closest, differing(write, closest))
        elif missing and write.name not in names:
            yield Fault("wrong_tool", write)
        else:
            yield Fault("unintended_action", write)


def decisive(writes: Sequence[Write], calls: Sequence[Write], gold: Played, *, live: bool) -> Write | None:
    """Return the write after which the goal could no longer be the result of the remaining gold writes.

    After each write the gold writes not yet fulfilled are played on from there: in the gold order, and, while they are
    few, in every other one, since an order that was changed without harm is no deviation. The decisive write is the
    one after the last state from which the goal was in reach; a detour that was taken back is none. None when the goal
    stayed in reach: then gold writes are only missing.
    """
    if not writes:
        return None
    last = -1
    for i, write in enumerate(writes):
        fulfilled = {id(g.gold) for g in pair(writes[: i + 1], calls, gold, live=live) if g.made is not None}
        remaining = [g for g in effective(gold.writes) if id(g) not in fulfilled]
        if _reaches(write, remaining, gold.env, live):
            last = i
    return writes[last + 1] if last + 1 < len(writes) else None


def _reaches(write: Write, remaining: Sequence[Write], goal: Environment, live: bool) -> bool:
    orders = permutations(remaining) if len(remaining) <= MOST_ORDERED else iter([tuple(remaining)])
    env = goal.fork()
    for order in orders:
        env.restore(write.after)
        for gold in order:
            env.call(gold.seat, gold.name, gold.arguments, sync=live)
        if env.equals(goal):
            return True
    return False


# Writes without a yes


def unconfirmed(writes: Iterable[Write], turns: Sequence[Turn]) -> Iterator[Unconfirmed]:
    """Yield the agent's writes before which no turn of the user follows the agent's naming of the arguments.

    One argument's value in the agent's words is enough, in any usual spelling; the customer's own id says nothing.
    Where nobody ever says one of the values (ids only the tools know), the words of the tool's name stand for them.
    So this is a lower bound, but for proposals that name the arguments in other words altogether.
    """
    for write in writes:
        if write.seat != "agent" or write.turn is None:
            continue
        values = [value for name, part in write.arguments.items() if name not in IDENTITY for value in leaves(part)]
        wanted = [value for value in values if any(names(turn.text, value) for turn in turns)]
        wanted = wanted or [" ".join(write.name.split("_")[1:]) or write.name]
        named = [
            turn.index
            for turn in turns
            if turn.seat == "agent" and turn.index <= write.turn and any(names(turn.text, value) for value in wanted)
        ]
        answers = [turn.index for turn in turns if turn.seat == "user" and turn.index < write.turn]
        if not named or not answers or named[0] > answers[-1]:
            yield Unconfirmed(write, "same_turn" if named else "never_named")


IDENTITY = frozenset(("user_id", "customer_id"))
"""Arguments that say whose record it is, not what is done."""


def leaves(value: JSON) -> Iterator[JSON]:
    """Yield the values in nested arguments."""
    match value:
        case Mapping():
            for part in value.values():
                yield from leaves(part)
        case list() | tuple():
            for part in value:
                yield from leaves(part)
        case bool() | None | "":
            return
        case _:
            yield value


def names(text: str, value: JSON) -> bool:
    """Tell whether words hold a value: `basic_economy` as "basic economy", 2024-05-20 as "May 20", 1628 as "$1,628"."""
    spoken = _spoken(text)
    return any(re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", spoken) for form in _forms(value))


def _spoken(text: str) -> str:
    return " ".join(text.lower().replace(",", "").replace("_", " ").split())


def _forms(value: JSON) -> Iterator[str]:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    yield _spoken(str(value)).removeprefix("#")
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            return
        for month in (MONTHS[day.month - 1], MONTHS[day.month - 1][:3]):
            yield f"{month} {day.day}"
            yield f"{day.day} {month}"
            yield f"{month} {day.day}{_ordinal(day.day)}"


MONTHS = "january february march april may june july august september october november december".split()


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
