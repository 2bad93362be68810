"""Lists of sessions by SQL: any filter, page by page, the tree of branches; deleting; and files of older programs."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from domains import DataError, load_domain
from sessions.event import Ended, Event, Header, Mark, Message, Opened, PlayerInfo, Scored
from sessions.limits import Limits
from sessions.listing import count, family, find, open_sessions, page, parse
from sessions.recorder import Recorder
from sessions.resuming import fork
from sessions.schema import SCHEMA
from sessions.session import Session, play
from sessions.trajectory import fold
from tests.sessions.playing import Lines

OLDER = sorted((Path(__file__).parent / "recordings").glob("schema-*.db"))
DOMAIN = load_domain("airline")


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    found = Recorder(tmp_path / "s.db")
    yield found
    found.close()


def events(
    session_id: str, at: float, *, agent: str = "gpt-x", reward: float | None = 1.0, **header: object
) -> list[Event]:
    players = {"user": PlayerInfo("human", "Ann"), "agent": PlayerInfo("model", agent)}
    values = {"domain": "airline", "task_id": "7", "task": {}, "view": "open"} | header
    opened = Opened(header=Header(id=session_id, players=players, **values), at=at)  # type: ignore[arg-type]  # seats as literals
    said = Message(turn=0, seat="agent", text=f"secret words of {session_id}", at=at)
    if reward is None:
        return [opened, said]
    return [opened, said, Ended(reason="user_stop", at=at + 1), Scored(reward=reward, verdict={}, at=at + 1)]


@pytest.fixture
def filled(recorder: Recorder) -> Recorder:
    recorder.add(
        [
            events("01A", 1.0),
            events("01B", 2.0, reward=0.0, agent="gpt-y", task_id="71"),
            events("01C", 3.0, reward=None, limits=Limits(max_steps=30)),
            events("01D", 4.0, reward=0.0, parent="01A", parent_turn=3),
            events("01E", 5.0, parent="01D", parent_turn=5, domain="retail", origin={"format": "tau2", "trial": 2}),
            events("01F", 6.0, parent="01A", parent_turn=1),
        ]
    )
    return recorder


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "FEDCBA"),
        ("agent_name=gpt-y", "B"),
        ("agent_name!=gpt-y", "FEDCA"),
        ("reward<1", "DB"),
        ("reward>=1", "FEA"),
        ("reward=", "C"),
        ("task_id=7", "FEDCA"),
        ("trial=2", "E"),
        ("origin=", "FDCBA"),
        ("origin!=", "E"),
        ("parent=01A parent_turn=1", "F"),
        ("header.limits.max_steps=30", "C"),
        ("header.players.user.kind=human reward<1", "DB"),
        ("ann", "FEDCBA"),
        ("GPT-Y", "B"),
        ("retail tau2", ""),
        ("retail", "E"),
        ("01b", "B"),
        ("100%", ""),
        ("view=blind", ""),
    ],
)
def test_any_field_is_a_filter_and_other_words_are_searched(filled: Recorder, text: str, found: str) -> None:
    wanted = parse(text, filled.columns())
    assert [row.id for row in page(filled, wanted)] == [f"01{letter}" for letter in found]
    assert count(filled, wanted) == len(found)


@pytest.mark.parametrize("text", ["agent=x", "process=1", "header=1", "rewrad<1"])
def test_a_field_there_is_none_of_is_named_with_those_there_are(filled: Recorder, text: str) -> None:
    with pytest.raises(DataError, match=r"no field .* there are id, domain, .*, reward, .*, and header\.NAME"):
        parse(text, filled.columns())


def test_a_field_that_is_like_none_is_answered_with_all_of_them(filled: Recorder) -> None:
    with pytest.raises(DataError, match=r"'nonsense'; there are id, domain, .*, reward, .*, and header\.NAME"):
        parse("nonsense=x", filled.columns())


def test_pages_follow_each_other(filled: Recorder) -> None:
    wanted = parse("", filled.columns())
    pages = [[row.id for row in page(filled, wanted, offset, 4)] for offset in (0, 4, 8)]
    assert pages == [["01F", "01E", "01D", "01C"], ["01B", "01A"], []]


def test_lists_are_read_from_the_index_alone(filled: Recorder) -> None:
    for text in ("", "reward<1 agent_name=gpt-y", "ann"):
        wanted = parse(text, filled.columns())
        query = f"explain query plan select count(*) from sessions indexed by sessions_listed where {wanted.where}"
        plan = " ".join(str(row[-1]) for row in filled.select(query, wanted.values))
        assert "COVERING INDEX sessions_listed" in plan


@pytest.mark.parametrize("named", ["01A", "01D", "01E", "01F"])
def test_a_session_is_shown_in_its_whole_tree(filled: Recorder, named: str) -> None:
    assert [(depth, row.id) for depth, row in family(filled, named)] == [(0, "01A"), (1, "01D"), (2, "01E"), (1, "01F")]


def test_one_without_branches_is_alone(filled: Recorder) -> None:
    assert [(depth, row.id) for depth, row in family(filled, "01B")] == [(0, "01B")]
    assert family(filled, "nowhere") == []


def test_what_was_left_for_a_branch_is_not_offered_to_be_taken_up(filled: Recorder) -> None:
    assert [row.id for row in open_sessions(filled)] == ["01C"]
    filled.add([events("01G", 9.0, parent="01C", parent_turn=0)])
    assert open_sessions(filled) == []


# Deleting


def test_a_deleted_session_leaves_no_byte_behind(filled: Recorder) -> None:
    filled.write("01A", 9, Mark(turn=0, author="agent", type="other", severity="minor", text="marked words"))
    assert filled.delete(["01A", "nowhere"]) == 1
    filled.vacuum()
    files = [path.read_bytes() for path in filled.file.parent.iterdir()]
    for words in (b"secret words of 01A", b"marked words"):
        assert not any(words in data for data in files)
    assert any(b"secret words of 01B" in data for data in files)
    for table in ("events", "scores", "marks"):
        assert filled.select(f"select count(*) from {table} where session_id = '01A'") == [(0,)]


def test_branches_of_it_stay_whole_and_become_roots(filled: Recorder) -> None:
    before = filled.events("01D")
    filled.delete(["01A"])
    assert filled.events("01D") == before
    assert [(depth, row.id) for depth, row in family(filled, "01E")] == [(0, "01D"), (1, "01E")]


def test_a_name_goes_with_the_last_session_under_it(filled: Recorder) -> None:
    filled.delete(["01A"])
    assert filled.players() == ["Ann"]
    filled.delete([f"01{letter}" for letter in "BCDEF"])
    assert filled.players() == []


def test_a_real_branch_survives_its_parent(recorder: Recorder) -> None:
    task = DOMAIN.tasks[0]
    players = {"user": Lines("hello", "bye"), "agent": Lines("yes?", "well")}
    parent = Session.new(DOMAIN, task, players, view="open", keeper=recorder, session_id="01P")  # type: ignore[arg-type]  # seats as literals
    asyncio.run(play(parent))
    child = Session.continued(
        fork(parent.events, 1, "01Q"), DOMAIN, {"user": Lines("so"), "agent": Lines("ah")}, kept=False, keeper=recorder
    )
    asyncio.run(play(child))
    recorder.delete(["01P"])
    kept = recorder.events("01Q")
    assert fold(kept) == child.state
    again = Session.continued(kept, DOMAIN, {"user": Lines(), "agent": Lines()})
    assert again.env.digest("agent") == child.env.digest("agent")


# Files of older programs


def test_there_is_a_file_of_every_older_schema() -> None:
    assert [path.stem for path in OLDER] == [f"schema-{number}" for number in range(1, SCHEMA)]


@pytest.mark.parametrize("older", OLDER, ids=lambda path: path.stem)
def test_it_is_brought_up_to_date_with_nothing_lost(older: Path, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(older)) as conn:
        before = conn.execute("select session_id, seq, data from events order by 1, 2").fetchall()
    file = tmp_path / "s.db"
    shutil.copy(older, file)
    recorder = Recorder(file)
    (row,) = page(recorder, parse("", recorder.columns()))
    assert recorder.select("pragma user_version") == [(SCHEMA,)]
    assert recorder.select("select session_id, seq, data from events order by 1, 2") == before
    assert (row.status, row.reward, row.turns) == ("ended", 1.0, 10)
    assert find(recorder, row.id) == row
    state = fold(recorder.events(row.id))
    assert len(state.turns) == row.turns
    again = Session.continued(recorder.events(row.id), DOMAIN, {"user": Lines(), "agent": Lines()})
    assert again.env.digest("agent") == DOMAIN.bases["agent"].digest()
    recorder.close()


def test_a_seat_nobody_takes_is_not_listed(recorder: Recorder) -> None:
    opened, *rest = events("01A", 1.0)
    assert isinstance(opened, Opened)
    recorder.add(
        [[replace(opened, header=replace(opened.header, players={"agent": PlayerInfo("human", "me")})), *rest]]
    )
    assert page(recorder, parse("", recorder.columns()))[0].players == (("agent", "human", "me"),)
