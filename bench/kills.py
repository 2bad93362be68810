"""Two hundred sessions killed at random instants and taken up again: every event that was shown is there."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from bench.report import Row
from sessions.recorder import Recorder
from tests.sessions.playing import kinds
from tests.sessions.test_resuming import killed, session_digest, split_act, taken_up

KILLS = 200


def run() -> list[Row]:
    """Kill, look, take up, play to the end, compare."""
    lost = other = middle = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(KILLS):
            file = Path(folder) / f"{number}.db"
            shown = killed(file, random.Random(1_000 + number).uniform(0, 0.03))
            recorder = Recorder(file)
            lost += len(recorder.events("S")) < shown
            recorder.close()
            session = taken_up(file)
            middle += "Resumed" in kinds(session.events)
            other += session.env.digest("agent") != session_digest() and not split_act(session.events)
    if middle < KILLS / 2:
        raise RuntimeError(f"only {middle} of {KILLS} sessions were killed in the middle; nothing can be said")
    return [
        Row("killed sessions that lost an event that had been shown", lost, "", KILLS, 0),
        Row("killed sessions that ended in another state", other, "", KILLS, 0),
    ]
