"""What the lobby lists and how it is searched; texts of any origin stay what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.event import Ended, Header, Opened, PlayerInfo, Scored
from sessions.recorder import Recorder
from tau_tui.task_list import Pack, Row, Show, find_packs, matching, next_row, read_interrupted, read_listing
from tau_tui.widgets.safe_text import one_line, safe

ROWS = (
    Row(0, "a", "Cancel my trip [/b]", 1),
    Row(1, "b", "Book a trip", 2, played=2, solved=1),
    Row(2, "c", "Add a bag", 0, played=1),
)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "sessions.db")


def played(recorder: Recorder, session_id: str, task_id: str, *, ended: bool, reward: float = 1.0) -> None:
    players = {"user": PlayerInfo("human", "me"), "agent": PlayerInfo("oracle", "oracle")}
    header = Header(session_id, "airline", task_id, {}, players, "open")  # type: ignore[arg-type]  # seats as literals
    recorder.write(session_id, 0, Opened(header=header, at=1.0))
    if ended:
        recorder.write(session_id, 1, Ended(reason="user_stop", at=2.0))
        recorder.write(session_id, 2, Scored(reward=reward, verdict={}, at=3.0))


@pytest.mark.parametrize(
    ("show", "numbers"),
    [("all", [0, 1, 2]), ("unplayed", [0]), ("played", [1, 2]), ("solved", [1]), ("unsolved", [2])],
)
def test_filters(show: Show, numbers: list[int]) -> None:
    assert [row.number for row in matching(ROWS, None, show, "")] == numbers


@pytest.mark.parametrize(
    ("search", "numbers"), [("TRIP", [0, 1]), ("trip book", [1]), ("#2", [2]), ("[/b]", [0]), ("none", [])]
)
def test_search_finds_every_word_in_number_and_reason(search: str, numbers: list[int]) -> None:
    assert [row.number for row in matching(ROWS, None, "all", search)] == numbers


def test_a_search_does_not_find_what_the_id_gives_away() -> None:
    assert matching([Row(0, "[mobile_data_issue]", "No service", 1)], None, "all", "mobile") == []


def test_the_next_unplayed_follows_the_order_of_the_split() -> None:
    rows = [Row(0, "a", "", 0), Row(1, "b", "", 0), Row(2, "c", "", 0, played=1)]
    assert next_row(rows, ("c", "b", "a")) == rows[1]
    assert next_row(rows, ("c",)) is None


def test_tasks_of_the_same_reason_are_counted_and_say_nothing_of_what_lies_behind(recorder: Recorder) -> None:
    rows = read_listing(Pack("telecom"), recorder).rows
    by_reason: dict[str, list[Row]] = {}
    for row in rows:
        by_reason.setdefault(row.reason, []).append(row)
    for found in by_reason.values():
        assert [row.alike for row in found] == [(i, len(found)) for i in range(1, len(found) + 1)]
    assert rows[0].shared == f"1 of {rows[0].alike[1]}"
    assert all(row.shared == "" for row in read_listing(Pack("airline"), recorder).rows)


def test_a_bundled_pack_is_read_with_what_the_person_did(recorder: Recorder) -> None:
    played(recorder, "S1", "1", ended=True)
    played(recorder, "S2", "1", ended=True, reward=0.0)
    listing = read_listing(Pack("airline"), recorder)
    row = listing.rows[1]
    assert (row.number, row.task_id, row.played, row.solved) == (1, "1", 2, 1)
    assert listing.rows[0].played == 0
    assert listing.rows[0].writes == 1
    assert set(listing.splits) >= {"base", "train", "test"}
    assert Pack("airline") in find_packs(None)


def test_interrupted_sessions_are_listed_with_their_state(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.processes.this_process", lambda: "elsewhere:1")
    played(recorder, "S1", "7", ended=False)
    played(recorder, "S2", "8", ended=True)
    (session,) = read_interrupted(recorder)
    assert (session.name, session.seats, session.turns) == ("airline #7", "USER/oracle", 0)


@pytest.mark.official
def test_a_telecom_session_is_listed_by_number_not_by_its_telling_id(
    recorder: Recorder, official: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.processes.this_process", lambda: "elsewhere:1")
    listing = read_listing(Pack("telecom", official), recorder)
    players = {"user": PlayerInfo("human", "me"), "agent": PlayerInfo("oracle", "oracle")}
    header = Header("S", "telecom", listing.rows[3].task_id, {}, players, "open", pack=str(official))  # type: ignore[arg-type]  # seats as literals
    recorder.write("S", 0, Opened(header=header, at=1.0))
    assert [session.name for session in read_interrupted(recorder)] == ["telecom #3"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[/b] [mobile_data_issue] $x", "[/b] [mobile_data_issue] $x"),
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("\x9b31m\x7f", "\\x9b31m␡"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("a\tb", "a   b"),
        ("שלום 你好 👩‍👩‍👧", "שלום 你好 👩‍👩‍👧"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_could_steer_a_terminal_becomes_visible_and_the_rest_stays(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\tb  c\u2028") == "a b c\\u2028"
