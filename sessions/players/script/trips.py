"""What a proposal says of a trip, compared with the wish: flights, cabin, route, passengers, bags, insurance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from domains.values import JSON
from sessions.players import mentions
from sessions.players.language import plain
from sessions.players.mentions import NUMBER, Found, number, values
from sessions.players.script.said import Said, counted, now, off, past


def flights(value: JSON, said: Said) -> bool:
    expected = [(str(f["flight_number"]), str(f["date"])) for f in value]
    numbers = [number for number, _ in expected]
    days = {date for _, date in expected}
    own = {str(f["flight_number"]) for f in said.record.get("flights", ())}
    partly = bool(
        re.search(
            r"\b(?:keep|kept|keeping|stays?|remains?|unchanged|same|as (?:it )?is|as booked|leave|leaving|rest)\b",
            said.low,
        )
    )
    named = said.lookup.flights(said.text)
    given_up = [
        f
        for f in named
        if f.value not in numbers and f.value in own and (past(said.text, f) or _later(said.text, f, numbers))
    ]
    named = [f for f in named if f not in given_up]
    if off(named, numbers):
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
    loose = [
        d
        for d in dates
        if d.value not in days
        and not _is_dob(said.text, d)
        and d.value not in _born(said.write)
        and not (d.value in old_days and (past(said.text, d) or not named))
    ]
    return bool(loose)


def _later(text: str, found: Found, numbers: list[str]) -> bool:
    """An old flight named before the new one: `change HAT001 to HAT002`."""
    after = text[found.end : found.end + 160]
    return (
        bool(re.search(r"\b(?:to|with|by|for|→)\b", after))
        and any(n in after.upper() for n in numbers)
        and bool(re.search(r"\b(?:chang\w+|switch\w*|replac\w+|mov\w+|swap\w*)\b", plain(text[: found.start])))
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


def cabin(value: JSON, said: Said) -> bool:
    named = [
        c
        for c in now(said.text, mentions.cabins(said.text))
        if not re.match(r"\s+(?:trips?|fare rules)", said.text[c.end :])
    ]
    return (bool(named) and str(value) not in values(named)) or len(set(values(named))) > 1


def flight_type(value: JSON, said: Said) -> bool:
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
        if (
            merged
            and place.start - merged[-1].end <= 2
            and set(place.value.split("|")) & set(merged[-1].value.split("|"))
        ):
            merged[-1] = Found(place.value, merged[-1].start, place.end)
        else:
            merged.append(place)
    pairs = []
    for a, b in pairwise(merged):
        if re.fullmatch(r"[\s)]*(?:to|-|→|->|–)\s*", said.text[a.end : b.start]):
            near = [f for f in flights if 0 <= a.start - f.end < 12]
            if not near:
                pairs.append((a.value, b.value))
    return pairs


def origin(value: JSON, said: Said) -> bool:
    ends = {str(value), str(said.write.get("destination", value))}
    return any(not set(a.split("|")) & ends for a, _ in _route(said)) or _turned(said)


def destination(value: JSON, said: Said) -> bool:
    ends = {str(value), str(said.write.get("origin", value))}
    return any(not set(b.split("|")) & ends for _, b in _route(said)) or _turned(said)


def _turned(said: Said) -> bool:
    """The trip is said the wrong way round, unless it is a round trip told in both directions."""
    first = _route(said)[:1]
    origin = str(said.write.get("origin", ""))
    return bool(first and origin) and origin not in first[0][0].split("|")


def passengers(value: JSON, said: Said) -> bool:
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
    replaced = bool(
        re.search(r"\b(?:instead of|replac\w+|in (?:the )?place of|correct\w*|from|rename\w*|swap\w*)\b", said.low)
    )
    if any(name.lower() in names and not replaced for name in old - set(expected)):
        return True
    if not present:
        return False
    missing = [name for name in expected if name not in present]
    if missing and not (replaced and all(name in old for name in missing)):
        return True
    if len(born) not in (0, len(dobs)) and not replaced:
        return True
    return any(
        (name, dob) not in set(zip(expected, dobs, strict=True)) for name, dob in _aged(named, said)
    ) or _count_off(len(expected), said)


def _is_dob(text: str, found: Found) -> bool:
    return found.value[:4] < "2020" or bool(
        re.search(r"\b(?:born|dob|birth)\W*(?:on|is|:)?\W*$", plain(text[max(0, found.start - 25) : found.start]))
    )


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
    places = set(" ".join(said.lookup.airports.values()).lower().split())
    if any(w in places or w in mentions.MONTHS or w in _NOT_NAMES for w in words):
        return False
    after = said.text[found.end : found.end + 20].lower()
    before = plain(said.text[max(0, found.start - 25) : found.start])
    return bool(re.match(r"\s*\(?,?\s*(?:born|dob|date of birth|\d{4}-)", after)) or bool(
        re.search(r"\b(?:passengers?|travell?ers?|for|and|mr|ms|mrs|to|with|named?)\W*$|[,:]\s*$", before)
    )


_NOT_NAMES = frozenset(
    "shall would please visa mastercard american express gift card travel insurance flight flights reservation "
    "booking business economy basic round one total the your this "
    "and also dear yes new user order paypal discover".split()
)


def _count_off(count: int, said: Said) -> bool:
    found = re.search(rf"\b{NUMBER} (?:passengers?|people|travell?ers?)\b", said.low)
    return found is not None and number(found[1]) != str(count)


_ADDED = re.compile(
    rf"\b(?:add\w*|extra|additional|more)\b[^.;]{{0,20}}?\b{NUMBER}\b[^.;]{{0,25}}?\b(?:bags?|suitcases?|baggages?)"
    rf"|\b{NUMBER} (?:more|extra|additional|further)(?: \w+)? (?:bags?|suitcases?|baggages?)"
)


def total_bags(value: JSON, said: Said) -> bool:
    booked = said.record.get("total_baggages")
    allowed = {str(value)}
    added = [number(m[1] or m[2]) for m in _ADDED.finditer(said.low)]
    if added:
        if isinstance(booked, int) and isinstance(value, int):
            allowed.add(str(value - booked))
        return not set(added) <= allowed
    named = counted(
        rf"\b{NUMBER} (?:checked |check-in |pieces of |pieces? )?(?:bags?|suitcases?|baggages?|luggage)\b", said
    )
    named += counted(rf"\b(?:bags?|suitcases?|baggages?)(?: in all| in total| total)?\s*[:=]\s*{NUMBER}\b", said)
    return bool(named) and named[0] not in allowed


def paid_bags(value: JSON, said: Said) -> bool:
    kind = r"(?:paid|non-?free|chargeable|charged|to be paid|extra-cost|beyond)"
    named = counted(rf"\b{NUMBER}(?: of (?:them|which|these))?(?: are| is| checked)? {kind}\b", said)
    named += counted(rf"\bnon-?free (?:bags?|baggages?)?\s*[:=]?\s*{NUMBER}\b", said)
    if not named and re.search(
        r"\b(?:all (?:of them )?(?:are )?free|free of charge|no (?:extra )?(?:charge|cost|fee)|at no cost)\b", said.low
    ):
        return str(value) != "0" and "bag" in said.low
    return bool(named) and any(n != str(value) for n in named)


def insurance(value: JSON, said: Said) -> bool:
    stances = set()
    for m in re.finditer(r"\binsurance\b", said.low):
        before, after = said.low[max(0, m.start() - 28) : m.start()], said.low[m.end() : m.end() + 14]
        if re.search(
            r"\b(?:without|no|not?(?: \w+){0,2}|decline\w*|skip\w*|excluding|exclude)(?: any| the| travel| your)*\s*$",
            before,
        ) or re.match(r"\W*(?:no|none|not|declined)\b", after):
            stances.add("no")
        elif re.search(r"\b(?:with|and|plus|include\w*|including|add\w*|buy)(?: \w+){0,2}\s*$", before) or re.match(
            r"\W*(?:yes|included|\(|for)", after
        ):
            stances.add("yes")
    return bool(stances) and stances != {str(value)}
