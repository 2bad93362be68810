"""Saves what can be read of a damaged recording into a new file; the damaged one is never opened for writing.

Events are all that counts: everything else in a recording is made of them again.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from domains.errors import DataError
from sessions.event import TYPES, Event, Opened, decode
from sessions.pages import Pages, Row
from sessions.recorder import Recorder

STARTED, UPDATED, HEADER = 20, 21, 31
"""Where they stand in a row of the table of sessions, in every schema."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A session that was saved up to an event, or not at all (`kept` 0); `why` says what came then."""

    session: str
    kept: int
    rest: int
    why: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What is in the new file. `rest` holds the events that follow a gap, where there are any."""

    file: Path
    sessions: int
    events: int
    cut: tuple[Cut, ...]
    unreadable: int
    """Rows whose bytes make no sense any more."""
    rest: Path | None


def save(damaged: Path, new: Path) -> Saved:
    """Write every session of a file, as far as it can be read, into a new one. Raises DataError and OSError."""
    rest = new.with_name(new.name + ".rest.jsonl")
    for path in (new, rest):
        if path.exists():
            raise DataError(f"{path}: is there already; name a new file")
    new.parent.mkdir(parents=True, exist_ok=True)
    pages = Pages.read(damaged)
    cuts: list[Cut] = []
    counts = [0, 0]

    def whole_sessions() -> Iterator[list[Event]]:
        for (session_id,) in found.execute("select id from event union select id from header order by id").fetchall():
            whole, cut = _session(found, session_id)
            if cut is not None:
                cuts.append(cut)
                _write_rest(rest, found, session_id, cut.kept)
            if whole:
                counts[0] += 1
                counts[1] += len(whole)
                yield whole

    with tempfile.TemporaryDirectory(dir=new.parent) as folder, _scratch(Path(folder)) as found:
        _collect(pages, found)
        recorder = Recorder(new)
        try:
            recorder.add(whole_sessions())
        finally:
            recorder.close()
    _keep_beside(damaged, new)
    return Saved(new, counts[0], counts[1], tuple(cuts), pages.lost, rest if rest.exists() else None)


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[sqlite3.Connection]:
    """A database for what is found in no order, which may be more than fits into memory."""
    conn = sqlite3.connect(folder / "found.db")
    try:
        yield conn
    finally:
        conn.close()


def _collect(pages: Pages, found: sqlite3.Connection) -> None:
    found.execute("pragma synchronous = off")
    found.execute("create table event (id text, seq int, data text, primary key (id, seq)) without rowid")
    found.execute("create table header (id text primary key, started real, updated real, data text)")
    for row in pages.rows():
        if (event := _as_event(row)) is not None:
            found.execute("insert or ignore into event values (?, ?, ?)", event)
        elif _is_session(row):
            values = (row[0], row[STARTED], row[UPDATED], row[HEADER])
            found.execute("insert or ignore into header values (?, ?, ?, ?)", values)
    found.commit()


def _as_event(row: Row) -> tuple[str, int, str] | None:
    if len(row) < 8:
        return None
    session_id, seq, at, kind, *_ = row
    data = row[7]
    if not (isinstance(session_id, str) and isinstance(seq, int) and isinstance(at, int | float)):
        return None
    return (session_id, seq, data) if kind in TYPES and isinstance(data, str) else None


def _is_session(row: Row) -> bool:
    return (
        len(row) > HEADER
        and isinstance(row[0], str)
        and isinstance(row[STARTED], int | float)
        and isinstance(row[HEADER], str)
    )


def _session(found: sqlite3.Connection, session_id: str) -> tuple[list[Event], Cut | None]:
    """Return the events of a session up to the first that is missing, and what was cut off."""
    rows = found.execute("select seq, data from event where id = ? order by seq", (session_id,)).fetchall()
    if not rows:
        return [], Cut(session_id, 0, 0, "none of its events can be read")
    events: list[Event] = []
    why = ""
    if rows[0][0] != 0 and (opened := _opened(found, session_id)) is not None:
        rows.insert(0, (0, json.dumps(opened)))
    for seq, data in rows:
        try:
            if seq != len(events):
                why = f"event {len(events)} is missing"
                break
            event = decode(json.loads(data))
            if not events and not (isinstance(event, Opened) and event.header.id == session_id):
                why = "it does not begin with its header"
                break
            events.append(event)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            why = f"event {seq} cannot be understood: {error}"
            break
    last = found.execute("select updated from header where id = ?", (session_id,)).fetchone()
    if not why and last is not None and isinstance(last[0], float) and events[-1].at < last[0]:
        why = "what came after is missing"
    return events, Cut(session_id, len(events), len(rows) - len(events), why) if why else None


def _opened(found: sqlite3.Connection, session_id: str) -> dict[str, object] | None:
    """Return the first event as the row of the session tells it."""
    row = found.execute("select started, data from header where id = ?", (session_id,)).fetchone()
    if row is None:
        return None
    try:
        return {"event": "opened", "v": 1, "at": row[0], "header": json.loads(row[1])}
    except ValueError:
        return None


def _write_rest(file: Path, found: sqlite3.Connection, session_id: str, kept: int) -> None:
    with file.open("a", encoding="utf-8") as out:
        for seq, data in found.execute("select seq, data from event where id = ? and seq >= ?", (session_id, kept)):
            out.write(json.dumps({"session": session_id, "seq": seq, "data": data}, ensure_ascii=False) + "\n")


def _keep_beside(damaged: Path, new: Path) -> None:
    """Copy what no event says, where SQL can still read it: which files were imported, and the pseudonyms' secret."""
    conn = sqlite3.connect(new)
    try:
        imports = [row for row in _readable(damaged, "imports") if len(row) == 5]
        conn.executemany("insert or ignore into imports values (?, ?, ?, ?, ?)", imports)
        if secret := [row for row in _readable(damaged, "_secret") if len(row) == 1]:
            conn.execute("create table _secret (value blob not null)")
            conn.execute("insert into _secret values (?)", secret[0])
        conn.commit()
    finally:
        conn.close()


def _readable(file: Path, table: str) -> list[Row]:
    still = not file.with_name(file.name + "-wal").exists()
    conn = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro{'&immutable=1' if still else ''}", uri=True)
    try:
        return conn.execute(f"select * from {table}").fetchall()
    except sqlite3.DatabaseError:
        return []  # a part of the damage, of which the examination tells
    finally:
        conn.close()
