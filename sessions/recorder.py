"""Every event in one SQLite file: append, list, read back."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.values import JSON
from sessions import tables
from sessions.event import Event, Header, Opened, decode
from sessions.keeping import RecordingFailed
from sessions.redaction import redact
from sessions.schema import SCHEMA, migrations
from sessions.summary import COLUMNS, Summary, summary

if TYPE_CHECKING:
    from sqlite_utils import Database

LOCK_WAIT = 5.0
"""Seconds to wait for another process that is writing."""


def default_file() -> Path:
    """Return where recordings live: `sessions.db` in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("tau-tui", appauthor=False) / "sessions.db"


@dataclass(frozen=True, slots=True)
class Kept:
    """A session that is there. `untouched`: it was imported, and nothing has happened to it since it ended."""

    reward: float | None
    untouched: bool


class Recorder:
    """One open file. Used from any thread; `append` runs in a thread of its own, off the screen's."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._db: Database | None = None
        self._thread: ThreadPoolExecutor | None = None

    # Opening

    def _open(self) -> Database:
        if self._db is None:
            from sqlite_utils import Database

            self.file.parent.mkdir(parents=True, exist_ok=True)
            conn = sqlite3.connect(self.file, timeout=LOCK_WAIT, check_same_thread=False)
            try:
                conn.execute("pragma journal_mode = wal")
                conn.execute("pragma synchronous = full")
                conn.execute("pragma foreign_keys = on")
                db = Database(conn)
                (found,) = conn.execute("pragma user_version").fetchone()
                if found > SCHEMA:
                    raise RecordingFailed(
                        f"{self.file}: written by a newer tau-tui; update this one, or name another --db"
                    )
                if found < SCHEMA:
                    with _transaction(conn):  # all steps or none, and one program at a time
                        migrations().apply(db)
                        conn.execute(f"pragma user_version = {SCHEMA}")
            except BaseException:
                conn.close()
                raise
            self._db = db
        return self._db

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        """Hold the file; turn what can go wrong with it into one line."""
        try:
            with self._lock:
                yield self._open().conn
        except sqlite3.OperationalError as error:
            raise RecordingFailed(f"{self.file}: {error}; {_advice(error)}") from error
        except sqlite3.DatabaseError as error:
            damaged = f"`tau-tui doctor --db {self.file}` tells what can be saved" if "malformed" in str(error) else ""
            raise RecordingFailed(f"{self.file}: {error}; {damaged or 'name another file with --db'}") from error
        except OSError as error:
            raise RecordingFailed(f"{self.file}: {error.strerror}; name another file with --db") from error

    def close(self) -> None:
        """Finish what is being written and let go of the file."""
        if self._thread is not None:
            self._thread.shutdown(wait=True)
            self._thread = None
        with self._lock:
            if self._db is not None:
                self._db.conn.close()
                self._db = None

    # Writing

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event; when this returns it is on the disk. Raises RecordingFailed."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recorder")
        write = asyncio.get_running_loop().run_in_executor(self._thread, self.write, session_id, seq, event)
        # Shielded: a cancelled caller must not leave it open whether the event was kept.
        try:
            await asyncio.shield(write)
        except asyncio.CancelledError:
            await asyncio.wait({write})
            raise

    def write(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event and what the tables beside say of it, in one transaction. Raises RecordingFailed."""
        self.write_all([(session_id, seq, event)])

    def write_all(self, events: Iterable[tuple[str, int, Event]]) -> None:
        """Keep events, each with its session and its place there, in one transaction. Raises RecordingFailed."""
        redacted = [(session_id, seq, redact(event)) for session_id, seq, event in events]
        with self._at_work() as conn, _transaction(conn):
            for session_id, seq, event in redacted:
                tables.update(conn, session_id, tables.insert(conn, self.file, session_id, seq, event))

    def add(self, sessions: Iterable[Sequence[Event]], *, replacing: bool = False) -> int:
        """Keep whole sessions in one transaction and return how many; one that is there already is not touched.

        `replacing` puts them in the place of those that are there. Raises RecordingFailed, and then none is kept.
        """
        added = 0
        with self._at_work() as conn, _transaction(conn):
            for events in sessions:
                opened = events[0]
                assert isinstance(opened, Opened)
                session_id = opened.header.id
                if replacing:
                    conn.execute("delete from sessions where id = ?", (session_id,))
                if conn.execute("select 1 from sessions where id = ?", (session_id,)).fetchone():
                    continue
                changes: dict[str, Any] = {"process": None}
                for seq, event in enumerate(events):
                    changes |= tables.insert(conn, self.file, session_id, seq, redact(event))
                tables.update(conn, session_id, changes)
                added += 1
        return added

    def note_import(self, digest: str, file: str, sessions: int, file_format: str) -> None:
        """Keep that a file was taken in, now; once more changes nothing but the time. Raises RecordingFailed."""
        with self._at_work() as conn, _transaction(conn):
            conn.execute(
                "insert or replace into imports values (?, ?, ?, ?, ?)",
                (digest, file, time.time(), sessions, file_format),
            )

    def delete(self, session_ids: Sequence[str]) -> int:
        """Delete sessions with all that is kept of them and return how many; branches of them stay whole.

        A name nobody plays under any more goes too. Raises RecordingFailed.
        """
        with self._at_work() as conn, _transaction(conn):
            gone = sum(
                conn.execute("delete from sessions where id = ?", (session_id,)).rowcount for session_id in session_ids
            )
            conn.execute(
                "delete from players where name not in (select user_name from sessions where user_kind = 'human'"
                " union select agent_name from sessions where agent_kind = 'human')"
            )
        return gone

    def vacuum(self) -> None:
        """Write the file anew without what was deleted, so that no byte of it is left. Raises RecordingFailed."""
        with self._at_work() as conn:
            conn.execute("vacuum")
            conn.execute("pragma wal_checkpoint(truncate)")

    # Reading

    def select(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query of the tables in docs/recording.md. Raises RecordingFailed."""
        with self._at_work() as conn:
            return conn.execute(query, values).fetchall()

    def kept(self, session_id: str) -> Kept | None:
        """Return what an import needs to know of a session, None when it is not there. Raises RecordingFailed."""
        with self._at_work() as conn:
            row = conn.execute(
                "select reward, origin is not null and updated <= ended from sessions where id = ?", (session_id,)
            ).fetchone()
        return row and Kept(row[0], bool(row[1]))

    def sessions(self, **equal: str) -> list[Summary]:
        """Return the sessions whose columns equal the given values, newest first. Raises RecordingFailed."""
        where = " and ".join(f"{name} = ?" for name in equal) or "1"
        with self._at_work() as conn:
            rows = conn.execute(
                f"select {COLUMNS} from sessions where {where} order by started desc, id desc",
                tuple(equal.values()),
            ).fetchall()
        return [summary(row) for row in rows]

    def rows(self, columns: Sequence[str]) -> list[dict[str, JSON]]:
        """Return these columns of every session, oldest first. Raises RecordingFailed."""
        with self._at_work() as conn:
            found = conn.execute(f"select {', '.join(columns)} from sessions order by started, id").fetchall()
        return [dict(zip(columns, row, strict=True)) for row in found]

    def columns(self) -> list[str]:
        """Return the names of the columns of the table of sessions. Raises RecordingFailed."""
        with self._at_work() as conn:
            return [row[1] for row in conn.execute("pragma table_info(sessions)")]

    def players(self) -> list[str]:
        """Return the pseudonyms of everybody who ever played into this file. Raises RecordingFailed."""
        with self._at_work() as conn:
            return [name for (name,) in conn.execute("select name from players")]

    def secret(self) -> bytes:
        """Return what `--anonymous` derives pseudonyms from, made the first time. Raises RecordingFailed."""
        with self._at_work() as conn, _transaction(conn):
            conn.execute("create table if not exists _secret (value blob not null)")
            row = conn.execute("select value from _secret").fetchone()
            if row is None:
                row = (os.urandom(32),)
                conn.execute("insert into _secret values (?)", row)
        return bytes(row[0])

    def events(self, session_id: str) -> list[Event]:
        """Return the events of a session in order. Raises RecordingFailed, also for one that cannot be read."""
        return self._read(session_id)

    def _read(self, session_id: str, *, first_only: bool = False) -> list[Event]:
        only = " and seq = 0" if first_only else ""
        with self._at_work() as conn:
            rows = conn.execute(
                f"select seq, data from events where session_id = ?{only} order by seq", (session_id,)
            ).fetchall()
        events = []
        for seq, data in rows:
            try:
                events.append(decode(json.loads(data)))
            except ValueError as error:
                raise RecordingFailed(f"{self.file}: session {session_id}, event {seq}: {error}") from None
        return events

    def header(self, session_id: str) -> Header | None:
        """Return the header of a session, None when there is none of this id."""
        events = self._read(session_id, first_only=True)
        return events[0].header if events and isinstance(events[0], Opened) else None

    def best_by_task(self, domain: str, pack: str) -> Mapping[str, tuple[int, int]]:
        """Return task id → (sessions a person finished, of which with reward 1)."""
        with self._at_work() as conn:
            rows = conn.execute(
                "select task_id, count(*), sum(reward >= 1 - 1e-6) from sessions indexed by sessions_listed"
                " where domain = ? and pack = ? and 'human' in (user_kind, agent_kind)"
                " and reason in ('user_stop', 'agent_stop') group by task_id",
                (domain, pack),
            ).fetchall()
        return {task_id: (played, solved or 0) for task_id, played, solved in rows}


@contextlib.contextmanager
def _transaction(conn: sqlite3.Connection) -> Iterator[None]:
    conn.execute("begin immediate")
    try:
        yield
        conn.execute("commit")
    except BaseException:
        if conn.in_transaction:
            conn.execute("rollback")
        raise


def _advice(error: sqlite3.OperationalError) -> str:
    text = str(error)
    if "locked" in text or "busy" in text:
        return "another program holds it; close that one, then try again"
    if "full" in text or "disk" in text:
        return "free some space, then try again"
    return "check that the folder can be written, or name another file with --db"
