"""Where a person chooses: domain, task, seat and view. The first frame is empty; a thread fills it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, get_args

from rich.text import Text
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Select, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from sessions.event import ViewMode
from sessions.keeping import RecordingFailed
from sessions.seating import Play, Table
from tau_tui.opening import Choice
from tau_tui.options import Options
from tau_tui.task_list import (
    SHOW,
    Interrupted,
    Listing,
    Pack,
    Row,
    find_packs,
    matching,
    next_row,
    read_interrupted,
    read_listing,
)
from tau_tui.widgets.safe_text import one_line, safe
from tau_tui.widgets.task_table import TaskTable

if TYPE_CHECKING:
    from tau_tui.app import TauApp

SEATS: dict[Play, str] = {"user": "the customer", "agent": "the agent", "both": "both seats"}
VIEWS: dict[str, str] = {
    "": "view: by partner",
    "blind": "view: blind",
    "open": "view: open",
    "present": "view: present",
}
START = Binding.Group("Play")
LISTED = Binding.Group("Tasks")
SEATED = Binding.Group("Seat, view")
FILTERED = Binding.Group("Which tasks")
MOVES = Binding.Group("Move", compact=True)


class LobbyScreen(Screen[None]):
    """Typing searches, Enter plays, and what is chosen in the two rows above the list counts for the next session."""

    CSS_PATH = "../styles/lobby.tcss"
    TITLE = "lobby"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", "Play", id="lobby.play", tooltip="Play the task under the cursor", group=START),
        Binding(
            "f3",
            "next_unplayed",
            "Next",
            id="lobby.next",
            tooltip="Go to the next task you have not played",
            group=LISTED,
        ),
        Binding("f4", "turn('seat')", "Seat", id="lobby.seat", tooltip="Take another seat", group=SEATED),
        Binding("f6", "turn('view')", "View", id="lobby.view", tooltip="Choose what your seat sees", group=SEATED),
        Binding("f7", "turn('pack')", "Domain", id="lobby.domain", tooltip="The next domain or pack", group=FILTERED),
        Binding(
            "f8", "turn('show')", "Filter", id="lobby.filter", tooltip="Unplayed, played, by reward", group=FILTERED
        ),
        Binding("f9", "turn('split')", "Split", id="lobby.split", tooltip="Another split of the pack", group=FILTERED),
        Binding("f10", "resume", "Resume", False, id="lobby.resume", tooltip="Take up the one left last", group=START),
        Binding("f12", "sessions", "Sessions", id="lobby.sessions", tooltip="List every session", group=START),
        Binding(
            "escape", "clear", "Clear search", show=False, id="lobby.clear", tooltip="Empty the search", group=LISTED
        ),
        Binding("up", "move(-1)", "Up", show=False, id="lobby.up", tooltip="The task above", group=MOVES),
        Binding("down", "move(1)", "Down", show=False, id="lobby.down", tooltip="The task below", group=MOVES),
        Binding("pageup", "page(-1)", "Page up", show=False, id="lobby.pageup", tooltip="A page up", group=MOVES),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="lobby.pagedown", tooltip="A page down", group=MOVES
        ),
    ]

    table = getters.query_one("#tasks", TaskTable)
    search = getters.query_one("#search", Input)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._packs: Sequence[Pack] = ()
        self._listing: Listing | None = None
        self._choices: dict[str, list[object]] = {}

    def compose(self) -> ComposeResult:
        """Everything is there at once, still empty."""
        wish = self._options.lobby
        yield Static(Text(f"tau-tui · choose a task · {one_line(wish.person)}", no_wrap=True), id="title")
        with Horizontal(classes="choices"):
            yield self._select("pack", [("reading …", "")])
            yield self._select("split", [(f"split: {wish.split}", wish.split)])
            yield self._select("show", [(f"show: {label}", show) for show, label in SHOW.items()])
        with Horizontal(classes="choices"):
            yield self._select("seat", [(f"play {label}", seat) for seat, label in SEATS.items()], wish.play)
            yield self._select("view", [(label, view) for view, label in VIEWS.items()], wish.view or "")
            yield Input(placeholder="type to search number or reason", compact=True, id="search")
        yield TaskTable(spoilers=wish.spoilers, id="tasks")
        yield Static(id="status", markup=False)
        yield Static(id="trouble", markup=False)
        with VerticalScroll(id="detail", can_focus=False):
            yield Static(id="reason", markup=False)
        yield OptionList(markup=False, compact=True, id="interrupted")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read after the first frame."""
        self.search.focus()
        self._say("reading the packs …")
        self.call_after_refresh(self._find)

    def focus_box(self) -> None:
        """Give the search the keys, for what was typed before it was there."""
        self.set_focus(self.search)

    def on_screen_resume(self) -> None:
        """What was played in the meantime counts."""
        if self._listing is not None:
            self._read(self._listing.pack)

    # Reading, in threads

    @work(thread=True, exclusive=True, group="find")
    def _find(self) -> None:
        from domains.errors import DataError

        try:
            packs, trouble = find_packs(self._options.data), ""
        except DataError as error:
            packs, trouble = find_packs(None), str(error)
        self.app.call_from_thread(self._found, packs, trouble)

    def _found(self, packs: list[Pack], trouble: str) -> None:
        self._packs = packs
        self._trouble(trouble)
        wanted = self._options.domain
        official = [i for i, pack in enumerate(packs) if pack.data is not None and not pack.own]
        fitting = [i for i, pack in enumerate(packs) if pack.domain == wanted]
        first = next((i for i in fitting if i in official), next(iter(fitting or official), 0))
        self._choose("pack", [(pack.label, pack) for pack in packs], packs[first])
        self._read(packs[first])

    @work(thread=True, exclusive=True, group="read")
    def _read(self, pack: Pack) -> None:
        from domains.errors import DataError

        worker = get_current_worker()
        recorder = self.app.recorder
        try:
            listing, interrupted = read_listing(pack, recorder), read_interrupted(recorder)
        except (DataError, RecordingFailed) as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._unreadable, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show_listing, listing, interrupted)

    def _unreadable(self, error: Exception) -> None:
        """Without its recordings the program cannot begin; once it has, it can go on without news of them."""
        if self._listing is None and isinstance(error, RecordingFailed):
            self.app.refusal = error
            self.app.exit()
            return
        self._trouble(str(error))
        if not isinstance(error, RecordingFailed):
            self._say("this pack cannot be read; F7 goes to the next")

    def _show_listing(self, listing: Listing, interrupted: list[Interrupted]) -> None:
        new = self._listing is None or self._listing.pack != listing.pack
        self._listing = listing
        if new:
            before = self._value("split")
            split = before if before in listing.splits else "base"
            counts = [(f"split: {name} ({len(ids)})", name) for name, ids in listing.splits.items()]
            self._choose("split", counts, split)
        self._show_rows()
        if new and (row := next_row(listing.rows, self._split())) is not None:
            self._show_rows(keep=row.task_id)
        self._show_interrupted(interrupted)

    # Showing

    def _show_rows(self, keep: str | None = None) -> None:
        if self._listing is None:
            return
        show = next(show for show in SHOW if show == self._value("show"))
        rows = matching(self._listing.rows, self._split(), show, self.search.value)
        here = self.table.highlighted
        self.table.show(rows, keep or (here.task_id if here else None))
        split = self._split()
        of = len(self._listing.rows if split is None else split)
        played = sum(1 for row in self._listing.rows if row.played and (split is None or row.task_id in set(split)))
        self._say(
            f"{len(rows)} of {of} tasks · {played} played · Enter plays"
            if rows
            else "no task matches; Escape clears the search"
        )

    def _show_interrupted(self, sessions: list[Interrupted]) -> None:
        found = self.query_one("#interrupted", OptionList)
        found.display = bool(sessions)
        found.set_options(
            Option(
                Text(
                    f"interrupted (F10) · {one_line(s.name)} · {one_line(s.seats)} · t{s.turns} ·"
                    f" {datetime.fromtimestamp(s.started).astimezone():%m-%d %H:%M}",
                    no_wrap=True,
                    overflow="ellipsis",
                ),
                id=s.id,
            )
            for s in sessions
        )
        found.highlighted = 0 if sessions else None

    @on(OptionList.OptionSelected, "#interrupted")
    def action_resume(self) -> None:
        """Take up the interrupted session that is pointed at, the one left last at first."""
        option = self.query_one("#interrupted", OptionList).highlighted_option
        if option is None or option.id is None:
            self._say("no session was interrupted")
        else:
            self.app.resume(option.id)

    def action_sessions(self) -> None:
        """List every session."""
        self.app.open_sessions()

    def _say(self, text: str) -> None:
        self.query_one("#status", Static).update(one_line(text))

    def _trouble(self, text: str) -> None:
        trouble = self.query_one("#trouble", Static)
        trouble.update(one_line(text))
        trouble.display = bool(text)

    @on(TaskTable.Highlighted)
    def _show_reason(self, event: TaskTable.Highlighted[Row]) -> None:
        row = event.row
        if row is None:
            self.query_one("#reason", Static).update("")
            return
        did = f"\nplayed {row.played}×, reward 1 in {row.solved}" if row.played else ""
        alike = f"\n{row.shared} tasks that begin with these words; what lies behind them differs" if row.shared else ""
        self.query_one("#reason", Static).update(f"#{row.number} {safe(row.reason)}{alike}{did}")
        self.query_one("#detail").scroll_home(animate=False)

    # Choosing

    def _split(self) -> tuple[str, ...] | None:
        return None if self._listing is None else self._listing.splits.get(str(self._value("split")))

    def _value(self, name: str) -> object:
        return self.query_one(f"#{name}", Select).value

    def _select(self, name: str, choices: Sequence[tuple[str, object]], value: object = None) -> Select[object]:
        self._choices[name] = [choice for _, choice in choices]
        first = self._choices[name][0] if value is None else value
        return Select(_labelled(choices), value=first, allow_blank=False, compact=True, id=name)

    def _choose(self, name: str, choices: Sequence[tuple[str, object]], value: object) -> None:
        self._choices[name] = [choice for _, choice in choices]
        select: Select[object] = self.query_one(f"#{name}", Select)
        with self.prevent(Select.Changed):
            select.set_options(_labelled(choices))
            select.value = value
            # The same value may have another label now.
            select.mutate_reactive(Select.value)  # type: ignore[misc]  # a reactive is named by its class

    @on(Select.Changed)
    def _changed(self, event: Select.Changed) -> None:
        match event.select.id:
            case "pack" if isinstance(event.value, Pack):
                if self._listing is None or self._listing.pack != event.value:
                    self._say(f"reading {event.value.label} …")
                    self._read(event.value)
            case "split" | "show":
                self._show_rows()

    @on(Input.Changed, "#search")
    def _searched(self) -> None:
        self._show_rows()

    @on(TaskTable.Typed)
    def _typed(self, event: TaskTable.Typed) -> None:
        self.search.focus()
        self.search.cursor_position = len(self.search.value)
        self.search.insert_text_at_cursor(event.character)

    @on(Input.Submitted, "#search")
    def action_play(self) -> None:
        """Play the task under the cursor."""
        self.table.action_choose()

    @on(TaskTable.Chosen)
    def _play(self, event: TaskTable.Chosen[Row]) -> None:
        if self._listing is not None:
            pack = self._listing.pack
            self.app.start(Choice(pack.domain, self._table(), event.row.task_id, pack.data))

    def _table(self) -> Table:
        """Return the seating that is chosen now."""
        view = self._value("view")
        return replace(
            self._options.lobby,
            play=next(seat for seat in SEATS if seat == self._value("seat")),
            view=next((mode for mode in get_args(ViewMode) if mode == view), None),
            split=str(self._value("split")),
        )

    def action_next_unplayed(self) -> None:
        """Go to the first unplayed task of the split, whatever the search hides."""
        if self._listing is None:
            return
        row: Row | None = next_row(self._listing.rows, self._split())
        if row is None:
            self._say("every task of this split has been played")
            return
        with self.prevent(Input.Changed, Select.Changed):
            self.search.value = ""
            self.query_one("#show", Select).value = "all"
        self._show_rows(keep=row.task_id)

    def action_turn(self, name: str) -> None:
        """Go to the next choice of a row above."""
        select: Select[object] = self.query_one(f"#{name}", Select)
        values = self._choices[name]
        select.value = values[(values.index(select.value) + 1) % len(values)]

    def action_clear(self) -> None:
        """Empty the search box."""
        self.search.value = ""
        self.search.focus()

    def action_move(self, by: int) -> None:
        """Move the cursor while the search box has the focus."""
        self.table.action_move(by)

    def action_page(self, by: int) -> None:
        """Move the cursor by a page while the search box has the focus."""
        self.table.action_page(by)


def _labelled(choices: Sequence[tuple[str, object]]) -> list[tuple[Text, object]]:
    return [(Text(one_line(label), no_wrap=True, overflow="ellipsis"), choice) for label, choice in choices]
