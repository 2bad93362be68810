"""What a customer's words do to an open proposal or step: agree, decline, ask for its price, change it, report it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessions.players import language, mentions, wanting
from sessions.players.language import Answer, plain
from sessions.players.lookup import Lookup
from sessions.players.oracle.plan import Step
from sessions.players.script.presses import SWITCHES
from sessions.players.wanting import TOOL_INTENTS

# Clauses

_ASIDE = r",\s+|;\s*|\s+(?:but|and|so|though)\s+(?=(?:what|whats|how|where|which|when|it|now|the|still|i)\b)"
_OPENS_QUESTION = re.compile(
    r"(?:(?:and|so|but|ok|okay|well|wait|hm+|um+|oh),? )*(?:what|which|when|where|who|why|how|is|are|was|has|have you|"
    r"did|do|does|should|shall|can|could|would|will|may)\b"
)


def clauses(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a text as they were typed, and whether each is asked."""
    for sentence in mentions.sentences(text):
        parts = [part for part in re.split(_ASIDE, sentence, flags=re.IGNORECASE) if part.strip(" .!?")]
        for part in parts:
            asked = bool(_OPENS_QUESTION.match(plain(part)))
            yield part, asked or (sentence.endswith("?") and part is parts[-1])


# Amounts

_AMOUNT = re.compile(
    r"\bhow much\b(?! (?:data|time|luggage|baggage|longer))|"
    r"\b(?:total|amount|price|costs?|sum|refund|difference|fee)\b|"
    r"\bwhat (?:do|will|would|does) (?:i|it|that|this) (?:pay|be|get back|come to)\b"
)


def asks_amount(text: str) -> bool:
    """Tell whether somebody asks what it costs or brings."""
    return any(asked and _AMOUNT.search(plain(part)) for part, asked in clauses(text))


def _without_amount_question(step: Step, text: str, lookup: Lookup) -> str:
    kept = [
        part
        for part, asked in clauses(text)
        if not (asked and _AMOUNT.search(plain(part)) and not names_other(step, part, lookup))
    ]
    return ". ".join(kept)


# Yes and no

_MORE_THAN_YES = re.compile(
    r"\b(?:also|another|other|different|plus|add|remove|move|switch|replace|too|as well|and then|additionally|make "
    r"(?:it|that)|but)\b"
)
_BARE_NO = re.compile(r"(?:no|nope|nah|na)\b[,.! ]*")
_FULL_NO = re.compile(
    r"\b(?:not|don't|won't|wouldn't|can't|isn't|stop|leave|keep|never|forget|nothing|thanks|thank you)\b"
)
_CHOICE = re.compile(
    r"\b(?:then|both|all of (?:them|it)|do (?:it|that|the|all)|go (?:with|for)|take|give me)\b|"
    r"\b(?:make|call|name|set|put) (?:it|that)\b|\bthe (?:[\w:]+ ){1,3}one\b"
)


def verdict(step: Step, text: str, lookup: Lookup) -> Answer:
    """Tell whether words agree to this very step; beside a yes only a question for the amount may stand."""
    rest = _without_amount_question(step, text, lookup)
    if rest and rest != text and _verdict(step, rest, lookup) is Answer.YES:
        return Answer.YES
    return _verdict(step, text, lookup)


def _verdict(step: Step, text: str, lookup: Lookup) -> Answer:
    answer = language.answer(text)
    if answer is Answer.NO and _corrects(step, text, lookup):
        return Answer.UNCLEAR
    if answer is not Answer.YES:
        return answer
    proposed, said = plain(step.what), plain(text)
    own = TOOL_INTENTS.get(step.name, frozenset())
    others = wanting.intents(text) - {"service"}
    if others and own and not others & (own | wanting.intents(step.what)):
        return Answer.UNCLEAR
    if any(m[0] not in proposed for m in _MORE_THAN_YES.finditer(said)):
        return Answer.UNCLEAR
    return Answer.UNCLEAR if names_other(step, text, lookup) else Answer.YES


def _corrects(step: Step, text: str, lookup: Lookup) -> bool:
    """Tell whether a no only opens a correction: a choice follows it, or the very thing that was proposed."""
    said = plain(text)
    no = _BARE_NO.match(said)
    rest = said[no.end() :] if no is not None else ""
    if not rest:
        return False
    if re.match(r"(?:wait|hold on|hang on|sorry|i mean)\b", rest):
        return True
    if _FULL_NO.search(rest):
        return False
    return bool(_CHOICE.search(rest)) or restates(step, rest, lookup) or _repeats_detail(step, text, lookup)


