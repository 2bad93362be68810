"""Makes a task of a session: what was written becomes the gold, the words are somebody's own.

It goes into a pack of one's own, which holds tasks alone: databases and policy stay in the pack the session was played
on. An official folder is never written to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from domains.catalog import CODE, Domain, load_domain
from domains.check import Finding, check_task
from domains.environment import Environment, ToolError
from domains.errors import DataError
from domains.files import read_data
from domains.installing.known import generations
from domains.matching import folded
from domains.packs import BASE, NAME, find_pack, packs_folder
from domains.task import Task
from domains.values import JSON
from sessions.communicate import agent_texts
from sessions.event import Event
from sessions.export.files import write
from sessions.export.record import pack_of
from sessions.reward import Verdict, score
from sessions.trajectory import State, Turn, fold

RESERVED: Final = frozenset(("bundled", "verified"))
MARKABLE: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|\b(?=\w*\d)(?=\w*[A-Za-z])\w{4,}\b")
"""What a customer may have to be told: amounts, counts, and identifiers of letters and digits."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a session does not say about the task it could be."""

    reason: str
    """Why the customer calls."""
    known: str = ""
    unknown: str = ""
    instructions: str = ""
    persona: str | None = None
    purpose: str | None = None
    say: tuple[str, ...] = ()
    """Strings the agent must say."""
    reads: bool = False
    """Whether the gold also names the calls that changed nothing."""
    task_id: str = ""


@dataclass(frozen=True, slots=True)
class SavedTask:
    """A task in its pack. `findings` are the check's; `verdict` is what the session itself gets for it."""

    task: Task
    domain: Domain = field(repr=False)
    file: Path
    findings: tuple[Finding, ...]
    verdict: Verdict = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it can be solved and judged as it says."""
        return not any(finding.level == "error" for finding in self.findings)


def save_task(events: Sequence[Event], pack: str, words: Words, packs: Sequence[Path] = ()) -> SavedTask:
    """Save a session, own or imported, as a task of a pack of one's own, and check it. Raises DataError and OSError."""
    state = fold(events)
    header = state.header
    if header is None:
        raise DataError("a session without a beginning cannot be made a task")
    if not words.reason.strip():
        raise DataError("a task needs a reason for contact")
    domain = pack_of(header, packs)
    parent = Task.model_validate(header.task)
    folder = _folder(domain, pack)
    there = read_data(folder / "tasks.json") if (folder / "tasks.json").is_file() else []
    if not isinstance(there, list):
        raise DataError(f"{folder / 'tasks.json'}: expected a list of tasks")
    task_id = _task_id(words.task_id, header.id, [str(task.get("id")) for task in there if isinstance(task, dict)])
    record, notes = _record(domain, parent, state, words, task_id)
    task = Task.model_validate(record)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / BASE, [f"base = {json.dumps(_base_name(domain), ensure_ascii=False)}\n"])
    write(folder / "tasks.json", [json.dumps([*there, record], indent=1, ensure_ascii=False) + "\n"])
    saved = load_domain(domain.name, Path(pack))
    verdict = score(saved, task, state.turns, "user_stop", solo=header.solo)
    return SavedTask(
        task, saved, folder / "tasks.json", tuple(check_task(saved, task)), verdict, (*notes, *_misses(verdict))
    )


