"""Answers an agent can give from what its tools have shown, and the sentences that carry the required strings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from domains.values import JSON
from sessions.players import language, mentions
from sessions.players.language import plain
from sessions.players.oracle.memory import Made, Memory
from sessions.players.oracle.phrasing import bags, day, dollars, listed

Record = Mapping[str, JSON]


def shown(memory: Memory, tool: str) -> list[Record]:
    """Return the records a read tool has shown, the latest version of each once."""
    found: dict[str, Record] = {}
    for made in memory.calls:
        if made.name == tool and not made.error and isinstance(made.data, dict):
            found[str(sorted(made.arguments.items()))] = made.data
    return list(found.values())


def records(memory: Memory, key: str) -> list[Record]:
    """Return the records that reads and writes have shown, told by what names them, the latest version of each once."""
    found: dict[JSON, Record] = {}
    for made in memory.calls:
        if not made.error and isinstance(made.data, dict) and isinstance(name := made.data.get(key), str):
            found[name] = made.data
    return list(found.values())


def profile(memory: Memory) -> Record | None:
    """Return the customer's profile, when it has been opened."""
    found = shown(memory, "get_user_details")
    return found[-1] if found else None


def lookups(memory: Memory) -> tuple[str, Mapping[str, JSON]] | None:
    """Return the read call that the customer's last question needs and that was not made yet, or None."""
    text = memory.heard
    if not language.is_question(text) and not re.search(
        r"\b(?:tell|show|give|want to know|let me know|check|look)\b", plain(text)
    ):
        return None
    for found in memory.lookup.reservations(text):
        arguments: Mapping[str, JSON] = {"reservation_id": found.value}
        if memory.called("get_reservation_details", arguments) is None:
            return "get_reservation_details", arguments
    for found in mentions.orders(text):
        arguments = {"order_id": found.value}
        if memory.called("get_order_details", arguments) is None:
            return "get_order_details", arguments
    flights = mentions.values(memory.lookup.flights(text))
    dates = mentions.values(mentions.dates(text, memory.lookup.year))
    if flights and dates and re.search(r"\b(?:status|delayed|on time|cancell?ed|landed|late)\b", plain(text)):
        arguments = {"flight_number": flights[0], "date": dates[0]}
        if memory.called("get_flight_status", arguments) is None:
            return "get_flight_status", arguments
    places = [f.value.split("|")[0] for f in memory.lookup.places(text)]
    if (
        len(places) >= 2
        and dates
        and re.search(
            r"\b(?:which|what|any|available|options?|find|search|show)\b.*\bflights?\b|\bflights\b", plain(text)
        )
    ):
        arguments = {"origin": places[0], "destination": places[1], "date": dates[0]}
        if memory.called("search_direct_flight", arguments) is None:
            return "search_direct_flight", arguments
    return _own_records(memory, plain(text))


_ABOUT = re.compile(
    r"\b(?:cabin|class|bags?|baggages?|luggage|suitcases?|when|what day|which day|date|how much (?:did|have) i "
    r"pa\w+|paid|price|cost|passengers?|insur\w+|flights?|reservations?|bookings?|trips?|status|orders?|items?)\b"
)


def _own_records(memory: Memory, text: str) -> tuple[str, Mapping[str, JSON]] | None:
    """Open the customer's own reservations or orders, a few at most, for a question about one of them."""
    user = profile(memory)
    if user is None or not _ABOUT.search(text) or not re.search(r"\b(?:my|mine|i|our|we)\b", text):
        return None
    for tool, key, ids in (
        ("get_reservation_details", "reservation_id", user.get("reservations", ())),
        ("get_order_details", "order_id", user.get("orders", ())),
    ):
        for record_id in list(ids)[:12]:
            if memory.called(tool, {key: record_id}) is None:
                return tool, {key: record_id}
    return None


def answer(memory: Memory) -> str:
    """Return what the records say to the customer's last question; nothing when they say nothing to it."""
    text = memory.heard
    if not language.is_question(text) and not re.search(
        r"\b(?:tell me|want to know|show me|let me know|give me)\b", plain(text)
    ):
        return ""
    return " ".join(dict.fromkeys(_sentences(memory, text, plain(text))))


