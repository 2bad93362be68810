"""One row of a tool form: its name, and a control that fits its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Select, Static, TextArea

from domains.values import JSON
from tau_tui.widgets.argument_fields import Field, size_of, value_of
from tau_tui.widgets.letter_select import LetterSelect
from tau_tui.widgets.message_area import one_to_one
from tau_tui.widgets.safe_text import one_line


class Ids(Suggester):
    """Completes ids: first those that were seen, then, where they may be shown, those of the database."""

    def __init__(self, seen: Sequence[str], database: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.seen = tuple(seen)
        self.database = tuple(database)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first id that goes on like this."""
        low = value.lower()
        found = (one for ids in (self.seen, self.database) for one in ids if one.lower().startswith(low))
        first = next(found, None)
        return first if first is not None and first != value else None


class TextInput(Input):
    """Tells when an id of the database was taken over, and lets no control character steer the terminal."""

    @dataclass
    class Completed(Message):
        """An id the seat had not seen was taken over from the database."""

        value: str

    def action_cursor_right(self, select: bool = False) -> None:
        """At the end, take over the suggestion."""
        before = self.value
        super().action_cursor_right(select)
        ids = self.suggester
        if self.value != before and isinstance(ids, Ids) and self.value not in ids.seen:
            self.post_message(self.Completed(self.value))

    def _on_paste(self, event: events.Paste) -> None:
        lines = event.text.splitlines()
        super()._on_paste(events.Paste(one_to_one(lines[0]) if lines else ""))
        event.stop()
        event.prevent_default()


class NestedArea(TextArea):
    """A nested value as JSON: one row that tells its size, and as many as it needs while one is in it."""

    DEFAULT_CSS = """
    NestedArea { height: 1; border: none; padding: 0; }
    NestedArea:focus { height: auto; max-height: 8; min-height: 3; }
    """

    def __init__(self, field: Field) -> None:
        super().__init__(compact=True, show_line_numbers=False, highlight_cursor_line=False, tab_behavior="focus")
        self.field = field

    def get_line(self, line_index: int) -> Text:
        """Return a line in which nothing steers the terminal."""
        return Text(one_to_one(self.document.get_line(line_index)), end="", no_wrap=True)

    def on_focus(self) -> None:
        """Show the pattern where nothing is written; what is typed takes its place."""
        self.placeholder = Content(self.field.example)

    def on_blur(self) -> None:
        """A pattern nobody has touched is nothing."""
        self.placeholder = ""
        if self.text == self.field.example:
            self.load_text("")
        self.scroll_home(animate=False)

    def action_cursor_right(self, select: bool = False) -> None:
        """Where nothing is written, take the pattern over, to be filled in."""
        if self.text or not self.field.example:
            super().action_cursor_right(select)
            return
        self.load_text(self.field.example)
        row, line = next(((i, line) for i, line in enumerate(self.text.split("\n")) if '""' in line), (0, ""))
        self.move_cursor((row, line.find('""') + 1))


class ToolField(Horizontal):
    """Name, `*` where it must be given, and the control."""

    DEFAULT_CSS = """
    ToolField {
        height: auto;
        & > .field--name { width: 22; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > .field--size { width: auto; min-width: 8; height: 1; padding: 0 1; }
        & > Input, & > Select, & > NestedArea { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = []

    @dataclass
    class Focused(Message):
        """This row is being filled in."""

        field: Field

    def __init__(self, field: Field, ids: Ids | None = None) -> None:
        super().__init__()
        self.field = field
        self._ids = ids

    def compose(self) -> ComposeResult:
        """Name and control."""
        star = " *" if self.field.required else ""
        yield Static(Content(one_line(self.field.name) + star), classes="field--name")
        yield self._control()
        if self.field.shape == "json":
            yield Static("", classes="field--size", markup=False)

    def on_mount(self) -> None:
        """Tell the size of a nested value."""
        self._tell_size()

    def _control(self) -> Widget:
        match self.field.shape:
            case "choice" | "boolean":
                return LetterSelect([(Text(one_line(shown)), shown) for shown, _ in self.field.choices])
            case "json":
                return NestedArea(self.field)
            case _:
                return TextInput(placeholder=one_line(self.field.description), compact=True, suggester=self._ids)

    @property
    def control(self) -> Widget:
        """What is typed into."""
        return self.children[1]

    @property
    def typed(self) -> str:
        """What was typed."""
        match self.control:
            case Select() as select:
                return "" if select.is_blank() else str(select.value)
            case TextArea() as area:
                return "" if area.text == self.field.example else area.text
            case Input() as box:
                return box.value
            case _:
                return ""

    @property
    def value(self) -> JSON:
        """Return the JSON value. Raises Missing and BadValue."""
        return value_of(self.field, self.typed)

    def fill(self, text: str) -> None:
        """Put a text into the control."""
        match self.control:
            case Select() as select:
                select.value = text
            case TextArea() as area:
                area.load_text(text)
            case Input() as box:
                box.value = text

    def on_descendant_focus(self) -> None:
        """Say what is asked for here."""
        self.post_message(self.Focused(self.field))

    @on(TextArea.Changed)
    def _tell_size(self) -> None:
        if self.field.shape == "json":
            self.query_one(".field--size", Static).update(size_of(self.field, self.typed))
