"""`tau-tui sessions`: what has been recorded."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

from sessions.recorder import Recorder, default_file
from tau_tui.commands.printing import print_table


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
            sys.stdout.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")
        return 0
    print_table(
        ["started", "domain", "task", "user", "agent", "view", "turns", "status", "reward", "id"],
        [
            [
                datetime.fromtimestamp(row.started).astimezone().strftime("%Y-%m-%d %H:%M") if row.started else "–",
                row.domain,
                row.task_id,
                row.user,
                row.agent,
                row.view,
                row.turns,
                row.reason if row.status == "ended" else row.status,
                "–" if row.reward is None else f"{row.reward:g}",
                row.id,
            ]
            for row in rows
        ],
        empty=f"nothing is recorded in {file}",
    )
    return 0
