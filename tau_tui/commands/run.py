"""`tau-tui run`: sessions without people, any number of them side by side; given again it goes on where it was."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from domains.catalog import Domain, load_domain
from domains.errors import DataError
from domains.task import Task
from domains.values import JSON
from sessions.batch import Run
from sessions.choosing import by_id
from sessions.estimate import SeatEstimate, estimate
from sessions.event import Opened
from sessions.export.record import pack_of
from sessions.measure.intervals import Interval
from sessions.measure.passk import NEEDED, groups
from sessions.recorder import Recorder, default_file
from sessions.safe_text import one_line
from sessions.seating import Table
from sessions.trials import Batch, Outcome, start_from, table_from
from tau_tui.commands.printing import print_json
from tau_tui.commands.run_board import Board, dollars
from tau_tui.commands.run_request import Request
from tau_tui.exits import DONE, INTERRUPTED, NO, OUTSIDE


def run(request: Request) -> int:
    """Play what is left of a run and return the exit code. Raises DataError, UnknownPlayer and RecordingFailed."""
    file = request.db or default_file()
    if request.start is not None and not file.exists():  # looking for a session must not create a file
        raise DataError(f"{file}: there is no recording, so no session to go on from")
    recorder = Recorder(file)
    try:
        batch = _of_tasks(request) if request.start is None else _from_turn(request, request.start, recorder)
        batch.table.check()
        played = Run(batch, recorder, concurrency=request.concurrency, max_cost=request.max_cost, judge=request.judge)
        return _Command(request, batch, played, recorder).run()
    finally:
        recorder.close()


# What is to be played


def _of_tasks(request: Request) -> Batch:
    assert request.domain is not None
    domain = load_domain(request.domain, request.data)
    if request.split not in domain.splits:
        raise DataError(f"{domain.name} has no split {request.split!r}; it has {', '.join(domain.splits)}")
    tasks = {task.id: task for task in map(domain.task, request.tasks or domain.splits[request.split])}
    if not tasks:
        raise DataError(f"the split {request.split!r} of {domain.name} has no tasks")
    table = _limited(request, replace(request.table, split=request.split))
    if table.solo:
        _check_solo(domain, tasks.values(), table)
    return Batch(domain, list(tasks.values()), table, request.trials, request.seed)


def _check_solo(domain: Domain, tasks: Iterable[Task], table: Table) -> None:
    if table.spec("agent").startswith("oracle"):
        raise DataError("--solo: the oracle needs a customer; name a model with --agent-llm, or another --agent")
    for task in tasks:
        if task.ticket is None:
            raise DataError(f"{domain.name}: task {task.id} has no ticket, so it cannot be played solo")


def _from_turn(request: Request, at: str, recorder: Recorder) -> Batch:
    beginning, _, turn = at.rpartition("@")
    if not beginning or not turn.isdigit():
        raise DataError(f"--from {at}: write ID@K, a session and the last turn that is kept, such as 01JQ8@12")
    start = start_from(recorder, by_id(recorder, [beginning])[0], int(turn))
    opened = start.events[0]
    assert isinstance(opened, Opened)
    domain = pack_of(opened.header, [] if request.data is None else [request.data])
    task = Task.model_validate(opened.header.task)
    limits = opened.header.limits
    table = table_from(start, replace(request.table, limits=limits))
    return Batch(domain, [task], _limited(request, table), request.trials, request.seed, start)


def _limited(request: Request, table: Table) -> Table:
    limits = table.limits
    if request.max_steps is not None:
        limits = replace(limits, max_steps=request.max_steps)
    if request.max_agent_actions is not None:
        limits = replace(limits, max_agent_actions=request.max_agent_actions)
    return replace(table, limits=limits)


# Playing it


class _Command:
    """One call of the command: asks, plays, tells."""

    def __init__(self, request: Request, batch: Batch, played: Run, recorder: Recorder) -> None:
        self.request = request
        self.batch = batch
        self.played = played
        self.recorder = recorder
        self.outcomes: list[Outcome] = []

    def run(self) -> int:
        """Return the exit code."""
        self.played.look()
        self.played.check()
        _say(self._heading())
        if self.played.trials:
            self._ask()
        for outcome in self.played.earlier:
            self._tell(outcome)
        interrupted = False
        if self.played.trials:
            board = Board(self.played.tally, quiet=self.request.as_json and sys.stdout.isatty())
            try:
                with board:
                    asyncio.run(self.played.play(lambda outcome: self._tell(outcome, board)))
            except KeyboardInterrupt:
                interrupted = True
        for line in self._summary(interrupted):
            if self.request.as_json:
                _say(line)
            else:
                print(line, flush=True)
        tally = self.played.tally
        if interrupted:
            return INTERRUPTED
        return OUTSIDE if tally.failed or tally.not_judged else NO if tally.waiting else DONE

    def _heading(self) -> str:
        batch, table, played = self.batch, self.batch.table, self.played
        seats = ", ".join(f"{seat} {table.named(seat)}" for seat in ("agent", "user") if seat in table.partners)
        tally, start = played.tally, batch.start
        tasks = f"task {batch.tasks[0].id}" if len(batch.tasks) == 1 else f"{len(batch.tasks)} tasks"
        where = f", from turn {start.turn} of {start.session}" if start is not None else ""
        before = f"; {tally.earlier} played before" if tally.earlier else ""
        cut_off = f", {played.continuing} to be taken up" if played.continuing else ""
        return one_line(
            f"run {played.id}: {batch.domain.name}, {seats}, {tasks} × {_count(batch.trials, 'trial')}{where}"
            f"{before}{cut_off}"
        )

    # What it will cost

    def _ask(self) -> None:
        """Say what it will cost, and go on when that is wished. Raises DataError when it is not."""
        found = asyncio.run(estimate(self.batch, self.played.trials, _prices))
        if not found:
            return
        known = [seat.cost for seat in found if seat.cost is not None]
        total = sum(known) if len(known) == len(found) else None
        for seat in found:
            _say(_priced(seat))
        _say(
            f"estimate for {_count(len(self.played.trials), 'session')}: {dollars(total)};"
            " measured on the offline partners: real conversations are often longer, and thinking is not foreseen"
        )
        if self.request.max_cost is not None and total is None:
            _say("--max-cost counts known prices only")
        if self.request.sure or total == 0:
            return
        if not sys.stdin.isatty():
            raise DataError("nobody is there to say whether to go on; add --yes")
        print("go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise DataError("nothing was played")

    # What it has come to

    def _tell(self, outcome: Outcome, board: Board | None = None) -> None:
        self.outcomes.append(outcome)
        if board is not None:
            board.tell(outcome)
        if self.request.as_json:
            header: dict[str, JSON] = {"run": self.played.id, "domain": self.batch.domain.name}
            table = self.batch.table
            header |= {seat: table.named(seat) if seat in table.partners else None for seat in ("agent", "user")}
            print_json(outcome.to_json() | header)
            sys.stdout.flush()

    def _summary(self, interrupted: bool) -> Iterator[str]:
        tally = self.played.tally
        failures = Counter(outcome.failure for outcome in self.outcomes if outcome.failure)
        yield f"{_count(tally.finished, 'trial')} of {tally.total} finished" + (
            f", {tally.failed} failed" if tally.failed else ""
        )
        for what, times in failures.most_common(5):
            yield f"  {one_line(f'failed {times} ×: {what}')}"
        yield from self._successes()
        for what, times in tally.not_judged.most_common(5):
            yield f"  {one_line(f'not judged {times} ×: {what}')}"
        if unjudged := tally.finished - tally.judged:
            yield f"{_count(unjudged, 'trial')} without a reward: nobody has judged what the task needs judged"
        spent = tally.spent
        if spent.prompt or spent.completion or spent.unpriced or spent.dollars:
            tokens = f"{spent.prompt:,} tokens of prompts, {spent.completion:,} of completions"
            yield f"cost {dollars(spent.cost)}: {tokens}"
            if spent.cost is None and spent.dollars:
                yield f"known of it: {dollars(spent.dollars)}"
        if tally.stopped:
            yield f"stopped: {tally.stopped}; {tally.waiting} not begun"
        if interrupted or tally.failed or tally.waiting or tally.not_judged:
            yield "the same command goes on with what is left"

    def _successes(self) -> Iterator[str]:
        """Yield pass^k of the finished trials; partners, plans and branches are what was asked for, and count here."""
        ids = {outcome.session for outcome in self.outcomes if not outcome.failure}
        rows = [
            row
            for values in self.recorder.select(
                f"select {', '.join(NEEDED)} from sessions where run = ?", (self.played.id,)
            )
            if (row := dict(zip(NEEDED, values, strict=True)))["id"] in ids
        ]
        found = groups(rows, [], include=["offline-partner", "plan", "branch"])
        if not found or not found[0].hat:
            return
        [group] = found
        if (start := self.batch.start) is not None:
            before = "n/a" if start.reward is None else f"{start.reward:g}"
            [estimate_1, *_] = group.hat
            yield (
                f"{group.successes} of {group.used} reach reward 1 from turn {start.turn}"
                f" ({_intervals(estimate_1.intervals)}); the session itself came to {before}"
            )
        for each in group.hat if self.batch.start is None else group.hat[1:]:
            value = "n/a" if each.value is None else f"{each.value:.3f}"
            interval = _intervals(each.intervals)
            yield f"pass^{each.k} {value}{f' ({interval})' if interval else ''}, {_count(each.tasks, 'task')}"
        if self.batch.start is None and any(row["agent_kind"] in ("oracle", "script") for row in rows):
            yield "the oracle knows the task: this measures no agent"


METHODS = {"wilson": "Wilson", "clopper-pearson": "Clopper–Pearson", "bootstrap": "bootstrap over tasks"}


def _intervals(intervals: Sequence[Interval]) -> str:
    """Return the last interval, which is the exact one where there are two."""
    return (
        f"95 % {intervals[-1].low:.3f}–{intervals[-1].high:.3f}, {METHODS[intervals[-1].method]}" if intervals else ""
    )


def _priced(seat: SeatEstimate) -> str:
    return "  " + one_line(
        f"{seat.seat} {seat.model}: prompts {seat.prompt:,} tokens {dollars(seat.prompt_cost)},"
        f" completions {seat.completion:,} tokens {dollars(seat.completion_cost)}"
    )


def _prices(model: str) -> tuple[float, float] | None:
    from sessions.players.model.client import prices

    return prices(model)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
