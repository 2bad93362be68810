"""Tells a recorded run as a session of ours: its id, its events, the changes its calls made, and both rewards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, get_args

from ulid import ULID

from domains.catalog import Domain
from domains.environment import Environment, ToolError
from domains.errors import DataError
from domains.task import RewardType, Task
from domains.toolkit import Seat
from domains.values import JSON, same
from sessions.event import (
    Call,
    Ended,
    Event,
    Failure,
    Header,
    Judged,
    Note,
    Opened,
    Result,
    Scored,
    Synced,
    Termination,
)
from sessions.interop.recorded import RecordedRun, RunFile
from sessions.interop.tau2 import history_turns
from sessions.program import program_version
from sessions.reward import Verdict, goal, score
from sessions.secret_text import redact_text
from sessions.trajectory import Turn

MOST_EXTRA: Final = 16_000
"""Characters of JSON that a session keeps of the fields of its run that have no other place."""

MOST_STATES: Final = 1_000
"""End states whose digests are remembered."""

SEATS: Final[Mapping[str, Seat]] = {
    "user_stop": "user",
    "user_error": "user",
    "agent_stop": "agent",
    "agent_error": "agent",
}
JUDGE: Final = "the file"
"""Who judged natural-language assertions whose verdicts were recorded."""


@dataclass(frozen=True, slots=True)
class World:
    """The pack that a file's runs are played again on; `digests` are of its databases, and of the file's policy."""

    domain: Domain
    digests: Mapping[str, str]
    _reached: dict[str, tuple[str | None, str | None]] = field(default_factory=dict, repr=False, compare=False)

    def reached(self, env: Environment) -> tuple[str | None, str | None]:
        """Return the digests of both databases as reached; many runs of a file reach the same state."""
        key = repr([database.changes({}) for database in env.databases.values()])
        if key not in self._reached:
            if len(self._reached) >= MOST_STATES:
                self._reached.clear()
            self._reached[key] = env.digest("agent"), env.digest("user")
        return self._reached[key]

    @classmethod
    def of(cls, domain: Domain, policy: str) -> World:
        """Take the digests, once for a file. Raises DataError."""
        digests = {str(seat): base.digest() for seat, base in domain.bases.items()}
        return cls(domain, digests | ({"policy": hashlib.sha256(policy.encode()).hexdigest()} if policy else {}))


@dataclass(frozen=True, slots=True)
class Fit:
    """How many calls were tried on a pack, and how many failed there that had not failed, or must not."""

    failed: int = 0
    tried: int = 0

    def __add__(self, other: Fit) -> Fit:
        return Fit(self.failed + other.failed, self.tried + other.tried)

    @property
    def foreign(self) -> bool:
        """Whether the pack is not the one the runs were recorded on: none fails on its own, most do on another."""
        return self.failed * 4 >= self.tried > 0


@dataclass(frozen=True, slots=True)
class Retold:
    """A run as a session. `difference` says why the two rewards disagree, empty where they do not."""

    events: tuple[Event, ...]
    reward: float | None
    notes: tuple[str, ...]
    difference: str


def session_id(source: RunFile, run: RecordedRun) -> str:
    """Return a ULID made of what happened and when, so that one run is one session whatever file it comes in."""
    said = [
        [
            turn.seat,
            turn.text,
            [
                [done.call.name, done.call.arguments, done.result and [done.result.content, done.result.error]]
                for done in turn.calls
            ],
        ]
        for turn in run.turns or ()
    ]
    content = [source.format, source.domain, run.id, run.task_id, run.trial, run.start, run.error, said]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).digest()
    milliseconds = min(max(int(run.start * 1000), 0), 2**48 - 1)
    return str(ULID.from_bytes(milliseconds.to_bytes(6, "big") + digest[:10]))


def retell(
    source: RunFile,
    run: RecordedRun,
    task: Task | None,
    world: World | None,
    *,
    said: Sequence[str] = (),
    scorable: bool = True,
) -> Retold:
    """Return a run as events; `said` are notes that were made on it.

    Without a world or a task it is a transcript without changes and without a computed reward, and without the reward
    where it is not `scorable`. Raises DataError.
    """
    notes = list(said)
    turns = _own(run, task)
    played: Played | None = None
    if world is not None and task is not None:
        try:
            played = Played.of(world.domain.environment(task, solo=source.solo), turns)
        except DataError as error:
            notes.append(f"not scored: task {task.id} does not begin in this pack: {error}")
    header = _header(source, run, task, world if played is not None else None)
    clock = _Clock(run.start or next((turn.at for turn in turns if turn.at), 0.0))
    events: list[Event] = [Opened(header=header, at=clock.now)]
    events += clock.told(_turn_events(turns, played))
    clock.reach(run.end)
    if run.error:
        events.append(Failure(what=redact_text(run.error), retryable=False, at=clock.now))
    events.append(_ended(run, clock.now))
    verdict = None
    if played is not None and scorable and task is not None and world is not None:
        verdict = _verdict(world.domain, task, turns, run, solo=source.solo)
        judged = enumerate(verdict.nl_assertions)
        events += [Judged(assertion=i, met=met, by=JUDGE, at=clock.now) for i, met in judged if met is not None]
        notes += [note for note in verdict.notes if note.startswith("natural-language")]
    if run.reward_info is not None:
        events.append(Scored(reward=run.reward, verdict=dict(run.reward_info), source="recorded", at=clock.now))
    why = ""
    if verdict is not None and world is not None:
        told = verdict.to_json(world.reached(verdict.evidence.reached.env))
        events.append(Scored(reward=verdict.reward, verdict=told, at=clock.now))
        why = difference(run, verdict)
    if why:
        notes.append(f"reward {run.reward:g} in the file, {verdict.reward:g} here: {why}")  # type: ignore[union-attr]
    events += [Note(text=note, at=clock.now) for note in notes]
    return Retold(
        tuple(events),
        verdict.reward if verdict is not None else None,
        tuple(notes),
        why,
    )


class _Clock:
    """Times that never run backwards."""

    def __init__(self, start: float) -> None:
        self.now = start

    def reach(self, at: float) -> None:
        """Go on to a time that lies ahead."""
        self.now = max(self.now, at)

    def told(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events at times in order."""
        for event in events:
            self.reach(event.at)
            yield replace(event, at=self.now)


