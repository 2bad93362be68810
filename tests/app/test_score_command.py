"""`tau-tui score` against what the official code answered, and what it says of files it cannot score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domains import list_domains, load_domain
from sessions.interop.tau2 import read
from tau_tui.commands.score import run

FIELDS = [
    "file",
    "simulation",
    "task",
    "trial",
    "domain",
    "solo",
    "termination",
    "reward",
    "recorded_reward",
    "db_match",
    "env_assertions",
    "action_checks",
    "communicate",
    "nl_assertions",
    "agent_digest",
    "user_digest",
    "base_digest",
    "notes",
]


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def results_file(folder: Path, name: str = "runs.json", **more: Any) -> Path:
    """A file of one run on the bundled airline that did nothing, for a task that wants nothing."""
    run = {
        "id": "s1",
        "task_id": "7",
        "termination_reason": "user_stop",
        "messages": [{"role": "assistant", "content": "Hi [/b] \x1b[2J"}],
        "trial": 0,
    }
    criteria = {"actions": [], "communicate_info": [], "nl_assertions": ["polite"], "reward_basis": ["NL_ASSERTION"]}
    checks = {"reward": 1.0, "nl_assertions": [{"nl_assertion": "polite", "met": True}]}
    content = {
        "info": {"environment_info": {"domain_name": "airline"}},
        "tasks": [{"id": "7", "user_scenario": {}, "evaluation_criteria": criteria}],
        "simulations": [run | {"reward_info": checks}],
    }
    path = folder / name
    path.write_text(json.dumps(content | more))
    return path


@pytest.mark.official
@pytest.mark.parametrize(
    "name",
    [
        "gpt-4.1-airline.json",
        "grok-4-airline-4tasks-4trials.json",
        "v1-airline-5tasks.json",
        "gpt-4.1-retail.json",
        "gpt-4.1-telecom-solo.json",
        "grok-3-telecom-workflow.json",
        "v1-telecom-1task.json",
    ],
)
def test_every_recorded_run_is_scored_as_the_official_code_does(
    name: str, official: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus / "tau2" / name
    assert read(path).domain in list_domains(official)
    lines = [json.loads(line) for line in (corpus / "expected.jsonl").read_text().splitlines()]
    expected = {line["simulation"]: line for line in lines if line["file"] == f"tau2/{name}"}
    assert run([path], data=official, json=True) == 0
    scored = rows(capsys)
    assert [row["simulation"] for row in scored] == list(expected)
    untouched = load_domain(read(path).domain, official).environment().digest("agent")
    for row in scored:
        assert list(row) == FIELDS
        assert (row["file"], row["base_digest"]) == (str(path), untouched)
        known = expected[row["simulation"]]
        ours = {field: row[field] for field in FIELDS if field in known and field != "file"}
        assert ours == {field: known[field] for field in ours}


@pytest.mark.official
def test_tasks_of_the_pack_replace_those_of_the_file_on_request(
    official: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus / "hazards" / "voice-folder-layout"
    assert run([path], data=official, json=True) == 2
    assert "task_id: there is no task" in capsys.readouterr().err
    assert run([path], data=official, json=True, fresh_tasks=True) == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 3
    assert all("full duplex" in line for line in error)


@pytest.mark.official
def test_runs_graded_with_the_gold_of_another_task_are_noticed(
    official: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([corpus / "hazards" / "mislabelled-task-ids.json"], data=official, json=True) == 0
    assert any("not of this task" in note for row in rows(capsys) for note in row["notes"])


@pytest.mark.official
def test_a_domain_nobody_has_gets_one_line(official: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([corpus / "hazards" / "unknown-domain.json"], data=official) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_recorded_judge_is_the_file_and_without_a_judge_there_is_no_reward(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results_file(tmp_path)
    assert run([path], judge="recorded", json=True) == 0
    (row,) = rows(capsys)
    assert (row["reward"], row["nl_assertions"]) == (1, [True])
    assert run([path], judge="none", json=True) == 0
    (row,) = rows(capsys)
    assert (row["reward"], row["nl_assertions"]) == (None, [])
    assert row["notes"]


def test_people_get_a_table_with_nothing_that_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results_file(tmp_path)
    content = json.loads(path.read_text())
    content["tasks"][0]["id"] = content["simulations"][0]["task_id"] = "[/b]\x1b[2J"
    path.write_text(json.dumps(content))
    assert run([path], judge="none") == 0
    out = capsys.readouterr().out
    assert "[/b]␛[2J" in out
    assert "\x1b[2J" not in out
    assert "1 simulation, 1 not judged" in out


def test_what_cannot_be_scored_is_one_line_each_and_the_rest_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = results_file(tmp_path)
    content = json.loads(good.read_text())
    broken = [*content["simulations"], {"id": "s2"}, content["simulations"][0] | {"id": "s3", "task_id": "8"}]
    mixed = results_file(tmp_path, "mixed.json", simulations=broken)
    no_results = tmp_path / "none.json"
    no_results.write_text("{}")
    assert run([no_results, mixed, good], judge="recorded", json=True) == 2
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 2
    lines = printed.err.splitlines()
    assert [str(no_results) in lines[0], "simulation s2: task_id" in lines[1], "no task '8'" in lines[2]] == [True] * 3
    assert len(lines) == 3


def test_a_file_that_cannot_be_opened_is_an_outside_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([tmp_path / "nowhere.json", results_file(tmp_path)], judge="recorded", json=True) == 3
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == len(printed.err.splitlines()) == 1


def test_an_initial_state_that_does_not_apply_is_said_for_its_simulation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results_file(tmp_path)
    content = json.loads(path.read_text())
    content["tasks"][0]["initial_state"] = {"initialization_actions": [{"env_type": "user", "func_name": "boom"}]}
    path.write_text(json.dumps(content))
    assert run([path], json=True) == 2
    assert "simulation s1" in capsys.readouterr().err


def test_an_unknown_judge_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([results_file(tmp_path)], judge="oracle") == 2
    assert "recorded" in capsys.readouterr().err
