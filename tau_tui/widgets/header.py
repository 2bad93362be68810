"""The first line: what is played, who sits where, how much is seen, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.widgets import Static

from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from domains.toolkit import Seat
    from sessions.seating import Table

SEATS = 44
"""Columns for two names, so that domain, task, view and turn stand beside them in 80."""

FULL = 100
"""From this width on, the world's clock and the time played are shown too."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the header says; `elapsed` in seconds."""

    task: str
    seats: str
    view: str = ""
    modes: str = ""
    now: str = ""
    turn: int | None = None
    elapsed: float | None = None
    remark: str = ""


class HeaderLine(Static):
    """`airline #7 · USER/oracle · open · 2024-05-15 15:00 · t4 · 02:31`, shorter where there is less room."""

    DEFAULT_CSS = "HeaderLine { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }"
    ALLOW_SELECT = False

    def __init__(self, facts: Facts, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._facts = facts

    @property
    def facts(self) -> Facts:
        """What is shown now."""
        return self._facts

    def show(self, facts: Facts) -> None:
        """Show other facts."""
        if facts != self._facts:
            self._facts = facts
            self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Use the room there is."""
        self._draw()

    def _draw(self) -> None:
        self.update(Content(line(self._facts, self.app.size.width >= FULL)), layout=False)


def line(facts: Facts, full: bool) -> str:
    """Return the header as text."""
    parts = [facts.task, facts.seats, facts.view, facts.modes]
    if full:
        parts.append(facts.now)
    if facts.turn is not None:
        parts.append(f"t{facts.turn}")
    if full and facts.elapsed is not None:
        minutes, seconds = divmod(int(facts.elapsed), 60)
        parts.append(f"{minutes:02}:{seconds:02}")
    parts.append(facts.remark)
    return one_line(" · ".join(filter(None, parts)))


def seats_text(table: Table) -> str:
    """Return `USER/oracle`, `AGENT/script`, `AGENT` (solo), `BOTH`, or all in words where no person plays."""
    if not table.people:
        return watched_text({seat: table.named(seat) for seat in table.partners})
    if len(table.people) > 1:
        return "BOTH"
    if not table.partners:
        return table.people[0].upper()
    return f"{table.people[0].upper()}/{table.named(table.partners[0])}"


def watched_text(names: Mapping[Seat, str], room: int = SEATS) -> str:
    """Return `agent oracle · user script`: who sits where, when no person does. Long names lose what says least."""
    seats: tuple[Seat, ...] = ("agent", "user")
    here = [seat for seat in seats if seat in names]
    heads = [f"{' · ' if n else ''}{seat} " for n, seat in enumerate(here)]
    shown = fitted([names[seat] for seat in here], room - len("".join(heads)))
    return "".join(head + name for head, name in zip(heads, shown, strict=True))


def fitted(names: Sequence[str], room: int) -> list[str]:
    """Shorten names until they take this many columns together: first by the provider, then by the longest's end."""
    shown = [one_line(name) for name in names]
    if _taken(shown) > room:
        shown = [name if " " in name else name.rpartition("/")[2] for name in shown]
    while _taken(shown) > max(room, len(shown)):
        longest = max(range(len(shown)), key=lambda n: len(shown[n]))
        shown[longest] = f"{shown[longest].removesuffix('…')[:-1]}…"
    return shown


def _taken(names: Sequence[str]) -> int:
    return sum(map(len, names))


def modes_text(*, solo: bool, plan: bool, no_policy: bool, supervised: bool = False) -> str:
    """Return the modes that are no default, as the header shows them."""
    modes = (("solo", solo), ("plan", plan), ("no policy", no_policy), ("supervised", supervised))
    return " · ".join(name for name, on in modes if on)
