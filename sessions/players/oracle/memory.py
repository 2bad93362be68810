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
from sessions.players.oracle.identity import QUESTIONS
from sessions.players.oracle.phrasing import done
from sessions.players.oracle.plan import Plan, Step
from sessions.players.wanting import TOOL_INTENTS
from sessions.trajectory import Turn

WHAT_ELSE = "What should be different?"
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
    if language.refuses(text):
        for request in memory.requests:
            request.answered = True
    memory.identity_asked += any(question in text or question[1:] in text for question in QUESTIONS)


def _agreed(memory: Memory) -> bool:
    step = memory.plan.step(memory.pending) if memory.pending is not None else None
    return step is not None and step.kind == "write" and verdict(step, memory.heard, memory.lookup) is Answer.YES


_MORE_THAN_YES = re.compile(
    r"\b(?:also|another|other|different|plus|add|remove|move|switch|replace|too|as well|and then|additionally|make "
    r"(?:it|that)|but)\b"
)


def verdict(step: Step, text: str, lookup: Lookup) -> Answer:
    """Tell whether words agree to this very step: a yes that names anything it does not hold is unclear."""
    answer = language.answer(text)
    if answer is not Answer.YES:
        return answer
    proposed, said = plain(step.what), plain(text)
    own = TOOL_INTENTS.get(step.name, frozenset())
    others = wanting.intents(text) - {"service"}
    if others and own and not others & (own | wanting.intents(step.what)):
        return Answer.UNCLEAR
    if any(m[0] not in proposed for m in _MORE_THAN_YES.finditer(said)):
        return Answer.UNCLEAR
    held = set(mentions.values(mentions.dates(step.what, lookup.year)))
    if not set(mentions.values(mentions.dates(text, lookup.year))) <= held:
        return Answer.UNCLEAR
    places = {code for f in lookup.places(step.what) for code in f.value.split("|")}
    if any(not set(f.value.split("|")) & places for f in lookup.places(text)):
        return Answer.UNCLEAR
    if any(f.value.lower() not in proposed for f in mentions.people(text) if f.start > 0):
        return Answer.UNCLEAR
    if not set(mentions.values(mentions.cabins(text))) <= set(mentions.values(mentions.cabins(step.what))):
        return Answer.UNCLEAR
    undated = said
    for found in reversed(mentions.dates(said, lookup.year)):
        undated = undated[: found.start] + undated[found.end :]
    named = re.findall(r"[#\w]*\d[\w.]*", undated)
    named += [mentions.number(w) for w in re.findall(r"\b(?:two|three|four|five|six|seven|eight|nine|ten)\b", undated)]
    known = re.findall(r"[#\w]*\d[\w]*(?:\.\d+)?", proposed)
    return Answer.YES if all(value.strip("#.") in {k.strip("#.") for k in known} for value in named) else Answer.UNCLEAR


def _hear(memory: Memory, text: str) -> None:
    memory.user_texts.append(text)
    memory.just = []
    if memory.pending is not None:
        step = memory.plan.step(memory.pending)
        answer = reported(step, text) if step.kind == "user" else verdict(step, text, memory.lookup)
        if answer is Answer.NO:
            memory.noes[step.index] += 1
            if memory.noes[step.index] >= 2:
                memory.left.add(step.index)
        elif answer is Answer.YES and step.kind == "user":
            memory.made.add(step.index)
        elif answer is Answer.UNCLEAR:
            memory.unclear[step.index] += not language.is_question(text)
            if memory.unclear[step.index] >= MOST_UNCLEAR or memory.asks[step.index] >= MOST_ASKS:
                memory.left.add(step.index)
        if answer is not Answer.UNCLEAR or not wanting.intents(text) - TOOL_INTENTS.get(step.name, frozenset()):
            return
    if memory.discussing is not None:
        if language.answer(text) is Answer.NO or language.is_over(text):
            memory.left.add(memory.discussing)
        return
    _request(memory, text)


def reported(step: Step, text: str) -> Answer:
    """Tell whether a customer has done a step they were asked for."""
    said = plain(text)
    if said.startswith("my phone says") or (
        step.name.startswith(("check_", "run_", "can_")) and len(said.split()) > 3 and "?" not in said
    ):
        return Answer.YES
    if (
        re.search(
            r"\b(?:done|did|it(?:'s| is) (?:now )?(?:on|off|set|back)|is now|i(?:'ve| have)|turned|switched|"
            r"restarted|rebooted|reset|granted|paid|successfully|it worked)\b",
            said,
        )
        and "?" not in said
    ):
        return (
            Answer.NO if re.search(r"\b(?:haven't|have not|didn't|did not|couldn't|could not)\b", said) else Answer.YES
        )
    if "?" in said:
        return Answer.UNCLEAR
    if re.search(r"\b(?:can't|cannot|won't|will not|couldn't|don't want|do not want|no)\b", said):
        return Answer.NO
    # "Sure" and "ok" promise it; only a yes or a report says that it is done.
    promised = re.fullmatch(r"(?:ok|okay|k|sure|alright|all right|fine|will do|let me try|one moment)\W*", said)
    return Answer.YES if language.answer(text) is Answer.YES and not promised else Answer.UNCLEAR


# Requests

_WANTS = re.compile(
    r"\b(?:i|we)(?:'d| would)? (?:want|need|like|wish|have to|am looking|would like|wanted|must)\b|\bplease\b|"
    r"\b(?:can|could|would|will) you\b|\bhelp\b|\bcan i\b|\bmay i\b|\bhow (?:do|can) i\b|\bi(?:'m| am) "
    r"(?:contacting|calling|trying)\b|\bproblem\b|\bwonder|\bnot work|\bunable\b"
)


def _request(memory: Memory, text: str) -> None:
    wishes = _wishes(memory, text)
    if wishes:
        for i in wishes:
            steps = tuple(step.index for step in memory.plan.acts if step.wish == i)
            memory.requests.append(Request(text, wanting.intents(text), steps, i))
            memory.claimed += [s for s in steps if s not in memory.claimed]
        return
    if language.asks_information(text):
        memory.requests.append(Request(text, frozenset()))
        return
    intents = wanting.intents(text)
    if _is_repair(memory.plan) and len(text.split()) >= 3 and not (language.is_over(text) or language.is_thanks(text)):
        intents |= {"service"}  # one trouble, however it is told
    wants = bool(_WANTS.search(plain(text))) or language.is_question(text)
    if not intents and not wants:
        return
    if language.is_over(text) and not intents:
        return
    steps = _steps(memory, text, intents)
    for index in memory.left & set(steps):  # asked for again after it was left
        memory.left.discard(index)
        memory.noes[index] = memory.unclear[index] = 0
    memory.claimed += [s for s in steps if s not in memory.claimed]
    if steps or wants or intents:
        memory.requests.append(Request(text, intents, steps))


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
        if i not in taken and own and len(own & words) / len(own) >= ALIKE and (not kinds or kinds & about):
            found.append(i)
    return found


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
