"""Tasks about cancelling orders that have not been sent, allowed and not."""

from __future__ import annotations

from collections.abc import Iterator

from domains.drafting import Draft, Fact, Wish
from domains.generating import Dice
from domains.retail.generator.wishes import cancel_wish, draft, refused
from domains.retail.generator.world import (
    World,
    add_up,
    because,
    cancel,
    goods,
    look_up,
    money,
    prepared,
    search_for,
    size,
    tellable,
    total,
    unprepared,
)


def cancel_by_number(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(2, 5)):
        if not tellable(total(order)):
            continue
        facts = prepared(user, order)
        yield draft(
            "Cancel a pending order for a permitted reason and name the refund.",
            user,
            facts,
            cancel_wish(
                f"@I want to cancel @my order with {goods(order['items'])}. How much do @i get back?",
                look_up(user, facts, order),
                order,
                "no longer needed",
                asked=(total(order),),
            ),
        )


def cancel_by_goods(world: World, dice: Dice) -> Iterator[Draft]:
    """Neither the order number nor the email address is known."""
    for user, order in world.purchases(dice, "pending", world.known_by_goods):
        if len(world.own(user)) < 2:
            continue
        facts = unprepared(user, order)
        yield draft(
            "Find the order by what is in it, then cancel it.",
            user,
            facts,
            cancel_wish(
                f"@I want to cancel the order in which @i bought {goods(order['items'])}.",
                search_for(world, user, facts, order),
                order,
                "ordered by mistake",
            ),
        )


def cancel_for_another_reason(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "pending", size(1, 3)):
        facts = prepared(user, order)
        yield draft(
            "A better offer elsewhere is no reason to cancel.",
            user,
            facts,
            refused(
                f"@I want to cancel @my order with {goods(order['items'])}.",
                Fact("reason", "cheaper elsewhere", "@I have found it cheaper in another shop; that is the reason."),
                steps=look_up(user, facts, order),
            ),
        )


def cancel_once_processed(world: World, dice: Dice) -> Iterator[Draft]:
    for user, order in world.purchases(dice, "processed", size(1, 3)):
        facts = prepared(user, order)
        yield draft(
            "An order in processing can no longer be cancelled.",
            user,
            facts,
            refused(
                f"@I want to cancel @my order with {goods(order['items'])}.",
                because("no longer needed"),
                steps=look_up(user, facts, order),
            ),
        )


def cancel_all(world: World, dice: Dice) -> Iterator[Draft]:
    for user in world.customers(dice):
        pending = world.own(user, "pending")
        amounts = [total(order) for order in pending]
        if len(pending) != 2 or len(world.own(user)) < 3 or not tellable(sum(amounts)):
            continue
        facts = unprepared(user, *pending)
        yield draft(
            "Cancel every pending order and add up the refunds.",
            user,
            facts,
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
        )
