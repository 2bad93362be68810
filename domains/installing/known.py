"""The digests of the official data files, by which a download is told from anything else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from domains.errors import DataError

V1: Final = "v1.0.1"


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of the official data: path below `tau2/` → sha256."""

    title: str
    pack: str
    files: Mapping[str, str]
    remark: str = ""

    @property
    def needed(self) -> list[str]:
        """The files of the domains; the guidelines of simulated users may be missing."""
        return [name for name in self.files if name.startswith("domains/")]

    def fits(self, taken: Mapping[str, str]) -> int:
        """Return how many files are exactly those of this generation."""
        return sum(taken.get(name) == digest for name, digest in self.files.items())

    def differences(self, taken: Mapping[str, str]) -> list[str]:
        """Return one phrase for each file that is missing or another one."""
        missing = [f"{name} is missing" for name in self.needed if name not in taken]
        return missing + [
            f"{name} differs (sha256 {taken[name][:12]}…, expected {digest[:12]}…)"
            for name, digest in self.files.items()
            if taken.get(name, digest) != digest
        ]


@lru_cache
def _table() -> dict[str, dict[str, dict[str, object]]]:
    table: dict[str, dict[str, dict[str, object]]] = json.loads(
        (files("domains.installing") / "known.json").read_text()
    )
    return table


@lru_cache
def generations() -> Mapping[str, Generation]:
    """Return the known states of the official data."""
    return {name: Generation(**row) for name, row in _table()["generations"].items()}  # type: ignore[arg-type]  # ours


def is_official_database(domain: str, digests: Mapping[str, str]) -> bool:
    """Tell whether databases with these digests are those of the official data."""
    known = _table()["databases"].get(domain.removesuffix("-workflow"))
    return known is not None and all(digests.get(seat) == digest for seat, digest in known.items())


def data_files() -> frozenset[str]:
    """Return the paths of the files that are ever taken."""
    return frozenset(name for known in generations().values() for name in known.files)


def digests_of(taken: Mapping[str, bytes]) -> dict[str, str]:
    """Return the sha256 of each file."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in taken.items()}


def identify(digests: Mapping[str, str]) -> Generation:
    """Return the generation whose files these are, every one of them. Raises DataError naming those that are not."""
    best = max(generations().values(), key=lambda known: known.fits(digests))
    if different := best.differences(digests):
        more = f"; {len(different) - 1} more differ or are missing" if len(different) > 1 else ""
        raise DataError(f"not the data of {best.title}: {different[0]}{more}")
    return best
