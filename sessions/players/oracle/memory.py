"""What the oracle knows of a conversation, folded from its turns alone: it can be seated in the middle of anybody's."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from domains.values import JSON
from sessions.players import language, mentions, wanting
from sessions.players.language import Answer, plain
from sessions.players.lookup import Lookup
from sessions.players.oracle import talk
from sessions.players.oracle.hearing import reported, verdict
from sessions.players.oracle.identity import QUESTIONS
from sessions.players.oracle.phrasing import done
from sessions.players.oracle.plan import Plan, Step
from sessions.players.wanting import TOOL_INTENTS
from sessions.trajectory import Turn

WHAT_ELSE = "What should be different?"
ONLY_THIS = "I can only offer it as I said"
MOST_UNCLEAR = 4
MOST_ASKS = 12
"""So often a step is proposed at most, whatever the customer asks in between."""
ALIKE = 0.6
"""Share of a wish's words a message must hold to count as that wish."""


@dataclass(frozen=True, slots=True)
class Made:
    """An own call and its answer."""

    name: str
    arguments: Mapping[str, JSON]
    content: str
    error: bool

    @property
    def data(self) -> JSON:
        """The answer read as JSON; the text where it is none."""
        try:
            return json.loads(self.content)
        except ValueError:
            return self.content


@dataclass
class Request:
    """Something the customer asked for: the steps that fulfil it, and the wish it is."""

    text: str
    intents: frozenset[str]
    steps: tuple[int, ...] = ()
    wish: int | None = None
    answered: bool = False
    demand: bool = True
    """Something to be done; otherwise something to be told."""


@dataclass
class Memory:
    """The fold."""

    plan: Plan
    lookup: Lookup
    user_texts: list[str] = field(default_factory=list)
    mine: list[str] = field(default_factory=list)
    calls: list[Made] = field(default_factory=list)
    just: list[Made] = field(default_factory=list)
    """Own calls since the customer's last words."""
    made: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    asks: Counter[int] = field(default_factory=Counter)
    noes: Counter[int] = field(default_factory=Counter)
    unclear: Counter[int] = field(default_factory=Counter)
    pending: int | None = None
    discussing: int | None = None
    claimed: list[int] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    identity_asked: int = 0

    @property
    def heard(self) -> str:
        """The customer's last words."""
        return self.user_texts[-1] if self.user_texts else ""

    @property
    def user_text(self) -> str:
        """All the customer's words."""
        return "\n".join(self.user_texts)

    def settled(self, index: int) -> bool:
        """Tell whether a step needs nothing more."""
        return index in self.made or index in self.failed or index in self.left or self.plan.step(index).refused

    def called(self, name: str, arguments: Mapping[str, JSON]) -> Made | None:
        """Return the last own call of this name and these arguments."""
        return next((m for m in reversed(self.calls) if m.name == name and m.arguments == arguments), None)

    def said(self, text: str) -> bool:
        """Tell whether a required string has been said, by the evaluator's rule."""
        return any(text.lower() in said.lower().replace(",", "") for said in self.mine)

    @property
    def done(self) -> list[Step]:
        """The steps that have been carried out."""
        return [step for step in self.plan.acts if step.index in self.made]

    def is_open(self, request: Request) -> bool:
        """Tell whether a request still needs an answer: no step fulfils it, or only ones that a slip refuses."""
        if request.answered or any(not self.plan.step(i).refused for i in request.steps):
            return False
        return not any(s.extra and s.asks and s.wish == request.wish and self.settled(s.index) for s in self.plan.acts)

    @property
    def waiting(self) -> list[Step]:
        """The steps that are neither carried out nor given up."""
        return [step for step in self.plan.acts if not self.settled(step.index)]

    def proposed(self, step: Step) -> str:
        """Return the message that put a step to the customer last."""
        return next((said for said in reversed(self.mine) if step.what in said), "")


def remember(turns: Iterable[Turn], plan: Plan, lookup: Lookup) -> Memory:
    """Fold the turns of the agent's view."""
    memory = Memory(plan, lookup)
    for turn in turns:
        if turn.seat == "user":
            if turn.text:
                _hear(memory, turn.text)
            continue
        for one in turn.calls:
            if one.result is not None:
                _note(memory, Made(one.call.name, one.call.arguments, one.result.content, one.result.error))
        if turn.text and not turn.calls:
            _speak(memory, turn.text)
    return memory


