"""How a command ends: exit codes, and the one line for each error."""

from __future__ import annotations

DONE, NO, USAGE, OUTSIDE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: done, the answer is no, wrong usage, something outside failed, Ctrl-C."""


class WrongUsage(Exception):
    """The command cannot be carried out as it was given: one line that says what, where and what to do."""


def explained(error: Exception) -> tuple[int, str]:
    """Return the exit code and the one line for an error, expected or not."""
    from domains.errors import DataError
    from sessions.keeping import RecordingFailed
    from tau_tui.settings import SettingsError

    match error:
        case WrongUsage() | DataError() | SettingsError():
            return USAGE, str(error)
        case RecordingFailed():
            return OUTSIDE, str(error)
        case OSError():
            return OUTSIDE, f"{error.filename or 'the system'}: {error.strerror or error}"
    if type(error).__name__ == "UnknownPlayer":  # its module is imported by who raises it
        return USAGE, str(error)
    return OUTSIDE, f"{type(error).__name__}: {error} (this is a fault of tau-tui; --debug shows where)"
