"""Kept before it is shown, readable with any SQLite tool, listed also when it was cut off."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Event, Scored
from sessions.keeping import RecordingFailed
from sessions.measure.passk import NEEDED, groups
from sessions.players.base import Action, Ruling, ToolCall
from sessions.recorder import Recorder
from sessions.schema import SCHEMA
from sessions.session import play
from tests.sessions.playing import Lines, session


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "sessions.db"


async def recorded(file: Path) -> list[Event]:
    """A short session, recorded."""
    recorder = Recorder(file)
    domain = load_domain("airline")
    booking = next(iter(domain.bases["agent"].tables["reservations"]))
    cancel = Action(text="a", calls=(ToolCall("cancel_reservation", {"reservation_id": booking}),))
    s = session(domain, Lines("héllo [/b] \x1b[2J 你好"), Lines(cancel, "done"), keeper=recorder)
    await play(s)
    await s.emit(Scored(reward=0.0, verdict={"db_match": False}))
    recorder.close()
    return s.events


async def test_events_are_read_back_as_they_were(file: Path) -> None:
    events = await recorded(file)
    recorder = Recorder(file)
    assert recorder.events("S") == events
    header = recorder.header("S")
    assert header is not None
    assert header.digests.keys() == {"agent", "policy", "task"}
    assert recorder.header("nobody") is None
    recorder.close()


async def test_a_session_is_one_row_that_says_how_it_ended(file: Path) -> None:
    await recorded(file)
    recorder = Recorder(file)
    (row,) = recorder.sessions(domain="airline")
    recorder.close()
    assert (row.status, row.reason, row.reward, row.turns, row.agent) == ("ended", "user_stop", 0.0, 5, "script")
    assert row.to_json()["exposures"] == []


async def test_a_supervised_session_is_set_apart_once_by_its_header_and_its_decisions(file: Path) -> None:
    class Boss:
        async def review(self, seat: Seat, call: ToolCall) -> Ruling:
            return Ruling("refused", by="ann")

    recorder = Recorder(file)
    write = Action(calls=(ToolCall("cancel_reservation", {"reservation_id": "X"}),))
    live = session(load_domain("airline"), Lines("hi"), Lines(write, write, "no"), keeper=recorder, supervised=True)
    live.supervisor = Boss()
    await play(live)
    await live.emit(Scored(reward=1.0, verdict={}))
    assert recorder.sessions()[0].exposures == ("supervised",)
    [row] = recorder.select(f"select {', '.join(NEEDED)} from sessions", ())
    [group] = groups([dict(zip(NEEDED, row, strict=True))], [], include=["offline-partner"])
    assert (group.used, group.excluded) == (0, {"supervised": 1})
    recorder.close()


async def test_a_session_supervised_in_vain_is_set_apart_too(file: Path) -> None:
    recorder = Recorder(file)
    await play(session(load_domain("airline"), Lines("hi"), Lines("no"), keeper=recorder, supervised=True))
    assert recorder.sessions()[0].exposures == ("supervised",)
    recorder.close()


async def test_the_file_is_plain_sqlite_with_wal_and_foreign_keys(file: Path) -> None:
    events = await recorded(file)
    conn = sqlite3.connect(file)
    assert conn.execute("pragma journal_mode").fetchone() == ("wal",)
    assert conn.execute("pragma foreign_key_check").fetchall() == []
    assert conn.execute("select count(*) from events").fetchone() == (len(events),)
    assert conn.execute("select reward from scores").fetchone() == (0.0,)
    assert conn.execute("select json_extract(data, '$.text') from events where type = 'message'").fetchall()[1] == (
        "héllo [/b] \x1b[2J 你好",
    )
    conn.close()


def test_every_write_is_synced_to_the_disk(file: Path) -> None:
    recorder = Recorder(file)
    recorder.sessions()
    assert recorder._open().conn.execute("pragma synchronous").fetchone() == (2,)
    recorder.close()


async def test_an_event_kept_twice_is_kept_once(file: Path) -> None:
    events = await recorded(file)
    recorder = Recorder(file)
    for seq, event in enumerate(events):
        recorder.write("S", seq, event)
    assert recorder.events("S") == events
    recorder.close()


def test_a_file_of_a_newer_program_is_left_alone(file: Path) -> None:
    recorder = Recorder(file)
    recorder.sessions()
    recorder.close()
    conn = sqlite3.connect(file)
    conn.execute(f"pragma user_version = {SCHEMA + 1}")
    conn.close()
    with pytest.raises(RecordingFailed, match="newer tau-tui"):
        Recorder(file).sessions()


def test_a_file_that_is_no_database_and_a_folder_that_is_none_are_one_line_each(tmp_path: Path) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("not a database, however long it may be " * 100)
    with pytest.raises(RecordingFailed, match=r"notes\.txt: file is not a database; name another file with --db"):
        Recorder(bad).sessions()
    with pytest.raises(RecordingFailed, match="--db"):
        Recorder(bad / "sessions.db").sessions()
    assert bad.read_text().startswith("not a database")


def test_a_damaged_file_leads_to_what_saves_it(file: Path) -> None:
    asyncio.run(recorded(file))
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RecordingFailed, match=r"malformed; `tau-tui doctor --db .*` tells what can be saved"):
        Recorder(file).sessions()


async def test_a_locked_file_says_what_to_do(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await recorded(file)
    monkeypatch.setattr("sessions.recorder.LOCK_WAIT", 0.01)
    holder = sqlite3.connect(file)
    holder.execute("begin immediate")
    recorder = Recorder(file)
    with pytest.raises(RecordingFailed, match="locked; another program holds it"):
        recorder.write("S", 99, Scored(reward=1.0, verdict={}))
    holder.close()
    recorder.write("S", 99, Scored(reward=1.0, verdict={}))
    recorder.close()


PLAYING = """
import asyncio, sys
from pathlib import Path
from domains import load_domain
from sessions.recorder import Recorder
from tests.sessions.playing import Lines, session

async def main():
    s = session(load_domain("airline"), Lines(*map(str, range(500))), Lines(*map(str, range(500))),
                keeper=Recorder(Path(sys.argv[1])))
    async for event in s.run():
        print(len(s.events), flush=True)

asyncio.run(main())
"""


def test_kill_nine_loses_no_event_that_was_shown_and_the_session_is_listed_as_interrupted(file: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", PLAYING, str(file)],
        stdout=subprocess.PIPE,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:
        assert process.stdout is not None
        shown = 0
        for line in process.stdout:
            shown = int(line)
            if shown == 20:
                recorder = Recorder(file)
                assert recorder.sessions()[0].status == "playing"
                recorder.close()
                process.send_signal(signal.SIGKILL)
                break
        shown = max([shown, *map(int, process.stdout.read().split())])
    recorder = Recorder(file)
    assert len(recorder.events("S")) >= shown
    assert recorder.sessions()[0].status == "interrupted"
    recorder.close()
