"""Fetch, pick, verify, and put in place in one step; whatever goes wrong before leaves the packs as they were."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from domains.errors import DataError
from domains.installing.archive import Progress, quiet, read_source
from domains.installing.fetch import download, forget
from domains.installing.known import V1, data_files, digests_of, generations, identify
from domains.packs import MANIFEST, Installed, find_pack, packs_folder

HOME: Final = "https://github.com/sierra-research/tau2-bench/archive/refs/tags/v1.0.1.tar.gz"
VERIFIED_HOME: Final = "https://github.com/amazon-agi/tau2-bench-verified"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was put in place. `verified` files are exactly official ones; of `pack.unknown` no digest is known."""

    pack: Installed
    verified: int
    remark: str = ""
    known: bool = False
    """It was there already, whole and unchanged, and nothing was fetched."""


def downloads_folder() -> Path:
    """Return where downloads wait until they are whole."""
    from platformdirs import user_cache_path

    return user_cache_path("tau-tui", appauthor=False) / "downloads"


def install(source: str | None = None, *, verified: bool = False, progress: Progress = quiet) -> Outcome:
    """Install the official data, from an address, a file or a folder instead of the release archive.

    `verified` takes the corrected tasks of τ²-Bench Verified. Raises DataError and OSError (FetchFailed).
    """
    if source is None and verified:
        raise DataError(
            f"no release of τ²-Bench Verified is known here: get an archive of {VERIFIED_HOME} and name it with --from"
        )
    if source is None:
        there = find_pack(generations()[V1].pack)
        if there is not None and not there.damage():
            return Outcome(there, len(there.files), known=True)
        source = HOME
    if "://" not in source:
        path = Path(source).expanduser()
        if not path.exists():
            raise DataError(f"{source}: there is no such file or folder")
        return _take(path, str(path.resolve()), verified, progress)
    folder = downloads_folder()
    path = download(source, folder, progress)
    try:
        return _take(path, source, verified, progress)
    except DataError as error:
        raise DataError(str(error).replace(str(path), source)) from None
    finally:
        forget(source, folder)  # one that is bad would only be found bad again


def _take(path: Path, source: str, verified: bool, progress: Progress) -> Outcome:
    taken = read_source(path, progress)
    license_text = taken.pop("LICENSE", None)
    digests = digests_of(taken)
    if verified:
        return _take_verified(path, source, taken, digests, license_text)
    try:
        known = identify(digests)
    except DataError as error:
        raise DataError(f"{path}: {error}; nothing was installed (--data plays any data folder as it is)") from None
    kept = {name: taken[name] for name in known.files if name in taken}
    pack = _put(known.pack, known.title, source, kept, license_text, ())
    missing = [name for name in known.files if name not in taken]
    remark = "; ".join(filter(None, (known.remark, f"without {', '.join(missing)}" if missing else "")))
    return Outcome(pack, len(kept), remark)


def _take_verified(
    path: Path, source: str, taken: Mapping[str, bytes], digests: Mapping[str, str], license_text: bytes | None
) -> Outcome:
    official = generations().values()
    unknown = tuple(name for name, digest in digests.items() if all(g.files.get(name) != digest for g in official))
    if not any(name.endswith("/tasks.json") for name in unknown):
        raise DataError(
            f"{path}: its tasks are the official ones, not those of τ²-Bench Verified; nothing was installed"
        )
    if "domains/mock/user_db.json" not in taken:  # as in tau2 0.2, whose mock has no customer's side
        taken = {name: content for name, content in taken.items() if not name.startswith("domains/mock/")}
        unknown = tuple(name for name in unknown if name in taken)
    title = "τ²-Bench Verified"
    pack = _put("verified", title, source, taken, license_text, unknown)
    return Outcome(pack, len(taken) - len(unknown))


def _put(
    name: str,
    title: str,
    source: str,
    taken: Mapping[str, bytes],
    license_text: bytes | None,
    unknown: tuple[str, ...],
) -> Installed:
    """Write a pack beside its place, see that it can be read, and put it there in one step. Raises DataError."""
    home = packs_folder()
    home.mkdir(parents=True, exist_ok=True)
    new, old = home / f".new-{name}-{os.getpid()}", home / f".old-{name}-{os.getpid()}"
    try:
        for path, content in taken.items():
            assert path in data_files()
            file = new / "tau2" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        if license_text is not None:
            (new / "LICENSE").write_bytes(license_text)
        manifest = {
            "title": title,
            "source": source,
            "installed": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": digests_of(taken),
            "unknown": list(unknown),
        }
        (new / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
        if unknown:
            _read_all(new)
        place = home / name
        if place.exists():
            place.rename(old)
        try:
            new.rename(place)
        except OSError:
            if old.exists():
                old.rename(place)
            raise
        shutil.rmtree(old, ignore_errors=True)  # the new one is in place: what is left of it harms nobody
    finally:
        shutil.rmtree(new, ignore_errors=True)
    pack = find_pack(name)
    assert pack is not None
    return pack


def _read_all(folder: Path) -> None:
    """Read what nobody vouches for as it would be played. Raises DataError."""
    from domains.catalog import list_domains, read_domain

    for name in list_domains(folder):
        domain = read_domain(name, folder)
        assert domain.bases and domain.policy and domain.tasks
