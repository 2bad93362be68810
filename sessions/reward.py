"""The reward of a session: its components, recomputed from the calls, and the evidence they rest on.

Exactly tau2's rules, with two differences of form: the components are computed whatever the ending, and what nobody
judged is None. `explain.py` says why a verdict is what it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from domains.catalog import Domain
from domains.database import Change
from domains.environment import Environment, Token
from domains.matching import accepts
from domains.task import EvaluationCriteria, GoldAction, RewardType, Task
from domains.toolkit import Seat
from domains.values import JSON
from sessions.communicate import Said, agent_texts, find
from sessions.trajectory import Done, Turn

EVALUATED = frozenset(("user_stop", "agent_stop"))
"""The endings that are rewarded for what was reached; every other one is 0."""


@dataclass(frozen=True, slots=True)
class Write:
    """A replayed call that may change a database: one of the session's, or a gold action (`turn` None).

    `changes` are the tool's own and those the other side's world made of them.
    """

    turn: int | None
    seat: Seat
    id: str
    name: str
    arguments: Mapping[str, JSON]
    content: str
    error: bool
    changes: tuple[Change, ...] = field(repr=False)
    before: Token = field(repr=False, compare=False)
    after: Token = field(repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The call in one line."""
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"


@dataclass(frozen=True, slots=True)
class Played:
    """An environment in the state that some calls led to, with those calls."""

    env: Environment
    writes: tuple[Write, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict was made from. `turns` begins with the `history` turns the task itself brings."""

    domain: Domain
    task: Task
    turns: tuple[Turn, ...]
    history: int
    reached: Played
    gold: Played
    said: tuple[Said | None, ...]
    matched: tuple[Done | None, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reward and its components; `components` holds all five, `reward_basis` names those that count.

    `reward` is None when it needs a judge nobody gave, or when the session has not ended. `db_match` is None and
    `components` is empty for a task without criteria.
    """

    reward: float | None
    termination: str | None
    reward_basis: tuple[RewardType, ...]
    components: Mapping[RewardType, float | None]
    db_match: bool | None
    env_assertions: tuple[bool, ...]
    action_checks: tuple[bool, ...]
    communicate: tuple[bool, ...]
    nl_assertions: tuple[bool | None, ...]
    """Empty when nobody judged any; None for one that waits for its verdict."""
    notes: tuple[str, ...]
    evidence: Evidence = field(repr=False, compare=False)

    @property
    def breakdown(self) -> dict[RewardType, float | None]:
        """The components that count."""
        return {name: self.components[name] for name in self.reward_basis}

    def agent_digest(self) -> str | None:
        """Return the digest of the agent's database as reached; takes about 10 ms."""
        return self.evidence.reached.env.digest("agent")

    def user_digest(self) -> str | None:
        """Return the digest of the user's database as reached, None where there is none."""
        return self.evidence.reached.env.digest("user")

    def to_json(self, digests: tuple[str | None, str | None] | None = None) -> dict[str, JSON]:
        """Return the verdict for the recorder and for `tau-tui score`; makes both digests where they are not given."""
        agent, user = digests or (self.agent_digest(), self.user_digest())
        return {
            "reward": self.reward,
            "termination": self.termination,
            "reward_basis": list(self.reward_basis),
            "components": dict(self.components),
            "db_match": self.db_match,
            "env_assertions": list(self.env_assertions),
            "action_checks": list(self.action_checks),
            "communicate": list(self.communicate),
            "nl_assertions": list(self.nl_assertions),
            "agent_digest": agent,
            "user_digest": user,
            "notes": list(self.notes),
        }


def score(
    domain: Domain,
    task: Task,
    turns: Sequence[Turn],
    termination: str | None,
    *,
    solo: bool = False,
    judgements: Sequence[bool | None] | None = None,
    with_history: bool = False,
) -> Verdict:
    """Judge a session. `judgements` are the verdicts on the task's natural-language assertions, one for each.

    None stands for one that is still to come, and until then the component waits.

    `with_history` says that `turns` begins with the task's message history, as in a tau2 file; a session of ours does
    not hold it. Raises DataError when the task's initial state does not apply, ValueError for too few judgements.
    """
    criteria = task.evaluation_criteria
    everything, history = _whole(task, turns, with_history)
    reached = replay(domain, task, everything, solo=solo)
    gold = goal(domain, task)
    calls = [done for turn in everything for done in turn.calls]
    matched = tuple(_match(action, calls) for action in task.gold)
    texts = agent_texts(everything)
    required = (criteria.communicate_info if criteria else None) or ()
    said = tuple(find(text, texts) for text in required)
    wanted = (criteria.nl_assertions if criteria else None) or ()
    if judgements is not None and len(judgements) != len(wanted):
        raise ValueError(f"{len(judgements)} judgements for {len(wanted)} natural-language assertions")
    judged = () if judgements is None or set(judgements) == {None} else tuple(judgements)
    assertions = (criteria.env_assertions if criteria else None) or ()
    probe = reached.env.fork()  # an assertion syncs, which is not part of what was reached
    held = tuple(probe.check(assertion) for assertion in assertions)
    compared = criteria is not None and not (criteria.actions is None and criteria.env_assertions is None)
    db_match = None if criteria is None else not compared or reached.env.equals(gold.env)
    components: dict[RewardType, float | None] = {}
    if criteria is not None:
        components = {
            "DB": float(bool(db_match)),
            "ENV_ASSERTION": float(all(held)),
            "ACTION": float(None not in matched),
            "COMMUNICATE": float(None not in said),
            "NL_ASSERTION": _judged(wanted, judged),
        }
    basis = tuple(dict.fromkeys(criteria.reward_basis)) if criteria else ()
    return Verdict(
        reward=_reward(termination, [components[name] for name in basis]),
        termination=termination,
        reward_basis=basis,
        components=components,
        db_match=db_match,
        env_assertions=held,
        action_checks=tuple(done is not None for done in matched),
        communicate=tuple(found is not None for found in said),
        nl_assertions=judged,
        notes=tuple(_notes(termination, criteria, judged, said, gold, _strangers(everything, reached))),
        evidence=Evidence(domain, task, everything, history, reached, gold, said, matched),
    )


def _judged(wanted: Sequence[str], judged: Sequence[bool | None]) -> float | None:
    if wanted and (not judged or None in judged):
        return None
    return float(all(judged))


def _reward(termination: str | None, counted: Sequence[float | None]) -> float | None:
    if termination is None:
        return None
    if termination not in EVALUATED:
        return 0.0
    values = [value for value in counted if value is not None]
    return math.prod(values, start=1.0) if len(values) == len(counted) else None


# Replaying


def _whole(task: Task, turns: Sequence[Turn], with_history: bool) -> tuple[tuple[Turn, ...], int]:
    messages = task.initial_state.message_history if task.initial_state else None
    if not messages:
        return tuple(turns), 0
    from sessions.interop.tau2 import history_turns

    history = history_turns(messages, f"task {task.id}")
    return (tuple(turns) if with_history else (*history, *turns)), len(history)


def replay(domain: Domain, task: Task, turns: Iterable[Turn], *, solo: bool = False) -> Played:
    """Play the mutating calls of a whole trajectory, synced after each. Raises DataError."""
    env = domain.environment(_without_history(task), solo=solo)
    writes = []
    for turn in turns:
        for done in turn.calls:
            call = done.call
            if env.mutates(call.seat, call.name):
                writes.append(play(env, call.seat, call.name, call.arguments, turn=turn.index, call_id=call.id))
    return Played(env, tuple(writes))


def play(
    env: Environment,
    seat: Seat,
    name: str,
    arguments: Mapping[str, JSON],
    *,
    turn: int | None = None,
    call_id: str = "",
    sync: bool = True,
) -> Write:
    """Make one call and keep what it did."""
    before = env.checkpoint()
    result = env.call(seat, name, arguments, sync=sync)
    return Write(
        turn=turn,
        seat=seat,
        id=call_id,
        name=name,
        arguments=arguments,
        content=result.content,
        error=result.error,
        changes=(*result.changes, *result.synced),
        before=before,
        after=env.checkpoint(),
    )


def _without_history(task: Task) -> Task:
    state = task.initial_state
    if state is None or not state.message_history:
        return task
    return task.model_copy(update={"initial_state": state.model_copy(update={"message_history": None})})


def seat_of(action: GoldAction) -> Seat:
    """Return whose action a gold action is."""
    return "user" if action.requestor == "user" else "agent"


@dataclass(frozen=True, slots=True, eq=False)
class _Goal:
    """Names a gold end state: the pack by identity, so that the cache never outlives or mixes up a database."""

    domain: Domain
    task: Task
    digest: str
    live: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Goal) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, str, bool]:
        return id(self.domain), self.digest, self.live


