"""One file that opens a session at a turn on somebody else's machine.

A zip of `bundle.json` (which turn, and which pack its database and policy must come from: by digest, never their
content) and `events.jsonl` (every event, the task with the first of them).
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Final

from domains.catalog import load_domain
from domains.errors import DataError
from domains.installing.known import is_official_database
from domains.values import JSON
from sessions.event import Event, Header, Opened, decode, encode
from sessions.export.record import pack_of
from sessions.program import program_version
from sessions.redaction import redact
from sessions.trajectory import fold

FORMAT: Final = "tau-tui bundle"
VERSION: Final = 1
MOST: Final = 512 << 20
"""Bytes a bundle may unpack to."""


@dataclass(frozen=True, slots=True)
class Needed:
    """The pack a session was played on."""

    domain: str
    name: str
    digests: Mapping[str, str] = field(repr=False)

    @property
    def advice(self) -> str:
        """Say which pack it is and how one comes by it."""
        if is_official_database(self.domain, self.digests):
            how = "the official data of tau2: tau-tui data install"
        elif self.name == "bundled":
            how = "the pack bundled with the tau-tui it was played with, which this one no longer has"
        else:
            how = f"the pack {self.name!r} of whoever sent it: name its folder with --data"
        return f"its world is not here; it needs {how}"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What was in the file. `turn` is where it opens."""

    events: tuple[Event, ...] = field(repr=False)
    header: Header
    turn: int
    needed: Needed

    def missing(self, packs: Sequence[Path] = ()) -> str:
        """Say which pack is needed, nothing when it is here."""
        try:
            pack_of(self.header, packs)
        except DataError:
            return self.needed.advice
        return ""


def write_bundle(file: Path, events: Sequence[Event], turn: int | None = None) -> int:
    """Write a session that opens at a turn, the last one when none is given, and return that turn.

    Raises DataError when there is no such turn, and OSError.
    """
    state = fold(events)
    turns = [t.index for t in state.turns]
    if not turns or state.header is None:
        raise DataError("nothing was said in this session")
    at = turns[-1] if turn is None else turn
    if at not in turns:
        raise DataError(f"session {state.header.id} has no turn {turn}; there are {turns[0]} to {turns[-1]}")
    needed = _needed(state.header)
    first, *rest = (redact(event) for event in events)
    assert isinstance(first, Opened)
    # Where a pack lay on one machine says nothing on another, and is nobody's business.
    first = replace(first, header=replace(first.header, pack=needed.name))
    about = {
        "format": FORMAT,
        "version": VERSION,
        "program": program_version(),
        "session": state.header.id,
        "turn": at,
        "pack": {"domain": needed.domain, "name": needed.name, "digests": dict(needed.digests)},
    }
    # Escaped, so that half a surrogate, which a model may well say, is no matter.
    lines = "".join(json.dumps(encode(event), separators=(",", ":")) + "\n" for event in (first, *rest))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        made.writestr("bundle.json", json.dumps(about, indent=1) + "\n")
        made.writestr("events.jsonl", lines)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_bytes(out.getvalue())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return at


def _needed(header: Header) -> Needed:
    digests = {seat: digest for seat in ("agent", "user") if (digest := header.digests.get(seat))}
    name = header.pack or "unknown"
    if name != "bundled":
        base = _base_of(header)
        name = base if base is not None else Path(name).name
    return Needed(header.domain, name, digests)


def _base_of(header: Header) -> str | None:
    """Return what the tasks of a pack of one's own rest on: the task itself is in the file."""
    try:
        domain = load_domain(header.domain, Path(header.pack))
    except DataError:
        return None
    return None if domain.base is None else Path(domain.base.origin).name


def is_bundle(file: Path) -> bool:
    """Tell whether a file is a bundle, by its content."""
    if not file.is_file() or not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as made:
        return "bundle.json" in made.namelist()


def read_bundle(file: Path) -> Bundle:
    """Read a bundle; nothing of it is run, and no path in it is followed. Raises DataError and OSError."""
    try:
        with zipfile.ZipFile(file) as made:
            about = json.loads(_member(file, made, "bundle.json"))
            text = _member(file, made, "events.jsonl").decode("utf-8")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise DataError(f"{file}: expected a bundle of tau-tui: {error}") from None
    turn, needed = _about(file, about)
    events = _events(file, text)
    try:
        state = fold(events)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError(f"{file}: its events make no session: {error!r}") from None
    if state.header is None or turn not in [t.index for t in state.turns]:
        raise DataError(f"{file}: bundle.json: turn: the session has no turn {turn}")
    return Bundle(events, state.header, turn, needed)


def _member(file: Path, made: zipfile.ZipFile, name: str) -> bytes:
    try:
        opened: IO[bytes] = made.open(name)
    except KeyError:
        raise DataError(f"{file}: expected a bundle of tau-tui: {name} is not in it") from None
    with opened:
        content = opened.read(MOST + 1)
    if len(content) > MOST:
        raise DataError(f"{file}: refused: {name} unpacks to more than {MOST >> 20} MB")
    return content


def _about(file: Path, about: JSON) -> tuple[int, Needed]:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(f"{file}: bundle.json: format: expected {FORMAT!r}")
    version, turn, pack = about.get("version"), about.get("turn"), about.get("pack")
    if not isinstance(version, int) or version > VERSION:
        raise DataError(f"{file}: a bundle of version {version}, written by a newer tau-tui; update this one")
    if not isinstance(turn, int) or isinstance(turn, bool):
        raise DataError(f"{file}: bundle.json: turn: expected a number, found {turn!r}")
    if not isinstance(pack, dict) or not isinstance(pack.get("digests"), dict):
        raise DataError(f"{file}: bundle.json: pack: expected domain, name and digests")
    digests = {str(seat): str(digest) for seat, digest in pack["digests"].items()}
    return turn, Needed(str(pack.get("domain")), str(pack.get("name")), digests)


def _events(file: Path, text: str) -> tuple[Event, ...]:
    events = []
    for number, line in enumerate(text.splitlines()):
        try:
            events.append(decode(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"{file}: events.jsonl: line {number + 1}: {error}") from None
    if not events or not isinstance(events[0], Opened):
        raise DataError(f"{file}: events.jsonl: line 1: expected the opening of a session")
    return tuple(events)
