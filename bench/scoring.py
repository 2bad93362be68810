"""The verdict of a session, without parsing and digests, and a digest."""

from __future__ import annotations

import time

from bench.report import Row, median
from bench.worlds import TIMES, airline, world
from domains import load_domain
from sessions.event import Call, Result
from sessions.reward import score
from sessions.trajectory import Done, Turn

ROUNDS = 20


def run() -> list[Row]:
    """Score the gold of every bundled task as if it had been played."""
    domain = load_domain("airline")
    took = []
    for task in domain.tasks:
        turns = [
            Turn(
                index=i,
                seat="agent",
                calls=(
                    Done(
                        Call(turn=i, seat="agent", id=str(i), name=action.name, arguments=action.arguments),
                        Result(turn=i, seat="agent", id=str(i), content=""),
                    ),
                ),
            )
            for i, action in enumerate(task.gold)
        ]
        for _ in range(ROUNDS):
            started = time.perf_counter()
            score(domain, task, turns, "user_stop")
            took.append((time.perf_counter() - started) * 1e3)
    rows = [Row("verdict of a session, median", median(took), "ms", len(took), 2)]
    booking = next(iter(domain.bases["agent"].tables["reservations"]))
    for times in TIMES:
        base = airline(times)
        env = world(base)
        env.call("agent", "cancel_reservation", {"reservation_id": booking})
        env.digest("agent")
        digests = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            env.digest("agent")
            digests.append((time.perf_counter() - started) * 1e3)
        rows.append(Row(f"digest, median, {times}×", median(digests), "ms", ROUNDS, 15 if times == 1 else None))
    return rows
