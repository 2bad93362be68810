"""The tasks of the bundled pack: which templates, and how many of each."""

from __future__ import annotations

from typing import Any

from domains.retail.generator import cancellations, changes, delivered, others, proof
from domains.retail.generator.database import Database
from domains.retail.generator.world import World
from domains.templates import Template, fill

# In the order of the ids, so new lines go to the end. A template gives as many tasks as it finds customers for.
TEMPLATES: tuple[tuple[Template[World], int], ...] = (
    (cancellations.cancel_by_number, 1),
    (delivered.return_one, 1),
    (changes.other_variant, 1),
    (delivered.exchange_one, 1),
    (cancellations.cancel_for_another_reason, 1),
    (changes.send_elsewhere, 1),
    (others.new_home, 1),
    (changes.pay_otherwise, 1),
    (delivered.return_to_gift_card, 1),
    (cancellations.cancel_by_goods, 1),
    (others.what_did_it_cost, 1),
    (delivered.exchange_two, 1),
    (cancellations.cancel_once_processed, 1),
    (changes.moved_house, 1),
    (delivered.return_to_another_card, 1),
    (changes.cheapest_variant, 1),
    (others.outside_the_tools, 1),
    (changes.gift_card_too_small, 1),
    (delivered.exchange_then_return, 1),
    (others.somebody_elses_order, 1),
    (cancellations.cancel_all, 1),
    (delivered.return_before_delivery, 1),
    (changes.second_choice, 1),
    (others.spent_so_far, 1),
    (changes.other_product, 1),
    (delivered.exchange_beyond_gift_card, 1),
    (changes.address_then_item, 1),
    (others.where_is_it, 1),
    (delivered.cancel_after_delivery, 1),
    (changes.without_one_item, 1),
    (others.three_matters, 1),
    (delivered.return_from_two_orders, 1),
    (others.cheapest_on_offer, 1),
    (changes.changed_then_cancelled, 1),
    (delivered.exchange_for_dearest, 1),
    (others.restore_cancelled, 1),
    (others.cancel_then_transfer, 1),
    (others.one_item_by_number, 1),
    (others.exchange_and_cancel, 1),
)


def build_tasks(seed: int, database: Database) -> list[dict[str, Any]]:
    """Raises ValueError where the database has no records for a template."""
    world = World(database)
    return fill("retail", TEMPLATES, world, seed, lambda draft: proof.proved(world, draft))
