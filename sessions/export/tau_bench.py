"""Writes τ-bench (v1) results: a list of runs whose messages are those of an OpenAI chat.

v1 knows the domains airline and retail, task numbers, and nothing but the agent's calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from domains.errors import DataError
from domains.values import JSON
from sessions.event import Header
from sessions.export.record import Record, costs, words

DOMAINS: Final = frozenset(("airline", "retail"))


def check(header: Header) -> None:
    """Refuse what v1 cannot say. Raises DataError."""
    if header.domain not in DOMAINS or header.solo:
        what = "a solo session" if header.domain in DOMAINS else f"domain {header.domain}"
        raise DataError(f"session {header.id}: τ-bench v1 has no word for {what}; use --format tau2")
    if not header.task_id.isascii() or not header.task_id.isdigit():
        raise DataError(
            f"session {header.id}: τ-bench v1 numbers its tasks, {header.task_id!r} is none; use --format tau2"
        )


def run(record: Record, trial: int) -> dict[str, JSON]:
    """Return one run. Raises DataError."""
    header, task = record.header, record.header.task
    check(header)
    criteria = task.get("evaluation_criteria") or {}
    actions = [
        {"name": action.get("name"), "kwargs": action.get("arguments") or {}}
        for action in criteria.get("actions") or ()
        if action.get("requestor") != "user"
    ]
    outputs = list(criteria.get("communicate_info") or ())
    return {
        "task_id": int(header.task_id),
        "reward": record.reward,
        "info": {
            "task": {
                "user_id": _user_id(actions),
                "actions": actions,
                "instruction": _instruction(task),
                "outputs": outputs,
            },
            "source": "user" if record.state.ended and record.state.ended.by == "user" else "agent",
            "user_cost": costs(record.state).get("user"),
            "reward_info": _reward_info(record, actions, outputs),
        },
        "traj": list(_chat(record)),
        "trial": trial,
    }


def _reward_info(record: Record, actions: list[JSON], outputs: list[str]) -> dict[str, JSON] | None:
    verdict = record.verdict
    if verdict is None:
        return None
    components = verdict.get("components") or {}
    if outputs:
        said = dict(zip(outputs, verdict.get("communicate") or (), strict=False))
        info: dict[str, JSON] = {"r_outputs": components.get("COMMUNICATE"), "outputs": said}
    else:
        goal = record.explanation.verdict.evidence.gold.env.digest("agent") if record.explanation else ""
        info = {"r_actions": components.get("DB"), "gt_data_hash": goal}
    return {"reward": record.reward, "info": info, "actions": actions}


def _instruction(task: Mapping[str, JSON]) -> str:
    told = (task.get("user_scenario") or {}).get("instructions") or ""
    if isinstance(told, str):
        return told
    names = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
    return " ".join(str(told[name]).strip() for name in names if told.get(name))


def _user_id(actions: Iterable[Mapping[str, JSON]]) -> str:
    return next((str(action["kwargs"]["user_id"]) for action in actions if "user_id" in action["kwargs"]), "")


def _chat(record: Record) -> Iterator[dict[str, JSON]]:
    """Yield the messages; v1 begins with the policy, then the user: the agent's greeting is not among them."""
    yield {"role": "system", "content": record.policy}
    for turn in record.state.turns:
        if turn.index == 0 and turn.seat == "agent":
            continue
        text = words(turn)
        if turn.seat == "user":
            yield {"role": "user", "content": text}
            continue
        done = [(d.call, d.result) for d in turn.calls if d.result is not None]
        message: dict[str, JSON] = {"role": "assistant", "content": text if text or not done else None}
        if done:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
                }
                for call, _ in done
            ]
        yield message
        for call, result in done:
            yield {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": result.content}


def array(runs: Iterable[Mapping[str, JSON]]) -> Iterator[str]:
    """Yield the text of a results file, one run at a time."""
    yield "["
    for i, item in enumerate(runs):
        yield ("," if i else "") + "\n" + json.dumps(item, ensure_ascii=False)
    yield "\n]\n"