def _own(run: RecordedRun, task: Task | None) -> tuple[Turn, ...]:
    """Return the turns without those that the task brought along, numbered from 0. Raises DataError."""
    turns = run.turns or ()
    messages = task.initial_state.message_history if task is not None and task.initial_state else None
    if not messages or task is None:
        return turns
    history = history_turns(messages, f"task {task.id}")
    brought = len(history)
    if [_spoken(turn) for turn in turns[:brought]] != [_spoken(turn) for turn in history]:
        return turns
    return tuple(_moved(turn, brought) for turn in turns[brought:])


def _spoken(turn: Turn) -> tuple[Seat, str, list[str]]:
    return turn.seat, turn.text, [done.call.name for done in turn.calls]


def _moved(turn: Turn, by: int) -> Turn:
    index = turn.index - by
    calls = tuple(
        replace(
            done,
            call=replace(done.call, turn=index),
            result=None if done.result is None else replace(done.result, turn=index),
        )
        for done in turn.calls
    )
    message = None if turn.message is None else replace(turn.message, turn=index)
    return replace(turn, index=index, calls=calls, message=message)


# Playing again


@dataclass(frozen=True, slots=True)
class Played:
    """What a pack made of the calls of a run: (turn, number of the call) → the changes of both sides."""

    changes: Mapping[tuple[int, int], tuple[Sequence[JSON], Sequence[JSON]]]
    fit: Fit

    @classmethod
    def of(cls, env: Environment, turns: Iterable[Turn]) -> Played:
        """Make the calls again, in order."""
        changes: dict[tuple[int, int], tuple[Sequence[JSON], Sequence[JSON]]] = {}
        failed = tried = 0
        for turn in turns:
            for number, done in enumerate(turn.calls):
                call = done.call
                answer = env.call(call.seat, call.name, call.arguments)
                changes[turn.index, number] = answer.changes, answer.synced
                if call.seat == "agent" and done.result is not None and not done.result.error and _known(env, call):
                    tried += 1
                    failed += answer.error
        return cls(changes, Fit(failed, tried))


def _known(env: Environment, call: Call) -> bool:
    """Tell whether it is one of the agent's own tools, that look into the agent's database."""
    try:
        return env.find(call.seat, call.name)[0] is env.kits["agent"]
    except ToolError:
        return False


def fit_of(source: RunFile, run: RecordedRun, task: Task, world: World) -> Fit:
    """Return how the calls of a run and of its gold fare on a pack; a task that cannot begin there counts as one."""
    try:
        played = Played.of(world.domain.environment(task, solo=source.solo), _own(run, task))
        gold = [write for write in goal(world.domain, task).writes if write.seat == "agent"]
    except DataError:
        return Fit(1, 1)
    return played.fit + Fit(sum(write.error for write in gold), len(gold))


def _turn_events(turns: Iterable[Turn], played: Played | None) -> Iterator[Event]:
    for turn in turns:
        if turn.message is not None:
            yield turn.message
        for number, done in enumerate(turn.calls):
            yield done.call
            made, synced = played.changes[turn.index, number] if played is not None else ((), ())
            if done.result is not None:
                yield replace(done.result, changes=tuple(made))
            elif made:  # changed, but the answer is not in the file
                yield Result(turn=turn.index, seat=done.call.seat, id=done.call.id, content="", changes=tuple(made))
            if synced:
                yield Synced(turn=turn.index, changes=tuple(synced))