def goal(domain: Domain, task: Task, *, live: bool = False) -> Played:
    """Return the end state of the gold actions, made once for each task. Raises DataError.

    It is the evaluator's, in which no side learns what the other did; `live` plays gold as a session would, which is
    the goal to show where the database does not count. Nobody may change it: fork it.
    """
    return _goal(_Goal(domain, task, task.digest(), live))


@lru_cache(maxsize=4096)
def _goal(key: _Goal) -> Played:
    env = key.domain.environment(key.task)
    writes = tuple(
        play(env, seat_of(a), a.name, a.arguments, call_id=a.action_id, sync=key.live) for a in key.task.gold
    )
    return Played(env, writes)


# Comparing


def _match(action: GoldAction, calls: Iterable[Done]) -> Done | None:
    """Return the first call that a gold action accepts."""
    return next((done for done in calls if accepts(action, done.call.name, done.call.arguments)), None)


def _strangers(turns: Iterable[Turn], reached: Played) -> list[str]:
    """Return the writes that answered otherwise when they were recorded, in one line each."""
    recorded = [done for turn in turns for done in turn.calls if done.result is not None]
    answers = {(done.call.turn, done.call.id): done.result for done in recorded}
    found = []
    for write in reached.writes:
        answer = answers.get((write.turn or 0, write.id))
        if answer is not None and answer.content != write.content and _read(answer.content) != _read(write.content):
            found.append(f"{write.signature} in turn {write.turn}")
    return found


def _read(content: str) -> JSON:
    try:
        return json.loads(content)
    except ValueError:
        return content


def _notes(
    termination: str | None,
    criteria: EvaluationCriteria | None,
    judged: Sequence[bool | None],
    said: Sequence[Said | None],
    gold: Played,
    strangers: Sequence[str],
) -> Iterable[str]:
    if termination is not None and termination not in EVALUATED:
        yield f"ended by {termination}: 0 whatever was reached"
    if criteria is None:
        yield "the task has no criteria"
        return
    for write in gold.writes:
        if write.error:
            yield f"gold action {write.signature} failed and was skipped: {write.content}"
    for text, found in zip(criteria.communicate_info or (), said, strict=True):
        if found is not None and found.inside:
            yield f"required string {text!r} was found only inside {found.inside!r}"
        if found is None and "," in text:
            yield f"required string {text!r} can never be found: commas are taken out of what the agent says"
    waiting = len(criteria.nl_assertions or ()) - sum(met is not None for met in judged)
    if waiting and "NL_ASSERTION" in criteria.reward_basis:
        yield f"natural-language assertions that count and nobody judged: {waiting}"
    if strangers:
        yield f"writes that answered otherwise when recorded: {len(strangers)}, first {strangers[0]}"
