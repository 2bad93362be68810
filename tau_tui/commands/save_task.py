"""`tau-tui save-task`: a session becomes a task of one's own, and is checked."""

from __future__ import annotations

from pathlib import Path

from sessions.choosing import by_id
from sessions.saving import Words, save_task
from tau_tui.commands.printing import print_json
from tau_tui.commands.recording import recorded
from tau_tui.exits import DONE, NO
from tau_tui.saving import told
from tau_tui.widgets.safe_text import one_line


def run(named: str, pack: str, words: Words, *, db: Path | None, data: Path | None, as_json: bool) -> int:
    """Save, and say what the check found; exit code 1 for an error. Raises DataError, RecordingFailed and OSError."""
    with recorded(db) as recorder:
        (session_id,) = by_id(recorder, [named])
        events = recorder.events(session_id)
    saved = save_task(events, pack, words, [data] if data else [])
    if as_json:
        row = {
            "pack": pack,
            "domain": saved.domain.name,
            "task": saved.task.id,
            "file": str(saved.file),
            "writes": len(saved.verdict.evidence.gold.writes),
            "components": saved.verdict.breakdown,
            "notes": list(saved.notes),
            "findings": [finding.to_json() for finding in saved.findings],
        }
        print_json(row)
    else:
        for line in told(saved):
            print(one_line(line))
    return DONE if saved.sound else NO
