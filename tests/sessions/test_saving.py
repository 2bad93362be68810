"""A session becomes a task in a pack of one's own: its writes are the gold, and playing it so is rewarded."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from domains import DataError, list_domains, load_domain
from domains.packs import find_pack, packs_folder, remove_pack
from sessions.event import Event, Opened
from sessions.players.base import Action, ToolCall
from sessions.saving import Words, markable, save_task
from sessions.seating import Table, open_session
from sessions.session import play
from sessions.trajectory import fold
from tests.sessions.playing import Lines, session

WORDS = Words(reason="You want to cancel a trip.", known="Your name is Ada.")


@lru_cache
def booking() -> str:
    return next(iter(load_domain("airline").bases["agent"].tables["reservations"]))


@lru_cache
def events(refused: bool = False) -> tuple[Event, ...]:
    """A session that looks something up, cancels a booking, fails once, and tells amounts."""
    acts = (
        Action(calls=(ToolCall("get_reservation_details", {"reservation_id": booking()}),)),
        Action(calls=(ToolCall("cancel_reservation", {"reservation_id": "NONE00"}),)),
        Action(calls=(ToolCall("nothing_like_it", {}),)),
        *(() if refused else (Action(calls=(ToolCall("cancel_reservation", {"reservation_id": booking()}),)),)),
        f"Done: you get $1,628 back for {booking()}.",
    )
    s = session(load_domain("airline"), Lines("cancel it"), Lines(*acts))
    return tuple(asyncio.run(play(s)))


def test_the_writes_become_the_gold_and_the_words_are_the_givers() -> None:
    saved = save_task(events(), "mine", replace(WORDS, say=("1628",), purpose="a purpose"))
    assert [(a.name, a.arguments, a.requestor) for a in saved.task.gold] == [
        ("cancel_reservation", {"reservation_id": booking()}, "assistant")
    ]
    assert saved.task.reason == "You want to cancel a trip."
    assert saved.task.evaluation_criteria is not None
    assert saved.task.evaluation_criteria.communicate_info == ["1628"]
    assert saved.verdict.reward == 1.0 and saved.notes == ()
    assert saved.task.description is not None and "saved from session S" in (saved.task.description.notes or "")


def test_it_is_played_from_its_pack_which_holds_no_database() -> None:
    saved = save_task(events(), "mine", WORDS)
    assert sorted(path.name for path in saved.file.parent.iterdir()) == ["domain.toml", "tasks.json"]
    assert list_domains(Path("mine")) == ["airline"]
    domain = load_domain("airline", Path("mine"))
    assert domain.bases is load_domain("airline").bases and domain.policy == load_domain("airline").policy
    again = session(domain, Lines("cancel it"), Lines(Action(text="ok")), task="S")
    assert again.header.pack == "mine"
    assert open_session(domain, domain.task("S"), Table(play="user")).header.task_id == "S"
    pack = find_pack("mine")
    assert pack is not None and pack.own


def test_the_calls_that_changed_nothing_are_gold_where_they_are_wanted() -> None:
    saved = save_task(events(), "mine", replace(WORDS, reads=True))
    assert [a.name for a in saved.task.gold] == ["get_reservation_details", "cancel_reservation"]


def test_a_pack_grows_and_is_read_as_it_grows() -> None:
    ids = [save_task(events(), "mine", WORDS).task.id for _ in range(3)]
    ids.append(save_task(events(), "mine", replace(WORDS, task_id="named")).task.id)
    assert ids == ["S", "S-2", "S-3", "named"]
    assert [task.id for task in load_domain("airline", Path("mine")).tasks] == ids
    with pytest.raises(DataError, match="there is a task 'named' in this pack already"):
        save_task(events(), "mine", replace(WORDS, task_id="named"))


def test_a_session_of_ones_own_pack_is_saved_beside_its_task() -> None:
    save_task(events(), "mine", WORDS)
    first, *rest = events()
    assert isinstance(first, Opened)
    own = [replace(first, header=replace(first.header, pack="mine", id="T")), *rest]
    saved = save_task(own, "mine", WORDS)
    assert saved.domain.base is not None and saved.domain.base.origin == "bundled"
    assert [task.id for task in saved.domain.tasks] == ["S", "T"]


def test_the_check_runs_at_once() -> None:
    saved = save_task(events(refused=True), "mine", WORDS)
    assert saved.task.gold == []
    assert not saved.sound
    assert any("nothing" in f.what or "inaction" in f.code for f in saved.findings)


def test_what_was_never_said_is_told() -> None:
    saved = save_task(events(), "mine", replace(WORDS, say=("never", "1,628")))
    assert saved.notes == (
        "'never' was never said in this session",
        "'1,628' was never said in this session; commas are taken out of what is said",
    )
    assert saved.verdict.reward == 0.0


def test_amounts_and_identifiers_can_be_marked_as_they_are_compared() -> None:
    found = dict(markable(fold(events()).turns))
    assert found["1628"] == f"Done: you get $1,628 back for {booking()}."
    assert booking() in found


@pytest.mark.parametrize("name", ["official", "bundled", "verified", "tau2-0.2", "../x", "a/b", "", ".hidden", "Mine"])
def test_an_official_pack_and_a_name_that_is_a_path_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="cannot be the name of a pack of your own"):
        save_task(events(), name, WORDS)
    assert not packs_folder().exists()


def test_an_installed_pack_is_never_written_to() -> None:
    folder = packs_folder() / "theirs" / "tau2" / "domains"
    folder.mkdir(parents=True)
    manifest = {"title": "theirs", "source": "x", "installed": "now", "files": {}, "unknown": []}
    (packs_folder() / "theirs" / "pack.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match="was installed"):
        save_task(events(), "theirs", WORDS)
    assert list(folder.iterdir()) == []


def test_a_reason_is_needed() -> None:
    with pytest.raises(DataError, match="needs a reason"):
        save_task(events(), "mine", replace(WORDS, reason="  "))


def test_a_pack_whose_base_has_gone_says_which_it_needs() -> None:
    saved = save_task(events(), "mine", WORDS)
    (saved.file.parent / "domain.toml").write_text('base = "official"\n')
    with pytest.raises(DataError, match=r"mine: its airline tasks need the pack 'official': .*`tau-tui data install`"):
        load_domain("airline", Path("mine"))
    for text, said in (("", "expected base"), ("base = 3", "base is a text"), ("base", "domain.toml: ")):
        (saved.file.parent / "domain.toml").write_text(text)
        with pytest.raises(DataError, match=said):
            load_domain("airline", Path("mine"))


def test_removing_ones_own_tasks_has_to_be_said() -> None:
    save_task(events(), "mine", WORDS)
    with pytest.raises(DataError, match="remove it with --own"):
        remove_pack("mine")
    remove_pack("mine", own=True)
    assert find_pack("mine") is None


def test_the_beginning_of_the_parent_stays_and_so_do_the_assertions_that_hold() -> None:
    domain = load_domain("telecom")
    parent = next(t for t in domain.tasks if t.initial_state and t.env_assertions and t.gold and t.ticket is not None)
    acts = [ToolCall(a.name, dict(a.arguments)) for a in parent.gold if a.requestor == "user"]
    s = session(
        domain, Lines(*(Action(calls=(call,)) for call in acts), "thanks"), Lines("hello", "bye"), task=parent.id
    )
    played = asyncio.run(play(s))
    saved = save_task(played, "mine", WORDS)
    assert saved.task.initial_state == parent.initial_state
    held = [a for a in parent.env_assertions if s.env.fork().check(a)]
    assert saved.task.env_assertions == held
    assert {a.requestor for a in saved.task.gold} <= {"user"}


@pytest.mark.official
def test_a_session_on_official_data_rests_on_it_and_leaves_it_alone(official: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in official.rglob("*")}
    domain = load_domain("airline", official)
    held = next(iter(domain.bases["agent"].tables["reservations"]))
    act = Action(calls=(ToolCall("cancel_reservation", {"reservation_id": held}),))
    played = asyncio.run(play(session(domain, Lines("cancel it"), Lines(act, "done"))))
    saved = save_task(played, "mine", WORDS)
    assert saved.verdict.reward == 1.0
    assert saved.domain.base is domain or saved.domain.base is not None
    assert saved.domain.bases["agent"].digest() == domain.bases["agent"].digest()
    assert {path: path.stat().st_mtime_ns for path in official.rglob("*")} == before
    with pytest.raises(DataError, match=r"rest on .*official, this session on bundled; name another"):
        save_task(events(), "mine", WORDS)
