"""Whose a tool is, in words, for every place that offers one. No widget."""

from __future__ import annotations

from domains.toolkit import Seat, Tool
from tau_tui.widgets.phone.tiles import TOOLS


def whose(tool: Tool, seat: Seat) -> str:
    """Return whose tool it is, as said to a seat: `your phone`, `the agent's tools`."""
    if tool.owner == "agent":
        return "the agent's tools"
    things = "phone" if tool.name in TOOLS else "tools"
    # Only a solo agent is offered what is the customer's.
    return f"your {things}" if seat == "user" else f"the customer's {things}, in your hands"
