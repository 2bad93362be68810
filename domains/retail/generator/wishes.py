"""The wishes that many templates share, and the draft they make. What is `asked` is added up and has to be said."""

from __future__ import annotations

from collections.abc import Sequence

from domains.drafting import Draft, Fact, Step, Wish
from domains.retail.generator.world import (
    Choice,
    Record,
    World,
    add_up,
    because,
    cancel,
    give_back,
    look_at,
    money,
    new_items,
    pay_with,
    refund_to,
    swap,
    these_items,
)


def draft(purpose: str, user: Record, facts: tuple[Fact, ...], *wishes: Wish) -> Draft:
    return Draft(purpose, facts, wishes, user["user_id"])


def cancel_wish(
    text: str,
    reads: tuple[Step, ...],
    order: Record,
    reason: str,
    *,
    asked: Sequence[float] = (),
    conceal: bool = False,
) -> Wish:
    return Wish(
        text,
        steps=(*reads, cancel(order, reason), *_sum(asked)),
        details=(because(reason),),
        answers=_answers(asked),
        conceal=conceal,
    )


def return_wish(
    text: str,
    reads: tuple[Step, ...],
    world: World,
    order: Record,
    items: Sequence[Record],
    method: str,
    *,
    asked: Sequence[float] = (),
) -> Wish:
    return Wish(
        text,
        steps=(*reads, give_back(order, items, method), *_sum(asked)),
        details=(these_items(items), refund_to(world, world.users[order["user_id"]], method)),
        answers=_answers(asked),
    )


def swap_wish(
    text: str,
    reads: tuple[Step, ...],
    world: World,
    order: Record,
    choices: Sequence[Choice],
    method: str,
    *,
    asked: Sequence[float] = (),
) -> Wish:
    """Other variants of items, each looked at before."""
    items = [choice[0] for choice in choices]
    return Wish(
        text,
        steps=(*reads, *look_at(*items), swap(order, choices, method), *_sum(asked)),
        details=(these_items(items), new_items(choices), pay_with(world, world.users[order["user_id"]], method)),
        answers=_answers(asked),
    )


def refused(text: str, *details: Fact, steps: tuple[Step, ...] = ()) -> Wish:
    return Wish(text, steps=steps, details=details, refused=True)


def _sum(asked: Sequence[float]) -> tuple[Step, ...]:
    return (add_up(*asked),) if len(asked) > 1 else ()


def _answers(asked: Sequence[float]) -> tuple[str, ...]:
    return (money(sum(asked)),) if asked else ()
