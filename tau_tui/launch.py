"""Whether the app can be shown here, and showing it."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from tau_tui.exits import DONE, WrongUsage

if TYPE_CHECKING:
    from argparse import Namespace

    from tau_tui.options import Options


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
    try:
        app.run()
    finally:
        gc.enable()
    if app.refusal is not None:
        raise app.refusal
    return app.return_code or DONE


def pseudonym(name: str) -> str:
    """Return the name a person is recorded under. Raises WrongUsage."""
    name = name.strip()
    if not name or len(name) > 64 or not name.isprintable():
        raise WrongUsage("--player: a pseudonym is 1 to 64 printable characters")
    return name
