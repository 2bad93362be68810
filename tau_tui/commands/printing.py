"""Tables for people. What is in them is data: never markup, never escape codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from domains.values import JSON
from tau_tui.widgets.safe_text import safe

PIPE = 240
"""Columns where nobody looks: whoever reads a pipe wants whole values."""


def width() -> int:
    """Return how many columns a table may take."""
    console = Console()
    return console.width if console.is_terminal else PIPE


def print_json(row: Mapping[str, JSON]) -> None:
    """Print an object for programs, on one line."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[JSON]], *, empty: str, whole: Sequence[str] = ()
) -> None:
    """Print rows under their columns, or one line saying that there are none.

    With `whole`, a row is one line: these columns keep their values, the others are cut where there is no room.
    """
    console = Console(markup=False, highlight=False, width=width())
    if not rows:
        console.print(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        if whole:
            room = max(len(safe(str(row[len(table.columns)]))) for row in rows) if column in whole else 1
            table.add_column(column, overflow="ellipsis", no_wrap=True, min_width=room)
        else:
            table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(str(cell))) for cell in row))
    console.print(table)
