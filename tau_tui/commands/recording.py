"""Opening the recording for a command that needs one that is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.recorder import Recorder, default_file
from tau_tui.exits import WrongUsage


@contextmanager
def recorded(db: Path | None) -> Iterator[Recorder]:
    """Open a recording, the person's own by default. Raises WrongUsage where there is none, and RecordingFailed."""
    file = db or default_file()
    if not file.exists():  # looking for a session must not create a file
        raise WrongUsage(f"nothing is recorded in {file}")
    recorder = Recorder(file)
    try:
        yield recorder
    finally:
        recorder.close()
