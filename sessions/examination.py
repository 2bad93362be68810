"""What is wrong with a recording: the file, its rows, and sessions that do not come to what they say."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from domains.errors import DataError
from domains.task import Task
from domains.values import JSON
from sessions.event import Event, Opened, decode
from sessions.export.record import pack_of
from sessions.resuming import rebuild
from sessions.schema import SCHEMA
from sessions.trajectory import State, fold

Kind: TypeAlias = Literal["file", "rows", "event", "gap", "summary", "replay"]
TABLES: Final = ("sessions", "events", "scores", "marks", "players", "imports")
MOST_LINES: Final = 100
"""Lines of `pragma integrity_check`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in a line; `session` is empty for the file as a whole."""

    kind: Kind
    text: str
    session: str = ""


@dataclass
class Examination:
    """What was found. `notes` are no faults: what could not be proven, and why."""

    file: Path
    size: int | None = None
    """Bytes; None when there is no such file."""
    schema: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    proven: int = 0
    """Sessions whose calls, made again, gave every recorded answer and state."""
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def examine(
    file: Path,
    packs: Sequence[Path] = (),
    *,
    replaying: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Examination:
    """Examine a recording without changing it. Without `replaying` no session is played again. Raises OSError."""
    found = Examination(file)
    if not file.exists():
        return found
    found.size = file.stat().st_size
    with _opened(file) as conn:
        if not _file(found, conn):
            return found
        ids = _ids(found, conn)
        unproven: Counter[str] = Counter()
        for number, session_id in enumerate(ids, 1):
            _session(found, conn, session_id, packs if replaying else None, unproven)
            progress(number, len(ids))
        found.notes += [f"{count} sessions cannot be played again: {why}" for why, count in unproven.items()]
    return found


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    # Nothing waits in a log: the file as it lies there is all, and nothing is put beside it.
    still = not file.with_name(file.name + "-wal").exists()
    conn = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro{'&immutable=1' if still else ''}", uri=True)
    conn.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield conn
    finally:
        conn.close()


# The file


def _file(found: Examination, conn: sqlite3.Connection) -> bool:
    """Look at the file as SQLite does; False when no row of it can be asked for."""
    try:
        (found.schema,) = conn.execute("pragma user_version").fetchone()
        tables = {row[0] for row in conn.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        found.problems.append(Problem("file", str(error)))
        return False
    assert found.schema is not None
    if found.schema > SCHEMA:
        found.problems.append(Problem("file", f"schema {found.schema} is of a newer tau-tui; this one knows {SCHEMA}"))
        return False
    if not {"sessions", "events"} <= tables:
        found.problems.append(Problem("file", "a database, but no recording of tau-tui: it has no sessions and events"))
        return False
    if found.schema < SCHEMA:
        found.notes.append(f"schema {found.schema}: it becomes {SCHEMA} when the file is next played into")
    try:
        lines = [row[0] for row in conn.execute(f"pragma integrity_check({MOST_LINES})")]
    except sqlite3.DatabaseError as error:
        lines = [str(error)]
    found.problems += [Problem("file", line) for text in lines if text != "ok" for line in text.splitlines()]
    orphans: Counter[str] = Counter()
    for table in TABLES:
        with _told(found, f"table {table}"):
            found.counts[table] = conn.execute(f"select count(*) from {table}").fetchone()[0]
            orphans.update(row[0] for row in conn.execute(f"pragma foreign_key_check({table})"))
    found.problems += [
        Problem("rows", f"{count} rows of {table} belong to no session") for table, count in orphans.items()
    ]
    return True


@contextlib.contextmanager
def _told(found: Examination, what: str, session: str = "") -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        found.problems.append(Problem("rows", f"{what}: {error}", session))


def _ids(found: Examination, conn: sqlite3.Connection) -> list[str]:
    ids: dict[str, None] = {}
    for query in ("select id from sessions order by started", "select distinct session_id from events"):
        with _told(found, "the list of sessions"):
            for (session_id,) in conn.execute(query):
                ids[session_id] = None
    return list(ids)


# A session


def _session(
    found: Examination,
    conn: sqlite3.Connection,
    session_id: str,
    packs: Sequence[Path] | None,
    unproven: Counter[str],
) -> None:
    events = _events(found, conn, session_id)
    if events is None:
        return
    try:
        state = fold(events)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        found.problems.append(Problem("event", f"its events make no session: {error!r}", session_id))
        return
    with _told(found, "its row", session_id):
        row = conn.execute("select reason, reward from sessions where id = ?", (session_id,)).fetchone()
        _compare(found, session_id, state, row)
    if packs is None:
        return
    try:
        _prove(found, session_id, state, packs)
    except _Unproven as why:
        unproven[str(why)] += 1


def _events(found: Examination, conn: sqlite3.Connection, session_id: str) -> list[Event] | None:
    """Return the events of a session, None when they are not whole, which is told."""

    def wrong(kind: Kind, text: str) -> None:
        found.problems.append(Problem(kind, text, session_id))

    events: list[Event] = []
    try:
        for seq, data in conn.execute("select seq, data from events where session_id = ? order by seq", (session_id,)):
            if seq != len(events):
                wrong("gap", f"event {len(events)} is missing, event {seq} is there")
                return None
            events.append(decode(json.loads(data)))
    except sqlite3.DatabaseError as error:
        wrong("rows", f"event {len(events)} cannot be read: {error}")
        return None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        wrong("event", f"event {len(events)} cannot be understood: {error}")
        return None
    if not events:
        wrong("gap", "it has no events")
        return None
    if not isinstance(events[0], Opened) or events[0].header.id != session_id:
        wrong("event", "its first event is not its header")
        return None
    return events


def _compare(found: Examination, session_id: str, state: State, row: tuple[JSON, ...] | None) -> None:
    said = (state.ended.reason if state.ended else None, state.scored.reward if state.scored else None)
    if row is None:
        found.problems.append(Problem("summary", "it stands in no list: its row is missing", session_id))
    elif row != said:
        text = "the list says {} with reward {}, its events say {} with reward {}".format(*row, *said)
        found.problems.append(Problem("summary", text, session_id))


class _Unproven(Exception):
    """Why a session could not be played again, which is no fault of the recording."""


def _prove(found: Examination, session_id: str, state: State, packs: Sequence[Path]) -> None:
    header = state.header
    assert header is not None
    try:
        domain = pack_of(header, packs)
        env = domain.environment(Task.model_validate(header.task), solo=header.solo)
    except (DataError, ValueError) as error:
        raise _Unproven(str(error)) from None
    try:
        rebuild(env, state)
    except DataError as error:
        found.problems.append(Problem("replay", str(error), session_id))
        return
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        found.problems.append(Problem("replay", f"a recorded change fits nothing: {error!r}", session_id))
        return
    if state.scored is not None:
        for seat in env.databases:
            said = state.scored.verdict.get(f"{seat}_digest")
            if said is not None and said != env.digest(seat):
                text = f"the {seat} database that was scored is not the one its calls lead to"
                found.problems.append(Problem("replay", text, session_id))
                return
    found.proven += 1
