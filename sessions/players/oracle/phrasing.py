"""Every write of every domain in plain words, with all its details: what is read out before a yes is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from domains.values import JSON
from sessions.players.lookup import Lookup
from sessions.players.mentions import MONTHS

_Tell: TypeAlias = Callable[[Mapping[str, JSON], Lookup], str]


def day(value: JSON, year: str) -> str:
    """Say a day: `May 20`, with the year when it is not this one; anything else as it is."""
    parts = str(value).split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return str(value)
    said = f"{MONTHS[int(parts[1]) - 1].capitalize()} {int(parts[2])}"
    return said if parts[0] == year else f"{said}, {parts[0]}"


def listed(parts: list[str]) -> str:
    """Join with commas and an `and`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "none"


def dollars(value: JSON) -> str:
    """Say an amount, without decimals where there are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"${value}"
    return f"${value:.0f}" if float(value).is_integer() else f"${value:.2f}"


def bags(count: JSON) -> str:
    """Say a number of checked bags."""
    return f"{count} checked bag{'' if str(count) == '1' else 's'}"


def describe(name: str, arguments: Mapping[str, JSON], lookup: Lookup) -> str:
    """Return what the call does, as the end of `I would ...`; the same arguments always give the same words."""
    tell = _TELL.get(name)
    if tell is None or not _fits(name, arguments):
        return _anything(name, arguments)
    return tell(arguments, lookup)


def _fits(name: str, arguments: Mapping[str, JSON]) -> bool:
    return all(key in arguments for key in _NEEDS[name])


def _anything(name: str, arguments: Mapping[str, JSON]) -> str:
    said = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in arguments.items())
    return f"{name.replace('_', ' ')} ({said})" if said else name.replace("_", " ")


# Airline


def _segments(flights: JSON, lookup: Lookup) -> str:
    said = []
    for flight in flights:
        known = lookup.record("flights", str(flight.get("flight_number")))
        route = f" from {lookup.city(known['origin'])} to {lookup.city(known['destination'])}" if known else ""
        said.append(f"flight {flight.get('flight_number')}{route} on {day(flight.get('date'), lookup.year)}")
    return listed(said)


def _passengers(passengers: JSON) -> str:
    return listed([f"{p.get('first_name')} {p.get('last_name')} (born {p.get('dob')})" for p in passengers])


def trip(reservation_id: JSON, lookup: Lookup) -> str:
    """Say a reservation, with its route and first day where it exists."""
    record = lookup.record("reservations", str(reservation_id))
    if record is None:
        return f"reservation {reservation_id}"
    kind = "round trip" if record["flight_type"] == "round_trip" else "one-way trip"
    first = f", starting {day(record['flights'][0]['date'], lookup.year)}" if record["flights"] else ""
    return (
        f"reservation {reservation_id} ({kind} from {lookup.city(record['origin'])} "
        f"to {lookup.city(record['destination'])}{first})"
    )


def _book(a: Mapping[str, JSON], lookup: Lookup) -> str:
    kind = {"one_way": "one-way", "round_trip": "round"}.get(a["flight_type"], a["flight_type"])
    paid = listed(
        [f"{dollars(p.get('amount'))} from the {lookup.method(p.get('payment_id'))}" for p in a["payment_methods"]]
    )
    insurance = {"yes": "with travel insurance", "no": "without travel insurance"}.get(
        a["insurance"], f"travel insurance: {a['insurance']}"
    )
    return (
        f"book a {kind} trip from {lookup.city(a['origin'])} to {lookup.city(a['destination'])} "
        f"in {str(a['cabin']).replace('_', ' ')} on the account {a['user_id']}: {_segments(a['flights'], lookup)}; "
        f"for {_passengers(a['passengers'])}; with {bags(a['total_baggages'])} in all, "
        f"{a['nonfree_baggages']} of them paid; {insurance}; paid with {paid}"
    )


def _cancel(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"cancel {trip(a['reservation_id'], lookup)} as a whole and refund it to where it was paid from"


def _change_flights(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return (
        f"change reservation {a['reservation_id']} to {str(a['cabin']).replace('_', ' ')} for everybody, on "
        f"{_segments(a['flights'], lookup)}, "
        f"with any difference in price settled with the {lookup.method(a['payment_id'])}"
    )


def _change_passengers(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"put these passengers on reservation {a['reservation_id']}: {_passengers(a['passengers'])}"


def _change_bags(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return (
        f"set the checked bags of reservation {a['reservation_id']} to {bags(a['total_baggages'])} in all, "
        f"{a['nonfree_baggages']} of them paid, with anything due charged to the {lookup.method(a['payment_id'])}"
    )


def _certificate(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"send a travel certificate of {dollars(a['amount'])} to the account {a['user_id']} as compensation"


# Retail


def _cancel_order(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"cancel the whole order {a['order_id']}, with the reason: {a['reason']}"


def _address(a: Mapping[str, JSON]) -> str:
    parts = [str(a[key]) for key in ("address1", "address2", "city", "state", "country", "zip") if a[key]]
    return ", ".join(parts)


def _order_address(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"send order {a['order_id']} to this address: {_address(a)}"


def _user_address(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"make this the default address of the account {a['user_id']}: {_address(a)}"


def _replaced(a: Mapping[str, JSON], lookup: Lookup) -> str:
    pairs = [
        f"{lookup.item(old)} for {lookup.item(new)}" for old, new in zip(a["item_ids"], a["new_item_ids"], strict=False)
    ]
    longer, rest = (
        ("item_ids", "without a replacement")
        if len(a["item_ids"]) > len(a["new_item_ids"])
        else ("new_item_ids", "in addition")
    )
    pairs += [f"{lookup.item(i)} {rest}" for i in a[longer][len(pairs) :]]
    return listed(pairs)


def _modify_items(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return (
        f"change the items of the pending order {a['order_id']}: {_replaced(a, lookup)}; "
        f"the difference in price is settled with the {lookup.method(a['payment_method_id'])}"
    )


def _exchange_items(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return (
        f"exchange items of the delivered order {a['order_id']}: {_replaced(a, lookup)}; "
        f"the difference in price is settled with the {lookup.method(a['payment_method_id'])}"
    )


def _return_items(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return (
        f"return from order {a['order_id']} {listed([lookup.item(i) for i in a['item_ids']])}, "
        f"with the refund to the {lookup.method(a['payment_method_id'])}"
    )


def _order_payment(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"change the payment of order {a['order_id']} to the {lookup.method(a['payment_method_id'])}"


# Telecom


def _suspend(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"suspend line {a['line_id']} of customer {a['customer_id']}, with the reason: {a['reason']}"


def _line(verb: str) -> _Tell:
    return lambda a, lookup: f"{verb} line {a['line_id']} of customer {a['customer_id']}"


def _bill(a: Mapping[str, JSON], lookup: Lookup) -> str:
    return f"send a payment request for bill {a['bill_id']} to customer {a['customer_id']}, to be paid on the phone"


def _refuel(a: Mapping[str, JSON], lookup: Lookup) -> str:
    line = f"line {a['line_id']} of customer {a['customer_id']}"
    return f"add {a['gb_amount']} GB of data to {line}, charged to the next bill"


_ADDRESS = ("address1", "address2", "city", "state", "country", "zip")
_TELL: Mapping[str, _Tell] = {
    "book_reservation": _book,
    "cancel_reservation": _cancel,
    "update_reservation_flights": _change_flights,
    "update_reservation_passengers": _change_passengers,
    "update_reservation_baggages": _change_bags,
    "send_certificate": _certificate,
    "cancel_pending_order": _cancel_order,
    "modify_pending_order_address": _order_address,
    "modify_user_address": _user_address,
    "modify_pending_order_items": _modify_items,
    "exchange_delivered_order_items": _exchange_items,
    "return_delivered_order_items": _return_items,
    "modify_pending_order_payment": _order_payment,
    "suspend_line": _suspend,
    "resume_line": _line("resume"),
    "enable_roaming": _line("enable data roaming on"),
    "disable_roaming": _line("disable data roaming on"),
    "send_payment_request": _bill,
    "refuel_data": _refuel,
}
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "book_reservation": (
        "user_id",
        "origin",
        "destination",
        "flight_type",
        "cabin",
        "flights",
        "passengers",
        "payment_methods",
        "total_baggages",
        "nonfree_baggages",
        "insurance",
    ),
    "cancel_reservation": ("reservation_id",),
    "update_reservation_flights": ("reservation_id", "cabin", "flights", "payment_id"),
    "update_reservation_passengers": ("reservation_id", "passengers"),
    "update_reservation_baggages": ("reservation_id", "total_baggages", "nonfree_baggages", "payment_id"),
    "send_certificate": ("user_id", "amount"),
    "cancel_pending_order": ("order_id", "reason"),
    "modify_pending_order_address": ("order_id", *_ADDRESS),
    "modify_user_address": ("user_id", *_ADDRESS),
    "modify_pending_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    "exchange_delivered_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    "return_delivered_order_items": ("order_id", "item_ids", "payment_method_id"),
    "modify_pending_order_payment": ("order_id", "payment_method_id"),
    "suspend_line": ("customer_id", "line_id", "reason"),
    "resume_line": ("customer_id", "line_id"),
    "enable_roaming": ("customer_id", "line_id"),
    "disable_roaming": ("customer_id", "line_id"),
    "send_payment_request": ("customer_id", "bill_id"),
    "refuel_data": ("customer_id", "line_id", "gb_amount"),
}

# How a proposal is asked, the first time and again. The description is in all of them, word for word.
_ASK = (
    "{lead}I would {what}.{extra} Shall I go ahead? (yes/no)",
    "{lead}Let me be sure that I have it right: I would {what}.{extra} I only do this with a clear yes. Do you "
    "want me to?",
    "{lead}I still need a plain yes or no. This is what I would do: {what}.{extra} Is that all right?",
)


def proposal(what: str, asked: int, *, lead: str = "", extra: str = "") -> str:
    """Return the question for a yes; `asked` says how often it was put before."""
    return _ASK[min(asked, len(_ASK) - 1)].format(
        what=what, extra=f" {extra}" if extra else "", lead=f"{lead} " if lead else ""
    )


_DONE = {
    "book_reservation": "Your trip is booked",
    "cancel_reservation": "The reservation has been cancelled; the money is back within 5 to 7 business days",
    "update_reservation_flights": "The reservation has been changed",
    "update_reservation_passengers": "The passengers have been updated",
    "update_reservation_baggages": "The bags have been updated",
    "send_certificate": "The certificate has been sent to your account",
    "cancel_pending_order": "The order has been cancelled",
    "modify_pending_order_address": "The address of the order has been changed",
    "modify_user_address": "Your default address has been changed",
    "modify_pending_order_items": "The items of the order have been changed",
    "exchange_delivered_order_items": (
        "The exchange has been requested; you will get an email on how to send the items back"
    ),
    "return_delivered_order_items": (
        "The return has been requested; you will get an email on how to send the items back"
    ),
    "modify_pending_order_payment": "The payment of the order has been changed",
    "suspend_line": "The line has been suspended",
    "resume_line": "The line has been resumed",
    "enable_roaming": "Roaming has been enabled on your line",
    "disable_roaming": "Roaming has been disabled on your line",
    "send_payment_request": "The payment request has been sent to your phone",
    "refuel_data": "The data has been added to your line",
}


def done(name: str) -> str:
    """Say that a write has been carried out."""
    return _DONE.get(name, f"I have done it: {name.replace('_', ' ')}") + "."


def done_already(names: list[str]) -> str:
    """Say which writes have been carried out, as an answer to who asks whether they are."""
    told = [_DONE.get(name, name.replace("_", " ")) for name in dict.fromkeys(names)]
    return f"Yes, it is done: {'; '.join(text[0].lower() + text[1:] for text in told)}."
