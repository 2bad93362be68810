"""Saving a session as a task from a screen: the form, the work in a thread, what the check found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from sessions.event import Event
    from sessions.saving import SavedTask
    from tau_tui.app import TauApp


def told(saved: SavedTask) -> Iterator[str]:
    """Yield the lines that say what was saved."""
    gold = saved.task.gold
    writes = len(saved.verdict.evidence.gold.writes)
    rest = f" and {len(gold) - writes} other actions" if len(gold) > writes else ""
    pack = saved.domain.origin
    yield f"saved as task {saved.task.id} of {pack}: {writes} gold write{'s' * (writes != 1)}{rest}, in {saved.file}"
    yield from saved.notes
    if not saved.findings:
        yield "the check finds nothing wrong"
    for finding in saved.findings:
        yield f"{finding.level} {finding.code} · {finding.where}: {finding.what}"
    yield f"play it: tau-tui --domain {saved.domain.name} --data {pack} --play user --task {saved.task.id}"


async def save_as_task(app: TauApp, events: Sequence[Event], packs: Sequence[Path]) -> None:
    """Ask for the words of a task, save it, and show what the check found. Called from a worker."""
    from domains.errors import DataError
    from sessions.saving import save_task
    from tau_tui.screens.dialogs.save_task import SaveTaskDialog
    from tau_tui.screens.dialogs.text import TextDialog

    form = SaveTaskDialog(events)
    while (wanted := await app.push_screen_wait(form)) is not None:
        try:
            saved = await asyncio.to_thread(save_task, list(events), wanted.pack, wanted.words, packs)
        except (DataError, OSError) as error:
            app.notify(one_line(str(error)), severity="error", markup=False, timeout=20)
            form = SaveTaskDialog(events, wanted)
            continue
        app.push_screen(TextDialog("Saved as a task", [("", "\n".join(told(saved)))]))
        return
