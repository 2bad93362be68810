"""Writes the bundled retail pack: `python -m domains.retail.generate`. The policy is written by hand."""

from __future__ import annotations

from pathlib import Path

from domains.generating import write_json, write_json_xz
from domains.retail.generator.database import build_database
from domains.retail.generator.tasks import build_tasks
from domains.templates import split

SEED = 20240516
PACK = Path(__file__).parent / "pack"


def main() -> None:
    database = build_database(SEED)
    tasks = build_tasks(SEED, database)
    write_json_xz(PACK / "db.json.xz", database)
    write_json(PACK / "tasks.json", tasks)
    write_json(PACK / "split_tasks.json", split(tasks))


if __name__ == "__main__":
    main()