def _sentences(memory: Memory, text: str, low: str) -> Iterable[str]:
    user = profile(memory)
    if user is not None:
        yield from _about_customer(user, low)
    yield from _about_flights(memory, text)
    reservations = _meant(memory, text)
    for reservation in reservations[:4]:
        yield from _about_reservation(reservation, low, memory.lookup.year)
    orders = records(memory, "order_id")
    named = mentions.values(mentions.orders(text))
    for order in [o for o in orders if not named or o.get("order_id") in named][:4]:
        yield from _about_order(order, low)


def _about_customer(user: Record, low: str) -> Iterable[str]:
    if re.search(r"\b(?:payment methods?|cards?|certificates?|balances?|pay with|on file)\b", low) and not re.search(
        r"\bi (?:want|would like) to pay\b", low
    ):
        methods = [_method(m) for m in user.get("payment_methods", {}).values()]
        yield f"In your profile there are {listed(methods)}."
    if re.search(r"\b(?:member(?:ship)?|status level|gold|silver|tier)\b", low) and "membership" in user:
        yield f"Your membership is {user['membership']}."
    if re.search(r"\b(?:what|which|list|all|any|how many)\b.*\b(?:reservations|bookings|trips)\b", low) and user.get(
        "reservations"
    ):
        yield f"Your reservations are {listed([str(i) for i in user['reservations']])}."
    if re.search(r"\b(?:what|which|list|all|how many)\b.*\borders\b", low) and user.get("orders"):
        yield f"Your orders are {listed([str(i) for i in user['orders']])}."


def _method(method: Record) -> str:
    match method.get("source"):
        case "credit_card":
            return f"a {str(method['brand']).capitalize()} ending in {method['last_four']}"
        case "gift_card":
            return f"a gift card with {dollars(method.get('amount', method.get('balance')))}"
        case "certificate":
            return f"a certificate worth {dollars(method['amount'])}"
        case other:
            return f"a {other} account"


def _about_flights(memory: Memory, text: str) -> Iterable[str]:
    year = memory.lookup.year
    flights, dates = mentions.values(memory.lookup.flights(text)), mentions.values(mentions.dates(text, year))
    for made in memory.just:
        if made.error:
            continue
        if made.name == "get_flight_status" and made.arguments.get("flight_number") in flights:
            yield f"Flight {made.arguments['flight_number']} on {day(made.arguments['date'], year)} is {made.content}."
        if made.name == "search_direct_flight" and made.arguments.get("date") in dates and isinstance(made.data, list):
            yield _offers(made, year)


def _offers(made: Made, year: str) -> str:
    where = f"from {made.arguments['origin']} to {made.arguments['destination']} on {day(made.arguments['date'], year)}"
    if not made.data:
        return f"There is no direct flight for sale {where}."
    said = [
        f"{f['flight_number']} at {str(f['scheduled_departure_time_est'])[:5]} "
        f"({', '.join(f'{cabin} {dollars(price)}' for cabin, price in f['prices'].items())})"
        for f in made.data[:6]
    ]
    return f"Direct flights {where}: {'; '.join(said)}."


def _meant(memory: Memory, text: str) -> list[Record]:
    """Return the reservations a question is about: those named, on the route named, or all that were opened."""
    reservations = records(memory, "reservation_id")
    named = {f.value for f in memory.lookup.reservations(text)}
    if named:
        return [r for r in reservations if r.get("reservation_id") in named]
    places = {c for f in memory.lookup.places(text) for c in f.value.split("|")}
    here = [r for r in reservations if places and {r.get("origin"), r.get("destination")} & places]
    return here or reservations


