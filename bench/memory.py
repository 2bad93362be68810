"""What one more open session costs: a world, its task applied, and a few calls made."""

from __future__ import annotations

import gc
import tracemalloc

from bench.report import Row
from bench.worlds import TIMES, airline, world
from domains import load_domain
from sessions.players.human import HumanPlayer
from sessions.session import Session

OPEN = 1_000


def run() -> list[Row]:
    """Open a thousand sessions and see what they hold."""
    rows = []
    domain = load_domain("airline")
    actions = next(task.gold for task in domain.tasks if len(task.gold) > 2)
    for times in TIMES:
        base = airline(times)
        world(base)
        gc.collect()
        tracemalloc.start()
        held = []
        for _ in range(OPEN):
            env = world(base)
            for action in actions:
                env.call(action.requestor, action.name, action.arguments)
            held.append(env)
        gc.collect()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        rows.append(Row(f"a played world, {times}×", size / len(held) / 1_000, "kB", OPEN, 100))
        del held
    task = domain.tasks[0]
    Session.new(domain, task, {"user": HumanPlayer("a"), "agent": HumanPlayer("a")}, view="open")
    gc.collect()
    tracemalloc.start()
    sessions = [
        Session.new(domain, task, {"user": HumanPlayer("a"), "agent": HumanPlayer("a")}, view="open")
        for _ in range(OPEN)
    ]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    rows.append(Row("a further open session", size / len(sessions) / 1_000, "kB", OPEN, 100))
    return rows
