"""The customer's sheet: facts, wishes and spare sentences, given in data or read from a scenario's free text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from domains.task import Fact, Instructions, Task, Wish
from domains.values import JSON
from sessions.players import mentions
from sessions.players.language import plain
from sessions.players.lookup import Lookup

Occasion: TypeAlias = Literal["asked", "refused", "more", "never"]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of the scenario in the first person, and when it is said.

    `asked`: when its topic is; `refused`: when a wish was refused; `more`: a wish of its own; `never`: how to play.
    """

    say: str
    topics: frozenset[str]
    occasion: Occasion = "asked"


@dataclass(frozen=True)
class Sheet:
    """Everything the customer has to go by."""

    facts: tuple[Fact, ...]
    wishes: tuple[Wish, ...]
    lines: tuple[Line, ...] = ()
    user_id: str = ""
    free: bool = False
    """Read from free text: nobody told which writes fulfil a wish."""
    reservations: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    cards: frozenset[str] = frozenset()
    limits: Mapping[str, JSON] = field(default_factory=dict)
    """Arguments of writes that the text fixes, whatever the write."""
    persona: str = ""


def sheet_of(task: Task, lookup: Lookup) -> Sheet:
    """Return the sheet of a task: its facts and wishes, or what its text says."""
    scenario = task.user_scenario
    persona = plain(scenario.persona or "")
    if scenario.wishes:
        user_id = _account(scenario.facts, lookup)
        return Sheet(tuple(scenario.facts), tuple(scenario.wishes), user_id=user_id, persona=persona)
    return _read(scenario.instructions, tuple(scenario.facts), lookup, persona)


def _account(facts: Iterable[Fact], lookup: Lookup) -> str:
    """Return whose account it is: by the id, the email address, or name and zip code. Used to compare, never told."""
    known = {f.name: f.value for f in facts if f.value is not None}
    if "user_id" in known:
        return str(known["user_id"])
    for user in lookup.rows("users"):
        name = user.get("name")
        if not isinstance(name, dict):
            continue
        theirs = (name["first_name"], name["last_name"], user["address"]["zip"])
        mine = (known.get("first_name"), known.get("last_name"), known.get("zip"))
        if user.get("email") == known.get("email") or theirs == mine:
            return str(user["user_id"])
    return ""


def _read(instructions: Instructions | str, given: tuple[Fact, ...], lookup: Lookup, persona: str) -> Sheet:
    if isinstance(instructions, str):
        known, reason, rest, unknown = "", instructions, "", ""
    else:
        known, reason = instructions.known_info or "", instructions.reason_for_call
        rest, unknown = instructions.task_instructions, instructions.unknown_info or ""
    everything = "\n".join((known, reason, rest))
    facts = [*given, *_facts(everything, known or reason, unknown, lookup)]
    opening, wanted = _opening(reason)
    lines = [*wanted, *_lines(known), *_lines(unknown), *_lines(rest)]
    low = plain(everything)
    limits: dict[str, JSON] = {}
    if re.search(r"\b(?:no|not|don't) (?:\w+ ){0,3}(?:\w+ (?:and|or) )?(?:travel )?insurance\b", low):
        limits["insurance"] = "no"
    user_ids = [f.value for f in mentions.user_ids(everything)]
    return Sheet(
        tuple(facts),
        (Wish(say=opening),),
        tuple(lines),
        user_id=user_ids[0] if user_ids else "",
        free=True,
        reservations=frozenset(f.value for f in lookup.reservations(everything)),
        dates=frozenset(f.value for f in mentions.dates(everything, lookup.year)),
        cards=frozenset(_cards(low)),
        limits=limits,
        persona=persona,
    )


def _cards(low: str) -> list[str]:
    return [a or b for a, b in re.findall(r"\bending (?:in|with) (\d{4})\b|\b(\d{4}) card\b", low)]


# Facts


