"""What is written with an event: itself, and what the tables beside say of its session from then on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions import processes
from sessions.event import (
    Call,
    Ended,
    Event,
    Exposure,
    Mark,
    Message,
    Opened,
    Resumed,
    Reviewed,
    Scored,
    Seated,
    Supervision,
    encode,
    set_apart,
)
from sessions.keeping import RecordingFailed


def insert(conn: sqlite3.Connection, file: Path, session_id: str, seq: int, event: Event) -> dict[str, Any]:
    """Write an event and the rows beside it; return what `update` is to say of the session.

    Raises RecordingFailed, naming the file, where another event has this place.
    """
    if isinstance(event, Opened):
        _insert_header(conn, event)
    data = json.dumps(encode(event), ensure_ascii=False, separators=(",", ":"))
    inserted = conn.execute(
        # A retry after a failure that came too late, when the event was safe already, changes nothing.
        "insert into events values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
        (
            session_id,
            seq,
            event.at,
            type(event).__name__.lower(),
            getattr(event, "turn", None),
            getattr(event, "seat", None),
            1,
            data,
        ),
    )
    if not inserted.rowcount:
        (there,) = conn.execute(
            "select data from events where session_id = ? and seq = ?", (session_id, seq)
        ).fetchone()
        if there != data:
            raise RecordingFailed(f"{file}: another tau-tui is playing session {session_id}; close one of them")
    return _beside(conn, session_id, seq, event)


def update(conn: sqlite3.Connection, session_id: str, changes: Mapping[str, Any]) -> None:
    """Set columns of the session's row."""
    sets = ", ".join(f"{name} = ?" for name in changes)
    conn.execute(f"update sessions set {sets} where id = ?", (*changes.values(), session_id))


def _insert_header(conn: sqlite3.Connection, event: Opened) -> None:
    header = event.header
    user, agent = header.players.get("user"), header.players.get("agent")
    row: dict[str, Any] = {
        "id": header.id,
        "domain": header.domain,
        "pack": header.pack,
        "task_id": header.task_id,
        "split": header.split,
        "user_kind": user.kind if user else None,
        "user_name": user.name if user else None,
        "agent_kind": agent.kind if agent else None,
        "agent_name": agent.name if agent else None,
        "view": header.view,
        "solo": header.solo,
        "plan": header.plan,
        "no_policy": header.no_policy,
        "spoilers": header.spoilers,
        "seed": header.seed,
        "temperature": header.temperature,
        "program": header.program,
        "task_digest": header.digests.get("task"),
        "parent": header.parent or None,
        "parent_turn": header.parent_turn,
        "origin": header.origin.get("format"),
        "trial": header.origin.get("trial") if header.trial is None else header.trial,
        "run": header.run or None,
        "started": event.at,
        "updated": event.at,
        "turns": 0,
        "exposures": set_apart(event),
        "process": processes.this_process(),
        "header": json.dumps(encode(event)["header"], ensure_ascii=False),
    }
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    conn.execute(f"insert into sessions ({names}) values ({marks}) on conflict do nothing", tuple(row.values()))
    for info in header.players.values():
        if info.kind == "human":
            conn.execute("insert into players values (?, ?) on conflict do nothing", (info.name, event.at))


def _beside(conn: sqlite3.Connection, session_id: str, seq: int, event: Event) -> dict[str, Any]:
    changes: dict[str, Any] = {"updated": event.at}
    match event:
        case Message() | Call():
            changes["turns"] = event.turn + 1
        case Exposure() | Seated() | Reviewed() | Supervision() if kind := set_apart(event):
            conn.execute(
                "update sessions set exposures = trim(exposures || ' ' || :kind)"
                " where id = :id and instr(' ' || exposures || ' ', ' ' || :kind || ' ') = 0",
                {"kind": kind, "id": session_id},
            )
        case Resumed():
            changes["process"] = processes.this_process()
        case Ended():
            changes |= {"ended": event.at, "reason": event.reason, "process": None}
        case Scored():
            changes["reward" if event.source == "computed" else "recorded_reward"] = event.reward
            verdict = json.dumps(event.verdict, ensure_ascii=False)
            conn.execute(
                "insert into scores values (?, ?, ?, ?, ?, ?) on conflict do nothing",
                (session_id, seq, event.at, event.reward, verdict, event.source),
            )
        case Mark():
            conn.execute(
                "insert into marks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                (
                    session_id,
                    seq,
                    event.at,
                    event.turn,
                    event.author,
                    event.type,
                    event.severity,
                    event.text,
                    event.policy_line,
                    event.by,
                ),
            )
    return changes
