"""What happened, to be gone through step by step in any order: the events, and how the world stands after each step.

A replay is made once and never changed, so a screen may go forwards, back or to any step at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from domains.catalog import Domain
from domains.database import Change, apply_changes
from domains.environment import Environment, ToolError
from domains.errors import DataError
from domains.task import GoldAction, Task
from domains.toolkit import Tool
from sessions.event import (
    Call,
    Ended,
    Event,
    Failure,
    Message,
    Note,
    Result,
    Reviewed,
    Seated,
    Supervision,
    Synced,
    Undone,
)
from sessions.reward import seat_of
from sessions.trajectory import Done, State, fold

GoldPlay: TypeAlias = Literal["evaluator", "live"]
"""How gold is played: as the evaluator does, when no side learns what the other did, or as a session would."""

STEPS = (Message, Call, Undone, Reviewed, Supervision, Seated, Note, Failure, Ended)
"""What begins a step; everything else belongs to the step it follows."""


@dataclass(frozen=True, slots=True)
class Step:
    """One moment: the beginning (number 0), or something that happened with all that came of it.

    `events` are those of this step alone, `changes` all since the start, `met` the task's environment assertions.
    """

    number: int
    events: tuple[Event, ...]
    changes: tuple[Change, ...] = field(repr=False)
    met: tuple[bool, ...]
    tool: Tool | None = None
    """What its call reaches, None for a step without a call and for a call that reaches no tool."""

    @property
    def done(self) -> Done | None:
        """The call of this step with its answer."""
        call = next((e for e in self.events if isinstance(e, Call)), None)
        if call is None:
            return None
        result = next((e for e in self.events if isinstance(e, Result)), None)
        return Done(call, result, next((e for e in self.events if isinstance(e, Synced)), None))

    @property
    def made(self) -> tuple[Change, ...]:
        """What this step alone changed, on both sides."""
        return tuple(change for e in self.events if isinstance(e, Result | Synced) for change in e.changes)

    @property
    def failed(self) -> bool:
        """Whether its call was answered by an error."""
        return any(isinstance(e, Result) and e.error for e in self.events)


@dataclass(frozen=True)
class Replay:
    """The steps of a session, or (`gold` says how it was played) of a task's reference actions.

    Without a domain, whose pack is not here, it is a transcript: nothing is known of the world.
    """

    domain: Domain | None = field(repr=False, compare=False)
    task: Task = field(repr=False)
    steps: tuple[Step, ...]
    gold: GoldPlay | None = None

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    def events(self, number: int) -> tuple[Event, ...]:
        """Return everything that has happened up to a step and in it."""
        return tuple(event for step in self.steps[: number + 1] for event in step.events)

    def state(self, number: int) -> State:
        """Return the fold of what has happened up to a step."""
        return fold(self.events(number))

    def find(self, number: int, wanted: Callable[[Step], bool]) -> int | None:
        """Return the first step after this one that is wanted."""
        return next((step.number for step in self.steps[number + 1 :] if wanted(step)), None)

    def drops_out(self, step: Step) -> bool:
        """Tell whether a step is a gold write that fails, and so is no part of the goal."""
        return self.gold is not None and step.failed and step.tool is not None and step.tool.mutates

    @cached_property
    def dropped(self) -> tuple[Step, ...]:
        """The gold writes that are no part of the goal."""
        return tuple(step for step in self.steps if self.drops_out(step))

    @property
    def synced(self) -> bool:
        """Whether the two sides of this world learn from each other at all."""
        return self.domain is not None and self.domain.definition.sync is not None

    @property
    def two_sided(self) -> bool:
        """Whether both seats have tools of their own."""
        if self.domain is not None:
            return len(self.domain.definition.toolkits) > 1
        return len({step.done.call.seat for step in self.steps if step.done is not None}) > 1

    @property
    def number(self) -> str:
        """Return `#7`, nothing for a task that is not in the pack: an id may say what the task is about."""
        ids = [task.id for task in self.domain.tasks] if self.domain is not None else []
        return f"#{ids.index(self.task.id)}" if self.task.id in ids else ""


# Gold


def gold_replay(domain: Domain, task: Task, *, live: bool = False) -> Replay:
    """Play a task's reference actions, as the evaluator does or `live`. Raises DataError."""
    env = domain.environment(task)
    steps = [_step(0, (), env, task)]
    for number, action in enumerate(task.gold, 1):
        steps.append(_step(number, tuple(_gold_events(env, number, action, live)), env, task, steps[-1]))
    return Replay(domain, task, tuple(steps), "live" if live else "evaluator")


