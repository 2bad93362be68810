"""One file opens a session at a turn elsewhere; it carries no database, and says which pack it needs."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from domains import DataError
from sessions.bundle import is_bundle, read_bundle, write_bundle
from sessions.event import Event, Message, Opened
from sessions.interop.ours import merge
from sessions.recorder import Recorder
from tests.sessions.test_doctor import played


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "session.tau"


def moved(pack: str, **digests: str) -> list[Event]:
    """The session as if it had been played on another pack."""
    first, *rest = played()
    assert isinstance(first, Opened)
    header = replace(first.header, pack=pack, digests=dict(first.header.digests) | digests)
    return [replace(first, header=header), *rest]


def test_what_was_written_is_read_back_with_its_turn(file: Path) -> None:
    assert write_bundle(file, played(), 3) == 3
    bundle = read_bundle(file)
    assert (bundle.events, bundle.turn, bundle.needed.name) == (played(), 3, "bundled")
    assert bundle.missing() == ""
    assert is_bundle(file) and [path.name for path in file.parent.iterdir()] == ["session.tau"]


def test_without_a_turn_it_opens_at_the_last_one_and_there_must_be_such_a_turn(file: Path) -> None:
    last = max(event.turn for event in played() if isinstance(event, Message))
    assert write_bundle(file, played()) == last
    with pytest.raises(DataError, match=rf"has no turn 99; there are 0 to {last}"):
        write_bundle(file, played(), 99)


def test_neither_the_database_nor_where_it_lay_is_in_the_file(file: Path) -> None:
    write_bundle(file, moved("/home/somebody/secret/packs"))
    with zipfile.ZipFile(file) as made:
        text = "".join(made.read(name).decode() for name in made.namelist())
        assert made.namelist() == ["bundle.json", "events.jsonl"]
    assert "somebody" not in text
    assert file.stat().st_size < 20_000


def test_keys_do_not_leave_with_it_and_any_text_does(file: Path) -> None:
    said = Message(turn=9, seat="user", text="sk-" + "a1" * 20 + " half \ud83d of a pair", at=60.0)
    write_bundle(file, [*played(), said])
    message = read_bundle(file).events[-1]
    assert isinstance(message, Message)
    assert message.text == "[redacted] half \ud83d of a pair"


def test_a_pack_that_is_not_here_is_named(file: Path) -> None:
    official = "124e39a664b56402bcd09cb8a6a9cece6acb8462337c969799d5658e3250f263"
    for events, said in (
        (moved("/x/official", agent=official), "it needs the official data of tau2: tau-tui data install"),
        (moved("bundled", agent="0" * 64), "it needs the pack bundled with the tau-tui it was played with"),
        (moved("/x/mine", agent="0" * 64), "it needs the pack 'mine' of whoever sent it: name its folder with --data"),
    ):
        write_bundle(file, events)
        assert said in read_bundle(file).missing()


@pytest.mark.official
def test_the_official_pack_is_found_wherever_it_lies(file: Path, official: Path) -> None:
    digest = "124e39a664b56402bcd09cb8a6a9cece6acb8462337c969799d5658e3250f263"
    write_bundle(file, moved("/elsewhere/official", agent=digest))
    assert read_bundle(file).missing()
    assert read_bundle(file).missing([official]) == ""


def test_it_is_taken_into_a_recording_once(file: Path, tmp_path: Path) -> None:
    write_bundle(file, played())
    recorder = Recorder(tmp_path / "s.db")
    assert [merge(recorder, read_bundle(file).events) for _ in range(2)] == ["new", "known"]
    recorder.close()


def remade(file: Path, **members: str) -> None:
    """The bundle with other members."""
    write_bundle(file, played())
    with zipfile.ZipFile(file) as made:
        content = {name: made.read(name).decode() for name in made.namelist()}
    with zipfile.ZipFile(file, "w") as made:
        for name, text in (content | {k.replace("_", "."): v for k, v in members.items()}).items():
            if text:
                made.writestr(name, text)


ABOUT = {"format": "tau-tui bundle", "version": 1, "turn": 1, "pack": {"domain": "a", "name": "b", "digests": {}}}


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"bundle_json": ""}, "bundle.json is not in it"),
        ({"events_jsonl": ""}, "events.jsonl is not in it"),
        ({"bundle_json": "{"}, "expected a bundle of tau-tui"),
        ({"bundle_json": "[]"}, "format: expected 'tau-tui bundle'"),
        ({"bundle_json": json.dumps(ABOUT | {"version": 2})}, "written by a newer tau-tui"),
        ({"bundle_json": json.dumps(ABOUT | {"turn": "1"})}, "turn: expected a number"),
        ({"bundle_json": json.dumps(ABOUT | {"turn": 77})}, "the session has no turn 77"),
        ({"bundle_json": json.dumps(ABOUT | {"pack": None})}, "pack: expected domain, name and digests"),
        ({"events_jsonl": "{}"}, r"events\.jsonl: line 1: unknown kind of event"),
        ({"events_jsonl": "\n"}, r"events\.jsonl: line 1"),
    ],
)
def test_a_bad_one_is_one_line(file: Path, members: dict[str, str], said: str) -> None:
    remade(file, **members)
    with pytest.raises(DataError, match=said):
        read_bundle(file)


def test_a_file_that_is_something_else_and_a_bomb(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    file.write_text("not a zip")
    assert not is_bundle(file)
    with pytest.raises(DataError, match="expected a bundle of tau-tui"):
        read_bundle(file)
    monkeypatch.setattr("sessions.bundle.MOST", 100)
    write_bundle(file, played())
    with pytest.raises(DataError, match=r"refused: .* unpacks to more than"):
        read_bundle(file)
