"""Yes or no to what an agent proposes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domains.task import Wish, Write
from sessions.players import language, mentions, wanting
from sessions.players.language import plain
from sessions.players.lookup import Lookup
from sessions.players.script.memory import Memory
from sessions.players.script.proposals import contradictions
from sessions.players.script.scenario import Sheet
from sessions.players.wanting import TOOL_INTENTS

_LOOKING = re.compile(
    r"\b(?:look|check|search|see|find|explain|list|tell|show|read|send you|give you|know|hear|wait|help|assist|"
    r"continue|keep|repeat|ask|get|verify|confirm|start)\b"
)
_HANDOVER = re.compile(r"\b(?:transfer|human|supervisor|colleague|representative|connect you)\b")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the customer thinks of a proposal: the writes agreed to (wish, write), or what is wrong."""

    agreed: bool
    writes: frozenset[tuple[int, int]] = frozenset()
    correction: str = ""
    doubt: str = ""
    """What is asked back in place of a no."""


def judge(text: str, memory: Memory, sheet: Sheet, lookup: Lookup) -> Verdict | None:
    """Return yes or no to the proposal in a message, None when it proposes nothing."""
    asking = " ".join(
        part
        for part in mentions.sentences(text)
        if (language.asks_to_confirm(part) or is_detailed(part, lookup)) and not is_about_fact(part)
    )
    wanted = _wanted(text)
    if (doubt := _doubted(text, wanted, memory, sheet, lookup)) and (asking or not language.reports_done(text)):
        return Verdict(False, doubt=doubt)
    if not asking:
        return None
    if not wanted and not _ids(text, lookup) and not is_detailed(text, lookup):
        if _HANDOVER.search(plain(asking)):
            return _handover(memory, sheet)
        if _LOOKING.search(plain(asking)) and not re.search(r"\b(?:proceed|go ahead)\b", plain(asking)):
            return Verdict(True)
        wanted = _wanted(memory.before)
        text = f"{memory.before}\n{text}" if wanted else text
    elif _HANDOVER.search(plain(asking)) and not wanted & _fulfilling():
        return _handover(memory, sheet)
    if sheet.free:
        return _judge_freely(text, sheet, lookup)
    return _compare(text, wanted, memory, sheet, lookup)


_MOVES = re.compile(
    r"\b(?:i(?:'ll| will| would|'d|'m going to| am going to)|we(?:'ll| will)|shall i|let me)\b[^.?!]*"
    r"\b(?:move|charge|refund|transfer|credit|debit|send|pay|deduct|bill|take|put)\b"
)


def _doubted(text: str, wanted: frozenset[str], memory: Memory, sheet: Sheet, lookup: Lookup) -> str:
    """Return the question about an amount that is to be moved for nothing that was wished for or talked about."""
    if wanted or _ids(text, lookup) or memory.agreed or _wanted(memory.before) or not _MOVES.search(plain(text)):
        return ""
    amounts = mentions.values(mentions.money(text))
    if not amounts:
        return ""
    wishes = [word for wish in sheet.wishes for word in (wish.say, *wish.answers, *(d.say for d in wish.details))]
    told = " ".join([*wishes, *(fact.say for fact in sheet.facts), *(line.say for line in sheet.lines)])
    known = set(re.findall(r"\d+(?:\.\d+)?", told.replace(",", "")))
    unknown = [amount for amount in amounts if amount not in known]
    return f"What are the ${unknown[0]} for? {_restate(memory)}".strip() if unknown else ""


def is_about_fact(text: str) -> bool:
    """Tell whether a question only wants a fact about the customer confirmed: `Is your zip code 12345, right?`"""
    return bool(
        re.match(r"(?:(?:and|so|ok|okay),? )?(?:is|are|was) (?:your|the) ", plain(text))
        and text.rstrip().endswith("?")
        and set(language.asked(text)) & {"user_id", "name", "email", "zip", "phone_number", "dob"}
        and not _wanted(text)
    )


_FACT_QUESTION = re.compile(
    r"(?:^|\b(?:and|so|ok|okay|but),? )(?:what|which|when|where|who|why|how|do you (?:have|know)|have you|did you|"
    r"can you|could you|may i|is your|are you)\b"
)


