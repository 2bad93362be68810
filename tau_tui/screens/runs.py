"""The runs of a file, one of which is chosen to be gone through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static
from textual.worker import get_current_worker

from tau_tui.going_on import hand_over
from tau_tui.screens.session_replay import SessionReplayScreen
from tau_tui.widgets.header import Facts, HeaderLine
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from sessions.event import Event
    from sessions.interop.runs import Listed
    from sessions.watching import Watched
    from tau_tui.app import TauApp

TOGETHER = 100
"""Rows that are added at once while a large file is read."""
COLUMNS = ("run", "domain", "task", "trial", "turns", "ended by", "reward")


class RunsScreen(Screen[None]):
    """Reads the file after the first frame, and shows its runs as they are found."""

    CSS_PATH = "../styles/runs.tcss"
    TITLE = "runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Replay", id="runs.choose", tooltip="Go through the run under the cursor"),
        Binding("escape", "close", "Back", show=False, id="runs.close", tooltip="Back to the screen before"),
    ]

    table = getters.query_one("#runs", DataTable)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, path: Path, data: Path | None, domain: str | None = None) -> None:
        super().__init__()
        self._path = path
        self._data = data
        self._domain = domain
        self.rows: list[Listed] = []

    def compose(self) -> ComposeResult:
        """Everything is there at once, still empty."""
        yield HeaderLine(Facts(self._path.name, "choose a run"), id="header")
        yield DataTable[Text](id="runs", cursor_type="row", zebra_stripes=True)
        yield Static("reading …", id="status", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read after the first frame."""
        self.table.add_columns(*COLUMNS)
        self.table.focus()
        self.call_after_refresh(self._read)

    @work(thread=True, exclusive=True, group="read")
    def _read(self) -> None:
        from sessions.interop.runs import Runs

        worker = get_current_worker()
        found: list[Listed] = []
        try:
            for run in Runs(self._path, self._data, self._domain):
                found.append(run)
                if len(found) == TOGETHER:
                    hand_over(self, self._add, found, False)
                    found = []
                if worker.is_cancelled:
                    return
        except Exception as error:  # whatever it is, the command line or the lobby tells it in one line
            hand_over(self, self.app.refuse, error)
            return
        hand_over(self, self._add, found, True)

    def _add(self, runs: list[Listed], done: bool) -> None:
        self.rows += runs
        for run in runs:
            self.table.add_row(*_cells(run), key=str(run.number))
        so_far = "" if done else " so far …"
        self.query_one("#status", Static).update(Content(f"{len(self.rows)} runs{so_far} · Enter goes through one"))

    @on(DataTable.RowSelected)
    def _chosen(self, event: DataTable.RowSelected) -> None:
        event.stop()
        run = self.rows[event.cursor_row]
        if run.problem:
            self.notify(one_line(run.problem), severity="warning", markup=False)
        else:
            self.app.push_screen(run_screen(self.app, self._path, self._data, run.number, self._domain))

    def action_choose(self) -> None:
        """Go through the run under the cursor."""
        self.table.action_select_cursor()

    def action_close(self) -> None:
        """Back, where there is a screen to go back to."""
        if len(self.app.screen_stack) > 2:  # below lies the first frame
            self.app.pop_screen()


def _cells(run: Listed) -> list[Text]:
    values = (
        run.name or f"#{run.number}",
        run.domain,
        run.task,
        "" if run.trial is None else run.trial,
        run.turns,
        run.problem or run.ending,
        "–" if run.reward is None else f"{run.reward:g}",
    )
    return [Text(one_line(str(value))[:40], no_wrap=True) for value in values]


def run_screen(
    app: TauApp, path: Path, data: Path | None, number: int, domain: str | None = None
) -> SessionReplayScreen:
    """Return a screen that goes through one run of a file; going on from it takes it into the recording."""

    def read() -> tuple[Watched, str]:
        from sessions.interop.runs import Runs
        from sessions.watching import watched

        return watched(Runs(path, data, domain).events(number), [] if data is None else [data]), "ended"

    def keep(events: list[Event]) -> None:
        app.recorder.add([events])

    return SessionReplayScreen(read, keep=keep)
