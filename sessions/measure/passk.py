"""pass^k and pass@k of sessions in groups, in three conventions, with what was left out and why (`measures.md` §1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Literal, TypeAlias

from domains.values import JSON
from sessions.measure.intervals import Interval, bootstrap, icc, mean, of_rate, standard_error

Convention: TypeAlias = Literal["ours", "tau2", "tau-bench"]
RewardOf: TypeAlias = Literal["ours", "recorded"]

MOST_K: Final = 8
EVALUATED: Final = frozenset(("user_stop", "agent_stop"))
MACHINERY: Final = frozenset(("infrastructure_error", "unexpected_error"))
"""Endings in which neither side has failed."""
OFFLINE: Final = frozenset(("oracle", "script"))
EXPOSURES: Final = ("seat", "supervised", "goal", "plan", "trace", "database", "preview", "completion")

REASONS: Final[Mapping[str, str]] = {
    "machinery": "the machinery failed",
    "abandoned": "a person left",
    "branch": "rewound or forked from another session",
    "offline-partner": "the partner was the oracle or the script, which know the task",
    "seat": "a seat changed hands",
    "supervised": "a person decided on writes before they were made",
    "goal": "a person saw the goal",
    "plan": "the agent had the gold steps",
    "trace": "a person saw the other side's calls",
    "database": "a person saw the database",
    "preview": "a person tried a write before making it",
    "completion": "a person was offered ids from the database",
    "spoilers": "a person saw what gives the task away",
    "again": "the same person had played the task already",
}
"""Why sessions are left out, in this order; each can be switched in."""

WITHOUT_OUTCOME: Final[Mapping[str, str]] = {
    "unfinished": "not ended",
    "not-scored": "nobody can say the reward",
}
"""Sessions that cannot be counted however one wishes."""

NEEDED: Final = (
    *("id", "domain", "task_id", "task_digest", "user_kind", "user_name", "agent_kind", "agent_name", "spoilers"),
    *("parent", "started", "ended", "reason", "reward", "recorded_reward", "trial", "exposures"),
)
"""Columns of the table of sessions that `groups` reads."""


# One task


def pass_hat(n: int, c: int, k: int) -> float | None:
    """Return the estimate that k trials all succeed, from c successes of n; None for n < k."""
    if k < 1 or n < k:
        return None
    product = 1.0
    for j in range(k):
        product *= max(0, c - j) / (n - j)
    return product


def pass_at(n: int, c: int, k: int) -> float | None:
    """Return the estimate that one of k trials succeeds, from c successes of n; None for n < k."""
    failed = pass_hat(n, n - c, k)
    return None if failed is None else 1.0 - failed


@dataclass(frozen=True, slots=True)
class Counts:
    """A task with its trials."""

    domain: str
    task: str
    n: int
    c: int


# Many tasks


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the tasks that have a value; `value` None where none has. `tasks` is T_k."""

    k: int
    value: float | None
    tasks: int
    intervals: tuple[Interval, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """What one group of sessions comes to."""

    values: Mapping[str, JSON]
    """Field → the value its sessions share."""
    sessions: int
    used: int
    excluded: Mapping[str, int]
    """Reason → how many; each session under the first that applies."""
    counts: tuple[Counts, ...]
    hat: tuple[Estimate, ...]
    at: tuple[Estimate, ...]
    over_domains: tuple[Estimate, ...]
    """pass^k as a mean over domains, `tasks` being their number; empty for one domain."""
    standard_error: float | None
    icc: float | None
    people: int
    recorded: int
    """How many rewards are those of the file, since there is none of ours."""
    disagreeing: int
    """How many have both, and another."""
    endings: Mapping[str, int] = field(default_factory=dict)

    @property
    def successes(self) -> int:
        """How many of the sessions used succeeded."""
        return sum(task.c for task in self.counts)


Row: TypeAlias = Mapping[str, JSON]


def groups(
    rows: Iterable[Row],
    by: Sequence[str],
    *,
    convention: Convention = "ours",
    include: Iterable[str] = (),
    reward: RewardOf = "ours",
    most_k: int = MOST_K,
    seed: int = 0,
) -> list[Group]:
    """Return a group for each combination of the values of `by`. Raises ValueError for a reason there is none of."""
    kept = frozenset(include)
    if unknown := kept - REASONS.keys() - {"all"}:
        raise ValueError(f"nothing is left out as {sorted(unknown)[0]!r}; there is {', '.join(REASONS)}, or all")
    if "all" in kept:
        kept = frozenset(REASONS)

    def values(row: Row) -> tuple[str, ...]:
        return tuple(repr(row[name]) for name in by)

    ordered = sorted(rows, key=lambda row: (values(row), row["started"], row["id"]))
    return [
        _group({name: members[0][name] for name in by}, members, convention, kept, reward, most_k, seed)
        for members in (list(found) for _, found in groupby(ordered, values))
    ]


def _group(
    values: Mapping[str, JSON],
    rows: Sequence[Row],
    convention: Convention,
    include: frozenset[str],
    reward: RewardOf,
    most_k: int,
    seed: int,
) -> Group:
    excluded: Counter[str] = Counter()
    used: list[Row] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        reason = next((why for why in _reasons(row, convention, reward, seen) if why not in include), None)
        if reason is not None:
            excluded[reason] += 1
            continue
        used.append(row)
        seen |= {(person, _task(row)) for person in _people(row)}
    counts = _counts(used, reward)
    if convention == "tau-bench":
        trials = len(_trial_ids(used))
        counts = [Counts(task.domain, task.task, trials, task.c) for task in counts]
    highest = (min if convention == "tau2" else max)((task.n for task in counts), default=0)
    ks = range(1, min(highest, most_k) + 1)
    both = [row for row in used if row["reward"] is not None and row["recorded_reward"] is not None]
    return Group(
        values=values,
        sessions=len(rows),
        used=len(used),
        excluded=dict(excluded),
        counts=tuple(counts),
        hat=tuple(_estimate(counts, k, hat=True, seed=seed) for k in ks),
        at=tuple(_estimate(counts, k, hat=False, seed=seed) for k in ks),
        over_domains=tuple(_over_domains(counts, ks)),
        standard_error=standard_error([task.c / task.n for task in counts]),
        icc=icc([(task.n, task.c) for task in counts]),
        people=len({person for row in used for person in _people(row)}),
        recorded=sum(row["reward"] is None and row["recorded_reward"] is not None for row in used),
        disagreeing=sum(abs(row["reward"] - row["recorded_reward"]) > 1e-6 for row in both),
        endings=Counter(str(row["reason"]) for row in used),
    )


# What is left out


def _reasons(row: Row, convention: Convention, reward: RewardOf, seen: set[tuple[str, str]]) -> Iterator[str]:
    """Yield every reason to leave a session out, in the order in which they are counted."""
    ending = row["reason"]
    if row["ended"] is None:
        yield "unfinished"
    elif ending in EVALUATED and _reward(row, reward) is None:
        yield "not-scored"
    match convention:
        case "ours":
            if ending in MACHINERY:
                yield "machinery"
            if ending == "abandoned":
                yield "abandoned"
        case "tau2":  # every other premature end is a failure
            if ending == "infrastructure_error":
                yield "machinery"
    if row["parent"]:
        yield "branch"
    if OFFLINE & {row["user_kind"], row["agent_kind"]}:
        yield "offline-partner"
    shown = str(row["exposures"]).split()
    yield from (kind for kind in EXPOSURES if kind in shown)
    people = list(_people(row))
    if row["spoilers"] and people:
        yield "spoilers"
    if any((person, _task(row)) in seen for person in people):
        yield "again"


def _people(row: Row) -> Iterator[str]:
    yield from {str(row[f"{seat}_name"]) for seat in ("user", "agent") if row[f"{seat}_kind"] == "human"}


def _task(row: Row) -> str:
    """Name a task by its content: two packs may call two tasks the same."""
    return f"{row['domain']} {row['task_digest'] or row['task_id']}"


def _reward(row: Row, which: RewardOf) -> float | None:
    ours: float | None = row["reward"]
    recorded: float | None = row["recorded_reward"]
    return recorded if which == "recorded" or ours is None else ours


def _succeeded(row: Row, which: RewardOf) -> bool:
    found = _reward(row, which)
    return row["reason"] in EVALUATED and found is not None and abs(found - 1) <= 1e-6


# What is counted


def _counts(rows: Sequence[Row], reward: RewardOf) -> list[Counts]:
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        tasks.setdefault(_task(row), []).append(row)
    return [
        Counts(str(found[0]["domain"]), str(found[0]["task_id"]), len(found), sum(_succeeded(r, reward) for r in found))
        for found in tasks.values()
    ]


def _trial_ids(rows: Iterable[Row]) -> set[int]:
    """Return the numbers of trials there are; a session without one, or with one that is taken, has the next free."""
    taken: dict[str, set[int]] = {}
    for row in rows:
        mine = taken.setdefault(_task(row), set())
        trial = row["trial"]
        if not isinstance(trial, int) or trial in mine:
            trial = next(i for i in range(len(mine) + 1) if i not in mine)
        mine.add(trial)
    return set().union(*taken.values())


def _estimate(counts: Sequence[Counts], k: int, *, hat: bool, seed: int) -> Estimate:
    estimate = pass_hat if hat else pass_at
    tasks = [task for task in counts if task.n >= k]
    values = [value for task in tasks if (value := estimate(task.n, task.c, k)) is not None]
    return Estimate(k, mean(values), len(values), tuple(_intervals(tasks, values, k, seed)))


def _intervals(tasks: Sequence[Counts], values: Sequence[float], k: int, seed: int) -> list[Interval]:
    # One task, or one trial of each: that is one rate, and the binomial is right.
    if k == 1 and (len(tasks) == 1 or all(task.n == 1 for task in tasks)) and tasks:
        return of_rate(sum(task.c for task in tasks), sum(task.n for task in tasks))
    found = bootstrap(values, seed=seed)
    return [] if found is None else [found]


def _over_domains(counts: Sequence[Counts], ks: Iterable[int]) -> Iterator[Estimate]:
    domains = sorted({task.domain for task in counts})
    if len(domains) < 2:
        return
    for k in ks:
        each = [
            mean([v for task in counts if task.domain == name and (v := pass_hat(task.n, task.c, k)) is not None])
            for name in domains
        ]
        there = [value for value in each if value is not None]
        yield Estimate(k, mean(there), len(there))
