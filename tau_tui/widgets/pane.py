"""One of the columns (or tabs) of the play screen: a title row that counts what is new, and a body below it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static


class PaneTitle(Static):
    """The name of a pane; a click goes to what is new."""

    DEFAULT_CSS = "PaneTitle { width: auto; height: 1; text-wrap: nowrap; }"
    ALLOW_SELECT = False


class Pane(Vertical):
    """Holds one body. `unseen` counts what came while the pane was hidden or scrolled back."""

    DEFAULT_CSS = """
    Pane {
        width: 1fr; height: 1fr;
        & > .pane--top { height: 1; }
        & > .pane--body { height: 1fr; }
    }
    """

    unseen: reactive[int] = reactive(0)

    @dataclass
    class Counted(Message):
        """The number of new things has changed."""

        pane: Pane

    @dataclass
    class Clicked(Message):
        """The title was clicked."""

        pane: Pane

    def __init__(self, name: str, title: str, body: Widget, *beside: Widget) -> None:
        super().__init__(id=f"pane-{name}", name=name)
        self.title = title
        self.body = body
        self._beside = beside
        body.add_class("pane--body")

    def compose(self) -> ComposeResult:
        """Title row above the body."""
        with Horizontal(classes="pane--top"):
            yield PaneTitle(Content(self.title))
            yield from self._beside
        yield self.body

    @property
    def label(self) -> str:
        """The title with its badge."""
        return f"{self.title} ({self.unseen} new)" if self.unseen else self.title

    def watch_unseen(self) -> None:
        """Tell it in the title row and to whoever draws tabs."""
        if self.is_mounted:
            below = f" · {self.unseen} new below ↓" if self.unseen else ""
            self.query_one(PaneTitle).update(Content(self.title + below))
            self.post_message(self.Counted(self))

    def on_click(self, event: events.Click) -> None:
        """A click on the title row."""
        if (event.widget is not None and event.widget.has_class("pane--top")) or isinstance(event.widget, PaneTitle):
            self.post_message(self.Clicked(self))


@dataclass
class Unseen(Message):
    """A body tells its pane how much of it has not been seen."""

    body: Widget
    count: int
