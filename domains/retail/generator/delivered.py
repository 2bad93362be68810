"""Tasks about goods that have arrived: returning and exchanging them."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Step, Wish
from domains.generating import Dice
from domains.retail.generator.world import (
    Choice,
    Record,
    World,
    add_up,
    because,
    by_email,
    by_name,
    cancel,
    extra,
    give_back,
    goods,
    known_number,
    look_at,
    look_up,
    money,
    new_items,
    pay_with,
    payer,
    refund_to,
    refused,
    same_but,
    search_for,
    size,
    swap,
    tellable,
    these_items,
    this_order,
    unknown_number,
)

EXCHANGE = "exchange_delivered_order_items"


def return_one(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(2, 5)):
        item = dice.pick(order["items"])
        if not world.words(user, payer(order)) or not tellable(item["price"]):
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "Return one item to the original payment method and name the refund.",
            facts,
            (
                Wish(
                    f"@I want to return {goods([item])} from @my order. How much will be refunded?",
                    steps=(*look_up(user, facts, order), give_back(order, [item], payer(order))),
                    details=(these_items([item]), refund_to(world, user, payer(order))),
                    answers=(money(item["price"]),),
                ),
            ),
            user["user_id"],
        )


def return_to_gift_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(3, 5), world.known_by_goods):
        cards = [card for card in world.methods(user, "gift_card") if card["id"] != payer(order)]
        items = dice.sample(order["items"], 2)
        amounts = [item["price"] for item in items]
        if not cards or not tellable(sum(amounts)):
            continue
        facts = (*by_name(user), *unknown_number(order))
        yield Draft(
            "Find an order by its goods and refund two of its items to a gift card.",
            facts,
            (
                Wish(
                    f"@I want to send back {goods(items)}, which @i bought together. How much is that in all?",
                    steps=(
                        *search_for(world, user, facts, order),
                        give_back(order, items, cards[0]["id"]),
                        add_up(*amounts),
                    ),
                    details=(these_items(items), refund_to(world, user, cards[0]["id"])),
                    answers=(money(sum(amounts)),),
                ),
            ),
            user["user_id"],
        )


def return_to_another_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 3)):
        wrong = [m for m in world.methods(user) if m["source"] != "gift_card" and m["id"] != payer(order)]
        if not wrong or not world.words(user, payer(order)):
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A refund goes to the original method or a gift card, nowhere else.",
            facts,
            (
                refused(
                    f"@I want to return {goods(order['items'])} and get the money in another way than @i paid.",
                    these_items(order["items"]),
                    refund_to(world, user, wrong[0]["id"]),
                    steps=look_up(user, facts, order),
                ),
                Wish(
                    f"If so, return {goods(order['items'])} and refund it to where the payment came from.",
                    steps=(give_back(order, order["items"], payer(order)),),
                    details=(these_items(order["items"]), refund_to(world, user, payer(order))),
                ),
            ),
            user["user_id"],
        )


def return_before_delivery(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        if not world.words(user, payer(order)):
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A pending order cannot be returned, but it can be cancelled.",
            facts,
            (
                refused(
                    f"@I want to return {goods(order['items'])}.",
                    these_items(order["items"]),
                    refund_to(world, user, payer(order)),
                    steps=look_up(user, facts, order),
                ),
                Wish(
                    "If it has not been delivered yet, cancel the order.",
                    steps=(cancel(order, "no longer needed"),),
                    details=(because("no longer needed"),),
                ),
            ),
            user["user_id"],
        )


def cancel_after_delivery(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 3)):
        if not world.words(user, payer(order)):
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A delivered order cannot be cancelled, but everything in it can be returned.",
            facts,
            (
                refused(
                    f"@I want to cancel @my order with {goods(order['items'])}.",
                    because("ordered by mistake"),
                    steps=look_up(user, facts, order),
                ),
                Wish(
                    "If it is too late for that, @i want to return everything in the order.",
                    steps=(give_back(order, order["items"], payer(order)),),
                    details=(these_items(order["items"]), refund_to(world, user, payer(order))),
                ),
            ),
            user["user_id"],
        )


def return_from_two_orders(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        orders = [o for o in world.own(user, "delivered") if world.known_by_goods(o)][:2]
        if len(orders) < 2 or not all(world.words(user, payer(order)) for order in orders):
            continue
        first, second = ([dice.pick(order["items"])] for order in orders)
        amounts = [first[0]["price"], second[0]["price"]]
        if not tellable(sum(amounts)):
            continue
        facts = (*by_name(user), *unknown_number(*orders))
        yield Draft(
            "Two returns from two orders, each refunded to the method that paid for it.",
            facts,
            (
                Wish(
                    f"@I want to return {goods(first)}.",
                    steps=(
                        *search_for(world, user, facts, orders[0]),
                        give_back(orders[0], first, payer(orders[0])),
                    ),
                    details=(these_items(first), refund_to(world, user, payer(orders[0]))),
                ),
                Wish(
                    f"@I also want to return {goods(second)}. What do both refunds come to?",
                    steps=(
                        *search_for(world, user, facts, orders[1]),
                        give_back(orders[1], second, payer(orders[1])),
                        add_up(*amounts),
                    ),
                    details=(these_items(second), refund_to(world, user, payer(orders[1]))),
                    answers=(money(sum(amounts)),),
                ),
            ),
            user["user_id"],
        )


def exchange_one(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods or not tellable(extra([choice])):
                continue
            method = dice.pick(methods)["id"]
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "Exchange one item for another variant and name the difference.",
                facts,
                (
                    _exchange(
                        world,
                        f"@I want to exchange {goods([choice[0]])} for {same_but(choice)}. What is the difference in "
                        "price?",
                        user,
                        order,
                        [choice],
                        method,
                        look_up(user, facts, order),
                        answers=(money(extra([choice])),),
                    ),
                ),
                user["user_id"],
            )


def exchange_two(world: World, dice: Dice) -> Iterator[Draft]:
    """Both items in one call, because an order is exchanged once."""
    for user, order in world.purchases(dice, "delivered", size(2, 5), world.known_by_goods):
        choices = _of_two_items(world.choices(dice, order))
        methods = world.able(user, extra(choices))
        if len(choices) < 2 or not methods or not tellable(extra(choices)) or len(world.own(user)) < 2:
            continue
        method = dice.pick(methods)["id"]
        facts = (*by_name(user), *unknown_number(order))
        yield Draft(
            "Exchange two items of one order together and name the difference.",
            facts,
            (
                _exchange(
                    world,
                    f"@I want to exchange {goods(choice[0] for choice in choices)}, which came in one order. For the "
                    f"first @i want {same_but(choices[0])}, and for the second {same_but(choices[1])}. What is the "
                    "difference for both together?",
                    user,
                    order,
                    choices,
                    method,
                    search_for(world, user, facts, order),
                    answers=(money(extra(choices)),),
                ),
            ),
            user["user_id"],
        )


def exchange_beyond_gift_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered"):
        choices = sorted(world.choices(dice, order), key=lambda choice: -extra([choice]))[:1]
        cards, others = world.short(user, extra(choices)), world.able(user, extra(choices))
        if not choices or not cards or not others:
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A gift card has to cover the difference; otherwise another method pays for the exchange.",
            facts,
            (
                refused(
                    f"@I want to exchange {goods([choices[0][0]])} for {same_but(choices[0])} and pay the difference "
                    "by gift card.",
                    these_items([choices[0][0]]),
                    pay_with(world, user, cards[0]["id"]),
                    steps=(*look_up(user, facts, order), *look_at(choices[0][0])),
                ),
                _exchange(
                    world,
                    "If the gift card does not cover it, make the same exchange and use another method.",
                    user,
                    order,
                    choices,
                    others[0]["id"],
                    (),
                ),
            ),
            user["user_id"],
        )


def exchange_for_dearest(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 3)):
        item = dice.pick(order["items"])
        offers = sorted(world.on_sale(item), key=lambda variant: -float(variant["price"]))
        if len(offers) < 2 or offers[0]["price"] == offers[1]["price"] or offers[0]["item_id"] == item["item_id"]:
            continue
        choice: Choice = (item, "", "", offers[0])
        methods = world.able(user, extra([choice]))
        if extra([choice]) < 5 or not methods or not tellable(extra([choice])):
            continue
        method = dice.pick(methods)["id"]
        facts = (*by_email(user), *known_number(order))
        best = f"@I want the most expensive {item['name'].lower()} that is available."
        yield Draft(
            "Exchange an item for the dearest variant in stock.",
            facts,
            (
                Wish(
                    f"@I want to exchange {goods([item])} for the most expensive one that is available, whatever its "
                    "options. How much more is it?",
                    steps=(*look_up(user, facts, order), *look_at(item), swap(EXCHANGE, order, [choice], method)),
                    details=(
                        these_items([item]),
                        Fact("new_item_ids", [offers[0]["item_id"]], best),
                        pay_with(world, user, method),
                    ),
                    answers=(money(extra([choice])),),
                ),
            ),
            user["user_id"],
        )


def exchange_then_return(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(2, 4)):
        for choice in world.choices(dice, order)[:1]:
            rest = [item for item in order["items"] if item is not choice[0]][:1]
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "An order that has been exchanged cannot be returned as well.",
                facts,
                (
                    _exchange(
                        world,
                        f"@I want to exchange {goods([choice[0]])} for {same_but(choice)}.",
                        user,
                        order,
                        [choice],
                        dice.pick(methods)["id"],
                        look_up(user, facts, order),
                    ),
                    Wish(
                        f"Now that this is done: @i want to return {goods(rest)} from the same order, too.",
                        details=(this_order(order), these_items(rest)),
                        refused=True,
                        conceal=True,
                    ),
                ),
                user["user_id"],
            )


def _exchange(
    world: World,
    text: str,
    user: Record,
    order: Record,
    choices: list[Choice],
    method: str,
    steps: tuple[Step, ...],
    answers: tuple[str, ...] = (),
) -> Wish:
    items = [choice[0] for choice in choices]
    return Wish(
        text,
        steps=(*steps, *look_at(*items), swap(EXCHANGE, order, choices, method)),
        details=(these_items(items), new_items(choices), pay_with(world, user, method)),
        answers=answers,
    )


def _of_two_items(choices: list[Choice]) -> list[Choice]:
    first = choices[:1]
    return first + [choice for choice in choices if first and choice[0] is not first[0][0]][:1]
