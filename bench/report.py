"""One measured number, and a table of them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """A measured value with its bar, where there is one; `n` is how many times it was measured."""

    what: str
    value: float
    unit: str
    n: int
    bar: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the bar is met."""
        if self.bar is None:
            return ""
        return "ok" if self.value <= self.bar else "MISSED"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of them lies (nearest rank)."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


median = statistics.median


def show(rows: Sequence[Row], *, as_json: bool) -> None:
    """Print the rows for people, or one JSON object a line."""
    if as_json:
        for row in rows:
            print(json.dumps(asdict(row) | {"verdict": row.verdict}))
        return
    table = Table("what", "value", "unit", "bar", "", "n", box=None, header_style="bold")
    for column in (1, 3, 5):
        table.columns[column].justify = "right"
    for row in rows:
        bar = "" if row.bar is None else f"≤ {row.bar:.4g}"
        table.add_row(row.what, f"{row.value:.4g}", row.unit, bar, row.verdict, str(row.n))
    Console(highlight=False).print(table)
