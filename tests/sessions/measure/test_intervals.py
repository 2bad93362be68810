"""Intervals of rates and of means over tasks, against the reference values of the measures."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.measure.intervals import bootstrap, clopper_pearson, icc, mean, of_rate, standard_error, wilson


@pytest.mark.parametrize(
    ("successes", "n", "score", "exact"),
    [
        (6, 12, (0.2538, 0.7462), (0.2109, 0.7891)),
        (84, 200, (0.3537, 0.4893), (0.3507, 0.4917)),
        (3, 4, (0.3006, 0.9544), (0.1941, 0.9937)),
        (0, 10, (0.0, 0.2775), (0.0, 0.3085)),
    ],
)
def test_reference_values(successes: int, n: int, score: tuple[float, float], exact: tuple[float, float]) -> None:
    made = wilson(successes, n)
    assert (made.low, made.high) == pytest.approx(score, abs=5e-5)
    made = clopper_pearson(successes, n)
    assert (made.low, made.high) == pytest.approx(exact, abs=5e-5)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate_and_the_exact_one_is_the_mirror_of_failures(counted: tuple[int, int]) -> None:
    c, n = counted
    for made in (wilson(c, n), clopper_pearson(c, n)):
        assert 0 <= made.low <= c / n <= made.high <= 1
    ours, theirs = clopper_pearson(c, n), clopper_pearson(n - c, n)
    assert (ours.low, ours.high) == pytest.approx((1 - theirs.high, 1 - theirs.low))


@pytest.mark.parametrize(
    ("c", "n", "methods"),
    [
        (84, 200, ["wilson"]),
        (6, 12, ["wilson", "clopper-pearson"]),
        (0, 30, ["wilson", "clopper-pearson"]),
        (30, 30, ["wilson", "clopper-pearson"]),
    ],
)
def test_few_trials_and_extreme_rates_have_the_exact_interval_too(c: int, n: int, methods: list[str]) -> None:
    assert [interval.method for interval in of_rate(c, n)] == methods


def test_no_trials_have_no_rate() -> None:
    with pytest.raises(ValueError, match="0 successes in 0 trials"):
        wilson(0, 0)


def test_the_bootstrap_resamples_tasks_and_is_the_same_each_time() -> None:
    values = [0.0] * 14 + [0.25] * 12 + [0.5] * 10 + [0.75] * 4 + [1.0] * 10
    made = bootstrap(values)
    assert made is not None and made == bootstrap(values)
    # 1.96 standard errors over tasks, not the narrower binomial's
    assert (made.low, made.high) == pytest.approx((0.42 - 1.96 * 0.05222, 0.42 + 1.96 * 0.05222), abs=0.01)


@pytest.mark.parametrize("values", [[], [0.5], [1.0, 1.0, 1.0]])
def test_what_never_varies_has_no_interval(values: list[float]) -> None:
    assert bootstrap(values) is None


def test_how_much_lies_between_tasks() -> None:
    counts = [(4, c) for c, tasks in {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}.items() for _ in range(tasks)]
    assert icc(counts) == pytest.approx(0.4046, abs=5e-5)
    assert standard_error([c / n for n, c in counts]) == pytest.approx(0.05222, abs=5e-6)
    assert icc([(1, 0), (1, 1)]) is None  # no task played twice
    assert icc([(4, 4), (4, 4)]) is None  # nothing varies
    assert icc([(4, 2)]) is None
    assert standard_error([0.5]) is None
    assert mean([]) is None


def test_scipy_and_numpy_are_imported_only_where_they_are_used() -> None:
    code = "import sys, sessions.measure.passk; print('scipy' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
