"""The flags that say which models sit where; the same for playing and for `tau-tui run`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from domains.toolkit import Seat
    from sessions.players.model.choice import ModelChoice
    from tau_tui.settings import Settings


def add(group: argparse._ArgumentGroup) -> None:
    """Add `--agent-llm`, `--agent-args`, `--agent-api-base`, and the same for the user."""
    for seat, sits in (("agent", "agent"), ("user", "customer")):
        group.add_argument(f"--{seat}-llm", metavar="MODEL", help=f"the model that is the {sits}: provider/model")
        group.add_argument(
            f"--{seat}-args", metavar="JSON", help='arguments of every call, such as {"temperature": 0.7}'
        )
        group.add_argument(f"--{seat}-api-base", metavar="URL", help="where it is served (OpenAI's protocol)")


def add_judge(parser: argparse._ActionsContainer) -> None:
    """Add `--judge-args` and `--judge-api-base`, for a `--judge` that is a model."""
    parser.add_argument("--judge-args", metavar="JSON", help="arguments of every call of a judging model")
    parser.add_argument("--judge-api-base", metavar="URL", help="where it is served (OpenAI's protocol)")


def judge(options: argparse.Namespace, others: Collection[str]) -> ModelChoice | None:
    """Return the model that is to judge, None for one of the `others`. Raises UnknownPlayer."""
    if options.judge in others:
        return None
    from sessions.players.model.choice import ModelChoice, WrongModel, parse_args
    from sessions.players.spec import UnknownPlayer

    try:
        args = parse_args(options.judge_args or "", "--judge-args")
        model = ModelChoice(options.judge, args, options.judge_api_base or "")
        model.check()
        if "/" not in model.name and not model.api_base:
            raise WrongModel(f"there is no judge {model.name!r}; write {', '.join(sorted(others))} or provider/model")
    except WrongModel as error:
        raise UnknownPlayer(f"--judge: {error}") from None
    return model


def chosen(options: argparse.Namespace, settled: Settings) -> dict[Seat, ModelChoice]:
    """Return the models that were asked for, by flag, environment or config file. Raises UnknownPlayer."""
    from sessions.players.spec import UnknownPlayer

    found: dict[Seat, ModelChoice] = {}
    seats: tuple[Seat, ...] = ("agent", "user")
    for seat in seats:
        name = getattr(options, f"{seat}_llm") or getattr(settled, f"{seat}_llm")
        args, base = getattr(options, f"{seat}_args"), getattr(options, f"{seat}_api_base")
        if not name:
            if args or base:
                raise UnknownPlayer(f"--{seat}-{'args' if args else 'api-base'}: of which model? name it: --{seat}-llm")
            continue
        from sessions.players.model.choice import ModelChoice, WrongModel, parse_args

        try:
            given = parse_args(args, f"--{seat}-args") if args else getattr(settled, f"{seat}_args")
            found[seat] = ModelChoice(name, given or {}, base or getattr(settled, f"{seat}_api_base"))
            found[seat].check()
        except WrongModel as error:
            line = str(error)
            raise UnknownPlayer(line if line.startswith("--") else f"--{seat}-llm: {line}") from None
    return found
