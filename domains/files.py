"""Reads the files of a pack; whatever is wrong with one is a line that names it."""

from __future__ import annotations

import json
import lzma
import tomllib
from pathlib import Path

from domains.errors import DataError
from domains.values import JSON


def read_data(path: Path) -> JSON:
    """Read a JSON (also .xz) or TOML file. Raises DataError with file, line and column."""
    try:
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.name.endswith(".xz") else content).decode()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    try:
        return tomllib.loads(text) if path.name.endswith(".toml") else json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: {error}") from None


def read_text(folder: Path, name: str) -> str:
    """Read a document of a pack. Raises DataError."""
    path = folder / name
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
