"""`tau-tui replay --gold`: the reference actions of a task, one by one, with what each changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from domains import load_domain
from domains.values import JSON
from sessions.event import encode_change
from sessions.replay import Replay, Step, gold_replay, gold_replays
from tau_tui.commands.printing import print_table
from tau_tui.opening import find_task
from tau_tui.replay_text import arguments_text, fate, requirements
from tau_tui.widgets.change_text import path_text, value_text


def run(name: str, named: str, data: Path | None, how: str | None, *, as_json: bool) -> int:
    """Print one row a step. Raises DataError."""
    domain = load_domain(name, data)
    task = find_task(domain, named)
    shown = gold_replays(domain, task)[0] if how is None else gold_replay(domain, task, live=how == "live")
    if as_json:
        for step in shown.steps[1:]:
            sys.stdout.write(json.dumps(_row(shown, step), ensure_ascii=False) + "\n")
        return 0
    print_table(
        ["step", "by", "action", "what it does", "changes"],
        [_cells(shown, step) for step in shown.steps[1:]],
        empty="this task has no reference actions",
    )
    sys.stdout.write("\n" + "\n".join(line.text for line in requirements(shown, shown.steps[shown.last])) + "\n")
    return 0


def _row(shown: Replay, step: Step) -> dict[str, JSON]:
    done = step.done
    assert done is not None
    assert done.result is not None
    return {
        "domain": shown.domain.name,
        "task": shown.task.id,
        "played": shown.gold,
        "step": step.number,
        "by": done.call.seat,
        "action": {"id": done.call.id, "name": done.call.name, "arguments": dict(done.call.arguments)},
        "kind": step.tool.kind if step.tool is not None else None,
        "result": done.result.content,
        "error": done.result.error,
        "dropped": shown.drops_out(step),
        "changes": [encode_change(change) for change in done.result.changes],
        "synced": [encode_change(change) for change in (done.synced.changes if done.synced else ())],
        "env_assertions": list(step.met),
    }


def _cells(shown: Replay, step: Step) -> list[str]:
    done = step.done
    assert done is not None
    what = fate(shown, step) if step.failed else step.tool.kind if step.tool is not None else "no such tool"
    if step.failed and done.result is not None:
        what = f"{done.result.content}; {what}"
    moved = [
        f"{c.table} {c.key} {path_text(c.path)}: {value_text(c.before)} → {value_text(c.after)}" for c in step.made
    ]
    return [
        str(step.number),
        done.call.seat,
        f"{done.call.name}({arguments_text(done.call.arguments)})",
        what,
        "\n".join(moved),
    ]
