"""The sessions screen with 100,000 sessions in the file: until its first rows are there, and until a filter is."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import Row, median
from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Header, Opened, PlayerInfo, PlayerKind, encode
from sessions.recorder import Recorder

if TYPE_CHECKING:
    from tau_tui.screens.sessions import SessionsScreen

SESSIONS = 100_000
FILTERS = ("oracle", "reward<1", "agent_name=gpt-4o", "domain=retail", "no such words", "user_kind=human view=blind")
RUNS = 5


def run() -> list[Row]:
    """Fill a file, open the screen on it, and type filters."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sessions.db"
        fill(file, SESSIONS)
        opened, filtered = asyncio.run(_look(file))
    slowest = max(median(filtered[i :: len(FILTERS)]) for i in range(len(FILTERS)))
    return [
        Row(f"sessions screen, {SESSIONS:,} sessions, open, median", median(opened) * 1e3, "ms", len(opened), 300),
        Row("sessions screen, a filter, median of the slowest", slowest * 1e3, "ms", RUNS, 100),
    ]


def fill(file: Path, number: int) -> None:
    """Write as many sessions as a recorder would have written, with their headers, in one go."""
    recorder = Recorder(file)
    recorder.sessions()
    recorder.close()
    domain, rng = load_domain("airline"), random.Random(1)
    tasks = [task.model_dump(mode="json", exclude_unset=True) for task in domain.tasks]
    conn = sqlite3.connect(file)
    columns = [row[1] for row in conn.execute("pragma table_info(sessions)")]
    rows = (_row(columns, i, tasks, rng) for i in range(number))
    conn.executemany(f"insert into sessions values ({', '.join('?' * len(columns))})", rows)
    conn.commit()
    conn.close()


def _row(columns: list[str], i: int, tasks: list[dict[str, object]], rng: random.Random) -> tuple[object, ...]:
    task = rng.randrange(len(tasks))
    human, agent = rng.random() < 0.3, rng.choice(("oracle", "gpt-4o", "claude-3-7-sonnet", "gpt-4.1-mini"))
    user: PlayerKind = "human" if human else "script"
    players: dict[Seat, PlayerInfo] = {"user": PlayerInfo(user, "me"), "agent": PlayerInfo("model", agent)}
    header = Header(
        id=f"01{i:024}", domain="airline", task_id=str(task), task=tasks[task], players=players, view="open"
    )
    at = 1.7e9 + i * 60.0
    values: dict[str, object] = {
        **dict.fromkeys(columns),
        "id": header.id,
        "domain": rng.choice(("airline", "retail", "telecom")),
        "pack": "bundled",
        "task_id": str(task),
        "split": "base",
        "user_kind": players["user"].kind,
        "user_name": "me",
        "agent_kind": "model",
        "agent_name": agent,
        "view": rng.choice(("open", "blind")),
        "seed": i,
        "started": at,
        "updated": at + 50,
        "ended": at + 50,
        "reason": "user_stop",
        "reward": float(rng.random() < 0.5),
        "turns": rng.randrange(4, 60),
        "exposures": "",
        "program": "0.1.0",
        "parent": f"01{i - 1:024}" if i % 50 == 1 else None,
        **dict.fromkeys(("solo", "plan", "no_policy", "spoilers"), 0),
        "header": json.dumps(encode(Opened(header=header))["header"]),
    }
    return tuple(values[name] for name in columns)


async def _look(file: Path) -> tuple[list[float], list[float]]:
    from tau_tui.app import TauApp
    from tau_tui.options import Options
    from tau_tui.screens.lobby import LobbyScreen
    from tau_tui.screens.sessions import SessionsScreen

    opened: list[float] = []
    filtered: list[float] = []

    def lobby_is_read(app: TauApp) -> bool:
        screen = app.screen
        return isinstance(screen, LobbyScreen) and screen.is_mounted and screen.table.highlighted is not None

    for _ in range(RUNS):
        app = TauApp(Options(db=file))
        async with app.run_test(size=(160, 45)):
            await _until(partial(lobby_is_read, app))
            started = time.perf_counter()
            screen = SessionsScreen()
            await app.push_screen(screen)
            await _until(partial(_shown, screen, ""))
            opened.append(time.perf_counter() - started)
            for text in FILTERS:
                started = time.perf_counter()
                screen.search.value = text
                await _until(partial(_shown, screen, text))
                filtered.append(time.perf_counter() - started)
    return opened, filtered


def _shown(screen: SessionsScreen, text: str) -> bool:
    return screen.shown_for == text


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 (what is waited for is drawn by the same loop)
        await asyncio.sleep(0.001)
