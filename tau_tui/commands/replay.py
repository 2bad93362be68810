"""`tau-tui replay` in plain text: the steps of a session, of a run or of gold, with what each changes."""

from __future__ import annotations

import sys
from pathlib import Path

from domains import load_domain
from domains.values import JSON
from sessions.choosing import by_id
from sessions.event import Call, Message, Reviewed, encode, encode_change
from sessions.interop.runs import Listed, Runs
from sessions.recorder import Recorder, default_file
from sessions.replay import Replay, Step, gold_replay, gold_replays
from sessions.value_text import path_text
from sessions.watching import Watched, watched
from tau_tui.commands.printing import print_json, print_table
from tau_tui.exits import WrongUsage
from tau_tui.opening import find_task
from tau_tui.replay_text import arguments_text, fate, requirements, told
from tau_tui.widgets.change_text import value_text


def run(name: str, named: str, data: Path | None, how: str | None, *, as_json: bool) -> int:
    """Print one row a step. Raises DataError."""
    domain = load_domain(name, data)
    task = find_task(domain, named)
    shown = gold_replays(domain, task)[0] if how is None else gold_replay(domain, task, live=how == "live")
    if as_json:
        for step in shown.steps[1:]:
            print_json(_row(shown, step))
        return 0
    print_table(
        ["step", "by", "action", "what it does", "changes"],
        [_cells(shown, step) for step in shown.steps[1:]],
        empty="this task has no reference actions",
    )
    sys.stdout.write("\n" + "\n".join(line.text for line in requirements(shown, shown.steps[shown.last])) + "\n")
    return 0


def run_session(
    named: str, number: int | None, data: Path | None, db: Path | None, *, domain: str | None = None, as_json: bool
) -> int:
    """Print one row a step of a session, or of a run of a file; of a file with several, the list of them.

    `domain` is that of a file which does not tell it.

    Raises WrongUsage, DataError, OSError and RecordingFailed.
    """
    packs = [] if data is None else [data]
    if (path := Path(named)).exists():
        runs = Runs(path, data, domain)
        listed = list(runs) if number is None else []
        if number is None and len(listed) != 1:
            return _list(listed, as_json=as_json)
        events = runs.events(number or 0)
    else:
        file = db or default_file()
        if not file.exists():
            raise WrongUsage(f"{named}: there is no such file, and nothing is recorded in {file}")
        recorder = Recorder(file)
        try:
            events = recorder.events(by_id(recorder, [named])[0])
        finally:
            recorder.close()
    found = watched(events, packs)
    if as_json:
        for step in found.replay.steps[1:]:
            print_json(_session_row(found, step))
        return 0
    rows = [_session_cells(found, step) for step in found.replay.steps[1:]]
    print_table(["step", "turn", "what", "changes"], rows, empty="nothing has happened in this session")
    if found.missing:
        sys.stdout.write(f"\n{found.missing}\n")
    return 0


def _list(runs: list[Listed], *, as_json: bool) -> int:
    if as_json:
        for run in runs:
            print_json({name: getattr(run, name) for name in run.__slots__})
        return 0
    cells = [
        [
            r.number,
            r.domain,
            r.task,
            "–" if r.trial is None else r.trial,
            r.turns,
            r.problem or r.ending,
            "–" if r.reward is None else f"{r.reward:g}",
        ]
        for r in runs
    ]
    print_table(
        ["run", "domain", "task", "trial", "turns", "ended by", "reward"], cells, empty="the file holds no runs"
    )
    if runs:
        sys.stdout.write("\n--run N goes through one of them\n")
    return 0


def _faults(found: Watched, step: Step) -> list[str]:
    return [
        *(["unconfirmed_write"] if step.number in found.unconfirmed else []),
        *(["decisive"] if step.number == found.decisive else []),
    ]


def _session_row(found: Watched, step: Step) -> dict[str, JSON]:
    return {
        "session": found.header.id,
        "step": step.number,
        "turn": _turn(step),
        "events": [encode(event) for event in step.events],
        "kind": step.tool.kind if step.tool is not None else None,
        "changes": [encode_change(change) for change in step.made],
        "faults": _faults(found, step),
        "env_assertions": list(step.met),
    }


def _session_cells(found: Watched, step: Step) -> list[str]:
    text, _ = told(found.replay, step)
    turn = _turn(step)
    faults = [name.replace("_", " ") for name in _faults(found, step)]
    return [str(step.number), "" if turn is None else f"t{turn}", " · ".join([text, *faults]), _moved(step)]


def _turn(step: Step) -> int | None:
    return next((event.turn for event in step.events if isinstance(event, Message | Call | Reviewed)), None)


def _row(shown: Replay, step: Step) -> dict[str, JSON]:
    done = step.done
    assert done is not None
    assert done.result is not None
    assert shown.domain is not None
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
    return [
        str(step.number),
        done.call.seat,
        f"{done.call.name}({arguments_text(done.call.arguments)})",
        what,
        _moved(step),
    ]


def _moved(step: Step) -> str:
    return "\n".join(
        f"{c.table} {c.key} {path_text(c.path)}: {value_text(c.before)} → {value_text(c.after)}" for c in step.made
    )
