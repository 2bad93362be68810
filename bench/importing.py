"""Importing a results file of 500 MB: the memory it takes at most, and how long, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from bench.report import Row
from domains import load_domain
from domains.catalog import Domain
from domains.task import Task
from domains.values import JSON

SIZE = 500_000_000
START = datetime(2025, 1, 1, tzinfo=UTC)
IMPORT = """
import resource, sys
from pathlib import Path
from tau_tui.cli import main
code = main(["import", sys.argv[1], "--db", sys.argv[2]])
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
status = Path("/proc/self/status")
if status.exists():  # Linux counts what the parent held before the exec into ru_maxrss, not into VmHWM
    peak = next(int(line.split()[1]) * 1024 for line in status.open() if line.startswith("VmHWM"))
print(peak, file=sys.stderr)
sys.exit(code)
"""


def run() -> list[Row]:
    """Write such a file, import it, and import it again."""
    with tempfile.TemporaryDirectory() as folder:
        path, db = Path(folder) / "results.json", Path(folder) / "sessions.db"
        runs = write_results(path, SIZE)
        peak, seconds = measure(path, db)
        again, seconds_again = measure(path, db)
        megabytes = path.stat().st_size / 1e6
    return [
        Row(f"importing {megabytes:.0f} MB ({runs} runs), peak memory", peak / 1e6, "MB", 1, 300),
        Row("importing it", seconds, "s", 1),
        Row("importing it again, peak memory", again / 1e6, "MB", 1, 300),
        Row("importing it again", seconds_again, "s", 1),
    ]


def measure(path: Path, db: Path) -> tuple[int, float]:
    """Import a file in a process of its own and return its peak memory in bytes, and the seconds it took."""
    started = datetime.now(UTC)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(path), str(db)],
        check=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    return int(done.stderr.split()[-1]), (datetime.now(UTC) - started).total_seconds()


def write_results(path: Path, size: int) -> int:
    """Write a tau2 results file of about so many bytes, gold played over and over; return how many runs it holds."""
    domain = load_domain("airline")
    with path.open("w", encoding="utf-8") as file:
        info = {
            "git_commit": "none",
            "num_trials": 1,
            "max_steps": 200,
            "max_errors": 10,
            "user_info": {"implementation": "user_simulator", "llm": "a-user"},
            "agent_info": {"implementation": "llm_agent", "llm": "an-agent", "llm_args": {"temperature": 0.0}},
            "environment_info": {"domain_name": "airline", "policy": domain.policy},
        }
        tasks = [task.model_dump(mode="json", exclude_unset=True) for task in domain.tasks]
        head = {"timestamp": START.isoformat(), "info": info, "tasks": tasks}
        file.write(json.dumps(head)[:-1] + ', "simulations": [')
        for number in count():
            task = domain.tasks[number % len(domain.tasks)]
            simulation = json.dumps(_simulation(domain, task, number, number // len(domain.tasks)))
            file.write((",\n" if number else "") + simulation)
            if file.tell() >= size:
                break
        file.write("]}")
    return number + 1


def _simulation(domain: Domain, task: Task, number: int, trial: int) -> dict[str, JSON]:
    begun = START + timedelta(minutes=number)
    messages = list(_messages(domain, task))
    for i, message in enumerate(messages):
        message |= {"turn_idx": i, "timestamp": (begun + timedelta(seconds=i)).isoformat()}
        if message["role"] != "tool":
            usage = {"completion_tokens": 100 + i, "prompt_tokens": 4000 + i}
            message |= {"cost": 0.01, "usage": usage, "raw_data": {"message": message["content"], "index": i}}
    return {
        "id": f"run-{number}",
        "task_id": task.id,
        "start_time": begun.isoformat(),
        "end_time": (begun + timedelta(seconds=len(messages))).isoformat(),
        "duration": float(len(messages)),
        "termination_reason": "user_stop",
        "agent_cost": 0.1,
        "reward_info": {"reward": 1.0, "db_check": {"db_match": True, "db_reward": 1.0}},
        "messages": messages,
        "trial": trial,
    }


def _messages(domain: Domain, task: Task) -> Iterator[dict[str, JSON]]:
    env = domain.environment(task)
    required = (task.evaluation_criteria.communicate_info if task.evaluation_criteria else None) or []
    yield {"role": "assistant", "content": "Hi! How can I help you today?"}
    yield {"role": "user", "content": task.reason}
    for i, action in enumerate(task.gold):
        call = {"id": f"call_{i}", "name": action.name, "arguments": action.arguments, "requestor": "assistant"}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        answer = env.call(action.requestor, action.name, action.arguments)
        yield {"role": "tool", "id": f"call_{i}", "content": answer.content, "error": answer.error}
        yield {"role": "assistant", "content": f"This is what I found, step {i}: {answer.content}"}
        yield {"role": "user", "content": "Thank you, please go on. " * 20}
    yield {"role": "assistant", "content": f"All is done: {' '.join(required)}"}
    yield {"role": "user", "content": "Good. ###STOP###"}
