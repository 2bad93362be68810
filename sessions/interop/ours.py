"""Reads sessions of tau-tui: out of a recording file, of this or an older schema, or out of an export of events.

Only events are read: everything else in a recording is derived from them. The file is not changed.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from domains.errors import DataError
from sessions.event import Event, Opened, decode
from sessions.interop import event_lines
from sessions.recorder import Recorder
from sessions.redaction import redact
from sessions.schema import SCHEMA

MAGIC: Final = b"SQLite format 3\0"

Merged = Literal["new", "known", "longer", "other"]


def is_database(path: Path) -> bool:
    """Tell whether a file is an SQLite database. Raises OSError."""
    if path.is_dir():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def holds_sessions(path: Path) -> bool:
    """Tell whether a file is a recording or an export of events. Raises OSError."""
    return is_database(path) or event_lines.is_event_lines(path)


def sessions(path: Path) -> Iterator[tuple[Event, ...]]:
    """Yield the events of every session, one session at a time. Raises OSError, and DataError for any other file."""
    if not is_database(path):
        yield from event_lines.sessions(path)
        return
    with _opened(path) as conn:
        ids = [row[0] for row in conn.execute("select distinct session_id from events order by session_id")]
        for session_id in ids:
            yield _events(path, conn, session_id)


def _events(path: Path, conn: sqlite3.Connection, session_id: str) -> tuple[Event, ...]:
    events = []
    for expected, (seq, data) in enumerate(
        conn.execute("select seq, data from events where session_id = ? order by seq", (session_id,))
    ):
        where = f"{path}: session {session_id}, event {seq}"
        if seq != expected:
            raise DataError(f"{where}: event {expected} is missing")
        try:
            events.append(decode(json.loads(data)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"{where}: {error}") from None
    if not isinstance(events[0], Opened) or events[0].header.id != session_id:
        raise DataError(f"{path}: session {session_id}, event 0: expected the opening of this session")
    return tuple(events)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    uri = path.resolve().as_uri()
    # A file on a read-only disk can be read as it stands when nothing is waiting in a log beside it.
    still = not path.with_name(path.name + "-wal").exists()
    for mode in ("mode=ro", "mode=ro&immutable=1") if still else ("mode=ro",):
        conn = sqlite3.connect(f"{uri}?{mode}", uri=True)
        try:
            conn.execute("select count(*) from sqlite_master")
            break
        except sqlite3.OperationalError as error:
            conn.close()
            problem = error
        except sqlite3.DatabaseError as error:
            conn.close()
            raise DataError(f"{path}: {error}") from None
    else:
        raise DataError(f"{path}: cannot be read: {problem}")
    try:
        _check(path, conn)
        yield conn
    except sqlite3.DatabaseError as error:
        raise DataError(f"{path}: {error}; tau-tui doctor may save what can be read") from None
    finally:
        conn.close()


def _check(path: Path, conn: sqlite3.Connection) -> None:
    columns = {row[1] for row in conn.execute("pragma table_info(events)")}
    if not {"session_id", "seq", "data"} <= columns:
        raise DataError(f"{path}: expected a recording of tau-tui, a table events with session_id, seq and data")
    (found,) = conn.execute("pragma user_version").fetchone()
    if found > SCHEMA:
        raise DataError(f"{path}: written by a newer tau-tui; update this one")


def merge(recorder: Recorder, events: Sequence[Event]) -> Merged:
    """Put a session beside those that are there: a new one, one that went on elsewhere, or one that is known.

    `other`: there is another session of this id, or it is being played; it is left as it is. Raises RecordingFailed.
    """
    opened = events[0]
    assert isinstance(opened, Opened)
    session_id = opened.header.id
    if recorder.kept(session_id) is None:
        recorder.add([events])
        return "new"
    there, given = recorder.events(session_id), [redact(event) for event in events]
    shared = min(len(there), len(given))
    if there[:shared] != given[:shared]:
        return "other"
    if len(there) >= len(events):
        return "known"
    if recorder.sessions(id=session_id)[0].status == "playing":
        return "other"
    recorder.add([events], replacing=True)
    return "longer"
