"""Why a verdict is what it is, as values a screen can show: nothing here is text made for one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domains.database import Change, Database
from domains.environment import Token
from domains.task import EnvAssertion, GoldAction, RewardType
from domains.values import ABSENT, JSON, Path, same
from sessions.communicate import Said
from sessions.deviation import (
    Fault,
    GoldWrite,
    Unconfirmed,
    decisive,
    effective,
    pair,
    unconfirmed,
    write_faults,
)
from sessions.reward import Evidence, Played, Verdict, Write, goal
from sessions.trajectory import Done

DifferenceKind: TypeAlias = Literal["missing", "unexpected", "different"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which the reached state differs from the goal: `change.before` is the goal's, `after` the reached.

    `missing`: the goal moved it from where it `start`ed, the session left it there; `unexpected`: the reverse;
    `different`: both moved it. `made_by` is the session's call that set it last, `wanted_by` the gold write that did,
    with the call that fulfilled it, if any.
    """

    kind: DifferenceKind
    change: Change
    start: JSON
    made_by: Write | None
    wanted_by: GoldWrite | None


@dataclass(frozen=True, slots=True)
class Required:
    """A required string and where it was said; `said.inside` warns that it was only part of something longer."""

    text: str
    said: Said | None


@dataclass(frozen=True, slots=True)
class Action:
    """A gold action and the first call that matches it."""

    action: GoldAction
    made: Done | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion about the reached state."""

    assertion: EnvAssertion
    met: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """A natural-language assertion and its verdict, None when nobody judged it."""

    text: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The evidence behind each component. `counted` made the reward; `diagnostic` was only looked at."""

    verdict: Verdict
    counted: tuple[RewardType, ...]
    diagnostic: tuple[RewardType, ...]
    live: bool
    """Whether the goal is gold played as a session would: so where the database does not count, and sides sync."""
    differences: tuple[Difference, ...]
    writes: tuple[Write, ...]
    """What the session changed."""
    failed: tuple[Write, ...]
    """Calls that were to change something and were refused."""
    gold: tuple[GoldWrite, ...]
    skipped: tuple[Write, ...]
    """Gold actions that failed."""
    faults: tuple[Fault, ...]
    decisive: Write | None
    unconfirmed: tuple[Unconfirmed, ...]
    required: tuple[Required, ...]
    actions: tuple[Action, ...]
    assertions: tuple[Assertion, ...]
    judgements: tuple[Judgement, ...]

    @property
    def missing(self) -> tuple[GoldWrite, ...]:
        """The gold writes nothing fulfilled."""
        return tuple(g for g in self.gold if g.made is None)


def explain(verdict: Verdict) -> Explanation:
    """Explain a verdict; plays gold writes on forks, some milliseconds for a session that failed."""
    evidence = verdict.evidence
    counts = "DB" in verdict.reward_basis
    live = not counts and evidence.domain.definition.sync is not None
    gold = goal(evidence.domain, evidence.task, live=True) if live else evidence.gold
    calls = _own(evidence)
    writes = effective(calls)
    paired = pair(writes, calls, gold, live=live)
    compared = verdict.db_match is not None and _compared(evidence)
    differences = tuple(_differences(evidence.reached, gold, paired)) if compared else ()
    criteria = evidence.task.evaluation_criteria
    texts = (criteria.communicate_info if criteria else None) or ()
    required = tuple(Required(text, said) for text, said in zip(texts, evidence.said, strict=True))
    return Explanation(
        verdict=verdict,
        counted=verdict.reward_basis,
        diagnostic=tuple(name for name in verdict.components if name not in verdict.reward_basis),
        live=live,
        differences=differences,
        writes=writes,
        failed=tuple(call for call in calls if call.error),
        gold=paired,
        skipped=tuple(write for write in gold.writes if write.error),
        faults=tuple(_faults(differences, writes, paired, required)),
        decisive=decisive(writes, calls, gold, live=live) if differences else None,
        unconfirmed=() if evidence.reached.env.solo else tuple(unconfirmed(writes, evidence.turns)),
        required=required,
        actions=tuple(map(Action, evidence.task.gold, evidence.matched)),
        assertions=tuple(map(Assertion, (criteria.env_assertions if criteria else None) or (), verdict.env_assertions)),
        judgements=_judgements((criteria.nl_assertions if criteria else None) or (), verdict.nl_assertions),
    )


def _compared(evidence: Evidence) -> bool:
    """Tell whether the databases are compared at all: not when the task has neither actions nor assertions."""
    criteria = evidence.task.evaluation_criteria
    return criteria is not None and (criteria.actions is not None or criteria.env_assertions is not None)


def _own(evidence: Evidence) -> tuple[Write, ...]:
    """Return the session's calls, without those of the history the task brings."""
    history = {turn.index for turn in evidence.turns[: evidence.history]}
    return tuple(write for write in evidence.reached.writes if write.turn not in history)


def _judgements(texts: Iterable[str], verdicts: Sequence[bool | None]) -> tuple[Judgement, ...]:
    return tuple(Judgement(text, verdicts[i] if verdicts else None) for i, text in enumerate(texts))


def _faults(
    differences: Sequence[Difference],
    writes: Sequence[Write],
    gold: Sequence[GoldWrite],
    required: Iterable[Required],
) -> Iterator[Fault]:
    if differences:
        yield from write_faults(writes, gold)
    else:
        yield from (Fault("output_missing", text=r.text) for r in required if r.said is None)


def _differences(reached: Played, gold: Played, paired: Sequence[GoldWrite]) -> Iterator[Difference]:
    start, target = gold.env.start, gold.env.checkpoint()
    for change in reached.env.changes(target):
        begun = _value(_at(gold, start, change), change.path)
        if same(change.after, begun):
            kind: DifferenceKind = "missing"
        elif same(change.before, begun):
            kind = "unexpected"
        else:
            kind = "different"
        wanted = _last(gold.writes, change)
        yield Difference(
            kind,
            change,
            begun,
            made_by=_last(reached.writes, change),
            wanted_by=next((g for g in paired if g.gold is wanted), GoldWrite(wanted)) if wanted else None,
        )


def _at(played: Played, token: Token, change: Change) -> JSON:
    """Return a record as it stood in an earlier state."""
    databases = (played.env.databases.get("agent"), played.env.databases.get("user"))
    for overlay, database in zip(token, databases, strict=True):
        if database is not None and overlay is not None and database.base.name == change.database:
            found = Database(database.base, overlay).get(change.table, change.key)
            return ABSENT if found is None else found
    return ABSENT


def _value(record: JSON, path: Path) -> JSON:
    for step in path:
        try:
            record = record[step]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return record


def _last(writes: Sequence[Write], difference: Change) -> Write | None:
    """Return the last call that changed a field: the field itself, something in it, or all it stands in."""
    for write in reversed(writes):
        for change in write.changes:
            if (change.database, change.table, change.key) != (difference.database, difference.table, difference.key):
                continue
            shared = min(len(change.path), len(difference.path))
            if change.path[:shared] == difference.path[:shared]:
                return write
    return None
