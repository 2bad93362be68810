"""A form made from a tool's schema; it hands over a call, or asks what the call would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Select, Static, TextArea

from domains.toolkit import Seat, Tool
from domains.values import JSON
from tau_tui.widgets.argument_fields import BadValue, Field, Missing, fields_of
from tau_tui.widgets.ownership import whose
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.tool_field import Ids, ToolField

FORM = Binding.Group("Form")


class ToolForm(Vertical):
    """One row for each argument, a line of help, and the buttons."""

    DEFAULT_CSS = """
    ToolForm {
        height: auto;
        & > #form-title { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #form-fields { height: auto; max-height: 9; }
        & > #form-help { height: auto; max-height: 2; }
        & > #form-buttons { height: 1; & > Button { margin-right: 2; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+enter,ctrl+j,f10",
            "call",
            "Call",
            show=False,
            id="form.call",
            key_display="^J",
            tooltip="Make the call",
            group=FORM,
        ),
        Binding(
            "ctrl+o",
            "preview",
            "Preview",
            show=False,
            id="form.preview",
            tooltip="See what it would change",
            group=FORM,
        ),
    ]

    @dataclass
    class Submitted(Message):
        """A call with its arguments: to be made, or to be tried out."""

        tool: Tool
        arguments: Mapping[str, JSON]
        what: Literal["call", "preview"]

    @dataclass
    class Left(Message):
        """Another tool is wanted after all."""

    def __init__(
        self,
        tool: Tool,
        seat: Seat,
        ids: Callable[[Field], Ids],
        typed: Mapping[str, str] | None = None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.tool = tool
        self.seat: Seat = seat
        self._before = dict(typed or {})
        """What stood here when the form was left."""
        self._fields = fields_of(tool.parameters)
        self._ids = ids
        self._faulty: ToolField | None = None
        """The row a complaint is about, which must not be talked over by the help for that row."""
        self._complained = ""
        """What stood in that row then: once it is another, the complaint is over."""

    def compose(self) -> ComposeResult:
        """Title, rows, help, buttons."""
        tool = self.tool
        first = one_line(tool.description.split("\n")[0])
        yield Static(
            Content(f"{one_line(tool.name)} · {tool.kind} · {whose(tool, self.seat)} · {first}"), id="form-title"
        )
        with VerticalScroll(id="form-fields", can_focus=False):
            for field in self._fields:
                yield ToolField(field, self._ids(field) if field.shape == "text" else None)
            if not self._fields:
                yield Static("it takes no arguments", classes="quiet", markup=False)
        yield Static("", id="form-help", markup=False)
        with Horizontal(id="form-buttons"):
            yield Button("Call ^J", variant="primary", compact=True, id="form-call")
            if tool.mutates:
                yield Button("Preview ^O", compact=True, id="form-preview")
            yield Button("Other tool", compact=True, id="form-back")

    def on_mount(self) -> None:
        """Begin at the first row, with what stood there when the form was left."""
        self.fill(self._before)
        rows = self.rows
        (rows[0].control if rows else self.query_one("#form-call")).focus()

    @property
    def rows(self) -> list[ToolField]:
        """The rows, in the schema's order."""
        return list(self.query(ToolField))

    @property
    def typed(self) -> dict[str, str]:
        """What was typed, by the names of the rows."""
        if not self.rows:
            return self._before
        return {row.field.name: row.typed for row in self.rows if row.typed}

    def arguments(self) -> dict[str, JSON]:
        """Return what was filled in; an optional field left empty is not given. Raises BadValue and Missing."""
        found = {}
        for row in self.rows:
            try:
                found[row.field.name] = row.value
            except (Missing, BadValue) as fault:
                if isinstance(fault, BadValue) or row.field.required:
                    self._faulty, self._complained = row, row.typed
                    row.control.focus()
                    raise
        return found

    def _submit(self, what: Literal["call", "preview"]) -> None:
        self._faulty = None
        try:
            arguments = self.arguments()
        except Missing as missing:
            self.say(f"{missing}: this must be given", wrong=True)
        except BadValue as bad:
            self.say(str(bad), wrong=True)
        else:
            self.post_message(self.Submitted(self.tool, arguments, what))

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Write the line below the rows."""
        help_line = self.query_one("#form-help", Static)
        help_line.update(Content(one_line(text)))
        help_line.set_class(wrong, "-wrong")

    def action_call(self) -> None:
        """Make the call."""
        self._submit("call")

    def action_preview(self) -> None:
        """Find out what the call would change."""
        if self.tool.mutates:
            self._submit("preview")

    @on(ToolField.Focused)
    def _focused_row(self, event: ToolField.Focused) -> None:
        event.stop()
        if self._faulty is None or self._faulty.field is not event.field:
            self._explain(event.field)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    def _put_right(self) -> None:
        if (row := self._faulty) is not None and row.typed != self._complained:
            self._explain(row.field)

    def _explain(self, field: Field) -> None:
        self._faulty = None
        need = "required" if field.required else "optional"
        pattern = " · → fills in the pattern" if field.example else ""
        self.say(f"{field.name}: {field.hint}, {need}{pattern}. {field.description}")

    @on(Input.Submitted)
    def _next_row(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.focus_next()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "form-call":
                self.action_call()
            case "form-preview":
                self.action_preview()
            case "form-back":
                self.post_message(self.Left())

    def fill(self, values: Mapping[str, str]) -> None:
        """Fill rows by name."""
        for row in self.rows:
            if row.field.name in values:
                row.fill(values[row.field.name])
