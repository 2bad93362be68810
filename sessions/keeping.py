"""What a session asks of whoever keeps its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sessions.event import Event


class Keeper(Protocol):
    """Keeps events for good; `append` returns when they are safe, and raises RecordingFailed when they are not."""

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event."""
        ...


class RecordingFailed(Exception):
    """An event could not be kept: one line saying what, where and what to do. Nothing is lost; try again."""
