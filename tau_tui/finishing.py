"""What is done when a session has ended: it is scored off the screen's thread, and the verdict is recorded."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sessions.event import Scored

if TYPE_CHECKING:
    from domains.database import Change
    from domains.values import JSON
    from sessions.players.model.choice import ModelChoice
    from sessions.reward import Verdict
    from sessions.session import Session


async def finish(session: Session) -> Verdict:
    """Score an ended session, and record the verdict when it is another than was recorded.

    Raises DataError and RecordingFailed.
    """
    verdict, told = await asyncio.to_thread(_score, session)
    scored = session.state.scored
    # Half of the judgements make no verdict worth keeping: what was judged stands in the events.
    waits = None in verdict.nl_assertions
    if scored is None or (not waits and scored.verdict.get("nl_assertions") != told["nl_assertions"]):
        await session.emit(Scored(reward=verdict.reward, verdict=told))
    return verdict


def to_be_judged(session: Session) -> bool:
    """Tell whether there is an assertion in words that nobody has judged, in a session whose reward could count it."""
    from tau_tui.report import EVALUATED

    ended = session.state.ended
    judged = session.state.judgements(len(session.task.nl_assertions))
    return ended is not None and ended.reason in EVALUATED and None in judged


async def ask_judge(session: Session, model: ModelChoice) -> str:
    """Let a model judge, and record its verdicts beside those of people. Return why it was not judged, else nothing.

    The model works in the thread that all models work in. Raises RecordingFailed.
    """
    from sessions.players.model.judge import judge

    judgement = await judge(model, session.task.nl_assertions, tuple(session.state.turns))
    await session.emit(*judgement.events())
    return judgement.problem


def _score(session: Session) -> tuple[Verdict, dict[str, JSON]]:
    from sessions.reward import score

    ended = session.state.ended
    verdict = score(
        session.domain,
        session.task,
        tuple(session.state.turns),
        ended.reason if ended is not None else None,
        solo=session.header.solo,
        judgements=session.state.judgements(len(session.task.nl_assertions)),
    )
    return verdict, verdict.to_json()


def goal_changes(session: Session) -> tuple[Change, ...]:
    """Return what the gold actions change; plays them, so call it in a thread. Raises DataError."""
    from sessions.reward import goal

    criteria = session.task.evaluation_criteria
    counts = criteria is None or "DB" in criteria.reward_basis
    live = not counts and session.domain.definition.sync is not None
    return goal(session.domain, session.task, live=live).env.fork().changes()
