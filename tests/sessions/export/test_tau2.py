"""Sessions as tau2 results: nothing of ours is lost, and what tau2 demands is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from domains import load_domain
from domains.errors import DataError
from domains.values import JSON
from sessions.event import Ended, Event, Failure, Mark, Message, Note, PlayerInfo, Scored
from sessions.export import tau2
from sessions.export.record import record
from sessions.interop.tau2 import read, run_of
from sessions.interop.tau2_ours import events_from_export, is_ours
from sessions.limits import Limits
from sessions.orchestrator import DONE
from sessions.players.base import Action, ToolCall
from sessions.reward import score
from sessions.session import play
from tests.sessions import small_world
from tests.sessions.export.sessions_made import SWEEP, header, session, sessions
from tests.sessions.playing import Lines
from tests.sessions.playing import session as live


def results(events: list[Event], policy: str = "") -> dict[str, Any]:
    """The whole file of one session, through its text."""
    found = record(events)
    (batch,) = tau2.batches([found.header])
    text = "".join(tau2.monolithic(batch.head(policy, 0.0), [tau2.simulation(found, batch.trials[found.header.id])]))
    out: dict[str, Any] = json.loads(text)
    return out


def simulation(events: list[Event]) -> dict[str, Any]:
    """The one simulation of it."""
    (found,) = results(events)["simulations"]
    out: dict[str, Any] = found
    return out


def read_back(file: dict[str, Any]) -> list[Event]:
    """The events, as an import finds them."""
    (found,) = file["simulations"]
    return events_from_export(found["info"], {task["id"]: task for task in file["tasks"]})


@given(sessions())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_reading_our_own_export_back_loses_nothing(events: list[Event]) -> None:
    assert read_back(results(events)) == events


@given(sessions())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_call_is_answered_at_once_and_time_never_stands_still(events: list[Event]) -> None:
    messages = simulation(events)["messages"]
    waiting: list[str] = []
    for i, message in enumerate(messages):
        if message["role"] == "tool":
            assert message["id"] == waiting.pop(0)
        else:
            assert not waiting
            assert message["content"] is not None or message["tool_calls"]
            waiting = [call["id"] for call in message["tool_calls"] or ()]
        assert message["turn_idx"] == i
    assert not waiting
    times = [message["timestamp"] for message in messages]
    assert times == sorted(times) and len(set(times)) == len(times)
    run_of(simulation(events), "export")  # our own reader takes it too


@pytest.mark.parametrize("cost", [[], "much", True, None])
def test_a_cost_that_is_no_number_is_not_known(cost: JSON) -> None:
    """A player of one's own may tell anything."""
    events = [event_with_usage(event, {"cost": cost, "prompt_tokens": "many"}) for event in session()]
    found = simulation(events)
    run_of(found, "export")
    assert (found["agent_cost"], {message.get("cost") for message in found["messages"]}) == (None, {None})
    assert read_back(results(events)) == events


def event_with_usage(event: Event, usage: dict[str, JSON]) -> Event:
    """The event, a message with what its turn took."""
    return replace(event, usage=usage) if isinstance(event, Message) else event


def test_words_and_calls_are_those_of_the_session() -> None:
    messages = simulation(session())["messages"]
    assert [(m["role"], m["content"]) for m in messages] == [
        ("assistant", "Hi! How can I help you today?"),
        ("user", "Please sweep."),
        ("assistant", None),
        ("tool", '{"status": "completed"}'),
        ("assistant", "Done."),
        ("user", "Thanks. ###STOP###"),
    ]
    assert messages[2]["tool_calls"] == [
        {"id": "c0", "name": "finish", "arguments": {"task_id": "task_1"}, "requestor": "assistant"}
    ]
    assert (messages[4]["cost"], messages[4]["usage"]) == (0.25, {"prompt_tokens": 7})


