"""The shop's sixteen tools, exact to the recordings: what only the policy forbids, they let through."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from domains.calculate import calculate
from domains.retail.models import Address, OrderPayment
from domains.schema import record
from domains.toolkit import Toolkit, tool
from domains.values import JSON, Record, copied

NOW = "2024-05-15T15:00:00"
"""The shop's tools and policy know no time; a clock is shown all the same, and it is the airline's."""

OrderId = Annotated[str, Field(description="The order number with its leading #, for example #W3470184")]
UserId = Annotated[str, Field(description="The customer's user id, for example maria_park_4821")]
ProductId = Annotated[str, Field(description="Id of a product type, which is not the id of an item")]
PaymentId = Annotated[
    str, Field(description="Id of a payment method in the customer's profile, for example paypal_2417743")
]
ItemIds = Annotated[
    list[str], Field(description="Ids of the items in the order, repeated when several pieces of one are meant")
]
NewItemIds = Annotated[
    list[str], Field(description="Ids of the new variants, each of the same product as the item in its position")
]
Address1 = Annotated[str, Field(description="Street and number")]
Address2 = Annotated[str, Field(description="Flat, floor or suite; may be empty")]
City = Annotated[str, Field(description="City")]
State = Annotated[str, Field(description="State, two letters, for example OR")]
Country = Annotated[str, Field(description="Country, for example USA")]
Zip = Annotated[str, Field(description="Postal code")]
Reason = Annotated[str, Field(description="Either 'no longer needed' or 'ordered by mistake'")]


class RetailTools(Toolkit):
    """All of them belong to the agent."""

    def _order(self, order_id: str) -> Record:
        return self.row("orders", order_id, "Order not found")

    def _user(self, user_id: str) -> Record:
        return self.row("users", user_id, "User not found")

    def _product(self, product_id: str) -> Record:
        return self.row("products", product_id, "Product not found")

    def _variant(self, product_id: str, item_id: str) -> Record:
        variants = self._product(product_id)["variants"]
        if item_id not in variants:
            raise ValueError("Variant not found")
        found: Record = variants[item_id]
        return found

    def _payment_method(self, user_id: str, payment_method_id: str) -> Record:
        methods = self._user(user_id)["payment_methods"]
        if payment_method_id not in methods:
            raise ValueError("Payment method not found")
        found: Record = methods[payment_method_id]
        return found

    def _credit(self, user_id: str, payment_method_id: str, amount: float) -> None:
        """Put money on a gift card at once, or take a negative amount off it; other methods settle elsewhere."""
        if self._payment_method(user_id, payment_method_id)["source"] != "gift_card":
            return
        card = self.db.edit("users", user_id)["payment_methods"][payment_method_id]
        card["balance"] = round(card["balance"] + amount, 2)

    # Reading

    @tool("read")
    def find_user_id_by_email(
        self, email: Annotated[str, Field(description="The e-mail address of the account, capitals or not")]
    ) -> JSON:
        """Find a customer's user id by e-mail address."""
        for user_id, user in self.db.rows("users").items():
            if user["email"].lower() == email.lower():
                return user_id
        raise ValueError("User not found")

    @tool("read")
    def find_user_id_by_name_zip(
        self,
        first_name: Annotated[str, Field(description="First name, capitals or not")],
        last_name: Annotated[str, Field(description="Last name, capitals or not")],
        zip: Annotated[str, Field(description="Postal code of the customer's default address")],
    ) -> JSON:
        """Find a customer's user id by name and postal code, for those who cannot give their e-mail address."""
        for user_id, user in self.db.rows("users").items():
            if (
                user["name"]["first_name"].lower() == first_name.lower()
                and user["name"]["last_name"].lower() == last_name.lower()
                and user["address"]["zip"] == zip
            ):
                return user_id
        raise ValueError("User not found")

    @tool("read")
    def get_user_details(self, user_id: UserId) -> JSON:
        """Show a customer's profile: name, default address, e-mail, payment methods, order numbers."""
        return self._user(user_id)

    @tool("read")
    def get_order_details(self, order_id: OrderId) -> JSON:
        """Show one order: items, status, address, shipments, payments, and any return, exchange or cancellation."""
        return self._order(order_id)

    @tool("read")
    def get_product_details(self, product_id: ProductId) -> JSON:
        """Show a product type with all its variants: item ids, options, availability, prices."""
        return self._product(product_id)

    @tool("read")
    def get_item_details(self, item_id: Annotated[str, Field(description="Id of one variant of a product")]) -> JSON:
        """Show one variant: its options, availability and price."""
        for product in self.db.rows("products").values():
            if item_id in product["variants"]:
                return product["variants"][item_id]
        raise ValueError("Item not found")

    @tool("read")
    def list_all_product_types(self) -> JSON:
        """List the names of all product types with their product ids, by name."""
        names = {product["name"]: product["product_id"] for product in self.db.rows("products").values()}
        return json.dumps(names, sort_keys=True)

    # Writing

    @tool("write")
    def cancel_pending_order(self, order_id: OrderId, reason: Reason) -> JSON:
        """Cancel a pending order and refund it: a gift card at once, anything else in five to seven business days."""
        order = self._order(order_id)
        if order["status"] != "pending":
            raise ValueError("Non-pending order cannot be cancelled")
        if reason not in {"no longer needed", "ordered by mistake"}:
            raise ValueError("Invalid reason")
        # Official oddity: after a change of payment this refunds all three entries, the refund among them.
        for payment in order["payment_history"]:
            self._credit(order["user_id"], payment["payment_method_id"], payment["amount"])
        order = self.db.edit("orders", order_id)
        history = order["payment_history"]
        order["status"] = "cancelled"
        order["cancel_reason"] = reason
        history.extend([_payment("refund", p["amount"], p["payment_method_id"]) for p in history])
        return order

    def _price_difference(self, order: Record, item_ids: Any, new_item_ids: Any, *, anew: bool) -> tuple[Any, Any]:
        """Return what the new items cost more, unrounded, and the last variant. Raises for what does not fit."""
        variant: Record | None = None
        difference: Any = 0
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=False):
            if anew and item_id == new_item_id:
                raise ValueError("The new item id should be different from the old item id")
            item = _item(order, item_id)
            variant = self._variant(item["product_id"], new_item_id)
            if not variant["available"]:
                raise ValueError(f"New item {new_item_id} not found or available")
            difference += variant["price"] - item["price"]
        return difference, variant

    @tool("write")
    def modify_pending_order_items(
        self, order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentId
    ) -> JSON:
        """Replace items of a pending order by other variants of the same products. Possible once for an order."""
        order = self._order(order_id)
        if order["status"] != "pending":
            raise ValueError("Non-pending order cannot be modified")
        if (lacking := _lacking(order, item_ids)) is not None:
            raise ValueError(f"{lacking[0]} not found")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match")
        difference, variant = self._price_difference(order, item_ids, new_item_ids, anew=True)
        method = self._payment_method(order["user_id"], payment_method_id)
        if method["source"] == "gift_card" and method["balance"] < difference:
            raise ValueError("Insufficient gift card balance to pay for the new item")

        # Official oddity: the difference is not rounded, and none at all is noted as a refund of nothing.
        order = self.db.edit("orders", order_id)
        kind: Literal["payment", "refund"] = "payment" if difference > 0 else "refund"
        order["payment_history"].append(_payment(kind, abs(difference), payment_method_id))
        self._credit(order["user_id"], payment_method_id, -difference)
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=False):
            item = _item(order, item_id)
            item["item_id"] = new_item_id
            # Official oddity: price and options are those of the last new item, whatever this one is.
            item["price"] = variant["price"]
            item["options"] = copied(variant["options"])
        order["status"] = "pending (item modified)"
        return order

    @tool("write")
    def modify_pending_order_address(
        self,
        order_id: OrderId,
        address1: Address1,
        address2: Address2,
        city: City,
        state: State,
        country: Country,
        zip: Zip,
    ) -> JSON:
        """Change where a pending order is sent."""
        if not _is_pending(self._order(order_id)):
            raise ValueError("Non-pending order cannot be modified")
        address = Address(address1=address1, address2=address2, city=city, state=state, country=country, zip=zip)
        order = self.db.edit("orders", order_id)
        order["address"] = record(address)
        return order

    @tool("write")
    def modify_pending_order_payment(self, order_id: OrderId, payment_method_id: PaymentId) -> JSON:
        """Charge a pending order to another payment method and refund the first one."""
        order = self._order(order_id)
        if not _is_pending(order):
            raise ValueError("Non-pending order cannot be modified")
        method = self._payment_method(order["user_id"], payment_method_id)
        history = order["payment_history"]
        if len(history) != 1 or history[0]["transaction_type"] != "payment":
            raise ValueError("There should be exactly one payment for a pending order")
        amount, old_method_id = history[0]["amount"], history[0]["payment_method_id"]
        if old_method_id == payment_method_id:
            raise ValueError("The new payment method should be different from the current one")
        if method["source"] == "gift_card" and method["balance"] < amount:
            raise ValueError("Insufficient gift card balance to pay for the order")
        order = self.db.edit("orders", order_id)
        order["payment_history"].append(_payment("payment", amount, payment_method_id))
        order["payment_history"].append(_payment("refund", amount, old_method_id))
        self._credit(order["user_id"], payment_method_id, -amount)
        self._credit(order["user_id"], old_method_id, amount)
        return order

    @tool("write")
    def modify_user_address(
        self,
        user_id: UserId,
        address1: Address1,
        address2: Address2,
        city: City,
        state: State,
        country: Country,
        zip: Zip,
    ) -> JSON:
        """Change a customer's default address; orders keep theirs."""
        self._user(user_id)
        address = Address(address1=address1, address2=address2, city=city, state=state, country=country, zip=zip)
        user = self.db.edit("users", user_id)
        user["address"] = record(address)
        return user

    @tool("write")
    def return_delivered_order_items(self, order_id: OrderId, item_ids: ItemIds, payment_method_id: PaymentId) -> JSON:
        """Ask for the return of items of a delivered order, refunded to its payment method or to a gift card."""
        order = self._order(order_id)
        if order["status"] != "delivered":
            raise ValueError("Non-delivered order cannot be returned")
        method = self._payment_method(order["user_id"], payment_method_id)
        if method["source"] != "gift_card" and payment_method_id != order["payment_history"][0]["payment_method_id"]:
            raise ValueError("Payment method should be the original payment method")
        if _lacking(order, item_ids) is not None:
            raise ValueError("Some item not found")
        # Written field by field: what cannot be sorted leaves the new status behind, as officially.
        order = self.db.edit("orders", order_id)
        order["status"] = "return requested"
        order["return_items"] = sorted(item_ids)
        order["return_payment_method_id"] = payment_method_id
        return order

    @tool("write")
    def exchange_delivered_order_items(
        self, order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: PaymentId
    ) -> JSON:
        """Ask for the exchange of items of a delivered order for other variants of the same products."""
        order = self._order(order_id)
        if order["status"] != "delivered":
            raise ValueError("Non-delivered order cannot be exchanged")
        if (lacking := _lacking(order, item_ids)) is not None:
            raise ValueError(f"Number of {lacking[0]} not found.")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match.")
        difference, _ = self._price_difference(order, item_ids, new_item_ids, anew=False)
        difference = round(difference, 2)
        method = self._payment_method(order["user_id"], payment_method_id)
        if method["source"] == "gift_card" and method["balance"] < difference:
            raise ValueError("Insufficient gift card balance to pay for the price difference")
        # Official oddity: sorting both lists loses which item is exchanged for which.
        order = self.db.edit("orders", order_id)
        order["status"] = "exchange requested"
        order["exchange_items"] = sorted(item_ids)
        order["exchange_new_items"] = sorted(new_item_ids)
        order["exchange_payment_method_id"] = payment_method_id
        order["exchange_price_difference"] = difference
        return order

    # Generic

    @tool("generic")
    def calculate(
        self, expression: Annotated[str, Field(description="Numbers, + - * / ( ) and spaces: (183.5 + 30) * 2")]
    ) -> JSON:
        """Work out a sum, rounded to two decimals."""
        return calculate(expression)

    @tool("generic")
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the customer needs, in short")]
    ) -> JSON:
        """Hand the customer to a human colleague, when asked for one or when policy and tools leave no way."""
        return "Transfer successful"


def _is_pending(order: Record) -> bool:
    # Official oddity: "pending (item modified)" is pending here, but not for items and cancellation.
    return "pending" in order["status"]


def _lacking(order: Record, item_ids: Any) -> tuple[JSON] | None:
    """Return the first id that is asked for more often than the order has it."""
    held = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > held.count(item_id):
            return (item_id,)
    return None


def _item(order: Record, item_id: str) -> Record:
    for item in order["items"]:
        if item["item_id"] == item_id:
            found: Record = item
            return found
    raise ValueError(f"Item {item_id} not found")


def _payment(kind: Literal["payment", "refund"], amount: float, payment_method_id: str) -> Record:
    return record(OrderPayment(transaction_type=kind, amount=amount, payment_method_id=payment_method_id))
