"""Panes that can show any step of a replay, whichever they showed before: what was said, the calls, what moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual.content import Content
from textual.widgets.option_list import Option

from domains.database import Change
from tau_tui.replay_text import arguments_text
from tau_tui.widgets.conversation import RESIDENTS, Conversation, Entry
from tau_tui.widgets.db_diff import DatabaseDiff
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.trace import CallRow, Trace

ROOM = 120
"""Characters of arguments in a row; Enter shows them all."""


@dataclass(frozen=True, slots=True)
class StepRow(CallRow):
    """A call at a step of a replay; `fate` says what its failure means for the goal."""

    step: int = 0
    fate: str = ""


class Steps(Trace):
    """Shows the calls it is handed and marks the newest."""

    def restore(self, rows: Sequence[StepRow]) -> None:
        """Show these calls and no others."""
        if self.rows[: len(rows)] != list(rows[: len(self.rows)]):
            self.rows = []
            self.clear_options()
        while len(self.rows) > len(rows):
            self.rows.pop()
            self.remove_option_at_index(len(self.rows))
        for row in rows[len(self.rows) :]:
            self.rows.append(row)
            self.add_option(Option(self._prompt(row)))
        self.highlighted = len(rows) - 1 if rows else None
        self.call_after_refresh(self.go_to_newest)

    def _prompt(self, row: CallRow) -> Content:
        if not isinstance(row, StepRow):
            return super()._prompt(row)
        style = partial(self.get_visual_style, partial=True)
        call, result = row.done.call, row.done.result
        first = Content.assemble(
            (f"{row.step:>2} ", style("trace--quiet")),
            (f"{row.whose} ▸ " if row.whose else "", style("trace--quiet")),
            (one_line(call.name), style("trace--name")),
            (f"  {row.kind or 'no such tool'}", style("trace--quiet")),
        )
        if row.fields:
            first = first.append(Content.styled(" ●", style("trace--changed")))
        lines = [(_cut(arguments_text(call.arguments)), "trace--quiet")] if call.arguments else []
        if result is not None and result.error:
            left = f" · {row.fields} fields it had written stay" if row.fields else ""
            lines.append((f"{one_line(result.content[:300])}{left}", "trace--error"))
            if row.fate:
                lines.append((row.fate, "trace--error"))
        elif row.fields:
            lines.append((f"→ {row.fields} field{'s' if row.fields > 1 else ''}", "trace--quiet"))
        for text, name in lines:
            first = first.append("\n").append(Content.styled(f"   {text}", style(name)))
        return first


def _cut(text: str) -> str:
    return text if len(text) <= ROOM else text[: ROOM - 1] + "…"


class Moves(DatabaseDiff):
    """What had changed by a step, and what the step itself changed."""

    def restore(self, calls: Sequence[tuple[str, tuple[Change, ...], bool]], since_start: tuple[Change, ...]) -> None:
        """Show how things stood after these calls: the name of each, what it changed, and whether it failed."""
        self._touched = {
            (change.database, change.table, change.key): (name, failed)
            for name, changes, failed in calls
            for change in changes
        }
        self._last_name, self._last_call, _ = calls[-1] if calls else ("", (), False)
        self._since_start = since_start
        self._draw()


class Talk(Conversation):
    """What had been said by a step."""

    def restore(self, entries: Sequence[Entry]) -> None:
        """Show these blocks and no others, the last of them at its top."""
        self.entries = list(entries)
        self._seen = len(self.entries)
        self._following = True
        self._anchor = self.entries[-1].key if self.entries else ""
        by_key = {entry.key: entry for entry in self.entries}
        for block in self.blocks:
            if (entry := by_key.get(block.entry.key)) is not None and entry != block.entry:
                block.show(entry)
        self._window(len(self.entries) - RESIDENTS)