def test_a_branch_cost_what_its_own_turns_cost_and_its_messages_say_what_each_did() -> None:
    own = Message(turn=4, seat="agent", text="Well?", usage={"cost": 0.5}, at=107.0)
    branch = simulation(session(own, ended=False, parent="01PARENT", parent_turn=3))
    assert (branch["agent_cost"], branch["user_cost"]) == (0.5, None)
    assert [message["cost"] for message in branch["messages"][-2:]] == [0.25, 0.5]


def test_a_message_taken_back_and_a_call_never_answered_are_in_our_part_only() -> None:
    from sessions.event import Call, Undone

    events = session(ended=False)
    events += [
        Message(turn=4, seat="user", text="Oops", at=107.0),
        Undone(turn=4, seat="user", at=107.5),
        Call(turn=5, seat="agent", id="c9", name="finish", arguments={}, at=108.0),
    ]
    file = results(events)
    assert "Oops" not in str(file["simulations"][0]["messages"])
    assert "c9" not in str(file["simulations"][0]["messages"])
    assert read_back(file) == events


@pytest.mark.parametrize(
    ("end", "word"),
    [
        (Ended(reason="user_stop", by="user", at=109.0), "user_stop"),
        (Ended(reason="agent_stop", by="agent", at=109.0), "agent_stop"),
        (Ended(reason="abandoned", by="user", at=109.0), "user_error"),
        (Ended(reason="abandoned", by="agent", at=109.0), "agent_error"),
        (Ended(reason="context_window_exceeded", at=109.0), "context_window_exceeded"),
        (Failure(what="model unreachable", at=109.0), "infrastructure_error"),
        (None, "user_error"),
    ],
)
def test_endings_are_said_in_words_tau2_knows_and_the_real_one_under_ours(end: Event | None, word: str) -> None:
    found = simulation(session(*([end] if end else []), ended=False))
    assert found["termination_reason"] == word
    assert found["info"]["tau_tui"]["reason"] == (end.reason if isinstance(end, Ended) else None)


def test_what_nobody_could_say_is_no_reward_of_zero() -> None:
    assert simulation(session(ended=False))["reward_info"] is None
    assert (
        simulation(session(Scored(reward=None, verdict={"components": {"NL_ASSERTION": None}})))["reward_info"] is None
    )


def test_the_recorded_verdict_is_told_in_tau2s_form() -> None:
    task = SWEEP | {
        "evaluation_criteria": {
            "actions": [{"action_id": "a0", "name": "finish", "arguments": {}}],
            "communicate_info": ["done"],
            "nl_assertions": ["was kind", "was quick"],
        }
    }
    verdict = {
        "reward": 0.0,
        "reward_basis": ["DB", "COMMUNICATE"],
        "components": {"DB": 0.0, "COMMUNICATE": 1.0, "NL_ASSERTION": None},
        "db_match": False,
        "env_assertions": [],
        "action_checks": [True],
        "communicate": [True],
        "nl_assertions": [True, None],
        "notes": ["a note"],
    }
    told = simulation(session(Scored(reward=0.0, verdict=verdict), task=task))["reward_info"]
    assert (told["reward"], told["db_check"]) == (0.0, {"db_match": False, "db_reward": 0.0})
    assert told["reward_breakdown"] == {"DB": 0.0, "COMMUNICATE": 1.0}
    assert [(c["action"]["name"], c["action_match"]) for c in told["action_checks"]] == [("finish", True)]
    assert [(c["info"], c["met"]) for c in told["communicate_checks"]] == [("done", True)]
    assert [(c["nl_assertion"], c["met"]) for c in told["nl_assertions"]] == [("was kind", True)]


def test_fault_marks_stand_where_tau2s_viewer_shows_them() -> None:
    review = simulation(
        session(
            Mark(turn=3, author="agent", type="wrong_decision", severity="critical", text="Asked nobody.", by="Ben"),
            Mark(turn=1, author="user", type="other", severity="critical_helped", policy_line="Ask first."),
            Mark(turn=9, author="task", type="other", severity="odd"),
        )
    )["review"]
    assert [(e["source"], e["severity"], e["turn_idx"], e["reasoning"]) for e in review["errors"]] == [
        ("agent", "critical", 4, "Asked nobody."),
        ("user", "critical_helped", 1, "other"),
        ("unknown", None, None, "other"),
    ]
    assert (review["agent_error"], review["user_error"], review["critical_user_error"]) == (True, True, True)
    assert simulation(session())["review"] is None


