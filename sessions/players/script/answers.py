"""What the customer says when asked for a fact: the fact, several at once, or that it does not know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from domains.task import Fact
from sessions.players import language, wanting
from sessions.players.language import plain
from sessions.players.mentions import sentences
from sessions.players.script.memory import Memory
from sessions.players.script.scenario import Line, Sheet, statement_topics

NAMES: Mapping[str, tuple[str, ...]] = {
    "user_id": ("user_id",),
    "name": ("name", "full_name", "first_name", "last_name"),
    "email": ("email",),
    "zip": ("zip",),
    "phone_number": ("phone_number", "phone"),
    "dob": ("dob", "date_of_birth"),
    "reservation_id": ("reservation_id", "reservation_ids", "reservations"),
    "order_id": ("order_id", "order_ids", "orders"),
    "items": ("items", "item_ids", "item_id", "products"),
    "new_items": ("new_items", "new_item_ids", "options", "new_item_id"),
    "payment_id": ("payment_id", "payment_methods", "payment_method_id", "payment", "certificates"),
    "date": ("date", "dates", "flights"),
    "route": ("route", "origin", "destination"),
    "cabin": ("cabin",),
    "flights": ("flights",),
    "total_baggages": ("total_baggages", "bags", "nonfree_baggages"),
    "insurance": ("insurance",),
    "passengers": ("passengers",),
    "reason": ("reason", "cancel_reason"),
    "flight_type": ("flight_type",),
    "membership": ("membership",),
    "address": ("address", "address1", "new_address"),
    "location": ("location", "abroad"),
    "amount": ("amount", "gb_amount"),
    "budget": ("budget", "limit"),
    "device": ("device", "device_model"),
}
"""Topic → the names under which a fact or a detail answers it."""
EXACT = frozenset({"user_id", "name", "email", "zip", "phone_number", "order_id"})
MOST_LINES = 4


class Answers:
    """Looks for an answer in the details of the wish talked about, in the facts, and in the scenario's sentences."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def to(self, text: str, memory: Memory) -> str:
        """Return what is said to a message that asks for facts; nothing when it asks for none that are known."""
        topics = language.asked(text)
        said: list[str] = []
        unknown: list[str] = []
        for topic in topics:
            found = self._about(topic, text, memory)
            (said if found else unknown).extend(found or [topic])
        if not said:
            said = self._named(text, memory)
        return " ".join(dict.fromkeys(said))

    def _about(self, topic: str, text: str, memory: Memory) -> list[str]:
        names = NAMES[topic]
        found = [fact for fact in self._details(memory) if fact.name in names]
        facts = [fact for fact in self.sheet.facts if fact.name in names]
        told = self._in_wish(topic, memory) if topic in ("date", "route") else []
        if topic in ("date", "route") and (found or told):
            facts = [] if told else facts
            found = [fact for fact in found if fact.name != "flights"] if told else found
        said = [*told, *(fact.say for fact in (*found, *facts) if fact.say)]
        others = r"\b(?:passengers?|travell?ers?|his|her|their|friend|companion|birthdays|dates of birth)\b"
        if topic == "dob" and re.search(others, plain(text)):
            said = [f.say for f in self._details(memory) if f.name == "passengers" and f.say] or said
        if topic == "reservation_id" and not any(f.value for f in (*facts, *found)):
            said += self._trip(memory)
        if topic in EXACT and said:
            return said
        if topic == "reservation_id" and facts and any(f.value for f in facts):
            return said
        return list(dict.fromkeys((*said, *self._lines(topic, text, said))))

    def _in_wish(self, topic: str, memory: Memory) -> list[str]:
        """The sentence of the wish itself that tells a day or a route, where no detail does."""
        if memory.current is None or self.sheet.free:
            return []
        return [part for part in sentences(memory.current.say) if topic in statement_topics(part)][:1]

    def _trip(self, memory: Memory) -> list[str]:
        """What helps to find a reservation whose number one does not know."""
        trip = ("route", "date")
        own = [f.say for f in self._details(memory) if f.name in trip]
        return own or [f.say for f in self.sheet.facts if f.name in trip]

    def _details(self, memory: Memory) -> Iterable[Fact]:
        """Details of the wish talked about first, then of the others that were raised, then of those to come."""
        wishes = self.sheet.wishes
        order = sorted(
            (i for i in range(len(wishes)) if i in memory.raised or not wishes[i].conceal),
            key=lambda i: (i != memory.last, i not in memory.raised, memory.done(i), i),
        )
        seen: set[str] = set()
        for i in order:
            for detail in wishes[i].details:
                if detail.name not in seen:
                    yield detail
            seen |= {detail.name for detail in wishes[i].details}

    def _lines(self, topic: str, text: str, said: list[str]) -> list[str]:
        lines = [line for line in self.sheet.lines if topic in line.topics and line.occasion in ("asked", "more")]
        ranked = sorted(lines, key=lambda line: -wanting.likeness(line.say, text))[:MOST_LINES]
        known = plain(" ".join(said))
        return [line.say for line in _in_order(ranked, self.sheet.lines) if plain(line.say) not in known]

    def _named(self, text: str, memory: Memory) -> list[str]:
        """Facts and details whose own name stands in the question; for names no topic covers."""
        asked = " ".join(language.requests(text))
        if not asked:
            return []
        every = (*self._details(memory), *self.sheet.facts)
        return [
            fact.say
            for fact in every
            if fact.say and re.search(rf"\b{re.escape(fact.name.replace('_', ' '))}s?\b", asked)
        ]


def _in_order(lines: list[Line], order: tuple[Line, ...]) -> list[Line]:
    return sorted(lines, key=order.index)
