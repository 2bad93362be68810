"""Does a proposal contradict what the customer wants? Each argument of a wish's write is compared with what was said.

Only what a text mentions can contradict: few details are enough for a yes, one wrong detail is enough for a no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from domains.values import JSON
from sessions.players import mentions
from sessions.players.language import plain
from sessions.players.lookup import Lookup
from sessions.players.mentions import NUMBER, Found, number, values


@dataclass(frozen=True)
class Said:
    """A proposal as the customer `user_id` hears it, and the write it is compared with."""

    text: str
    lookup: Lookup
    user_id: str = ""
    write: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def low(self) -> str:
        """The text in plain form."""
        return plain(self.text)

    @property
    def record(self) -> Mapping[str, JSON]:
        """The reservation the write is about, or nothing."""
        return self.lookup.record("reservations", str(self.write.get("reservation_id", ""))) or {}


def contradictions(arguments: Mapping[str, JSON], text: str, lookup: Lookup, user_id: str = "") -> list[str]:
    """Return the names of the arguments that a text contradicts."""
    said = Said(text, lookup, user_id, arguments)
    return [name for name, value in arguments.items() if _CHECKS.get(name, _labelled(name))(value, said)]


Check: TypeAlias = Callable[[JSON, Said], bool]


def _off(found: Iterable[Found], expected: Iterable[str]) -> bool:
    """Something else is named."""
    return not {f.value for f in found} <= set(expected)


def _past(text: str, found: Found) -> bool:
    """The value is named as what is given up: `from economy`, `instead of May 20`, `currently`."""
    before = plain(text[max(0, found.start - 45) : found.start])
    return bool(re.search(r"\b(?:from|instead of|currently|current|existing|original|replac\w+|old|was|rather than|previous)(?: \w+)?$", before))


def _now(text: str, found: Iterable[Found]) -> list[Found]:
    return [f for f in found if not _past(text, f)]


# Ids


def _reservation(value: JSON, said: Said) -> bool:
    return _off(said.lookup.reservations(said.text), {str(value)})


def _user(value: JSON, said: Said) -> bool:
    return _off(mentions.user_ids(said.text), {str(value)})


def _order(value: JSON, said: Said) -> bool:
    return _off(mentions.orders(said.text), {str(value)})


def _lettered(letter: str) -> Check:
    return lambda value, said: _off(mentions.records(said.text, letter), {str(value)})


def _named_methods(said: Said) -> list[Found]:
    """Payment methods by id, or by the last digits of one of the customer's own cards."""
    found = mentions.payment_ids(said.text)
    for ending in mentions.endings(said.text):
        ids = said.lookup.methods_ending(said.user_id, ending.value)
        near = any(abs(ending.end - f.start) < 6 for f in found)
        if not near:
            found.append(Found(ids[0] if ids else f"card {ending.value}", ending.start, ending.end))
    return found


def _payment(value: JSON, said: Said) -> bool:
    named = _named_methods(said)
    if named:
        return _off([f for f in named if not _past(said.text, f)], {str(value)})
    # Without an id or digits, a kind of method can still be the wrong one.
    kinds = {k for k in ("credit card", "gift card", "certificate", "paypal") if k in said.low}
    return len(kinds) == 1 and not str(value).startswith(next(iter(kinds)).replace(" ", "_"))


def _payments(value: JSON, said: Said) -> bool:
    expected = {str(p["payment_id"]): _cents(p["amount"]) for p in value}
    named = _named_methods(said)
    ids = set(values(named))
    if named and ids != set(expected):
        return True
    if not named:
        kinds = {k.replace(" ", "_") for k in ("credit card", "gift card", "certificate", "paypal") if k in said.low}
        wanted = {key.rsplit("_", 1)[0] for key in expected}
        if kinds and not kinds <= wanted:
            return True
    for method, amount in _charged(said.text, named):
        if method in expected and amount != expected[method]:
            return True
    total = sum(expected.values())
    return any(
        _cents(m[1].replace(",", "")) != total
        for m in re.finditer(r"\b(?:total|altogether|in all)\b[^.$\d]{0,25}\$(\d[\d,]*(?:\.\d+)?)(?! (?:per|each))", said.low)
        if "refund" not in said.low
    )


