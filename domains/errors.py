"""What this package raises for a person to read: one line that says what, where and what to do."""

from __future__ import annotations


class DataError(Exception):
    """A pack, a task file or a database cannot be used as it is."""


class UnknownDomain(DataError):
    """No pack of that name can be found."""
