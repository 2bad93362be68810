"""What the lobby lists: packs, tasks with what this person did on each, and sessions that were interrupted.

Everything here that touches a file is called in a thread; the values it returns never change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task
    from domains.toolkit import Seat
    from sessions.event import PlayerInfo
    from sessions.listing import Row as ListedRow
    from sessions.recorder import Recorder

Show: TypeAlias = Literal["all", "unplayed", "played", "solved", "unsolved"]
SHOW: Final[dict[Show, str]] = {
    "all": "all",
    "unplayed": "unplayed",
    "played": "played",
    "solved": "reward 1",
    "unsolved": "no reward 1",
}


@dataclass(frozen=True, slots=True)
class Pack:
    """One domain from one place: bundled, a data folder, or an installed pack; `own` for tasks made here."""

    domain: str
    data: Path | None = None
    own: bool = False

    @property
    def label(self) -> str:
        """Return how the pack is named on a screen."""
        return f"{self.domain} · {self.data.resolve().name if self.data else 'bundled'}"


@dataclass(frozen=True, slots=True)
class Row:
    """One task. `task_id` and `writes` give answers away and are shown only with spoilers."""

    number: int
    task_id: str
    reason: str
    writes: int
    played: int = 0
    solved: int = 0
    """Of the sessions played, how many ended with reward 1."""
    alike: tuple[int, int] = (1, 1)
    """Which one it is of how many tasks of the pack with the same reason for contact."""

    @property
    def shared(self) -> str:
        """Return `3 of 24` where the reason alone does not tell it from other tasks."""
        return f"{self.alike[0]} of {self.alike[1]}" if self.alike[1] > 1 else ""

    @property
    def needle(self) -> str:
        """Return what a search looks through."""
        return f"#{self.number} {self.reason}".lower()


@dataclass(frozen=True, slots=True)
class Listing:
    """A pack as it was read."""

    pack: Pack
    domain: Domain
    rows: tuple[Row, ...]
    splits: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A session whose process went away before it ended; all its events are in the file."""

    id: str
    name: str
    seats: str
    turns: int
    started: float


def find_packs(data: Path | None) -> list[Pack]:
    """Return the bundled packs, those of the data folder, and the installed ones. Raises DataError."""
    from domains.catalog import installed_packs, list_domains

    packs = [Pack(name) for name in list_domains()]
    packs += [] if data is None else [Pack(name, data) for name in list_domains(data)]
    for pack in installed_packs():
        if (place := Path(pack.name)) != data:
            packs += [Pack(name, place, pack.own) for name in list_domains(place)]
    return packs


def read_listing(pack: Pack, recorder: Recorder) -> Listing:
    """Read a pack's tasks and what people did on them. Raises DataError and RecordingFailed."""
    from domains.catalog import load_domain

    domain = load_domain(pack.domain, pack.data)
    done = recorder.best_by_task(domain.name, domain.origin)
    alike = _alike([task.reason for task in domain.tasks])
    rows = tuple(
        Row(number, task.id, task.reason, _writes(domain, task), *done.get(task.id, (0, 0)), alike=alike[number])
        for number, task in enumerate(domain.tasks)
    )
    return Listing(pack, domain, rows, {name: tuple(ids) for name, ids in domain.splits.items()})


def _alike(reasons: Sequence[str]) -> list[tuple[int, int]]:
    """Return for each reason which one it is of how many of the same words."""
    total, seen = Counter(reasons), Counter[str]()
    found = []
    for reason in reasons:
        seen[reason] += 1
        found.append((seen[reason], total[reason]))
    return found


def _writes(domain: Domain, task: Task) -> int:
    kits = domain.definition.toolkits
    return sum(
        (kit := kits.get("user" if action.requestor == "user" else "agent")) is not None
        and (tool := kit.tools.get(action.name)) is not None
        and tool.mutates
        for action in task.gold
    )


def read_interrupted(recorder: Recorder) -> list[Interrupted]:
    """Return the interrupted sessions, newest first. Raises RecordingFailed."""
    from sessions.listing import open_sessions

    return [
        Interrupted(
            id=row.id,
            name=f"{row.domain} {number_of(row)}".rstrip(),
            seats=players_text(row),
            turns=row.turns,
            started=row.started,
        )
        for row in open_sessions(recorder)
        if row.status == "interrupted"
    ]


def players_text(row: ListedRow) -> str:
    """Return who sat where in a listed session."""
    return seating((seat, _Named(kind, name)) for seat, kind, name in row.players)


@dataclass(frozen=True, slots=True)
class _Named:
    kind: str
    name: str


def seating(players: Iterable[tuple[str, object]]) -> str:
    """Return `USER/oracle`, `AGENT/script`, `AGENT` (solo), `BOTH`, or `script/oracle` without a person."""
    players = list(players)
    people = [seat for seat, info in players if getattr(info, "kind", "") == "human"]
    others = [str(getattr(info, "name", "")) for _, info in players if getattr(info, "kind", "") != "human"]
    return "/".join([*(seat.upper() for seat in people), *others]) if others or len(people) == 1 else "BOTH"


def sitting(players: Mapping[Seat, PlayerInfo]) -> str:
    """Return the same for a header, which has the room to say in words who sits where when no person does."""
    from tau_tui.widgets.header import watched_text

    if any(info.kind == "human" for info in players.values()):
        return seating(players.items())
    return watched_text({seat: info.name for seat, info in players.items()})


def number_of(row: ListedRow) -> str:
    """Return `#7`; an id that says what the task is about stays out of sight where no pack tells its number."""
    from domains.catalog import load_domain
    from domains.errors import DataError

    if row.task_id.isdigit():
        return f"#{row.task_id}"
    try:
        domain = load_domain(row.domain, None if row.pack == "bundled" else Path(row.pack))
        return next((f"#{number}" for number, task in enumerate(domain.tasks) if task.id == row.task_id), "")
    except DataError:  # the folder it was played from is gone; the session is listed all the same
        return ""


def matching(rows: Sequence[Row], ids: Iterable[str] | None, show: Show, search: str) -> list[Row]:
    """Return the rows of a split (None: all) that a filter and every word of a search let through."""
    chosen = None if ids is None else set(ids)
    words = search.lower().split()
    return [
        row
        for row in rows
        if (chosen is None or row.task_id in chosen)
        and _shown(row, show)
        and (not words or all(word in row.needle for word in words))
    ]


def _shown(row: Row, show: Show) -> bool:
    match show:
        case "all":
            return True
        case "unplayed":
            return row.played == 0
        case "played":
            return row.played > 0
        case "solved":
            return row.solved > 0
        case "unsolved":
            return row.played > 0 and row.solved == 0


def next_row(rows: Iterable[Row], ids: Iterable[str] | None) -> Row | None:
    """Return the first unplayed row of a split, in the split's order."""
    by_id = {row.task_id: row for row in rows}
    order = by_id.keys() if ids is None else ids
    return next((by_id[i] for i in order if i in by_id and by_id[i].played == 0), None)
