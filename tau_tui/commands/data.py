"""`tau-tui data`: official data and packs of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from domains.catalog import list_domains
from domains.installing import Outcome, install
from domains.installing.archive import Progress as Told
from domains.packs import Installed, installed_packs, packs_folder, remove_pack
from domains.values import JSON
from tau_tui.commands.printing import print_json, print_table
from tau_tui.exits import DONE
from tau_tui.widgets.safe_text import one_line


def run_install(source: str | None, *, verified: bool, as_json: bool) -> int:
    """Install a pack and say what it is. Raises DataError and OSError; then nothing has changed."""
    with _progress() as told:
        done = install(source, verified=verified, progress=told)
    if as_json:
        print_json(_row(done.pack) | {"verified": done.verified, "remark": done.remark, "fetched": not done.known})
    else:
        for line in _said(done):
            print(one_line(line))
    return DONE


def _said(done: Outcome) -> Iterator[str]:
    pack = done.pack
    names = ", ".join(list_domains(pack.folder))
    if done.known:
        yield f"{pack.title} is installed, and every file is as it was: --data {pack.name}"
        return
    remark = f": {done.remark}" if done.remark else ""
    yield f"{pack.title}{remark}"
    yield f"{done.verified} files have the digests of the official data"
    if pack.unknown:
        yield f"nobody vouches for {len(pack.unknown)}, as no digest of them is known: {', '.join(pack.unknown)}"
    yield f"installed as {pack.name} ({names}): play with --data {pack.name}, or choose it in the lobby"


def run_list(*, as_json: bool) -> int:
    """List what is installed. Raises DataError."""
    packs = installed_packs()
    if as_json:
        for pack in packs:
            print_json(_row(pack))
        return DONE
    print_table(
        ["name", "what", "domains", "MB", "from", "installed"],
        [
            [
                pack.name,
                pack.title,
                ", ".join(list_domains(pack.folder)),
                f"{pack.size / 1e6:.1f}",
                pack.source or "–",
                pack.at or "–",
            ]
            for pack in packs
        ],
        empty=f"nothing is installed in {packs_folder()}; `tau-tui data install` fetches the official data",
    )
    return DONE


def run_remove(names: Sequence[str], *, own: bool, as_json: bool) -> int:
    """Delete packs. Raises DataError."""
    for name in names:
        pack = remove_pack(name, own=own)
        if as_json:
            print_json({"removed": pack.name, "title": pack.title})
        else:
            print(one_line(f"removed {pack.name} ({pack.title})"))
    return DONE


def _row(pack: Installed) -> dict[str, JSON]:
    return {
        "name": pack.name,
        "title": pack.title,
        "folder": str(pack.folder),
        "domains": list_domains(pack.folder),
        "size": pack.size,
        "source": pack.source or None,
        "installed": pack.at or None,
        "own": pack.own,
        "unknown": list(pack.unknown),
    }


@contextmanager
def _progress() -> Iterator[Told]:
    """Show a bar for people; on a pipe there is none."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def told(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total or None)

        yield told
