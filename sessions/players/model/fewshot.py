"""Examples for a prompt: other tasks of the pack, played by the offline partners and rewarded in full."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Final

from domains.catalog import Domain
from sessions.players.model.texts import written
from sessions.trajectory import Turn

if TYPE_CHECKING:
    from domains.task import Task

TRIED: Final = 5
"""For every example wanted, so many tasks are tried."""


async def examples(domain: Domain, task_id: str, wanted: int, seed: int, style: str) -> str:
    """Return conversations of other tasks, which task is drawn by the seed; fewer where fewer go well."""
    split = domain.splits.get("train") or domain.splits["base"]
    others = [one for one in split if one != task_id]
    random.Random(seed).shuffle(others)
    found: list[str] = []
    for one in others[: wanted * TRIED]:
        if (turns := await _played(domain, domain.task(one))) is not None:
            found.append(f"Example {len(found) + 1}:\n" + "\n".join(_lines(turns, style)))
        if len(found) == wanted:
            break
    return "\n\n".join(found)


async def _played(domain: Domain, task: Task) -> tuple[Turn, ...] | None:
    from sessions.players.oracle import OracleAgent
    from sessions.players.script import ScriptUser
    from sessions.reward import score
    from sessions.session import Session, play

    session = Session.new(
        domain, task, {"agent": OracleAgent(domain, task), "user": ScriptUser(domain, task)}, view="open"
    )
    await play(session)
    turns = tuple(session.state.turns)
    ended = session.state.ended
    verdict = score(domain, task, turns, ended.reason if ended else None)
    return turns if verdict.reward == 1.0 else None


def _lines(turns: tuple[Turn, ...], style: str) -> list[str]:
    """Return a conversation in the form the agent is to write."""
    lines = []
    for turn in turns:
        speaker = "You" if turn.seat == "agent" else "Customer"
        if turn.text:
            said = turn.text if style == "calls" or turn.seat == "user" else written("respond", {"content": turn.text})
            lines.append(f"{speaker}: {said}")
        for done in turn.calls if turn.seat == "agent" else ():
            call = written(done.call.name, done.call.arguments)
            if style == "calls":
                call = f"[you call {done.call.name}({json.dumps(dict(done.call.arguments), ensure_ascii=False)})]"
            answer = done.result.content if done.result is not None else ""
            lines += [f"You: {call}" if style != "calls" else call, f"API output: {answer}"]
    return lines
