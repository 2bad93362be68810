"""Writes tau2 results, both layouts, so that the official code loads and grades them and nothing of ours is lost.

What tau2 has no word for stands under `simulations[].info.tau_tui`, the events themselves among it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from domains.environment import ToolError
from domains.values import JSON, same
from sessions.event import Header, Mark, Note, PlayerInfo, exposed
from sessions.export.files import write
from sessions.export.record import Record, costs, iso, turn_end, words
from sessions.interop.tau2 import SOLO_AGENT
from sessions.interop.tau2_ours import block
from sessions.trajectory import State, Turn
from sessions.usage_text import number_in

SEVERITIES: Final = frozenset(("minor", "critical", "critical_helped", "critical_hindered"))
ROLE: Final = {"user": "user", "agent": "assistant"}


@dataclass(slots=True)
class Batch:
    """Sessions that fit into one results file: one world, one pair of players, one task to an id."""

    header: Header
    """Of the first of them."""
    tasks: dict[str, Mapping[str, JSON]] = field(default_factory=dict)
    trials: dict[str, int] = field(default_factory=dict)
    """Id of a session → which trial of its task it is: the number it was imported with, or the next one."""
    _taken: dict[str, set[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What tells this file from the others, fit for a file name."""
        players = [_who(self.header.players[seat]) for seat in ("agent", "user") if seat in self.header.players]
        return "_".join(
            "".join(c if c.isalnum() or c in "-." else "-" for c in part) for part in (self.header.domain, *players)
        )

    def add(self, header: Header) -> None:
        """Take in a session as the next trial of its task."""
        self.tasks.setdefault(header.task_id, header.task)
        taken = self._taken.setdefault(header.task_id, set())
        wanted = header.origin.get("trial") if header.trial is None else header.trial
        if not isinstance(wanted, int) or wanted in taken:
            wanted = next(trial for trial in range(len(taken) + 1) if trial not in taken)
        taken.add(wanted)
        self.trials[header.id] = wanted

    def head(self, policy: str, now: float) -> dict[str, JSON]:
        """Return everything of the file but the simulations."""
        header = self.header
        return {
            "timestamp": iso(now),
            "info": {
                "git_commit": f"tau-tui {header.program}".strip(),
                "num_trials": 1 + max(self.trials.values()),
                "max_steps": header.limits.max_steps,
                "max_errors": header.limits.max_errors,
                "user_info": _named(header, "user"),
                "agent_info": _named(header, "agent"),
                "environment_info": {"domain_name": header.domain, "policy": policy},
                "seed": header.seed,
            },
            "tasks": [_task(task_id, task) for task_id, task in self.tasks.items()],
        }


def batches(headers: Iterable[Header]) -> list[Batch]:
    """Sort sessions into results files; people share one whoever they are, since tau2 asks what played, not who."""
    found: dict[str, list[Batch]] = {}
    for header in headers:
        alike = found.setdefault(_key(header), [])
        batch = next((b for b in alike if same(b.tasks.get(header.task_id, header.task), header.task)), None)
        if batch is None:
            batch = Batch(header)
            alike.append(batch)
        batch.add(header)
    return [batch for alike in found.values() for batch in alike]


def _key(header: Header) -> str:
    players = {seat: (_who(info), dict(info.settings)) for seat, info in header.players.items()}
    limits = (header.limits.max_steps, header.limits.max_errors)
    modes = (header.solo, header.plan, header.no_policy, header.supervised, header.temperature)
    digests = sorted((name, digest) for name, digest in header.digests.items() if name != "task")
    return json.dumps([header.domain, header.pack, players, limits, modes, digests], sort_keys=True, default=str)


def _who(info: PlayerInfo) -> str:
    return "human" if info.kind == "human" else info.name or info.kind


def _named(header: Header, seat: str) -> dict[str, JSON]:
    info = next((info for name, info in header.players.items() if name == seat), None)
    settings = dict(info.settings) if info is not None else {}
    if seat == "agent" and header.solo:
        implementation = SOLO_AGENT  # by this word the official code knows that there was no customer
    elif info is None:
        implementation = "dummy_user"
    elif isinstance(settings.get("implementation"), str):  # imported from such a file
        implementation = settings["implementation"]
    elif info.kind == "model":
        implementation = "llm_agent" if seat == "agent" else "user_simulator"
    else:
        implementation = _who(info)
    if info is None or info.kind != "model":
        return {"implementation": implementation, "llm": None, "llm_args": None}
    asked = settings.pop("llm_args", None)
    settings.pop("implementation", None)
    told = {**settings, **(asked if isinstance(asked, dict) else {})}
    if seat == "agent" and header.temperature is not None:
        told.setdefault("temperature", header.temperature)
    return {"implementation": implementation, "llm": info.name, "llm_args": told or None}


