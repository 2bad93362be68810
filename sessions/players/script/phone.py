"""The customer's hands on the phone: does the steps an agent asks for by its own calls, and reports what it saw."""

from __future__ import annotations

import re

from sessions.players import language
from sessions.players.base import Action, ToolCall, View
from sessions.players.language import plain
from sessions.players.script.memory import Memory
from sessions.players.script.presses import SWITCHES, Press, presses
from sessions.players.script.scenario import Sheet
from sessions.trajectory import Done

NERVOUS = "I am a bit nervous about this. What exactly do I press, and can anything get lost by it?"
STILL = "It still does not work:"
MOST_COMPLAINTS = 2
_CHECKS = (
    (r"\b(?:mms|picture|pictures|photos?)\b", "can_send_mms", r"\bcan send\b"),
    (r"\b(?:slow|speed|internet|mobile data|browse|web|load)\b", "run_speed_test", r"\((?:excellent|good)\)"),
    (r"\b(?:service|signal|calls?|phone)\b", "check_status_bar", r"(?:5g|4g|3g|2g)\b"),
)
"""What the problem is about → how one sees that it is gone."""


class Phone:
    """Acts only where the user seat has tools."""

    def __init__(self, sheet: Sheet, *, hard: bool) -> None:
        self.sheet = sheet
        self.hard = hard

    def act(self, view: View, memory: Memory) -> Action | None:
        """Return calls or a report of what they showed; None when nothing on the phone is asked for."""
        if not view.tools or not memory.heard or not memory.spoken or language.transfers(memory.heard):
            return None
        tools = frozenset(tool.name for tool in view.tools)
        done = _since_heard(view)
        asked = presses(memory.heard, tools)
        if not asked:
            return self._check(memory, tools, done)
        if self.hard and not done and any(not press.looks for press in asked) and not self._reassured(memory):
            return Action(NERVOUS)
        for press in asked:
            if (call := _next(press, done)) is not None:
                return Action(calls=(call,))
        return Action(_report(asked, done))

    def _reassured(self, memory: Memory) -> bool:
        return bool(memory.mine) and NERVOUS in memory.mine[-1]

    def _check(self, memory: Memory, tools: frozenset[str], done: list[Done]) -> Action | None:
        """When the agent asks whether that was all, look whether the trouble is over."""
        if not language.asks_for_more(memory.heard) or language.asked(memory.heard):
            return None
        wish = memory.current
        problem = plain(wish.say) if wish is not None else ""
        for pattern, tool, good in _CHECKS:
            if tool in tools and re.search(pattern, problem):
                seen = next((d for d in done if d.call.name == tool), None)
                if seen is None:
                    return Action(calls=(ToolCall(tool, {}),)) if len(memory.mine) > 1 else None
                content = seen.result.content if seen.result is not None else ""
                if re.search(good, content.lower()):
                    return Action("It works now. Thank you, that was all.", stop="###STOP###")
                if sum(STILL in said for said in memory.mine) >= MOST_COMPLAINTS:
                    return Action("It does not work, but I have to go now. Goodbye.", stop="###STOP###")
                return Action(f"{STILL} {content}")
        return None


def _since_heard(view: View) -> list[Done]:
    """Return the own calls since the agent last spoke."""
    done: list[Done] = []
    for turn in view.turns:
        done = [] if turn.seat == "agent" else [*done, *turn.calls]
    return done


def _next(press: Press, done: list[Done]) -> ToolCall | None:
    """Return the call that is still needed for a press, None when it is done."""
    made = [d for d in done if d.call.name == press.tool and dict(d.call.arguments) == dict(press.arguments)]
    if press.state is None:
        return None if made else ToolCall(press.tool, dict(press.arguments))
    switch = next(s for s in SWITCHES if s.flip == press.tool)
    read = next((d for d in done if d.call.name == switch.read), None)
    if read is None:
        return ToolCall(switch.read, {})
    is_on = read.result is not None and bool(re.search(switch.on, read.result.content.lower()))
    return None if made or is_on == press.state else ToolCall(press.tool, {})


def _report(asked: list[Press], done: list[Done]) -> str:
    """Tell what was done and what the phone showed."""
    parts = []
    for press in asked:
        mine = [d for d in done if d.call.name == press.tool and d.result is not None]
        own = [d for d in mine if dict(d.call.arguments) == dict(press.arguments)]
        if own:
            content = " ".join(own[-1].result.content.split()) if own[-1].result is not None else ""
            parts.append(f"My phone says: {content}" if press.looks else f"Done. {content}")
        elif press.state is not None:
            parts.append(f"Done: it is {'on' if press.state else 'off'} already.")
    return " ".join(parts)
