"""Invents the carrier's database, and names the lines whose owners may call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domains.generating import FIRST_NAMES, LAST_NAMES, Dice, invent_address, invent_birthday

CUSTOMERS = 12
# name, allowance in GB, price a month, price of an extra GB
PLANS = (
    ("Brook 4", 4.0, 24.0, 4.0),
    ("Creek 10", 10.0, 36.0, 3.0),
    ("River 25", 25.0, 52.0, 2.5),
    ("Delta 80", 80.0, 78.0, 1.5),
    ("Sensor 1", 1.0, 9.0, 8.0),
)
PHONE_PLANS = (0, 1, 2, 3)
SENSOR_PLAN = 4
PHONES = ("Larkphone 5", "Larkphone 6 Mini", "Osprey X2", "Osprey X3 Max", "Heron Fold", "Kestrel S")
OTHERS = (
    ("tablet", "Heron Tab 11"),
    ("tablet", "Larktab Air"),
    ("watch", "Kestrel Watch 2"),
    ("router", "Nest 5G Box"),
)
METHODS = ("Credit Card", "Debit Card", "PayPal")
FIRST_ID = 2101


@dataclass(frozen=True, slots=True)
class Caller:
    """A customer with a phone in working order, and what a scenario needs to know of the two."""

    customer_id: str
    line_id: str
    full_name: str
    dob: str
    phone_number: str
    allowance_gb: float
    price_per_gb: float

    @property
    def overdue_bill_id(self) -> str:
        """The id of the bill that a fault leaves unpaid; no bill of the database has one like it."""
        return f"B9{self.line_id[1:]}"


def build_database(seed: int) -> dict[str, Any]:
    """Return the tables in the layout of the file."""
    tables: dict[str, list[dict[str, Any]]] = {
        "plans": [
            {
                "plan_id": f"P{FIRST_ID + i}",
                "name": name,
                "data_limit_gb": limit,
                "price_per_month": price,
                "data_refueling_price_per_gb": rate,
            }
            for i, (name, limit, price, rate) in enumerate(PLANS)
        ],
        "customers": [],
        "lines": [],
        "bills": [],
        "devices": [],
    }
    dice = Dice(seed, "telecom", "customers")
    first, last = dice.sample(FIRST_NAMES, CUSTOMERS), dice.sample(LAST_NAMES, CUSTOMERS)
    for i in range(CUSTOMERS):
        _add_customer(tables, Dice(seed, "telecom", "customer", str(i)), first[i], last[i])
    return tables


def build_phone() -> dict[str, Any]:
    """Return the customer's database: a phone in working order that belongs to nobody yet."""
    from domains.schema import record
    from domains.telecom.device_models import TelecomUserDB

    return dict(record(TelecomUserDB.model_validate({"device": {"battery_level": 64}})))


def callers(database: dict[str, Any]) -> list[Caller]:
    """Return everybody who may call: active line, phone, contract running, allowance not used up, no debts."""
    plans = {plan["plan_id"]: plan for plan in database["plans"]}
    lines = {line["line_id"]: line for line in database["lines"]}
    kinds = {device["device_id"]: device["device_type"] for device in database["devices"]}
    found = []
    for customer in database["customers"]:
        for line in (lines[line_id] for line_id in customer["line_ids"]):
            plan = plans[line["plan_id"]]
            if line["status"] == "Active" and kinds[line["device_id"]] == "phone":
                found.append(
                    Caller(
                        customer_id=customer["customer_id"],
                        line_id=line["line_id"],
                        full_name=customer["full_name"],
                        dob=customer["date_of_birth"],
                        phone_number=line["phone_number"],
                        allowance_gb=plan["data_limit_gb"],
                        price_per_gb=plan["data_refueling_price_per_gb"],
                    )
                )
    return found


