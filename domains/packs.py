"""The packs in a person's data directory: official ones that were installed, and those of tasks of one's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from domains.errors import DataError

MANIFEST: Final = "pack.json"
"""Lies in an installed pack: what it is, where it came from, and the digest of every file."""
BASE: Final = "domain.toml"
"""Lies in a domain of a pack of one's own: whose database and policy its tasks use."""
NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,47}")


@dataclass(frozen=True)
class Installed:
    """A pack that `--data NAME` finds. One without a `source` is of one's own."""

    name: str
    folder: Path
    title: str
    source: str = ""
    at: str = ""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Path below `tau2/` → sha256, as it was installed."""
    unknown: tuple[str, ...] = ()
    """Files of which no digest is known, so that nobody vouches for them."""

    @property
    def own(self) -> bool:
        """Whether its tasks were made here."""
        return not self.source

    @cached_property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def damage(self) -> list[str]:
        """Return a line for every file that is no longer as it was installed."""
        import hashlib

        lines = []
        for name, digest in self.files.items():
            path = self.folder / "tau2" / name
            if not path.is_file():
                lines.append(f"{path}: is missing")
            elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                lines.append(f"{path}: was changed since it was installed")
        return lines


def packs_folder() -> Path:
    """Return where packs live: `packs` in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("tau-tui", appauthor=False) / "packs"


def installed_packs() -> list[Installed]:
    """Return what is there, the official one first, one's own last. Raises DataError for one that cannot be read."""
    folder = packs_folder()
    if not folder.is_dir():
        return []
    found = [_read(path) for path in sorted(folder.iterdir()) if NAME.fullmatch(path.name) and (path / "tau2").is_dir()]
    return sorted(found, key=lambda pack: (pack.own, pack.name != "official", pack.name))


def find_pack(name: str) -> Installed | None:
    """Return the pack of a name, None when there is none. Raises DataError."""
    path = packs_folder() / name
    return _read(path) if NAME.fullmatch(name) and (path / "tau2").is_dir() else None


def place_of(data: Path) -> Path:
    """Return the folder `--data` names: that of an installed pack, or the path itself."""
    named = len(data.parts) == 1 and NAME.fullmatch(data.name)
    folder = packs_folder() / data.name if named else data
    return folder if named and (folder / "tau2").is_dir() else data


def remove_pack(name: str, *, own: bool = False) -> Installed:
    """Delete a pack; one of one's own only when that is said. Raises DataError."""
    pack = find_pack(name)
    if pack is None:
        there = ", ".join(p.name for p in installed_packs()) or "none"
        raise DataError(f"no pack {name!r} is installed; there is {there}")
    if pack.own and not own:
        raise DataError(f"{name} holds tasks of your own, which nobody can fetch again; remove it with --own")
    import shutil

    shutil.rmtree(pack.folder)
    return pack


def read_base(folder: Path) -> str | None:
    """Return the pack whose database and policy a domain folder uses, None when it has its own. Raises DataError."""
    path = folder / BASE
    if not path.is_file():
        return None
    import tomllib

    try:
        base = tomllib.loads(path.read_text("utf-8"))["base"]
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None
    except KeyError:
        raise DataError(f'{path}: expected base = "bundled", the name of a pack, or a data folder') from None
    if not isinstance(base, str):
        raise DataError(f"{path}: base is a text, not {base!r}")
    return base


def _read(folder: Path) -> Installed:
    path = folder / MANIFEST
    if not path.is_file():
        return Installed(folder.name, folder, "tasks of your own")
    import json

    try:
        said = json.loads(path.read_text("utf-8"))
        return Installed(
            folder.name,
            folder,
            str(said["title"]),
            str(said["source"]),
            str(said["installed"]),
            {str(name): str(digest) for name, digest in said["files"].items()},
            tuple(map(str, said["unknown"])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        line = f"{path}: cannot be read ({error}); remove the folder and install it again"
        raise DataError(line) from None
