"""What the check knows of the airline."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from domains.airline.tools import NEW_CERTIFICATE_IDS, NEW_RESERVATION_IDS
from domains.customers import USER, owner_in, payment_method, person
from domains.knowledge import GoldCall, Kind, Knowledge, held
from domains.values import JSON

KINDS = (
    USER,
    Kind(
        "reservation",
        frozenset({"reservation_id"}),
        lambda env, value: held(env, "reservations", value),
        owner_in("reservations"),
        # Six capitals may be a word; with a digit among them they are a reservation, unless they are a flight.
        re.compile(r"\b(?!HAT\d)(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{6}\b"),
    ),
    Kind(
        "flight",
        frozenset({"flight_number"}),
        lambda env, value: held(env, "flights", value),
        written=re.compile(r"\bHAT\d{3}\b"),
    ),
    payment_method("payment_id", "credit_card", "gift_card", "certificate"),
)


def _unavailable(call: GoldCall) -> Iterator[str]:
    if call.name not in ("book_reservation", "update_reservation_flights"):
        return
    for segment in _objects(call.arguments.get("flights")):
        number, date = segment.get("flight_number"), segment.get("date")
        flight = held(call.env, "flights", number) if isinstance(number, str) else None
        if flight is None:
            continue
        day = flight["dates"].get(date)
        if day is None:
            yield f"flight {number} does not fly on {date}"
        elif day["status"] != "available":
            yield f"flight {number} on {date} is {day['status']}, not for sale"


def _oddity(call: GoldCall) -> str | None:
    if call.result.error:
        return None
    arguments = call.arguments
    match call.name:
        case "book_reservation":
            return _consumed(call) or _last_id(call)
        case "cancel_reservation":
            reservation = held(call.env, "reservations", arguments["reservation_id"])
            if reservation is not None and reservation["status"] == "cancelled":
                return "the reservation is already cancelled, so every payment is negated once more"
        case "update_reservation_flights":
            return _old_prices(call)
        case "update_reservation_baggages":
            for name in ("total_baggages", "nonfree_baggages"):
                if type(arguments[name]) is not int:
                    return f"{name} is stored as {arguments[name]!r}, which is not the same as a whole number"
        case "search_onestop_flight":
            return _next_day(call)
        case "send_certificate":
            user = held(call.env, "users", arguments["user_id"])
            if user is not None and NEW_CERTIFICATE_IDS[1] in user["payment_methods"]:
                return "the last of the three new certificate ids of this user is used"
    return None


def _consumed(call: GoldCall) -> str | None:
    user = held(call.env, "users", call.arguments["user_id"])
    methods = user["payment_methods"] if user is not None else {}
    for payment in _objects(call.arguments["payment_methods"]):
        method = methods.get(payment["payment_id"])
        if method and method["source"] == "certificate" and method["amount"] > payment["amount"]:
            rest = method["amount"] - payment["amount"]
            return f"{payment['payment_id']} is consumed whole, and the rest of {rest:g} is lost"
    return None


def _last_id(call: GoldCall) -> str | None:
    if held(call.env, "reservations", NEW_RESERVATION_IDS[1]) is None:
        return None
    return "the last of the three new reservation ids is used"


def _old_prices(call: GoldCall) -> str | None:
    reservation = held(call.env, "reservations", call.arguments["reservation_id"])
    if reservation is None or reservation["cabin"] != call.arguments["cabin"]:
        return None
    wanted = {(s.get("flight_number"), s.get("date")) for s in _objects(call.arguments["flights"])}
    for segment in reservation["flights"]:
        number, date = segment["flight_number"], segment["date"]
        flight = held(call.env, "flights", number)
        if (number, date) not in wanted or flight is None:
            continue
        prices = flight["dates"].get(date, {}).get("prices")
        if prices is None:
            return f"{number} on {date} is kept although it is not for sale"
        if (now := prices[reservation["cabin"]]) != segment["price"]:
            return f"{number} on {date} is kept at its old price of {segment['price']}; it costs {now} now"
    return None


def _next_day(call: GoldCall) -> str | None:
    date = call.arguments["date"]
    tomorrow = str(dt.date.fromisoformat(date) + dt.timedelta(days=1))
    taken = f"2024-05-{int(date[-2:]) + 1}"
    if tomorrow == taken:
        return None
    for flight in call.env.databases["agent"].rows("flights").values():
        overnight = "+1" in flight["scheduled_arrival_time_est"]
        if overnight and flight["origin"] == call.arguments["origin"] and date in flight["dates"]:
            return f"after a night flight it looks for connections on {taken} instead of {tomorrow}"
    return None


def _objects(values: JSON) -> list[dict[str, JSON]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


knowledge = Knowledge(KINDS, person, _oddity, _unavailable)