def gold_replays(domain: Domain, task: Task) -> tuple[Replay, ...]:
    """Return gold in every way that makes a difference, first the one that shows the goal. Raises DataError.

    Where the database does not count, the goal is what the live world comes to.
    """
    if domain.definition.sync is None:
        return (gold_replay(domain, task),)
    criteria = task.evaluation_criteria
    live_first = criteria is not None and "DB" not in criteria.reward_basis
    return gold_replay(domain, task, live=live_first), gold_replay(domain, task, live=not live_first)


def _gold_events(env: Environment, number: int, action: GoldAction, live: bool) -> Iterator[Event]:
    seat = seat_of(action)
    call_id = action.action_id or f"gold_{number}"
    yield Call(turn=number, seat=seat, id=call_id, name=action.name, arguments=action.arguments)
    answer = env.call(seat, action.name, action.arguments, sync=live)
    yield Result(turn=number, seat=seat, id=call_id, content=answer.content, error=answer.error, changes=answer.changes)
    if answer.synced:
        yield Synced(turn=number, changes=answer.synced)


# Sessions


def session_replay(domain: Domain, task: Task, events: Sequence[Event], *, solo: bool = False) -> Replay:
    """Go through recorded events; the world is what their recorded changes make of the task's beginning.

    Raises DataError when the task's initial state does not apply, or a change does not fit the pack.
    """
    env = domain.environment(task, solo=solo)
    groups = list(_grouped(events))
    steps = [_step(0, groups[0], env, task)]
    for number, group in enumerate(groups[1:], 1):
        for event in group:
            if isinstance(event, Result | Synced):
                _apply(env, number, event.changes)
        steps.append(_step(number, group, env, task, steps[-1]))
    return Replay(domain, task, tuple(steps))


def transcript_replay(task: Task, events: Sequence[Event]) -> Replay:
    """Go through recorded events of a world that is not here."""
    steps = [Step(number, group, (), ()) for number, group in enumerate(_grouped(events))]
    return Replay(None, task, tuple(steps))


def _grouped(events: Iterable[Event]) -> Iterator[tuple[Event, ...]]:
    group: list[Event] = []
    for event in events:
        if isinstance(event, STEPS):
            yield tuple(group)
            group = []
        group.append(event)
    yield tuple(group)


def _apply(env: Environment, number: int, changes: Sequence[Change]) -> None:
    databases = {database.base.name: database for database in env.databases.values()}
    for name, database in databases.items():
        try:
            apply_changes(database, tuple(change for change in changes if change.database == name))
        except (KeyError, IndexError, TypeError) as error:
            raise DataError(f"step {number}: a recorded change does not fit this pack: {error!r}") from None


# Steps


def _step(number: int, events: tuple[Event, ...], env: Environment, task: Task, before: Step | None = None) -> Step:
    call = next((e for e in events if isinstance(e, Call)), None)
    still = before is not None and not any(isinstance(e, Result | Synced) and e.changes for e in events)
    return Step(
        number,
        events,
        before.changes if before is not None and still else env.changes(),
        before.met if before is not None and still else _met(env, task),
        None if call is None else _tool(env, call),
    )


def _met(env: Environment, task: Task) -> tuple[bool, ...]:
    # Checking lets the two sides learn from each other, which is no part of the state that is looked at.
    return tuple(env.fork().check(assertion) for assertion in task.env_assertions)


def _tool(env: Environment, call: Call) -> Tool | None:
    try:
        return env.find(call.seat, call.name)[1]
    except ToolError:
        return None
