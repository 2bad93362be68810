"""Which version of the program writes."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """Return the version of this distribution, as it stands in every header."""
    try:
        return version("tau-playtest")
    except PackageNotFoundError:  # a checkout that was never installed
        return "unknown"
