"""Mistakes that were asked for: whoever plays against `oracle:slips=N` must not take them for faults of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tau_tui.report import Line
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.session import Session


def on_purpose(session: Session) -> Line | None:
    """Return what the oracle was made to do wrong, None when it was to make no mistake."""
    from sessions.players.oracle import OracleAgent

    agent = session.players["agent"]
    if not isinstance(agent, OracleAgent) or not agent.slips:
        return None
    often = "once" if len(agent.slips) == 1 else f"{len(agent.slips)} times"
    text = f"Deliberate: the oracle was asked to err {often} ({agent.info.name})"
    told = [one_line(f"{slip.kind.replace('_', ' ')}: {slip.detail}") for slip in agent.slips]
    return Line(text, "warn", "\n".join([text, "", *told]), tuple(Line(one, "warn") for one in told), open=True)
