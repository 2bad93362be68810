"""Does a proposal contradict what the customer wants? Each argument of a wish's write is compared with what was said.

Only what a text mentions can contradict: few details are enough for a yes, one wrong detail is enough for a no.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from domains.values import JSON
from sessions.players import mentions
from sessions.players.lookup import Lookup
from sessions.players.mentions import Found, values
from sessions.players.script import goods, trips
from sessions.players.script.said import Check, Said, cents, off, past


def contradictions(arguments: Mapping[str, JSON], text: str, lookup: Lookup, user_id: str = "") -> list[str]:
    """Return the names of the arguments that a text contradicts."""
    # The same proposal is judged again with every turn that follows it.
    key = ("contradictions", text, repr(arguments), user_id)
    if key not in lookup.memo:
        lookup.memo[key] = _contradictions(arguments, text, lookup, user_id)
    return list(lookup.memo[key])


def _contradictions(arguments: Mapping[str, JSON], text: str, lookup: Lookup, user_id: str) -> list[str]:
    said = Said(text, lookup, user_id, arguments)
    return [name for name, value in arguments.items() if _CHECKS.get(name, goods.labelled(name))(value, said)]


# Ids


def _reservation(value: JSON, said: Said) -> bool:
    return off(said.lookup.reservations(said.text), {str(value)})


def _user(value: JSON, said: Said) -> bool:
    return off(mentions.user_ids(said.text), {str(value)}) or goods.labelled("user_id")(value, said)


def _order(value: JSON, said: Said) -> bool:
    return off(mentions.orders(said.text), {str(value)})


def _lettered(letter: str) -> Check:
    return lambda value, said: off(mentions.records(said.text, letter), {str(value)})


def _named_methods(said: Said) -> list[Found]:
    """Payment methods by id, or by the last digits of one of the customer's own cards."""
    found = mentions.payment_ids(said.text)
    for ending in mentions.endings(said.text):
        ids = said.lookup.methods_ending(said.user_id, ending.value)
        near = any(abs(ending.end - f.start) < 6 for f in found)
        if not near:
            found.append(Found(ids[0] if ids else f"card {ending.value}", ending.start, ending.end))
    return found


_BRAND = re.compile(r"\b(?:mastercard|visa|amex|american express)\b")


def _payment(value: JSON, said: Said) -> bool:
    named = _named_methods(said)
    if named:
        return off([f for f in named if not past(said.text, f)], {str(value)})
    # Without an id or digits, a kind of method can still be the wrong one.
    brands = {m[0] for m in _BRAND.finditer(said.low) if not past(said.text, Found(m[0], *m.span()))}
    if brands and not any(brand in said.lookup.method(str(value)).lower() for brand in brands):
        return True
    kinds = {k for k in ("credit card", "gift card", "certificate", "paypal") if k in said.low}
    return len(kinds) == 1 and not str(value).startswith(next(iter(kinds)).replace(" ", "_"))


def _payments(value: JSON, said: Said) -> bool:
    expected = {str(p["payment_id"]): cents(p["amount"]) for p in value}
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
        cents(m[1].replace(",", "")) != total
        for m in re.finditer(
            r"\b(?:total|altogether|in all)\b[^.$\d]{0,25}\$(\d[\d,]*(?:\.\d+)?)(?! (?:per|each))", said.low
        )
        if "refund" not in said.low
    )


def _charged(text: str, methods: list[Found]) -> list[tuple[str, int]]:
    """Pair each method with the amount said just before it (`$5 from the card`) or after it (`card: $5`)."""
    amounts = mentions.money(text)
    pairs = []
    for method in methods:
        before = [a for a in amounts if a.end <= method.start and _joins(text[a.end : method.start])]
        after = [
            a
            for a in amounts
            if a.start >= method.end
            and re.fullmatch(r"[\s):,]*(?:for|with|is|=|-|–|amount)?\s*", text[method.end : a.start])
        ]
        if before:
            pairs.append((method.value, cents(before[-1].value)))
        elif after:
            pairs.append((method.value, cents(after[0].value)))
    return pairs


def _joins(between: str) -> bool:
    return (
        len(between) < 60
        and not re.search(r"[$;.]|\band\b", between)
        and bool(re.search(r"\b(?:from|to|on|with|by|using|via|charged|off)\b", between))
    )


def _amount(value: JSON, said: Said) -> bool:
    return any(
        cents(f.value) != cents(value)
        for f in mentions.money(said.text)
        if not re.match(r"\s*(?:per|each|for each|a passenger|×|x )", said.text[f.end :])
    )


def _gigabytes(value: JSON, said: Said) -> bool:
    return any(
        cents(f.value) != cents(value) or (f.value != str(value) and float(f.value) != value)
        for f in mentions.gigabytes(said.text)
    )


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
    "flights": trips.flights,
    "passengers": trips.passengers,
    "cabin": trips.cabin,
    "flight_type": trips.flight_type,
    "origin": trips.origin,
    "destination": trips.destination,
    "total_baggages": trips.total_bags,
    "nonfree_baggages": trips.paid_bags,
    "insurance": trips.insurance,
    "amount": _amount,
    "gb_amount": _gigabytes,
    "item_ids": goods.old_items,
    "new_item_ids": goods.new_items,
    "reason": goods.reason,
    **dict.fromkeys(("address1", "address2", "city", "state", "country", "zip"), goods.address_part),
}
