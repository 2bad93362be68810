"""Reads rows out of the pages of an SQLite file, whatever has become of its trees; the file is only read.

After https://www.sqlite.org/fileformat2.html. SQL stops at the first page it cannot read; every page that is whole
tells its own rows here, and a log beside the file counts as far as its checksums hold.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

Row: TypeAlias = "tuple[int | float | str | bytes | None, ...]"

MAGIC: Final = b"SQLite format 3\0"
USUAL_PAGE: Final = 4096
TABLE_LEAF, INDEX_LEAF, INDEX_INNER = 0x0D, 0x0A, 0x02
MOST_COLUMNS: Final = 200


class Unreadable(Exception):
    """A cell, or the page it stands in, says what cannot be."""


@dataclass
class Pages:
    """The pages of a file as the last transaction left them."""

    file: Path
    size: int = USUAL_PAGE
    usable: int = USUAL_PAGE
    lost: int = 0
    """Rows that were begun to be read and could not be."""
    _data: bytes | mmap.mmap = b""
    _log: dict[int, bytes] = field(default_factory=dict)
    _count: int = 0

    @classmethod
    def read(cls, file: Path) -> Pages:
        """Open a file. Raises OSError."""
        pages = cls(file)
        with file.open("rb") as opened:
            if file.stat().st_size:
                pages._data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        head = bytes(pages._data[:100])
        pages._log = _log(file.with_name(file.name + "-wal"))
        if head.startswith(MAGIC):
            size = int.from_bytes(head[16:18], "big")
            pages._measure(65536 if size == 1 else size, head[20])
        elif pages._log:
            pages._measure(len(next(iter(pages._log.values()))), 0)
        pages._count = max([-(-len(pages._data) // pages.size), *pages._log])
        return pages

    def _measure(self, size: int, reserved: int) -> None:
        if 512 <= size <= 65536 and not size & (size - 1):
            self.size = size
            self.usable = size - reserved if size - reserved >= 480 else size

    def page(self, number: int) -> bytes:
        """Return a page by its number from 1. Raises Unreadable for one that is not there, or not whole."""
        if (logged := self._log.get(number)) is not None:
            return logged
        start = (number - 1) * self.size
        data = bytes(self._data[start : start + self.size]) if number >= 1 else b""
        if len(data) < self.size:
            raise Unreadable(f"page {number} is not there")
        return data

    def rows(self) -> Iterator[Row]:
        """Yield what stands in every page of rows, in no order; what was deleted is left alone."""
        free = self._free()
        for number in range(1, self._count + 1):
            if number in free:
                continue
            try:
                page = self.page(number)
            except Unreadable:
                continue
            yield from self._rows_of(page, 100 if number == 1 else 0)

    def _rows_of(self, page: bytes, start: int) -> Iterator[Row]:
        kind = page[start]
        if kind not in (TABLE_LEAF, INDEX_LEAF, INDEX_INNER):
            return
        first = start + (12 if kind == INDEX_INNER else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        if first + 2 * count > self.usable:
            return  # text that happens to begin like a page
        for at in struct.unpack_from(f">{count}H", page, first):
            try:
                yield _record(self._payload(page, at, kind))
            except (Unreadable, UnicodeDecodeError, struct.error):
                self.lost += 1

    def _payload(self, page: bytes, at: int, kind: int) -> bytes:
        if kind == INDEX_INNER:
            at += 4
        length, at = _varint(page, at)
        if kind == TABLE_LEAF:
            _, at = _varint(page, at)
        most = self.usable - 35 if kind == TABLE_LEAF else (self.usable - 12) * 64 // 255 - 23
        if length <= most:
            return _piece(page, at, length)
        least = (self.usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (self.usable - 4)
        here = here if here <= most else least
        parts = [_piece(page, at, here)]
        following = int.from_bytes(_piece(page, at + here, 4), "big")
        missing = length - here
        if missing > len(self._data) + len(self._log) * self.size:
            raise Unreadable("longer than the file")
        while missing > 0:
            overflow = self.page(following)
            parts.append(overflow[4 : 4 + min(missing, self.usable - 4)])
            missing -= len(parts[-1])
            following = int.from_bytes(overflow[:4], "big")
        return b"".join(parts)

    def _free(self) -> set[int]:
        """Return the pages that hold nothing any more; none when the list of them is damaged itself."""
        free: set[int] = set()
        try:
            head = self.page(1)
            if not head.startswith(MAGIC):
                return set()
            trunk = int.from_bytes(head[32:36], "big")
            while trunk and trunk not in free and len(free) <= self._count:
                page = self.page(trunk)
                count = min(int.from_bytes(page[4:8], "big"), self.usable // 4 - 2)
                free |= {trunk, *struct.unpack_from(f">{count}I", page, 8)}
                trunk = int.from_bytes(page[:4], "big")
        except Unreadable:
            return set()
        return free if len(free) == int.from_bytes(head[36:40], "big") else set()


def _piece(page: bytes, at: int, length: int) -> bytes:
    if at + length > len(page):
        raise Unreadable("a cell leaves its page")
    return page[at : at + length]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i in range(9):
        if at + i >= len(data):
            raise Unreadable("a number leaves its page")
        byte = data[at + i]
        if i == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    raise AssertionError("unreachable")


def _record(payload: bytes) -> Row:
    end, at = _varint(payload, 0)
    if end > len(payload) or end < at:
        raise Unreadable("a record's head is longer than the record")
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
        if len(kinds) > MOST_COLUMNS:
            raise Unreadable("too many columns")
    return tuple(_values(payload, end, kinds))


INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
FIXED: Final = {0: None, 8: 0, 9: 1}


def _values(payload: bytes, at: int, kinds: Sequence[int]) -> Iterator[int | float | str | bytes | None]:
    for kind in kinds:
        if kind in FIXED:
            yield FIXED[kind]
            continue
        if kind in (10, 11):
            raise Unreadable("a value of no kind")
        length = INTEGERS.get(kind) or (8 if kind == 7 else (kind - 12) // 2)
        data = _piece(payload, at, length)
        at += length
        if kind in INTEGERS:
            yield int.from_bytes(data, "big", signed=True)
        elif kind == 7:
            yield struct.unpack(">d", data)[0]
        else:
            yield data.decode("utf-8") if kind % 2 else data


# The log beside the file


def _log(file: Path) -> dict[int, bytes]:
    """Return the newest committed page of each number in a write-ahead log, as far as its checksums hold."""
    if not file.is_file():
        return {}
    data = file.read_bytes()
    if len(data) < 32 or int.from_bytes(data[:4], "big") not in (0x377F0682, 0x377F0683):
        return {}
    order = ">" if data[3] & 1 else "<"
    size = int.from_bytes(data[8:12], "big")
    if not 512 <= size <= 65536:
        return {}
    sums = _checksum(data[:24], (0, 0), order)
    if sums != struct.unpack(">2I", data[24:32]):
        return {}
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for at in range(32, len(data) - 24 - size + 1, 24 + size):
        head, page = data[at : at + 24], data[at + 24 : at + 24 + size]
        sums = _checksum(page, _checksum(head[:8], sums, order), order)
        if head[8:16] != data[16:24] or sums != struct.unpack(">2I", head[16:24]):
            break
        waiting[int.from_bytes(head[:4], "big")] = page
        if head[4:8] != b"\0\0\0\0":
            committed |= waiting
            waiting = {}
    return committed


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    for first, second in struct.iter_unpack(f"{order}2I", data):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