def markable(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """Return what the agent said that a task may require, as the comparison reads it, each with its line."""
    found: dict[str, str] = {}
    for _, text in agent_texts(turns):
        for line in text.splitlines():
            for match in MARKABLE.finditer(line):
                found.setdefault(match[0].replace(",", "").rstrip("."), " ".join(line.split()))
    return list(found.items())


# Where to


def _folder(domain: Domain, pack: str) -> Path:
    taken = RESERVED | {known.pack for known in generations().values()}
    if not NAME.fullmatch(pack) or pack in taken:
        raise DataError(
            f"{pack!r} cannot be the name of a pack of your own: lower-case letters, digits, dots and hyphens,"
            f" and not {', '.join(sorted(taken))}"
        )
    there = find_pack(pack)
    if there is not None and not there.own:
        raise DataError(f"the pack {pack} was installed ({there.title}); tasks of your own need one of another name")
    folder = packs_folder() / pack / "tau2" / "domains" / CODE[domain.name][1]
    if (folder / BASE).is_file():
        base = load_domain(domain.name, Path(pack)).base
        name = _base_name(domain)
        if base is None or _base_name(base) != name:
            other = base.origin if base is not None else "itself"
            raise DataError(f"the {domain.name} tasks of {pack} rest on {other}, this session on {name}; name another")
    return folder


def _base_name(domain: Domain) -> str:
    origin = domain.base.origin if domain.base is not None else domain.origin
    if origin == "bundled" or find_pack(origin) is not None:
        return origin
    return str(Path(origin).resolve())


def _task_id(wanted: str, session_id: str, there: Sequence[str]) -> str:
    if wanted:
        if wanted in there:
            raise DataError(f"there is a task {wanted!r} in this pack already; name another --id")
        return wanted
    names = (session_id, *(f"{session_id}-{number}" for number in range(2, len(there) + 3)))
    return next(name for name in names if name not in there)


# What it is


def _record(
    domain: Domain, parent: Task, state: State, words: Words, task_id: str
) -> tuple[dict[str, JSON], list[str]]:
    header = state.header
    assert header is not None
    env = domain.environment(parent, solo=header.solo)
    notes: list[str] = []
    actions = list(_gold(env, state.turns, words, task_id, notes))
    criteria = parent.evaluation_criteria
    by_assertion = criteria is not None and "ENV_ASSERTION" in criteria.reward_basis
    held = [a for a in parent.env_assertions if by_assertion and env.fork().check(a)]
    if by_assertion and not held:
        notes.append("none of the assertions of its parent holds at the end, so the databases are compared")
    original = parent.model_dump(mode="json", exclude_unset=True)
    record: dict[str, JSON] = {
        "id": task_id,
        "description": {
            "purpose": words.purpose,
            "relevant_policies": None,
            "notes": f"saved from session {header.id}, played on task {header.task_id}",
        },
        "user_scenario": {
            "persona": words.persona,
            "instructions": {
                "domain": domain.definition.name,
                "reason_for_call": words.reason.strip(),
                "known_info": words.known.strip() or None,
                "unknown_info": words.unknown.strip() or None,
                "task_instructions": words.instructions.strip(),
            },
        },
        "initial_state": original.get("initial_state"),
        "evaluation_criteria": {
            "actions": actions,
            "env_assertions": [a.model_dump(mode="json") for a in held] or None,
            "communicate_info": list(words.say),
            "nl_assertions": [],
            "reward_basis": ["ENV_ASSERTION" if held else "DB", "COMMUNICATE"],
        },
    }
    return record | {k: original[k] for k in ("user_tools", "required_documents") if k in original}, notes


def _gold(
    env: Environment, turns: Sequence[Turn], words: Words, task_id: str, notes: list[str]
) -> Iterator[dict[str, JSON]]:
    """Make the calls again, and yield those that changed something; the others too where reads are wanted."""
    number = 0
    for turn in turns:
        for done in turn.calls:
            call = done.call
            try:
                kit, tool = env.find(call.seat, call.name)
            except ToolError:
                continue
            result = env.call(call.seat, call.name, call.arguments)
            if result.error:
                if result.changes:
                    notes.append(f"{call.name} in turn {turn.index} failed and left changes, which the goal has not")
                continue
            if result.changes or (words.reads and not tool.mutates):
                number += 1
                yield {
                    "action_id": f"{task_id}_{number}",
                    "requestor": "user" if kit is env.kits.get("user") else "assistant",
                    "name": call.name,
                    "arguments": dict(call.arguments),
                    "info": None,
                    # Its words are free: any will do.
                    "compare_args": [] if call.name == "transfer_to_human_agents" else None,
                }


def _misses(verdict: Verdict) -> Iterator[str]:
    """Say what keeps the session itself from the reward."""
    criteria = verdict.evidence.task.evaluation_criteria
    assert criteria is not None
    if verdict.breakdown.get("DB") == 0.0:
        yield "the gold does not lead to the databases this session reached"
    for text, said in zip(criteria.communicate_info or (), verdict.communicate, strict=True):
        if not said:
            comma = "; commas are taken out of what is said" if folded(text) != text.lower() else ""
            yield f"{text!r} was never said in this session{comma}"