def _cents(value: JSON) -> int:
    try:
        return round(float(value) * 100)
    except (TypeError, ValueError):
        return -1


def _charged(text: str, methods: list[Found]) -> list[tuple[str, int]]:
    """Pair each method with the amount said just before it (`$5 from the card`) or after it (`card: $5`)."""
    amounts = mentions.money(text)
    pairs = []
    for method in methods:
        before = [a for a in amounts if a.end <= method.start and _joins(text[a.end : method.start])]
        after = [a for a in amounts if a.start >= method.end and re.fullmatch(r"[\s):,]*(?:for|with|is|=|-|–|amount)?\s*", text[method.end : a.start])]
        if before:
            pairs.append((method.value, _cents(before[-1].value)))
        elif after:
            pairs.append((method.value, _cents(after[0].value)))
    return pairs


def _joins(between: str) -> bool:
    return len(between) < 60 and not re.search(r"[$;.]|\band\b", between) and bool(
        re.search(r"\b(?:from|to|on|with|by|using|via|charged|off)\b", between)
    )


# Trips


def _flights(value: JSON, said: Said) -> bool:
    expected = [(str(f["flight_number"]), str(f["date"])) for f in value]
    numbers = [number for number, _ in expected]
    days = {date for _, date in expected}
    own = {str(f["flight_number"]) for f in said.record.get("flights", ())}
    partly = bool(re.search(r"\b(?:keep|kept|keeping|stays?|remains?|unchanged|same|as (?:it )?is|as booked|leave|leaving|rest)\b", said.low))
    named = said.lookup.flights(said.text)
    given_up = [f for f in named if f.value not in numbers and f.value in own and (_past(said.text, f) or _later(said.text, f, numbers))]
    named = [f for f in named if f not in given_up]
    if _off(named, numbers):
        return True
    if named:
        missing = [n for n in numbers if n not in values(named)]
        if missing and not (partly and all(n in own for n in missing)):
            return True
        if len(named) < len(numbers) and not partly:
            return True
    dates = mentions.dates(said.text, said.lookup.year)
    for named_number, date in _dated(named, dates):
        if (named_number, date) not in expected:
            return True
    old_days = {str(f["date"]) for f in said.record.get("flights", ())}
    loose = [d for d in dates if d.value not in days and d.value not in _born(said.write) and not (d.value in old_days and (_past(said.text, d) or not named))]
    return bool(loose)


def _later(text: str, found: Found, numbers: list[str]) -> bool:
    """An old flight named before the new one: `change HAT001 to HAT002`."""
    after = text[found.end : found.end + 160]
    return bool(re.search(r"\b(?:to|with|by|for|→)\b", after)) and any(n in after.upper() for n in numbers) and bool(
        re.search(r"\b(?:chang\w+|switch\w*|replac\w+|mov\w+|swap\w*)\b", plain(text[: found.start]))
    )


def _dated(flights: list[Found], dates: list[Found]) -> list[tuple[str, str]]:
    """Pair each flight with the day said after it and before the next flight, or with the one just before the first."""
    pairs = []
    for i, flight in enumerate(flights):
        end = flights[i + 1].start if i + 1 < len(flights) else flight.end + 140
        own = [d for d in dates if flight.end <= d.start < end]
        if own:
            pairs.append((flight.value, own[0].value))
    return pairs


def _born(write: Mapping[str, JSON]) -> set[str]:
    return {str(p.get("dob")) for p in write.get("passengers", ()) if isinstance(p, dict)}


def _cabin(value: JSON, said: Said) -> bool:
    named = [c for c in _now(said.text, mentions.cabins(said.text)) if not re.match(r"\s+(?:trips?|fare rules)", said.text[c.end :])]
    return bool(named) and str(value) not in values(named) or len(set(values(named))) > 1


def _flight_type(value: JSON, said: Said) -> bool:
    kinds = set()
    if re.search(r"\bone[ -]way\b", said.low):
        kinds.add("one_way")
    if re.search(r"\bround(?:[ -]trip)?\b|\bboth ways\b", said.low):
        kinds.add("round_trip")
    return bool(kinds) and kinds != {str(value)}


