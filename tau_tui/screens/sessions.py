"""Every session: searched and filtered by any field, gone through, taken up, deleted; each with its branches."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input, OptionList, Select, Static
from textual.widgets.option_list import Option

from sessions.keeping import RecordingFailed
from tau_tui.going_on import hand_over
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.session_table import Numbers, SessionTable, seats_text, task_text, when

if TYPE_CHECKING:
    from sessions.listing import Row
    from tau_tui.app import TauApp

PAGE: Final = 200
REST: Final = 0.3
"""Seconds without a key after which the sessions that fit are counted."""
SHOW: Final = {
    "": "all sessions",
    "origin=": "played here",
    "origin!=": "imported",
    "ended=": "not ended",
    "parent!=": "forks",
    "reward<1": "reward below 1",
}
OPEN, DROP, FILTER = (Binding.Group(name) for name in ("Open", "Delete", "Filter"))
MOVES = Binding.Group("Move", compact=True)


class SessionsScreen(Screen[None]):
    """`rows` are what has been read for `shown_for`; more is read when the cursor comes near the end."""

    CSS_PATH = "../styles/sessions.tcss"
    TITLE = "sessions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="sessions.open", tooltip="Take it up, or go through it", group=OPEN),
        Binding("f3", "replay", "Replay", id="sessions.replay", tooltip="Go through it step by step", group=OPEN),
        Binding("f4", "resume", "Resume", id="sessions.resume", tooltip="Take it up where it was cut off", group=OPEN),
        Binding("f6", "branches", "Branches", id="sessions.branches", tooltip="Go to its branches", group=FILTER),
        Binding("f7", "turn", "Show", id="sessions.show", tooltip="All, own, imported, open, forks", group=FILTER),
        Binding("f8", "delete", "Delete", id="sessions.delete", tooltip="Delete it for good", group=DROP),
        Binding("escape", "back", "Back", id="sessions.back", tooltip="Empty the search, then back", group=MOVES),
        Binding("up", "move(-1)", "Up", show=False, id="sessions.above", tooltip="The session above", group=MOVES),
        Binding("down", "move(1)", "Down", show=False, id="sessions.below", tooltip="The one below", group=MOVES),
        Binding("pageup", "page(-1)", "Page up", show=False, id="sessions.before", tooltip="A page up", group=MOVES),
        Binding("pagedown", "page(1)", "Page down", False, id="sessions.after", tooltip="A page down", group=MOVES),
    ]

    table = getters.query_one("#sessions", SessionTable)
    search = getters.query_one("#search", Input)
    branches = getters.query_one("#branches", OptionList)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.shown_for: str | None = None
        self._whole = True
        self._counting: Timer | None = None
        self._family: list[tuple[int, Row]] = []
        self._numbers: dict[tuple[str, str, str], str] = {}

    def compose(self) -> ComposeResult:
        """Everything is there at once, still empty."""
        yield Static(Content("tau-tui · sessions"), id="title")
        with Horizontal(id="filters"):
            options = [(label, name) for name, label in SHOW.items()]
            yield Select(options, value="", allow_blank=False, compact=True, id="show")
            yield Input(placeholder="search, or agent_name=oracle user_name=script reward<1", compact=True, id="search")
        yield SessionTable(spoilers=self.app.options.lobby.spoilers, id="sessions")
        yield OptionList(markup=False, compact=True, id="branches")
        yield Static("reading …", id="status", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read at once: the first page is there before it could be missed."""
        self.search.focus()
        self._read(self.wanted)

    def on_screen_resume(self) -> None:
        """What happened in the meantime counts."""
        if self.shown_for is not None:
            self._read_again()

    def _read_again(self) -> None:
        self._read(self.wanted, keep=True)

    @property
    def wanted(self) -> str:
        """What is typed, with the filter of the list beside it."""
        return f"{self.query_one('#show', Select).value} {self.search.value}".strip()

    # Reading, in threads

    @work(thread=True, exclusive=True, group="read")
    def _read(self, text: str, *, keep: bool = False) -> None:
        from domains.errors import DataError
        from sessions import listing

        recorder = self.app.recorder
        try:
            wanted = listing.parse(text, recorder.columns())
            rows = listing.page(recorder, wanted, 0, max(PAGE, len(self.rows)) if keep else PAGE)
        except (DataError, RecordingFailed) as error:
            hand_over(self, self._say, str(error))
        else:
            hand_over(self, self._show, text, rows, keep)

    @work(thread=True, exclusive=True, group="count")
    def _read_count(self, text: str) -> None:
        from sessions import listing

        recorder = self.app.recorder
        try:
            number = listing.count(recorder, listing.parse(text, recorder.columns()))
        except RecordingFailed as error:
            hand_over(self, self._say, str(error))
        else:
            hand_over(self, self._count, text, number)

    @work(thread=True, exclusive=True, group="more")
    def _read_more(self, text: str, offset: int) -> None:
        from sessions import listing

        try:
            recorder = self.app.recorder
            rows = listing.page(recorder, listing.parse(text, recorder.columns()), offset, PAGE)
        except RecordingFailed as error:
            hand_over(self, self._say, str(error))
            return
        hand_over(self, self._append, text, offset, rows)

    @work(thread=True, exclusive=True, group="family")
    def _read_family(self, session_id: str) -> None:
        from sessions import listing

        try:
            family = listing.family(self.app.recorder, session_id)
        except RecordingFailed as error:
            hand_over(self, self._say, str(error))
            return
        hand_over(self, self._show_family, session_id, family)

    @work(thread=True, exclusive=True, group="name")
    def _name_tasks(self, wanted: frozenset[tuple[str, str]]) -> None:
        """Find the numbers of tasks whose ids say too much."""
        from domains.catalog import load_domain
        from domains.errors import DataError

        numbers: dict[tuple[str, str, str], str] = {}
        for domain, pack in wanted:
            try:
                tasks = load_domain(domain, None if pack == "bundled" else Path(pack)).tasks
            except DataError:  # the folder it was played from is gone; the session is listed all the same
                continue
            numbers |= {(domain, pack, task.id): f"#{n}" for n, task in enumerate(tasks)}
        hand_over(self, self._named, numbers)

    # Showing

    def _show(self, text: str, rows: list[Row], keep: bool) -> None:
        self.rows, self._whole = rows, len(rows) < PAGE
        self.shown_for = text
        self.table.show(rows, keep=keep)
        self._ask_numbers(rows)
        if self._counting is not None:
            self._counting.stop()
        if self._whole:
            self._count(text, len(rows))
        else:  # counting reads all of the index: not before the typing has come to rest
            self._say(f"{len(rows)} and more sessions")
            self._counting = self.set_timer(REST, partial(self._read_count, text))

    def _append(self, text: str, offset: int, rows: list[Row]) -> None:
        if text != self.shown_for or offset != len(self.rows):
            return
        self.rows += rows
        self._whole = len(rows) < PAGE
        self.table.show(self.rows, keep=True)
        self._ask_numbers(rows)

    def _ask_numbers(self, rows: list[Row]) -> None:
        known = {key[:2] for key in self._numbers}
        unknown = {(row.domain, row.pack) for row in rows if not row.task_id.isdigit() and row.pack} - known
        if unknown:
            self._name_tasks(frozenset(unknown))

    def _named(self, numbers: Numbers) -> None:
        self._numbers |= numbers
        self.table.name_tasks(self._numbers)

    def _count(self, text: str, number: int) -> None:
        if text != self.shown_for:
            return
        if number:
            self._say(f"{number:,} session{'s' if number > 1 else ''} · Enter opens · F8 deletes")
        else:
            self._say("no session fits; Escape clears the search" if self.wanted else "nothing is recorded yet")

    def _show_family(self, session_id: str, family: list[tuple[int, Row]]) -> None:
        self._family = family if len(family) > 1 else []
        self.branches.set_options(Option(self._branch(depth, row, session_id)) for depth, row in self._family)
        self.branches.display = bool(self._family)
        here = next((i for i, (_, row) in enumerate(self._family) if row.id == session_id), None)
        self.branches.highlighted = here

    def _branch(self, depth: int, row: Row, here: str) -> Text:
        task = task_text(row, self._numbers, spoilers=self.app.options.lobby.spoilers)
        stem = f"{'   ' * (depth - 1)}└─ from t{row.parent_turn} · " if depth else ""
        reward = "" if row.reward is None else f" · reward {row.reward:g}"
        ended = row.reason if row.status == "ended" else row.status
        mark = " ◂" if row.id == here else ""
        told = f"{stem}{when(row.started)[5:]} · {task} · {seats_text(row)} · t{row.turns} · {ended}{reward}{mark}"
        return Text(one_line(told), no_wrap=True, overflow="ellipsis")

    def _say(self, text: str) -> None:
        self.query_one("#status", Static).update(Content(one_line(text)))

    # What is typed and pointed at

    @on(Input.Changed, "#search")
    @on(Select.Changed, "#show")
    def _changed(self) -> None:
        if self.shown_for is not None or self.rows:
            self._read(self.wanted)

    @on(SessionTable.Typed)
    def _typed(self, event: SessionTable.Typed) -> None:
        self.search.focus()
        self.search.cursor_position = len(self.search.value)
        self.search.insert_text_at_cursor(event.character)

    @on(SessionTable.More)
    def _more(self) -> None:
        if not self._whole and self.shown_for is not None:
            self._read_more(self.shown_for, len(self.rows))

    @on(SessionTable.Highlighted)
    def _highlighted(self, event: SessionTable.Highlighted[Row]) -> None:
        if event.row is None:
            self._show_family("", [])
        else:
            self._read_family(event.row.id)

    @property
    def subject(self) -> Row | None:
        """The session that keys are about: the one under the cursor of the table, or of the branches."""
        if self.branches.has_focus and self.branches.highlighted is not None and self._family:
            return self._family[self.branches.highlighted][1]
        return self.table.highlighted

    # Acting

    @on(Input.Submitted, "#search")
    @on(SessionTable.Chosen)
    @on(OptionList.OptionSelected, "#branches")
    def action_open(self) -> None:
        """Take up a session that was cut off; go through any other."""
        if (row := self.subject) is None:
            return
        if row.status == "interrupted":
            self.app.resume(row.id)
        else:
            self.app.replay(row.id)

    def action_replay(self) -> None:
        """Go through it step by step."""
        if (row := self.subject) is not None:
            self.app.replay(row.id)

    def action_resume(self) -> None:
        """Take it up where it was cut off."""
        if (row := self.subject) is None:
            return
        if row.status == "ended":
            self.notify("it has ended; Enter goes through it, and there t takes a seat at any turn", markup=False)
        else:
            self.app.resume(row.id)

    def action_branches(self) -> None:
        """Go to the branches of the session, and back."""
        if self._family and not self.branches.has_focus:
            self.branches.focus()
        else:
            self.search.focus()

    def action_turn(self) -> None:
        """Show the next kind of sessions."""
        show: Select[str] = self.query_one("#show", Select)
        names = list(SHOW)
        show.value = names[(names.index(str(show.value)) + 1) % len(names)]

    def action_back(self) -> None:
        """Empty the search, then go back."""
        if self.search.value:
            self.search.value = ""
            self.search.focus()
        elif len(self.app.screen_stack) > 2:  # below lies the first frame
            self.app.pop_screen()

    def action_move(self, by: int) -> None:
        """Move the cursor while the search box has the focus."""
        self.table.action_move(by)

    def action_page(self, by: int) -> None:
        """Move the cursor by a page while the search box has the focus."""
        self.table.action_page(by)

    @work(exclusive=True, group="delete")
    async def action_delete(self) -> None:
        """Delete a session for good, once it is plain that this is wanted."""
        if (row := self.subject) is None:
            return
        if row.status == "playing":
            self.notify("another tau-tui is playing it", severity="warning", markup=False)
            return
        task = task_text(row, self._numbers, spoilers=self.app.options.lobby.spoilers)
        about = f"{when(row.started)} · {task} · {seats_text(row)} · t{row.turns}\n{row.id}"
        text = f"{about}\n\nIts words, calls, scores and marks are gone for good. Branches of it stay."
        answers = (("no", "no, keep it"), ("yes", "yes, delete it"))
        if await self.app.push_screen_wait(ChoiceDialog("Delete this session?", text, answers)) == "yes":
            self._delete(row.id)

    @work(thread=True, exclusive=True, group="deleting")
    def _delete(self, session_id: str) -> None:
        try:
            self.app.recorder.delete([session_id])
            self.app.recorder.vacuum()
        except RecordingFailed as error:
            hand_over(self, self._say, str(error))
        hand_over(self, self._read_again)
