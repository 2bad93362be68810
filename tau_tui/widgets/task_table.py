"""The list of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tau_tui.task_list import Row
from tau_tui.widgets.row_table import MOVES, QUIET, Cell, RowTable, moves

ALIKE = 9
"""Columns for which one a task is of those with the same reason."""


class TaskTable(RowTable[Row]):
    """Tasks with what was made of them; ids and numbers of writes stand only with spoilers."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"task-table--solved", "task-table--unsolved"}
    BINDINGS: ClassVar[list[BindingType]] = [
        *moves("tasks", "task", "The first task", "The last task"),
        Binding(
            "enter",
            "choose",
            "Play",
            show=False,
            id="tasks.choose",
            tooltip="Play the task under the cursor",
            group=MOVES,
        ),
    ]

    _shared = False

    def show(self, rows: Sequence[Row], keep: str | None = None) -> None:
        """Show these rows, with the cursor on the task of this id, or on the first."""
        self._shared = any(row.shared for row in rows)
        self.put(rows, next((i for i, row in enumerate(rows) if row.task_id == keep), 0))

    def heading(self) -> list[Cell]:
        """Return the names of the columns that are shown."""
        secret = [("id", 28, ""), ("writes", 7, "")] if self.spoilers else []
        alike = [("alike", ALIKE, "")] if self._shared else []
        return [("#", 6, ""), ("reason for contact", 0, ""), *alike, *secret, ("you", 14, "")]

    def cells(self, row: Row) -> list[Cell]:
        """Return number, reason and how often it was solved, with what `heading` has between."""
        secret = [(row.task_id, 28, QUIET), (str(row.writes), 7, QUIET)] if self.spoilers else []
        if row.played == 0:
            did, how = "–", QUIET
        else:
            did = f"{row.solved} of {row.played} solved"
            how = "task-table--solved" if row.solved else "task-table--unsolved"
        alike = [(row.shared, ALIKE, QUIET)] if self._shared else []
        return [(f"#{row.number}", 6, QUIET), (row.reason, 0, ""), *alike, *secret, (did, 14, how)]
