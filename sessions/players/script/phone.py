"""The customer's hands on the phone: does the steps an agent asks for, by its own tool calls, and reports what it saw."""

from __future__ import annotations

from sessions.players.base import Action, View
from sessions.players.script.memory import Memory
from sessions.players.script.scenario import Sheet


class Phone:
    """Acts only where the user seat has tools."""

    def __init__(self, sheet: Sheet, *, hard: bool) -> None:
        self.sheet = sheet
        self.hard = hard

    def act(self, view: View, memory: Memory) -> Action | None:
        """Return calls or a report of what they showed; None when nothing on the phone is asked for."""
        return None
