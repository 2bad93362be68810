"""tau2 results files on the bundled airline, in which gold is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from domains import load_domain

INFO: dict[str, Any] = {
    "git_commit": "c0ffee",
    "num_trials": 1,
    "max_steps": 100,
    "max_errors": 7,
    "user_info": {"implementation": "user_simulator", "llm": "a-user", "global_simulation_guidelines": "long"},
    "agent_info": {"implementation": "llm_agent", "llm": "an-agent", "llm_args": {"temperature": 0.5}},
    "environment_info": {"domain_name": "airline", "policy": "be kind"},
    "seed": 300,
}
AIRLINE = load_domain("airline")
TASKS = [task for task in AIRLINE.tasks if len(task.gold) > 1 and not task.nl_assertions][:3]


def simulation(number: int = 0, trial: int = 0, *, upto: int | None = None, **more: Any) -> dict[str, Any]:
    """A run of task `number` that makes its gold actions, or only so many of them, and says what must be said."""
    task = TASKS[number]
    env = AIRLINE.environment(task)
    criteria = task.evaluation_criteria
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "I need help."},
    ]
    for i, action in enumerate(task.gold[:upto]):
        call = {"id": str(i), "name": action.name, "arguments": action.arguments, "requestor": "assistant"}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        answer = env.call("agent", action.name, action.arguments)
        messages.append({"role": "tool", "id": str(i), "content": answer.content, "error": answer.error})
    required = (criteria.communicate_info if criteria else None) or []
    messages.append({"role": "assistant", "content": f"Done: {' '.join(required)}"})
    messages.append({"role": "user", "content": "Bye ###STOP###"})
    for i, message in enumerate(messages):
        message["timestamp"] = f"2025-01-02T03:04:{i:02}"
    return {
        "id": f"run-{number}-{trial}",
        "task_id": task.id,
        "start_time": "2025-01-02T03:04:00",
        "end_time": "2025-01-02T03:05:00",
        "duration": 60.0,
        "agent_cost": 0.25,
        "termination_reason": "user_stop",
        "messages": messages,
        "trial": trial,
        "reward_info": {"reward": 1.0, "db_check": {"db_match": True, "db_reward": 1.0}},
    } | more


def results(path: Path, *simulations: Any, **more: Any) -> Path:
    """Write a results file."""
    tasks = [task.model_dump(mode="json", exclude_unset=True) for task in TASKS]
    path.write_text(json.dumps({"info": INFO, "tasks": tasks, "simulations": list(simulations)} | more))
    return path
