"""Intervals: of one rate, and of a mean over tasks. Never a binomial over sessions pooled from several tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Final, Literal, TypeAlias

Method: TypeAlias = Literal["wilson", "clopper-pearson", "bootstrap"]

RESAMPLES: Final = 10_000
FEW: Final = 20
"""Below so many trials Wilson alone is not enough."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval and how it was made."""

    low: float
    high: float
    method: Method


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a rate. Raises ValueError for no trials."""
    _check(successes, n)
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(low, high, "wilson")


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the exact interval of a rate. Raises ValueError for no trials."""
    from scipy.special import betaincinv

    _check(successes, n)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high, "clopper-pearson")


def of_rate(successes: int, n: int) -> list[Interval]:
    """Return the intervals a rate is shown with: Wilson's, and the exact one where n is small or the rate extreme."""
    found = [wilson(successes, n)]
    if n < FEW or successes in (0, n):
        found.append(clopper_pearson(successes, n))
    return found


def bootstrap(values: Sequence[float], *, level: float = 0.95, seed: int = 0) -> Interval | None:
    """Return the percentile interval of a mean over tasks, resampled whole; None where it cannot be estimated.

    One task, or tasks that are all alike, vary in no resample: an interval of no width would be a lie.
    """
    import numpy as np

    if len(values) < 2 or min(values) == max(values):
        return None
    data = np.asarray(values)
    random = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    rows = max(1, 4_000_000 // len(data))  # 32 MB at a time
    for start in range(0, RESAMPLES, rows):
        stop = min(RESAMPLES, start + rows)
        means[start:stop] = data[random.integers(0, len(data), (stop - start, len(data)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "bootstrap")


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean over tasks; None for fewer than two."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def icc(counts: Sequence[tuple[int, int]]) -> float | None:
    """Return how much of the variance of success lies between tasks (one-way ANOVA), from (n, successes) of each.

    None where it cannot be estimated: fewer than two tasks, no task played twice, or no variance at all.
    """
    tasks = [(n, c) for n, c in counts if n > 0]
    total = sum(n for n, _ in tasks)
    if len(tasks) < 2 or total <= len(tasks):
        return None
    mean = sum(c for _, c in tasks) / total
    between = sum(n * (c / n - mean) ** 2 for n, c in tasks) / (len(tasks) - 1)
    within = sum(c * (1 - c / n) for n, c in tasks) / (total - len(tasks))
    size = (total - sum(n * n for n, _ in tasks) / total) / (len(tasks) - 1)
    spread = between + (size - 1) * within
    return (between - within) / spread if spread > 0 else None


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None of nothing."""
    return fmean(values) if values else None


def _check(successes: int, n: int) -> None:
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes in {n} trials")
