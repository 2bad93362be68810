"""Panes side by side; in narrow screens, and when one is zoomed, only the active one is seen."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tau_tui.widgets.pane import Pane, Unseen


class PaneRow(Horizontal):
    """Knows which pane is active, and tells whoever draws the tabs."""

    DEFAULT_CSS = """
    PaneRow {
        height: 1fr;
        &.-zoomed > Pane { display: none; }
        &.-zoomed > Pane.-active { display: block; }
    }
    """

    active: reactive[str] = reactive("")
    zoomed: reactive[bool] = reactive(False, toggle_class="-zoomed")

    @dataclass
    class Relabelled(Message):
        """The tabs have other badges, or another one is active."""

        labels: dict[str, str]
        active: str

    def __init__(self, active: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(PaneRow.active, active)

    @property
    def panes(self) -> list[Pane]:
        """The panes, in order."""
        return list(self.query_children(Pane))

    def pane(self, name: str) -> Pane | None:
        """Return the pane of a name, None when there is none."""
        return next((pane for pane in self.panes if pane.name == name), None)

    def on_mount(self) -> None:
        """Something is active from the first frame on."""
        self.watch_active()

    def watch_active(self) -> None:
        """Tell the panes and the tabs."""
        for pane in self.panes:
            pane.set_class(pane.name == self.active, "-active")
        self._relabel()

    @on(Pane.Counted)
    def _relabel(self) -> None:
        self.post_message(self.Relabelled({pane.name or "": pane.label for pane in self.panes}, self.active))

    @on(Pane.Clicked)
    def _clicked(self, event: Pane.Clicked) -> None:
        event.stop()
        event.pane.body.focus()

    @on(Unseen)
    def _unseen(self, event: Unseen) -> None:
        event.stop()
        for pane in self.panes:
            if pane.body is event.body:
                pane.unseen = event.count

    def on_descendant_focus(self) -> None:
        """The pane one is in is the active one."""
        focused: Widget | None = self.screen.focused
        while focused is not None and not isinstance(focused, Pane):
            focused = focused.parent if isinstance(focused.parent, Widget) else None
        if focused is not None and focused.name:
            self.active = focused.name

    def go_to(self, name: str) -> None:
        """Make a pane the active one, and let it have the keys."""
        self.active = name
        if (pane := self.pane(name)) is not None:
            self.call_after_refresh(pane.body.focus)

    def next(self) -> None:
        """Go to the next pane."""
        names = [pane.name or "" for pane in self.panes]
        self.go_to(names[(names.index(self.active) + 1) % len(names)])
