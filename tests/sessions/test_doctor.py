"""Real files, really damaged: what is wrong is told, what is left is saved, and the damaged file stays as it is."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from domains import DataError, load_domain
from sessions.event import Event, Note, Opened, Result, Scored
from sessions.examination import Examination, examine
from sessions.pages import Pages
from sessions.players.base import Action, ToolCall
from sessions.recorder import Recorder
from sessions.salvage import Saved, save
from sessions.session import play
from tests.sessions.playing import Lines, session

PAGE = 4096
SESSIONS = 40


@lru_cache
def played() -> tuple[Event, ...]:
    """A session with a write, an answer longer than a page, and a score."""
    domain = load_domain("airline")
    booking = next(iter(domain.bases["agent"].tables["reservations"]))
    acts = (
        Action(calls=(ToolCall("list_all_airports", {}),)),
        Action(text="a", calls=(ToolCall("cancel_reservation", {"reservation_id": booking}),)),
        "done ✓",
    )
    s = session(domain, Lines("héllo"), Lines(*acts))
    asyncio.run(play(s))
    digest = s.env.digest("agent")
    long = Note(text="a long note. " * 1000, at=50.0)
    return (*s.events, long, Scored(reward=0.0, verdict={"agent_digest": digest}, at=51.0))


def named(session_id: str, events: tuple[Event, ...] | None = None) -> list[Event]:
    """The same session under another id."""
    first, *rest = events or played()
    assert isinstance(first, Opened)
    return [replace(first, header=replace(first.header, id=session_id)), *rest]


@lru_cache
def recording() -> bytes:
    """A recording of many sessions, closed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        recorder = Recorder(path)
        recorder.add([named(f"S{number:03}") for number in range(SESSIONS)])
        recorder.note_import("d1", "runs.json", 3, "tau2")
        recorder.secret()
        recorder.close()
        return path.read_bytes()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """That recording, to be damaged."""
    path = tmp_path / "sessions.db"
    path.write_bytes(recording())
    return path


def damage(file: Path, *spots: tuple[int, bytes]) -> None:
    """Write over the bytes of a file."""
    with file.open("r+b") as out:
        for at, content in spots:
            out.seek(at)
            out.write(content)


def pages_of(file: Path, table: str) -> list[int]:
    """The numbers of the pages of a table or index, found by what its rows begin with."""
    conn = sqlite3.connect(file)
    (root,) = conn.execute("select rootpage from sqlite_master where name = ?", (table,)).fetchone()
    conn.close()
    pages = Pages.read(file)
    found: list[int] = []
    todo = [root]
    while todo:
        number = todo.pop()
        page = pages.page(number)
        found.append(number)
        if page[0] in (0x02, 0x05):
            count = int.from_bytes(page[3:5], "big")
            cells = [int.from_bytes(page[12 + 2 * i : 14 + 2 * i], "big") for i in range(count)]
            todo += [int.from_bytes(page[at : at + 4], "big") for at in cells] + [int.from_bytes(page[8:12], "big")]
    return found


