"""The tasks of the bundled pack: which templates, and how many of each."""

from __future__ import annotations

from typing import Any

from domains.airline.generator import bookings, cancellations, changes, compensation, others, proof, travellers
from domains.airline.generator.database import Database
from domains.airline.generator.world import World
from domains.drafting import Draft
from domains.templates import Template, fill

# In the order of the ids, so new lines go to the end. A template gives as many tasks as it finds customers for.
TEMPLATES: tuple[tuple[Template[World], int], ...] = (
    (bookings.cheapest_direct, 1),
    (cancellations.within_a_day, 1),
    (travellers.free_bags, 1),
    (cancellations.not_covered, 1),
    (changes.move_one_way, 1),
    (bookings.cheapest_connection, 1),
    (travellers.correct_name, 1),
    (compensation.for_called_off_flight, 1),
    (changes.upgrade, 1),
    (others.what_did_it_cost, 1),
    (cancellations.business, 1),
    (travellers.same_number_of_passengers, 1),
    (bookings.insured_round_trip, 1),
    (cancellations.wrong_reason, 1),
    (travellers.paid_bags, 1),
    (compensation.for_delay_after_cancellation, 1),
    (others.outside_the_tools, 1),
    (cancellations.called_off, 1),
    (changes.basic_economy_stays, 1),
    (compensation.nothing_for_regular, 1),
    (changes.move_return, 1),
    (bookings.one_certificate_only, 1),
    (cancellations.one_of_two, 1),
    (travellers.no_fewer_bags, 1),
    (cancellations.insured, 1),
    (changes.downgrade, 1),
    (bookings.six_people, 1),
    (compensation.for_delay_after_change, 1),
    (changes.no_upgrade_once_flown, 1),
    (cancellations.partly_flown, 1),
    (bookings.cabin_within_budget, 1),
    (changes.no_upgrade_of_one_leg, 1),
    (compensation.nothing_for_accepted_delay, 1),
    (cancellations.two_at_once, 1),
    (others.everything_at_once, 1),
    (others.dearest_of_all, 1),
    (cancellations.cancel_and_rebook, 1),
    (compensation.kept_after_called_off_flight, 1),
    (others.bag_then_transfer, 1),
    (others.three_matters, 1),
    (bookings.two_bookings, 1),
    (travellers.believed_gold, 1),
    (others.insists_on_a_person, 1),
)


def build_tasks(seed: int, database: Database) -> list[dict[str, Any]]:
    """Raises ValueError where the database has no records for a template."""
    world = World(database)

    def accept(draft: Draft) -> Draft | None:
        proved = proof.proved(world, draft)
        return proved if proved is not None and _answers_are_long(proved) else None

    return fill("airline", TEMPLATES, world, seed, accept)


def _answers_are_long(draft: Draft) -> bool:
    """One or two digits occur by accident."""
    return all(len(answer) >= 3 for wish in draft.wishes for answer in wish.answers)
