"""Where nothing is to be written and nothing has to be said, doing nothing would pass: the customer asks first."""

from __future__ import annotations

from dataclasses import replace

from domains.drafting import Draft, Wish
from domains.retail.generator.world import World, goods, look_up, money, search_for, tellable, total, unknown_number


def proved(world: World, draft: Draft) -> Draft | None:
    """Return a draft that cannot be passed by inaction, None where the customer has no order to ask about."""
    if any(wish.writes or wish.answers for wish in draft.wishes):
        return draft
    user = world.users[draft.user_id]
    numbers = [fact.value for fact in draft.facts if fact.name == "order_id"]
    own = [world.orders[number] for number in numbers if number]
    order = next((order for order in own or world.nameable(user) if tellable(total(order))), None)
    if order is None:
        return None
    known = order["order_id"] in numbers
    question = Wish(
        f"First of all, what did @my order with {goods(order['items'])} cost altogether?",
        steps=look_up(user, draft.facts, order) if known else search_for(world, user, draft.facts, order),
        answers=(money(total(order)),),
    )
    facts = draft.facts if numbers else (*draft.facts, *unknown_number(order))
    return replace(draft, facts=facts, wishes=(question, *draft.wishes))
