"""Tables for people. What is in them is data: never markup, never escape codes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from domains.values import JSON
from tau_tui.widgets.safe_text import safe


def print_table(columns: Sequence[str], rows: Sequence[Sequence[JSON]], *, empty: str) -> None:
    """Print rows under their columns, or one line saying that there are none."""
    console = Console(markup=False, highlight=False)
    if not rows:
        console.print(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(str(cell))) for cell in row))
    console.print(table)
