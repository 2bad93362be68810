"""Where nothing is to be written and nothing has to be said, doing nothing would pass: the customer asks first."""

from __future__ import annotations

from dataclasses import replace

from domains.airline.generator.world import World, look_up, paid, search_for, trip, unknown_number
from domains.drafting import Draft, Wish


def proved(world: World, draft: Draft) -> Draft | None:
    """Return a draft that cannot be passed by inaction, None where the customer has no trip to ask about."""
    if any(wish.writes or wish.answers for wish in draft.wishes):
        return draft
    user = world.users[draft.user_id]
    looked_at = [step.arguments["reservation_id"] for step in draft.steps if step.name == "get_reservation_details"]
    numbers = [fact.value for fact in draft.facts if fact.name == "reservation_id"]
    own = [r for r in world.own_reservations(user) if world.recognisable(r)]
    reservation = world.reservations[looked_at[-1]] if looked_at else own[0] if own else None
    if reservation is None:
        return None
    known = reservation["reservation_id"] in numbers
    question = Wish(
        f"First of all, what have @i paid for @my {trip(reservation)} altogether?",
        steps=look_up(user, reservation) if known else search_for(world, user, reservation),
        answers=(str(paid(reservation)),),
    )
    facts = draft.facts if numbers else (*draft.facts, *unknown_number(reservation))
    return replace(draft, facts=facts, wishes=(question, *draft.wishes))
