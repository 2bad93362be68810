"""The play screen: it owns the session, hands its events to the panes, and takes the person's acts to it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer

from tau_tui.screens.panes import Panes
from tau_tui.screens.play.playing import Playing
from tau_tui.widgets.banner import Banner
from tau_tui.widgets.composer import Composer
from tau_tui.widgets.header import Facts, HeaderLine, modes_text, seats_text
from tau_tui.widgets.segments import Segments

LOOK, ACT, END, NOTE = (Binding.Group(name) for name in ("Look", "Act", "End", "Note"))


class PlayScreen(Playing):
    """The first frame shows header, empty panes and box; a thread then opens the session, and a worker plays it."""

    CSS_PATH = "../../styles/play.tcss"
    TITLE = "play"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Neighbours are of different groups: a footer folds one group into one word. F6 and F7 would select text.
        Binding("f2", "document", "Task", id="play.document", tooltip="Your scenario, or the policy", group=LOOK),
        Binding("f3", "mode('tool')", "Tool", id="play.tool", tooltip="Call a tool", group=ACT),
        Binding("f4", "mode('end')", "End", id="play.end", tooltip="End the conversation", group=END),
        Binding("f6", "zoom", "Zoom", id="play.zoom", priority=True, tooltip="One pane fills the screen", group=LOOK),
        Binding("f7", "note", "Note", id="play.note", priority=True, tooltip="Write a note on this turn", group=NOTE),
        Binding("f8", "undo", "Undo", id="play.undo", tooltip="Take back your last message", group=ACT),
        Binding("f9", "next_pane", "Pane", id="play.pane", tooltip="Go to the next pane", group=LOOK),
        Binding("f10", "rewind", "Rewind", show=False, id="play.rewind", tooltip="Go on from a turn", group=ACT),
        Binding("f12", "result", "Result", show=False, id="play.result", tooltip="The result", group=END),
        Binding("ctrl+s", "seats", "Seats", show=False, id="play.seats", tooltip="Who sits where", group=ACT),
        Binding("ctrl+g", "goal", "Goal", show=False, id="play.goal", tooltip="Reveal the goal", group=LOOK),
        Binding("escape", "back", "Back", show=False, id="play.back", tooltip="Close; then, the box", group=LOOK),
    ]

    def compose(self) -> ComposeResult:
        """Header, tabs, panes, box, keys."""
        table = self.choice.table
        modes = modes_text(solo=table.solo, plan=table.plan, no_policy=table.no_policy, supervised=table.approve)
        yield HeaderLine(Facts(self.choice.domain, seats_text(table), table.view or "", modes), id="header")
        yield Segments({}, id="tabs")
        yield Panes(table.view or "open", table.people, solo=table.solo)
        yield Banner(id="banner")
        yield Composer(id="composer")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Open the session after the first frame."""
        self.composer.area.focus()
        self.composer.place("opening …")
        self.call_after_refresh(self._open)

    def focus_box(self) -> None:
        """Give the box the keys, for what was typed before it was there."""
        self.set_focus(self.composer.area)

    # Commands and keys

    @on(Composer.Commanded)
    def _commanded(self, event: Composer.Commanded) -> None:
        match event.name:
            case "tool":
                self.composer.choose("tool", event.rest)
            case "end":
                self.composer.choose("end")
            case "note" if event.rest:
                self._keep_note(event.rest)
            case "note":
                self.action_note()
            case "scenario" | "policy":
                self._open_document(event.name)
            case "help":
                self.app.action_keys()
            case "quit":
                self.call_later(self.app.action_quit)
            case "phone" if (pane := self.panes.pane("phone")) is not None and not pane.has_class("-off"):
                self.call_after_refresh(pane.body.focus)
            case "phone":
                self._refuse(f"the {self._seat} sees no phone here")
            case "pane":
                self.action_next_pane()
            case "undo":
                self.action_undo()
            case "rewind" if event.rest:
                self._rewind_to(event.rest)
            case "rewind":
                self.action_rewind()
            case "goal":
                self.action_goal()
            case "zoom":
                self.action_zoom()
            case "retry":
                self.action_retry()
            case "seat":
                self.action_seats()
            case "approve":
                self._supervise()
            case "stop" if self.partners is None or not self.partners.stop():
                self._refuse("nobody is at work who could be stopped")
            case "result":
                self.action_result()

    def action_mode(self, mode: str) -> None:
        """Go into a mode of the box; the same key leaves it."""
        if self.composer.mode == mode:
            self.composer.choose("message")
        elif mode in ("tool", "end"):
            self.composer.choose("tool" if mode == "tool" else "end")

    def action_back(self) -> None:
        """Close what is open, innermost first; then go to the box, and from there to what failed."""
        if self.composer.step_back():
            return
        if self.panes.zoomed:
            self.action_zoom()
        elif self.focused is self.composer.area:
            stopped = self.partners is not None and self.partners.stop()
            if self.banner.display and not stopped:
                self.banner.focus()
                return
        self.composer.area.focus()