def fingerprint(file: Path) -> dict[str, str]:
    """Every file that belongs to a recording, by content."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in file.parent.glob(f"{file.name}*")}


def rescued(file: Path) -> tuple[Saved, dict[str, list[Event]], Examination]:
    """What is saved of a damaged file, which is left exactly as it is."""
    before = fingerprint(file)
    examine(file, replaying=False)
    saved = save(file, file.with_name("saved") / "new.db")
    assert fingerprint(file) == before
    recorder = Recorder(saved.file)
    sessions = {row.id: recorder.events(row.id) for row in recorder.sessions()}
    recorder.close()
    return saved, sessions, examine(saved.file, replaying=False)


def kinds(found: Examination) -> set[str]:
    """What kinds of problems there are."""
    return {problem.kind for problem in found.problems}


# A sound file


def test_a_sound_file_is_proven_session_by_session(file: Path) -> None:
    before = fingerprint(file)
    found = examine(file)
    assert (found.problems, found.notes, found.proven) == ([], [], SESSIONS)
    assert found.counts["events"] == SESSIONS * len(played())
    assert fingerprint(file) == before


def test_a_file_that_is_not_there_is_no_problem(tmp_path: Path) -> None:
    found = examine(tmp_path / "nothing.db")
    assert (found.size, found.problems) == (None, [])
    assert list(tmp_path.iterdir()) == []


def test_the_pages_tell_the_same_rows_as_sql(file: Path) -> None:
    conn = sqlite3.connect(file)
    wanted = set(conn.execute("select session_id, seq, at, type, turn, seat, version, data from events"))
    conn.close()
    assert {row for row in Pages.read(file).rows() if len(row) == 8 and row[3] in ("call", "note")} == {
        row for row in wanted if row[3] in ("call", "note")
    }
    assert {row[:2] for row in Pages.read(file).rows() if len(row) == 8} == {row[:2] for row in wanted}


def test_a_sound_file_is_saved_whole_with_what_no_event_says(file: Path) -> None:
    saved, sessions, again = rescued(file)
    assert sessions == {f"S{number:03}": named(f"S{number:03}") for number in range(SESSIONS)}
    assert (saved.cut, saved.unreadable, saved.rest, again.problems) == ((), 0, None, [])
    old, new = (sqlite3.connect(path) for path in (file, saved.file))
    for query in ("select * from imports", "select value from _secret", "select * from scores"):
        assert old.execute(query).fetchall() == new.execute(query).fetchall() != []
    old.close()
    new.close()


def test_what_waits_in_the_log_counts_and_what_was_not_committed_does_not(file: Path, tmp_path: Path) -> None:
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("insert into events select 'T' || session_id, seq, at, type, turn, seat, version, data from events")
    (counted,) = writer.execute("select count(*) from events").fetchone()
    assert file.with_name("sessions.db-wal").stat().st_size > 0
    assert len({row[:2] for row in Pages.read(file).rows() if len(row) == 8}) == counted
    log = file.with_name("sessions.db-wal").read_bytes()
    torn = tmp_path / "torn"
    torn.mkdir()
    (torn / "sessions.db").write_bytes(file.read_bytes())
    (torn / "sessions.db-wal").write_bytes(log[: len(log) - 100])
    assert len({row[:2] for row in Pages.read(torn / "sessions.db").rows() if len(row) == 8}) == counted // 2
    writer.close()


def test_what_was_deleted_is_not_brought_back(file: Path) -> None:
    conn = sqlite3.connect(file)
    conn.execute("pragma foreign_keys = on")
    conn.execute("delete from sessions where id < 'S030'")
    conn.commit()
    conn.close()
    assert set(rescued(file)[1]) == {f"S{number:03}" for number in range(30, SESSIONS)}


# Damaged files


def test_pages_written_over_cost_the_sessions_in_them_and_no_other(file: Path) -> None:
    numbers = [n for n in pages_of(file, "events") if Pages.read(file).page(n)[0] == 0x0A]
    hurt = numbers[len(numbers) // 2]
    lost = {str(row[0]) for row in Pages.read(file)._rows_of(Pages.read(file).page(hurt), 0)}
    damage(file, ((hurt - 1) * PAGE, b"\xaa" * PAGE))
    found = examine(file)
    assert "file" in kinds(found)
    saved, sessions, again = rescued(file)
    whole = {name for name, events in sessions.items() if events == named(name)}
    assert whole == {f"S{number:03}" for number in range(SESSIONS)} - lost
    assert {cut.session for cut in saved.cut} == lost
    assert again.problems == []


def test_a_root_written_over_costs_no_row_but_those_in_it(file: Path) -> None:
    damage(file, ((pages_of(file, "events")[0] - 1) * PAGE, b"\xff" * PAGE))
    assert "file" in kinds(examine(file)) and "rows" in kinds(examine(file))
    _, sessions, again = rescued(file)
    assert sum(events == named(name) for name, events in sessions.items()) > SESSIONS * 0.7
    assert again.problems == []


def test_a_head_written_over_costs_nothing(file: Path) -> None:
    damage(file, (0, b"\0" * 100))
    found = examine(file)
    assert [problem.text for problem in found.problems] == ["file is not a database"]
    _, sessions, _ = rescued(file)
    assert sessions == {f"S{number:03}": named(f"S{number:03}") for number in range(SESSIONS)}


def test_a_truncated_file_keeps_what_comes_before(file: Path) -> None:
    with file.open("r+b") as out:
        out.truncate(file.stat().st_size * 2 // 3 + 100)
    assert "file" in kinds(examine(file))
    saved, sessions, again = rescued(file)
    assert len(sessions) > SESSIONS // 3
    assert saved.cut and again.problems == []


@pytest.mark.parametrize("seed", range(12))
def test_whatever_bytes_are_flipped_it_is_told_and_what_is_saved_is_sound(file: Path, seed: int) -> None:
    dice = random.Random(seed)
    content = bytearray(file.read_bytes())
    for _ in range(30):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    file.write_bytes(content)
    saved, sessions, again = rescued(file)
    assert {problem.kind for problem in again.problems} <= {"summary"}
    assert saved.sessions == len(sessions)
    for name, events in sessions.items():
        assert [type(event) for event in events] == [type(event) for event in named(name)][: len(events)]


def test_an_empty_file_and_one_that_is_something_else(tmp_path: Path) -> None:
    for content in (b"", b"notes " * 1000):
        path = tmp_path / f"{len(content)}.db"
        path.write_bytes(content)
        assert kinds(examine(path)) == {"file"}
        assert save(path, tmp_path / f"{len(content)}-new.db").sessions == 0


# Sound files whose content is not


def changed(file: Path, *statements: str) -> Examination:
    """What is found after a change by SQL."""
    conn = sqlite3.connect(file)
    for statement in statements:
        conn.execute(statement)
    conn.commit()
    conn.close()
    return examine(file, replaying=False)


def test_a_gap_is_told_and_what_follows_it_is_kept_apart(file: Path) -> None:
    found = changed(file, "delete from events where session_id = 'S007' and seq = 4")
    assert [(p.kind, p.session, p.text) for p in found.problems] == [
        ("gap", "S007", "event 4 is missing, event 5 is there")
    ]
    saved, sessions, _ = rescued(file)
    (cut,) = saved.cut
    assert (cut.session, cut.kept, cut.rest, cut.why) == ("S007", 4, len(played()) - 5, "event 4 is missing")
    assert sessions["S007"] == named("S007")[:4]
    assert saved.rest is not None
    rest = [json.loads(line) for line in saved.rest.read_text("utf-8").splitlines()]
    assert [row["seq"] for row in rest] == list(range(5, len(played())))


def test_a_lost_beginning_is_made_again_from_the_list(file: Path) -> None:
    found = changed(file, "delete from events where session_id = 'S007' and seq = 0")
    assert [p.text for p in found.problems] == ["event 0 is missing, event 1 is there"]
    assert rescued(file)[1]["S007"] == named("S007")


@pytest.mark.parametrize("data", ["{", '{"event": "dance"}', '{"event": "message", "v": 99}', "[]", '{"event":"call"}'])
def test_an_event_nobody_understands_is_told(file: Path, data: str) -> None:
    found = changed(file, f"update events set data = '{data}' where session_id = 'S007' and seq = 3")
    assert [(p.kind, p.session) for p in found.problems] == [("event", "S007")]
    assert found.problems[0].text.startswith("event 3 cannot be understood: ")
    assert rescued(file)[0].cut[0].kept == 3


def test_rows_without_a_session_and_a_session_without_rows_are_told(file: Path) -> None:
    found = changed(file, "delete from sessions where id = 'S001'", "delete from events where session_id = 'S002'")
    texts = {problem.text for problem in found.problems}
    assert f"{len(played())} rows of events belong to no session" in texts
    assert "it has no events" in texts
    assert "it stands in no list: its row is missing" in texts
    _, sessions, again = rescued(file)
    assert sessions["S001"] == named("S001")
    assert again.problems == []


def test_a_list_that_says_something_else_than_the_events_is_told(file: Path) -> None:
    found = changed(file, "update sessions set reward = 1.0 where id = 'S001'")
    assert [problem.text for problem in found.problems] == [
        "the list says user_stop with reward 1.0, its events say user_stop with reward 0.0"
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda e: replace(e, content=e.content + "!") if isinstance(e, Result) else e,
            "answers otherwise than it was recorded",
        ),
        (
            lambda e: replace(e, changes=e.changes[:1]) if isinstance(e, Result) else e,
            "cannot be brought into the recorded state",
        ),
        (
            lambda e: replace(e, verdict={"agent_digest": "0" * 64}) if isinstance(e, Scored) else e,
            "the agent database that was scored is not the one its calls lead to",
        ),
    ],
)
def test_a_session_that_does_not_come_to_what_it_says_is_told(
    tmp_path: Path, change: Callable[[Event], Event], said: str
) -> None:
    recorder = Recorder(tmp_path / "s.db")
    recorder.add([named("GOOD"), [change(event) for event in named("BAD")]])
    recorder.close()
    found = examine(tmp_path / "s.db")
    assert [(p.kind, p.session) for p in found.problems] == [("replay", "BAD")]
    assert said in found.problems[0].text
    assert found.proven == 1
    assert examine(tmp_path / "s.db", replaying=False).problems == []


def test_a_session_whose_pack_is_not_here_is_no_fault_of_the_file(tmp_path: Path) -> None:
    first, *rest = named("S")
    assert isinstance(first, Opened)
    header = replace(first.header, digests=dict(first.header.digests) | {"agent": "0" * 64}, pack="/nowhere")
    recorder = Recorder(tmp_path / "s.db")
    recorder.add([[replace(first, header=header), *rest]])
    recorder.close()
    found = examine(tmp_path / "s.db")
    assert (found.problems, found.proven) == ([], 0)
    assert "1 sessions cannot be played again: airline: played on another database" in found.notes[0]


def test_nothing_that_is_there_is_written_over(file: Path) -> None:
    with pytest.raises(DataError, match="is there already; name a new file"):
        save(file, file)
