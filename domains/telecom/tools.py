"""The carrier's thirteen tools, exact to the recordings, and what tasks do to its database before a conversation."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from pydantic import Field

from domains.schema import record
from domains.telecom.models import Bill, LineItem
from domains.toolkit import Toolkit, env_function, tool
from domains.values import JSON, Record

NOW = "2025-02-25T12:08:00"
TODAY = "2025-02-25"
LAST_MONTH = ("2025-01-01", "2025-01-31")
NEXT_MONTH = ("2025-03-01", "2025-03-31")
CYCLE_END = "2025-02-28"

NOUNS = {
    "customers": "Customer",
    "lines": "Line",
    "plans": "Plan",
    "devices": "Device",
    "bills": "Bill",
}
BY_INITIAL = {"L": "lines", "D": "devices", "B": "bills", "C": "customers", "P": "plans"}

CustomerId = Annotated[str, Field(description="The customer's id, for example C1001")]
LineId = Annotated[str, Field(description="Id of a line of this customer, for example L1002")]
BillId = Annotated[str, Field(description="Id of a bill of this customer, for example B1003")]


class TelecomTools(Toolkit):
    """The agent's tools. Booleans, amounts and ids are taken as they come, as officially."""

    def _one(self, table: str, id: str) -> Record:
        found = self.db.get(table, id) if isinstance(id, str) else None
        if found is None:
            raise ValueError(f"{NOUNS[table]} with ID {id} not found")
        return found

    def _customer_by_phone(self, phone_number: str) -> Record:
        for customer in self.db.rows("customers").values():
            if customer["phone_number"] == phone_number or any(
                self._one("lines", line_id)["phone_number"] == phone_number for line_id in customer["line_ids"]
            ):
                return customer
        raise ValueError(f"Customer with phone number {phone_number} not found")

    def line_by_phone(self, phone_number: str) -> Record:
        """Return the line of a phone number. Raises ValueError."""
        for line in self.db.rows("lines").values():
            if line["phone_number"] == phone_number:
                return line
        raise ValueError(f"Line with phone number {phone_number} not found")

    def plan(self, plan_id: str) -> Record:
        """Return a plan. Raises ValueError."""
        return self._one("plans", plan_id)

    def bill_awaiting_payment(self, phone_number: str) -> Record | None:
        """Return the first bill that the owner of a number has been asked to pay."""
        return next(iter(self._awaiting_payment(self._customer_by_phone(phone_number))), None)

    def set_bill_paid(self, bill_id: str) -> None:
        """Note a payment made on the phone. Raises ValueError when there is no such bill."""
        self._one("bills", bill_id)
        self.db.edit("bills", bill_id)["status"] = "Paid"

    def _awaiting_payment(self, customer: Record) -> list[Record]:
        bills = [self._one("bills", bill_id) for bill_id in customer["bill_ids"]]
        return [bill for bill in bills if bill["status"] == "Awaiting Payment"]

    def _line_of(self, customer_id: str, line_id: str) -> Record:
        if line_id not in self._one("customers", customer_id)["line_ids"]:
            raise ValueError(f"Line {line_id} not found for customer {customer_id}")
        return self._one("lines", line_id)

    # Reading

    @tool("read")
    def get_customer_by_phone(
        self, phone_number: Annotated[str, Field(description="Contact number or number of a line, 555-123-4567")]
    ) -> JSON:
        """Look a customer up by contact number or by the number of any of their lines."""
        return self._customer_by_phone(phone_number)

    @tool("read")
    def get_customer_by_id(self, customer_id: CustomerId) -> JSON:
        """Look a customer up by id: contact, address, payment methods, ids of lines and bills."""
        return self._one("customers", customer_id)

    @tool("read")
    def get_customer_by_name(
        self,
        full_name: Annotated[str, Field(description="First and last name; capitals do not matter")],
        dob: Annotated[str, Field(description="Date of birth, YYYY-MM-DD")],
    ) -> JSON:
        """List the customers with this name and date of birth; none is an empty list."""
        return [
            customer
            for customer in self.db.rows("customers").values()
            if customer["full_name"].lower() == full_name.lower() and customer["date_of_birth"] == dob
        ]

    @tool("read")
    def get_details_by_id(
        self, id: Annotated[str, Field(description="Starts with C, L, P, D or B: customer, line, plan, device, bill")]
    ) -> JSON:
        """Show whatever record an id stands for."""
        for initial, table in BY_INITIAL.items():
            if id.startswith(initial):
                return self._one(table, id)
        raise ValueError(f"Unknown ID format or type: {id}")

    @tool("read")
    def get_bills_for_customer(
        self,
        customer_id: CustomerId,
        limit: Annotated[int, Field(description="How many bills at most")] = 12,
    ) -> JSON:
        """List a customer's bills, the latest issued first."""
        customer = self._one("customers", customer_id)
        bills = [self._one("bills", bill_id) for bill_id in customer["bill_ids"]]
        return sorted(bills, key=lambda bill: bill["issue_date"], reverse=True)[:limit]

    @tool("read")
    def get_data_usage(self, customer_id: CustomerId, line_id: LineId) -> JSON:
        """Show a line's data this cycle: used, allowance of the plan, refuelled, and when the cycle ends."""
        line = self._line_of(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": line["data_used_gb"],
            "data_limit_gb": self.plan(line["plan_id"])["data_limit_gb"],
            "data_refueling_gb": line["data_refueling_gb"],
            "cycle_end_date": CYCLE_END,
        }

    # Writing

    @tool("write")
    def suspend_line(
        self,
        customer_id: CustomerId,
        line_id: LineId,
        reason: Annotated[str, Field(description="Why it is suspended")],
    ) -> JSON:
        """Suspend an active line."""
        if self._line_of(customer_id, line_id)["status"] != "Active":
            raise ValueError("Line must be active to suspend")
        line = self.db.edit("lines", line_id)
        line["status"] = "Suspended"
        line["suspension_start_date"] = TODAY
        return {"message": "Line suspended successfully. $5/month holding fee will apply.", "line": line}

    @tool("write")
    def resume_line(self, customer_id: CustomerId, line_id: LineId) -> JSON:
        """Bring a line that is suspended or pending activation into service."""
        if self._line_of(customer_id, line_id)["status"] not in ("Suspended", "Pending Activation"):
            raise ValueError("Line must be suspended to resume")
        line = self.db.edit("lines", line_id)
        line["status"] = "Active"
        line["suspension_start_date"] = None
        return {"message": "Line resumed successfully", "line": line}

    @tool("write")
    def send_payment_request(self, customer_id: CustomerId, bill_id: BillId) -> JSON:
        """Ask the customer to pay a bill: it appears on their phone. One bill at a time; a paid bill is not refused."""
        customer = self._one("customers", customer_id)
        if self._awaiting_payment(customer):
            raise ValueError("A bill is already awaiting payment for this customer")
        if bill_id not in customer["bill_ids"]:
            raise ValueError(f"Bill {bill_id} not found for customer {customer_id}")
        self._one("bills", bill_id)
        self.db.edit("bills", bill_id)["status"] = "Awaiting Payment"
        return f"Payment request sent to the customer for bill {bill_id}"

    @tool("write")
    def enable_roaming(self, customer_id: CustomerId, line_id: LineId) -> JSON:
        """Let a line use partner networks abroad; the phone has a switch of its own for that."""
        if self._line_of(customer_id, line_id)["roaming_enabled"]:
            return "Roaming was already enabled"
        self.db.edit("lines", line_id)["roaming_enabled"] = True
        return "Roaming enabled successfully"

    @tool("write")
    def disable_roaming(self, customer_id: CustomerId, line_id: LineId) -> JSON:
        """Stop a line from using partner networks abroad."""
        if not self._line_of(customer_id, line_id)["roaming_enabled"]:
            return "Roaming was already disabled"
        self.db.edit("lines", line_id)["roaming_enabled"] = False
        return "Roaming disabled successfully"

    @tool("write")
    def refuel_data(
        self,
        customer_id: CustomerId,
        line_id: LineId,
        gb_amount: Annotated[float, Field(description="Gigabytes to add")],
    ) -> JSON:
        """Add data to a line for this cycle and put its price on the customer's next bill."""
        line = self._line_of(customer_id, line_id)
        # Official oddity: a suspended line can be refuelled.
        if gb_amount <= 0:
            raise ValueError("Refuel amount must be positive")
        rate = self.plan(line["plan_id"])["data_refueling_price_per_gb"]
        charge = gb_amount * rate
        line = self.db.edit("lines", line_id)
        line["data_refueling_gb"] += gb_amount
        # Official oddity: the amount is printed as it was given, so the bill of 2 GB is not that of 2.0 GB.
        self._charge(customer_id, charge, f"Data refueling: {gb_amount} GB at ${rate}/GB")
        return {
            "message": f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}",
            "new_data_refueling_gb": line["data_refueling_gb"],
            "charge": charge,
        }

    def _charge(self, customer_id: str, amount: float, description: str) -> None:
        """Put an item on the customer's draft bill; make one for next month when there is none."""
        bill_id = None
        for held in self._one("customers", customer_id)["bill_ids"]:
            if self._one("bills", held)["status"] == "Draft":
                bill_id = held
                break
        if bill_id is None:
            bill_id = self._new_bill(customer_id, NEXT_MONTH, "2025-03-15", "Draft", self._next_id(customer_id, amount))
        self._add_item(bill_id, amount, description)

    def _new_bill(self, customer_id: str, period: tuple[str, str], due: str, status: str, bill_id: str) -> str:
        bill = Bill.model_validate(
            {
                "bill_id": bill_id,
                "customer_id": customer_id,
                "period_start": period[0],
                "period_end": period[1],
                "issue_date": period[0],
                "total_due": 0,
                "due_date": due,
                "status": status,
            }
        )
        self.db.insert("bills", bill_id, record(bill))
        self.db.edit("customers", customer_id)["bill_ids"].append(bill_id)
        return bill_id

    def _next_id(self, customer_id: str, amount: float) -> str:
        # Officially random; derived from the state here, so that a replay reaches the same digest (domains.md).
        seed = f"{customer_id} {amount!r} {len(self.db.rows('bills'))}"
        return f"B{hashlib.sha256(seed.encode()).hexdigest()[:8]}"

    def _add_item(self, bill_id: str, amount: float, description: str) -> None:
        item = {
            "description": description,
            "amount": amount,
            "date": TODAY,
            "item_type": "Credit" if amount < 0 else "Charge",
        }
        bill = self.db.edit("bills", bill_id)
        bill["line_items"].append(record(LineItem.model_validate(item)))
        bill["total_due"] += amount

    # Generic

    @tool("generic")
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the customer needs and what was tried")]
    ) -> JSON:
        """Hand the customer to a human colleague, when asked for one or when policy and tools leave no way."""
        return "Transfer successful"

    # What a task does before the conversation, and what it asks afterwards

    @env_function
    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: Any) -> str:
        """Set how much data a line has used this cycle."""
        self._line_of(customer_id, line_id)
        self.db.edit("lines", line_id)["data_used_gb"] = data_used_gb
        return f"Data usage set to {data_used_gb} GB for line {line_id}"

    @env_function
    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        """Suspend an active line for last month's unpaid bill; at most one bill may be overdue."""
        line = self._one("lines", line_id)
        if line["status"] != "Active":
            raise ValueError("Line must be active to suspend for unpaid bill")
        amount = self.plan(line["plan_id"])["price_per_month"]
        if amount <= 0:
            raise ValueError("Amount must be positive for overdue bill")
        customer = self._one("customers", customer_id)
        if any(self._one("bills", held)["status"] == "Overdue" for held in customer["bill_ids"]):
            raise ValueError("Customer already has an overdue bill")
        self._new_bill(customer_id, LAST_MONTH, "2025-01-15", "Overdue", new_bill_id)
        self._add_item(new_bill_id, amount, f"Charge for line {line_id}")
        line = self.db.edit("lines", line_id)
        line["status"] = "Suspended"
        line["suspension_start_date"] = TODAY
        if contract_ended:
            line["contract_end_date"] = LAST_MONTH[1]
        return f"Line {line_id} suspended for unpaid bill {new_bill_id}. Contract ended: {contract_ended}"

    @env_function
    def assert_data_refueling_amount(self, customer_id: str, line_id: str, expected_amount: float) -> bool:
        """Tell whether a line was refuelled by this much in all."""
        refuelled: float = self._line_of(customer_id, line_id)["data_refueling_gb"]
        return abs(refuelled - expected_amount) < 1e-6

    @env_function
    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        """Tell whether a line has this status."""
        return bool(self._line_of(customer_id, line_id)["status"] == expected_status)

    @env_function
    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        """Confirm that a bill of the customer is overdue. Raises ValueError when it is not."""
        if overdue_bill_id not in self._one("customers", customer_id)["bill_ids"]:
            raise ValueError(f"Overdue bill {overdue_bill_id} not found")
        if self._one("bills", overdue_bill_id)["status"] != "Overdue":
            raise ValueError(f"Overdue bill {overdue_bill_id} is not overdue")
        return True

    @env_function
    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Tell whether a bill is paid or does not exist."""
        bill = self.db.get("bills", overdue_bill_id)
        return bill is None or bill["status"] == "Paid"
