"""The phone of the customer, as the person in the user seat sees it: a value is shown once a look has shown it."""

from tau_tui.widgets.phone.phone import LastAnswer, Phone

__all__ = ["LastAnswer", "Phone"]
