"""What each command is called with. It imports its own work when it runs, so that everything else starts at once."""

from __future__ import annotations

from argparse import Namespace

from tau_tui import model_flags
from tau_tui.exits import WrongUsage


def play(options: Namespace) -> int:
    """Open the app."""
    from tau_tui.commands import play

    return play.run(options)


def run(options: Namespace) -> int:
    """Play many sessions."""
    from tau_tui.commands.run_request import requested

    request = requested(options)  # before what is slow to import: wrong usage is said at once
    from tau_tui.commands import run

    return run.run(request)


def tasks(options: Namespace) -> int:
    """List tasks."""
    from domains.catalog import check_domain
    from tau_tui.commands import tasks

    check_domain(options.domain, options.data)
    return tasks.run(
        options.domain,
        options.data,
        options.split,
        search=options.search,
        spoilers=options.spoilers,
        as_json=options.json,
    )


def sessions(options: Namespace) -> int:
    """List sessions, or delete some."""
    from tau_tui.commands import sessions

    if options.what == "delete":
        return sessions.delete(options.db, options.ids, sure=options.yes)
    return sessions.run(options.db, domain=options.domain, as_json=options.json)


def score(options: Namespace) -> int:
    """Grade files of runs, or the own recording."""
    from domains.catalog import check_domain
    from tau_tui.commands import score

    check_domain(None, options.data)
    files = options.files
    if not files:
        from sessions.recorder import default_file

        files = [options.db or default_file()]
        if not files[0].exists():
            raise WrongUsage(f"nothing is recorded in {files[0]}; name a results file")
    return score.run(
        files,
        data=options.data,
        judge=options.judge,
        model=model_flags.judge(options, score.JUDGES),
        fresh_tasks=options.fresh_tasks,
        json=options.json,
    )


def replay(options: Namespace) -> int:
    """Go through what happened, or through gold."""
    from tau_tui.commands import stepping

    return stepping.replay(options)


def check(options: Namespace) -> int:
    """Find what is wrong with tasks."""
    from domains.catalog import check_domain
    from tau_tui.commands import check

    for name in options.domain or [None]:
        check_domain(name, options.data)
    return check.run(
        options.domain or (),
        options.data,
        tasks=options.task or (),
        level=options.level,
        report=options.report,
        as_json=options.json,
    )


def import_(options: Namespace) -> int:
    """Take in runs of others."""
    from domains.catalog import check_domain
    from tau_tui.commands import import_

    check_domain(options.domain, options.data)
    return import_.run(options.files, db=options.db, data=options.data, domain=options.domain, as_json=options.json)


def export(options: Namespace) -> int:
    """Write sessions for others."""
    from tau_tui.commands import export

    return export.run(
        options.ids,
        everything=options.all,
        where=options.where,
        form=options.format,
        out=options.out,
        anonymous=options.anonymous,
        db=options.db,
        data=options.data,
    )


def compare(options: Namespace) -> int:
    """Compare groups of sessions."""
    from tau_tui.commands import compare

    return compare.run(
        options.by,
        where=options.where,
        convention=options.convention,
        include=options.include,
        reward=options.reward,
        most_k=options.k,
        db=options.db,
        as_json=options.json,
    )


def data(options: Namespace) -> int:
    """Install, list or remove packs."""
    from tau_tui.commands import data

    match options.what:
        case "install":
            return data.run_install(options.source, verified=options.verified, as_json=options.json)
        case "list":
            return data.run_list(as_json=options.json)
        case _:
            return data.run_remove(options.names, own=options.own, as_json=options.json)


def doctor(options: Namespace) -> int:
    """Tell what is wrong with the recording."""
    from tau_tui.commands import doctor

    return doctor.run(options.db, data=options.data, save_to=options.save, quick=options.quick, as_json=options.json)


def bundle(options: Namespace) -> int:
    """Write one session into one file."""
    from tau_tui.commands import bundle

    return bundle.run_bundle(
        options.id,
        turn=options.turn,
        out=options.out,
        anonymous=options.anonymous,
        db=options.db,
        as_json=options.json,
    )


def open_bundle(options: Namespace) -> int:
    """Open such a file."""
    from tau_tui.commands import stepping

    return stepping.open_bundle(options)


def save_task(options: Namespace) -> int:
    """Make a session a task."""
    from sessions.saving import Words
    from tau_tui.commands import save_task

    words = Words(
        reason=options.reason,
        known=options.known,
        unknown=options.unknown,
        instructions=options.instructions,
        persona=options.persona,
        purpose=options.purpose,
        say=tuple(options.say),
        reads=options.reads,
        task_id=options.task_id,
    )
    return save_task.run(options.id, options.pack, words, db=options.db, data=options.data, as_json=options.json)
