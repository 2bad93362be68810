"""A tool call with its diff, at both sizes of the database. A search may grow with what it scans; it stands apart."""

from __future__ import annotations

import time
from collections import defaultdict

from bench.report import Row, median, percentile
from bench.worlds import TIMES, airline, world
from domains import load_domain

SEARCHES = ("search_direct_flight", "search_onestop_flight")
ROUNDS = 40
SEARCH_ROUNDS = 4
"""A hundred times the flights connect in ten thousand times as many ways; a search changes nothing."""


def run() -> list[Row]:
    """Play the gold of every bundled task, again and again, and time each call."""
    took: dict[tuple[bool, int], list[float]] = defaultdict(list)
    gold = [task.gold for task in load_domain("airline").tasks]
    for times in TIMES:
        base = airline(times)
        for i in range(ROUNDS):
            for actions in gold:
                env = world(base)
                for action in actions:
                    if action.name in SEARCHES and i >= SEARCH_ROUNDS:
                        continue
                    started = time.perf_counter()
                    env.call(action.requestor, action.name, action.arguments)
                    took[action.name in SEARCHES, times].append((time.perf_counter() - started) * 1e6)
    small, large = (took[False, times] for times in TIMES)
    return [
        Row("tool call with diff, 99th percentile, 1×", percentile(small, 0.99), "µs", len(small), 5_000),
        Row("tool call with diff, 99th percentile, 100×", percentile(large, 0.99), "µs", len(large), 5_000),
        Row("tool call with diff, median, 1×", median(small), "µs", len(small)),
        Row("tool call with diff, median, 100×", median(large), "µs", len(large), 1.5 * median(small) + 50),
        *(Row(f"search, median, {times}×", median(took[True, times]), "µs", len(took[True, times])) for times in TIMES),
    ]
