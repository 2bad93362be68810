"""Writes the bundled airline pack: `python -m domains.airline.generate`. The policy is written by hand."""

from __future__ import annotations

from pathlib import Path

from domains.airline.generator.database import build_database
from domains.airline.generator.tasks import build_tasks
from domains.generating import write_json, write_json_xz
from domains.templates import split

SEED = 20240515
PACK = Path(__file__).parent / "pack"


def main() -> None:
    database = build_database(SEED)
    tasks = build_tasks(SEED, database)
    write_json_xz(PACK / "db.json.xz", database)
    write_json(PACK / "tasks.json", tasks)
    write_json(PACK / "split_tasks.json", split(tasks))


if __name__ == "__main__":
    main()
