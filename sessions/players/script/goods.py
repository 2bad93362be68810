"""What a proposal says of goods and their way, compared with the wish: items, reason, address."""

from __future__ import annotations

import re
from itertools import pairwise

from domains.values import JSON
from sessions.players import mentions
from sessions.players.language import plain
from sessions.players.script.said import Check, Said


def labelled(name: str) -> Check:
    """For arguments nobody has words for: `title: x` in the text must be the value."""
    label = re.escape(name.replace("_", " "))

    def check(value: JSON, said: Said) -> bool:
        found = re.search(rf"\b{label}\b\s*[:=]\s*(.*)", said.low)
        return found is not None and not found[1].startswith(plain(str(value)))

    return check


def old_items(value: JSON, said: Said) -> bool:
    new = [str(i) for i in said.write.get("new_item_ids", ())]
    return _items_off([str(i) for i in value], new, said)


def new_items(value: JSON, said: Said) -> bool:
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
    wanted = list(
        zip(map(str, said.write.get("item_ids", ())), map(str, said.write.get("new_item_ids", ())), strict=False)
    )
    for a, b in pairwise(named):
        between = said.text[a.end : b.start]
        if (
            re.match(r"\W*(?:for|to|with|by|into|→|->)\b", between)
            and len(between) < 160
            and (a.value, b.value) not in wanted
        ):
            return True
    if len(said.write.get("item_ids", ())) != len(said.write.get("new_item_ids", ())):
        return False
    return bool(re.search(r"\b(?:without a replacement|in addition)\b", said.low))


def reason(value: JSON, said: Said) -> bool:
    known = ("no longer needed", "ordered by mistake")
    if str(value) in known:
        other = known[1 - known.index(str(value))]
        named = re.search(r"\breason\b\W*(?:is|:|as|of)?\W*[\"'“]?([a-z ]+)", said.low)
        if named is not None and str(value) not in said.low and not re.match(r"(?:for|why|that|you)\b", named[1]):
            return True
        return other in said.low and str(value) not in said.low
    return labelled("reason")(value, said)


def address_part(value: JSON, said: Said) -> bool:
    parts = [
        str(said.write[k]) for k in ("address1", "address2", "city", "state", "country", "zip") if said.write.get(k)
    ]
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
