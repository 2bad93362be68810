"""The airline database as it is, and one a hundred times larger: the same records under new ids."""

from __future__ import annotations

from domains import load_domain
from domains.database import Base, Database
from domains.environment import Environment
from domains.values import Record

TIMES = (1, 100)


def airline(times: int) -> Base:
    """Return the bundled airline database, `times` its size; the copies share their values."""
    base = load_domain("airline").bases["agent"]
    if times == 1:
        return base
    tables: dict[str, dict[str, Record]] = {}
    for name, rows in base.tables.items():
        tables[name] = dict(rows)
        for i in range(1, times):
            tables[name].update({f"{key}~{i}": record for key, record in rows.items()})
    return Base(base.name, base.shape, tables)


def world(base: Base) -> Environment:
    """Return an open world over a base."""
    return Environment(load_domain("airline").definition, {"agent": Database(base)})