def _add_customer(tables: dict[str, list[dict[str, Any]]], dice: Dice, first: str, last: str) -> None:
    customer_id = f"C{FIRST_ID + len(tables['customers'])}"
    address = invent_address(dice)
    lines = [_line(tables, dice, "phone") for _ in range(dice.weighted(((1, 5), (2, 4))))]
    if dice.chance(60):
        lines.append(_line(tables, dice, "other"))
    bills = [_bill(tables, customer_id, lines, month, paid=dice.chance(60)) for month in ("12", "02", "03")]
    if dice.chance(20):  # next month's bill is not yet drafted
        tables["bills"].remove(bills.pop())
    tables["customers"].append(
        {
            "customer_id": customer_id,
            "full_name": f"{first} {last}",
            "date_of_birth": invent_birthday(dice),
            "email": f"{first}.{last}@mail.example".lower(),
            "phone_number": lines[0]["phone_number"],
            "address": {
                "street": f"{address['address1']}, {address['address2']}",
                "city": address["city"],
                "state": address["state"],
                "zip_code": address["zip"],
            },
            "account_status": "Active",
            "payment_methods": [
                {
                    "method_type": dice.pick(METHODS),
                    "account_number_last_4": dice.digits(4),
                    "expiration_date": f"{dice.between(1, 12):02}/{dice.between(2026, 2029)}",
                }
            ],
            "line_ids": [line["line_id"] for line in lines],
            "bill_ids": [bill["bill_id"] for bill in bills],
            "created_at": f"20{dice.between(18, 23)}-{_month_and_day(dice)}T{_office_hour(dice)}",
            "last_extension_date": None,
            "goodwill_credit_used_this_year": 0.0,
        }
    )


def _line(tables: dict[str, list[dict[str, Any]]], dice: Dice, kind: str) -> dict[str, Any]:
    number = FIRST_ID + len(tables["lines"])
    device_kind, model = ("phone", dice.pick(PHONES)) if kind == "phone" else dice.pick(OTHERS)
    plan = dice.pick(PHONE_PLANS) if device_kind != "watch" else SENSOR_PLAN
    status = (
        "Active" if kind == "phone" else dice.weighted((("Active", 6), ("Suspended", 1), ("Pending Activation", 1)))
    )
    activated = f"2024-{_month_and_day(dice)}T{_office_hour(dice)}"
    tables["devices"].append(
        {
            "device_id": f"D{number}",
            "device_type": device_kind,
            "model": model,
            "imei": dice.digits(15),
            "is_esim_capable": dice.chance(70),
            "activated": status != "Pending Activation",
            "activation_date": activated if status != "Pending Activation" else None,
            "last_esim_transfer_date": None,
        }
    )
    line = {
        "line_id": f"L{number}",
        "phone_number": f"555-{dice.between(210, 989)}-{number}",
        "status": status,
        "plan_id": f"P{FIRST_ID + plan}",
        "device_id": f"D{number}",
        "data_used_gb": round(PLANS[plan][1] * dice.between(5, 80) / 100, 1),
        "data_refueling_gb": 0.0,
        "roaming_enabled": dice.chance(40),
        "contract_end_date": f"202{dice.between(6, 7)}-{_month_and_day(dice)}",
        "last_plan_change_date": None,
        "last_sim_replacement_date": f"2024-{_month_and_day(dice)}" if dice.chance(30) else None,
        "suspension_start_date": "2025-02-10" if status == "Suspended" else None,
    }
    tables["lines"].append(line)
    return line


# month → period, issue date, due date. There is none of January: that one a fault may leave unpaid.
MONTHS = {
    "12": ("2024-12-01", "2024-12-31", "2024-12-04", "2024-12-18"),
    "02": ("2025-02-01", "2025-02-28", "2025-02-14", "2025-02-28"),
    "03": ("2025-03-01", "2025-03-31", "2025-03-01", "2025-03-15"),
}


def _bill(
    tables: dict[str, list[dict[str, Any]]], customer_id: str, lines: list[dict[str, Any]], month: str, paid: bool
) -> dict[str, Any]:
    start, end, issued, due = MONTHS[month]
    prices = {plan["plan_id"]: (plan["name"], plan["price_per_month"]) for plan in tables["plans"]}
    items = [
        {
            "description": f"{prices[line['plan_id']][0]}, line {line['phone_number']}",
            "amount": prices[line["plan_id"]][1],
            "date": issued,
            "item_type": "Plan Charge",
        }
        for line in lines
        if month != "03" and line["status"] != "Pending Activation"
    ]
    status = {"12": "Paid", "02": "Paid" if paid else "Issued", "03": "Draft"}[month]
    bill = {
        "bill_id": f"B{FIRST_ID + len(tables['customers']) * 3 + list(MONTHS).index(month)}",
        "customer_id": customer_id,
        "period_start": start,
        "period_end": end,
        "issue_date": issued,
        "total_due": sum((item["amount"] for item in items), 0.0),
        "due_date": due,
        "line_items": items,
        "status": status,
    }
    tables["bills"].append(bill)
    return bill


def _month_and_day(dice: Dice) -> str:
    return f"{dice.between(1, 12):02}-{dice.between(1, 28):02}"


def _office_hour(dice: Dice) -> str:
    return f"{dice.between(8, 19):02}:{dice.below(60):02}:00"