def _facts(text: str, known: str, unknown: str, lookup: Lookup) -> Iterable[Fact]:
    user_ids = mentions.values(mentions.user_ids(text))
    if user_ids:
        yield Fact(name="user_id", value=user_ids[0], say=f"My user id is {user_ids[0]}.")
    name = re.search(
        r"\b(?:[Yy]ou(?:r full|r)? name(?: is|'s|:)|[Yy]ou are|[Yy]ou're|\b[Yy]ou are [a-z ]+ (?:called|named)) "
        r"([A-Z][\w'-]+ [A-Z][\w'-]+)",
        text,
    )
    if name is not None:
        yield Fact(name="name", value=name[1], say=f"My name is {name[1]}.")
    elif user_ids:
        # A user id is made of the name; who knows the one knows the other.
        said = " ".join(part.capitalize() for part in user_ids[0].split("_")[:-1])
        yield Fact(name="name", value=said, say=f"My name is {said}.")
    yield from _several("email", "email address", mentions.values(mentions.emails(text)))
    yield from _several("zip", "zip code", mentions.values(mentions.zips(known)))
    yield from _several("phone_number", "phone number", mentions.values(mentions.phones(text)))
    yield from _several("order_id", "order number", mentions.values(mentions.orders(text)))
    reservations = mentions.values(lookup.reservations(text))
    yield from _several("reservation_id", "reservation number", reservations)
    for topic, words, label in (
        ("email", r"e-?mail", "email address"),
        ("reservation_id", r"(?:reservation|booking|confirmation)", "reservation number"),
        ("order_id", r"order", "order number"),
    ):
        if re.search(rf"\b(?:don't|do not|can't|cannot) (?:know|remember|recall)\b[^.]*\b{words}", plain(unknown)):
            yield Fact(name=topic, value=None, say=f"I do not remember my {label}.")


def _several(name: str, label: str, values: list[str]) -> Iterable[Fact]:
    if len(values) == 1:
        yield Fact(name=name, value=values[0], say=f"My {label} is {values[0]}.")
    elif values:
        yield Fact(name=name, value=values, say=f"My {label}s are {', '.join(values[:-1])} and {values[-1]}.")


# Sentences

