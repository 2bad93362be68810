"""Scores recorded sessions anew: by people's verdicts, by those that stand, or by a model, whose verdicts are kept."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from domains.errors import DataError
from domains.task import Task
from domains.values import JSON
from sessions.event import Event, Judged
from sessions.export.record import pack_of
from sessions.judging import JudgedSession, judge_recorded
from sessions.players.model.judge import agreement, standing
from sessions.recorder import Recorder
from sessions.reward import score
from sessions.trajectory import State, fold
from tau_tui.exits import DONE, USAGE
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice


def run(file: Path, *, data: Path | None, judge: str, model: ModelChoice | None, json: bool) -> int:
    """Score the ended sessions of a recording and print a line for each. Raises RecordingFailed.

    A model is asked only about tasks with assertions in words, and its verdicts are added to the recording.
    """
    recorder = Recorder(file)
    packs = [data] if data else []
    code = DONE
    try:
        ids = [one.id for one in reversed(recorder.sessions()) if one.status == "ended"]
        if model is None:
            scored: Sequence[JudgedSession | DataError] = list(_scored(recorder, ids, judge, packs))
        else:
            ids = [one for one in ids if _task(recorder, one).nl_assertions]
            scored = asyncio.run(judge_recorded(recorder, ids, model, packs))
        for one in scored:
            if isinstance(one, DataError):
                print(f"tau-tui score: {one_line(f'{file}: {one}')}", file=sys.stderr)
                code = USAGE
                continue
            row = _row(file, one, model)
            print(jsonlib.dumps(row) if json else _line(row), flush=True)
        if model is not None:
            told = agreement(model.name, (one.events for one in scored if isinstance(one, JudgedSession)))
            print(told.line(), file=sys.stderr if json else sys.stdout)
    finally:
        recorder.close()
    return code


def _scored(
    recorder: Recorder, ids: Sequence[str], judge: str, packs: Sequence[Path]
) -> Iterator[JudgedSession | DataError]:
    for session_id in ids:
        events = recorder.events(session_id)
        state = fold(events)
        header, ended = state.header, state.ended
        assert header is not None and ended is not None
        task = Task.model_validate(header.task)
        try:
            verdict = score(
                pack_of(header, packs),
                task,
                tuple(state.turns),
                ended.reason,
                solo=header.solo,
                judgements=_judgements(judge, events, state, len(task.nl_assertions)),
            )
        except DataError as error:
            yield DataError(f"session {session_id}: {error}")
            continue
        yield JudgedSession(session_id, tuple(events), verdict)


def _judgements(judge: str, events: Sequence[Event], state: State, count: int) -> Sequence[bool | None] | None:
    match judge:
        case "none":
            return None
        case "human":
            people, _ = standing(events, "")
            return [people.get(i) for i in range(count)]
        case _:
            return state.judgements(count)


def _task(recorder: Recorder, session_id: str) -> Task:
    header = recorder.header(session_id)
    assert header is not None
    return Task.model_validate(header.task)


def _row(file: Path, one: JudgedSession, model: ModelChoice | None) -> dict[str, JSON]:
    state = fold(one.events)
    header = state.header
    assert header is not None
    verdict = one.verdict
    people, _ = standing(one.events, "")
    judges = {event.by for event in one.events if isinstance(event, Judged) and event.kind == "model"}
    notes = list(verdict.notes) + ([f"not judged: {one.problem}"] if one.problem else [])
    return {
        "file": str(file),
        "simulation": one.session_id,
        "task": header.task_id,
        "trial": header.origin.get("trial"),
        "domain": header.domain,
        "solo": header.solo,
        "termination": verdict.termination,
        "reward": verdict.reward,
        "recorded_reward": state.recorded.reward if state.recorded else None,
        "db_match": verdict.db_match,
        "env_assertions": list(verdict.env_assertions),
        "action_checks": list(verdict.action_checks),
        "communicate": list(verdict.communicate),
        "nl_assertions": list(verdict.nl_assertions),
        "by_people": [people.get(i) for i in range(len(Task.model_validate(header.task).nl_assertions))],
        "by_models": {by: _by_number(standing(one.events, by)[1]) for by in sorted(judges)},
        "agent_digest": verdict.agent_digest(),
        "user_digest": verdict.user_digest(),
        "base_digest": header.digests.get("agent"),
        "notes": notes,
    }


def _by_number(verdicts: dict[int, bool]) -> list[bool | None]:
    return [verdicts.get(i) for i in range(max(verdicts, default=-1) + 1)]


def _line(row: dict[str, JSON]) -> str:
    reward = "not judged" if row["reward"] is None else f"reward {row['reward']:g}"
    parts = [row["simulation"], f"{row['domain']} {row['task']}", str(row["termination"]), reward]
    for who, verdicts in (("people", row["by_people"]), *row["by_models"].items()):
        if any(met is not None for met in verdicts):
            parts.append(f"{who}: {''.join('?' if met is None else 'y' if met else 'n' for met in verdicts)}")
    return one_line(" · ".join((*parts, *row["notes"])))