# The frame


def _header(source: RunFile, run: RecordedRun, task: Task | None, world: World | None) -> Header:
    agent = source.players["agent"].settings.get("llm_args")
    temperature = agent.get("temperature") if isinstance(agent, dict) else None
    task = task or Task.model_validate({"id": run.task_id, "user_scenario": {}})
    seed = run.seed if run.seed is not None else source.about.get("info", {}).get("seed")
    return Header(
        id=session_id(source, run),
        domain=source.domain,
        pack=world.domain.origin if world is not None else "",
        split="",
        task_id=run.task_id,
        task=task.model_dump(mode="json", exclude_unset=True),
        players=source.players,
        view="blind",
        solo=source.solo,
        limits=source.limits,
        seed=seed if isinstance(seed, int) else 0,
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        program=program_version(),
        digests={**(world.digests if world is not None else {}), "task": task.digest()},
        origin={
            "format": source.format,
            "simulation": run.id,
            "trial": run.trial,
            **source.about,
            "run": _kept(run.extra),
        },
    )


def _kept(extra: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the fields worth keeping, the short ones first; the names of those that are too long stay."""
    kept: dict[str, JSON] = {}
    left_out, size = [], 0
    sized = {name: len(json.dumps(value, default=str)) for name, value in extra.items() if value is not None}
    for name in sorted(sized, key=lambda name: sized[name]):
        size += sized[name]
        if size > MOST_EXTRA:
            left_out.append(name)
        else:
            kept[name] = extra[name]
    return kept | ({"left_out": left_out} if left_out else {})


def _ended(run: RecordedRun, at: float) -> Ended:
    by = SEATS.get(run.termination)
    for reason in get_args(Termination):
        if reason == run.termination:
            return Ended(reason=reason, by=by, at=at)
    return Ended(reason="unexpected_error", detail=f"in the file: {run.termination}", at=at)


# The rewards


def _verdict(domain: Domain, task: Task, turns: Sequence[Turn], run: RecordedRun, *, solo: bool) -> Verdict:
    return score(domain, task, turns, run.termination, solo=solo, judgements=run.judgements(task.nl_assertions))


WORDS: Final[Mapping[RewardType, str]] = {
    "DB": "the database",
    "ENV_ASSERTION": "what must hold in the end",
    "ACTION": "the actions",
    "COMMUNICATE": "what must be said",
    "NL_ASSERTION": "the natural-language assertions",
}


def difference(run: RecordedRun, verdict: Verdict) -> str:
    """Say why a recorded reward is not the computed one, nothing where they agree or one of them is not there."""
    if run.reward is None or verdict.reward is None or abs(run.reward - verdict.reward) <= 1e-6:
        return ""
    said = run.components()
    reasons = [
        f"{WORDS[name]}: {_met(bool(here))} here, {_met(said[name])} in the file"
        for name, here in verdict.components.items()
        if name in said and here is not None and said[name] != bool(here) and name in verdict.reward_basis
    ]
    if verdict.termination not in ("user_stop", "agent_stop"):
        reasons.append(f"a run that ends by {verdict.termination} is 0 here")
    if (other := _other_answer(verdict)) is not None:
        reasons.append(other)
    basis = (run.reward_info or {}).get("reward_basis")
    if isinstance(basis, list) and set(basis) != set(verdict.reward_basis):
        reasons.append(f"the file counts {', '.join(map(str, basis))}, its task {', '.join(verdict.reward_basis)}")
    return "; ".join(reasons) or "the file does not say what its reward rests on"


def _met(met: bool) -> str:
    return "met" if met else "not met"


def _other_answer(verdict: Verdict) -> str | None:
    """Describe the first write that was answered otherwise when it was recorded, a failure before other words."""
    recorded = {
        (turn.index, done.call.id): done.result.content
        for turn in verdict.evidence.turns
        for done in turn.calls
        if done.result is not None
    }
    found = None
    for write in verdict.evidence.reached.writes:
        answer = recorded.get((write.turn if write.turn is not None else -1, write.id))
        if answer is None or same(_value(answer), _value(write.content)):
            continue
        then, here = _short(answer), _short(write.content)
        line = f"{write.name} in turn {write.turn} answered {then} when it was recorded, here {here}"
        if answer.startswith("Error") != write.error:
            return line
        found = found or line
    return found


def _value(content: str) -> JSON:
    try:
        return json.loads(content)
    except ValueError:
        return content


def _short(content: str) -> str:
    return repr(content if len(content) <= 60 else content[:57] + "…")