def _route(said: Said) -> list[tuple[str, str]]:
    """Pairs of airports joined by `to` or an arrow, flights' own routes left out."""
    places = said.lookup.places(said.text)
    flights = said.lookup.flights(said.text)
    merged: list[Found] = []
    for place in places:
        # "Boston (BOS)" is one place.
        if merged and place.start - merged[-1].end <= 2 and set(place.value.split("|")) & set(merged[-1].value.split("|")):
            merged[-1] = Found(place.value, merged[-1].start, place.end)
        else:
            merged.append(place)
    pairs = []
    for a, b in zip(merged, merged[1:], strict=False):
        if re.fullmatch(r"[\s)]*(?:to|-|→|->|–)\s*", said.text[a.end : b.start]):
            near = [f for f in flights if 0 <= a.start - f.end < 12]
            if not near:
                pairs.append((a.value, b.value))
    return pairs


def _origin(value: JSON, said: Said) -> bool:
    ends = {str(value), str(said.write.get("destination", value))}
    return any(not set(a.split("|")) & ends for a, _ in _route(said)) or _turned(said)


def _destination(value: JSON, said: Said) -> bool:
    ends = {str(value), str(said.write.get("origin", value))}
    return any(not set(b.split("|")) & ends for _, b in _route(said)) or _turned(said)


def _turned(said: Said) -> bool:
    """The trip is said the wrong way round, unless it is a round trip told in both directions."""
    first = _route(said)[:1]
    origin = str(said.write.get("origin", ""))
    return bool(first and origin) and origin not in first[0][0].split("|")


def _passengers(value: JSON, said: Said) -> bool:
    expected = [f"{p['first_name']} {p['last_name']}" for p in value]
    dobs = [str(p["dob"]) for p in value]
    named = mentions.people(said.text, expected)
    names = {f.value.lower() for f in named}
    present = [name for name in expected if name.lower() in names]
    born = [d.value for d in mentions.dates(said.text, said.lookup.year) if _is_dob(said.text, d)]
    if set(born) - set(dobs):
        return True
    old = {f"{p['first_name']} {p['last_name']}" for p in said.record.get("passengers", ())}
    user = said.lookup.record("users", said.user_id)
    own = {f"{user['name']['first_name']} {user['name']['last_name']}"} if user else set()
    strangers = [f for f in named if f.value not in expected and f.value not in old | own and _is_person(f, said)]
    if strangers:
        return True
    replaced = bool(re.search(r"\b(?:instead of|replac\w+|in (?:the )?place of|correct\w*|from|rename\w*|swap\w*)\b", said.low))
    if any(name.lower() in names and not replaced for name in old - set(expected)):
        return True
    if not present:
        return False
    missing = [name for name in expected if name not in present]
    if missing and not (replaced and all(name in old for name in missing)):
        return True
    if len(born) not in (0, len(dobs)) and not replaced:
        return True
    return any((name, dob) not in set(zip(expected, dobs, strict=True)) for name, dob in _aged(named, said)) or _count_off(
        len(expected), said
    )


def _is_dob(text: str, found: Found) -> bool:
    return found.value[:4] < "2020" or bool(re.search(r"\b(?:born|dob|birth)\W*(?:on|is|:)?\W*$", plain(text[max(0, found.start - 25) : found.start])))


def _aged(named: list[Found], said: Said) -> list[tuple[str, str]]:
    pairs = []
    for d in mentions.dates(said.text, said.lookup.year):
        if _is_dob(said.text, d):
            before = [f for f in named if f.end <= d.start and d.start - f.end < 30]
            if before:
                pairs.append((before[-1].value, d.value))
    return pairs


