"""What a text mentions: ids, dates, flights, amounts, people, each with the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A value and its span in the text it was read from."""

    value: str
    start: int
    end: int


MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_TH = r"(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b"
    rf"|\b{_MONTH}\.?\s+(?P<day>\d{{1,2}}){_TH}\b(?!\s*(?:%|bags?|dollars?|people|passengers?))"
    r"(?:,?\s+(?P<year>\d{4}))?"
    rf"|\b(?P<day2>\d{{1,2}}){_TH}\s+(?:of\s+)?{_MONTH.replace('(jan', '(?P<month2>jan', 1)}\b"
    r"(?:,?\s+(?P<year2>\d{4}))?"
    r"|\b(?P<m3>\d{1,2})/(?P<d3>\d{1,2})(?:/(?P<y3>\d{4}))?\b",
    re.IGNORECASE,
)
_FLIGHT = re.compile(r"\b([A-Z]{3}\d{3})\b", re.IGNORECASE)
_MONEY = re.compile(
    r"(?<![\w.])(?:\$\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:dollars|usd|bucks)\b)", re.IGNORECASE
)
_PAYMENT = re.compile(r"\b((?:credit_card|gift_card|certificate|paypal)_\d+)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ending|ends|end)(?:\s+(?:in|with|on))?\s+(?:\w+\s+)?#?(\d{4})\b", re.IGNORECASE)
_USER = re.compile(r"\b([a-z]+(?:_[a-z]+)+_\d{3,})\b", re.IGNORECASE)
_EMAIL = re.compile(r"\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)\b")
_ZIP = re.compile(r"(?<![\d#-])(\d{5})(?![\d-])")
_ORDER = re.compile(r"#?\b(W\d{7})\b", re.IGNORECASE)
_ITEM = re.compile(r"(?<![\d_])(\d{10})(?!\d)")
_PHONE = re.compile(r"(?<![\w-])\(?(\d{3})(?:\)[-. ]?|[-. ])(\d{3})[-. ](\d{4})(?![\w-])")
_RECORD = re.compile(r"\b([CLBDP]\d{4,5})\b")
_CODE = re.compile(r"\b([A-Z0-9]{6})\b", re.IGNORECASE)
_CABIN = re.compile(
    r"\b(basic[ _-]economy|economy|business)\b(?!\s+(?:trip|meeting|matter|reasons?|days?))", re.IGNORECASE
)
_GB = re.compile(r"(\d+(?:\.\d+)?)\s?(?:gb|gigabytes?|gigs?)\b", re.IGNORECASE)
_PERSON = re.compile(r"\b([A-Z][\w'’-]+)[ \t]+([A-Z][\w'’-]+)\b")

NUMBER_WORDS: Mapping[str, int] = {
    word: i
    for i, word in enumerate(
        ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
} | {"zero": 0, "none": 0, "a": 1, "an": 1}
NUMBER = r"(\d+(?:\.\d+)?|" + "|".join(NUMBER_WORDS) + r")"


def number(text: str) -> str:
    """Return the digits of a small number given in digits or as a word."""
    return str(NUMBER_WORDS[text.lower()]) if text.lower() in NUMBER_WORDS else text


def dates(text: str, year: str) -> list[Found]:
    """Return the days named, as YYYY-MM-DD; a day without a year is one of `year`."""
    found = []
    for match in _DATE.finditer(text):
        parts = match.groupdict()
        if parts["iso"]:
            found.append(Found(parts["iso"], *match.span()))
            continue
        if parts["m3"]:
            month, day, of = int(parts["m3"]), parts["d3"], parts["y3"]
        else:
            name = parts["month2"] or match.group(2)
            month = next(i for i, full in enumerate(MONTHS, 1) if full.startswith(name.lower()[:3]))
            day, of = (parts["day2"], parts["year2"]) if parts["month2"] else (parts["day"], parts["year"])
        if 1 <= month <= 12 and 1 <= int(day) <= 31:
            found.append(Found(f"{of or year}-{month:02}-{int(day):02}", *match.span()))
    return found


def _all(pattern: re.Pattern[str], text: str) -> list[Found]:
    return [Found(next(g for g in m.groups() if g), *m.span()) for m in pattern.finditer(text)]


def flights(text: str) -> list[Found]:
    """Return flight numbers in capitals."""
    return [Found(f.value.upper(), f.start, f.end) for f in _all(_FLIGHT, text)]


def money(text: str) -> list[Found]:
    """Return amounts of dollars without separators: `1234` or `1234.5`."""
    return [Found(f.value.replace(",", "").rstrip("."), f.start, f.end) for f in _all(_MONEY, text)]


def payment_ids(text: str) -> list[Found]:
    """Return ids of payment methods."""
    return [Found(f.value.lower(), f.start, f.end) for f in _all(_PAYMENT, text)]


def endings(text: str) -> list[Found]:
    """Return the last four digits of cards."""
    return _all(_ENDING, text)


def user_ids(text: str) -> list[Found]:
    """Return user ids (name_name_1234), never ids of payment methods."""
    taken = {f.start for f in payment_ids(text)}
    return [Found(f.value.lower(), f.start, f.end) for f in _all(_USER, text) if f.start not in taken]


def emails(text: str) -> list[Found]:
    """Return email addresses."""
    return _all(_EMAIL, text)


def zips(text: str) -> list[Found]:
    """Return numbers of five digits."""
    return _all(_ZIP, text)


def orders(text: str) -> list[Found]:
    """Return order ids, with their #."""
    return [Found("#" + f.value.upper(), f.start, f.end) for f in _all(_ORDER, text)]


def items(text: str) -> list[Found]:
    """Return item and product ids (ten digits)."""
    return _all(_ITEM, text)


def phones(text: str) -> list[Found]:
    """Return phone numbers as 555-123-0000, however they are spaced."""
    return [Found("-".join(m.groups()), *m.span()) for m in _PHONE.finditer(text)]


def records(text: str, letter: str = "") -> list[Found]:
    """Return ids of a letter and four or more digits, such as L1002."""
    return [f for f in _all(_RECORD, text) if f.value.startswith(letter)]


def codes(text: str) -> list[Found]:
    """Return words of six letters and digits, in capitals: some of them are reservation ids."""
    return [Found(f.value.upper(), f.start, f.end) for f in _all(_CODE, text)]


def cabins(text: str) -> list[Found]:
    """Return cabins in the words of the tools."""
    return [Found(re.sub(r"[ -]", "_", f.value.lower()), f.start, f.end) for f in _all(_CABIN, text)]


def gigabytes(text: str) -> list[Found]:
    """Return amounts of data."""
    return _all(_GB, text)


def people(text: str, known: Iterable[str] = ()) -> list[Found]:
    """Return pairs of capitalised words that may be a person's name, besides any known name in any case."""
    found = [Found(f"{m[1]} {m[2]}", *m.span()) for m in _PERSON.finditer(text)]
    seen = {f.value for f in found}
    for name in known:
        if name not in seen:
            matches = re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
            found.extend(Found(name, *m.span()) for m in matches)
    return found


def values(found: Iterable[Found]) -> list[str]:
    """Return the values alone, each once, in order."""
    return list(dict.fromkeys(f.value for f in found))


def sentences(text: str) -> list[str]:
    """Split a text after its full stops, question and exclamation marks."""
    return [part.strip() for part in re.split(r"(?<=[.?!])[\"”')]*\s+|\n{2,}", text) if part.strip()]
