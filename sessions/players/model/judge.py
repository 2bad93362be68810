"""A model judges a task's natural-language assertions; what is odd is not judged, which is neither yes nor no."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domains.values import JSON
from sessions.event import Event, Judged
from sessions.players.base import PlayerFailure
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import Request, complete
from sessions.players.model.player import Completing
from sessions.players.model.progress import nobody
from sessions.players.model.prompts import section
from sessions.players.model.wire import content
from sessions.trajectory import Turn

LONGEST_ANSWER: Final = 4_000
"""Characters of a tool's answer that a judge is shown."""

JUDGE: Final = """\
You read a conversation between a customer and the agent of a customer service, with the agent's tool calls, and
decide of each numbered statement whether it is true of what happened. Decide each for itself, by what is there and
not by what was meant. Answer with JSON and nothing else, one entry for every statement:

{"results": [{"statement": 1, "reason": "why, in one sentence", "met": true}]}"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a model thinks of one assertion."""

    met: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Findings on all assertions, or none and `problem`, which says why it was not judged."""

    by: str
    findings: tuple[Finding, ...] = ()
    problem: str = ""
    usage: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def verdicts(self) -> tuple[bool, ...]:
        """The findings in a word each, empty when not judged."""
        return tuple(finding.met for finding in self.findings)

    def events(self) -> Iterator[Judged]:
        """Yield what is recorded."""
        for i, finding in enumerate(self.findings):
            yield Judged(assertion=i, met=finding.met, by=self.by, kind="model", reason=finding.reason)


async def judge(
    model: ModelChoice, assertions: Sequence[str], turns: Sequence[Turn], complete: Completing = complete
) -> Judgement:
    """Let a model judge. Never raises for what a model does: then it is not judged, and `problem` is one line."""
    if not assertions:
        return Judgement(model.name)
    statements = "\n".join(f"{i}. {' '.join(text.split())}" for i, text in enumerate(assertions, start=1))
    told = f"{section('conversation', told_turns(turns))}\n\n{section('statements', statements)}"
    asked = [{"role": "system", "content": JUDGE}, {"role": "user", "content": told}]
    temperature = model.args.get("temperature", 0.0)
    try:
        reply = await complete(Request(model, asked, temperature=temperature), nobody)
    except PlayerFailure as failure:
        return Judgement(model.name, problem=str(failure))
    try:
        return Judgement(model.name, tuple(read_findings(reply.text, len(assertions))), usage=reply.usage)
    except ValueError as error:
        return Judgement(model.name, problem=f"{model.name}: {error}; not judged", usage=reply.usage)


def read_findings(text: str, wanted: int) -> list[Finding]:
    """Return exactly one finding for each assertion, in order. Raises ValueError."""
    start = text.find("{")
    if start < 0:
        raise ValueError("the answer holds no JSON")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        raise ValueError("the answer's JSON cannot be read") from None
    results = found.get("results")
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise ValueError("the answer has no list of results")
    if len(results) != wanted:
        raise ValueError(f"{len(results)} verdicts for {wanted} statements")
    by_number: dict[Any, Finding] = {}
    for i, one in enumerate(results, start=1):
        met = one.get("met")
        if not isinstance(met, bool):
            raise ValueError(f"verdict {i} is neither true nor false")
        by_number[one.get("statement", i)] = Finding(met, str(one.get("reason", "")))
    if set(by_number) != set(range(1, wanted + 1)):
        raise ValueError("the verdicts are not one for each statement")
    return [by_number[i] for i in range(1, wanted + 1)]


def told_turns(turns: Iterable[Turn]) -> str:
    """Return a conversation as a judge reads it: words, calls and answers of both sides."""
    lines = []
    for turn in turns:
        who = "agent" if turn.seat == "agent" else "customer"
        if turn.text:
            lines.append(f"{who}: {turn.text}")
        for done in turn.calls:
            lines.append(f"{who} calls {done.call.name}({json.dumps(dict(done.call.arguments), ensure_ascii=False)})")
            lines.append(f"  answer: {content(done)[:LONGEST_ANSWER]}")
    return "\n".join(lines)


# Beside people


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a judge says what people say, over the assertions both have judged; `kappa` is Cohen's.

    It is None where chance alone would agree always, or nothing was judged by both.
    """

    by: str
    n: int
    agreed: int
    kappa: float | None

    def line(self) -> str:
        """Return it as it is printed."""
        if not self.n:
            return f"{self.by}: no assertion was judged by a person too"
        kappa = "n/a" if self.kappa is None else f"{self.kappa:.2f}"
        return f"{self.by} agrees with people on {self.agreed} of {self.n} assertions (Cohen's kappa {kappa})"


def standing(events: Iterable[Event], by: str) -> tuple[dict[int, bool], dict[int, bool]]:
    """Return the last verdicts of people, and those of one model, by assertion."""
    people: dict[int, bool] = {}
    model: dict[int, bool] = {}
    for event in events:
        if isinstance(event, Judged):
            if event.kind == "human":
                people[event.assertion] = event.met
            elif event.by == by:
                model[event.assertion] = event.met
    return people, model


def agreement(by: str, sessions: Iterable[Iterable[Event]]) -> Agreement:
    """Compare a model's verdicts with those of people, pooled over sessions."""
    pairs = []
    for events in sessions:
        people, model = standing(events, by)
        pairs += [(people[i], model[i]) for i in people.keys() & model.keys()]
    n, agreed = len(pairs), sum(a == b for a, b in pairs)
    if not n:
        return Agreement(by, 0, 0, None)
    yes_people, yes_model = sum(a for a, _ in pairs) / n, sum(b for _, b in pairs) / n
    chance = yes_people * yes_model + (1 - yes_people) * (1 - yes_model)
    return Agreement(by, n, agreed, None if chance == 1 else (agreed / n - chance) / (1 - chance))
