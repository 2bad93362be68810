"""`tau-tui bundle` and what `tau-tui open` says where no app can be shown."""

from __future__ import annotations

import sys
from pathlib import Path

from sessions.bundle import read_bundle, write_bundle
from sessions.choosing import by_id
from sessions.export.anonymous import Anonymizer
from sessions.trajectory import fold
from tau_tui.commands.printing import print_json
from tau_tui.commands.recording import recorded
from tau_tui.exits import DONE, NO
from tau_tui.widgets.safe_text import one_line


def run_bundle(named: str, *, turn: int | None, out: Path, anonymous: bool, db: Path | None, as_json: bool) -> int:
    """Write one session into a file. Raises WrongUsage, DataError, RecordingFailed and OSError."""
    with recorded(db) as recorder:
        (session_id,) = by_id(recorder, [named])
        events = recorder.events(session_id)
        if anonymous:
            events = Anonymizer(recorder.secret(), recorder.players()).session(events)
    target = out / f"{session_id}.tau" if out.is_dir() else out
    at = write_bundle(target, events, turn)
    if as_json:
        row = {"file": str(target), "session": session_id, "turn": at}
        print_json(row)
        return DONE
    print(one_line(f"wrote {target}, which opens at turn {at}: tau-tui open {target}"), file=sys.stderr)
    return DONE


def run_open(file: Path, *, data: Path | None, as_json: bool) -> int:
    """Say what a bundle holds; exit code 1 when its pack is not here. Raises DataError and OSError."""
    bundle = read_bundle(file)
    missing = bundle.missing([data] if data else [])
    header, state = bundle.header, fold(bundle.events)
    players = {seat: info.name for seat, info in header.players.items()}
    if as_json:
        row = {
            "file": str(file),
            "session": header.id,
            "domain": header.domain,
            "task": header.task_id,
            "players": players,
            "turn": bundle.turn,
            "turns": len(state.turns),
            "reason": state.ended.reason if state.ended else None,
            "reward": state.scored.reward if state.scored else None,
            "pack": bundle.needed.name,
            "missing": missing or None,
        }
        print_json(row)
    else:
        who = ", ".join(f"{seat} {name}" for seat, name in players.items())
        print(one_line(f"session {header.id}: {header.domain}, task {header.task_id}; {who}"))
        print(f"opens at turn {bundle.turn} of {state.turns[-1].index}")
        print(one_line(missing or f"its pack is here ({bundle.needed.name})"))
    return NO if missing else DONE
