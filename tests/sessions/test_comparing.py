"""The smallest change of writes between a session and the one it was forked from that flips the reward."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from domains.catalog import Domain
from sessions.comparing import Comparison, against_parent, compare
from sessions.event import Scored
from sessions.opening import open_fork
from sessions.players.base import Action, ToolCall
from sessions.recorder import Recorder
from sessions.session import Session, play
from sessions.trajectory import Done, Turn, fold
from tests.sessions.playing import Lines
from tests.sessions.small_world import call, finish, task, world

WANTED = ("task_1", "task_2")


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    (tmp_path / "policy.md").write_text("Be kind.")
    return world(tmp_path)


def done(name: str) -> ToolCall:
    return ToolCall("update_task_status", {"task_id": name, "status": "completed"})


def made(domain: Domain, *calls: ToolCall) -> list[Turn]:
    """Turns in which these calls are really made."""
    acts = [Action(calls=(one,)) for one in calls]
    wanted = task(finish("task_1"), finish("task_2"))
    players = {"user": Lines("go"), "agent": Lines(*acts, "done")}
    s = Session.new(domain, wanted, players, view="open")  # type: ignore[arg-type]  # seats as literals
    asyncio.run(play(s))
    return list(s.state.turns)


def compared(domain: Domain, before: list[ToolCall], after: list[ToolCall]) -> Comparison:
    wanted = task(finish("task_1"), finish("task_2"))
    return compare(domain, wanted, (made(domain, *before), "user_stop"), (made(domain, *after), "user_stop"))


def told(comparison: Comparison) -> list[tuple[list[object], list[object]]]:
    return [
        (
            [c.arguments.get("task_id", c.name) for c in edit.instead],
            [c.arguments.get("task_id", c.name) for c in edit.made],
        )
        for edit in comparison.smallest
    ]


CREATE = ToolCall("create_task", {"user_id": "user_1", "title": "x"})


def test_a_missing_write_is_what_was_added(domain: Domain) -> None:
    found = compared(domain, [done("task_1")], [done("task_1"), done("task_2")])
    assert (found.parent, found.child, found.flipped) == (0.0, 1.0, True)
    assert told(found) == [([], ["task_2"])]


def test_a_wrong_write_is_what_was_replaced(domain: Domain) -> None:
    found = compared(domain, [done("task_1"), CREATE], [done("task_1"), done("task_2")])
    assert told(found) == [(["create_task"], ["task_2"])]
    assert found.smallest[0].instead[0].turn > 0


def test_a_write_too_many_is_what_was_left_out(domain: Domain) -> None:
    found = compared(domain, [done("task_1"), done("task_2"), CREATE], [done("task_1"), done("task_2")])
    assert told(found) == [(["create_task"], [])]


def test_changes_that_do_not_matter_are_not_told(domain: Domain) -> None:
    found = compared(domain, [done("task_2"), CREATE], [done("task_1"), done("task_2")])
    assert found.flipped
    assert len(found.smallest) < len(found.edits) or len(found.edits) == 2
    same_end = compared(domain, [done("task_1"), done("task_2")], [done("task_2"), done("task_1")])
    assert (same_end.flipped, same_end.smallest, bool(same_end.edits)) == (False, (), True)


def test_where_the_writes_are_the_same_something_else_made_the_difference(domain: Domain) -> None:
    wanted = task(finish("task_1"), call("get_users"))
    turns = made(domain, done("task_1"))
    found = compare(domain, wanted, (turns, "max_steps"), (turns, "user_stop"))
    assert (found.parent, found.child, found.edits, found.smallest) == (0.0, 1.0, (), ())


def test_a_recorded_reward_is_the_one_that_was_moved(domain: Domain) -> None:
    wanted = task(finish("task_1"))
    turns = made(domain, done("task_1"))
    found = compare(domain, wanted, (turns, None), (turns, "user_stop"), rewards=(0.5, None))
    assert (found.parent, found.child) == (0.5, 1.0)


def test_a_branch_is_held_against_its_parent_while_that_is_there(domain: Domain, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    mock = _bundled()
    wanted = next(t for t in mock.tasks if t.gold)
    players = {"user": Lines("go"), "agent": Lines("nothing to do")}
    parent = Session.new(mock, wanted, players, view="open", keeper=recorder, session_id="01P")  # type: ignore[arg-type]  # seats as literals
    asyncio.run(play(parent))
    asyncio.run(parent.emit(Scored(reward=0.0, verdict={})))
    s = open_fork(recorder, "01P", 2, taking="agent")
    gold = [Action(calls=(ToolCall(a.name, a.arguments),)) for a in wanted.gold]
    s.players = {"user": Lines("thanks"), "agent": Lines(*gold, "done")}
    asyncio.run(play(s))
    found = against_parent(recorder, s)
    assert found is not None
    assert [len(edit.made) for edit in found.edits] == [1] * len(
        [d for t in s.state.turns for d in t.calls if _wrote(d)]
    )
    recorder.delete(["01P"])
    assert against_parent(recorder, s) is None
    assert fold(recorder.events(s.header.id)).ended is not None
    recorder.close()


def _wrote(made: Done) -> bool:
    return made.result is not None and bool(made.result.changes)


def _bundled() -> Domain:
    from domains import load_domain

    return load_domain("mock")
