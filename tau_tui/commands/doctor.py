"""`tau-tui doctor`: where everything is, and what is wrong with the recording."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from domains.catalog import installed_packs, list_domains
from domains.errors import DataError
from domains.packs import packs_folder
from domains.values import JSON
from sessions.examination import Examination, examine
from sessions.recorder import default_file
from sessions.salvage import Saved, save
from sessions.schema import SCHEMA
from tau_tui.exits import DONE, NO, WrongUsage
from tau_tui.settings import config_file
from tau_tui.widgets.safe_text import one_line

MOST_TOLD = 50
"""Problems that people are told one by one."""


def run(db: Path | None, *, data: Path | None, save_to: Path | None, quick: bool, as_json: bool) -> int:
    """Tell, and save what can be read when asked to; exit code 1 when something is wrong. Raises OSError, DataError."""
    file = db or default_file()
    if save_to is not None and not file.is_file():
        raise WrongUsage(f"{file}: there is no such recording to save from")
    packs, trouble = _packs(data)
    with _progress() as progress:
        found = examine(file, [data] if data else [], replaying=not quick, progress=progress)
    saved = save(file, save_to) if save_to is not None else None
    facts = _environment()
    if as_json:
        _print_json(facts, packs, trouble, found, saved)
    else:
        _tell(facts, packs, trouble, found, saved)
    return NO if trouble or found.problems else DONE


# Here


def _environment() -> dict[str, str]:
    size = shutil.get_terminal_size((0, 0))
    shape = f"{size.columns}×{size.lines}" if sys.stdout.isatty() else "none, output goes into a pipe"
    terminal = f"{os.environ.get('TERM') or 'TERM is not set'}, {shape}, {sys.stdout.encoding}"
    if colours := os.environ.get("COLORTERM"):
        terminal += f", {colours}"
    if "NO_COLOR" in os.environ:
        terminal += ", NO_COLOR"
    return {
        "tau-tui": version("tau-playtest"),
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "textual": version("textual"),
        "sqlite": sqlite3.sqlite_version,
        "terminal": terminal,
        "settings": f"{config_file()}{'' if config_file().is_file() else ' (not there: the defaults)'}",
    }


def _packs(data: Path | None) -> tuple[dict[str, str], list[str]]:
    """Return where packs are found, and what is wrong with them."""
    packs, trouble = {"bundled": ", ".join(list_domains())}, []
    if data is not None:
        try:
            packs[str(data)] = ", ".join(list_domains(data)) or "no domain"
        except DataError as error:
            trouble.append(str(error))
    try:
        for pack in installed_packs():
            packs[pack.name] = f"{', '.join(list_domains(pack.folder))} ({pack.title})"
            trouble += pack.damage()
    except DataError as error:
        trouble.append(str(error))
    return packs, trouble


# Telling


def _print_json(
    facts: dict[str, str], packs: dict[str, str], trouble: list[str], found: Examination, saved: Saved | None
) -> None:
    row: dict[str, JSON] = {
        "environment": facts,
        "packs_folder": str(packs_folder()),
        "packs": packs,
        "pack_problems": trouble,
        "recording": str(found.file),
        "size": found.size,
        "schema": found.schema,
        "newest_schema": SCHEMA,
        "counts": found.counts,
        "proven": found.proven,
        "problems": [{"kind": p.kind, "session": p.session or None, "text": p.text} for p in found.problems],
        "notes": found.notes,
        "saved": None,
    }
    if saved is not None:
        row["saved"] = {
            "file": str(saved.file),
            "sessions": saved.sessions,
            "events": saved.events,
            "cut": [{"session": c.session, "kept": c.kept, "rest": c.rest, "why": c.why} for c in saved.cut],
            "unreadable": saved.unreadable,
            "rest": str(saved.rest) if saved.rest else None,
        }
    sys.stdout.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace").decode() + "\n")


def _tell(
    facts: dict[str, str], packs: dict[str, str], trouble: list[str], found: Examination, saved: Saved | None
) -> None:
    for name, value in facts.items():
        _line(f"{name:<10} {value}")
    for name, domains in packs.items():
        _line(f"{'pack':<10} {name}: {domains}")
    for line in trouble:
        _line(f"{'wrong':<10} {line}")
    for line in _recording(found):
        _line(line)
    if saved is not None:
        for line in _saving(saved):
            _line(line)


def _recording(found: Examination) -> Iterator[str]:
    if found.size is None:
        yield f"{'recording':<10} {found.file}: not there yet"
        return
    schema = "" if found.schema is None else f", schema {found.schema} of {SCHEMA}"
    yield f"{'recording':<10} {found.file}: {found.size / 1e6:.1f} MB{schema}"
    if found.counts:
        yield f"{'':<10} {', '.join(f'{count} {table}' for table, count in found.counts.items())}"
    if found.proven:
        sessions = f"{found.proven} session{'' if found.proven == 1 else 's'}"
        yield f"{'':<10} {sessions} played again: every answer and state as recorded"
    for note in found.notes:
        yield f"{'':<10} {note}"
    for problem in found.problems[:MOST_TOLD]:
        yield f"{'wrong':<10} {f'session {problem.session}: ' if problem.session else ''}{problem.text}"
    if len(found.problems) > MOST_TOLD:
        yield f"{'':<10} … and {len(found.problems) - MOST_TOLD} more; --json lists all"
    if not found.problems:
        yield f"{'':<10} nothing is wrong with it"
    elif any(problem.kind != "replay" for problem in found.problems):
        yield f"{'':<10} what can be read is saved into a new file by: tau-tui doctor --db {found.file} --save NEW.db"


def _saving(saved: Saved) -> Iterator[str]:
    yield f"{'saved':<10} {saved.sessions} sessions, {saved.events} events into {saved.file}"
    for cut in saved.cut[:MOST_TOLD]:
        yield f"{'cut':<10} session {cut.session} after {cut.kept} events: {cut.why}"
    if len(saved.cut) > MOST_TOLD:
        yield f"{'':<10} … and {len(saved.cut) - MOST_TOLD} more; --json lists all"
    if saved.unreadable:
        yield f"{'':<10} {saved.unreadable} rows make no sense any more"
    if saved.rest is not None:
        yield f"{'':<10} the events that follow a gap are in {saved.rest}"
    yield f"{'':<10} play on with --db {saved.file}, or put it in the place of the damaged file"


def _line(text: str) -> None:
    head, rest = text[:11], one_line(text[11:])
    Console(highlight=False).print(Text(head + rest), soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar for people; on a pipe there is none."""
    console = Console(stderr=True)
    columns = (TextColumn("examining"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
