"""Whether the app can be shown here, and showing it."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import threading
from typing import TYPE_CHECKING

from tau_tui.exits import DONE, WrongUsage

if TYPE_CHECKING:
    from argparse import Namespace

    from tau_tui.options import Options

LOOK = 5_000
"""Milliseconds after which is looked again; a terminal that is closed wakes who waits for it at once, as a rule."""


def shows_apps() -> bool:
    """Tell whether this is a terminal that can show the app, which Textual draws on the standard error."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def from_settings(options: Namespace) -> Options:
    """Return what every way into the app takes from flags and settings: who plays, data, recording, habits.

    Raises WrongUsage for a pseudonym that is none.
    """
    from sessions.seating import Table
    from tau_tui.options import Options

    settled = options.settled
    return Options(
        lobby=Table(person=pseudonym(settled.player)),
        data=options.data,
        db=options.db,
        confirm_writes=settled.confirm_writes,
        bell=settled.bell,
    )


def launch(options: Options) -> int:
    """Run the app until it ends and return the exit code. Raises what the app refuses to start for."""
    gc.disable()  # until the first real screen is there: what imports make is no garbage, and looking costs 10 ms
    from tau_tui.app import TauApp

    app = TauApp(options)
    threading.Thread(target=leave_with_the_terminal, args=(sys.stdin.fileno(),), daemon=True).start()
    try:
        app.run()
    finally:
        gc.enable()
    if app.refusal is not None:
        raise app.refusal
    return app.return_code or DONE


def leave_with_the_terminal(terminal: int) -> None:
    """Wait until the terminal is closed, and end as a program is ended by that: every event is kept already.

    The system tells only the first program in a terminal, and not all of those pass it on: make waits for its children.
    """
    poll = select.poll()
    poll.register(terminal, 0)
    while not (found := poll.poll(LOOK)):
        pass
    if any(event & select.POLLHUP for _, event in found):
        os.kill(os.getpid(), signal.SIGHUP)


def pseudonym(name: str) -> str:
    """Return the name a person is recorded under. Raises WrongUsage."""
    name = name.strip()
    if not name or len(name) > 64 or not name.isprintable():
        raise WrongUsage("--player: a pseudonym is 1 to 64 printable characters")
    return name
