"""`tau-tui export`: recorded sessions as files for other programs and other people."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.choosing import by_id, choose, filters
from sessions.export import csv, html, jsonl, markdown, tau2, tau_bench
from sessions.export.anonymous import Anonymizer
from sessions.export.files import write
from sessions.export.record import Record, record
from sessions.recorder import Recorder
from sessions.trajectory import fold
from tau_tui.commands.recording import recorded
from tau_tui.exits import DONE, WrongUsage

if TYPE_CHECKING:
    from sessions.event import Header
    from sessions.export.telling import Told


def run(
    ids: Sequence[str],
    *,
    everything: bool,
    where: Sequence[str],
    form: str,
    out: Path | None,
    anonymous: bool,
    db: Path | None,
    data: Path | None,
) -> int:
    """Write the chosen sessions. Raises WrongUsage, DataError, RecordingFailed and OSError."""
    with recorded(db) as recorder:
        source = _Source(recorder, _chosen(recorder, ids, everything, where), anonymous, [data] if data else [])
        if form in ("md", "html"):
            written = _documents(source, form, out)
        elif form in ("tau2", "tau2-folder", "tau-bench"):
            written = _results(source, form, out)
        else:
            lines = (line for found in source for line in jsonl.lines(found)) if form == "jsonl" else csv.rows(source)
            written = _into(_file(out, f"sessions.{form}"), lines)
    for path in written:
        print(f"wrote {path}", file=sys.stderr)
    return DONE


def _chosen(recorder: Recorder, ids: Sequence[str], everything: bool, where: Sequence[str]) -> list[str]:
    if ids and (everything or where):
        raise WrongUsage("name sessions by id, or choose them with --all or --where, not both")
    if ids:
        return by_id(recorder, ids)
    if not everything and not where:
        raise WrongUsage("say which sessions: ids, --where FIELD=VALUE, or --all")
    found = [str(row["id"]) for row in choose(recorder, filters(where))]
    if not found:
        raise WrongUsage(f"no session in {recorder.file} fits; `tau-tui sessions` lists them")
    return found


class _Source:
    """The chosen sessions, read one at a time."""

    def __init__(self, recorder: Recorder, ids: Sequence[str], anonymous: bool, packs: Sequence[Path]) -> None:
        self.ids = ids
        self._recorder = recorder
        self._packs = packs
        self._hidden = Anonymizer(recorder.secret(), recorder.players()) if anonymous else None

    def __iter__(self) -> Iterator[Record]:
        return (self.record(session_id) for session_id in self.ids)

    def record(self, session_id: str) -> Record:
        """Return one session; its pack is looked for by what it was really called."""
        events = self._recorder.events(session_id)
        found = record(events, self._packs)
        if self._hidden is None:
            return found
        hidden = self._hidden.session(found.events)
        state = fold(hidden)
        assert state.header is not None
        return replace(found, events=tuple(hidden), state=state, header=state.header)

    def headers(self) -> Iterator[Header]:
        """Yield the headers alone, names as they are to be written."""
        for session_id in self.ids:
            header = self._recorder.header(session_id)
            if header is not None:
                yield header if self._hidden is None else self._hidden.header(header)


# One file for all, or one for each


def _documents(source: _Source, form: str, out: Path | None) -> list[Path]:
    def text(found: Record) -> Iterable[str]:
        told = _told(found)
        return markdown.document(found, told) if form == "md" else [html.page(found, told)]

    if len(source.ids) == 1:
        (found,) = source
        return _into(_file(out, f"{found.header.id}.{form}"), text(found))
    folder = _folder(out, f"{len(source.ids)} sessions make {len(source.ids)} files")
    return [path for found in source for path in _into(folder / f"{found.header.id}.{form}", text(found))]


def _told(found: Record) -> Told | None:
    if found.explanation is None:
        return None
    from tau_tui.report import report

    return report(found.explanation, found.events)


def _results(source: _Source, form: str, out: Path | None) -> list[Path]:
    if form == "tau-bench":
        for header in source.headers():
            tau_bench.check(header)
    batches = tau2.batches(source.headers())
    several = len(batches) > 1
    why = f"these sessions were played in {len(batches)} configurations, which a results file cannot hold together"
    written: list[Path] = []
    for name, batch in zip(_names(batches), batches, strict=True):
        items = _simulations(source, batch, form)
        if form == "tau2-folder":
            folder = _folder(out, "a results folder") / (name if several else "")
            if any((folder / "simulations").glob("*")):
                raise WrongUsage(f"{folder / 'simulations'} holds something already; name another --out")
            tau2.write_folder(folder, batch.head(_policy(source, batch), time.time()), items)
            written.append(folder)
            continue
        target = _folder(out, why) / f"{name}.json" if several else _file(out, f"{name}.json")
        if form == "tau2":
            written += _into(target, tau2.monolithic(batch.head(_policy(source, batch), time.time()), items))
        else:
            written += _into(target, tau_bench.array(items))
    return written


def _simulations(source: _Source, batch: tau2.Batch, form: str) -> Iterator[dict[str, object]]:
    make: Callable[[Record, int], dict[str, object]] = tau_bench.run if form == "tau-bench" else tau2.simulation
    return (make(source.record(session_id), trial) for session_id, trial in batch.trials.items())


def _policy(source: _Source, batch: tau2.Batch) -> str:
    return source.record(next(iter(batch.trials))).policy


def _names(batches: Sequence[tau2.Batch]) -> list[str]:
    """Return a file name for each, numbered where two would be the same."""
    names: list[str] = []
    seen: Counter[str] = Counter()
    for batch in batches:
        seen[batch.name] += 1
        names.append(batch.name if seen[batch.name] == 1 else f"{batch.name}_{seen[batch.name]}")
    return names


# Where to


def _file(out: Path | None, name: str) -> Path | None:
    return out / name if out is not None and out.is_dir() else out


def _folder(out: Path | None, why: str) -> Path:
    if out is None or out.is_file():
        raise WrongUsage(f"{why}; name a folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    return out


def _into(file: Path | None, text: Iterable[str]) -> list[Path]:
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, text)
        return [file]
    for piece in text:
        sys.stdout.write(piece.encode("utf-8", "backslashreplace").decode("utf-8"))
    return []
