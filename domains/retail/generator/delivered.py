"""Tasks about goods that have arrived: returning and exchanging them."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice
from domains.retail.generator.wishes import cancel_wish, draft, refused, return_wish, swap_wish
from domains.retail.generator.world import (
    Choice,
    World,
    because,
    extra,
    goods,
    look_at,
    look_up,
    money,
    pay_with,
    payer,
    prepared,
    refund_to,
    same_but,
    search_for,
    size,
    swap,
    tellable,
    these_items,
    this_order,
    unprepared,
)


def return_one(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(2, 5)):
        item = dice.pick(order["items"])
        if not world.words(user, payer(order)) or not tellable(item["price"]):
            continue
        facts = prepared(user, order)
        yield draft(
            "Return one item to the original payment method and name the refund.",
            user,
            facts,
            return_wish(
                f"@I want to return {goods([item])} from @my order. How much will be refunded?",
                look_up(user, facts, order),
                world,
                order,
                [item],
                payer(order),
                asked=(item["price"],),
            ),
        )


def return_to_gift_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(3, 5), world.known_by_goods):
        cards = [card for card in world.methods(user, "gift_card") if card["id"] != payer(order)]
        items = dice.sample(order["items"], 2)
        amounts = [item["price"] for item in items]
        if not cards or not tellable(sum(amounts)):
            continue
        facts = unprepared(user, order)
        yield draft(
            "Find an order by its goods and refund two of its items to a gift card.",
            user,
            facts,
            return_wish(
                f"@I want to send back {goods(items)}, which @i bought together. How much is that in all?",
                search_for(world, user, facts, order),
                world,
                order,
                items,
                cards[0]["id"],
                asked=amounts,
            ),
        )


def return_to_another_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 3)):
        wrong = [m for m in world.methods(user) if m["source"] != "gift_card" and m["id"] != payer(order)]
        if not wrong or not world.words(user, payer(order)):
            continue
        facts = prepared(user, order)
        yield draft(
            "A refund goes to the original method or a gift card, nowhere else.",
            user,
            facts,
            refused(
                f"@I want to return {goods(order['items'])} and get the money in another way than @i paid.",
                these_items(order["items"]),
                refund_to(world, user, wrong[0]["id"]),
                steps=look_up(user, facts, order),
            ),
            return_wish(
                f"If so, return {goods(order['items'])} and refund it to where the payment came from.",
                (),
                world,
                order,
                order["items"],
                payer(order),
            ),
        )


def return_before_delivery(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        if not world.words(user, payer(order)):
            continue
        facts = prepared(user, order)
        yield draft(
            "A pending order cannot be returned, but it can be cancelled.",
            user,
            facts,
            refused(
                f"@I want to return {goods(order['items'])}.",
                these_items(order["items"]),
                refund_to(world, user, payer(order)),
                steps=look_up(user, facts, order),
            ),
            cancel_wish("If it has not been delivered yet, cancel the order.", (), order, "no longer needed"),
        )


def cancel_after_delivery(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 3)):
        if not world.words(user, payer(order)):
            continue
        facts = prepared(user, order)
        yield draft(
            "A delivered order cannot be cancelled, but everything in it can be returned.",
            user,
            facts,
            refused(
                f"@I want to cancel @my order with {goods(order['items'])}.",
                because("ordered by mistake"),
                steps=look_up(user, facts, order),
            ),
            return_wish(
                "If it is too late for that, @i want to return everything in the order.",
                (),
                world,
                order,
                order["items"],
                payer(order),
            ),
        )


def return_from_two_orders(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        orders = world.nameable(user, "delivered")[:2]
        if len(orders) < 2 or not all(world.words(user, payer(order)) for order in orders):
            continue
        first, second = ([dice.pick(order["items"])] for order in orders)
        amounts = [first[0]["price"], second[0]["price"]]
        if not tellable(sum(amounts)):
            continue
        facts = unprepared(user, *orders)
        yield draft(
            "Two returns from two orders, each refunded to the method that paid for it.",
            user,
            facts,
            return_wish(
                f"@I want to return {goods(first)}.",
                search_for(world, user, facts, orders[0]),
                world,
                orders[0],
                first,
                payer(orders[0]),
            ),
            return_wish(
                f"@I also want to return {goods(second)}. What do both refunds come to?",
                search_for(world, user, facts, orders[1]),
                world,
                orders[1],
                second,
                payer(orders[1]),
                asked=amounts,
            ),
        )


def exchange_one(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(1, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods or not tellable(extra([choice])):
                continue
            method = dice.pick(methods)["id"]
            facts = prepared(user, order)
            yield draft(
                "Exchange one item for another variant and name the difference.",
                user,
                facts,
                swap_wish(
                    f"@I want to exchange {goods([choice[0]])} for {same_but(choice)}. What is the difference in "
                    "price?",
                    look_up(user, facts, order),
                    world,
                    order,
                    [choice],
                    method,
                    asked=(extra([choice]),),
                ),
            )


def exchange_two(world: World, dice: Dice) -> Iterator[Draft]:
    """Both items in one call, because an order is exchanged once."""
    for user, order in world.purchases(dice, "delivered", size(2, 5), world.known_by_goods):
        choices = _of_two_items(world.choices(dice, order))
        methods = world.able(user, extra(choices))
        if len(choices) < 2 or not methods or not tellable(extra(choices)) or len(world.own(user)) < 2:
            continue
        method = dice.pick(methods)["id"]
        facts = unprepared(user, order)
        yield draft(
            "Exchange two items of one order together and name the difference.",
            user,
            facts,
            swap_wish(
                f"@I want to exchange {goods(choice[0] for choice in choices)}, which came in one order. For the "
                f"first @i want {same_but(choices[0])}, and for the second {same_but(choices[1])}. What is the "
                "difference for both together?",
                search_for(world, user, facts, order),
                world,
                order,
                choices,
                method,
                asked=(extra(choices),),
            ),
        )


def exchange_beyond_gift_card(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered"):
        choices = sorted(world.choices(dice, order), key=lambda choice: -extra([choice]))[:1]
        cards, others = world.short(user, extra(choices)), world.able(user, extra(choices))
        if not choices or not cards or not others:
            continue
        facts = prepared(user, order)
        yield draft(
            "A gift card has to cover the difference; otherwise another method pays for the exchange.",
            user,
            facts,
            refused(
                f"@I want to exchange {goods([choices[0][0]])} for {same_but(choices[0])} and pay the difference "
                "by gift card.",
                these_items([choices[0][0]]),
                pay_with(world, user, cards[0]["id"]),
                steps=(*look_up(user, facts, order), *look_at(choices[0][0])),
            ),
            swap_wish(
                "If the gift card does not cover it, make the same exchange and use another method.",
                (),
                world,
                order,
                choices,
                others[0]["id"],
            ),
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
        facts = prepared(user, order)
        best = f"@I want the most expensive {item['name'].lower()} that is available."
        yield draft(
            "Exchange an item for the dearest variant in stock.",
            user,
            facts,
            Wish(
                f"@I want to exchange {goods([item])} for the most expensive one that is available, whatever its "
                "options. How much more is it?",
                steps=(*look_up(user, facts, order), *look_at(item), swap(order, [choice], method)),
                details=(
                    these_items([item]),
                    Fact("new_item_ids", [offers[0]["item_id"]], best),
                    pay_with(world, user, method),
                ),
                answers=(money(extra([choice])),),
            ),
        )


def exchange_then_return(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(2, 4)):
        for choice in world.choices(dice, order)[:1]:
            rest = [item for item in order["items"] if item is not choice[0]][:1]
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            facts = prepared(user, order)
            yield draft(
                "An order that has been exchanged cannot be returned as well.",
                user,
                facts,
                swap_wish(
                    f"@I want to exchange {goods([choice[0]])} for {same_but(choice)}.",
                    look_up(user, facts, order),
                    world,
                    order,
                    [choice],
                    dice.pick(methods)["id"],
                ),
                Wish(
                    f"Now that this is done: @i want to return {goods(rest)} from the same order, too.",
                    details=(this_order(order), these_items(rest)),
                    refused=True,
                    conceal=True,
                ),
            )


def _of_two_items(choices: list[Choice]) -> list[Choice]:
    first = choices[:1]
    return first + [choice for choice in choices if first and choice[0] is not first[0][0]][:1]
