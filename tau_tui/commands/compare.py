"""`tau-tui compare`: pass^k and pass@k of groups of sessions, with what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from domains.errors import DataError
from domains.values import JSON
from sessions.choosing import choose, filters, text
from sessions.measure.intervals import RESAMPLES, Interval
from sessions.measure.passk import (
    NEEDED,
    REASONS,
    WITHOUT_OUTCOME,
    Convention,
    Estimate,
    Group,
    RewardOf,
    groups,
)
from sessions.recorder import Recorder, default_file
from sessions.safe_text import one_line
from tau_tui.commands.printing import print_json, print_table
from tau_tui.exits import DONE

CONVENTIONS: Mapping[Convention, str] = {
    "ours": "each k over the tasks with at least k trials; machinery failures and abandoned sessions left out",
    "tau2": "tau2's: only infrastructure errors left out, every other premature end is 0, k up to the fewest trials",
    "tau-bench": "τ-bench's: every task has as many trials as there are trial numbers, a missing one is a failure",
}
PEOPLE = "pass^k of people: k different people all succeeded, not one person k times"


def run(
    by: Sequence[str],
    *,
    where: Sequence[str],
    convention: Convention,
    include: Sequence[str],
    reward: RewardOf,
    most_k: int,
    db: Path | None,
    as_json: bool,
) -> int:
    """Print one block a group, or one JSON object a line. Raises DataError and RecordingFailed."""
    file = db or default_file()
    rows: Sequence[Mapping[str, JSON]] = []
    if file.exists():  # comparing must not create a file
        recorder = Recorder(file)
        try:
            rows = choose(recorder, filters(where), [*NEEDED, *by])
        finally:
            recorder.close()
    try:
        found = groups(rows, by, convention=convention, include=include, reward=reward, most_k=most_k)
    except ValueError as error:
        raise DataError(f"--include: {error}") from None
    if as_json:
        for group in found:
            print_json(told(group, convention, reward))
        return DONE
    if not found:
        print(f"no session in {file} fits")
        return DONE
    print(f"convention {convention}: {CONVENTIONS[convention]}")
    print(f"rewards: {'ours, the file’s where there is none' if reward == 'ours' else 'those of the imported file'}")
    for group in found:
        print()
        _print(group)
    _legend(found)
    return DONE


def told(group: Group, convention: Convention, reward: RewardOf) -> dict[str, JSON]:
    """Return a group as JSON; what cannot be estimated is null, never 0."""
    return {
        "group": dict(group.values),
        "convention": convention,
        "reward": reward,
        "sessions": group.sessions,
        "used": group.used,
        "successes": group.successes,
        "excluded": dict(group.excluded),
        "endings": dict(group.endings),
        "tasks": len(group.counts),
        "people": group.people,
        "pass_hat": [_estimate(e) for e in group.hat],
        "pass_at": [_estimate(e) for e in group.at],
        "pass_hat_over_domains": [{"k": e.k, "value": e.value, "domains": e.tasks} for e in group.over_domains],
        "standard_error": group.standard_error,
        "icc": group.icc,
        "recorded_rewards": group.recorded,
        "rewards_disagreeing": group.disagreeing,
        "by_task": [asdict(counts) for counts in group.counts],
    }


def _estimate(estimate: Estimate) -> dict[str, JSON]:
    return {
        "k": estimate.k,
        "value": estimate.value,
        "tasks": estimate.tasks,
        "intervals": [asdict(interval) for interval in estimate.intervals],
    }


def _print(group: Group) -> None:
    named = ", ".join(f"{name} = {text(value) or '∅'}" for name, value in group.values.items())
    people = f", {_count(group.people, 'person', 'people')}" if group.people else ""
    print(one_line(named))
    sessions = f"{group.used} of {_count(group.sessions, 'session')}"
    print(f"  {sessions}, {_count(len(group.counts), 'task')}{people}")
    for line in _left_out(group):
        print(f"  {line}")
    if not group.counts:
        print("  pass^k n/a: nothing is left to count")
        return
    print_table(
        ["  k", "pass^k", "interval", "pass@k", "interval", "tasks"],
        [
            [f"  {hat.k}", number(hat.value), _intervals(hat), number(at.value), _intervals(at), hat.tasks]
            for hat, at in zip(group.hat, group.at, strict=True)
        ],
        empty="",
    )
    for estimate in group.over_domains:
        print(f"  pass^{estimate.k} as a mean over {estimate.tasks} domains: {number(estimate.value)}")
    print(f"  standard error over tasks {number(group.standard_error)}, ICC {number(group.icc)}")
    if group.recorded:
        print(f"  {group.recorded} rewards are those of the file: there is none of ours")
    if group.disagreeing:
        print(f"  {group.disagreeing} sessions are rewarded otherwise in their file")
    if group.people:
        print(f"  {PEOPLE}")


def _left_out(group: Group) -> Iterator[str]:
    for reason, meaning in {**WITHOUT_OUTCOME, **REASONS}.items():
        if count := group.excluded.get(reason):
            yield f"left out: {count} {reason} ({meaning})"


def _legend(found: Sequence[Group]) -> None:
    methods = {i.method for group in found for e in (*group.hat, *group.at) for i in e.intervals}
    lines = {
        "wilson": "W Wilson: one rate",
        "clopper-pearson": "CP Clopper–Pearson: exact, for few trials or none or all of them",
        "bootstrap": f"B bootstrap over whole tasks, {RESAMPLES:,} resamples, percentiles, seed 0",
    }
    print()
    for method, line in lines.items():
        if method in methods:
            print(f"95 % intervals: {line}")
    if any(group.excluded.keys() & REASONS.keys() for group in found):
        print("each session is left out under the first reason that applies; --include REASON counts it")


SHORT: Mapping[str, str] = {"wilson": "W", "clopper-pearson": "CP", "bootstrap": "B"}


def _intervals(estimate: Estimate) -> str:
    return "\n".join(_interval(interval) for interval in estimate.intervals) or "n/a"


def _interval(interval: Interval) -> str:
    return f"{SHORT[interval.method]} {interval.low:.3f}–{interval.high:.3f}"


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or f'{one}s'}"


def number(value: float | None) -> str:
    """Return a number with three places, n/a where it cannot be estimated."""
    return "n/a" if value is None else f"{value:.3f}"
