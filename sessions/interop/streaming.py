"""Reads JSON files of any size piece by piece, and says at which line and column one breaks off."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias

import ijson

from domains.errors import DataError
from domains.values import JSON

CHUNK = 1 << 16

Watch: TypeAlias = Callable[[bytes], None]
"""Is given every piece of a file as it is read: for a digest, for a progress bar."""


class Watched:
    """A file that tells somebody what is read from it, and refuses what is nested too deeply for any parser."""

    def __init__(self, file: IO[bytes], watch: Watch | None = None) -> None:
        self._file = file
        self._watch = watch
        self._depth = Depth()

    def read(self, size: int = -1) -> bytes:
        """Read on. Raises TooDeep."""
        data = self._file.read(size)
        if self._watch is not None and data:
            self._watch(data)
        self._depth.follow(data)
        return data


class TooDeep(Exception):
    """A file that no program wrote: the parser's memory grows with the square of the depth."""


class Depth:
    """Follows how deeply JSON is nested, piece by piece, without parsing it."""

    DEEPEST = 1_000
    STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+("|\Z)', re.DOTALL)

    def __init__(self) -> None:
        self._depth = 0
        self._carried = b""

    def follow(self, data: bytes) -> None:
        """Take in the next piece. Raises TooDeep."""
        data = self._carried + data
        self._carried = b""
        if (len(data) - len(data.rstrip(b"\\"))) % 2:  # what is escaped comes with the next piece
            self._carried, data = b"\\", data[:-1]
        bare = self.STRING.sub(self._string, data)
        opened = bare.count(b"[") + bare.count(b"{")
        if self._depth + opened > self.DEEPEST:
            self._follow_closely(bare)
        else:
            self._depth += opened - bare.count(b"]") - bare.count(b"}")

    def _string(self, found: re.Match[bytes]) -> bytes:
        if not found[1]:
            self._carried = b'"' + self._carried
        return b""

    def _follow_closely(self, bare: bytes) -> None:
        for byte in bare:
            self._depth += (byte in b"[{") - (byte in b"]}")
            if self._depth > self.DEEPEST:
                raise TooDeep


def items(path: Path, prefix: str, watch: Watch | None = None) -> Iterator[JSON]:
    """Yield the values at a prefix (`item`, `simulations.item`), one at a time.

    Raises OSError, and DataError with line and column where the file is not JSON.
    """
    with path.open("rb") as file:
        try:
            yield from ijson.items(Watched(file, watch), prefix, use_float=True, buf_size=CHUNK)
        except ijson.JSONError as error:
            raise broken(path, error) from None
        except TooDeep:
            raise too_deep(path) from None


def first_event(path: Path) -> str:
    """Return what a JSON file begins with: `start_map`, `start_array`, a scalar, or nothing for an empty file.

    Raises OSError, and DataError with line and column.
    """
    with path.open("rb") as file:
        try:
            return next((event for event, _ in ijson.basic_parse(Watched(file), buf_size=CHUNK)), "")
        except ijson.JSONError as error:
            raise broken(path, error) from None
        except TooDeep:
            raise too_deep(path) from None


def head(path: Path, bulk: str, needed: Collection[str]) -> dict[str, JSON]:
    """Return the fields of an object; one of them, the bulk, only as an empty list, or as None where it is null.

    What stands behind the bulk is read only when something `needed` has not come before it. Raises OSError, and
    DataError: with line and column, or for a bulk that is no list.
    """
    found: dict[str, JSON] = {}
    with path.open("rb") as file:
        try:
            for name, value in _fields(file, bulk):
                found[name] = value
                if name == bulk and value is not None and all(other in found for other in needed):
                    break
        except ijson.JSONError as error:
            raise broken(path, error) from None
        except TooDeep:
            raise too_deep(path) from None
        except ValueError as error:
            raise DataError(f"{path}: {error}") from None
    return found


def _fields(file: IO[bytes], bulk: str) -> Iterator[tuple[str, JSON]]:
    """Yield the fields of an object; the bulk when it begins. Raises ValueError when it is no list."""
    name, builder, depth = "", ijson.ObjectBuilder(), 0
    for event, value in ijson.basic_parse(Watched(file), use_float=True, buf_size=CHUNK):
        if depth == 0 and event == "start_map":
            depth = 1
            continue
        if depth == 0 or (depth == 1 and event == "end_map"):
            return
        if depth == 1 and event == "map_key":
            name, builder = value, ijson.ObjectBuilder()
            continue
        if depth == 1 and name == bulk:
            if event not in ("start_array", "null"):
                raise ValueError(f"{bulk}: expected a list")
            yield name, None if event == "null" else []
        if name != bulk:
            builder.event(event, value)
        depth += event in ("start_map", "start_array")
        depth -= event in ("end_map", "end_array")
        if depth == 1 and name != bulk and event not in ("start_map", "start_array"):
            yield name, builder.value


def too_deep(path: Path) -> DataError:
    """Return what is said of a file that is nested too deeply."""
    return DataError(f"{path}: nested too deeply")


def broken(path: Path, error: Exception) -> DataError:
    """Say in one line where a file stops being JSON; reads it again, with the parser held at every byte near the end.

    Raises OSError.
    """
    what = str(error).strip().splitlines()[0] if str(error).strip() else "not JSON"
    sound = _sound(path, CHUNK, 0)
    offset = _sound(path, 1, sound)
    line, column = 1, 1
    with path.open("rb") as file:
        left = offset
        while left and (data := file.read(min(CHUNK, left))):
            left -= len(data)
            breaks = data.count(b"\n")
            line += breaks
            column = len(data) - data.rfind(b"\n") if breaks else column + len(data)
    return DataError(f"{path}: line {line}, column {column}: {what.removeprefix('parse error: ')}")


def _sound(path: Path, step: int, start: int) -> int:
    """Return how many bytes, counted in steps from `start`, the parser takes before it objects."""
    parser = ijson.basic_parse_coro(_nowhere(), use_float=True)
    done = 0
    with path.open("rb") as file:
        try:
            while done < start:
                data = file.read(min(CHUNK, start - done))
                parser.send(data)
                done += len(data)
            while data := file.read(step):
                parser.send(data)
                done += len(data)
        except ijson.JSONError:
            pass  # this is what was looked for
    return done


@ijson.coroutine  # type: ignore[untyped-decorator]
def _nowhere() -> Generator[None, Any, None]:
    while True:
        yield
