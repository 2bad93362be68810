"""Which process plays a session, and whether it still runs."""

from __future__ import annotations

import os
import socket


def this_process() -> str:
    """Return this process as a session names the one that plays it: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def played_elsewhere(process: str | None) -> bool:
    """Tell whether another running program plays a session; one this program has left can be taken up here."""
    return process != this_process() and alive(process)


def alive(process: str | None) -> bool:
    """Tell whether the process that opened a session is still running on this machine."""
    host, _, pid = (process or "").rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