def _note(memory: Memory, made: Made) -> None:
    memory.calls.append(made)
    memory.just.append(made)
    for step in memory.plan.steps:
        if step.index in memory.made or step.index in memory.failed or step.name != made.name:
            continue
        if step.executes is not None and dict(step.executes) == dict(made.arguments):
            (memory.failed if made.error else memory.made).add(step.index)
            return


def _speak(memory: Memory, text: str) -> None:
    memory.mine.append(text)
    agreed = memory.pending if memory.heard and _agreed(memory) else None
    if agreed is not None and memory.plan.step(agreed).executes is None and done(memory.plan.step(agreed).name) in text:
        memory.made.add(agreed)  # a slip: said to be done
    memory.discussing = memory.pending if WHAT_ELSE in text else None
    if ONLY_THIS in text and memory.pending is not None:
        memory.asks[memory.pending] += 1
        return
    memory.pending = None
    said = [s for s in memory.plan.acts if s.what in text and not memory.settled(s.index)]
    if said:
        # The longest description is the one meant; of equal ones the first that is still to be done.
        step = max(said, key=lambda s: (len(s.what), -s.index))
        memory.pending = step.index
        memory.asks[step.index] += 1
        for request in memory.requests:
            request.answered = request.answered or (request.wish is None and not request.steps)
        if step.index not in memory.claimed:
            memory.claimed.append(step.index)
    identifying = any(question in text or question[1:] in text for question in QUESTIONS)
    memory.identity_asked += identifying
    if identifying:
        return
    if language.refuses(text):
        for request in memory.requests:
            request.answered = True
    elif memory.pending is None and language.asks_for_more(text):
        # An own message answers one request; whoever asks for more is through with it.
        for request in [r for r in memory.requests if memory.is_open(r)][:1]:
            request.answered = True


def _agreed(memory: Memory) -> bool:
    step = memory.plan.step(memory.pending) if memory.pending is not None else None
    return step is not None and step.kind == "write" and verdict(step, memory.heard, memory.lookup) is Answer.YES


def _hear(memory: Memory, text: str) -> None:
    memory.user_texts.append(text)
    memory.just = []
    if memory.pending is not None:
        step = memory.plan.step(memory.pending)
        answer = reported(step, text) if step.kind == "user" else verdict(step, text, memory.lookup)
        if answer is Answer.NO:
            memory.noes[step.index] += 1
            if memory.noes[step.index] >= 2 or ONLY_THIS in memory.mine[-1]:
                memory.left.add(step.index)
        elif answer is Answer.YES and step.kind == "user":
            memory.made.add(step.index)
        elif answer is Answer.UNCLEAR:
            memory.unclear[step.index] += not language.is_question(text)
            if memory.unclear[step.index] >= MOST_UNCLEAR or memory.asks[step.index] >= MOST_ASKS:
                memory.left.add(step.index)
        if answer is Answer.UNCLEAR and wanting.intents(text) - TOOL_INTENTS.get(step.name, frozenset()):
            _request(memory, text, only_new=True)
        return
    if memory.discussing is not None:
        if language.answer(text) is Answer.NO or language.is_over(text):
            memory.left.add(memory.discussing)
        return
    _request(memory, text)


# Requests

_WANTS = re.compile(
    r"\b(?:i|we)(?:'d| would)? (?:want|need|like|wish|have to|am looking|would like|wanted|must)\b|\bplease\b|"
    r"\b(?:can|could|would|will) you\b|\bhelp\b|\bcan i\b|\bmay i\b|\bhow (?:do|can) i\b|\bi(?:'m| am) "
    r"(?:contacting|calling|trying)\b|\bproblem\b|\bwonder|\bnot work|\bunable\b"
)


_TROUBLE = re.compile(
    r"\b(?:not?|never|can't|cannot|won't|doesn't|isn't|trouble|problems?|issues?|broken|stuck|fail\w*|errors?|slow\w*|"
    r"lost|gone|dead|down|off)\b|\bno longer\b"
)