def is_detailed(text: str, lookup: Lookup) -> bool:
    """Tell whether a question without `shall I` still puts something to the customer: `HAT241 on May 19, business?`"""
    if not text.rstrip().endswith("?") or _FACT_QUESTION.search(plain(text)) or language.asks_for_more(text):
        return False
    details = (
        *lookup.flights(text),
        *lookup.reservations(text),
        *mentions.dates(text, lookup.year),
        *mentions.orders(text),
        *mentions.items(text),
        *mentions.money(text),
        *mentions.endings(text),
        *mentions.cabins(text),
    )
    return len(details) >= 2 or (len(details) == 1 and len(text.split()) <= 6)


def _fulfilling() -> frozenset[str]:
    return frozenset().union(*TOOL_INTENTS.values())


def _wanted(text: str) -> frozenset[str]:
    return wanting.intents(text) & _fulfilling()


def _ids(text: str, lookup: Lookup) -> bool:
    return bool(lookup.reservations(text) or mentions.orders(text))


def _handover(memory: Memory, sheet: Sheet) -> Verdict:
    if sheet.free:
        against = any(
            re.search(r"\bnot? (?:\w+ ){0,3}(?:be |get )?transferred\b|no circumstances.*transfer", plain(line.say))
            for line in sheet.lines
        )
        return Verdict(not against, correction="I do not want to be transferred." if against else "")
    wish = memory.current
    agreed = wish is not None and not wish.writes and not wish.refused and not wish.answers
    return Verdict(agreed, correction="" if agreed else "I do not want to be transferred.")


def _judge_freely(text: str, sheet: Sheet, lookup: Lookup) -> Verdict:
    """Compare with what free text fixes: who it is, which reservations, dates and cards, yes or no to insurance."""
    limits = dict(sheet.limits)
    if sheet.user_id:
        limits["user_id"] = sheet.user_id
    wrong = contradictions(limits, text, lookup, sheet.user_id)
    named = {f.value for f in lookup.reservations(text)}
    if sheet.reservations and named and not named & sheet.reservations:
        wrong.append("reservation_id")
    cards = {f.value for f in mentions.endings(text)}
    if sheet.cards and cards and not cards <= sheet.cards:
        wrong.append("payment_id")
    booked = {f.value for f in mentions.dates(text, lookup.year) if f.value >= lookup.today}
    if len(sheet.dates) > 0 and "book" in wanting.intents(text) and booked and not booked & sheet.dates:
        wrong.append("date")
    if not wrong:
        return Verdict(True)
    facts = [fact.say for fact in sheet.facts if fact.name in wrong]
    lines = [line.say for line in sheet.lines if line.topics & set(wrong) and line.occasion != "never"]
    return Verdict(False, correction=(facts or lines or [sheet.wishes[0].say])[0])


def _compare(text: str, wanted: frozenset[str], memory: Memory, sheet: Sheet, lookup: Lookup) -> Verdict:
    candidates = list(_candidates(text, wanted, memory, sheet))
    wrong = {(i, j): contradictions(write.arguments, text, lookup, sheet.user_id) for i, j, write in candidates}
    fitting = [(i, j, write) for i, j, write in candidates if not wrong[i, j]]
    open_ones = [(i, j, write) for i, j, write in fitting if (i, j) not in memory.agreed]
    together = _together(text, candidates, wanted, memory, sheet, lookup)
    if together:
        return Verdict(True, together)
    for i, j, write in open_ones or fitting:
        clashing = [
            (k, m)
            for k, m, other in candidates
            if wrong[k, m]
            and (k, m) not in memory.agreed
            and _same_record(write, other)
            and other.name != write.name
            and _told(other, text)
        ]
        if not clashing:
            return Verdict(True, frozenset({(i, j)}))
    # A write of the kind that is wished for, but another one, is wrong, whatever was refused before.
    if not candidates and (wish := _refused_wish(text, wanted, memory, sheet, lookup)) is not None:
        return Verdict(True) if wish else Verdict(False, correction=_restate(memory))
    if not candidates:
        # `Shall I proceed?` that names nothing the customer could object to.
        return Verdict(not wanted and not _ids(text, lookup), correction=_restate(memory))
    i, j, write = min(candidates, key=lambda c: (c[:2] in memory.agreed, len(wrong[c[0], c[1]])))
    return Verdict(False, correction=_correction(sheet.wishes[i], write, wrong[i, j]))