def _task(task_id: str, task: Mapping[str, JSON]) -> Mapping[str, JSON]:
    return task or {"id": task_id, "user_scenario": {"instructions": ""}}


# One session


def simulation(record: Record, trial: int) -> dict[str, JSON]:
    """Return one simulation."""
    header, state = record.header, record.state
    spent = costs(state)
    sent, places = _messages(record)
    return {
        "id": header.id,
        "task_id": header.task_id,
        "timestamp": iso(record.started),
        "start_time": iso(record.started),
        "end_time": iso(record.finished),
        "duration": max(0.0, record.finished - record.started),
        "termination_reason": termination(state),
        "agent_cost": spent.get("agent"),
        "user_cost": spent.get("user"),
        "reward_info": reward_info(record),
        "messages": sent,
        "trial": trial,
        "seed": header.seed,
        "mode": "half_duplex",
        "review": review([event for event in record.events if isinstance(event, Mark)], places)
        or (header.origin.get("run") or {}).get("review"),
        "info": block(record.events, _summary(record)),
    }


def termination(state: State) -> str:
    """Return why a session ended, in tau2's words; one that has not is laid to whoever it waits for."""
    if state.ended is not None:
        if state.ended.reason != "abandoned":
            return state.ended.reason
        return f"{state.ended.by or 'user'}_error"
    return "infrastructure_error" if state.failure is not None else f"{state.next or 'user'}_error"


def _summary(record: Record) -> dict[str, JSON]:
    """Return what a person looks for first, beside the events that hold it all."""
    header, state = record.header, record.state
    ended = state.ended
    last = record.started
    timings = []
    for turn in state.turns:
        timings.append({"turn": turn.index, "seat": turn.seat, "seconds": round(max(0.0, turn.at - last), 6)})
        last = turn_end(turn)
    return {
        "program": header.program,
        "players": {seat: {"kind": info.kind, "name": info.name} for seat, info in header.players.items()},
        "view": header.view,
        "reason": ended.reason if ended else None,
        "ended_by": ended.by if ended else None,
        "parent": header.parent or None,
        "parent_turn": header.parent_turn,
        "exposures": sorted(exposed(record.events)),
        "notes": [{"turn": n.turn, "text": n.text} for n in record.events if isinstance(n, Note)],
        "flags": list((record.verdict or {}).get("notes") or ()),
        "timings": timings,
    }


# Messages


class _Clock:
    """Gives times that never stand still: tau2 sorts messages by their text."""

    def __init__(self, before: float) -> None:
        self._last = round(before * 1e6) - 1

    def __call__(self, at: float) -> str:
        self._last = max(round(at * 1e6), self._last + 1)
        return iso(self._last / 1e6)


def _messages(record: Record) -> tuple[list[dict[str, JSON]], dict[int, int]]:
    """Return the messages, and turn → position of its message.

    A call that was never answered never happened to the world, and tau2 demands an answer to each: it is left out.
    """
    history = ((record.header.task.get("initial_state") or {}).get("message_history")) or []
    clock = _Clock(record.started - len(history) * 1e-6)
    out: list[dict[str, JSON]] = [
        {**message, "turn_idx": i, "timestamp": clock(0.0)} for i, message in enumerate(history)
    ]
    places: dict[int, int] = {}
    for turn in record.state.turns:
        answered = [(done.call, done.result) for done in turn.calls if done.result is not None]
        text = words(turn)
        if turn.calls and not answered and not text:
            continue
        places[turn.index] = len(out)
        out.append(
            {
                "role": ROLE[turn.seat],
                "content": text if text or not answered else None,
                "tool_calls": [
                    {"id": call.id, "name": call.name, "arguments": dict(call.arguments), "requestor": ROLE[call.seat]}
                    for call, _ in answered
                ]
                or None,
                "turn_idx": len(out),
                "timestamp": clock(turn.at),
                **_usage(turn),
            }
        )
        answers = len(out)
        out.extend(
            {
                "id": call.id,
                "role": "tool",
                "content": result.content,
                "requestor": ROLE[call.seat],
                "error": result.error,
                "turn_idx": answers + i,
                "timestamp": clock(result.at),
            }
            for i, (call, result) in enumerate(answered)
        )
    return out, places


def _usage(turn: Turn) -> dict[str, JSON]:
    usage = turn.message.usage if turn.message is not None else {}
    nested = usage.get("usage")
    counted = {
        name: int(n) for name in ("prompt_tokens", "completion_tokens") if (n := number_in(usage, name)) is not None
    }
    return {"cost": number_in(usage, "cost"), "usage": (nested if isinstance(nested, dict) else counted) or None}


