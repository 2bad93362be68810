"""A task's gold played twice: as the evaluator plays it, and live, as a session would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from domains.catalog import Domain
from domains.environment import Environment, ToolResult
from domains.knowledge import GoldCall, Knowledge
from domains.task import EvaluationCriteria, GoldAction, RewardType, Task
from domains.toolkit import Seat


@dataclass(frozen=True, slots=True)
class Step:
    """One gold action: the world before it, and what it gave live and as the evaluator plays it."""

    index: int
    action: GoldAction
    seat: Seat
    mutates: bool
    before: Environment = field(repr=False)
    live: ToolResult
    unsynced: ToolResult

    @property
    def call(self) -> GoldCall:
        """The action as a domain's knowledge looks at it."""
        return GoldCall(self.before, self.action.name, self.action.arguments, self.live)


@dataclass(frozen=True, slots=True)
class Played:
    """A task with everything the lints need. Nobody may change the environments: fork them."""

    domain: Domain
    knowledge: Knowledge
    task: Task
    criteria: EvaluationCriteria
    start: Environment = field(repr=False)
    steps: tuple[Step, ...]
    live: Environment = field(repr=False)
    goal: Environment = field(repr=False)

    def counts(self, component: RewardType) -> bool:
        """Tell whether a component is part of the reward."""
        return component in self.criteria.reward_basis

    @property
    def writes(self) -> tuple[Step, ...]:
        """The gold actions that may change a database."""
        return tuple(step for step in self.steps if step.mutates)


def seat_of(action: GoldAction) -> Seat:
    """Return whose action a gold action is."""
    return "user" if action.requestor == "user" else "agent"


def play(domain: Domain, knowledge: Knowledge, task: Task, start: Environment) -> Played:
    """Play a task's gold from its initial state."""
    live, goal = start.fork(), start.fork()
    steps = []
    for index, action in enumerate(task.gold):
        seat, before = seat_of(action), live.fork()
        shown = live.call(seat, action.name, action.arguments)
        unsynced = goal.call(seat, action.name, action.arguments, sync=False)
        steps.append(Step(index, action, seat, before.mutates(seat, action.name), before, shown, unsynced))
    criteria = task.evaluation_criteria or EvaluationCriteria()
    return Played(domain, knowledge, task, criteria, start, tuple(steps), live, goal)


def texts(task: Task) -> Iterator[tuple[str, str]]:
    """Yield field and text of everything that tells the user, or an agent with a ticket, what to do."""
    instructions = task.user_scenario.instructions
    if isinstance(instructions, str):
        yield "instructions", instructions
    else:
        for name in ("reason_for_call", "known_info", "unknown_info", "task_instructions"):
            if text := getattr(instructions, name):
                yield f"instructions.{name}", text
    if task.ticket:
        yield "ticket", task.ticket


def scenario(task: Task) -> str:
    """Return what the customer knows and wants, as one text."""
    return "\n".join(text for field_, text in texts(task) if field_ != "ticket")
