"""Tables and lines for people. What is in them is data: never markup, never escape codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from domains.values import JSON
from tau_tui.widgets.safe_text import safe

ALIGNED: Final = 60
"""Columns in a pipe are aligned up to here; one longer cell must not make every row as long."""


def width() -> int | None:
    """Return how many columns a row may take; None in a pipe, where it takes one line, however long."""
    return Console().width if sys.stdout.isatty() else None


def print_json(row: Mapping[str, JSON]) -> None:
    """Print an object for programs, on one line."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def print_line(text: Text | str) -> None:
    """Print words that are wrapped on a terminal and are one line in a pipe."""
    room = width()
    console = Console(markup=False, highlight=False, width=room)
    console.print(text, soft_wrap=room is None)


def print_beside(label: Text, text: Text) -> None:
    """Print a label and words that are wrapped beside it on a terminal; in a pipe both are one line."""
    if width() is None:
        print_line(Text("  ").join([label, text]))
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(label, text)
    Console(markup=False, highlight=False, width=width()).print(table)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[JSON]], *, empty: str, whole: Sequence[str] = ()
) -> None:
    """Print rows under their columns, or one line saying that there are none; in a pipe a row is one line, nothing cut.

    With `whole`, a row is one line on a terminal too: these columns keep their values, the others are cut where there
    is no room.
    """
    if not rows:
        print_line(empty)
        return
    room = width()
    if room is None:
        _print_plain([columns, *rows])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        if whole:
            most = max(len(safe(str(row[len(table.columns)]))) for row in rows) if column in whole else 1
            table.add_column(column, overflow="ellipsis", no_wrap=True, min_width=most)
        else:
            table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(str(cell))) for cell in row))
    Console(markup=False, highlight=False, width=room).print(table)


def _print_plain(rows: Sequence[Sequence[JSON]]) -> None:
    cells = [["; ".join(safe(str(cell)).splitlines()) for cell in row] for row in rows]
    widths = [min(max(map(cell_len, column)), ALIGNED) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell + " " * (most - cell_len(cell)) for cell, most in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(padded).rstrip() + "\n")