def _is_person(found: Found, said: Said) -> bool:
    """Two capitalised words that are no place, no month and no opening of a sentence, said like a person."""
    words = found.value.lower().split()
    places = " ".join(said.lookup.airports.values()).lower()
    if any(w in places or w in mentions.MONTHS or w in _NOT_NAMES for w in words):
        return False
    after = said.text[found.end : found.end + 20].lower()
    before = plain(said.text[max(0, found.start - 25) : found.start])
    return bool(re.match(r"\s*\(?,?\s*(?:born|dob|date of birth|\d{4}-)", after)) or bool(
        re.search(r"\b(?:passengers?|travell?ers?|for|and|mr|ms|mrs|to|with|named?)\W*$|[,:]\s*$", before)
    )


_NOT_NAMES = frozenset(
    "shall would please visa mastercard american express gift card travel insurance flight flights reservation booking business economy basic round one total the your this and also dear yes new user order paypal discover".split()
)


def _count_off(count: int, said: Said) -> bool:
    found = re.search(rf"\b{NUMBER} (?:passengers?|people|travell?ers?)\b", said.low)
    return found is not None and number(found[1]) != str(count)


def _counted(pattern: str, said: Said) -> list[str]:
    return [number(m[1]) for m in re.finditer(pattern, said.low)]


_ADDED = re.compile(rf"\b(?:add\w*|extra|additional|more)\b[^.;]{{0,20}}?\b{NUMBER}\b[^.;]{{0,25}}?\b(?:bags?|suitcases?|baggages?)|\b{NUMBER} (?:more|extra|additional|further)(?: \w+)? (?:bags?|suitcases?|baggages?)")


def _total_bags(value: JSON, said: Said) -> bool:
    booked = said.record.get("total_baggages")
    allowed = {_count(value)}
    added = [number(m[1] or m[2]) for m in _ADDED.finditer(said.low)]
    if added:
        if isinstance(booked, int) and isinstance(value, int):
            allowed.add(str(value - booked))
        return not set(added) <= allowed
    named = _counted(rf"\b{NUMBER} (?:checked |check-in |pieces of |pieces? )?(?:bags?|suitcases?|baggages?|luggage)\b", said)
    named += _counted(rf"\b(?:bags?|suitcases?|baggages?)(?: in all| in total| total)?\s*[:=]\s*{NUMBER}\b", said)
    return bool(named) and named[0] not in allowed


def _count(value: JSON) -> str:
    return str(value)


def _paid_bags(value: JSON, said: Said) -> bool:
    kind = r"(?:paid|non-?free|chargeable|charged|to be paid|extra-cost|beyond)"
    named = _counted(rf"\b{NUMBER}(?: of (?:them|which|these))?(?: are| is| checked)? {kind}\b", said)
    named += _counted(rf"\bnon-?free (?:bags?|baggages?)?\s*[:=]?\s*{NUMBER}\b", said)
    if not named and re.search(r"\b(?:all (?:of them )?(?:are )?free|free of charge|no (?:extra )?(?:charge|cost|fee)|at no cost)\b", said.low):
        return _count(value) != "0" and "bag" in said.low
    return bool(named) and any(n != _count(value) for n in named)


def _insurance(value: JSON, said: Said) -> bool:
    stances = set()
    for m in re.finditer(r"\binsurance\b", said.low):
        before, after = said.low[max(0, m.start() - 28) : m.start()], said.low[m.end() : m.end() + 14]
        if re.search(r"\b(?:without|no|not?(?: \w+){0,2}|decline\w*|skip\w*|excluding|exclude)(?: any| the| travel| your)*\s*$", before) or re.match(
            r"\W*(?:no|none|not|declined)\b", after
        ):
            stances.add("no")
        elif re.search(r"\b(?:with|and|plus|include\w*|including|add\w*|buy)(?: \w+){0,2}\s*$", before) or re.match(r"\W*(?:yes|included|\(|for)", after):
            stances.add("yes")
    return bool(stances) and stances != {str(value)}


def _amount(value: JSON, said: Said) -> bool:
    return any(_cents(f.value) != _cents(value) for f in mentions.money(said.text) if not re.match(r"\s*(?:per|each|for each|a passenger|×|x )", said.text[f.end :]))


def _gigabytes(value: JSON, said: Said) -> bool:
    return any(_cents(f.value) != _cents(value) or (f.value != str(value) and float(f.value) != value) for f in mentions.gigabytes(said.text))


# Goods


