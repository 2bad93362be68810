"""An online shop: products with variants, customers, orders that can be changed, cancelled, returned or exchanged."""

from __future__ import annotations

from domains.environment import Definition
from domains.files import read_text
from domains.retail.models import RetailDB
from domains.retail.tools import NOW, RetailTools

definition = Definition(
    name="retail",
    now=NOW,
    toolkits={"agent": RetailTools},
    databases={"agent": ("db", RetailDB)},
    policy=lambda folder, solo: read_text(folder, "policy.md"),
    knowledge="domains.retail.knowledge:knowledge",
    oddities={
        "modify_pending_order_items": "every changed item gets the price and options of the last new item",
        "cancel_pending_order": "every entry of the payment history is refunded, refunds too",
        "modify_pending_order_address": "any status that contains 'pending' counts as pending",
        "modify_pending_order_payment": "any status that contains 'pending' counts as pending",
        "exchange_delivered_order_items": "an exchange of nothing succeeds and closes the order to returns",
        "return_delivered_order_items": "a return of nothing succeeds and closes the order to exchanges",
    },
)
