"""The tasks of the bundled pack: which templates, how many of each, in which split."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from domains.drafting import Draft, task_record
from domains.generating import Dice
from domains.retail.generator import delivered, others, pending, proof
from domains.retail.generator.database import Database
from domains.retail.generator.world import World

Template = Callable[[World, Dice], Iterator[Draft]]

# In the order of the ids, so new lines go to the end. A template gives as many tasks as it finds customers for.
TEMPLATES: tuple[tuple[Template, int], ...] = (
    (pending.cancel_by_number, 1),
    (delivered.return_one, 1),
    (pending.other_variant, 1),
    (delivered.exchange_one, 1),
    (pending.cancel_for_another_reason, 1),
    (pending.send_elsewhere, 1),
    (others.new_home, 1),
    (pending.pay_otherwise, 1),
    (delivered.return_to_gift_card, 1),
    (pending.cancel_by_goods, 1),
    (others.what_did_it_cost, 1),
    (delivered.exchange_two, 1),
    (pending.cancel_once_processed, 1),
    (pending.moved_house, 1),
    (delivered.return_to_another_card, 1),
    (pending.cheapest_variant, 1),
    (others.outside_the_tools, 1),
    (pending.gift_card_too_small, 1),
    (delivered.exchange_then_return, 1),
    (others.somebody_elses_order, 1),
    (pending.cancel_all, 1),
    (delivered.return_before_delivery, 1),
    (pending.second_choice, 1),
    (others.spent_so_far, 1),
    (pending.other_product, 1),
    (delivered.exchange_beyond_gift_card, 1),
    (pending.address_then_item, 1),
    (others.where_is_it, 1),
    (delivered.cancel_after_delivery, 1),
    (pending.without_one_item, 1),
    (others.three_matters, 1),
    (delivered.return_from_two_orders, 1),
    (others.cheapest_on_offer, 1),
    (pending.changed_then_cancelled, 1),
    (delivered.exchange_for_dearest, 1),
    (others.restore_cancelled, 1),
    (others.cancel_then_transfer, 1),
    (others.one_item_by_number, 1),
    (others.exchange_and_cancel, 1),
)


def build_tasks(seed: int, database: Database) -> list[dict[str, Any]]:
    """Every customer appears in one task. Raises ValueError where the database has no records for a template."""
    world = World(database)
    customers: set[str] = set()
    drafts: list[Draft] = []
    for template, count in TEMPLATES:
        found = 0
        for drafted in template(world, Dice(seed, "tasks", template.__name__)):
            draft = proof.proved(world, drafted)
            if draft is None or draft.user_id in customers or draft.gives_itself_away:
                continue
            customers.add(draft.user_id)
            drafts.append(draft)
            found += 1
            if found == count:
                break
        if found < count:
            raise ValueError(f"{template.__name__}: {found} tasks instead of {count}")
    return [task_record("retail", str(index), draft) for index, draft in enumerate(drafts)]


def build_splits(tasks: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Two of five tasks are for testing."""
    ids = [task["id"] for task in tasks]
    test = [task_id for task_id in ids if int(task_id) % 5 in (1, 4)]
    return {"base": ids, "train": [task_id for task_id in ids if task_id not in test], "test": test}
