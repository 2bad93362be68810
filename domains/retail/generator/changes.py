"""Tasks about changing orders that have not been sent: their goods, payment or address."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice, invent_address
from domains.retail.generator.wishes import cancel_wish, draft, refused, swap_wish
from domains.retail.generator.world import (
    World,
    because,
    charge,
    extra,
    goods,
    look_at,
    look_up,
    money,
    move_home,
    move_order,
    new_address,
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
    total,
    unprepared,
)


def send_elsewhere(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        address = invent_address(dice)
        facts = prepared(user, order)
        yield draft(
            "Send a pending order to another address; the profile keeps the old one.",
            user,
            facts,
            Wish(
                f"@My order with {goods(order['items'])} should go to another address. @My profile should stay as "
                "it is.",
                steps=(*look_up(user, facts, order), move_order(order, address)),
                details=new_address(address),
            ),
        )


def moved_house(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        pending = world.own(user, "pending")
        if len(pending) != 1 or len(world.own(user)) < 2:
            continue
        address = invent_address(dice)
        facts = unprepared(user, *pending)
        yield draft(
            "Change the default address and that of the one order that is still pending.",
            user,
            facts,
            Wish(
                "@I have moved. Please change the address in @my profile.",
                steps=(*look_up(user, facts), move_home(user, address)),
                details=new_address(address),
            ),
            Wish(
                "And please send @my order that is still pending to the same new address.",
                steps=(*look_up(user, facts, *world.own(user)), move_order(pending[0], address)),
                details=new_address(address),
            ),
        )


def pay_otherwise(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        others = [m for m in world.able(user, total(order)) if m["id"] != payer(order)]
        if not others or not world.words(user, payer(order)) or not tellable(total(order)):
            continue
        method = dice.pick(others)["id"]
        facts = prepared(user, order)
        yield draft(
            "Move the payment of a pending order to another method.",
            user,
            facts,
            Wish(
                f"@I paid for the order with {goods(order['items'])} in the wrong way and want to pay differently. "
                "Which amount is moved?",
                steps=(*look_up(user, facts, order), charge(order, method)),
                details=(pay_with(world, user, method),),
                answers=(money(total(order)),),
            ),
        )


def gift_card_too_small(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        cards = [m for m in world.short(user, total(order)) if m["id"] != payer(order)]
        others = [m for m in world.able(user, total(order)) if m["id"] != payer(order)]
        if not cards or not others:
            continue
        facts = prepared(user, order)
        yield draft(
            "A gift card has to cover the whole order; another method has to do.",
            user,
            facts,
            refused(
                f"@I want to pay for @my order with {goods(order['items'])} by gift card instead.",
                pay_with(world, user, cards[0]["id"]),
                steps=look_up(user, facts, order),
            ),
            Wish(
                "If that does not work, move the payment of the order to another method all the same.",
                steps=(charge(order, others[0]["id"]),),
                details=(pay_with(world, user, others[0]["id"]),),
            ),
        )


def other_variant(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 5)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods or not tellable(extra([choice])):
                continue
            method = dice.pick(methods)["id"]
            facts = prepared(user, order)
            yield draft(
                "Replace one item of a pending order by another variant and name the difference.",
                user,
                facts,
                swap_wish(
                    f"In @my order, @i want to change {goods([choice[0]])}: @i want {same_but(choice)}. What is "
                    "the difference in price?",
                    look_up(user, facts, order),
                    world,
                    order,
                    [choice],
                    method,
                    asked=(extra([choice]),),
                ),
            )


def cheapest_variant(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", world.known_by_goods):
        item = dice.pick(order["items"])
        offers = sorted(world.on_sale(item), key=lambda variant: float(variant["price"]))
        saved = item["price"] - offers[0]["price"]
        if len(offers) < 2 or offers[0]["price"] == offers[1]["price"] or offers[0]["item_id"] == item["item_id"]:
            continue
        methods = world.methods(user)
        if not methods or len(world.own(user)) < 2 or saved < 10 or not tellable(saved):
            continue
        method = dice.pick(methods)["id"]
        facts = unprepared(user, order)
        cheapest = f"@I want the cheapest {item['name'].lower()} that is available."
        yield draft(
            "Find the cheapest variant in stock and refund the difference.",
            user,
            facts,
            Wish(
                f"@I have not received {goods([item])} yet and want to spend less on it: please change it for the "
                "cheapest one that is available, whatever its options. How much do @i save?",
                steps=(
                    *search_for(world, user, facts, order),
                    *look_at(item),
                    swap(order, [(item, "", "", offers[0])], method),
                ),
                details=(
                    these_items([item]),
                    Fact("new_item_ids", [offers[0]["item_id"]], cheapest),
                    refund_to(world, user, method),
                ),
                answers=(money(saved),),
            ),
        )


def second_choice(world: World, dice: Dice) -> Iterator[Draft]:
    """The first choice is sold out."""
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        for item in order["items"]:
            gone = list(world.others(item, available=False))
            there = [choice for choice in world.others(item) if gone and choice[1] == gone[0][1]]
            if not there:
                continue
            methods = world.able(user, extra(there[:1]))
            if not methods:
                continue
            _, option, value, _ = gone[0]
            method = dice.pick(methods)["id"]
            facts = prepared(user, order)
            yield draft(
                "The wanted variant is sold out, so the second choice counts.",
                user,
                facts,
                Wish(
                    f"@I want to change the {option} of {goods([item])} in @my order to {value}; everything else "
                    f"should stay. If that one is sold out, @i take {there[0][2]} as {option}.",
                    steps=(
                        *look_up(user, facts, order),
                        *look_at(item),
                        swap(order, there[:1], method),
                    ),
                    details=(
                        these_items([item]),
                        Fact(
                            "new_item_ids",
                            [there[0][3]["item_id"]],
                            f"{value.capitalize()} would be best, but if it is sold out, @i take {there[0][2]}.",
                        ),
                        pay_with(world, user, method),
                    ),
                ),
            )
            break


def other_product(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        item = dice.pick(order["items"])
        wanted = dice.pick([p["name"] for p in world.products.values() if p["product_id"] != item["product_id"]])
        facts = prepared(user, order)
        yield draft(
            "An item cannot become a different product; the customer cancels instead.",
            user,
            facts,
            refused(
                f"@I want to change {goods([item])} in @my order for a {wanted.lower()}.",
                these_items([item]),
                steps=look_up(user, facts, order),
            ),
            cancel_wish("If that is impossible, cancel the whole order.", (), order, "ordered by mistake"),
        )


def without_one_item(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 4)):
        item = dice.pick(order["items"])
        facts = prepared(user, order)
        yield draft(
            "No single item can be taken out of a pending order, and the customer keeps the order.",
            user,
            facts,
            refused(
                f"@I want to take {goods([item])} out of @my order and keep the rest. @I do not want to cancel the "
                "whole order.",
                these_items([item]),
                steps=look_up(user, facts, order),
            ),
        )


def address_then_item(world: World, dice: Dice) -> Iterator[Draft]:
    """The items come last: afterwards nothing more can be done with the order."""
    for user, order in world.purchases(dice, "pending", size(2, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            address, method = invent_address(dice), dice.pick(methods)["id"]
            facts = prepared(user, order)
            yield draft(
                "Change the address of an order first and its item last.",
                user,
                facts,
                Wish(
                    f"@My order with {goods(order['items'])} has to go to another address.",
                    steps=(*look_up(user, facts, order), move_order(order, address)),
                    details=new_address(address),
                ),
                swap_wish(
                    f"Then @i want to change {goods([choice[0]])} in that order for {same_but(choice)}.",
                    (),
                    world,
                    order,
                    [choice],
                    method,
                ),
            )


def changed_then_cancelled(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            method = dice.pick(methods)["id"]
            facts = prepared(user, order)
            yield draft(
                "Once its items have been changed, an order cannot be cancelled.",
                user,
                facts,
                swap_wish(
                    f"@I want to change {goods([choice[0]])} in @my order: @i want {same_but(choice)}.",
                    look_up(user, facts, order),
                    world,
                    order,
                    [choice],
                    method,
                ),
                Wish(
                    "On second thoughts, @i would rather cancel that order completely.",
                    details=(this_order(order), because("no longer needed")),
                    refused=True,
                    conceal=True,
                ),
            )