def _about_reservation(r: Record, low: str, year: str) -> Iterable[str]:
    told = []
    if re.search(r"\b(?:cabin|class)\b", low):
        told.append(f"is in {str(r['cabin']).replace('_', ' ')}")
    if re.search(r"\b(?:bags?|baggages?|luggage|suitcases?)\b(?! (?:rules?|polic|allowance|fees?))", low):
        told.append(f"has {bags(r['total_baggages'])} booked, {r['nonfree_baggages']} of them paid")
    if re.search(r"\b(?:when|what day|which day|dates?|what time)\b", low) and r.get("flights"):
        told.append(f"is on {listed(list(dict.fromkeys(day(f['date'], year) for f in r['flights'])))}")
    if re.search(r"\b(?:flight numbers?|which flights?|what flights?|stops?|nonstop|direct)\b", low):
        told.append(f"has {listed([str(f['flight_number']) for f in r.get('flights', ())])}")
    if re.search(r"\b(?:paid|pay|price|cost|total|how much)\b", low):
        total = sum(p["amount"] for p in r.get("payment_history", ()))
        told.append(f"was paid with {dollars(total)} in all")
    if re.search(r"\b(?:passengers?|who|travell?ers?|people)\b", low):
        names = [f"{p['first_name']} {p['last_name']}" for p in r.get("passengers", ())]
        told.append(f"is for {listed(names)}")
    if re.search(r"\binsur\w+\b", low):
        told.append("has travel insurance" if r.get("insurance") == "yes" else "has no travel insurance")
    if re.search(r"\b(?:status|cancell?ed|active)\b", low):
        told.append(f"is {r.get('status') or 'active'}")
    if told:
        yield f"Reservation {r['reservation_id']} ({r['origin']} to {r['destination']}) {listed(told)}."


def _about_order(o: Record, low: str) -> Iterable[str]:
    told = []
    if re.search(r"\b(?:status|when|arriv\w+|shipped|delivered|where)\b", low):
        told.append(f"is {o.get('status')}")
    if re.search(r"\b(?:items?|products?|what(?:'s| is| was)? in|what (?:did|have) i (?:buy|bought|order\w*))\b", low):
        told.append(f"holds {listed([str(i.get('name')) for i in o.get('items', ())])}")
    if re.search(r"\b(?:paid|price|cost|total|how much)\b", low):
        told.append(f"cost {dollars(round(sum(i.get('price', 0) for i in o.get('items', ())), 2))}")
    if told:
        yield f"Order {o['order_id']} {listed(told)}."


# Required strings

_ABOUT_ANSWER = (
    (r"\b(?:refund\w*|get back|gets? back|paid back|comes? back|money back)\b", "What comes back to you is {} in all."),
    (r"\b(?:compensat\w*|trouble)\b", "The compensation is {}."),
    (r"\b(?:left for|charged? to|charge)\b", "What is charged is {}."),
    (r"\b(?:have i paid|i paid|paid altogether)\b", "You have paid {} in all."),
    (r"\bdifference\b", "The difference in price is {} in all."),
    (r"\b(?:cost|price|total|amount|sum|pay|altogether)\b", "That comes to {} in all."),
    (r"\b(?:saved?|saving)\b", "That saves you {} in all."),
)


def carrying(required: list[str], question: str) -> str:
    """Return a sentence that holds the required strings, fitting the question where that is easy to tell."""
    if not required:
        return ""
    if len(required) == 1 and re.fullmatch(r"\d+(?:\.\d+)?", required[0]):
        money = f"${required[0]}"
        for pattern, sentence in _ABOUT_ANSWER:
            if re.search(pattern, plain(question)):
                return sentence.format(money)
    return f"To answer your question: {listed(required)}."


def told(memory: Memory) -> str:
    """Return the sentences with the required strings whose time has come and that were not said yet."""
    said = []
    plan = memory.plan
    is_open = any(not step.extra for step in memory.waiting)
    owed = [text for text in plan.required if plan.said_instead.get(text, text)]
    for i, wish in enumerate(plan.wishes):
        mine = [text for text in wish.answers if text in owed]
        owed = [text for text in owed if text not in mine]
        raised = any(request.wish == i for request in memory.requests)
        writes = [s for s in plan.acts if s.wish == i]
        due = (
            all(memory.settled(s.index) for s in writes)
            if writes
            else raised or (not is_open and bool(memory.requests))
        )
        missing = [text for text in mine if not was_said(text, memory)]
        if due and missing:
            said.append(carrying(missing, wish.say))
    missing = [text for text in owed if not was_said(text, memory)]
    if missing and not is_open and memory.requests:
        said.append(carrying(missing, memory.user_text if len(missing) == 1 else ""))
    return " ".join(said)


def was_said(required: str, memory: Memory) -> bool:
    """Tell whether a required string was said, or what a slip says in its place."""
    return memory.said(memory.plan.said_instead.get(required, required))
