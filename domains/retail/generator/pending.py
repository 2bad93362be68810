"""Tasks about orders that have not been sent: cancelling them, and changing goods, payment or address."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice, invent_address
from domains.retail.generator.world import (
    World,
    add_up,
    because,
    by_email,
    by_name,
    cancel,
    charge,
    extra,
    goods,
    known_number,
    look_at,
    look_up,
    money,
    move_home,
    move_order,
    new_address,
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
    total,
    unknown_number,
)

MODIFY = "modify_pending_order_items"


def cancel_by_number(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 5)):
        if not tellable(total(order)):
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "Cancel a pending order for a permitted reason and name the refund.",
            facts,
            (
                Wish(
                    f"@I want to cancel @my order with {goods(order['items'])}. How much do @i get back?",
                    steps=(*look_up(user, facts, order), cancel(order, "no longer needed")),
                    details=(because("no longer needed"),),
                    answers=(money(total(order)),),
                ),
            ),
            user["user_id"],
        )


def cancel_by_goods(world: World, dice: Dice) -> Iterator[Draft]:
    """Neither the order number nor the email address is known."""
    for user, order in world.purchases(dice, "pending", world.known_by_goods):
        if len(world.own(user)) < 2:
            continue
        facts = (*by_name(user), *unknown_number(order))
        yield Draft(
            "Find the order by what is in it, then cancel it.",
            facts,
            (
                Wish(
                    f"@I want to cancel the order in which @i bought {goods(order['items'])}.",
                    steps=(*search_for(world, user, facts, order), cancel(order, "ordered by mistake")),
                    details=(because("ordered by mistake"),),
                ),
            ),
            user["user_id"],
        )


def cancel_for_another_reason(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A better offer elsewhere is no reason to cancel.",
            facts,
            (
                refused(
                    f"@I want to cancel @my order with {goods(order['items'])}.",
                    Fact(
                        "reason", "cheaper elsewhere", "@I have found it cheaper in another shop; that is the reason."
                    ),
                    steps=look_up(user, facts, order),
                ),
            ),
            user["user_id"],
        )


def cancel_once_processed(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "processed", size(1, 3)):
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "An order in processing can no longer be cancelled.",
            facts,
            (
                refused(
                    f"@I want to cancel @my order with {goods(order['items'])}.",
                    because("no longer needed"),
                    steps=look_up(user, facts, order),
                ),
            ),
            user["user_id"],
        )


def cancel_all(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        pending = world.own(user, "pending")
        amounts = [total(order) for order in pending]
        if len(pending) != 2 or len(world.own(user)) < 3 or not tellable(sum(amounts)):
            continue
        facts = (*by_name(user), *unknown_number(*pending))
        yield Draft(
            "Cancel every pending order and add up the refunds.",
            facts,
            (
                Wish(
                    "@I want to cancel everything @i have ordered that has not been processed yet. How much comes back "
                    "altogether?",
                    steps=(
                        *look_up(user, facts, *world.own(user)),
                        *(cancel(order, "no longer needed") for order in pending),
                        add_up(*amounts),
                    ),
                    details=(because("no longer needed"),),
                    answers=(money(sum(amounts)),),
                ),
            ),
            user["user_id"],
        )


def send_elsewhere(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        address = invent_address(dice)
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "Send a pending order to another address; the profile keeps the old one.",
            facts,
            (
                Wish(
                    f"@My order with {goods(order['items'])} should go to another address. @My profile should stay as "
                    "it is.",
                    steps=(*look_up(user, facts, order), move_order(order, address)),
                    details=new_address(address),
                ),
            ),
            user["user_id"],
        )


def moved_house(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        pending = world.own(user, "pending")
        if len(pending) != 1 or len(world.own(user)) < 2:
            continue
        address = invent_address(dice)
        facts = (*by_name(user), *unknown_number(*pending))
        yield Draft(
            "Change the default address and that of the one order that is still pending.",
            facts,
            (
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
            ),
            user["user_id"],
        )


def pay_otherwise(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        others = [m for m in world.able(user, total(order)) if m["id"] != payer(order)]
        if not others or not world.words(user, payer(order)) or not tellable(total(order)):
            continue
        method = dice.pick(others)["id"]
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "Move the payment of a pending order to another method.",
            facts,
            (
                Wish(
                    f"@I paid for the order with {goods(order['items'])} in the wrong way and want to pay differently. "
                    "Which amount is moved?",
                    steps=(*look_up(user, facts, order), charge(order, method)),
                    details=(pay_with(world, user, method),),
                    answers=(money(total(order)),),
                ),
            ),
            user["user_id"],
        )


def gift_card_too_small(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        cards = [m for m in world.short(user, total(order)) if m["id"] != payer(order)]
        others = [m for m in world.able(user, total(order)) if m["id"] != payer(order)]
        if not cards or not others:
            continue
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "A gift card has to cover the whole order; another method has to do.",
            facts,
            (
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
            ),
            user["user_id"],
        )


def other_variant(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 5)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods or not tellable(extra([choice])):
                continue
            method = dice.pick(methods)["id"]
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "Replace one item of a pending order by another variant and name the difference.",
                facts,
                (
                    Wish(
                        f"In @my order, @i want to change {goods([choice[0]])}: @i want {same_but(choice)}. What is "
                        "the difference in price?",
                        steps=(
                            *look_up(user, facts, order),
                            *look_at(choice[0]),
                            swap(MODIFY, order, [choice], method),
                        ),
                        details=(these_items([choice[0]]), new_items([choice]), pay_with(world, user, method)),
                        answers=(money(extra([choice])),),
                    ),
                ),
                user["user_id"],
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
        facts = (*by_name(user), *unknown_number(order))
        cheapest = f"@I want the cheapest {item['name'].lower()} that is available."
        yield Draft(
            "Find the cheapest variant in stock and refund the difference.",
            facts,
            (
                Wish(
                    f"@I have not received {goods([item])} yet and want to spend less on it: please change it for the "
                    "cheapest one that is available, whatever its options. How much do @i save?",
                    steps=(
                        *search_for(world, user, facts, order),
                        *look_at(item),
                        swap(MODIFY, order, [(item, "", "", offers[0])], method),
                    ),
                    details=(
                        these_items([item]),
                        Fact("new_item_ids", [offers[0]["item_id"]], cheapest),
                        refund_to(world, user, method),
                    ),
                    answers=(money(saved),),
                ),
            ),
            user["user_id"],
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
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "The wanted variant is sold out, so the second choice counts.",
                facts,
                (
                    Wish(
                        f"@I want to change the {option} of {goods([item])} in @my order to {value}; everything else "
                        f"should stay. If that one is sold out, @i take {there[0][2]} as {option}.",
                        steps=(
                            *look_up(user, facts, order),
                            *look_at(item),
                            swap(MODIFY, order, there[:1], method),
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
                ),
                user["user_id"],
            )
            break


def other_product(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        item = dice.pick(order["items"])
        wanted = dice.pick([p["name"] for p in world.products.values() if p["product_id"] != item["product_id"]])
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "An item cannot become a different product; the customer cancels instead.",
            facts,
            (
                refused(
                    f"@I want to change {goods([item])} in @my order for a {wanted.lower()}.",
                    these_items([item]),
                    steps=look_up(user, facts, order),
                ),
                Wish(
                    "If that is impossible, cancel the whole order.",
                    steps=(cancel(order, "ordered by mistake"),),
                    details=(because("ordered by mistake"),),
                ),
            ),
            user["user_id"],
        )


def without_one_item(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 4)):
        item = dice.pick(order["items"])
        facts = (*by_email(user), *known_number(order))
        yield Draft(
            "No single item can be taken out of a pending order, and the customer keeps the order.",
            facts,
            (
                refused(
                    f"@I want to take {goods([item])} out of @my order and keep the rest. @I do not want to cancel the "
                    "whole order.",
                    these_items([item]),
                    steps=look_up(user, facts, order),
                ),
            ),
            user["user_id"],
        )


def address_then_item(world: World, dice: Dice) -> Iterator[Draft]:
    """The items come last: afterwards nothing more can be done with the order."""
    for user, order in world.purchases(dice, "pending", size(2, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            address, method = invent_address(dice), dice.pick(methods)["id"]
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "Change the address of an order first and its item last.",
                facts,
                (
                    Wish(
                        f"@My order with {goods(order['items'])} has to go to another address.",
                        steps=(*look_up(user, facts, order), move_order(order, address)),
                        details=new_address(address),
                    ),
                    Wish(
                        f"Then @i want to change {goods([choice[0]])} in that order for {same_but(choice)}.",
                        steps=(*look_at(choice[0]), swap(MODIFY, order, [choice], method)),
                        details=(these_items([choice[0]]), new_items([choice]), pay_with(world, user, method)),
                    ),
                ),
                user["user_id"],
            )


def changed_then_cancelled(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 4)):
        for choice in world.choices(dice, order)[:1]:
            methods = world.able(user, extra([choice]))
            if not methods:
                continue
            method = dice.pick(methods)["id"]
            facts = (*by_email(user), *known_number(order))
            yield Draft(
                "Once its items have been changed, an order cannot be cancelled.",
                facts,
                (
                    Wish(
                        f"@I want to change {goods([choice[0]])} in @my order: @i want {same_but(choice)}.",
                        steps=(
                            *look_up(user, facts, order),
                            *look_at(choice[0]),
                            swap(MODIFY, order, [choice], method),
                        ),
                        details=(these_items([choice[0]]), new_items([choice]), pay_with(world, user, method)),
                    ),
                    Wish(
                        "On second thoughts, @i would rather cancel that order completely.",
                        details=(this_order(order), because("no longer needed")),
                        refused=True,
                        conceal=True,
                    ),
                ),
                user["user_id"],
            )
