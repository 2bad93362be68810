"""Who is speaking: what each domain asks for, and the look-up that answers it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from domains.values import JSON
from sessions.players import mentions
from sessions.players.lookup import Lookup

ASK: Mapping[str, tuple[str, ...]] = {
    "airline": (
        "may I have your user id, please?",
        "I need your user id to open your profile; it looks like name_name_1234. What is it?",
        "Without your user id I cannot open your profile. If you do not find it, could you give me a reservation "
        "number?",
    ),
    "retail": (
        "may I have the email address of your account, please? Your full name and zip code will do as well.",
        "I need your email address, or your first name, last name and zip code, to find your account. Could you "
        "tell me?",
        "To find your account I need your email address, or your full name and zip code. Could you look once more?",
    ),
    "telecom": (
        "may I have your phone number, please?",
        "I need the phone number of your line, such as 555-123-0000, to find your account. What is it?",
        "To find your account I need your phone number, or your full name and date of birth. Could you look once more?",
    ),
}
"""Domain → how it is asked for, the first time and again. Domains that are not here identify nobody."""

QUESTIONS = frozenset(question for questions in ASK.values() for question in questions)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A look-up by which the customer can be found."""

    name: str
    arguments: Mapping[str, JSON]


def attempts(domain: str, text: str, lookup: Lookup, asked: int) -> Iterator[Attempt]:
    """Yield the look-ups that the customer's words allow, best first."""
    match domain.removesuffix("-workflow"):
        case "airline":
            for found in mentions.user_ids(text):
                yield Attempt("get_user_details", {"user_id": found.value})
            if asked >= 2:
                for found in lookup.reservations(text):
                    if owner := lookup.owner(found.value):
                        yield Attempt("get_user_details", {"user_id": owner})
        case "retail":
            for found in mentions.emails(text):
                yield Attempt("find_user_id_by_email", {"email": found.value})
            for found in mentions.zips(text):
                for first, last in _names(text, found.value, lookup):
                    yield Attempt(
                        "find_user_id_by_name_zip", {"first_name": first, "last_name": last, "zip": found.value}
                    )
        case "telecom":
            for number in _numbers(text):
                yield Attempt("get_customer_by_phone", {"phone_number": number})
            for found in mentions.records(text, "C"):
                yield Attempt("get_customer_by_id", {"customer_id": found.value})
            days = mentions.values(mentions.dates(text, lookup.year))
            for name in _full_names(text, lookup) if days else ():
                for day in days:
                    yield Attempt("get_customer_by_name", {"full_name": name, "dob": day})


def given(domain: str, text: str, lookup: Lookup) -> str:
    """Say what of a customer's last words is no help alone, and why."""
    if not mentions.dates(text, lookup.year):
        return ""
    if domain.removesuffix("-workflow") == "telecom":
        return "Thank you. A date of birth alone is not enough, it takes your full name as well."
    return "Thank you, but a date does not tell me which account is yours."


def _numbers(text: str) -> list[str]:
    """Phone numbers, also those of ten digits without a space."""
    solid = [f"{f.value[:3]}-{f.value[3:6]}-{f.value[6:]}" for f in mentions.items(text)]
    return [*mentions.values(mentions.phones(text)), *solid]


def _full_names(text: str, lookup: Lookup) -> list[str]:
    """Names of customers in the text, in any case, before what only looks like a name."""
    low = text.lower()
    names = (str(customer["full_name"]) for customer in lookup.rows("customers"))
    known = [name for name in dict.fromkeys(names) if re.search(rf"\b{re.escape(name.lower())}\b", low)]
    return list(dict.fromkeys([*known, *(f"{first} {last}" for first, last in _stated(text))]))


def _names(text: str, zip_code: str, lookup: Lookup) -> Iterator[tuple[str, str]]:
    """Names in the text: those of customers with this zip code first, then what is said to be one's name."""
    low = text.lower()
    for user in lookup.rows("users"):
        name = user["name"]
        if user["address"]["zip"] == zip_code and all(
            re.search(rf"\b{re.escape(str(name[part]).lower())}\b", low) for part in ("first_name", "last_name")
        ):
            yield str(name["first_name"]), str(name["last_name"])
    yield from _stated(text)


def _stated(text: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(
        r"\b(?:my name is|my name's|i am|i'm|this is|name:)\s+([A-Za-z'-]+)\s+([A-Za-z'-]+)", text, re.IGNORECASE
    ):
        yield match[1].capitalize(), match[2].capitalize()
    for found in mentions.people(text):
        first, _, last = found.value.partition(" ")
        yield first, last
