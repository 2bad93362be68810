"""What models are writing now: gathered as it comes, shown a few times a second, gone when the act is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, runtime_checkable

from domains.toolkit import Seat
from sessions.players.model.progress import Calling, Listener, Progress, Retrying, Thought, Withdrawn, Wrote
from tau_tui.widgets.safe_text import one_line

EVERY: Final = 0.1
"""Seconds between two looks, however many tokens come in between."""

REST: Final = 3.0
"""How many times as long as drawing took nothing is drawn: who types meanwhile waits for it in one case of four."""

SELDOM: Final = 1.0
"""Seconds between two looks at a message of which no more is drawn: then only a number changes."""

SHOWN: Final = 4000
"""Characters of an unfinished message that are drawn; laying out more of them ten times a second is felt."""

Clock: TypeAlias = Callable[[], float]


@runtime_checkable
class Telling(Protocol):
    """A player that tells of its words as they come."""

    listener: Listener


@dataclass(slots=True)
class Draft:
    """What one seat has written in this act."""

    text: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    size: int = 0
    calling: list[str] = field(default_factory=list)
    retrying: Retrying | None = None
    until: float = 0.0
    seen: float = 0.0
    """When it was drawn last."""

    @property
    def words(self) -> str:
        """Everything so far."""
        return "".join(self.text)

    @property
    def shown(self) -> str:
        """As much of it as is drawn."""
        words = self.words
        return words if self.size <= SHOWN else f"{words[:SHOWN]}\n… {self.size - SHOWN:,} more characters so far"

    def drop(self) -> bool:
        """Forget what does not stand; tell whether there were words."""
        had = bool(self.text)
        self.text, self.thought, self.calling, self.size, self.seen = [], [], [], 0, 0.0
        return had


class Writing:
    """Listens to the players of a session. `dropped` is called with a seat whose words were seen and do not stand."""

    def __init__(self, clock: Clock, dropped: Callable[[Seat], None]) -> None:
        self._clock = clock
        self._dropped = dropped
        self._drafts: dict[Seat, Draft] = {}
        self._changed: set[Seat] = set()
        self._drawn = self._rested = 0.0

    def listen(self, players: Mapping[Seat, object]) -> None:
        """Be told by everybody who tells anything, also by who goes on after recorded lines."""
        for seat, player in players.items():
            for one in (player, getattr(player, "then", None)):
                if isinstance(one, Telling):
                    one.listener = self._ear(seat)

    def _ear(self, seat: Seat) -> Listener:
        return lambda progress: self.hear(seat, progress)

    def hear(self, seat: Seat, progress: Progress) -> None:
        """Take in what a seat tells; draws nothing."""
        draft = self._drafts.setdefault(seat, Draft())
        self._changed.add(seat)
        if not isinstance(progress, Retrying):
            draft.retrying = None
        match progress:
            case Wrote(text):
                draft.text.append(text)
                draft.size += len(text)
            case Thought(text):
                draft.thought.append(text)
            case Calling(name):
                draft.calling.append(name)
                if draft.text:
                    self._dropped(seat)
            case Retrying():
                draft.retrying, draft.until = progress, self._clock() + progress.wait
                if draft.drop():
                    self._dropped(seat)
            case Withdrawn():
                if draft.drop():
                    self._dropped(seat)

    def forget(self, seat: Seat) -> None:
        """The act of this seat is over."""
        self._drafts.pop(seat, None)
        self._changed.discard(seat)

    def changed(self) -> Iterable[tuple[Seat, Draft]]:
        """Return what has changed since the last look, nothing while it is too soon to draw again."""
        now = self._clock()
        if self._drawn <= now < self._rested:
            return []
        found = []
        for seat in sorted(self._changed):
            draft = self._drafts[seat]
            if draft.size > SHOWN and draft.seen and now - draft.seen < SELDOM:
                continue
            if draft.size > SHOWN:
                draft.seen = now
            self._changed.discard(seat)
            found.append((seat, draft))
        return found

    def drawn(self, begun: float) -> None:
        """What was returned at the time `begun` is on the screen now."""
        self._drawn = self._clock()
        self._rested = self._drawn + REST * (self._drawn - begun)

    def words(self, seat: Seat) -> str:
        """Return what a seat has written so far."""
        draft = self._drafts.get(seat)
        return draft.words if draft is not None else ""

    def status(self, seat: Seat) -> str:
        """Return what a seat is doing, nothing when it has told nothing."""
        draft = self._drafts.get(seat)
        if draft is None:
            return ""
        if (again := draft.retrying) is not None:
            left = max(0, round(draft.until - self._clock()))
            return f"tries again in {left} s · {again.attempt}/{again.most} · {one_line(again.what)}"
        if draft.calling:
            return f"is calling {one_line(', '.join(draft.calling))} …"
        return "is writing …" if draft.text else "is thinking …"