def test_our_part_says_first_what_a_person_looks_for() -> None:
    ours = simulation(session(Note(text="odd", turn=1), parent="01P", parent_turn=2))["info"]["tau_tui"]
    assert ours["players"]["user"] == {"kind": "human", "name": "Anna"}
    assert (ours["view"], ours["parent"], ours["parent_turn"]) == ("open", "01P", 2)
    assert ours["notes"] == [{"turn": 1, "text": "odd"}]
    assert ours["timings"][1] == {"turn": 1, "seat": "user", "seconds": 3.5}


def test_what_is_not_ours_or_newer_is_said() -> None:
    assert not is_ours(None) and not is_ours({"tau_tui": 3})
    with pytest.raises(DataError, match="expected a session"):
        events_from_export({}, {})
    with pytest.raises(DataError, match="reads up to 1"):
        events_from_export({"tau_tui": {"format": 2, "events": []}}, {})
    with pytest.raises(DataError, match=r"events\.0.*no task 't'"):
        events_from_export(simulation(session())["info"], {})


# Files


def test_what_one_results_file_cannot_hold_together_goes_into_several() -> None:
    other = PlayerInfo("model", "gpt")
    batches = tau2.batches(
        [
            header(id="1"),
            header(id="2", players={**header().players, "user": PlayerInfo("human", "Ben")}),
            header(id="3", players={**header().players, "agent": other}),
            header(id="4", limits=Limits(max_steps=30)),
            header(id="5", task=SWEEP | {"ticket": "changed"}),
        ]
    )
    assert [list(batch.trials.items()) for batch in batches] == [
        [("1", 0), ("2", 1)],  # two people are two trials of the same thing
        [("5", 0)],
        [("3", 0)],
        [("4", 0)],
    ]
    assert batches[2].name == "nowhere_gpt_human"
    info = batches[2].head("be kind", 0.0)["info"]
    assert info["agent_info"] == {"implementation": "llm_agent", "llm": "gpt", "llm_args": None}
    assert info["user_info"]["implementation"] == "human"
    assert info["environment_info"] == {"domain_name": "nowhere", "policy": "be kind"}


def test_trials_keep_the_number_they_were_imported_with() -> None:
    (batch,) = tau2.batches(
        [header(id="a"), header(id="b", origin={"trial": 0}), header(id="c", origin={"trial": 7}), header(id="d")]
    )
    assert batch.trials == {"a": 0, "b": 1, "c": 7, "d": 2}
    assert batch.head("", 0.0)["info"]["num_trials"] == 8


def test_both_layouts_are_read_back(tmp_path: Path) -> None:
    found = record(session())
    (batch,) = tau2.batches([found.header])
    tau2.write_folder(tmp_path, batch.head("", 0.0), [tau2.simulation(found, 0)])
    (entry,) = json.loads((tmp_path / "results.json").read_text())["simulation_index"]
    assert (entry["id"], entry["reward"]) == ("01SESSION", None)
    (run,) = read(tmp_path).simulations()
    assert not isinstance(run, DataError)
    assert run.id == "01SESSION" and run.turns is not None and len(run.turns) == 5


# The world


def _mock() -> Any:
    return load_domain("mock")