def _request(memory: Memory, text: str, *, only_new: bool = False) -> None:
    """Note what is asked for; beside an open proposal only what the plan holds besides it."""
    wishes = _wishes(memory, text)
    if wishes:
        for i in wishes:
            steps = tuple(step.index for step in memory.plan.acts if step.wish == i)
            memory.requests.append(Request(text, wanting.intents(text), steps, i))
            memory.claimed += [s for s in steps if s not in memory.claimed]
        return
    if talk.is_about_partner(text) or (memory.requests and talk.asks_status(text)):
        return
    if talk.asks_why(text, memory):
        return
    if language.asks_information(text):
        if not only_new:
            memory.requests.append(Request(text, frozenset(), demand=False))
        return
    intents = _about(memory, text)
    wants = bool(_WANTS.search(plain(text)))
    if not intents and (language.is_over(text) or not (wants or language.is_question(text))):
        return
    steps = _steps(memory, text, intents)
    for index in memory.left & set(steps):  # asked for again after it was left
        memory.left.discard(index)
        memory.noes[index] = memory.unclear[index] = 0
    memory.claimed += [s for s in steps if s not in memory.claimed]
    if steps or not only_new:
        memory.requests.append(Request(text, intents, steps, demand=bool(intents) or wants))


def _about(memory: Memory, text: str) -> frozenset[str]:
    """Return what a message is about; where something is to be repaired, any trouble is that one."""
    intents = wanting.intents(text)
    if not _is_repair(memory.plan) or len(text.split()) < 3 or language.is_over(text) or language.is_thanks(text):
        return intents
    over = not memory.waiting and talk.is_good_news(text)
    trouble = not talk.is_off_topic(text) or _WANTS.search(plain(text)) or _TROUBLE.search(plain(text))
    return intents - {"service"} if over else intents | {"service"} if trouble else intents


def _is_repair(plan: Plan) -> bool:
    return any(s.kind == "user" or TOOL_INTENTS.get(s.name) == frozenset({"service"}) for s in plan.acts)


def _wishes(memory: Memory, text: str) -> list[int]:
    """Return the wishes a message brings up, by how much of their words it holds."""
    words, about = wanting.content_words(text), wanting.intents(text)
    taken = {request.wish for request in memory.requests}
    found = []
    for i, wish in enumerate(memory.plan.wishes):
        own = wanting.content_words(wish.say)
        kinds = wanting.intents(wish.say)
        if own and len(own & words) / len(own) >= ALIKE and (not kinds or kinds & about):
            found.append(i)
    new = [i for i in found if i not in taken]
    # A question may be asked again, a wish only goes on.
    again = [i for i in found if memory.plan.wishes[i].answers and not memory.plan.wishes[i].writes]
    return new or (again if language.is_question(text) else [])


def _steps(memory: Memory, text: str, intents: frozenset[str]) -> tuple[int, ...]:
    """Return the steps a message asks for: of its kind, on the reservation, route or day it names."""
    plan = memory.plan
    again = memory.left - memory.made - memory.failed
    open_ones = [s for s in plan.acts if s.index in again or not (memory.settled(s.index) or s.index in memory.claimed)]
    fitting = [
        s for s in open_ones if TOOL_INTENTS.get(s.name, frozenset({"service"} if s.kind == "user" else ())) & intents
    ]
    if "service" in intents:
        return tuple(s.index for s in open_ones if s.kind == "user" or "service" in TOOL_INTENTS.get(s.name, ()))
    if not fitting:
        return ()
    named = {f.value for f in memory.lookup.reservations(text)} | set(mentions.values(mentions.orders(text)))
    if named:
        here = [s for s in fitting if (s.arguments.get("reservation_id") or s.arguments.get("order_id")) in named]
        if here:
            return tuple(s.index for s in here)
    places = {c for f in memory.lookup.places(text) for c in f.value.split("|")}
    dates = set(mentions.values(mentions.dates(text, memory.lookup.year)))
    if places or dates:
        here = [s for s in fitting if _fits(s, places, dates, memory.lookup)]
        if here:
            fitting = here
    many = re.search(
        r"\b(?:all|both|two|three|every|each|flights|reservations|trips|bookings|orders|upcoming)\b", plain(text)
    )
    chosen: list[Step] = []
    for step in fitting:
        # One message asks for one write of a kind, unless it speaks of several.
        if many or not any(s.name == step.name for s in chosen):
            chosen.append(step)
    return tuple(s.index for s in chosen)


def _fits(step: Step, places: set[str], dates: set[str], lookup: Lookup) -> bool:
    record = lookup.record("reservations", str(step.arguments.get("reservation_id"))) or step.arguments
    ends = {str(record.get("origin", "")), str(record.get("destination", ""))}
    days = {str(f["date"]) for f in (*record.get("flights", ()), *step.arguments.get("flights", ()))}
    return (not places or bool(ends & places)) and (not dates or not days or bool(days & dates) or bool(places))
