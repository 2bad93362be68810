"""What a template may ask about the finished database, and the words, facts and steps that many tasks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from domains.drafting import Fact, Step
from domains.generating import Dice
from domains.retail.generator.database import Database

Record = dict[str, Any]
Choice = tuple[Record, str, str, Record]
"""An item of an order, the option that changes, its new value, and the variant that has it."""


class World:
    def __init__(self, database: Database) -> None:
        self.products = database["products"]
        self.users = database["users"]
        self.orders = database["orders"]

    # Who and what

    def customers(self, dice: Dice) -> Iterator[Record]:
        yield from dice.shuffled([user for user in self.users.values() if user["orders"]])

    def purchases(self, dice: Dice, status: str, *conditions: Callable[[Record], bool]) -> Iterator[tuple[Record, Any]]:
        """User and order, in seeded order, for every order of that status whose items have different names."""
        for order in dice.shuffled(list(self.orders.values())):
            if order["status"] == status and distinct(order) and all(condition(order) for condition in conditions):
                yield self.users[order["user_id"]], order

    def own(self, user: Record, status: str = "") -> list[Record]:
        orders = [self.orders[order_id] for order_id in user["orders"]]
        return [order for order in orders if status in ("", order["status"])]

    def recognisable(self, item: Record, user: Record) -> bool:
        """The customer has bought this kind of product once."""
        bought = [other["name"] for order in self.own(user) for other in order["items"]]
        return bought.count(item["name"]) == 1

    def known_by_goods(self, order: Record) -> bool:
        """Everything in the order is the customer's only one of its kind."""
        return all(self.recognisable(item, self.users[order["user_id"]]) for item in order["items"])

    def nameable(self, user: Record, status: str = "") -> list[Record]:
        """Own orders that the customer can name by what is in them."""
        return [order for order in self.own(user, status) if self.known_by_goods(order)]

    # Variants

    def variants(self, item: Record) -> list[Record]:
        return list(self.products[item["product_id"]]["variants"].values())

    def on_sale(self, item: Record) -> list[Record]:
        return [variant for variant in self.variants(item) if variant["available"]]

    def others(self, item: Record, *, available: bool = True) -> Iterator[Choice]:
        """Variants that differ from an item in a single option."""
        for variant in self.variants(item):
            changed = [name for name, value in variant["options"].items() if item["options"][name] != value]
            if len(changed) == 1 and variant["available"] is available:
                yield item, changed[0], variant["options"][changed[0]], variant

    def choices(self, dice: Dice, order: Record) -> list[Choice]:
        return dice.shuffled([choice for item in order["items"] for choice in self.others(item)])

    # Paying

    def words(self, user: Record, method_id: str) -> str | None:
        """How the customer speaks of a payment method; None if the words would fit another one too."""
        texts = {identity: _method_text(method) for identity, method in user["payment_methods"].items()}
        text = texts[method_id]
        return text if list(texts.values()).count(text) == 1 else None

    def methods(self, user: Record, source: str = "") -> list[Record]:
        found = [method for method in user["payment_methods"].values() if source in ("", method["source"])]
        return [method for method in found if self.words(user, method["id"])]

    def able(self, user: Record, amount: float) -> list[Record]:
        """Methods that can take a charge, or a refund where the amount is negative."""
        return [m for m in self.methods(user) if m["source"] != "gift_card" or m["balance"] >= amount]

    def short(self, user: Record, amount: float) -> list[Record]:
        return [m for m in self.methods(user, "gift_card") if m["balance"] < amount]


def _method_text(method: Record) -> str:
    match method["source"]:
        case "credit_card":
            return f"@my {'Visa' if method['brand'] == 'visa' else 'Mastercard'} ending in {method['last_four']}"
        case "gift_card":
            return f"@my gift card with {method['balance']:.0f} dollars on it"
        case _:
            return "@my PayPal account"


def distinct(order: Record) -> bool:
    names = [item["name"] for item in order["items"]]
    return len(set(names)) == len(names)


def size(low: int, high: int) -> Callable[[Record], bool]:
    return lambda order: low <= len(order["items"]) <= high


def payer(order: Record) -> str:
    return str(order["payment_history"][0]["payment_method_id"])


def total(order: Record) -> float:
    return float(order["payment_history"][0]["amount"])


def extra(choices: Iterable[Choice]) -> float:
    """What the new variants cost more than what was paid for the items."""
    return round(float(sum(variant["price"] - item["price"] for item, _, _, variant in choices)), 2)


# Words


def goods(items: Iterable[Record]) -> str:
    names = [f"the {item['name'].lower()}" for item in items]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def same_but(choice: Choice) -> str:
    _, option, value, _ = choice
    return f"one that is the same except for the {option}, which should be {value}"


def money(amount: float) -> str:
    return f"{abs(amount):.2f}"


def tellable(*amounts: float) -> bool:
    """An amount that is written in one way only, so that it can be looked for in what the agent says."""
    return all(len(money(amount)) >= 5 and not money(amount).endswith("0") for amount in amounts)


def address_text(address: Record) -> str:
    second = f"{address['address2']}, " if address["address2"] else ""
    return (
        f"{address['address1']}, {second}{address['city']}, {address['state']} {address['zip']}, {address['country']}"
    )


# Facts


def prepared(user: Record, order: Record) -> tuple[Fact, ...]:
    """The customer has the email address and the order number at hand."""
    return (*by_email(user), *known_number(order))


def unprepared(user: Record, *orders: Record) -> tuple[Fact, ...]:
    """The customer has neither."""
    return (*by_name(user), *unknown_number(*orders))


