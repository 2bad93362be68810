"""Our own export of events, imported: the same sessions, once however often; a broken file leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from domains import DataError
from sessions.event import Event, Note
from sessions.export import jsonl
from sessions.export.files import write
from sessions.export.record import record
from sessions.importing import Import
from sessions.interop.runs import Runs
from sessions.recorder import Recorder
from tau_tui.cli import main
from tests.sessions.export.sessions_made import HOSTILE, session, sessions

ONE, TWO = "01AAAA", "01BBBB"


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    opened = Recorder(tmp_path / "recording" / "sessions.db")
    yield opened
    opened.close()


def exported(file: Path, *played: Sequence[Event]) -> Path:
    """Write the file that `tau-tui export --format jsonl` makes of sessions."""
    write(file, (line for events in played for line in jsonl.lines(record(events))))
    return file


def statuses(recorder: Recorder, file: Path) -> list[str]:
    return [taken.status for taken in Import(file, recorder).run()]


@given(sessions())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_importing_an_export_of_events_gives_the_same_session(events: list[Event]) -> None:
    with TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder) / "s.db")
        file = exported(Path(folder) / "sessions.jsonl", events)
        try:
            assert statuses(recorder, file) == ["new"]
            (row,) = recorder.sessions()
            assert recorder.events(row.id) == events
            again = exported(Path(folder) / "again.jsonl", recorder.events(row.id))
            assert again.read_bytes() == file.read_bytes()
        finally:
            recorder.close()


def test_importing_it_twice_changes_nothing(tmp_path: Path, recorder: Recorder) -> None:
    file = exported(tmp_path / "sessions.jsonl", session(id=ONE, text=HOSTILE), session(id=TWO, ended=False))
    assert statuses(recorder, file) == ["new", "new"]
    before = recorder.rows(recorder.columns())
    assert statuses(recorder, file) == ["known", "known"]
    assert recorder.rows(recorder.columns()) == before


def test_a_session_that_went_on_since_its_export_is_continued_and_one_that_differs_is_left(
    tmp_path: Path, recorder: Recorder
) -> None:
    recorder.add([session(id=ONE), session(Note(text="here", at=200.0), id=TWO)])
    more, other = session(Note(text="later", at=200.0), id=ONE), session(Note(text="there", at=200.0), id=TWO)
    assert statuses(recorder, exported(tmp_path / "sessions.jsonl", more, other)) == ["longer", "other"]
    assert recorder.events(ONE) == more
    assert recorder.events(TWO)[-1] == Note(text="here", at=200.0)


def test_an_export_is_known_by_its_content_whatever_its_name(tmp_path: Path, recorder: Recorder) -> None:
    file = exported(tmp_path / "sent.json", session(id=ONE))
    assert [listed.name for listed in Runs(file)] == [ONE]
    assert statuses(recorder, file) == ["new"]


def test_what_the_export_command_wrote_the_import_command_takes(
    tmp_path: Path, recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.add([session(id=ONE, text=HOSTILE), session(id=TWO)])
    file, db = tmp_path / "sessions.jsonl", tmp_path / "other.db"
    assert main(["export", "--all", "--format", "jsonl", "--out", str(file), "--db", str(recorder.file)]) == 0
    assert main(["import", str(file), "--db", str(db)]) == 0
    assert capsys.readouterr().out == f"{file} · tau-tui · 2 sessions: 2 new\n"
    other = Recorder(db)
    assert [other.events(name) for name in (ONE, TWO)] == [recorder.events(name) for name in (ONE, TWO)]
    other.close()


FIRST = list(jsonl.lines(record(session(id="00FIRST"))))
LINES = list(jsonl.lines(record(session(id=ONE))))


def changed(line: str, **fields: object) -> str:
    return json.dumps(json.loads(line) | fields) + "\n"


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        pytest.param(['{"info": {}}'], r"line 9: expected an event of tau-tui: KeyError\('session'\)", id="other"),
        pytest.param([LINES[0], LINES[1][:-9]], "line 10: expected an event of tau-tui", id="cut off"),
        pytest.param([LINES[0], "[" * 100_000], "line 10: expected an event of tau-tui", id="too deep"),
        pytest.param([LINES[0], "\udcff"], "line 10: expected an event of tau-tui", id="no text"),
        pytest.param([LINES[0], LINES[2]], "session 01AAAA, event 2: event 1 is missing", id="gap"),
        pytest.param([changed(LINES[1], seq=0)], "session 01AAAA, event 0: expected the opening", id="no opening"),
        pytest.param([changed(LINES[0], session=TWO)], "session 01BBBB, event 0: expected the opening", id="id"),
    ],
)
def test_a_file_that_breaks_off_after_a_whole_session_leaves_nothing_behind(
    tmp_path: Path, recorder: Recorder, after: list[str], problem: str
) -> None:
    file = tmp_path / "sessions.jsonl"
    file.write_bytes("".join([*FIRST, *after]).encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=problem):
        statuses(recorder, file)
    assert not recorder.file.exists()


def test_an_empty_file_holds_no_sessions(tmp_path: Path, recorder: Recorder) -> None:
    (tmp_path / "sessions.jsonl").touch()
    with pytest.raises(DataError, match="expected events of tau-tui, one a line; it holds none"):
        statuses(recorder, tmp_path / "sessions.jsonl")
