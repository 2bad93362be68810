"""Reading tau2 results: both layouts, every version, and what is wrong with a broken file, in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domains import DataError
from sessions.interop.tau2 import RecordedRun, read

INFO = {"environment_info": {"domain_name": "airline"}, "agent_info": {"implementation": "llm_agent"}}


def message(role: str, content: str | None = None, *calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    made = [{"id": i, "name": name, "arguments": {}} for i, name in calls]
    return {"role": role, "content": content} | ({"tool_calls": made} if made else {}) | more


def simulation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "s1", "task_id": "7", "termination_reason": "user_stop", "messages": list(messages)} | more


def written(folder: Path, *simulations: Any, **more: Any) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps({"info": INFO, "tasks": [], "simulations": list(simulations)} | more))
    return path


def only(path: Path) -> RecordedRun:
    (run,) = read(path).simulations()
    assert isinstance(run, RecordedRun), run
    return run


def test_each_message_of_a_player_is_a_turn_and_each_answer_is_put_to_its_call(tmp_path: Path) -> None:
    run = only(
        written(
            tmp_path,
            simulation(
                message("assistant", "Hi!"),
                message("user", "Bye ###STOP### now"),
                message("assistant", None, ("1", "look"), ("1", "look_again")),
                message("tool", "one", id="1"),
                message("tool", "two", id="1", error=True),
            ),
        )
    )
    assert run.turns is not None
    assert [(t.index, t.seat, t.text) for t in run.turns] == [
        (0, "agent", "Hi!"),
        (1, "user", "Bye ###STOP### now"),
        (2, "agent", ""),
    ]
    assert run.turns[1].stop == "###STOP###"
    assert [(d.call.name, d.result and d.result.content, d.result and d.result.error) for d in run.turns[2].calls] == [
        ("look", "one", False),
        ("look_again", "two", True),
    ]


def test_words_and_calls_of_one_message_are_both_kept(tmp_path: Path) -> None:
    run = only(written(tmp_path, simulation(message("assistant", "A moment.", ("1", "look")), message("tool", id="1"))))
    assert run.turns is not None
    (turn,) = run.turns
    assert turn.message is not None
    assert (turn.text, turn.message.text, len(turn.calls)) == ("A moment.", "A moment.", 1)


def test_calls_belong_to_their_requestor_and_answers_may_come_bundled(tmp_path: Path) -> None:
    asked = message("user", None, ("1", "look"), ("2", "press"))
    asked["tool_calls"][1]["requestor"] = "user"
    bundle = message("tool", tool_messages=[message("tool", "2!", id="2"), message("tool", "1!", id="1")])
    run = only(written(tmp_path, simulation(asked, bundle)))
    assert run.turns is not None
    assert [(d.call.seat, d.result and d.result.content) for d in run.turns[0].calls] == [
        ("user", "1!"),
        ("user", "2!"),
    ]


def test_fields_that_come_and_go_are_optional_and_unknown_ones_are_kept(tmp_path: Path) -> None:
    run = only(written(tmp_path, simulation(mode="half_duplex", effect=[1])))
    assert (run.trial, run.seed, run.reward, run.turns) == (None, None, None, ())
    assert run.extra == {"mode": "half_duplex", "effect": [1]}


def test_times_are_seconds_in_utc(tmp_path: Path) -> None:
    run = only(written(tmp_path, simulation(message("user", "hi", timestamp="2025-01-01T00:00:01.5"))))
    assert run.turns is not None
    assert run.turns[0].at == 1735689601.5


def test_recorded_judgements_are_found_by_their_text(tmp_path: Path) -> None:
    checks = [{"nl_assertion": "short", "met": False}, {"nl_assertion": "polite", "met": True}]
    run = only(written(tmp_path, simulation(reward_info={"reward": 0.0, "nl_assertions": checks})))
    assert run.judgements(["polite", "short"]) == [True, False]
    assert run.judgements(["polite", "new"]) is None


def test_the_folder_layout_is_read_in_the_order_of_its_index(tmp_path: Path) -> None:
    path = written(tmp_path, simulations=None, simulation_index=[{"id": "b"}, {"id": "a"}])
    (tmp_path / "simulations").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "simulations" / f"{name}.json").write_text(json.dumps(simulation(id=name)))
    for given in (path, tmp_path):
        assert [run.id for run in read(given).simulations() if isinstance(run, RecordedRun)] == ["b", "a", "c"]


def test_an_index_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps(simulation(id="secret")))
    run_folder = tmp_path / "run"
    (run_folder / "simulations").mkdir(parents=True)
    written(run_folder, simulations=None, simulation_index=[{"id": "../../secret"}])
    assert list(read(run_folder).simulations()) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "line 1, column 2"),
        ("[]", "tau-bench (v1)"),
        ('{"tasks": []}', "not a tau2 results file"),
        ('{"info": {}, "simulations": []}', "info.environment_info: Field required"),
        ('{"info": {"environment_info": {"domain_name": "a"}}}', "simulations: not in the file"),
        ('{"info": {"environment_info": {"domain_name": "a"}}, "simulations": {}}', "simulations: expected a list"),
        ("\x00\x01", "line 1, column 1"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_none_gets_one_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read(path)
    assert str(path) in str(error.value)
    assert line in str(error.value)


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (simulation(task_id=None), "simulation s1: task_id: Input should be a valid string"),
        (simulation(message("robot", "hi")), "simulation s1: messages.0.role"),
        (
            simulation(message("assistant") | {"tool_calls": [{"name": "look", "arguments": "{}"}]}),
            "simulation s1: messages.0.tool_calls.0.arguments: Input should be a valid dictionary",
        ),
        (simulation(message("tool", "late", id="9")), "simulation s1: messages.0.id: answers no call before it ('9')"),
        ("text", "simulation number 0"),
    ],
)
def test_a_broken_simulation_is_named_with_its_field_and_the_others_are_read(
    tmp_path: Path, broken: Any, line: str
) -> None:
    first, second = read(written(tmp_path, broken, simulation(id="s2"))).simulations()
    assert isinstance(first, DataError)
    assert line in str(first)
    assert isinstance(second, RecordedRun)


def test_a_broken_task_is_named_with_its_field(tmp_path: Path) -> None:
    path = written(tmp_path, tasks=[{"id": "3"}])
    with pytest.raises(DataError, match="task 3: user_scenario: Field required"):
        read(path).tasks()


@pytest.mark.official
def test_every_file_of_the_corpus_is_read(corpus: Path) -> None:
    counts = {}
    for path in (*sorted((corpus / "tau2").glob("*.json")), *sorted((corpus / "hazards").iterdir())):
        results = read(path)
        runs = list(results.simulations())
        assert all(isinstance(run, RecordedRun) for run in runs), runs
        counts[path.name] = (results.domain, results.solo, len(runs), len(results.tasks()))
    assert counts["gpt-4.1-telecom-solo.json"] == ("telecom", True, 40, 40)
    assert counts["zero-simulations.json"] == ("telecom", True, 0, 5)
    assert counts["voice-folder-layout"] == ("retail", False, 3, 0)
    assert counts["unknown-domain.json"] == ("hotel_calle", False, 10, 10)
