"""One row of the list that `tau-tui sessions` prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from domains.values import JSON
from sessions.processes import alive

COLUMNS = (
    "id, domain, pack, task_id, coalesce(user_name, ''), coalesce(agent_name, ''), view, started, updated, turns,"
    " ended, process, reason, reward, exposures"
)
"""What is read of the table of sessions for one row."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of the list of sessions."""

    id: str
    domain: str
    pack: str
    task_id: str
    user: str
    agent: str
    view: str
    started: float
    updated: float
    turns: int
    status: str
    """`ended`, `playing` (its process is alive), or `interrupted`."""
    reason: str | None
    reward: float | None
    exposures: tuple[str, ...]

    def to_json(self) -> dict[str, JSON]:
        """Return the row with times as ISO 8601 in UTC, None where an imported session has none."""
        out: dict[str, JSON] = {name: getattr(self, name) for name in self.__slots__}
        out["exposures"] = list(self.exposures)
        for name in ("started", "updated"):
            at = out[name]
            out[name] = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds") if at else None
        return out


def summary(row: tuple[Any, ...]) -> Summary:
    """Return what a row of `COLUMNS` says."""
    (*head, ended, process, reason, reward, exposures) = row
    status = "ended" if ended is not None else "playing" if alive(process) else "interrupted"
    values = (*head, status, reason, reward, tuple(exposures.split()))
    return Summary(**dict(zip(Summary.__slots__, values, strict=True)))
