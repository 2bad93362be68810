"""`tau-tui score --judge MODEL`: over real HTTP, on a recording and on a results file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sessions.event import Judged
from sessions.recorder import Recorder
from tau_tui.cli import main
from tests.fake_llm import FakeLLM, Says
from tests.models.test_judge import recorded, verdicts

pytestmark = [pytest.mark.usefixtures("litellm"), pytest.mark.filterwarnings("ignore")]


def test_a_recording_is_judged_and_people_are_compared_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.db"
    recorder = asyncio.run(recorded(file))
    recorder.write("S", len(recorder.events("S")), Judged(at=9e9, assertion=0, met=True, by="ann"))
    recorder.close()
    with FakeLLM(Says(verdicts(True))) as server:
        code = main(["score", "--db", str(file), "--judge", "small", "--judge-api-base", server.url])
    out = capsys.readouterr().out
    assert code == 0
    assert "reward 1" in out and "people: y" in out and "small: y" in out
    assert "small agrees with people on 1 of 1 assertions" in out
    main(["score", str(file), "--judge", "human", "--json"])
    row = json.loads(capsys.readouterr().out)
    assert row["reward"] == 1.0 and row["by_people"] == [True] and row["by_models"] == {"small": [True]}


def test_an_odd_judge_leaves_the_reward_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.db"
    asyncio.run(recorded(file)).close()
    with FakeLLM(Says(verdicts(True, True))) as server:
        code = main(["score", str(file), "--json", "--judge", "small", "--judge-api-base", server.url])
    row = json.loads(capsys.readouterr().out)
    assert code == 0 and row["reward"] is None
    assert any("2 verdicts for 1 statements" in note for note in row["notes"])
    kept = Recorder(file)
    assert not any(isinstance(event, Judged) for event in kept.events("S"))
    kept.close()


@pytest.mark.official
def test_runs_of_a_results_file_are_judged(
    official: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = {
        "timestamp": "2025-01-01T00:00:00",
        "info": {
            "git_commit": "x",
            "num_trials": 1,
            "max_steps": 10,
            "max_errors": 10,
            "user_info": {"implementation": "user_simulator", "llm": "u"},
            "agent_info": {"implementation": "llm_agent", "llm": "a"},
            "environment_info": {"domain_name": "mock", "policy": "p"},
        },
        "tasks": [
            {
                "id": "t",
                "user_scenario": {"instructions": "x"},
                "evaluation_criteria": {"nl_assertions": ["It greets."], "reward_basis": ["NL_ASSERTION"]},
            }
        ],
        "simulations": [
            {
                "id": f"s{i}",
                "task_id": "t",
                "start_time": "2025-01-01T00:00:00",
                "end_time": "2025-01-01T00:01:00",
                "duration": 60,
                "termination_reason": "user_stop",
                "reward_info": None,
                "messages": [
                    {"role": "assistant", "content": "Hi"},
                    {"role": "user", "content": "Bye ###STOP###"},
                ],
            }
            for i in range(3)
        ],
    }
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results))
    with FakeLLM(Says(verdicts(False))) as server:
        code = main(["score", str(file), "--json", "--judge", "small", "--judge-api-base", server.url])
        assert len(server.requests) == 3
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0 and [row["reward"] for row in rows] == [0.0, 0.0, 0.0]
    assert [row["nl_assertions"] for row in rows] == [[False]] * 3


def test_an_unknown_judge_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(tmp_path / "r.json"), "--judge", "nobody"]) == 2
    assert "there is no judge 'nobody'" in capsys.readouterr().err