async def test_a_live_session_is_rewarded_the_same_from_its_export(tmp_path: Path) -> None:
    domain = _mock()
    task = next(task for task in domain.tasks if task.gold and not task.initial_state)
    calls = [ToolCall(name=action.name, arguments=action.arguments) for action in task.gold]
    playing = live(domain, Lines("Hello."), Lines(*[Action(calls=(call,)) for call in calls], "Done."), task=task.id)
    events = await play(playing)
    found = record(events)
    assert found.explanation is not None and found.policy == domain.policy
    (batch,) = tau2.batches([found.header])
    file = tmp_path / "results.json"
    file.write_text("".join(tau2.monolithic(batch.head(found.policy, 0.0), [tau2.simulation(found, 0)])))
    (run,) = read(file).simulations()
    assert not isinstance(run, DataError) and run.turns is not None
    again = score(domain, read(file).tasks()[task.id], run.turns, run.termination, with_history=True)
    assert (again.reward, run.reward) == (found.reward, found.reward)
    kinds: list[JSON] = [check["tool_type"] for check in (run.reward_info or {})["action_checks"]]
    assert set(kinds) <= {"read", "write", "think", "generic"}


async def test_a_history_comes_first_and_is_not_told_twice(tmp_path: Path) -> None:
    domain = _mock()
    task = next(task for task in domain.tasks if task.initial_state and task.initial_state.message_history)
    playing = live(domain, Lines("Go on."), Lines("Done."), task=task.id)
    found = record(await play(playing))
    told = tau2.simulation(found, 0)["messages"]
    assert task.initial_state is not None
    history = task.initial_state.message_history or []
    assert [m["content"] for m in told[: len(history)]] == [m.get("content") for m in history]
    run = run_of(tau2.simulation(found, 0), "export")
    assert run.turns is not None
    again = score(domain, task, run.turns, run.termination, with_history=True)
    assert found.explanation is not None
    assert again.agent_digest() == found.explanation.verdict.agent_digest()


async def test_a_solo_run_says_so_in_the_word_the_official_code_knows() -> None:
    domain = _mock()
    task = next(task for task in domain.tasks if task.ticket)
    agent = Lines(Action(calls=(ToolCall(name=DONE.name, arguments={}),)))
    from sessions.session import Session

    playing = Session.new(domain, task, {"agent": agent}, view="open", solo=True, session_id="S")
    found = record(await play(playing))
    (batch,) = tau2.batches([found.header])
    info = batch.head("", 0.0)["info"]
    assert info["agent_info"]["implementation"] == "llm_agent_solo"
    assert found.policy == domain.solo_policy
    assert tau2.simulation(found, 0)["messages"][-1]["content"] == "###STOP###"


def test_a_domain_nobody_has_is_exported_without_an_explanation(tmp_path: Path) -> None:
    found = record(session())
    assert found.explanation is None and "nowhere" in found.missing
    small_world.world(tmp_path)
    strange = record(session(domain="mock", digests={"agent": "0" * 64}))
    assert strange.explanation is None and "--data" in strange.missing


def test_an_imported_run_goes_out_under_the_names_it_came_in() -> None:
    settings = {"implementation": "llm_agent_gt", "llm_args": {"temperature": 0.5}}
    players = {"agent": PlayerInfo("model", "gpt", settings), "user": PlayerInfo("replay", "odd_user")}
    origin = {"format": "tau2", "simulation": "s1", "trial": 3, "run": {"review": {"has_errors": False}}}
    events = session(
        Scored(reward=0.5, verdict={"reward": 0.5, "db_check": None}, source="recorded"), origin=origin, players=players
    )
    found = results(events)
    assert found["info"]["agent_info"] == {
        "implementation": "llm_agent_gt",
        "llm": "gpt",
        "llm_args": {"temperature": 0.5},
    }
    assert found["info"]["user_info"]["implementation"] == "odd_user"
    (item,) = found["simulations"]
    assert (item["trial"], item["review"]) == (3, {"has_errors": False})
    assert item["reward_info"] == {"reward": 0.5, "db_check": None}
    assert read_back(found) == events


def test_what_an_import_did_not_score_is_not_scored_here_either() -> None:
    task = small_world.task(small_world.finish("task_1")).model_dump(mode="json", exclude_unset=True)
    found = record(session(domain="mock", task=task, origin={"format": "tau2"}, pack="bundled"))
    assert found.explanation is None and found.reward is None and "notes say why" in found.missing
    assert "whose world is not known" in record(session(domain="mock", origin={"format": "tau2"}, pack="")).missing