_STYLE = re.compile(
    r"^(?:be|don't|do not|never|always|make sure|under no|try|act|sound|use|mention|insist|keep|only provide|"
    r"answer|first complain|halfway|make up|for that you make up|tell the agent|you are trying to make|this is "
    r"incorrect|otherwise, just"
    r"|you are (?:very |a bit |a |an |extremely |quite |rather )*(?:calm|emotional|reactive|persistent|polite|"
    r"terse|brief|upset|impatient|insistent|stressed|angry|busy|anxious|firm|happy to be|detail|logical|"
    r"independent|private|shy|sad|optimistic|confident|organized|curious|outgoing|creative|relaxing|pessimistic|"
    r"rigid|dependent|cautious|direct|messy|patient|flexible|sensitive|lazy|insecure)"
    r"|you (?:occasionally|will never|always|are very persistent|try (?:a|to be))|when(?:ever)? (?:the )?agent|"
    r"whenever|for example|never make|if you are unsure|if the tool call)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"^(?:if and only if|only if|if)\b", re.IGNORECASE)
_IF_ASKED = re.compile(
    r"^if (?:the )?(?:service |customer service )?agent asks?(?P<what>[^,]*),\s*(?:then )?(?:say that |say |tell "
    r"(?:them|the agent) (?:that )?|mention (?:that )?)?(?P<say>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_IF_REFUSED = re.compile(
    r"^(?:if and only if|even if|if)\b[^,]*?\b(?:not (?:possible|agree)|cannot|can't|is a basic|is basic|refuses?|"
    r"denies|not be|will not|says? (?:that )?(?:your ticket|you cannot)|doesn't|does not|insists?|has to be|be "
    r"changed|be modified)[^,]*,\s*(?:then )?(?P<say>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WANT = re.compile(
    r"\byou (?:also |now |then |really |only |suddenly )*(?:want|would like|need|wish|wonder)\b|\byou'd (?:also "
    r")?like\b",
    re.IGNORECASE,
)


def _lines(text: str) -> Iterable[Line]:
    for part in _split(text):
        yield _line(part)


def _split(text: str) -> list[str]:
    """Split at sentence ends and at lines that begin a sentence of their own."""
    text = text.replace("i.e. ", "i.e., ")
    joined = re.sub(r":?\s*\n\s*-\s*(?=.*)", ", ", text)
    parts = []
    for block in re.split(r"\n+(?![a-z])", joined):
        parts += mentions.sentences(block)
    return [part.strip().strip(",") for part in parts if len(part.strip()) > 2]


def _line(part: str) -> Line:
    if (asked := _IF_ASKED.match(part)) is not None:
        topics = statement_topics(asked["what"] + " " + asked["say"])
        return Line(_capital(first_person(asked["say"])), topics)
    if (refused := _IF_REFUSED.match(part)) is not None:
        say = re.sub(r"^(?:mention|insist|say|add|tell the agent)(?: that)? ", "", refused["say"], flags=re.IGNORECASE)
        said = first_person(say)
        if re.match(r"(?:accept|(?:you )?move on|end|just|the agent)\b", say, re.IGNORECASE) or not re.match(
            r"i\b|my\b|the\b", said, re.IGNORECASE
        ):
            said = f"I want to {say}" if re.match(r"(?:ask|try|request|cancel|change|upgrade)\b", say) else ""
            said = said.replace("I want to ask to ", "I want to ").replace("I want to try to ", "I want to ")
        return Line(_capital(said), frozenset(), "refused" if said else "never")
    spoken = _spoken(part)
    said = _capital(first_person(spoken))
    if _STYLE.match(spoken) or (
        re.search(r"\bagent\b", spoken) and not re.match(r"you\b|your\b", spoken, re.IGNORECASE)
    ):
        return Line(said, frozenset(), "never")
    if _IF.match(spoken):
        topics = statement_topics(spoken)
        return Line(said, topics, "asked" if topics else "never")
    return Line(said, statement_topics(spoken), "more" if _WANT.search(spoken) else "asked")


def _spoken(part: str) -> str:
    """Drop the stage directions of a sentence and keep what is told."""
    spoken = re.sub(r"\s*\([^)]*\b(?:mention|agent|provide|if cheaper)\b[^)]*\)", "", part, flags=re.IGNORECASE)
    spoken = re.sub(r"^in the middle of the conversation[^,]*,\s*", "", spoken, flags=re.IGNORECASE)
    spoken = re.sub(r"^halfway .*?\bby saying that\s+", "", spoken, flags=re.IGNORECASE)
    spoken = re.sub(r",? (?:so|and) insist (?:\w+ )?on .*$", "", spoken, flags=re.IGNORECASE)
    return re.sub(r"^(first,? )?try to ", lambda m: f"{m[1] or ''}you want to ", spoken, flags=re.IGNORECASE)


def _opening(reason: str) -> tuple[str, list[Line]]:
    """Return what is said first, and the other sentences of the reason for contact."""
    first, later = [], []
    for part in _split(reason):
        line = _line(part)
        if line.occasion in ("asked", "more") and not _IF.match(part) and not _STYLE.match(part):
            first.append(line.say)
            later.append(Line(line.say, line.topics))
        else:
            later.append(line)
    return " ".join(first) or _capital(first_person(" ".join(reason.split()))), later


_STATED: Mapping[str, str] = {
    "payment_id": r"certificates?|gift ?cards?|\bgcs?\b|\bcards?\b|\bcc\b|payment|\bpay\b|voucher|refund|paypal",
    "cabin": r"economy|business|cabin|\bclass\b",
    "total_baggages": r"\bbags?\b|baggages?|luggage|suitcases?",
    "insurance": r"insurance|insured",
    "date": (
        r"\b(?:may|june|april) \d+|\b\d+(?:st|nd|rd|th)\b|\bdates?\b|\bday\b|tomorrow|yesterday|morning|hours? ago|"
        r"\b\d+ ?[ap]m\b|next day|today"
    ),
    "route": (
        r"\bfrom\b.*\bto\b|\b(?!DOB|NOT|THE|AND|EST|ONE|FOR)[A-Z]{3}\b|airports?|\btrip to\b|newark|princeton|west "
        r"coast|reside|live in|new york"
    ),
    "flights": (
        r"\bhat\d{3}\b|non-?stop|direct|cheapest|fastest|earliest|stop ?over|one[ -]stop|depart\w*|arriv\w*|early "
        r"flights|flight number|same flight|exact same"
    ),
    "passengers": r"passengers?|yourself|companion|friend|family members|travell?ers?|\bdob\b|people",
    "reason": (
        r"sick|unwell|passed away|emergency|birthday|mistake|because|out of town|health|important meeting|"
        r"coincides|money issue|mixup|healthy|feel|change of plan|no longer"
    ),
    "flight_type": r"one[ -]way|round ?trip|\breturn\b",
    "membership": r"\b(?:gold|silver|regular)\b|\bmember",
    "budget": r"\$ ?\d+|\bfee\b|budget|dollars",
    "dob": r"\bdob\b|birthday is|date of birth|birth",
    "user_id": r"user id",
    "reservation_id": (
        r"reservation id|reservation number|confirmation number|confirmation code|last reservation|don't remember "
        r"what it was|reservation ids"
    ),
    "address": r"address|street|avenue|road|suite|apartment",
    "location": r"abroad|france|\bhome\b|currently in",
    "amount": r"\bgb\b|gigabytes?|refuel",
    "items": r"keyboard|thermostat|item|product|order",
    "new_items": r"options?|colou?r|size|material|version|cheapest|instead of|same (?:one|item)",
    "device": r"\bphone\b|device",
    "email": r"e-?mail",
}


def statement_topics(text: str) -> frozenset[str]:
    """Return what a statement is about, in the topics that can be asked for."""
    return frozenset(
        topic
        for topic, words in _STATED.items()
        if re.search(words, text if topic == "route" else text.lower())
        or (topic == "route" and re.search(words, text.lower()))
    )


# From "you" to "I"

_OBJECT = re.compile(
    r"\b(to|for|with|of|at|by|from|on|about|between|tell|tells|told|ask|asks|give|gives|gave|let|lets|help|helps|"
    r"charge|charges|cause|caused|causes|corrects|get|gets|show|shows|allow|allows|allowed|upgrade|offer|offers|"
    r"inform|refund|provide|transfer|helped|assist|than|and|after|before)\s+you\b(?!\s+(?:want|need|are|were|have|"
    r"had|will|would|can|could|do|don't|don't|may|might|should|must|think|like|prefer|know|also|only|just|live|"
    r"booked|purchased|feel|get|took|accept)\b)",
    re.IGNORECASE,
)
_SWAPS = (
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byou are\b", "I am"),
    (r"\byou're\b", "I'm"),
    (r"\byou were\b", "I was"),
    (r"\byou've\b", "I've"),
    (r"\byou'd\b", "I'd"),
    (r"\byou'll\b", "I'll"),
    (r"\byou name\b", "my name"),
    (r"\byour\b", "my"),
    (r"\byou reservation\b", "my reservation"),
    (r"\byou mobile\b", "my mobile"),
    (r"\byou\b", "I"),
    (r"\bare I\b", "am I"),
    (r"\bI(.*) and are (?=willing|happy|ok\b)", r"I\1 and am "),
)


def first_person(text: str) -> str:
    """Turn what somebody is told about themselves into what they say."""
    said = _OBJECT.sub(lambda m: f"{m[1]} me", " ".join(text.split()))
    for pattern, word in _SWAPS:
        said = re.sub(pattern, word, said, flags=re.IGNORECASE)
    return said


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" or not text else ".")
