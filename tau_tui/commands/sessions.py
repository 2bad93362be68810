"""`tau-tui sessions`: what has been recorded, and deleting of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from domains.values import JSON
from sessions.choosing import by_id
from sessions.listing import Row, find
from sessions.recorder import Recorder, default_file
from sessions.summary import Summary
from tau_tui.commands.printing import print_json, print_table, width
from tau_tui.commands.recording import recorded
from tau_tui.exits import DONE, NO, WrongUsage

WIDE = 110
"""From here on there is room for all columns."""


def run(db: Path | None, *, domain: str | None, as_json: bool) -> int:
    """Print one row a session. Raises RecordingFailed."""
    file = db or default_file()
    rows = []
    if file.exists():  # listing must not create a file
        recorder = Recorder(file)
        rows = recorder.sessions(**({"domain": domain} if domain else {}))
        recorder.close()
    if as_json:
        for row in rows:
            print_json(row.to_json())
        return 0
    empty = f"nothing is recorded in {file}"
    room = width()
    if room is not None and room < WIDE:
        narrow = ["id", "started", "task", "seats", "result"]
        print_table(narrow, [_narrow(row) for row in rows], empty=empty, whole=narrow)
        return 0
    columns = ["id", "started", "task", "seats", "status", "reward", "view", "turns"]
    print_table(
        columns,
        [
            [
                row.id,
                _when(row, "%Y-%m-%d %H:%M"),
                f"{row.domain} {row.task_id}",
                f"{row.user}/{row.agent}",
                _status(row),
                _reward(row),
                row.view,
                row.turns,
            ]
            for row in rows
        ],
        empty=empty,
        whole=("id", "started", "status", "reward"),
    )
    return 0


def _narrow(row: Summary) -> list[JSON]:
    # 26 + 11 + 12 + 12 + 11 and the spaces between are the 80 columns there are.
    result = _status(row) if row.reward is None else _reward(row)
    return [
        row.id,
        _when(row, "%m-%d %H:%M"),
        _cut(f"{row.domain} {row.task_id}", 12),
        _cut(f"{row.user}/{row.agent}", 12),
        _cut(result, 11),
    ]


def _when(row: Summary, form: str) -> str:
    return datetime.fromtimestamp(row.started).astimezone().strftime(form) if row.started else "–"


def _status(row: Summary) -> str:
    return row.reason or "" if row.status == "ended" else row.status


def _reward(row: Summary) -> str:
    return "–" if row.reward is None else f"{row.reward:g}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def delete(db: Path | None, ids: Sequence[str], *, sure: bool) -> int:
    """Delete sessions, asking first on a terminal. Raises WrongUsage, DataError and RecordingFailed."""
    with recorded(db) as recorder:
        chosen = by_id(recorder, ids)
        rows = [row for session_id in chosen if (row := find(recorder, session_id)) is not None]
        if playing := [row.id for row in rows if row.status == "playing"]:
            raise WrongUsage(f"session {playing[0]} is being played by another tau-tui; end it there first")
        if not sure and not _asked(rows):
            return NO
        gone = recorder.delete(chosen)
        recorder.vacuum()
    sys.stdout.write(f"deleted {gone} session{'' if gone == 1 else 's'}\n")
    return DONE


def _asked(rows: Sequence[Row]) -> bool:
    if not sys.stdin.isatty():
        raise WrongUsage("say --yes to delete without being asked")
    for row in rows:
        players = "/".join(name for _, _, name in row.players)
        when = datetime.fromtimestamp(row.started).astimezone().strftime("%Y-%m-%d %H:%M")
        sys.stdout.write(f"{row.id}  {when}  {row.domain} {row.task_id}  {players}  {row.turns} turns\n")
    return input("Delete for good? [y/N] ").strip().lower() in ("y", "yes")
