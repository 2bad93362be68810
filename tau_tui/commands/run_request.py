"""What `tau-tui run` was asked for. Wrong usage is found before anything heavy is imported."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domains.catalog import check_domain
from sessions.seating import Table
from tau_tui import model_flags
from tau_tui.exits import WrongUsage
from tau_tui.settings import Settings

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for. `start` is ID@K; limits that are None are tau2's, or those of the session at ID."""

    table: Table
    domain: str | None = None
    tasks: Sequence[str] = ()
    split: str = "base"
    trials: int = 1
    concurrency: int = 1
    seed: int = 0
    max_cost: float | None = None
    max_steps: int | None = None
    max_agent_actions: int | None = None
    start: str | None = None
    data: Path | None = None
    db: Path | None = None
    judge: ModelChoice | None = None
    as_json: bool = False
    sure: bool = False


def requested(options: Namespace) -> Request:
    """Return what the flags ask for. Raises WrongUsage, DataError and UnknownPlayer."""
    check_domain(options.domain, options.data)
    if options.domain is not None and options.start is not None:
        raise WrongUsage("--from brings the session's own domain: no --domain")
    if options.domain is None and options.start is None:
        raise WrongUsage("name --domain, for example --domain airline, or --from ID@K, which brings its own")
    if options.start is not None and (options.tasks or options.solo):
        raise WrongUsage("--from goes on with the session's own task, and alone where that was: no --tasks, no --solo")
    if options.solo and (options.user or options.user_llm):
        raise WrongUsage("--solo has no customer: no --user, no --user-llm")
    table = Table(
        play="none",
        agent=options.agent,
        user=options.user,
        solo=options.solo,
        plan=options.plan,
        no_policy=options.no_policy,
        # Who sat in a recorded session stays, but for those that are named here.
        models=model_flags.chosen(options, options.settled if options.start is None else Settings()),
    )
    if options.start is None:
        table.check()
    return Request(
        table,
        domain=options.domain,
        tasks=[name for name in options.tasks.split(",") if name],
        split=options.split,
        trials=options.trials,
        concurrency=options.concurrency,
        seed=options.seed,
        max_cost=options.max_cost,
        max_steps=options.max_steps,
        max_agent_actions=options.max_agent_actions,
        start=options.start,
        data=options.data,
        db=options.db,
        judge=model_flags.judge(options, ("none",)),
        as_json=options.json,
        sure=options.yes,
    )
