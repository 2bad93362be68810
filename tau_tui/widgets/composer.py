"""Where a person acts: words, a tool call, or the end. The mode is chosen, never guessed from what is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from domains.toolkit import Seat, Tool
from domains.values import JSON
from tau_tui.widgets.argument_fields import Field
from tau_tui.widgets.command_list import AS_MESSAGE, CommandList
from tau_tui.widgets.end_menu import Ending, EndMenu
from tau_tui.widgets.message_area import MessageArea
from tau_tui.widgets.segments import Segments
from tau_tui.widgets.tool_field import Ids
from tau_tui.widgets.tool_form import ToolForm
from tau_tui.widgets.tool_list import ToolList

Mode: TypeAlias = Literal["message", "tool", "end"]
MODES = {"message": "Message", "tool": "Tool", "end": "End"}


@dataclass(frozen=True, slots=True)
class Offer:
    """What a seat can do now: its tools, completions for their fields, and the agent's last words it heard."""

    seat: Seat
    tools: Sequence[Tool]
    ids: Callable[[Field], Ids]
    last_words: str = ""
    solo: bool = False


class Composer(Vertical):
    """The modes on one row with whose turn it is; below it what the mode needs."""

    DEFAULT_CSS = """
    Composer {
        height: auto;
        & > #composer-top { height: 1; }
        & #turn { width: 1fr; height: 1; text-align: right; text-wrap: nowrap; text-overflow: ellipsis; }
        & > .composer--mode { display: none; }
        &.-message > #message { display: block; }
        &.-tool > ToolList, &.-tool > ToolForm { display: block; }
        &.-tool.-form > ToolList { display: none; }
        &.-end > EndMenu { display: block; }
    }
    """

    mode: reactive[Mode] = reactive("message", init=False)

    @dataclass
    class Said(Message):
        """Words to send."""

        text: str

    @dataclass
    class Called(Message):
        """A call to make or to try out."""

        tool: Tool
        arguments: Mapping[str, JSON]
        what: Literal["call", "preview"]

    @dataclass
    class Closed(Message):
        """An ending was chosen."""

        ending: Ending

    @dataclass
    class Commanded(Message):
        """A command with what followed it."""

        name: str
        rest: str

    @dataclass
    class Drafted(Message):
        """The words in the box have changed, or the box was left (`now`)."""

        text: str
        now: bool = False

    @dataclass
    class Refused(Message):
        """A mode that this seat has not, now."""

        why: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-message")
        self._offer: Offer | None = None
        self._typed: dict[tuple[Seat, str], dict[str, str]] = {}
        """What stood in forms that were left, by seat and tool."""

    def compose(self) -> ComposeResult:
        """Everything is there; the mode decides what is seen. A tool form is made when a tool is picked."""
        with Horizontal(id="composer-top"):
            yield Segments(MODES, "message", id="modes")
            yield Static("", id="turn", markup=False)
        yield CommandList(id="commands")
        yield MessageArea(id="message").add_class("composer--mode")
        yield ToolList(id="tools").add_class("composer--mode")
        yield EndMenu(id="end").add_class("composer--mode")

    @property
    def area(self) -> MessageArea:
        """The box for words."""
        return self.query_one(MessageArea)

    def offer(self, offer: Offer | None) -> None:
        """Say what can be done; None while it is somebody else's turn."""
        self._offer = offer
        if offer is None and self.mode != "message":
            self.mode = "message"

    def tell(self, text: str) -> None:
        """Say whose turn it is."""
        self.query_one("#turn", Static).update(Content(text), layout=False)

    def place(self, text: str) -> None:
        """Show what a box holds when nothing is written in it."""
        self.area.placeholder = Content(text)

    # Modes

    def choose(self, mode: Mode, query: str = "") -> None:
        """Go into a mode; what is not possible now is told."""
        if mode != "message" and self._offer is None:
            self.post_message(self.Refused("it is not your turn"))
            return
        if mode == "tool" and self._offer is not None and not self._offer.tools:
            self.post_message(self.Refused("this seat has no tools in this domain"))
            return
        self.mode = mode
        match mode:
            case "message":
                self.area.focus()
            case "tool" if self._offer is not None:
                self._drop_form()
                self.query_one(ToolList).offer(self._offer.tools, self._offer.seat, query)
            case "end" if self._offer is not None:
                self.query_one(EndMenu).offer(self._offer.seat, self._offer.last_words, solo=self._offer.solo)

    def fill_in(self, name: str) -> None:
        """Open the form of a tool that is offered."""
        self.choose("tool", name)
        if self._offer is not None and (tool := next((t for t in self._offer.tools if t.name == name), None)):
            self._open_form(tool, self._offer)

    def watch_mode(self, mode: Mode) -> None:
        """Show what the mode needs."""
        for name in MODES:
            self.set_class(name == mode, f"-{name}")
        self.query_one("#modes", Segments).active = mode
        self.query_one(CommandList).filter(None)
        if mode == "message":
            self._drop_form()

    def _drop_form(self) -> None:
        forms = self.query(ToolForm)
        if self.has_class("-form"):
            for form in forms:
                self._typed[form.seat, form.tool.name] = form.typed
        self.remove_class("-form")
        forms.remove()

    def forget(self, seat: Seat, tool: str) -> None:
        """The call that was filled in has been made, and nothing in it needs to be put right."""
        self._typed.pop((seat, tool), None)

    def step_back(self) -> bool:
        """Close what is open, innermost first; tell whether there was anything."""
        if self.area.commanding:
            self.area.commanding = False
            self.query_one(CommandList).filter(None)
            return True
        if self.has_class("-form"):
            self.choose("tool")
            return True
        if self.mode != "message":
            self.choose("message")
            return True
        return False

    # What the parts say

    @on(Segments.Chosen, "#modes")
    def _mode_clicked(self, event: Segments.Chosen) -> None:
        event.stop()
        if event.name in ("message", "tool", "end"):
            self.choose(event.name)  # type: ignore[arg-type]  # one of the three

    @on(MessageArea.Commanding)
    def _commanding(self, event: MessageArea.Commanding) -> None:
        event.stop()
        self.query_one(CommandList).filter(event.query)

    @on(MessageArea.Move)
    def _move(self, event: MessageArea.Move) -> None:
        event.stop()
        self.query_one(CommandList).move(event.by)

    @on(MessageArea.Sent)
    def _sent(self, event: MessageArea.Sent) -> None:
        event.stop()
        if self.area.commanding:
            self.query_one(CommandList).pick()
        elif event.text.strip():
            self.post_message(self.Said(event.text))

    @on(CommandList.Picked)
    def _picked_command(self, event: CommandList.Picked) -> None:
        event.stop()
        self.area.commanding = False
        if event.name == AS_MESSAGE:
            self.query_one(CommandList).filter(None)
            self.post_message(self.Said(self.area.text))
            return
        self.area.empty()
        self.post_message(self.Commanded(event.name, event.rest))

    @on(MessageArea.Changed)
    def _changed(self, event: MessageArea.Changed) -> None:
        if event.text_area is self.area:
            event.stop()
            self.post_message(self.Drafted(self.area.text))

    def on_descendant_blur(self) -> None:
        """Save what is written when the box is left."""
        self.post_message(self.Drafted(self.area.text, now=True))

    @on(ToolList.Picked)
    def _picked_tool(self, event: ToolList.Picked) -> None:
        event.stop()
        if self._offer is not None:
            self._open_form(event.tool, self._offer)

    def _open_form(self, tool: Tool, offer: Offer) -> None:
        self.add_class("-form")
        typed = self._typed.get((offer.seat, tool.name), {})
        self.mount(ToolForm(tool, offer.seat, offer.ids, typed, id="form").add_class("composer--mode"))

    @on(ToolForm.Left)
    def _left_form(self, event: ToolForm.Left) -> None:
        event.stop()
        self.choose("tool")

    @on(ToolForm.Submitted)
    def _submitted(self, event: ToolForm.Submitted) -> None:
        event.stop()
        self.post_message(self.Called(event.tool, event.arguments, event.what))

    @on(EndMenu.Picked)
    def _picked_ending(self, event: EndMenu.Picked) -> None:
        event.stop()
        self.post_message(self.Closed(event.ending))
