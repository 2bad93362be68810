"""A long text in sections that fold, with a search: the agent's policy, the customer's scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from tau_tui.widgets.marked_text import marked
from tau_tui.widgets.safe_text import one_line, safe
from tau_tui.widgets.sections import Section

READING = Binding.Group("Read")


class SectionTitle(Static):
    """A click folds what is below it."""

    DEFAULT_CSS = "SectionTitle { height: auto; pointer: pointer; }"
    ALLOW_SELECT = False


class SectionView(Vertical):
    """One heading with its text."""

    DEFAULT_CSS = "SectionView { height: auto; & > .section--text { height: auto; padding-left: 2; } }"

    folded: reactive[bool] = reactive(False)

    def __init__(self, section: Section) -> None:
        super().__init__(classes=f"-level-{section.level}")
        self.section = section
        self.set_reactive(SectionView.folded, section.folded)

    def compose(self) -> ComposeResult:
        """Title and text."""
        if self.section.title:
            yield SectionTitle("", markup=False)
        yield Static("", classes="section--text", markup=False)

    def on_mount(self) -> None:
        """Draw it."""
        self.show("")
        self.watch_folded(self.folded)

    def watch_folded(self, folded: bool) -> None:
        """Show or hide the text; one without a heading cannot be folded."""
        if not self.is_attached or not self.section.title:
            return
        self.query_one(".section--text").display = not folded
        sign = "▸" if folded else "▾" if self.section.text.strip() else "·"
        title = one_line(self.section.title)
        name = marked(title) if self.section.markdown else Content(title)
        self.query_one(SectionTitle).update(Content(f"{sign} ") + name)

    @property
    def content(self) -> Content:
        """The text with its looks."""
        return marked(self.section.text) if self.section.markdown else Content(safe(self.section.text))

    def show(self, needle: str) -> int:
        """Mark what is searched for and return how often it is there."""
        content = self.content
        low, count, at = content.plain.lower(), 0, 0
        while needle and (at := low.find(needle, at)) >= 0:
            content = content.stylize("reverse", at, at + len(needle))
            count += 1
            at += len(needle)
        self.query_one(".section--text", Static).update(content)
        return count + (bool(needle) and needle in self.section.title.lower())

    def on_click(self, event: events.Click) -> None:
        """Fold by the title."""
        if isinstance(event.widget, SectionTitle):
            event.stop()
            self.folded = not self.folded


class DocumentText(VerticalScroll, can_focus=True):
    """Scrolls; ← and → fold the section at the top of the view."""

    DEFAULT_CSS = "DocumentText { height: 1fr; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left", "fold(True)", "Fold", show=False, id="document.fold", tooltip="Fold this section", group=READING
        ),
        Binding("right", "fold(False)", "Unfold", show=False, id="document.unfold", tooltip="Unfold it", group=READING),
        Binding("minus", "fold_all(True)", "Fold all", show=False, id="document.fold_all", tooltip="Only headings"),
        Binding("plus", "fold_all(False)", "Unfold all", show=False, id="document.unfold_all", tooltip="Everything"),
    ]

    def action_fold(self, folded: bool) -> None:
        """Fold or unfold the first section in view that is not so already."""
        for view in self.query(SectionView):
            region = view.virtual_region
            if region.bottom > self.scroll_y and view.folded != folded and view.section.title:
                view.folded = folded
                return

    def action_fold_all(self, folded: bool) -> None:
        """Fold or unfold everything."""
        for view in self.query(SectionView):
            view.folded = folded


class DocumentView(Vertical):
    """Search box above the text; only sections that hold what is searched for stay."""

    DEFAULT_CSS = """
    DocumentView {
        height: 1fr;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash", "search", "Search", show=False, id="document.search", tooltip="Search this text", group=READING
        ),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sections: tuple[Section, ...] = ()

    def compose(self) -> ComposeResult:
        """Empty at first."""
        yield Input(placeholder="/ search", compact=True)
        yield DocumentText()

    def show(self, sections: Sequence[Section]) -> None:
        """Show a document."""
        if tuple(sections) == self._sections:
            return
        self._sections = tuple(sections)
        text = self.query_one(DocumentText)
        text.remove_children(SectionView)
        text.mount_all([SectionView(section) for section in sections])

    def focus(self, scroll_visible: bool = True, **_: object) -> DocumentView:
        """The text takes the focus."""
        self.query_one(DocumentText).focus(scroll_visible)
        return self

    def go_to_newest(self) -> None:
        """Nothing is newer than the rest."""

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        needle = event.value.lower().strip()
        for view in self.query(SectionView):
            found = view.show(needle)
            view.display = not needle or found > 0
            if needle and found:
                view.folded = False
        self.query_one(DocumentText).scroll_home(animate=False)

    @on(Input.Submitted)
    def _read_on(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(DocumentText).focus()

    def action_search(self) -> None:
        """Search."""
        self.query_one(Input).focus()
