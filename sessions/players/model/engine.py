"""Where litellm lives: one thread with a loop of its own, so that neither its import nor its work holds up a screen.

Its clients belong to that loop for good. Callers wait in their own loops and can be cancelled there.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
_once = threading.Lock()


@cache
def _made() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run something on the engine's loop."""
    with _once:
        loop = _made()
    return asyncio.run_coroutine_threadsafe(work, loop)


async def on_engine(work: Coroutine[Any, Any, T]) -> T:
    """Wait for something that runs on the engine's loop; cancelling the wait cancels the work."""
    return await asyncio.wrap_future(submit(work))
