"""A recording of every schema there ever was opens for ever, and is then like a new one.

For a new schema: play a session into a file with the version before, put it beside the others as `schema-N.db`.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from sessions.event import Note, Opened
from sessions.examination import examine
from sessions.interop.ours import sessions as read_sessions
from sessions.keeping import RecordingFailed
from sessions.recorder import Recorder
from sessions.schema import SCHEMA
from sessions.trajectory import fold

FOLDER = Path(__file__).parent / "recordings"
FILES = {int(re.findall(r"\d+", path.name)[0]): path for path in FOLDER.glob("schema-*.db")}


def schema_of(file: Path) -> set[tuple[str, str]]:
    """Every table and index with its statement, spaces apart."""
    conn = sqlite3.connect(file)
    rows = conn.execute("select name, sql from sqlite_master where sql is not null and name not like '%migrations%'")
    out = {(name, " ".join(sql.split())) for name, sql in rows}
    conn.close()
    return out


def test_there_is_a_file_of_every_schema_before_this_one() -> None:
    assert set(range(1, SCHEMA)) <= FILES.keys()


@pytest.fixture(params=sorted(FILES))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of an older schema."""
    path = tmp_path / "sessions.db"
    shutil.copy(FILES[request.param], path)
    conn = sqlite3.connect(path)
    assert conn.execute("pragma user_version").fetchone() == (request.param,)
    conn.close()
    return path


def test_an_older_file_keeps_every_event_and_becomes_like_a_new_one(old: Path, tmp_path: Path) -> None:
    conn = sqlite3.connect(old)
    rows = conn.execute("select session_id, seq, at, type, data from events order by 1, 2").fetchall()
    conn.close()
    recorder = Recorder(old)
    listed = recorder.sessions()
    assert listed and all(row.status == "ended" for row in listed)
    for row in listed:
        events = recorder.events(row.id)
        assert isinstance(events[0], Opened)
        state = fold(events)
        assert state.scored is not None and state.scored.reward == row.reward
        recorder.write(row.id, len(events), Note(text="still here", at=row.updated + 1))
        assert recorder.events(row.id)[:-1] == events
    recorder.close()
    conn = sqlite3.connect(old)
    kept = conn.execute(
        "select session_id, seq, at, type, data from events where type != 'note' order by 1, 2"
    ).fetchall()
    assert [row for row in rows if row[3] != "note"] == kept
    assert conn.execute("pragma user_version").fetchone() == (SCHEMA,)
    assert conn.execute("pragma integrity_check").fetchone() == ("ok",)
    conn.close()
    fresh = Recorder(tmp_path / "fresh.db")
    fresh.sessions()
    fresh.close()
    assert schema_of(old) == schema_of(tmp_path / "fresh.db")


def test_an_older_file_is_examined_and_read_for_import_without_being_changed(old: Path) -> None:
    before = old.read_bytes()
    found = examine(old, replaying=False)
    assert found.problems == []
    assert [events[0].header.id for events in read_sessions(old) if isinstance(events[0], Opened)]
    assert old.read_bytes() == before


def test_a_file_is_brought_up_in_one_step_or_not_at_all(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = schema_of(old)
    conn = sqlite3.connect(old)
    conn.execute("create table sessions_by_run (spoilt integer)")  # the name of an index that the last migration makes
    conn.commit()
    conn.close()
    with pytest.raises(RecordingFailed):
        Recorder(old).sessions()
    conn = sqlite3.connect(old)
    conn.execute("drop table sessions_by_run")
    conn.close()
    assert schema_of(old) == before
    recorder = Recorder(old)
    assert recorder.sessions()
    recorder.close()
