"""Judges recorded sessions later: a model's verdicts are added to their events, and they are scored again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from domains.errors import DataError
from domains.task import Task
from sessions.event import Event, Scored
from sessions.export.record import pack_of
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import complete
from sessions.players.model.judge import judge
from sessions.players.model.player import Completing
from sessions.processes import played_elsewhere
from sessions.recorder import Recorder
from sessions.reward import Verdict, score
from sessions.trajectory import State, fold

AT_ONCE: Final = 8
"""How many judgements are asked for at the same time."""


@dataclass(frozen=True, slots=True)
class JudgedSession:
    """A recorded session with its verdict as it stands now; `problem` says why a model's judgement is missing."""

    session_id: str
    events: tuple[Event, ...]
    verdict: Verdict
    problem: str = ""


async def judge_recorded(
    recorder: Recorder,
    session_ids: Sequence[str],
    model: ModelChoice,
    packs: Sequence[Path | None] = (),
    complete: Completing = complete,
) -> list[JudgedSession | DataError]:
    """Let a model judge ended sessions whose task has assertions in words, keep that, and score them again.

    Raises RecordingFailed.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(session_id: str) -> JudgedSession | DataError:
        async with gate:
            try:
                return await _judged(recorder, session_id, model, packs, complete)
            except DataError as error:
                return DataError(f"session {session_id}: {error}")

    return list(await asyncio.gather(*map(one, session_ids)))


async def _judged(
    recorder: Recorder, session_id: str, model: ModelChoice, packs: Sequence[Path | None], complete: Completing
) -> JudgedSession:
    events, state = _read(recorder, session_id)
    header = state.header
    assert header is not None
    task = Task.model_validate(header.task)
    if state.ended is None:
        raise DataError("it has not ended")
    domain = pack_of(header, packs)
    judgement = await judge(model, task.nl_assertions, state.turns, complete)
    added: list[Event] = list(judgement.events())
    for event in added:
        state.advance(event)
    verdict = await asyncio.to_thread(
        score,
        domain,
        task,
        tuple(state.turns),
        state.ended.reason,
        solo=header.solo,
        judgements=state.judgements(len(task.nl_assertions)),
    )
    if added:
        kept = await asyncio.to_thread(verdict.to_json)
        _keep(recorder, session_id, len(events), [*added, Scored(reward=verdict.reward, verdict=kept)])
    return JudgedSession(session_id, (*events, *added), verdict, judgement.problem)


def _read(recorder: Recorder, session_id: str) -> tuple[list[Event], State]:
    events = recorder.events(session_id)
    if not events:
        raise DataError("there is no such session")
    [(process,)] = recorder.select("select process from sessions where id = ?", (session_id,))
    state = fold(events)
    if state.ended is None and played_elsewhere(process):
        raise DataError("it is being played")
    return events, state


def _keep(recorder: Recorder, session_id: str, seq: int, events: Sequence[Event]) -> None:
    now = time.time()
    for i, event in enumerate(events):
        recorder.write(session_id, seq + i, replace(event, at=now))
