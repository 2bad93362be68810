"""Reading τ-bench (v1) lists: every way in which an agent wrote its calls, and its tasks in tau2's terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domains import DataError, load_domain
from domains.task import Task
from sessions.interop.recorded import RecordedRun
from sessions.interop.tau_bench import read
from sessions.reward import score
from sessions.trajectory import Turn

TASK: dict[str, Any] = {
    "user_id": "mia_li_3668",
    "instruction": "You want to cancel. Your id is mia_li_3668.",
    "actions": [
        {"name": "cancel_reservation", "kwargs": {"reservation_id": "AAA111"}},
        {"name": "respond", "kwargs": {"content": "Done."}},
    ],
    "outputs": ["327"],
}


def run(*traj: dict[str, Any], **more: Any) -> dict[str, Any]:
    verdict = {"reward": 1.0, "info": {"r_actions": True, "gt_data_hash": "x"}, "actions": []}
    info = {"task": TASK, "source": "user", "user_cost": 0.1, "reward_info": verdict}
    return {"task_id": 3, "reward": 1.0, "info": info, "traj": list(traj), "trial": 1} | more


def said(role: str, content: str | None, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def written(folder: Path, *runs: Any) -> Path:
    path = folder / "gpt-4o-airline.json"
    path.write_text(json.dumps(list(runs)))
    return path


def only(path: Path, domain: str | None = None) -> RecordedRun:
    (found,) = read(path, domain).simulations()
    assert isinstance(found, RecordedRun), found
    return found


def turns(folder: Path, *traj: dict[str, Any]) -> tuple[Turn, ...]:
    found = only(written(folder, run(*traj))).turns
    assert found is not None
    return found


def acts(found: tuple[Turn, ...]) -> list[Any]:
    """Each turn as its seat with its words, or with (name, arguments, answer) of its calls."""
    return [
        (t.seat, [(d.call.name, d.call.arguments, d.result and d.result.content) for d in t.calls] or t.text)
        for t in found
    ]


LOOK = {"id": "c1", "type": "function", "function": {"name": "get_user_details", "arguments": '{"user_id": "u"}'}}


def test_tool_calls_are_put_to_their_answers(tmp_path: Path) -> None:
    found = turns(
        tmp_path,
        said("system", "the policy"),
        said("user", "Hi"),
        said("assistant", None, tool_calls=[LOOK]),
        said("tool", "Error: user not found", tool_call_id="c1", name="get_user_details"),
        said("assistant", "Who are you?"),
        said("user", "Bye ###STOP###"),
    )
    assert acts(found) == [
        ("user", "Hi"),
        ("agent", [("get_user_details", {"user_id": "u"}, "Error: user not found")]),
        ("agent", "Who are you?"),
        ("user", "Bye ###STOP###"),
    ]
    assert found[1].calls[0].result is not None
    assert found[1].calls[0].result.error
    assert [t.index for t in found] == [0, 1, 2, 3]
    assert found[3].stop == "###STOP###"


def test_a_single_function_call_of_the_older_api_is_a_call_too(tmp_path: Path) -> None:
    found = turns(
        tmp_path,
        said("assistant", None, function_call={"name": "think", "arguments": '{"thought": "hm"}'}),
        said("function", "", name="think"),
    )
    assert acts(found) == [("agent", [("think", {"thought": "hm"}, "")])]


def test_react_thoughts_are_kept_beside_and_shown_to_nobody(tmp_path: Path) -> None:
    look = 'Thought: I need the profile.\nAction:\n{"name": "get_user_details", "arguments": {"user_id": "u"}}'
    answer = 'Thought:\nI can answer.\nAction:\n{"name": "respond", "arguments": {"content": "Here you are."}}'
    found = turns(
        tmp_path, said("user", "Hi"), said("assistant", look), said("user", "API output: {}"), said("assistant", answer)
    )
    assert acts(found) == [
        ("user", "Hi"),
        ("agent", [("get_user_details", {"user_id": "u"}, "{}")]),
        ("agent", "Here you are."),
    ]
    assert [t.message and dict(t.message.usage) for t in found[1:]] == [
        {"reasoning": "I need the profile."},
        {"reasoning": "I can answer."},
    ]


def test_act_agents_write_the_action_alone(tmp_path: Path) -> None:
    bare = '{"name": "get_user_details", "arguments": {"user_id": "u"}}'
    for text in (f"Action:\n{bare}", bare):
        found = turns(tmp_path, said("assistant", text), said("user", "API output: {}"), said("user", "and?"))
        assert acts(found) == [("agent", [("get_user_details", {"user_id": "u"}, "{}")]), ("user", "and?")]


def test_an_action_that_is_no_json_was_words_to_the_customer(tmp_path: Path) -> None:
    broken = 'Thought: look.\nAction:\n{"name": "get_user_details", "arguments": {}}}'
    found = turns(tmp_path, said("assistant", broken), said("user", "What is that?"))
    assert acts(found) == [("agent", '{"name": "get_user_details", "arguments": {}}}'), ("user", "What is that?")]


def test_words_that_only_look_like_an_answer_stay_words(tmp_path: Path) -> None:
    found = turns(tmp_path, said("assistant", "Hello"), said("user", "API output: is what my screen says"))
    assert acts(found) == [("agent", "Hello"), ("user", "API output: is what my screen says")]


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        ([said("user", "thanks ###STOP###")], "user_stop"),
        (
            [
                said(
                    "assistant",
                    None,
                    tool_calls=[{"id": "t", "function": {"name": "transfer_to_human_agents", "arguments": "{}"}}],
                ),
                said("tool", "Transfer successful", tool_call_id="t"),
            ],
            "agent_stop",
        ),
        ([said("user", "###TRANSFER###")], "user_stop"),
        ([said("user", "I was told nothing of it. ###OUT-OF-SCOPE###")], "user_stop"),
        ([said("assistant", "Goodbye. ###STOP###")], "agent_stop"),
        ([said("user", "go on")], "max_steps"),
    ],
)
def test_how_it_ended_is_read_from_the_last_act(tmp_path: Path, last: list[dict[str, Any]], ending: str) -> None:
    assert only(written(tmp_path, run(*last))).termination == ending


def test_a_reward_that_nobody_could_say_is_not_one_of_zero(tmp_path: Path) -> None:
    found = only(written(tmp_path, run(said("user", "hello"), reward=None, info={"task": TASK, "reward_info": None})))
    assert (found.reward, found.reward_info) == (None, None)


def test_a_run_that_failed_is_a_failure_of_the_machinery(tmp_path: Path) -> None:
    failed = run(reward=0.0, info={"error": "APIError: 403", "traceback": "…"})
    source = read(written(tmp_path, run(said("user", "###STOP###")), failed))
    _, found = source.simulations()
    assert isinstance(found, RecordedRun)
    assert (found.termination, found.error, found.turns, found.reward) == (
        "infrastructure_error",
        "APIError: 403",
        (),
        0,
    )


def test_a_task_becomes_one_of_tau2(tmp_path: Path) -> None:
    source = read(written(tmp_path, run()))
    (found,) = source.simulations()
    assert isinstance(found, RecordedRun)
    task = source.task_of(found)
    assert isinstance(task, Task)
    assert (task.id, task.user_scenario.instructions) == ("3", TASK["instruction"])
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert [(a.name, a.arguments) for a in task.gold] == [("cancel_reservation", {"reservation_id": "AAA111"})]
    assert (criteria.communicate_info, criteria.reward_basis) == (["327"], ["DB", "COMMUNICATE"])
    assert Task.model_validate(task.model_dump(mode="json")) == task


@pytest.mark.parametrize(("tool", "domain"), [("cancel_pending_order", "retail"), ("send_certificate", "airline")])
def test_the_domain_is_told_from_the_tools(tmp_path: Path, tool: str, domain: str) -> None:
    task = TASK | {"actions": [{"name": "calculate", "kwargs": {}}, {"name": tool, "kwargs": {}}]}
    silent = run(info={"task": TASK | {"actions": []}})
    assert read(written(tmp_path, silent, run(info={"task": task}))).domain == domain


def test_where_no_tool_tells_the_domain_it_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, run(info={"task": TASK | {"actions": []}}))
    with pytest.raises(DataError, match="name it with --domain"):
        read(path)
    assert read(path, "retail").domain == "retail"
    with pytest.raises(DataError, match="there is no run in it"):
        read(written(tmp_path))


def test_a_broken_run_is_named_with_its_field_and_the_others_are_read(tmp_path: Path) -> None:
    broken = run(said("robot", "hi"), task_id=7)
    first, second = read(written(tmp_path, broken, run()), "airline").simulations()
    assert isinstance(first, DataError)
    assert "run number 0 (task 7, trial 1): traj.0.role" in str(first)
    assert isinstance(second, RecordedRun)


def test_the_models_are_not_in_the_file_so_its_name_stands_for_the_agent(tmp_path: Path) -> None:
    players = read(written(tmp_path, run())).players
    assert (players["agent"].kind, players["agent"].name, players["user"].name) == (
        "model",
        "gpt-4o-airline",
        "unknown",
    )


@pytest.mark.official
@pytest.mark.parametrize(
    ("name", "runs"),
    [("gpt-4o-airline", 200), ("react-airline", 50), ("tool-calling-airline-2trials", 100)],
)
def test_our_tools_come_to_the_recorded_verdicts(name: str, runs: int, corpus: Path, official: Path) -> None:
    source = read(corpus / "tau-bench" / f"{name}.json")
    domain = load_domain(source.domain, official)
    agreed = scored = 0
    for found in source.simulations():
        assert isinstance(found, RecordedRun)
        if found.error:
            continue
        task = source.task_of(found)
        assert task is not None
        assert found.turns is not None
        verdict = score(domain, task, found.turns, found.termination)
        scored += 1
        agreed += verdict.reward == found.reward
        for component, met in found.components().items():
            assert bool(verdict.components[component]) == met, (found.task_id, found.trial, component)
    assert scored >= runs - 1
    assert agreed == scored  # 99 % are asked for


def test_retail_runs_of_v1_are_scored_with_our_tools(tmp_path: Path) -> None:
    """Gold of the bundled shop, as a v1 agent would have called it: the reward is 1, and 0 without the last write."""
    domain = load_domain("retail")
    task = next(t for t in domain.tasks if len(t.gold) > 1 and not t.nl_assertions)
    criteria = task.evaluation_criteria
    assert criteria is not None
    v1 = TASK | {
        "actions": [{"name": a.name, "kwargs": a.arguments} for a in task.gold],
        "outputs": criteria.communicate_info or [],
    }
    traj: list[dict[str, Any]] = [said("user", "Hi")]
    for i, action in enumerate(task.gold):
        made = {"id": str(i), "function": {"name": action.name, "arguments": json.dumps(action.arguments)}}
        traj += [said("assistant", None, tool_calls=[made]), said("tool", "", tool_call_id=str(i))]
    end = [said("assistant", " ".join(criteria.communicate_info or ["Done."])), said("user", "###STOP###")]
    last = max(i for i, m in enumerate(traj) if m.get("tool_calls"))
    source = read(
        written(tmp_path, run(*traj, *end, info={"task": v1}), run(*traj[:last], *end, info={"task": v1}, trial=2))
    )
    assert source.domain == "retail"
    rewards = []
    for found in source.simulations():
        assert isinstance(found, RecordedRun)
        converted = source.task_of(found)
        assert converted is not None
        rewards.append(score(domain, converted, found.turns or (), found.termination).reward)
    assert rewards == [1.0, 0.0]
