"""Tasks about accounts and questions, what lies outside the tools, and several matters at once."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Step, Wish
from domains.generating import Dice, invent_address
from domains.retail.generator.wishes import cancel_wish, draft, refused, return_wish, swap_wish
from domains.retail.generator.world import (
    World,
    add_up,
    because,
    by_email,
    extra,
    find,
    goods,
    look_up,
    money,
    move_home,
    move_order,
    new_address,
    payer,
    prepared,
    same_but,
    search_for,
    size,
    tellable,
    these_items,
    this_order,
    total,
    unknown_number,
    unprepared,
)


def new_home(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        if not world.own(user, "pending"):
            continue
        address = invent_address(dice)
        facts = by_email(user)
        yield draft(
            "Change the default address only; pending orders keep theirs.",
            user,
            facts,
            Wish(
                "@I have moved and want to change the address in @my profile. What @i have already ordered can "
                "still go to the old address.",
                steps=(*look_up(user, facts), move_home(user, address)),
                details=new_address(address),
            ),
        )


def somebody_elses_order(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        for friend in world.customers(dice):
            if friend["user_id"] == user["user_id"]:
                continue
            facts = by_email(friend)
            name = f"{user['name']['first_name']} {user['name']['last_name']}"
            yield draft(
                "Nobody but its owner can have an order cancelled.",
                friend,
                facts,
                refused(
                    f"@I want to cancel an order for {name}, who asked @me to do it.",
                    this_order(order),
                    because("no longer needed"),
                    steps=look_up(friend, facts, order),
                ),
            )
            break


def what_did_it_cost(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "delivered", size(2, 5), world.known_by_goods):
        item = dice.pick(order["items"])
        if len(world.own(user)) < 2 or not tellable(total(order), item["price"]):
            continue
        facts = unprepared(user, order)
        yield draft(
            "Questions about prices; nothing is changed.",
            user,
            facts,
            Wish(
                f"What did @i pay for {goods([item])}?",
                steps=search_for(world, user, facts, order),
                details=(these_items([item]),),
                answers=(money(item["price"]),),
            ),
            Wish("And what did the whole order with it cost?", answers=(money(total(order)),), conceal=True),
        )


def cheapest_on_offer(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        kind = dice.pick(list(world.products.values()))
        prices = [variant["price"] for variant in kind["variants"].values() if variant["available"]]
        if min(prices) == min(variant["price"] for variant in kind["variants"].values()) or not tellable(min(prices)):
            continue
        facts = by_email(user)
        name = kind["name"].lower()
        yield draft(
            "The cheapest variant of a product is sold out, so the cheapest in stock is another one.",
            user,
            facts,
            Wish(
                f"What does the cheapest {name} cost that @i could get right now?",
                steps=(
                    find(user, facts),
                    Step("list_all_product_types", {}),
                    Step("get_product_details", {"product_id": kind["product_id"]}),
                ),
                answers=(money(min(prices)),),
            ),
        )


def one_item_by_number(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        kind = dice.pick(list(world.products.values()))
        variant = dice.pick([v for v in kind["variants"].values() if v["available"]])
        if not tellable(variant["price"]):
            continue
        facts = by_email(user)
        yield draft(
            "Look up a single item by its number.",
            user,
            facts,
            Wish(
                "@I have an item number from a friend. Is it in stock, and what does it cost?",
                steps=(find(user, facts), Step("get_item_details", {"item_id": variant["item_id"]})),
                details=(Fact("item_id", variant["item_id"], f"The item number is {variant['item_id']}."),),
                answers=(money(variant["price"]),),
            ),
        )


def spent_so_far(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        delivered = world.own(user, "delivered")
        amounts = [total(order) for order in delivered]
        if not 2 <= len(delivered) <= 3 or len(world.own(user)) == len(delivered) or not tellable(sum(amounts)):
            continue
        facts = unprepared(user, *delivered)
        yield draft(
            "Add up what was paid for the orders that have been delivered, and only for those.",
            user,
            facts,
            Wish(
                "What have @i paid altogether for the orders that have already been delivered to @me?",
                steps=(*look_up(user, facts, *world.own(user)), add_up(*amounts)),
                answers=(money(sum(amounts)),),
            ),
        )


def where_is_it(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "processed", world.known_by_goods):
        facts = (*by_email(user), *unknown_number(order))
        yield draft(
            "Give the tracking number of an order that is on its way; its address stays.",
            user,
            facts,
            Wish(
                f"What is the tracking number of @my order with {goods(order['items'])}?",
                steps=search_for(world, user, facts, order),
                answers=(order["fulfillments"][0]["tracking_id"][0],),
            ),
            refused(
                "Please redirect it to another address while it is on its way.",
                *new_address(invent_address(dice)),
            ),
        )


def restore_cancelled(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "cancelled", size(1, 4)):
        facts = prepared(user, order)
        yield draft(
            "A cancelled order stays cancelled.",
            user,
            facts,
            refused(
                f"@I cancelled @my order with {goods(order['items'])} and want it to be put back in place.",
                steps=look_up(user, facts, order),
            ),
        )


def outside_the_tools(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        facts = by_email(user)
        yield draft(
            "No tool changes an email address, so the customer is handed over.",
            user,
            facts,
            Wish(
                "@I want to use another email address for @my account from now on.",
                steps=(
                    find(user, facts),
                    _transfer("The customer wants to change the email address of the account."),
                ),
            ),
        )


def cancel_then_transfer(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        facts = prepared(user, order)
        yield draft(
            "Do what can be done, then hand over what cannot.",
            user,
            facts,
            cancel_wish(
                f"@I want to cancel @my order with {goods(order['items'])}.",
                look_up(user, facts, order),
                order,
                "no longer needed",
            ),
            Wish(
                "One more thing: @i want a new payment card to be added to @my profile.",
                steps=(_transfer("The customer wants to add a payment card to the profile."),),
                conceal=True,
            ),
        )


def three_matters(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        orders = world.nameable(user)
        pending, delivered = world.nameable(user, "pending"), world.nameable(user, "delivered")
        if len(pending) < 2 or not delivered or not world.words(user, payer(delivered[0])):
            continue
        first, second, third = pending[0], pending[1], delivered[0]
        item, address = dice.pick(third["items"]), invent_address(dice)
        amounts = [total(first), item["price"]]
        if not tellable(sum(amounts)):
            continue
        facts = unprepared(user, *orders)
        yield draft(
            "Cancel one order, redirect another, return from a third, and add up the refunds.",
            user,
            facts,
            cancel_wish(
                f"@I want to cancel the order with {goods(first['items'])}.",
                search_for(world, user, facts, first),
                first,
                "ordered by mistake",
            ),
            Wish(
                f"@I want to have {goods(second['items'])}, which are pending, sent to another address."
                if len(second["items"]) > 1
                else f"@I want to have {goods(second['items'])}, which is pending, sent to another address.",
                steps=(*search_for(world, user, facts, second), move_order(second, address)),
                details=new_address(address),
            ),
            return_wish(
                f"And @i want to return {goods([item])}. How much comes back from the cancellation and the return "
                "together?",
                search_for(world, user, facts, third),
                world,
                third,
                [item],
                payer(third),
                asked=amounts,
            ),
        )


def exchange_and_cancel(world: World, dice: Dice) -> Iterator[Draft]:
    """The customer raises the second matter only when the first is settled."""
    for user in world.customers(dice):
        orders = world.nameable(user)
        pending, delivered = world.nameable(user, "pending"), world.nameable(user, "delivered")
        if not pending or not delivered:
            continue
        for choice in world.choices(dice, delivered[0])[:1]:
            methods = world.able(user, extra([choice]))
            if not methods or not tellable(extra([choice]), total(pending[0])):
                continue
            method = dice.pick(methods)["id"]
            facts = (*by_email(user), *unknown_number(*orders))
            yield draft(
                "Exchange from one order, then cancel another that comes up late.",
                user,
                facts,
                swap_wish(
                    f"@I want to exchange {goods([choice[0]])} for {same_but(choice)}. What is the difference in "
                    "price?",
                    search_for(world, user, facts, delivered[0]),
                    world,
                    delivered[0],
                    [choice],
                    method,
                    asked=(extra([choice]),),
                ),
                cancel_wish(
                    f"@I also want to cancel the order with {goods(pending[0]['items'])}. How much is refunded?",
                    search_for(world, user, facts, pending[0]),
                    pending[0],
                    "no longer needed",
                    asked=(total(pending[0]),),
                    conceal=True,
                ),
            )


def _transfer(summary: str) -> Step:
    return Step("transfer_to_human_agents", {"summary": summary})
