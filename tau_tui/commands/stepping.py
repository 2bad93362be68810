"""`tau-tui replay` and `tau-tui open`: in a terminal the app, otherwise plain text."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from domains.catalog import check_domain
from tau_tui.exits import WrongUsage
from tau_tui.launch import from_settings, launch, shows_apps


def replay(options: Namespace) -> int:
    """Go through a session, a run of a file, or the gold of a task. Raises WrongUsage, and what reading it raises."""
    if (options.session is None) == (options.gold is None):
        raise WrongUsage("name a session, a file of runs, or a task with --gold; see tau-tui replay --help")
    if options.session is not None:
        return _replay_session(options)
    if options.domain is None:
        raise WrongUsage("--gold needs --domain, for example --domain airline")
    check_domain(options.domain, options.data)
    if options.json or options.how or not shows_apps():
        from tau_tui.commands import replay

        return replay.run(options.domain, options.gold, options.data, options.how, as_json=options.json)
    return launch(replace(from_settings(options), domain=options.domain, task=options.gold, gold=True))


def _replay_session(options: Namespace) -> int:
    if options.domain is not None:
        check_domain(options.domain, options.data)
    if options.json or options.run is not None or not shows_apps():
        from tau_tui.commands import replay

        return replay.run_session(
            options.session, options.run, options.data, options.db, domain=options.domain, as_json=options.json
        )
    return launch(replace(from_settings(options), replay=options.session, domain=options.domain))


def open_bundle(options: Namespace) -> int:
    """Open a bundle at its turn, or say what it holds. Raises WrongUsage, DataError and OSError."""
    if options.json or not shows_apps():
        from tau_tui.commands import bundle

        return bundle.run_open(options.file, data=options.data, as_json=options.json)
    if not options.file.is_file():
        raise WrongUsage(f"{options.file}: there is no such file")
    return launch(replace(from_settings(options), replay=str(options.file)))
