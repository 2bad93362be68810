"""Runs without people: sessions a second, what a step costs beside the player's own time, memory of a thousand at once.

The loopback rows ask two models of `tests/fake_llm`, served by a process of their own, through litellm.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.report import Row
from domains import load_domain
from sessions.batch import Run
from sessions.committing import GroupKeeper
from sessions.players.base import Action, Player, View
from sessions.players.model.choice import ModelChoice
from sessions.recorder import Recorder
from sessions.seating import Table
from sessions.session import Session
from sessions.trials import Batch, Trial

ROOT = Path(__file__).resolve().parents[1]
TRIALS = 4
CONCURRENCY = 64
AT_ONCE = 1_000
OFFLINE = Table(play="none")


def run() -> list[Row]:
    """Measure each in a process of its own."""
    return [row for what in ("offline", "memory", "loopback") for row in _apart(what)]


def _apart(what: str) -> list[Row]:
    out = subprocess.run(
        [sys.executable, "-m", "bench.batch", what], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [Row(**json.loads(line)) for line in out.stdout.splitlines()]


# Offline partners


class _Timed:
    """A player whose time is counted."""

    took = 0.0

    def __init__(self, inner: Player) -> None:
        self.info = inner.info
        self._inner = inner

    async def act(self, view: View) -> Action:
        started = time.perf_counter()
        action = await self._inner.act(view)
        _Timed.took += time.perf_counter() - started
        return action


class _TimedRun(Run):
    def _new(self, trial: Trial, keeper: GroupKeeper) -> Session:
        session = super()._new(trial, keeper)
        session.players = {seat: _Timed(player) for seat, player in session.players.items()}
        return session


def offline() -> Iterator[Row]:
    """Every airline task with the offline partners, many at a time and one at a time."""
    yield from _partners(TRIALS, CONCURRENCY)
    yield from _partners(1, 1)


def _partners(trials: int, concurrency: int) -> Iterator[Row]:
    domain = load_domain("airline")
    tasks = [domain.task(name) for name in domain.splits["base"]]
    with _recorder() as recorder:
        run = _TimedRun(Batch(domain, tasks, OFFLINE, trials), recorder, concurrency=concurrency)
        run.look()
        _Timed.took = 0.0
        started = time.perf_counter()
        asyncio.run(run.play())
        took = time.perf_counter() - started
        [(steps,)] = recorder.select("select sum(turns - 1) from sessions where reward is not null")
    assert run.tally.finished == len(run.trials)
    at = f"{concurrency} at a time" if concurrency > 1 else "one at a time"
    yield Row(f"offline sessions a second, {at}", run.tally.finished / took, "/s", run.tally.finished)
    yield Row(f"a step without its player's time, {at}", (took - _Timed.took) / steps * 1e3, "ms", steps)


# Memory


class Leaver:
    """Says one thing, hears one answer, leaves."""

    async def act(self, view: View) -> Action:
        """Speak, or leave."""
        return Action(stop="###STOP###") if any(turn.seat == "user" for turn in view.turns) else Action("Hello.")


class Waiter:
    """Answers when all the others are waiting too."""

    acting = 0
    gate = asyncio.Event()
    held = 0.0

    async def act(self, view: View) -> Action:
        """Wait for everybody."""
        Waiter.acting += 1
        if Waiter.acting == AT_ONCE:
            Waiter.held = _resident()
            Waiter.gate.set()
        await Waiter.gate.wait()
        return Action("How can I help?")


def memory() -> Iterator[Row]:
    """A thousand sessions in which an agent has been asked and thinks."""
    domain = load_domain("airline")
    task = domain.tasks[0]
    table = replace(OFFLINE, agent="bench.batch:Waiter", user="bench.batch:Leaver")
    with _recorder() as recorder:
        run = Run(Batch(domain, [task], table, AT_ONCE), recorder, concurrency=AT_ONCE)
        run.look()
        domain.environment(task).digest("agent")
        before = _resident()
        asyncio.run(run.play())
    from bench import batch

    assert run.tally.finished == AT_ONCE
    held = batch.Waiter.held
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    yield Row("memory with 1,000 sessions at once, at most", peak, "MB", AT_ONCE, 1_000)
    yield Row("memory of one of them", (held - before) / AT_ONCE / 1_000, "kB", AT_ONCE)


def _resident() -> float:
    """Return the bytes this process holds now."""
    fields = Path("/proc/self/statm").read_text("ascii").split()
    return int(fields[1]) * float(resource.getpagesize())


# Models on loopback


def loopback() -> Iterator[Row]:
    """Two models that say a line each."""
    with _server() as url, _recorder() as recorder:
        domain = load_domain("airline")
        models = {seat: ModelChoice(f"openai/{seat}", {}, url) for seat in ("agent", "user")}
        batch = Batch(domain, domain.tasks[:25], replace(OFFLINE, models=models), TRIALS)  # type: ignore[arg-type]  # seats by name
        warm = Run(replace(batch, tasks=domain.tasks[25:26], trials=1), recorder)
        warm.look()
        asyncio.run(warm.play())
        run = Run(batch, recorder, concurrency=CONCURRENCY)
        run.look()
        started, busy = time.perf_counter(), time.process_time()
        asyncio.run(run.play())
        took, busy = time.perf_counter() - started, time.process_time() - busy
        ids = f"task_id != '{domain.tasks[25].id}'"
        [(steps,)] = recorder.select(f"select sum(turns - 1) from sessions where {ids}")
    assert run.tally.finished == len(run.trials), run.tally
    yield Row("loopback sessions a second, 64 at a time", run.tally.finished / took, "/s", run.tally.finished)
    yield Row("processor time of a step, litellm's included", busy / steps * 1e3, "ms", steps)


@contextlib.contextmanager
def _server() -> Iterator[str]:
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fake_llm", "--port", str(port)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    from tests.fake_llm.server import closed_port

    return closed_port()


@contextlib.contextmanager
def _recorder() -> Iterator[Recorder]:
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder) / "sessions.db")
        try:
            yield recorder
        finally:
            recorder.close()


if __name__ == "__main__":
    measured = {"offline": offline, "memory": memory, "loopback": loopback}[sys.argv[1]]
    for row in measured():
        print(json.dumps({"what": row.what, "value": row.value, "unit": row.unit, "n": row.n, "bar": row.bar}))