# Reward and review


def reward_info(record: Record) -> dict[str, JSON] | None:
    """Return the verdict in tau2's form; None while nobody can say the reward."""
    verdict, reward = record.verdict, record.reward
    if verdict is None and record.state.recorded is not None and record.header.origin.get("format") == "tau2":
        return dict(record.state.recorded.verdict) or None
    if verdict is None or reward is None:
        return None
    criteria = record.header.task.get("evaluation_criteria") or {}
    components = verdict.get("components") or {}
    basis = verdict.get("reward_basis") or []
    match = verdict.get("db_match")
    return {
        "reward": reward,
        "db_check": None if match is None else {"db_match": match, "db_reward": float(match)},
        "env_assertions": _checks(
            criteria.get("env_assertions"),
            verdict.get("env_assertions"),
            lambda assertion, met: {"env_assertion": assertion, "met": met, "reward": float(met)},
        ),
        "action_checks": _checks(
            criteria.get("actions"),
            verdict.get("action_checks"),
            lambda action, met: {
                "action": action,
                "action_match": met,
                "action_reward": float(met),
                "tool_type": _tool_type(record, action),
            },
        ),
        "nl_assertions": _checks(
            criteria.get("nl_assertions"),
            verdict.get("nl_assertions"),
            lambda text, met: {"nl_assertion": text, "met": met, "justification": "judged by a person"},
        ),
        "communicate_checks": _checks(
            criteria.get("communicate_info"),
            verdict.get("communicate"),
            lambda text, met: {"info": text, "met": met, "justification": ""},
        ),
        "reward_basis": basis,
        "reward_breakdown": {name: components[name] for name in basis if components.get(name) is not None},
        "info": {"notes": verdict.get("notes") or []},
    }


def _checks(
    wanted: Sequence[JSON] | None, met: Sequence[bool | None] | None, form: Callable[[JSON, bool], JSON]
) -> list[JSON]:
    pairs = zip(wanted or (), met or (), strict=False)
    return [form(item, verdict) for item, verdict in pairs if verdict is not None]


def _tool_type(record: Record, action: Mapping[str, JSON]) -> str | None:
    if record.explanation is None:
        return None
    env = record.explanation.verdict.evidence.reached.env
    try:
        return env.find("user" if action.get("requestor") == "user" else "agent", str(action.get("name")))[1].kind
    except ToolError:
        return None


def review(marks: Sequence[Mark], places: Mapping[int, int]) -> dict[str, JSON] | None:
    """Return people's fault marks where tau2's viewer shows them; None when there are none."""
    if not marks:
        return None
    errors = [
        {
            "source": mark.author if mark.author in ("user", "agent") else "unknown",
            "error_type": "content_error",
            "error_tags": [mark.type],
            "severity": mark.severity if mark.severity in SEVERITIES else None,
            "turn_idx": places.get(mark.turn),
            "reasoning": mark.text or mark.type.replace("_", " "),
            "correct_behavior": mark.policy_line or None,
        }
        for mark in marks
    ]
    return {
        "summary": f"marked by people: {len(marks)}",
        "agent_error": any(mark.author == "agent" for mark in marks),
        "user_error": any(mark.author == "user" for mark in marks),
        "critical_user_error": any(mark.author == "user" and mark.severity.startswith("critical") for mark in marks),
        "has_errors": True,
        "errors": errors,
    }


# Files


def monolithic(head: Mapping[str, JSON], simulations: Iterable[Mapping[str, JSON]]) -> Iterator[str]:
    """Yield the text of a results file, one simulation at a time."""
    yield json.dumps(head, ensure_ascii=False, indent=2)[:-2] + ',\n  "simulations": ['
    for i, item in enumerate(simulations):
        yield ("," if i else "") + "\n" + json.dumps(item, ensure_ascii=False)
    yield "\n  ]\n}\n"


def write_folder(folder: Path, head: Mapping[str, JSON], simulations: Iterable[Mapping[str, JSON]]) -> None:
    """Write `results.json` beside `simulations/<id>.json`. Raises OSError."""
    beside = folder / "simulations"
    beside.mkdir(parents=True, exist_ok=True)
    index = []
    for item in simulations:
        write(beside / f"{item['id']}.json", [json.dumps(item, ensure_ascii=False, indent=2), "\n"])
        index.append(
            {name: item[name] for name in ("id", "task_id", "trial", "termination_reason", "agent_cost", "duration")}
            | {"reward": (item["reward_info"] or {}).get("reward")}
        )
    text = json.dumps({**head, "simulation_index": index}, ensure_ascii=False, indent=2)
    write(folder / "results.json", [text, "\n"])
