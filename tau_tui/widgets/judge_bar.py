"""The question to whoever judges: one assertion in words at a time, met or not."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tau_tui.widgets.safe_text import safe
from tau_tui.widgets.segments import Segments

ANSWERS = {"met": "y met", "not met": "n not met"}


class JudgeBar(Vertical):
    """Asks, and tells which answer was clicked; who owns it has the keys."""

    DEFAULT_CSS = """
    JudgeBar {
        height: auto; display: none;
        & > #judge-question { height: auto; max-height: 5; }
    }
    """

    @dataclass
    class Answered(Message):
        """A verdict was clicked."""

        met: bool

    def compose(self) -> ComposeResult:
        """Question, answers."""
        yield Static(id="judge-question")
        yield Segments(ANSWERS, "none", id="judge-answers")

    def ask(self, number: int, total: int, text: str, met: bool | None, *, counts: bool) -> None:
        """Ask about an assertion; `met` is the verdict it has."""
        matters = "it counts" if counts else "diagnostic, it does not count"
        self.query_one("#judge-question", Static).update(
            Content(f"Is this so? {number} of {total} · {matters} · F9 shows what was said\n“{safe(text)}”")
        )
        self.query_one(Segments).active = "none" if met is None else "met" if met else "not met"
        self.display = True

    def close(self) -> None:
        """Nothing is asked."""
        self.display = False

    @on(Segments.Chosen)
    def _chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        self.post_message(self.Answered(event.name == "met"))
