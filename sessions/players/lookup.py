"""What the records say about the things people name: payment methods, airports, reservations, items."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from domains.values import JSON
from sessions.players import mentions

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task
    from domains.toolkit import Seat

NEARBY = {
    "new york": ("JFK", "LGA", "EWR"),
    "new york city": ("JFK", "LGA", "EWR"),
    "nyc": ("JFK", "LGA", "EWR"),
    "sf": ("SFO",),
}


class Lookup:
    """Reads the initial records of a task's world."""

    def __init__(self, domain: Domain, task: Task) -> None:
        self.domain = domain
        self.memo: dict[tuple[str, ...], list[str]] = {}
        """Answers that only depend on the initial records, kept by whoever asks."""
        self.env = domain.environment(task)
        self.year = self.env.definition.now[:4]
        self.today = self.env.definition.now[:10]

    def record(self, table: str, key: str, seat: Seat = "agent") -> dict[str, JSON] | None:
        """Return a record, or None; also None where the domain has no such table."""
        database = self.env.databases.get(seat)
        if database is None or all(shape.name != table for shape in database.base.shape):
            return None
        return database.get(table, key)

    def rows(self, table: str) -> Iterable[dict[str, JSON]]:
        """Return the records of a table, none where there is no such table."""
        database = self.env.databases.get("agent")
        if database is None or all(shape.name != table for shape in database.base.shape):
            return ()
        return database.rows(table).values()

    # Places

    @cached_property
    def airports(self) -> dict[str, str]:
        """IATA code → city; empty where nobody flies."""
        if self.domain.name != "airline":
            return {}
        from domains.airline.tools import AIRPORTS

        return AIRPORTS

    def city(self, code: str) -> str:
        """Return `Boston (BOS)`, or the code when it is unknown."""
        return f"{self.airports[code]} ({code})" if code in self.airports else code

    @cached_property
    def _places(self) -> dict[str, tuple[str, ...]]:
        places = {city.lower(): (code,) for code, city in self.airports.items()}
        return (places | NEARBY | {code.lower(): (code,) for code in self.airports}) if places else {}

    def places(self, text: str) -> list[mentions.Found]:
        """Return the airports a text names; New York stands for each of its airports, joined by `|`."""
        import re

        found: list[mentions.Found] = []
        for name in sorted(self._places, key=len, reverse=True):
            flags = 0 if len(name) == 3 and name.upper() in self.airports else re.IGNORECASE
            pattern = name.upper() if flags == 0 else name
            for match in re.finditer(rf"\b{re.escape(pattern)}\b", text, flags):
                if not any(f.start < match.end() and match.start() < f.end for f in found):
                    found.append(mentions.Found("|".join(self._places[name]), *match.span()))
        return sorted(found, key=lambda f: f.start)

    # People and what they pay with

    def owner(self, record_id: str) -> str:
        """Return the user id of a reservation or an order, or nothing."""
        record = self.record("reservations", record_id) or self.record("orders", record_id)
        return str(record["user_id"]) if record else ""

    @cached_property
    def _methods(self) -> dict[str, tuple[str, dict[str, JSON]]]:
        return {
            key: (str(user["user_id"]), method)
            for user in self.rows("users")
            for key, method in user["payment_methods"].items()
        }

    def method(self, payment_id: str) -> str:
        """Say a payment method as its owner would, with its id."""
        found = self._methods.get(payment_id)
        if found is None:
            return payment_id
        method = found[1]
        match method["source"]:
            case "credit_card":
                return f"{str(method['brand']).capitalize()} ending in {method['last_four']} ({payment_id})"
            case source:
                return f"{str(source).replace('_', ' ')} ({payment_id})"

    def methods_ending(self, user_id: str, last_four: str) -> list[str]:
        """Return the ids of a customer's cards with these last digits."""
        user = self.record("users", user_id)
        methods = user["payment_methods"] if user else {}
        return [key for key, method in methods.items() if method.get("last_four") == last_four]

    def reservations(self, text: str) -> list[mentions.Found]:
        """Return the reservations a text names: any that exist, and what is plainly meant as one."""
        import re

        found = []
        for code in mentions.codes(text):
            said = text[code.start : code.end]
            before = text[max(0, code.start - 30) : code.start].lower()
            meant = said == code.value and (
                any(c.isdigit() for c in said) or re.search(r"(reservation|booking|number|id)\W*$", before) is not None
            )
            looks_so = meant and not code.value.isdigit() and not re.fullmatch(r"[A-Z]{3}\d{3}", code.value)
            if looks_so or self.record("reservations", code.value):
                found.append(code)
        return found

    def flights(self, text: str) -> list[mentions.Found]:
        """Return the flight numbers a text names; a reservation id of that form is none."""
        return [f for f in mentions.flights(text) if self.record("reservations", f.value) is None]

    def trips(self, user_id: str) -> list[dict[str, JSON]]:
        """Return a customer's reservations."""
        user = self.record("users", user_id)
        ids = user.get("reservations", []) if user else []
        return [record for i in ids if (record := self.record("reservations", i)) is not None]

    # Goods

    @cached_property
    def _items(self) -> dict[str, tuple[str, dict[str, JSON]]]:
        return {
            item_id: (str(product["name"]), item)
            for product in self.rows("products")
            for item_id, item in product["variants"].items()
        }

    def item(self, item_id: str) -> str:
        """Say an item with its options and id."""
        found = self._items.get(item_id)
        if found is None:
            return f"item {item_id}"
        name, item = found
        options = ", ".join(str(value) for value in item["options"].values())
        return f"the {name} ({options}; item {item_id})" if options else f"the {name} (item {item_id})"

    def item_name(self, item_id: str) -> str:
        """Return the name of an item's product in lower case, or nothing."""
        return self._items[item_id][0].lower() if item_id in self._items else ""

    def variants(self, item_id: str) -> list[str]:
        """Return the other available variants of an item's product."""
        for product in self.rows("products"):
            if item_id in product["variants"]:
                return [key for key, item in product["variants"].items() if item["available"] and key != item_id]
        return []
