"""Picks the data files out of an archive or a folder. We choose what is kept: no name found inside is followed."""

from __future__ import annotations

import io
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO, Final, Protocol, TypeAlias

from domains.errors import DataError
from domains.installing.known import data_files

MOST_FILE: Final = 64 << 20
"""Bytes of one file; the largest official one has 14 MB."""
MOST_KEPT: Final = 256 << 20
MOST_UNPACKED: Final = 8 << 30
"""Bytes a whole archive may unpack to, read past or kept."""
MOST_MEMBERS: Final = 500_000

DATA: Final = re.compile(r"(?:(?:.*/)?data/|(?:\./)?)tau2/((?:domains|user_simulator)/.+)")
"""Where the data lies in the repository, in the wheel and in an archive of a data folder: beside it lie code and
results, which are left alone."""
LICENSE: Final = re.compile(r"[^/]+/LICENSE|[^/]+\.dist-info/(?:licenses/)?LICENSE")

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being done, how many bytes of it are done, and of how many (0: nobody knows)."""


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes | None: ...


def quiet(what: str, done: int, total: int) -> None:
    """Tell nobody."""


def read_source(path: Path, progress: Progress = quiet) -> dict[str, bytes]:
    """Return the data files by their path below `tau2/`, and `LICENSE`. Raises DataError and OSError."""
    if path.is_dir():
        return _only(path, _folder(path))
    with path.open("rb") as file:
        start = file.read(6)
    total = path.stat().st_size
    try:
        if start.startswith(b"PK\3\4"):
            return _only(path, _zip(path))
        with path.open("rb") as file:
            watched = _Watched(file, lambda done: progress("reading", done, total))
            return _only(path, _tar(path, _unpacked(start, watched)))
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError) as error:
        raise DataError(f"{path}: damaged, or not an archive: {error}") from None
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed in a way Python does not know
        raise DataError(f"{path}: {error}") from None


def _only(path: Path, found: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    taken: dict[str, bytes] = {}
    size = 0
    for name, content in found:
        if name in taken:
            raise DataError(f"{path}: holds {name} twice")
        size += len(content)
        if size > MOST_KEPT:
            raise DataError(f"{path}: holds more than {MOST_KEPT >> 20} MB of data; this is not the official data")
        taken[name] = content
    if not taken.keys() - {"LICENSE"}:
        raise DataError(f"{path}: holds no data of tau2: expected data/tau2/domains/… or tau2/domains/…")
    return taken


def _wanted(path: Path, name: str) -> str | None:
    """Return the path below `tau2/` of a member that is kept, None for another. Raises DataError for a hostile one."""
    plain = name.replace("\\", "/")
    if plain.startswith("/") or ".." in PurePosixPath(plain).parts or re.match(r"[A-Za-z]:", plain):
        raise DataError(f"{path}: refused: a member named {name[:80]!r} leads out of the archive")
    if LICENSE.fullmatch(plain):
        return "LICENSE"
    found = DATA.fullmatch(plain)
    return found[1] if found is not None and found[1] in data_files() else None


def _read(path: Path, name: str, file: _Readable) -> bytes:
    content = file.read(MOST_FILE + 1) or b""
    if len(content) > MOST_FILE:
        raise DataError(f"{path}: refused: {name} unpacks to more than {MOST_FILE >> 20} MB")
    return content


# Folders


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    root = next((d for d in (path / "data" / "tau2", path / "tau2", path) if (d / "domains").is_dir()), None)
    if root is None:
        raise DataError(f"{path}: expected a folder with data/tau2/domains, tau2/domains or domains")
    inside = root.resolve()
    for name in sorted(data_files()):
        file = root / name
        if not file.is_file():
            continue
        if not file.resolve().is_relative_to(inside):
            raise DataError(f"{file}: refused: a link that leads out of the folder")
        with file.open("rb") as opened:
            yield name, _read(path, name, opened)
    for candidate in (path / "LICENSE", path.parent / "LICENSE"):
        if candidate.is_file():
            yield "LICENSE", candidate.read_bytes()
            return


# Zip, which a wheel is


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise DataError(f"{path}: refused: more than {MOST_MEMBERS} members")
        for member in members:
            name = _wanted(path, member.filename)
            if name is None:
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                raise DataError(f"{path}: refused: {member.filename} is a link")
            with archive.open(member) as file:
                yield name, _read(path, member.filename, file)


# Tar


def _unpacked(start: bytes, file: io.RawIOBase) -> _Readable:
    if start.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.GzipFile(fileobj=file)
    if start.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(file)
    if start == b"\xfd7zXZ\0":
        import lzma

        return lzma.LZMAFile(file)  # type: ignore[arg-type]  # it only reads
    return file


def _tar(path: Path, unpacked: _Readable) -> Iterator[tuple[str, bytes]]:
    count = 0
    with tarfile.open(fileobj=_Forward(path, unpacked), mode="r:") as archive:
        for member in archive:
            count += 1
            if count > MOST_MEMBERS:
                raise DataError(f"{path}: refused: more than {MOST_MEMBERS} members")
            archive.members = []  # type: ignore[attr-defined]  # it would keep every one of them
            name = _wanted(path, member.name)
            if name is None:
                continue
            if not member.isreg() or member.issparse():
                raise DataError(f"{path}: refused: {member.name} is not a plain file")
            if member.size > MOST_FILE:
                raise DataError(f"{path}: refused: {member.name} unpacks to more than {MOST_FILE >> 20} MB")
            file = archive.extractfile(member)
            assert file is not None
            yield name, _read(path, member.name, file)


class _Watched(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, file: IO[bytes], told: Callable[[int], None]) -> None:
        self._file = file
        self._told = told
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # any writable buffer
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._done += len(data)
        self._told(self._done)
        return len(data)


class _Forward(io.RawIOBase):
    """What an archive unpacks to, read once and forward, within limits.

    tarfile believes the sizes in headers: it would hold one of eight gigabytes in memory.
    """

    def __init__(self, path: Path, file: _Readable) -> None:
        self._path = path
        self._file = file
        self._at = 0
        self._last = b""
        self._again = b""

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at - len(self._again)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        assert whence == io.SEEK_SET
        if offset > MOST_UNPACKED:
            raise DataError(f"{self._path}: refused: unpacks to more than {MOST_UNPACKED >> 30} GB")
        if offset == self._at - 1 and self._last:  # tarfile goes back by the byte before a header
            self._again = self._last
            return offset
        while (missing := offset - self.tell()) > 0:
            if not self.read(min(missing, 1 << 20)):
                raise EOFError("it ends too early")
        if self.tell() != offset:
            raise DataError(f"{self._path}: refused: its members overlap")
        return offset

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MOST_FILE + 1:
            raise DataError(f"{self._path}: refused: one of its headers asks for more than {MOST_FILE >> 20} MB")
        again, self._again = self._again[:size], self._again[size:]
        data = again + (self._file.read(size - len(again)) or b"")
        self._at += len(data) - len(again)
        self._last = data[-1:] or self._last
        return data
