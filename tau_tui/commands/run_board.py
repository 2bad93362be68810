"""How far a run is: a live table on a terminal, one line a session elsewhere, always on the standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from sessions.safe_text import one_line
from sessions.trials import Outcome, Tally


class Board:
    """Shows a tally until it is left. `quiet` where the lines on the standard output say the same."""

    def __init__(self, tally: Tally, *, quiet: bool = False) -> None:
        self._tally = tally
        self._quiet = quiet
        self._started = time.monotonic()
        self._played = tally.finished
        self._failure = ""
        self._live: Live | None = None
        if sys.stderr.isatty() and not quiet:
            console = Console(stderr=True, markup=False, highlight=False)
            self._live = Live(
                console=console, get_renderable=self.render, refresh_per_second=4, redirect_stdout=False, transient=True
            )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start(refresh=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def tell(self, outcome: Outcome) -> None:
        """Show that a trial is over."""
        if outcome.failure:
            self._failure = one_line(outcome.failure)
        if self._live is not None or self._quiet:
            return
        tally = self._tally
        what = (
            f"failed: {outcome.failure}" if outcome.failure else f"reward {_number(outcome.reward)} ({outcome.reason})"
        )
        line = f"{tally.finished + tally.failed}/{tally.total} task {outcome.task} trial {outcome.trial}: {what}"
        print(one_line(line), file=sys.stderr, flush=True)

    def render(self) -> RenderableType:
        """Return the table as it is now."""
        tally = self._tally
        table = Table(box=None, pad_edge=False, header_style="bold")
        values = {
            "done": f"{tally.finished}/{tally.total}",
            "running": str(tally.running),
            "failed": str(tally.failed),
            "reward": _number(tally.rewards / tally.judged if tally.judged else None),
            "pass^1": _number(tally.pass_1),
            "cost": dollars(tally.spent.cost),
            "left": self._left(),
        }
        for name in values:
            table.add_column(name, justify="right", min_width=7)
        table.add_row(*(Text(value) for value in values.values()))
        rows: list[RenderableType] = [table, ProgressBar(total=tally.total, completed=tally.finished, width=60)]
        if self._failure:
            rows.append(Text(f"last failure: {self._failure}", no_wrap=True, overflow="ellipsis"))
        if tally.stopped:
            rows.append(Text(f"no more are begun: {tally.stopped}"))
        return Group(*rows)

    def _left(self) -> str:
        tally = self._tally
        played = tally.finished + tally.failed - self._played
        if not played:
            return ""
        left = (time.monotonic() - self._started) / played * (tally.waiting + tally.running)
        minutes, seconds = divmod(round(left), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"


def dollars(amount: float | None) -> str:
    """Return `$0.0123`, n/a where nobody knows."""
    if amount is None:
        return "n/a"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3g}"
