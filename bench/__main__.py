"""`python -m bench [NAME …] [--json]`: measure, print a table; exit code 1 when a bar is missed."""

from __future__ import annotations

import argparse
import importlib
import sys

from bench.report import Row, show

NAMES = ("startup", "calls", "scoring", "memory", "importing", "sessions_list", "batch", "kills", "liveness")


def main() -> int:
    """Run the named measurements, all by default."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"there is no measurement {unknown.pop()!r}; there are {', '.join(NAMES)}")
    rows: list[Row] = []
    for name in options.names or NAMES:
        print(f"measuring {name} …", file=sys.stderr)
        rows += importlib.import_module(f"bench.{name}").run()
    show(rows, as_json=options.json)
    return int(any(row.verdict == "MISSED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
