"""`tau-tui [play]`: the flags become a table, and the app opens at it; without --play, the lobby."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from domains.catalog import check_domain
from sessions.limits import Limits
from sessions.seating import Table
from tau_tui import model_flags, settings
from tau_tui.exits import WrongUsage
from tau_tui.launch import from_settings, launch, pseudonym, shows_apps


def run(options: Namespace) -> int:
    """Open the app. Raises WrongUsage, DataError and UnknownPlayer."""
    person = pseudonym(options.player or options.settled.player)
    check_domain(options.domain, options.data)
    _check_start(options)
    table = _table(options, person)
    _check_seats(options, table)
    judged_by = model_flags.judge(options, ("human", "none"))
    if not shows_apps():
        raise WrongUsage("this is not a terminal that can show the app; `tau-tui tasks` and `tau-tui score` need none")
    if options.player:
        settings.remember_player(person)
    return launch(
        replace(
            from_settings(options),
            domain=options.domain,
            table=table if options.play else None,
            lobby=replace(table, agent="", user=""),
            task=options.task,
            resume=options.resume,
            judge="none" if options.judge == "none" else "human",
            judged_by=judged_by,
        )
    )


def _check_start(options: Namespace) -> None:
    if options.resume is not None and (options.domain or options.play or options.task):
        raise WrongUsage("--resume takes a session up as it was; it needs no --domain, --play or --task")
    if options.play is None and (options.task or options.agent or options.user):
        raise WrongUsage("--task, --agent and --user need --play user, agent, both or none")
    if options.play is not None and options.domain is None:
        raise WrongUsage("--play needs --domain, for example --domain airline")


def _table(options: Namespace, person: str) -> Table:
    table = Table(
        play=options.play or "user",
        agent=options.agent,
        user=options.user,
        person=person,
        view=options.view or options.settled.view,
        split=options.split,
        spoilers=options.spoilers,
        solo=options.solo,
        plan=options.plan,
        no_policy=options.no_policy,
        limits=Limits(options.max_steps, options.max_agent_actions),
        seed=options.seed,
        approve=options.approve is not None,
        models=model_flags.chosen(options, options.settled),
    )
    if options.play != "none" or options.solo:
        return table
    if options.view == "blind":
        raise WrongUsage("--view blind shows what a seat sees, and with --play none you have none")
    return replace(table, view=table.view if table.view in ("open", "present") else "open")


def _check_seats(options: Namespace, table: Table) -> None:
    if options.approve and "agent" in table.people:
        raise WrongUsage("--approve writes is for an agent that is somebody else: --play user or none")
    if options.solo and options.play != "agent":
        raise WrongUsage("--solo has no customer: it needs --play agent")
    if options.solo and options.user:
        raise WrongUsage(f"--user {options.user}: --solo has no customer")
    table.check()
    for seat, taken in (("agent", options.agent), ("user", options.user)):
        if taken and seat in table.people:
            raise WrongUsage(f"--{seat} {taken}: you take that seat yourself with --play {table.play}")
