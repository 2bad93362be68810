"""The parser of every command, the flags that several commands share, and what stands in for those not given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from tau_tui.exits import USAGE


class Parser(argparse.ArgumentParser):
    """An error is one line, without the usage in front."""

    def error(self, message: str) -> NoReturn:
        """Leave with one line and exit code 2."""
        self.exit(USAGE, f"tau-tui: {message}; see {self.prog} --help\n")


class Version(argparse._VersionAction):
    """`--version`, which looks the version up only when it is asked for: what that imports costs 20 ms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Print it and leave with 0."""
        from importlib.metadata import version

        parser.exit(message=f"tau-tui {version('tau-playtest')}\n")


def command(prog: str, description: str, example: str = "", epilog: str = "") -> Parser:
    """Return the parser of a command, with `--debug`; its help ends with the example or the epilog."""
    parser = Parser(
        prog=prog,
        description=description,
        epilog=epilog or f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--debug", action="store_true", help="show a traceback when something goes wrong")
    return parser


def add_data(group: argparse._ActionsContainer) -> None:
    """Add `--data`."""
    group.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help="a data folder in tau2's layout, or the name of an installed pack (tau-tui data); "
        "TAU2_DATA_DIR names one for good (default: the bundled packs)",
    )


def add_db(group: argparse._ActionsContainer) -> None:
    """Add `--db`."""
    group.add_argument("--db", metavar="FILE", type=Path, help="the recording file (default: your data directory)")


def settle(options: argparse.Namespace) -> None:
    """Fill in `data` and `db` where a command has them and no flag gave them; keep all settings as `settled`.

    Raises SettingsError.
    """
    from tau_tui import settings

    match [getattr(options, name) for name in ("data", "db") if name in options]:
        case [] | [Path()]:  # the one place it needs is given: a setting that cannot be used is in nobody's way
            return
    options.settled = settings.load()
    for name in ("data", "db"):
        if name in options and getattr(options, name) is None:
            setattr(options, name, getattr(options.settled, name))


def add_players(group: argparse._ActionsContainer) -> None:
    """Add `--agent` and `--user`."""
    group.add_argument(
        "--agent",
        metavar="WHO",
        default="",
        help="oracle, oracle:slips=N for one that errs N times, llm, llm:react, llm:act, llm:few-shot=N, module:Class "
        'or cmd:"…" (default: llm where --agent-llm names a model, else oracle)',
    )
    group.add_argument(
        "--user",
        metavar="WHO",
        default="",
        help='script, llm, llm:react, llm:verify, llm:reflection, module:Class or cmd:"…" (default: llm or script)',
    )


def add_where(group: argparse._ActionsContainer) -> None:
    """Add `--where`, any number of times."""
    group.add_argument(
        "--where",
        metavar="FIELD=VALUE",
        action="append",
        default=[],
        help="only sessions whose header says so, such as agent_name=oracle or user_kind=human; again for more",
    )


def positive(text: str) -> int:
    """Read a whole number above 0, for argparse."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def amount(text: str) -> float:
    """Read an amount of dollars above 0, for argparse."""
    try:
        dollars = float(text)
    except ValueError:
        dollars = -1.0
    if not 0 < dollars < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of dollars")
    return dollars
