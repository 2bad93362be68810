"""`tau-tui score`: the reward of every simulation in tau2 results files, and of recorded sessions."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from domains import DataError, load_domain
from domains.values import JSON
from sessions.interop.ours import is_database
from sessions.interop.tau2 import RecordedRun, Results, read
from sessions.reward import score
from tau_tui.commands import score_recording
from tau_tui.exits import DONE, OUTSIDE, USAGE
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from domains import Domain
    from domains.task import Task
    from sessions.players.model.choice import ModelChoice
    from sessions.players.model.judge import Judgement

JUDGES = ("none", "recorded", "human")
"""Everybody else who judges is a model, by its name."""
AT_ONCE = 8


def run(
    files: Sequence[Path | str],
    *,
    data: Path | None = None,
    judge: str = "none",
    model: ModelChoice | None = None,
    fresh_tasks: bool = False,
    json: bool = False,
) -> int:
    """Score results files and recordings, print one JSON object a line or a table, and return the exit code.

    With a `model` it judges the assertions in words. What cannot be read or scored gets one line on stderr; everything
    else is scored.
    """
    if judge not in JUDGES and model is None:
        _complain(f"--judge {judge}: expected one of {', '.join(JUDGES)}")
        return USAGE
    code = DONE
    for file in files:
        try:
            if is_database(Path(file)):
                code = score_recording.run(Path(file), data=data, judge=judge, model=model, json=json) or code
                continue
            results = read(Path(file))
            domain = load_domain(results.domain, data)
            base_digest = domain.environment().digest("agent")
            tasks = {task.id: task for task in domain.tasks} if fresh_tasks else results.tasks()
        except OSError as error:
            _complain(f"{file}: cannot be read: {error.strerror or error}")
            code = OUTSIDE
            continue
        except DataError as error:
            _complain(_named(file, error))
            code = code or USAGE
            continue
        rows = []
        for scored in _scored(results, domain, tasks, judge, model):
            if isinstance(scored, DataError):
                _complain(_named(file, scored))
                code = code or USAGE
                continue
            notes = scored.pop("notes")
            row = {"file": str(file), **scored, "base_digest": base_digest, "notes": notes}
            if json:
                print(jsonlib.dumps(row), flush=True)
            else:
                rows.append(row)
        if not json:
            _table(str(file), results, rows)
    return code


def _scored(
    results: Results, domain: Domain, tasks: Mapping[str, Task], judge: str, model: ModelChoice | None
) -> Iterator[dict[str, JSON] | DataError]:
    """Yield the row of every simulation, or what is wrong with it."""
    for batch in _batches(_runs(results), 1 if model is None else AT_ONCE):
        given = {} if model is None else _judged(batch, tasks, model)
        for found in batch:
            if isinstance(found, DataError):
                yield found
                continue
            try:
                yield _row(results, domain, tasks, found, judge, given.get(found.id))
            except DataError as error:
                yield DataError(f"simulation {found.id}: {error}")


def _runs(results: Results) -> Iterator[RecordedRun | DataError]:
    runs = results.simulations()
    while True:
        try:
            yield next(runs)
        except StopIteration:
            return
        except OSError as error:
            yield DataError(f"{error.filename}: cannot be read: {error.strerror}")
            return


def _batches(runs: Iterator[RecordedRun | DataError], size: int) -> Iterator[list[RecordedRun | DataError]]:
    while batch := list(islice(runs, size)):
        yield batch


def _judged(
    batch: Sequence[RecordedRun | DataError], tasks: Mapping[str, Task], model: ModelChoice
) -> dict[str, Judgement]:
    """Let the model judge some simulations at the same time."""
    from sessions.players.model.judge import judge

    async def all_of_them() -> dict[str, Judgement]:
        asked = {
            found.id: judge(model, tasks[found.task_id].nl_assertions, found.turns)
            for found in batch
            if not isinstance(found, DataError) and found.turns is not None and found.task_id in tasks
        }
        return dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))

    return asyncio.run(all_of_them())


def _row(
    results: Results,
    domain: Domain,
    tasks: Mapping[str, Task],
    found: RecordedRun,
    judge: str,
    given: Judgement | None,
) -> dict[str, JSON]:
    task = tasks.get(found.task_id)
    if task is None:
        raise DataError(f"task_id: there is no task {found.task_id!r} here; --fresh-tasks takes it from the pack")
    if found.turns is None:
        raise DataError("messages: there are none (a full duplex run), so there is nothing to score")
    wanted = (task.evaluation_criteria.nl_assertions if task.evaluation_criteria else None) or []
    verdict = score(
        domain,
        task,
        found.turns,
        found.termination,
        solo=results.solo,
        judgements=(given.verdicts or None) if given else found.judgements(wanted) if judge == "recorded" else None,
        with_history=True,
    )
    notes = list(verdict.notes)
    if given is not None and given.problem:
        notes.append(f"not judged: {given.problem}")
    graded = found.checked_actions()
    if graded and graded != [(action.name, action.arguments) for action in task.gold]:
        notes.append("the recorded checks are not of this task: mislabelled, or the task has changed")
    return {
        "simulation": found.id,
        "task": found.task_id,
        "trial": found.trial,
        "domain": results.domain,
        "solo": results.solo,
        "termination": found.termination,
        "reward": verdict.reward,
        "recorded_reward": found.reward,
        "db_match": verdict.db_match,
        "env_assertions": list(verdict.env_assertions),
        "action_checks": list(verdict.action_checks),
        "communicate": list(verdict.communicate),
        "nl_assertions": list(verdict.nl_assertions),
        "agent_digest": verdict.agent_digest(),
        "user_digest": verdict.user_digest(),
        "notes": notes,
    }


def _named(file: Path | str, error: DataError) -> str:
    line = str(error)
    return line if line.startswith(str(file)) else f"{file}: {line}"


def _complain(line: str) -> None:
    print(f"tau-tui score: {one_line(line)}", file=sys.stderr)


def _table(file: str, results: Results, rows: Sequence[Mapping[str, JSON]]) -> None:
    from tau_tui.commands.printing import print_line

    print_line(one_line(f"{file} · {results.domain}{' solo' if results.solo else ''}"))
    if rows:
        _print_rows([_cells(row) for row in rows])
    noted: dict[str, list[str]] = {}
    for row in rows:
        for note in row["notes"]:
            noted.setdefault(note, []).append(row["task"])
    for note, of in noted.items():
        print_line(one_line(f"task {', '.join(dict.fromkeys(of))}: {note}"))
    judged = [row for row in rows if row["reward"] is not None]
    parts = ["1 simulation" if len(rows) == 1 else f"{len(rows)} simulations"]
    if judged:
        parts.append(f"mean reward {sum(row['reward'] for row in judged) / len(judged):.3f}")
    if len(judged) < len(rows):
        parts.append(f"{len(rows) - len(judged)} not judged")
    if others := sum(row["recorded_reward"] not in (None, row["reward"]) for row in judged):
        parts.append(f"{others} rewarded otherwise in the file")
    print_line(", ".join(parts))


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tau_tui.commands.printing import print_table, width

    names = ("task", "trial", "end", "reward", "file", "db", "env", "act", "com", "nl")
    if width() is None:
        print_table(names, rows, empty="")
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(names[0], overflow="fold", min_width=16)
    for name in names[1:]:
        table.add_column(name, justify="right" if name in ("trial", "reward", "file") else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    Console().print(table)


def _cells(row: Mapping[str, JSON]) -> list[str]:
    return [
        row["task"],
        "" if row["trial"] is None else str(row["trial"]),
        row["termination"],
        _number(row["reward"]),
        _number(row["recorded_reward"]),
        "" if row["db_match"] is None else "=" if row["db_match"] else "≠",
        *(_share(row[name]) for name in ("env_assertions", "action_checks", "communicate", "nl_assertions")),
    ]


def _number(reward: float | None) -> str:
    return "—" if reward is None else f"{reward:g}"


def _share(verdicts: Sequence[bool]) -> str:
    return f"{sum(verdicts)}/{len(verdicts)}" if verdicts else ""
