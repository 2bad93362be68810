"""A replay shows after each step what the world then was: for reference actions, and for what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain
from domains.errors import DataError
from sessions.event import Synced
from sessions.players.base import Action, ToolCall
from sessions.replay import Replay, gold_replay, gold_replays, session_replay
from sessions.reward import goal
from sessions.session import play
from tests.sessions.playing import Lines, kinds, session
from tests.sessions.small_world import call, finish, task, world

CLOSED = ToolCall("update_task_status", {"task_id": "task_1", "status": "completed"})
NOBODY = ToolCall("create_task", {"user_id": "nobody", "title": "x"})


def tools(replay: Replay) -> list[str]:
    return [step.done.call.name if step.done else "" for step in replay.steps]


# Gold


def test_gold_begins_before_the_first_action_and_ends_with_the_goal(tmp_path: Path) -> None:
    domain, wanted = world(tmp_path), task(call("get_users"), finish("task_1"), finish("task_2"))
    replay = gold_replay(domain, wanted)
    assert tools(replay) == ["", "get_users", "update_task_status", "update_task_status"]
    assert [len(step.changes) for step in replay.steps] == [0, 0, 1, 2]
    assert [len(step.made) for step in replay.steps] == [0, 0, 1, 1]
    assert replay.steps[replay.last].changes == goal(domain, wanted).env.fork().changes()
    assert kinds(replay.events(1)) == ["Call", "Result"]
    assert [turn.index for turn in replay.state(2).turns] == [1, 2]


def test_a_gold_write_that_fails_drops_out_and_a_read_that_fails_does_not(tmp_path: Path) -> None:
    wanted = task(call("update_task_status", task_id="none", status="completed"), call("no_such"), finish("task_1"))
    replay = gold_replay(world(tmp_path), wanted)
    assert [step.failed for step in replay.steps] == [False, True, True, False]
    assert [step.number for step in replay.dropped] == [1]
    assert replay.find(0, lambda step: bool(step.made)) == 3
    assert replay.find(3, lambda step: step.failed) is None


def test_assertions_are_told_step_by_step(tmp_path: Path) -> None:
    wanted = task(
        finish("task_1"),
        env_assertions=[
            {
                "env_type": "assistant",
                "func_name": "assert_task_status",
                "arguments": {"task_id": "task_1", "expected_status": status},
            }
            for status in ("pending", "completed")
        ],
    )
    assert [step.met for step in gold_replay(world(tmp_path), wanted).steps] == [(True, False), (False, True)]


def test_a_world_without_sync_has_one_gold_and_telecom_two() -> None:
    airline = load_domain("airline")
    assert [replay.gold for replay in gold_replays(airline, airline.task("#0"))] == ["evaluator"]
    telecom = load_domain("telecom")
    live, evaluators = gold_replays(telecom, telecom.task("#0"))
    assert (live.gold, evaluators.gold) == ("live", "evaluator")
    assert all(live.steps[live.last].met)


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telecom-workflow", "mock"])
def test_gold_of_every_bundled_task_ends_where_the_evaluator_and_the_live_world_end(name: str) -> None:
    domain = load_domain(name)
    for wanted in domain.tasks:
        for live in (False, True):
            replay = gold_replay(domain, wanted, live=live)
            assert replay.steps[replay.last].changes == goal(domain, wanted, live=live).env.fork().changes()
        assert all(replay.steps[replay.last].met), wanted.id
        assert not replay.dropped


def test_in_telecom_only_the_live_gold_is_followed_by_the_other_sides_world() -> None:
    domain = load_domain("telecom")
    followed = 0
    for wanted in domain.tasks:
        live = gold_replay(domain, wanted, live=True)
        followed += any(isinstance(event, Synced) for event in live.events(live.last))
        alone = gold_replay(domain, wanted)
        assert not any(isinstance(event, Synced) for event in alone.events(alone.last))
    assert followed > 0


@pytest.mark.official
def test_the_gold_writes_of_official_retail_that_fail_are_seen_to_drop_out(official: Path) -> None:
    domain = load_domain("retail", official)
    found = {t.id: [s.done.call.name for s in gold_replay(domain, t).dropped if s.done] for t in domain.tasks}
    assert {task_id: names for task_id, names in found.items() if names}.keys() == {"64", "105"}


# Sessions


async def test_a_recorded_session_is_gone_through_act_by_act(tmp_path: Path) -> None:
    domain = load_domain("mock")
    agent = Lines(Action(text="one moment", calls=(CLOSED, NOBODY)), "done")
    played = session(domain, Lines("hello"), agent, task="task_done")
    await play(played)
    await played.note("fine")
    replay = session_replay(domain, played.task, played.events)
    firsts = [type(step.events[0]).__name__ for step in replay.steps if step.events]
    assert firsts[1:5] == ["Message", "Message", "Message", "Call"]
    assert firsts[-1] == "Note"
    assert replay.events(replay.last) == tuple(played.events)
    assert replay.state(replay.last) == played.state
    assert replay.steps[replay.last].changes == played.env.changes() != ()
    failed = replay.find(0, lambda step: step.failed)
    assert failed is not None
    assert replay.dropped == (), "nothing drops out of what was played"


async def test_what_a_phone_learned_is_part_of_the_step() -> None:
    domain = load_domain("telecom")
    wanted = domain.tasks[0]
    user = Lines(*(Action(calls=(ToolCall(a.name, a.arguments),)) for a in wanted.gold if a.requestor == "user"))
    played = session(domain, user, Lines(), task="#0")
    await play(played)
    replay = session_replay(domain, wanted, played.events)
    assert replay.steps[replay.last].changes == played.env.changes()


async def test_changes_of_another_pack_are_refused_in_one_line(tmp_path: Path) -> None:
    domain = load_domain("mock")
    played = session(domain, Lines("hello"), Lines(Action(calls=(CLOSED,))), task="task_done")
    await play(played)
    other = world(tmp_path)
    (tmp_path / "db.json").write_text('{"tasks": {}, "users": {}}')
    with pytest.raises(DataError, match="does not fit this pack"):
        session_replay(other, task(), played.events)
