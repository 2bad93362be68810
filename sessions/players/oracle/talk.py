"""What is said beside the matter: who the partner is, what it can do, whether something is done; and honest answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sessions.players import language, mentions, wanting
from sessions.players.language import Answer, plain
from sessions.players.oracle.phrasing import done_already

if TYPE_CHECKING:
    from domains.catalog import Domain
    from sessions.players.oracle.memory import Memory

_WHO = re.compile(
    r"\b(?:who|what) (?:are|r) (?:you|this)\b(?! (?:allowed|able|supposed|permitted|doing))|\bwho is this\b|"
    r"\b(?:are you|is this|you(?:'re| are)|am i (?:talking|speaking|chatting|writing) (?:to|with)) "
    r"(?:\w+ )?(?:an? )?(?:real |actual |live )?"
    r"(?:robot|bot|chatbot|human|person|machine|ai|a\.i\.|model|llm|computer|program|chatgpt|gpt)\b|"
    r"\bwhat(?:'s| is) your name\b|\bdo you have a name\b"
)
_WHAT = re.compile(
    r"\bwhat (?:can|could|do) you (?:do|help|offer)\b|\bwhat (?:are|r) you (?:allowed|able|supposed|permitted) to\b|"
    r"\b(?:what|which)\b[^.?!]*\byour (?:rules?|polic(?:y|ies)|instructions?|prompt|limits?|orders are)\b|"
    r"\bwhat (?:are|is) the (?:rules?|policy|policies)\b|\b(?:tell|show) me your (?:rules|policy|instructions|prompt)\b"
)
WHO = "I am an offline partner that follows the task's reference plan, neither a model nor a person."
_HELP: Mapping[str, str] = {
    "airline": "flight reservations: bookings, changes, bags, passengers, cancellations and compensation",
    "retail": "orders: changes, addresses, payments, returns, exchanges and cancellations",
    "telecom": "phone lines, their bills and their data, and with the settings of your phone",
}
UNKNOWN = "That I do not know."
SORRY = "I am sorry, but I cannot do that"


def about_partner(text: str, domain: Domain) -> str:
    """Return what the partner says of itself, when it is asked who it is or what it can do; otherwise nothing."""
    said = plain(text)
    who, what = _WHO.search(said), _WHAT.search(said)
    return " ".join(part for part in (WHO if who else "", abilities(domain) if who or what else "") if part)


def is_about_partner(text: str) -> bool:
    """Tell whether somebody asks the partner who it is or what it can do."""
    return bool(_WHO.search(plain(text)) or _WHAT.search(plain(text)))


def abilities(domain: Domain) -> str:
    """Say what the partner can help with; in domains of one's own, by the names of the tools that write."""
    known = _HELP.get(domain.name.removesuffix("-workflow"))
    if known is None:
        tools = [tool for tool in domain.environment().tools("agent") if tool.kind == "write"]
        names = ", ".join(tool.name.replace("_", " ") for tool in tools)
        known = f"these things: {names}" if names else "what can be looked up here"
    return f"I can only help with {known}."


_SUBJECT = r"(?:it|that|this|everything|all|my [\w ]{2,30}|the [\w ]{2,30})"
_PAST = (
    r"(?:done|finished|booked|cancell?ed|changed|complete|completed|through|ready|over|made(?! of)|sent|updated|"
    r"settled|processed|placed|confirmed|returned|exchanged|created|added|fixed)"
)
_STATUS = re.compile(
    rf"\b(?:is|was|has|are) {_SUBJECT}(?: (?:been|now|really|already|all|actually))* {_PAST}\b|"
    rf"\b(?:have|did) you(?: (?:now|really|already|actually))* (?:{_PAST}|do (?:it|that)|book|cancel|change|send)\b|"
    r"\bdid (?:it|that|everything)(?: \w+)? (?:work|go through|happen)\b|\bare we done\b|^(?:so |and |all )?done\W*\?"
)


def asks_status(text: str) -> bool:
    """Tell whether somebody asks whether it has been done."""
    return language.is_question(text) and any(
        _STATUS.search(said) and not re.search(r"\b(?:what|when|where|which|who|how|why)\b", said)
        for said in map(plain, mentions.sentences(text))
    )


def asks_why(text: str, memory: Memory) -> bool:
    """Tell whether somebody asks for the reason of what has just been refused."""
    why = re.match(r"(?:(?:but|and|ok|hm+|oh),? )*(?:why|how come)\b(?: \w+){0,4}\W*$", plain(text))
    return why is not None and bool(memory.mine) and SORRY in memory.mine[-1]


_GOOD = re.compile(
    r"\b(?:works?|working|back|fixed|fast again|solved|great|awesome|perfect|yay|wonderful|finally)\b|\bbars\b"
)
_BAD = re.compile(r"\b(?:not|no|still|never|nothing)\b|n't\b")


def is_good_news(text: str) -> bool:
    """Tell whether somebody says that the trouble is over."""
    said = plain(text)
    return bool(_GOOD.search(said)) and not _BAD.search(said) and "?" not in said


_MATTER = re.compile(
    r"\b(?:cabin|class|bags?|baggages?|luggage|flights?|reservations?|bookings?|trips?|orders?|items?|products?|"
    r"refunds?|pay\w*|paid|price|cost|account|profile|phone|line|bill|data|signal|service|tasks?|ids?|numbers?)\b"
)


def is_off_topic(text: str) -> bool:
    """Tell whether a message holds nothing that a service desk could take up: no wish, fact, matter, yes or no."""
    said = plain(text)
    return (
        len(said.split()) > 2
        and not re.search(r"\d", said)
        and not _MATTER.search(said)
        and not (wanting.intents(text) - {"service"})
        and not language.asked(text)
        and not mentions.emails(text)
        and language.answer(text) is Answer.UNCLEAR
        and not (language.is_thanks(text) or language.is_over(text))
    )


def aside(memory: Memory, domain: Domain) -> str:
    """Answer what is asked beside the matter: who this is, whether it is done; or say what this is for."""
    if about := about_partner(memory.heard, domain):
        return about
    if memory.requests and asks_status(memory.heard):
        writes = [step.name for step in memory.done if step.kind == "write"]
        if not memory.done:
            return "No, nothing has been changed so far."
        return done_already(writes) if writes else "Yes, all the steps have been done."
    if asks_why(memory.heard, memory):
        return f"As I said: {memory.mine[-1].partition(SORRY)[2].partition('.')[0].lstrip(': ')}."
    return abilities(domain) if not memory.just and is_off_topic(memory.heard) else ""


def filler(memory: Memory) -> str:
    """Return what is said to words that ask for nothing that can be told."""
    if language.is_thanks(memory.heard):
        return "You are welcome."
    if is_good_news(memory.heard) and not memory.waiting:
        return "I am glad to hear that."
    if language.answer(memory.heard) is Answer.YES:
        return "Please tell me what it is."
    return "I am not sure that I understood you. Please tell me in other words what I can do for you."