def _candidates(text: str, wanted: frozenset[str], memory: Memory, sheet: Sheet) -> Iterator[tuple[int, int, Write]]:
    for i, wish in enumerate(sheet.wishes):
        if wish.conceal and i not in memory.raised and not all(memory.done(k) for k in memory.raised):
            continue
        for j, write in enumerate(wish.writes):
            if write.requestor == "user":
                continue
            if not wanted or wanting.proposes(text, write.name):
                yield i, j, write


def _together(
    text: str,
    candidates: list[tuple[int, int, Write]],
    wanted: frozenset[str],
    memory: Memory,
    sheet: Sheet,
    lookup: Lookup,
) -> frozenset[tuple[int, int]]:
    """Return the writes of a proposal that names several reservations at once, when each of them is wished for."""
    named = {f.value for f in lookup.reservations(text)} | set(mentions.values(mentions.orders(text)))
    if len(named) < 2:
        return frozenset()
    found = {}
    for i, j, write in candidates:
        record = str(write.arguments.get("reservation_id") or write.arguments.get("order_id"))
        rest = {k: v for k, v in write.arguments.items() if k not in ("reservation_id", "order_id", "flights")}
        if record in named and not contradictions(rest, text, lookup, sheet.user_id):
            found[record] = (i, j)
    return frozenset(found.values()) if set(found) == named else frozenset()


def _same_record(write: Write, other: Write) -> bool:
    key = "reservation_id" if "reservation_id" in write.arguments else "order_id"
    return bool(write.arguments.get(key)) and write.arguments.get(key) == other.arguments.get(key)


def _told(write: Write, text: str) -> bool:
    """Whether the text proposes this kind of write at all, and does not only name it in passing."""
    return bool(TOOL_INTENTS.get(write.name, frozenset()) & wanting.intents(text)) and not re.search(
        r"\b(?:unchanged|stays?|remains?|keep)\b", plain(text)
    )


def _refused_wish(text: str, wanted: frozenset[str], memory: Memory, sheet: Sheet, lookup: Lookup) -> bool | None:
    """Whether what policy refuses is offered all the same, which is welcome; None when no wish is of the kind."""
    kinds = {"fewer_bags": "bags", "fewer_passengers": "passengers"}
    for i, wish in enumerate(sheet.wishes):
        if wish.writes or i not in memory.raised:
            continue
        intents = {kinds.get(name, name) for name in wanting.intents(wish.say)}
        if not wanted or not intents & wanted:
            continue
        return _plausible(text, wish, sheet, lookup)
    return None


def _plausible(text: str, wish: Wish, sheet: Sheet, lookup: Lookup) -> bool:
    """Whether a proposal could be about this wish: one's own reservation, on the route and day the wish names."""
    stated = {f.name: f.value for f in (*sheet.facts, *wish.details) if f.value is not None}
    simple = {k: v for k, v in stated.items() if k in ("user_id", "reservation_id", "order_id", "cabin", "insurance")}
    if contradictions(simple, text, lookup, sheet.user_id):
        return False
    said = " ".join(
        (wish.say, *(f.say for f in wish.details), *(f.say for f in sheet.facts if f.name in ("route", "date")))
    )
    places = {code for f in lookup.places(said) for code in f.value.split("|")}
    dates = set(mentions.values(mentions.dates(said, lookup.year)))
    for found in lookup.reservations(text):
        record = lookup.record("reservations", found.value)
        if record is None or (sheet.user_id and record["user_id"] != sheet.user_id):
            return False
        ends = {record["origin"], record["destination"]}
        if places and not ends <= places:
            return False
        if (
            dates
            and record["flights"]
            and "cancel" in wanting.intents(wish.say)
            and record["flights"][0]["date"] not in dates
        ):
            return False
    return True


def _restate(memory: Memory) -> str:
    return memory.current.say if memory.current else ""


def _correction(wish: Wish, write: Write, wrong: list[str]) -> str:
    for name in wrong:
        for detail in wish.details:
            if detail.name == name and detail.say:
                return detail.say
    return wish.say
