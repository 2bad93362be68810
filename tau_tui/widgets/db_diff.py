"""What moved in the database: since the start, by the last call, or on the way to the goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from domains.database import Change
from tau_tui.widgets.change_text import Card, Line, Touched, cards
from tau_tui.widgets.pane import Unseen
from tau_tui.widgets.segments import Segments

Basis: TypeAlias = Literal["start", "call", "goal"]
BASES: dict[str, str] = {"start": "since start", "call": "last call", "goal": "goal"}
MOST = 80
"""As many cards are mounted; what is beyond is told, and stands in the full view."""


class RecordCard(Static):
    """One record; selectable."""

    DEFAULT_CSS = "RecordCard { height: auto; pointer: pointer; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "card--title",
        "card--by",
        "card--before",
        "card--after",
        "card--path",
        "card--failed",
    }

    @dataclass
    class Clicked(Message):
        """The record is to be shown in full."""

        card: Card

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card

    def on_mount(self) -> None:
        """Draw it."""
        style = self.get_visual_style
        card = self.card
        kind = {"new": " + new", "removed": " − removed", "": ""}[card.kind]
        parts = [Content.assemble((card.title, style("card--title")), (kind, style("card--after")))]
        if card.by:
            note = "  left by a call that failed: " if card.failed else "  "
            parts[0] = parts[0].append(
                Content.styled(note + card.by, style("card--failed" if card.failed else "card--by"))
            )
        parts.extend(self._field(line) for line in card.lines)
        self.update(Content("\n").join(parts))

    def _field(self, line: Line) -> Content:
        style = self.get_visual_style
        path = (f"  {line.path}  ", style("card--path"))
        if line.sign:
            sign = "card--before" if line.sign == "−" else "card--after"
            return Content.assemble(path, (f"{line.sign} {line.after}", style(sign)))
        if not line.before:
            return Content.assemble(path, (line.after, style("card--after")))
        arrow = (" → ", style("card--path"))
        return Content.assemble(path, (line.before, style("card--before")), arrow, (line.after, style("card--after")))

    def on_click(self, event: events.Click) -> None:
        """Twice opens it; once is for selecting."""
        if event.chain == 2:
            event.stop()
            self.post_message(self.Clicked(self.card))


class DatabaseDiff(VerticalScroll, can_focus=True):
    """Shows the changes it is handed; it computes none."""

    DEFAULT_CSS = "DatabaseDiff { height: 1fr; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Compare", show=False, id="database.left", tooltip="Compare with something else"),
        Binding("right", "turn(1)", "Compare", show=False, id="database.right", tooltip="Compare with something else"),
        Binding("enter", "open", "Open", id="database.open", tooltip="Show every changed field"),
    ]

    @dataclass
    class Asked(Message):
        """Something else is to be compared with."""

        basis: str

    @dataclass
    class Opened(Message):
        """Changes are to be shown in full."""

        title: str
        changes: tuple[Change, ...]

    def __init__(self, segments: Segments, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._segments = segments
        self._since_start: tuple[Change, ...] = ()
        self._last_call: tuple[Change, ...] = ()
        self._goal: tuple[Change, ...] | None = None
        self._last_name = ""
        self._touched: Touched = {}
        self._news = 0
        self._on_screen = False

    def compose(self) -> ComposeResult:
        """Empty at first."""
        yield Static("nothing has changed yet", markup=False, classes="quiet")

    @property
    def basis(self) -> str:
        """What is compared with now."""
        return self._segments.active

    @property
    def shown(self) -> tuple[Change, ...]:
        """The changes shown now."""
        return {"start": self._since_start, "call": self._last_call, "goal": self._goal or ()}[self.basis]

    def called(self, name: str, changes: Iterable[Change], since_start: tuple[Change, ...], *, failed: bool) -> None:
        """Take in what a call changed and what that makes of the whole."""
        self._last_name = name
        self._last_call = tuple(changes)
        self._since_start = since_start
        for change in self._last_call:
            self._touched[change.database, change.table, change.key] = (name, failed)
        if self._last_call:
            self._news += 1
        self._draw()

    def synced(self, changes: Iterable[Change], since_start: tuple[Change, ...]) -> None:
        """Take in what the other side's world made of the call before."""
        self.called(self._last_name, (*self._last_call, *changes), since_start, failed=False)

    def reveal(self, changes: tuple[Change, ...]) -> None:
        """Show the goal; whoever calls this has noted the exposure before."""
        self._goal = changes
        self.choose("goal")

    @property
    def goal_is_known(self) -> bool:
        """Whether the goal has been revealed."""
        return self._goal is not None

    def choose(self, basis: str) -> None:
        """Compare with something else."""
        self._segments.active = basis
        self._draw()

    def _draw(self) -> None:
        top = self.scroll_y
        touched = {} if self.basis == "goal" else self._touched
        found = cards(self.shown, touched)
        empty = {
            "start": "nothing has changed yet",
            "call": f"{self._last_name or 'no call yet'}: nothing changed" if self._last_name else "no call yet",
            "goal": "the goal changes nothing",
        }[self.basis]
        self.query(RecordCard).remove()
        quiet = self.query_one(".quiet", Static)
        quiet.display = len(found) == 0 or len(found) > MOST
        quiet.update(Content(empty if not found else f"{len(found) - MOST} more records: Enter shows all"))
        self.mount_all([RecordCard(card) for card in found[:MOST]])
        self.call_after_refresh(self.scroll_to, y=top, animate=False)
        self._tell()

    def _tell(self) -> None:
        if self._on_screen:
            self._news = 0
        self.post_message(Unseen(self, self._news))

    def on_show(self) -> None:
        """What came while the pane was hidden is looked at now."""
        self._on_screen = True
        self._tell()

    def on_hide(self) -> None:
        """From now on everything is unseen."""
        self._on_screen = False

    def go_to_newest(self) -> None:
        """Changes stand in the order of the records; the top is as new as any."""
        self.scroll_home(animate=False)

    def action_turn(self, by: int) -> None:
        """Compare with the next."""
        self.post_message(self.Asked(self._segments.next(by)))

    def action_open(self) -> None:
        """Show all in full."""
        self.post_message(self.Opened(BASES[self.basis], self.shown))

    @on(RecordCard.Clicked)
    def _open_card(self, event: RecordCard.Clicked) -> None:
        event.stop()
        self.post_message(self.Opened(event.card.title, event.card.changes))
