"""What is done when a session has ended: it is scored off the screen's thread, and the verdict is recorded."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sessions.event import Scored

if TYPE_CHECKING:
    from domains.database import Change
    from domains.values import JSON
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