def _repeats_detail(step: Step, text: str, lookup: Lookup) -> bool:
    named = (*mentions.cabins(text), *mentions.dates(text, lookup.year), *lookup.flights(text), *lookup.places(text))
    return bool(named) and not names_other(step, text, lookup)


def names_other(step: Step, text: str, lookup: Lookup) -> bool:
    """Tell whether words name a day, place, person, cabin or number that the step does not hold."""
    proposed, said = plain(step.what), plain(text)
    held = set(mentions.values(mentions.dates(step.what, lookup.year)))
    if not set(mentions.values(mentions.dates(text, lookup.year))) <= held:
        return True
    places = {code for f in lookup.places(step.what) for code in f.value.split("|")}
    if any(not set(f.value.split("|")) & places for f in lookup.places(text)):
        return True
    people = [f.value for f in mentions.people(text) if f.start > 0]
    if any(name.lower() not in proposed and name.lower() not in _cities(lookup) for name in people):
        return True
    if not set(mentions.values(mentions.cabins(text))) <= set(mentions.values(mentions.cabins(step.what))):
        return True
    undated = said
    for found in reversed(mentions.dates(said, lookup.year)):
        undated = undated[: found.start] + undated[found.end :]
    named = re.findall(r"[#\w]*\d[\w.]*", undated)
    named += [mentions.number(w) for w in re.findall(r"\b(?:two|three|four|five|six|seven|eight|nine|ten)\b", undated)]
    known = {k.strip("#.") for k in re.findall(r"[#\w]*\d[\w]*(?:\.\d+)?", proposed)}
    return not all(value.strip("#.") in known for value in named)


def _cities(lookup: Lookup) -> set[str]:
    return {city.lower() for city in lookup.airports.values()}


def restates(step: Step, text: str, lookup: Lookup) -> bool:
    """Tell whether words wish for just what the step is."""
    own = TOOL_INTENTS.get(step.name, frozenset())
    return bool(own & wanting.intents(text)) and not _AMENDS.search(plain(text)) and not names_other(step, text, lookup)


_AMENDS = re.compile(
    r"\b(?:instead|rather|actually|only|both|other|another|different|cheaper|except|without|forget|ignore|scratch|"
    r"also|too|as well|plus|not the)\b|\bmake (?:it|that)\b|\bjust the\b"
)


def amends(step: Step, text: str, lookup: Lookup) -> bool:
    """Tell whether words that are neither yes nor no want something else than the step."""
    said = plain(text)
    return (
        bool(_AMENDS.search(said) or _CHOICE.search(said))
        or names_other(step, text, lookup)
        or bool(wanting.intents(text) and not language.is_question(text) and not restates(step, text, lookup))
    )


# Steps on the customer's own side

