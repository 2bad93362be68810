"""One of many by its number, and what is said of a name that there is not: the nearest one, and all there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def among(name: str, there: Sequence[str]) -> str:
    """Return `did you mean airline? there are airline, retail`; without the question where none is like it.

    Names that begin with it are nearer than those that are only alike.
    """
    import difflib

    if not there:
        return "there are none"
    longer = [other for other in there if name and other.startswith(name)][:3]
    near = longer or difflib.get_close_matches(name, there, n=1, cutoff=0.6)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return f"{meant}there {'is only' if len(there) == 1 else 'are'} {', '.join(there)}"


def numbered(items: Sequence[T], name: str) -> T | None:
    """Return the item that `#N` names, None where the name is no such number."""
    if not name.startswith("#") or not name[1:].isdecimal():
        return None
    digits = name[1:].lstrip("0") or "0"
    # What is longer than any number there is is not read: Python refuses thousands of digits.
    return items[int(digits)] if len(digits) <= len(str(len(items))) and int(digits) < len(items) else None


def numbers(items: Sequence[object]) -> str:
    """Return which numbers there are: `they are numbered from #0 to #42`."""
    if len(items) < 2:
        return "there is only #0" if items else "it has none at all"
    return f"they are numbered from #0 to #{len(items) - 1}"
