"""Commits the events of many sessions in small groups: one sync of the disk for all that wait for one."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from sessions.event import Event
from sessions.keeping import RecordingFailed
from sessions.recorder import Recorder

LARGEST: Final = 512
"""Events in one commit."""


class GroupKeeper:
    """Keeps events for sessions that run side by side in one loop.

    `append` returns when its event is on the disk, as with a recorder; what came while the last group was being
    written is the next group, so that one session alone waits no longer than it must.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._waiting: deque[tuple[tuple[str, int, Event], asyncio.Future[None]]] = deque()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recorder")
        self._writing: asyncio.Task[None] | None = None

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event. Raises RecordingFailed, as does every other event of its group."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(((session_id, seq, event), kept))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await kept

    async def _write(self) -> None:
        try:
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(LARGEST, len(self._waiting)))]
                await self._commit(group)
        finally:
            self._writing = None

    async def _commit(self, group: list[tuple[tuple[str, int, Event], asyncio.Future[None]]]) -> None:
        problem: Exception | None = None
        events = [event for event, _ in group]
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._recorder.write_all, events)
        except RecordingFailed as error:
            problem = error
        except Exception as error:  # a value that is no JSON, say: the fault of one event, not of those beside it
            if len(group) > 1:
                for one in group:
                    await self._commit([one])
                return
            problem = error
        for _, kept in group:
            if kept.done():  # whoever waited was cancelled
                continue
            if problem is None:
                kept.set_result(None)
            else:
                kept.set_exception(problem)

    async def close(self) -> None:
        """Wait for what is being written."""
        if self._writing is not None:
            await asyncio.gather(self._writing, return_exceptions=True)
        self._thread.shutdown(wait=True)
