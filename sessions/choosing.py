"""Chooses recorded sessions by any field of their header: `agent_name=oracle`, `header.limits.max_steps=30`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from domains.choices import among
from domains.errors import DataError
from domains.values import JSON
from sessions.recorder import Recorder

Row: TypeAlias = Mapping[str, JSON]
"""Column or header path → value."""

HEADER: Final = "header."
UNSAID: Final = frozenset(("header", "process"))
"""Columns nobody chooses by."""


def filters(texts: Iterable[str]) -> dict[str, set[str]]:
    """Return field → the values allowed, from `FIELD=VALUE`; the same field twice allows both. Raises DataError."""
    out: dict[str, set[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise DataError(f"{text!r} is not FIELD=VALUE, such as agent_name=oracle")
        out.setdefault(name, set()).add(value)
    return out


def choose(recorder: Recorder, wanted: Mapping[str, set[str]], needed: Sequence[str] = ()) -> list[Row]:
    """Return the sessions that fit, oldest first, with the fields `needed` and `wanted`.

    Raises DataError for a field there is none of, and RecordingFailed.
    """
    names = list(dict.fromkeys(("id", *needed, *wanted)))
    known = [name for name in recorder.columns() if name not in UNSAID]
    for name in names:
        if name not in known and not name.startswith(HEADER):
            raise DataError(f"sessions have no field {name!r}; {among(name, known)}, and header.NAME")
    paths = [name for name in names if name.startswith(HEADER)]
    columns = [name for name in names if name not in paths] + (["header"] if paths else [])
    out: list[Row] = []
    for row in recorder.rows(columns):
        if paths:
            header = json.loads(row.pop("header"))
            row |= {path: _at(header, path.removeprefix(HEADER)) for path in paths}
        if all(text(row[name]) in values for name, values in wanted.items()):
            out.append(row)
    return out


def _at(value: JSON, path: str) -> JSON:
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def text(value: JSON) -> str:
    """Return a field as it is written in a filter: nothing for null, 0 and 1 for no and yes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value)


def by_id(recorder: Recorder, ids: Sequence[str]) -> list[str]:
    """Return whole ids for ids or their beginnings. Raises DataError for one that fits no session, or several."""
    known = [str(row["id"]) for row in recorder.rows(["id"])]
    out: list[str] = []
    for wanted in ids:
        found = [wanted] if wanted in known else [name for name in known if name.startswith(wanted)]
        if len(found) != 1:
            raise DataError(
                f"{len(found)} sessions begin with {wanted!r}; give more of the id"
                if found
                else f"there is no session {wanted!r} in {recorder.file}; `tau-tui sessions` lists them"
            )
        out += found
    return list(dict.fromkeys(out))
