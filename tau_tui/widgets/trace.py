"""The calls, one summary line each; a line that is opened shows arguments and the whole result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from sessions.trajectory import Done
from tau_tui.widgets.pane import Unseen
from tau_tui.widgets.safe_text import one_line

OPEN = Binding.Group("Calls")


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call as it stands; `kind` is the tool's, and empty for one that reaches no tool."""

    done: Done
    kind: str
    whose: str = ""
    """The caller, where it is not plain from the seat."""

    @property
    def key(self) -> tuple[int, str]:
        """Ids are unique within a turn only."""
        return self.done.call.turn, self.done.call.id

    @property
    def fields(self) -> int:
        """How many fields it changed, on both sides."""
        changes = self.done.result.changes if self.done.result else ()
        synced = self.done.synced.changes if self.done.synced else ()
        return sum(change.fields for change in (*changes, *synced))


class Trace(OptionList):
    """Stays at the newest call unless the reader has gone back."""

    DEFAULT_CSS = "Trace { height: 1fr; max-height: 100%; border: none; padding: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", id="trace.open", tooltip="Show a call with its whole result", group=OPEN),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"trace--quiet", "trace--changed", "trace--error", "trace--name"}

    @dataclass
    class Opened(Message):
        """A call is to be shown in full."""

        row: CallRow

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self.rows: list[CallRow] = []
        self._seen = 0
        self._following = True
        self._settling = False
        self._on_screen = False

    def show(self, row: CallRow) -> None:
        """Add a call, or show its result."""
        for i, known in enumerate(self.rows):
            if known.key == row.key:
                self.rows[i] = row
                self.replace_option_prompt_at_index(i, self._prompt(row))
                break
        else:
            self.rows.append(row)
            self.add_option(Option(self._prompt(row)))
        if self._following:
            self.call_after_refresh(self._settle)
        self._count()

    def _prompt(self, row: CallRow) -> Content:
        style = self.get_visual_style
        done = row.done
        whose = f"{row.whose} ▸ " if row.whose else ""
        first = Content.assemble(
            (whose, style("trace--quiet")),
            (one_line(done.call.name), style("trace--name")),
            (f"  {row.kind or 'no such tool'}", style("trace--quiet")),
        )
        if done.result is None:
            return first.append(Content.styled("  …", style("trace--quiet")))
        if row.fields:
            first = first.append(Content.styled(" ●", style("trace--changed")))
        took = f"{done.result.elapsed * 1000:.0f} ms" if done.result.elapsed >= 0.001 else "< 1 ms"
        if done.result.error:
            fields = f" → {row.fields} fields left" if row.fields else ""
            text = one_line(done.result.content[:300])
            return first.append("\n").append(Content.styled(f"  {text}{fields}", style("trace--error")))
        if row.fields:
            said = f"  → {row.fields} field{'s' if row.fields > 1 else ''}, {took}"
            return first.append("\n").append(Content.styled(said, style("trace--quiet")))
        return first.append(Content.styled(f"  {took}", style("trace--quiet")))

    def restyle(self) -> None:
        """Draw all again, in other colours."""
        for i, row in enumerate(self.rows):
            self.replace_option_prompt_at_index(i, self._prompt(row))

    # Where the reader is

    def go_to_newest(self) -> None:
        """Follow again."""
        self._following = True
        self._settle()

    def _settle(self) -> None:
        if self._following and self.is_attached:
            self._settling = True
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True, immediate=True)
            self._settling = False
        self._count()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice the reader's own scrolling."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling:
            self._following = new_value >= self.max_scroll_y - 1
        self._count()

    def on_show(self) -> None:
        """What came while the pane was hidden is looked at now."""
        self._on_screen = True
        self.call_after_refresh(self._settle)

    def on_hide(self) -> None:
        """From now on everything is unseen."""
        self._on_screen = False

    def on_resize(self, event: events.Resize) -> None:
        """Keep the place."""
        self.call_after_refresh(self._settle)

    def _count(self) -> None:
        if self._on_screen and self._following:
            self._seen = len(self.rows)
        self.post_message(Unseen(self, len(self.rows) - self._seen))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click opens a call."""
        event.stop()
        self.post_message(self.Opened(self.rows[event.option_index]))
