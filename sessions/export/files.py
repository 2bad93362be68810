"""Files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def write(file: Path, text: Iterable[str]) -> None:
    """Write a file, taking the place of one of its name only when it is complete. Raises OSError.

    Half surrogates, which JSON can carry and UTF-8 cannot, become escapes, which JSON reads back.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            for piece in text:
                out.write(piece)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