def by_email(user: Record) -> tuple[Fact, ...]:
    return (
        Fact("email", user["email"], f"@My email address is {user['email']}."),
        *_name(user),
        Fact("zip", user["address"]["zip"], f"@My zip code is {user['address']['zip']}."),
        Fact("user_id", None, "@I do not know @my user id."),
    )


def by_name(user: Record) -> tuple[Fact, ...]:
    """The customer has forgotten the email address of the account."""
    return (
        *_name(user),
        Fact("zip", user["address"]["zip"], f"@My zip code is {user['address']['zip']}."),
        Fact("email", None, "@I do not remember which email address @i used."),
        Fact("user_id", None, "@I do not know @my user id."),
    )


def _name(user: Record) -> tuple[Fact, ...]:
    first, last = user["name"]["first_name"], user["name"]["last_name"]
    text = f"@My name is {first} {last}."
    return Fact("name", f"{first} {last}", text), Fact("first_name", first, text), Fact("last_name", last, text)


def known_number(order: Record) -> tuple[Fact, ...]:
    return (Fact("order_id", order["order_id"], f"@My order number is {order['order_id']}."),)


def unknown_number(*orders: Record) -> tuple[Fact, ...]:
    plural = "numbers" if len(orders) > 1 else "number"
    return (Fact("order_id", None, f"@I do not have the order {plural} at hand."),)


# Details


def this_order(order: Record) -> Fact:
    return Fact("order_id", order["order_id"], f"It is order {order['order_id']}.")


def these_items(items: Iterable[Record]) -> Fact:
    items = list(items)
    return Fact("item_ids", [item["item_id"] for item in items], f"It is about {goods(items)}.")


def new_items(choices: Iterable[Choice]) -> Fact:
    choices = list(choices)
    if len(choices) == 1:
        text = f"@I want {same_but(choices[0])}."
    else:
        parts = [f"{goods([choice[0]])} @i want {same_but(choice)}" for choice in choices]
        text = f"Instead of {'; instead of '.join(parts)}."
    return Fact("new_item_ids", [variant["item_id"] for _, _, _, variant in choices], text)


def pay_with(world: World, user: Record, method_id: str) -> Fact:
    return Fact("payment_method_id", method_id, f"Use {world.words(user, method_id)} for it.")


def refund_to(world: World, user: Record, method_id: str) -> Fact:
    return Fact("payment_method_id", method_id, f"@I want the money back on {world.words(user, method_id)}.")


def because(reason: str) -> Fact:
    texts = {
        "no longer needed": "@I want to cancel because it is no longer needed.",
        "ordered by mistake": "@I want to cancel because it was ordered by mistake.",
    }
    return Fact("reason", reason, texts[reason])


def new_address(address: Record) -> tuple[Fact, ...]:
    """One sentence for the six arguments."""
    text = f"The new address is {address_text(address)}."
    return tuple(Fact(name, value, text) for name, value in address.items())


# Steps


def find(user: Record, facts: tuple[Fact, ...]) -> Step:
    """Identify the customer by what the customer knows."""
    if any(fact.name == "email" and fact.value for fact in facts):
        return Step("find_user_id_by_email", {"email": user["email"]})
    return Step("find_user_id_by_name_zip", {**user["name"], "zip": user["address"]["zip"]})


def look_up(user: Record, facts: tuple[Fact, ...], *orders: Record) -> tuple[Step, ...]:
    """Identify the customer, open the profile and the orders."""
    return (
        find(user, facts),
        Step("get_user_details", {"user_id": user["user_id"]}),
        *(Step("get_order_details", {"order_id": order["order_id"]}) for order in orders),
    )


def search_for(world: World, user: Record, facts: tuple[Fact, ...], *wanted: Record) -> tuple[Step, ...]:
    """Open one order after the other until all that are wanted have been seen."""
    own = world.own(user)
    last = max(own.index(order) for order in wanted)
    return look_up(user, facts, *own[: last + 1])


def look_at(*items: Record) -> tuple[Step, ...]:
    return tuple(Step("get_product_details", {"product_id": item["product_id"]}) for item in items)


def add_up(*amounts: float) -> Step:
    return Step("calculate", {"expression": " + ".join(f"{amount:.2f}" for amount in amounts)})


# Writes


def cancel(order: Record, reason: str) -> Step:
    return Step("cancel_pending_order", {"order_id": order["order_id"], "reason": reason})


def move_order(order: Record, address: Record) -> Step:
    return Step("modify_pending_order_address", {"order_id": order["order_id"], **address})


def move_home(user: Record, address: Record) -> Step:
    return Step("modify_user_address", {"user_id": user["user_id"], **address})


def charge(order: Record, method_id: str) -> Step:
    return Step("modify_pending_order_payment", {"order_id": order["order_id"], "payment_method_id": method_id})


def swap(order: Record, choices: Iterable[Choice], method_id: str) -> Step:
    """Change items of an order that has not been sent, exchange them in one that has arrived."""
    choices = list(choices)
    return Step(
        "modify_pending_order_items" if order["status"] == "pending" else "exchange_delivered_order_items",
        {
            "order_id": order["order_id"],
            "item_ids": [item["item_id"] for item, _, _, _ in choices],
            "new_item_ids": [variant["item_id"] for _, _, _, variant in choices],
            "payment_method_id": method_id,
        },
    )


def give_back(order: Record, items: Iterable[Record], method_id: str) -> Step:
    return Step(
        "return_delivered_order_items",
        {
            "order_id": order["order_id"],
            "item_ids": [item["item_id"] for item in items],
            "payment_method_id": method_id,
        },
    )
