"""What of ours travels in a tau2 results file under `simulations[].info.tau_tui`: written here, and read back here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from domains.errors import DataError
from domains.values import JSON
from sessions.event import Event, decode, encode

NAME: Final = "tau_tui"
FORMAT: Final = 1


def block(events: Sequence[Event], summary: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return `info` of a simulation; the task is left out of the header, since the file holds it."""
    encoded = [encode(event) for event in events]
    header = encoded[0]["header"]
    if header["task"]:
        encoded[0] = {**encoded[0], "header": {name: part for name, part in header.items() if name != "task"}}
    return {NAME: {"format": FORMAT, **summary, "events": encoded}}


def is_ours(info: JSON) -> bool:
    """Tell whether `info` of a simulation holds a session of ours."""
    return isinstance(info, Mapping) and isinstance(info.get(NAME), Mapping) and "events" in info[NAME]


def events_from_export(info: JSON, tasks: Mapping[str, Mapping[str, JSON]]) -> list[Event]:
    """Return the events that were exported; `tasks` are those of the file, by id, as they stand there.

    Raises DataError when there are none or they cannot be read.
    """
    if not is_ours(info):
        raise DataError(f"info.{NAME}: expected a session of tau-tui")
    ours = info[NAME]
    if not isinstance(ours.get("format"), int) or ours["format"] > FORMAT:
        raise DataError(f"info.{NAME}.format: {ours.get('format')!r}; this tau-tui reads up to {FORMAT}")
    out: list[Event] = []
    for i, item in enumerate(ours["events"] if isinstance(ours["events"], list) else ()):
        where = f"info.{NAME}.events.{i}"
        try:
            out.append(decode(_with_task(item, tasks) if i == 0 else item))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{where}: {error!r}") from None
    if not out:
        raise DataError(f"info.{NAME}.events: expected a list of events")
    return out


def _with_task(item: Mapping[str, JSON], tasks: Mapping[str, Mapping[str, JSON]]) -> Mapping[str, JSON]:
    header = item["header"]
    if "task" in header:
        return item
    task = tasks.get(header["task_id"])
    if task is None:
        raise ValueError(f"tasks: there is no task {header['task_id']!r} in the file")
    return {**item, "header": {**header, "task": task}}
