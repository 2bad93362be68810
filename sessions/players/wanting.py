"""What a text is about: the kinds of wishes, which writes fulfil them, and how alike two texts are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from sessions.players.language import plain
from sessions.players.mentions import sentences
from sessions.players.topics import any_of

_CHANGE = (
    r"\b(?:chang\w*|mov\w*|switch\w*|reschedul\w*|push\w*|postpon\w*|shift\w*|modif\w*|updat\w*|alter\w*|adjust\w*|"
    r"correct\w*|replac\w*|swap\w*|put|edit\w*)\b"
)
_FEWER = r"\b(?:remov\w*|tak(?:e|ing)|drop\w*|delet\w*|fewer|less|without|off)\b"
_BAG = r"\b(?:bags?|baggages?|luggage|suitcases?)\b"
INTENTS: Mapping[str, re.Pattern[str]] = {
    "cancel": any_of(r"\bcancel\w*\b", r"\bcall(?:ing)? (?:it )?off\b", r"\bget rid of\b"),
    "book": any_of(
        r"\b(?:book|reserve|buy|purchase|rebook)\b(?! number)",
        r"\b(?:new|another|make a|make another) (?:booking|reservation|flight|ticket)\b",
        r"\bbooking (?:a|for|two|one)\b",
        r"\bfly from\b",
        r"\bbooking i want\b",
        r"\b(?:want|need|like|get|looking for) (?:me )?(?:an?|one|two|some) (?:[\w-]+ ){0,2}(?:flight|ticket|trip)s?\b"
        r"(?! (?:change|status|number|credit))",
    ),
    "flights": any_of(
        _CHANGE
        + (
            r".*\b(?:flights?|trips?|dates?|days?|return|departure|outbound|reservations?|bookings?|may \d+|way "
            r"back|way out|legs?)\b"
        ),
        r"\bnon-?stop\b",
        r"\b(?:earlier|later|another|different|next) (?:flight|day|date)\b",
        r"\bday (?:later|earlier)\b",
        r"\breschedul\w*\b",
        r"\bfly on\b",
        r"\bstay longer\b",
        r"\bmove me\b",
    ),
    "cabin": any_of(
        r"\bupgrad\w*\b",
        r"\bdowngrad\w*\b",
        r"\b(?:business|first) class\b",
        r"(?<!in the )\bcabin\b",
        _CHANGE + r".*\b(?:business|economy|class)\b",
        r"\bto business\b",
        r"\binto (?:business|economy)\b",
        r"\bto (?:basic )?economy\b",
    ),
    "bags": any_of(_BAG),
    "fewer_bags": any_of(
        _FEWER + r".*" + _BAG, _BAG + r".*\b(?:not need|don't need|do not need|take it off|take them off|off)\b"
    ),
    "passengers": any_of(
        r"\b(?:passengers?|travell?ers?)\b",
        r"\bnames? (?:on|of|change|to)\b",
        r"\bthe (?:last |first )?name\b",
        r"\b(?:comes along|travels?) instead\b",
        r"\bwill travel (?:instead|in)\b",
        r"\b(?:in|takes?) (?:the |my |his |her )?place\b",
    ),
    "fewer_passengers": any_of(
        _FEWER
        + (
            r".*\b(?:passengers?|travell?ers?|person|people|from (?:my|the) (?:reservation|booking|trip)|off (?:my|"
            r"the) (?:reservation|booking|trip))\b"
        )
    ),
    "insurance": any_of(r"\binsurance\b"),
    "compensation": any_of(
        r"\bcompensat\w*\b",
        r"\bvouchers?\b",
        r"\bgoodwill\b",
        r"\b(?:send|issue|give) (?:me |you |out )?(?:a |an )?(?:\$?\d+ )?(?:travel )?certificate\b",
        r"\btravel certificate of\b",
        r"\bmake up for\b",
    ),
    "transfer": any_of(
        r"\b(?:human|supervisor|manager|real person|somebody else|someone else|another agent|representative)\b",
        r"\btransfer me\b",
    ),
    "return": any_of(
        r"\breturn(?:ing|ed)?\b(?! (?:flight|trip|ticket|date|leg|on|from))",
        r"\bsend (?:it|them) back\b",
        r"\bmoney back\b",
    ),
    "exchange": any_of(r"\bexchang\w*\b", r"\bswap\w*\b"),
    "items": any_of(_CHANGE + r".*\b(?:items?|size|colou?r|variant|options?|product|order|material|to a|to the)\b"),
    "address": any_of(
        r"\baddress\b", r"\bship(?:ped)? to\b", r"\bdeliver(?:ed)? to\b", r"\bmoved?\b.*\b(?:house|home|apartment)\b"
    ),
    "payment": any_of(r"\bpay(?:ment)? (?:method|with|by|for)\b", r"\bchange .*\bpayment\b"),
    "service": any_of(
        r"\b(?:phone|service|signal|pics?|pictures?|photos?|messages?|texts?|calls?|calling|slow|online|"
        r"data|internet|mms|picture messages?|roaming|sim|apn|vpn|wi-?fi|airplane|speed|"
        r"bill|network|line|app|permission)\b"
    ),
    "task": any_of(r"\btasks?\b", r"\bto-?do\b"),
}
TOOL_INTENTS: Mapping[str, frozenset[str]] = {
    name: frozenset(intents.split())
    for name, intents in {
        "cancel_reservation": "cancel",
        "book_reservation": "book",
        "update_reservation_flights": "flights cabin",
        "update_reservation_passengers": "passengers",
        "update_reservation_baggages": "bags",
        "send_certificate": "compensation",
        "cancel_pending_order": "cancel",
        "modify_pending_order_items": "items exchange",
        "modify_pending_order_address": "address",
        "modify_pending_order_payment": "payment",
        "modify_user_address": "address",
        "return_delivered_order_items": "return",
        "exchange_delivered_order_items": "exchange items",
        "suspend_line": "service",
        "resume_line": "service",
        "send_payment_request": "service",
        "enable_roaming": "service",
        "disable_roaming": "service",
        "refuel_data": "service",
        "create_task": "task",
        "update_task_status": "task",
    }.items()
}
"""Which wishes a write can fulfil."""


_WORDS: Mapping[str, re.Pattern[str]] = {
    "suspend_line": any_of(r"\bsuspend\w*\b"),
    "resume_line": any_of(r"\b(?:resum|reactivat|restor|unsuspend|unblock)\w*\b", r"\bline\b.*\b(?:on|back|active)\b"),
    "send_payment_request": any_of(r"\bpayment request\b", r"\bbills?\b", r"\bpay\b"),
    "enable_roaming": any_of(r"\broaming\b(?!.*\b(?:off|disabl\w+)\b)"),
    "disable_roaming": any_of(r"\b(?:off|disabl\w+)\b.*\broaming\b", r"\broaming\b.*\boff\b"),
    "refuel_data": any_of(
        r"\brefuel\w*\b", r"\btop\w* up\b", r"\bgb\b", r"\bgigabytes?\b", r"\b(?:more|extra|additional) data\b"
    ),
    "modify_user_address": any_of(r"\b(?:default|account|profile|user address|from now on)\b"),
    "modify_pending_order_address": any_of(r"\border\b|\bship\w*\b|\bdeliver\w*\b|#w\d+"),
    "create_task": any_of(r"\bcreat\w*\b", r"\b(?:new|add|make|put)\b"),
    "update_task_status": any_of(r"\b(?:updat\w*|mark\w*|status|complet\w*|pending|set|open|reopen|close|done)\b"),
}
"""Words of which one must be there, for tools that share their kind of wish with others."""


def proposes(text: str, tool: str) -> bool:
    """Tell whether a text can be a proposal to make a call of this tool."""
    kinds = TOOL_INTENTS.get(tool)
    words = _WORDS.get(tool)
    return (kinds is None or bool(kinds & intents(text))) and (words is None or bool(words.search(plain(text))))


@lru_cache(maxsize=4096)
def intents(text: str) -> frozenset[str]:
    """Return what a text is about, in the words of TOOL_INTENTS and a few that no tool fulfils."""
    found = set()
    for part in sentences(text):
        said = plain(part)
        # What an airline did to a flight is not what the customer wants done.
        said = re.sub(
            r"\b(?:has|have|was|were|been|got|be|is) (?:been )?(?:cancell?ed|called off|delayed|cancelled by)\b",
            " ",
            said,
        )
        said = re.sub(r"\b(?:do not|don't|not|never) want to [^.,;!?]*", " ", said)
        found |= {name for name, pattern in INTENTS.items() if pattern.search(said)}
    if "fewer_bags" in found:
        found.discard("bags")
    if "fewer_passengers" in found:
        found -= {"passengers"}
    return frozenset(found)


_STOPWORDS = frozenset(
    "a an and are as at be been by can do for from has have i if in is it me my no not of on or our so that the "
    "their them then there they this to too up was we what will with would you your please want need like also "
    "all am get could just".split()
)


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry its meaning."""
    return frozenset(w for w in re.findall(r"[a-z0-9#]+", plain(text)) if w not in _STOPWORDS)


def likeness(text: str, other: str) -> float:
    """Return how much of the shorter text's meaning the other holds, 0 to 1."""
    a, b = content_words(text), content_words(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
