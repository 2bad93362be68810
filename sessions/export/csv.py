"""Writes one row a session: every field of the header but the task itself, and how it came out."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from domains.task import RewardType
from domains.values import JSON
from sessions.event import Call, Failure, Mark, Note, Result, Undone, exposed
from sessions.export.record import Record, costs, iso, messages
from sessions.usage_text import number_in

DIGESTS: Final = ("agent", "user", "policy", "task", "prompts")
COMPONENTS: Final[tuple[RewardType, ...]] = ("DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION")


def rows(records: Iterable[Record]) -> Iterator[str]:
    """Yield the line of names, then one line for each session."""
    for i, record in enumerate(records):
        row = fields(record)
        if i == 0:
            yield _line(row.keys())
        yield _line(row.values())


def fields(record: Record) -> dict[str, JSON]:
    """Return name → value; None where there is none, which is written as nothing and is never 0."""
    header, state, verdict = record.header, record.state, record.verdict or {}
    components: Mapping[str, JSON] = verdict.get("components") or {}
    kinds = Counter(type(event) for event in record.events)
    spent = costs(state)
    ended = state.ended
    row: dict[str, JSON] = {
        "id": header.id,
        "domain": header.domain,
        "pack": header.pack,
        "task_id": header.task_id,
        "split": header.split,
    }
    for seat in ("user", "agent"):
        info = next((info for name, info in header.players.items() if name == seat), None)
        row[f"{seat}_kind"] = info.kind if info else None
        row[f"{seat}_name"] = info.name if info else None
        settings = dict(info.settings) if info else {}
        row[f"{seat}_settings"] = json.dumps(settings, ensure_ascii=False) if settings else None
    row |= {name: getattr(header, name) for name in ("view", "solo", "plan", "no_policy", "spoilers", "supervised")}
    row |= {name: getattr(header.limits, name) for name in ("max_steps", "max_agent_actions", "max_errors")}
    row |= {name: getattr(header, name) for name in ("seed", "temperature", "program")}
    row |= {f"{name}_digest": header.digests.get(name) for name in DIGESTS}
    row |= {"parent": header.parent or None, "parent_turn": header.parent_turn}
    row |= {"run": header.run or None, "trial": header.trial}
    row |= {f"origin_{name}": header.origin.get(name) for name in ("format", "simulation", "trial")}
    row |= {
        "started": iso(record.started) if record.timed else None,
        "ended": iso(ended.at) if ended and record.timed else None,
        "seconds": round(record.finished - record.started, 3) if record.timed else None,
        "reason": ended.reason if ended else None,
        "ended_by": ended.by if ended else None,
        "reward": record.verdict and record.reward,
        "recorded_reward": state.recorded.reward if state.recorded else None,
        "db_match": verdict.get("db_match"),
    }
    row |= {f"{name.lower()}_reward": components.get(name) for name in COMPONENTS}
    row |= {
        "turns": len(state.turns),
        "steps": state.steps,
        "agent_actions": state.agent_actions,
        "calls": kinds[Call],
        "tool_errors": sum(isinstance(event, Result) and event.error for event in record.events),
        "writes": sum(isinstance(event, Result) and bool(event.changes) for event in record.events),
        "undone": kinds[Undone],
        "failures": kinds[Failure],
        "notes": kinds[Note],
        "marks": kinds[Mark],
        "exposures": " ".join(sorted(exposed(record.events))) or None,
        "prompt_tokens": _tokens(record, "prompt_tokens"),
        "completion_tokens": _tokens(record, "completion_tokens"),
        "agent_cost": spent.get("agent"),
        "user_cost": spent.get("user"),
    }
    return row


def _tokens(record: Record, name: str) -> int | None:
    found = [n for message in messages(record.state) if (n := number_in(message.usage, name)) is not None]
    return int(sum(found)) if found else None


def _line(values: Iterable[JSON]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([int(v) if isinstance(v, bool) else v for v in values])
    return out.getvalue()
