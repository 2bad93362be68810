"""`tau-tui import`: runs of tau2 and τ-bench, and sessions of other recordings, beside one's own."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from domains.errors import DataError
from domains.values import JSON
from sessions.importing import Import, Status, Taken
from sessions.importing import Progress as Told
from sessions.recorder import Recorder, default_file
from tau_tui.commands.printing import print_json
from tau_tui.exits import DONE, INTERRUPTED, OUTSIDE, USAGE
from tau_tui.widgets.safe_text import one_line

MOST_DIFFERENCES = 20
"""Disagreements that people are told one by one."""

STATUSES: Mapping[Status, str] = {
    "new": "new",
    "known": "already here",
    "rescored": "scored for the first time",
    "longer": "gone on since",
    "other": "other than here, left alone",
}


def run(files: Sequence[Path], *, db: Path | None, data: Path | None, domain: str | None, as_json: bool) -> int:
    """Import files one after the other and return the exit code; a bad one is one line, and leaves nothing behind.

    Raises RecordingFailed; what was kept until then stays, and running it again goes on.
    """
    recorder = Recorder(db or default_file())
    code = DONE
    try:
        for file in files:
            with _bar(file) as progress:
                work = Import(file, recorder, data=data, domain=domain, progress=progress)
                taken: list[Taken] = []
                try:
                    for session in work.run():
                        taken.append(session)
                        if as_json:
                            print_json({"kind": "session", "file": str(file), **asdict(session)})
                except DataError as error:
                    _complain(str(error) if str(error).startswith(str(file)) else f"{file}: {error}")
                    code = code or USAGE
                    continue
                except OSError as error:
                    _complain(f"{error.filename or file}: cannot be read: {error.strerror or error}")
                    code = OUTSIDE
                    continue
                except KeyboardInterrupt:
                    _complain(f"{file}: interrupted: {len(taken)} of {work.runs} done; run it again to go on")
                    return INTERRUPTED
            if as_json:
                print_json(_summary(file, work, taken))
            else:
                _tell(file, work, taken)
    finally:
        recorder.close()
    return code


def _complain(line: str) -> None:
    print(f"tau-tui import: {one_line(line)}", file=sys.stderr)


def _summary(file: Path, work: Import, taken: Sequence[Taken]) -> dict[str, JSON]:
    return {
        "kind": "file",
        "file": str(file),
        "format": work.format,
        "domain": work.domain,
        "digest": work.digest,
        "sessions": len(taken),
        **{status: sum(s.status == status for s in taken) for status in STATUSES},
        "recorded_reward": _mean([s.recorded_reward for s in taken]),
        "reward": _mean([s.reward for s in taken]),
        "disagreements": sum(bool(s.difference) for s in taken),
        "notes": list(work.said),
    }


def _tell(file: Path, work: Import, taken: Sequence[Taken]) -> None:
    console = Console(highlight=False)
    how = Counter(session.status for session in taken)
    counts = ", ".join(f"{how[status]} {words}" for status, words in STATUSES.items() if how[status])
    parts = ["1 session" if len(taken) == 1 else f"{len(taken)} sessions" + (f": {counts}" if counts else "")]
    rewards_by_name = {
        "recorded": [s.recorded_reward for s in taken],
        "computed here": [s.reward for s in taken],
    }
    for name, rewards in rewards_by_name.items():
        mean, there = _mean(rewards), sum(reward is not None for reward in rewards)
        if mean is not None:
            parts.append(f"{name} {mean:.3f}" + (f" (of {there})" if there < len(taken) else ""))
    head = " · ".join(part for part in (str(file), work.format, work.domain) if part)
    _line(console, f"{head} · {'; '.join(parts)}")
    for line in work.said:
        _line(console, line, indent="  ")
    differing = [session for session in taken if session.difference]
    for session in differing[:MOST_DIFFERENCES]:
        trial = "" if session.trial is None else f", trial {session.trial}"
        both = f"{session.recorded_reward:g} in the file, {session.reward:g} here"
        _line(console, f"task {session.task}{trial}: {both}: {session.difference}", indent="  ")
    if len(differing) > MOST_DIFFERENCES:
        _line(console, f"… and {len(differing) - MOST_DIFFERENCES} more that disagree; --json lists all", indent="  ")


def _line(console: Console, text: str, indent: str = "") -> None:
    console.print(Text(indent + one_line(text)), soft_wrap=True)


def _mean(rewards: Sequence[float | None]) -> float | None:
    there = [reward for reward in rewards if reward is not None]
    return sum(there) / len(there) if there else None


@contextmanager
def _bar(file: Path) -> Iterator[Told]:
    """Show a bar for people; on a pipe there is none."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def told(what: str, done: int, total: int) -> None:
            progress.update(task, description=one_line(f"{what} {file.name}"), completed=done, total=total)

        yield told