_HINDERED = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|could not|unable to|not able to|don't|do not|didn't|did not)\b(?: \w+){0,2}? "
    r"(?:find|see|do|turn|switch|open|get|locate|press|tap|figure|know|understand|reach|manage|pay|restart|reboot|"
    r"reset|set|work)\b|\b(?:can't|cannot|couldn't|didn't|won't)\W*$|\bno such\b|\bgr[ae]yed out\b|"
    r"\bno (?:button|option|switch|menu|setting)\b|\b(?:won't|doesn't|does not) (?:turn|switch|let|open|go)\b"
)
_BEFORE = re.compile(r"\bnot yet\b|\b(?:haven't|have not|hasn't|has not)\b|\bnot (?:done|finished)\b")
_REFUSES = re.compile(r"\b(?:won't|will not|wouldn't|refuse|rather not|(?:don't|do not) want)\b")
_AHEAD = re.compile(
    r"\b(?:will|going to|about to|trying|want|should|could|would|may|might|must|have to|need to|if|unless|until)\b|"
    r"'ll\b|\blet me\b|\b(?:once|when|as soon as) (?:it|i|that|the)\b|\bcan (?:you|i)\b"
)
_NOT = re.compile(r"\b(?:not|never)\b|n't\b")
_ACTED = re.compile(
    r"\b(?:turned|switched|toggled|restarted|rebooted|reset|reseated|reinserted|granted|given|allowed|paid|changed|"
    r"selected|chose|chosen|tapped|pressed|dismissed|cleared|disabled|enabled|deactivated|activated|connected|"
    r"disconnected|successfully|it worked|(?:managed|able) to)\b|(?:^|\bi )(?:gave|took|put)\b|"
    r"\bi(?:'ve| have)?(?: just| already| now)? set\b|"
    r"^(?:ok,? |okay,? )?done\b(?!\?)|"
    r"\b(?:it|that|phone|sim|card|vpn)(?:'s| is) (?:now |already |all )*(?:set|done|back|in|connected|gone)\b"
)
_SAID_DONE = re.compile(r"\bdone\b|\bi did\b|\bdid (?:it|that|so)\b|\bi have\W*$")
_SEEN = re.compile(
    r"\b(?:says|said|shows?|showed|showing|reads|displays|i (?:can )?see|i get|i got|i've got)\b|"
    r"\b(?:\d|one|two|three|four|five|full|some|no|zero) (?:signal )?bars?\b|"
    r"\b(?:no|full|good|weak|poor) (?:signal|service|connection|internet|data)\b|"
    r"\b(?:no (?:change|difference|luck|errors?)|same thing)\b|"
    r"\bnothing (?:happen|chang)\w*|\bstill (?:no|nothing|not|the same|doesn't|does not|slow|dead)\b|"
    r"\b(?:signal|service|internet|data|connection|it)(?:'s| is| has)? (?:now )?(?:back|works|working)\b|"
    r"\bworks now\b|(?<![a-z0-9])(?:lte|[2345]g)(?![a-z0-9])"
)
_STATE = {
    "on": re.compile(r"\b(?:on|enabled|active|activated)\b"),
    "off": re.compile(r"\b(?:off|disabled|inactive|deactivated)\b"),
}
_STANDS = re.compile(
    r"\b(?:is|was|are|it's|now|already|says|shows|still|got|have)\b|'s\b|\b(?:disabled|enabled|deactivated|activated)\b"
)
_PROMISE = re.compile(r"(?:ok|okay|k|sure|alright|all right|fine|will do|let me try|one moment)\W*")


def reported(step: Step, text: str) -> Answer:
    """Tell whether a customer has done a step they were asked for: they say so, or tell the state or what they see."""
    said = plain(text)
    if said.startswith("my phone says"):
        return Answer.YES
    told = [plain(part) for part, asked in clauses(text) if not asked]
    states = [state for part in told if (state := _state(step, part)) is not None]
    if False in states or any(_BEFORE.search(part) for part in told):
        return Answer.UNCLEAR
    acted = [part for part in told if not (_AHEAD.search(part) or _NOT.search(part))]
    if True in states or any(_ACTED.search(part) for part in acted):
        return Answer.YES
    if any(_REFUSES.search(part) for part in told):
        return Answer.NO
    if is_hindered(text):
        return Answer.UNCLEAR
    if any(_SAID_DONE.search(part) for part in acted) or any(
        _SEEN.search(part) for part in told if not _AHEAD.search(part)
    ):
        return Answer.YES
    if step.name.startswith(("check_", "run_", "can_")) and len(said.split()) > 3 and "?" not in said:
        return Answer.YES
    if "?" in said:
        return Answer.UNCLEAR
    answer = language.answer(text)
    # "Sure" and "ok" promise it; only a yes or a report says that it is done.
    return Answer.UNCLEAR if answer is Answer.YES and _PROMISE.fullmatch(said) else answer


def is_hindered(text: str) -> bool:
    """Tell whether somebody cannot do what they were asked for."""
    return any(_HINDERED.search(plain(part)) for part, _ in clauses(text))


def _state(step: Step, said: str) -> bool | None:
    """Tell whether a switch is said to stand as it should; None when nothing is said of it."""
    wanted = step.what.rsplit(" ", 1)[-1]
    if wanted not in _STATE or _AHEAD.search(said):
        return None
    named = _switches(said)
    if named and step.name not in named:
        return None
    told = {state for state, words in _STATE.items() if words.search(said)}
    bare = len(said.split()) <= 4 and bool(named)
    if len(told) != 1 or not (_STANDS.search(said) or _ACTED.search(said) or bare):
        return None
    return (wanted in told) != bool(_NOT.search(said))


def _switches(said: str) -> set[str]:
    found = set()
    for switch in SWITCHES:
        if re.search(switch.words, said) or (switch.flip == "toggle_airplane_mode" and "airplane" in said):
            found.add(switch.flip)
            said = re.sub(switch.words, " ", said)
    return found