def _old_items(value: JSON, said: Said) -> bool:
    new = [str(i) for i in said.write.get("new_item_ids", ())]
    return _items_off([str(i) for i in value], new, said)


def _new_items(value: JSON, said: Said) -> bool:
    old = [str(i) for i in said.write.get("item_ids", ())]
    return _items_off([str(i) for i in value], old, said) or _pairs_off(said)


def _items_off(mine: list[str], others: list[str], said: Said) -> bool:
    named = [f.value for f in mentions.items(said.text)]
    if not named:
        return False
    if set(named) - set(mine) - set(others):
        return True
    own = [n for n in named if n in mine]
    return bool(own) and (set(own) != set(mine) or len([n for n in named if n in mine]) < len(mine))


def _pairs_off(said: Said) -> bool:
    named = mentions.items(said.text)
    wanted = list(zip(map(str, said.write.get("item_ids", ())), map(str, said.write.get("new_item_ids", ())), strict=False))
    for a, b in zip(named, named[1:], strict=False):
        between = said.text[a.end : b.start]
        if re.match(r"\W*(?:for|to|with|by|into|→|->)\b", between) and len(between) < 160 and (a.value, b.value) not in wanted:
            return True
    if len(said.write.get("item_ids", ())) != len(said.write.get("new_item_ids", ())):
        return False
    return bool(re.search(r"\b(?:without a replacement|in addition)\b", said.low))


def _reason(value: JSON, said: Said) -> bool:
    known = ("no longer needed", "ordered by mistake")
    if str(value) in known:
        other = known[1 - known.index(str(value))]
        named = re.search(r"\breason\b\W*(?:is|:|as|of)?\W*[\"'“]?([a-z ]+)", said.low)
        if named is not None and str(value) not in said.low and not re.match(r"(?:for|why|that|you)\b", named[1]):
            return True
        return other in said.low and str(value) not in said.low
    return _labelled("reason")(value, said)


def _address_part(value: JSON, said: Said) -> bool:
    parts = [str(said.write[k]) for k in ("address1", "address2", "city", "state", "country", "zip") if said.write.get(k)]
    told = [p for p in parts if re.search(rf"\b{re.escape(plain(p))}\b", said.low)]
    whole = re.search(r"\baddress\b[^:]*:\s*(.+?)(?:\.\s|$)", said.text)
    if whole is not None and whole[1].count(",") >= 3:
        return plain(", ".join(parts)) not in plain(whole[1])
    street = {plain(str(said.write.get("address1"))), plain(str(said.write.get("zip")))}
    if not told and not mentions.zips(said.text):
        return False
    if any(f.value != str(said.write.get("zip")) for f in mentions.zips(said.text) if plain(f.value) not in street):
        return True
    return bool(value) and re.search(rf"\b{re.escape(plain(str(value)))}\b", said.low) is None and len(told) >= 2


def _labelled(name: str) -> Check:
    """For arguments nobody has words for: `title: x` in the text must be the value."""
    label = re.escape(name.replace("_", " "))

    def check(value: JSON, said: Said) -> bool:
        found = re.search(rf"\b{label}\b\s*[:=]\s*(.*)", said.low)
        return found is not None and not found[1].startswith(plain(str(value)))

    return check


_CHECKS: Mapping[str, Check] = {
    "reservation_id": _reservation,
    "user_id": _user,
    "order_id": _order,
    "customer_id": _lettered("C"),
    "line_id": _lettered("L"),
    "bill_id": _lettered("B"),
    "payment_id": _payment,
    "payment_method_id": _payment,
    "payment_methods": _payments,
    "flights": _flights,
    "passengers": _passengers,
    "cabin": _cabin,
    "flight_type": _flight_type,
    "origin": _origin,
    "destination": _destination,
    "total_baggages": _total_bags,
    "nonfree_baggages": _paid_bags,
    "insurance": _insurance,
    "amount": _amount,
    "gb_amount": _gigabytes,
    "item_ids": _old_items,
    "new_item_ids": _new_items,
    "reason": _reason,
    **dict.fromkeys(("address1", "address2", "city", "state", "country", "zip"), _address_part),
}
