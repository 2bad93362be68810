"""Plays many sessions without people, side by side.

A run is known by the digest of everything that decides how its sessions go. Given again it goes on: what has been
finished is not played again, what was cut off or failed is taken up where it was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ulid import ULID

from domains.catalog import Domain
from domains.errors import DataError
from domains.task import Task
from domains.toolkit import Seat
from sessions.committing import GroupKeeper
from sessions.event import Ended, Event, Judged, Opened, Scored
from sessions.keeping import RecordingFailed
from sessions.measure.passk import EVALUATED
from sessions.players.base import Player
from sessions.recorder import Recorder
from sessions.resuming import fork
from sessions.reward import score
from sessions.seating import Table, open_session, seat_player
from sessions.session import Session
from sessions.trajectory import State, fold
from sessions.trials import Batch, Outcome, Spent, Start, Tally, Trial, spent_by, spent_on, standing

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice

MOST_FAILURES: Final = 10
"""Failures of the machinery in a row after which no further session is begun: a refused key refuses them all."""


Tell = Callable[[Outcome], None]


def nobody(outcome: Outcome) -> None:
    """Listen to nothing."""


class Run:
    """A batch being played into a recording, at most `concurrency` sessions at a time.

    `max_cost` dollars, those of earlier parts of the run among them, and no further session is begun. `judge` judges
    assertions in words before a session is scored; what it could not judge is asked for again when the run is.
    """

    def __init__(
        self,
        batch: Batch,
        recorder: Recorder,
        *,
        concurrency: int = 1,
        max_cost: float | None = None,
        judge: ModelChoice | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.batch = batch
        self.id = batch.run
        self._recorder = recorder
        self._concurrency = concurrency
        self._max_cost = max_cost
        self._judge = judge
        self._clock = clock
        self._begun: Mapping[tuple[str, int], str] = {}
        self._waiting: Iterator[Trial] = iter(())
        self.earlier: list[Outcome] = []
        self.trials: list[Trial] = []
        self.tally = Tally(0)

    def look(self) -> None:
        """Find out what is there and what is left to play. Raises DataError and RecordingFailed."""
        there = standing(self._recorder, self.id)
        trials = list(self.batch.all_trials())
        finished, begun = dict(there.finished), dict(there.begun)
        for trial in trials:
            if trial.key in finished and self._waits(trial.task, finished[trial.key]):
                begun[trial.key] = finished.pop(trial.key).session
        self._begun = begun
        self.earlier = [finished[trial.key] for trial in trials if trial.key in finished]
        self.trials = [trial for trial in trials if trial.key not in finished]
        self._waiting = iter(self.trials)
        self.tally = Tally(len(trials))
        for outcome in self.earlier:
            self.tally.add(outcome)
            self.tally.spent += outcome.spent

    def _waits(self, task: Task, outcome: Outcome) -> bool:
        """Tell whether a finished trial has what the judge is to judge."""
        if self._judge is None or not task.nl_assertions or outcome.reason not in EVALUATED:
            return False
        return None in fold(self._recorder.events(outcome.session)).judgements(len(task.nl_assertions))

    def check(self) -> None:
        """Find out before anything is played whether everybody can be seated. Raises UnknownPlayer."""
        for trial in self.trials[:1]:
            self._players(trial)

    @property
    def continuing(self) -> int:
        """How many of the trials that are left were begun and are taken up where they were cut off."""
        return sum(trial.key in self._begun for trial in self.trials)

    async def play(self, tell: Tell = nobody) -> None:
        """Play what is left, telling of each trial when it is over. Raises RecordingFailed."""
        keeper = GroupKeeper(self._recorder)
        workers = min(self._concurrency, len(self.trials))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work(keeper, tell))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await keeper.close()

    def _next(self) -> Trial | None:
        """Return the next trial to begin, None when there is none or no further one may be begun."""
        tally = self.tally
        if self._max_cost is not None and tally.spent.dollars >= self._max_cost and not tally.stopped:
            tally.stopped = f"${tally.spent.dollars:.2f} of --max-cost {self._max_cost:g} are spent"
        if tally.in_a_row >= MOST_FAILURES and not tally.stopped:
            tally.stopped = f"{tally.in_a_row} sessions in a row failed"
        return None if tally.stopped else next(self._waiting, None)

    async def _work(self, keeper: GroupKeeper, tell: Tell) -> None:
        while (trial := self._next()) is not None:
            self.tally.running += 1
            try:
                outcome = await self._played(trial, keeper)
            finally:
                self.tally.running -= 1
            self.tally.add(outcome)
            tell(outcome)

    async def _played(self, trial: Trial, keeper: GroupKeeper) -> Outcome:
        begun = self._begun.get(trial.key, "")
        try:
            events = self._recorder.events(begun) if begun else []
            if events and (state := fold(events)).ended is not None:
                for event in events:
                    self.tally.spent += spent_on(state.header, event) if state.header is not None else Spent()
                found = await self._judged(trial.task, state)
                for judged in found:
                    events.append(replace(judged, at=max(self._clock(), events[-1].at)))
                    state.advance(events[-1])
                    await keeper.append(begun, len(events) - 1, events[-1])
                verdict = await asyncio.to_thread(scored, self.batch.domain, trial.task, state)
                verdict = replace(verdict, at=max(self._clock(), events[-1].at))
                if found or state.scored is None:
                    await keeper.append(begun, len(events), verdict)
                    events.append(verdict)
                return self._outcome(trial, events, begun)
            session = await self._opened(trial, events, keeper)
            async for event in session.run():
                self.tally.spent += spent_on(session.header, event)
            if session.state.ended is not None:
                await session.emit(*await self._judged(session.task, session.state))
                await session.emit(await asyncio.to_thread(scored, session.domain, session.task, session.state))
            return self._outcome(trial, session.events, begun)
        except RecordingFailed:
            raise
        except Exception as error:  # of one session, whatever it is; the others go on, and it is tried again
            what = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
            return Outcome(begun, trial.task.id, trial.number, trial.seed, failure=what)

    async def _judged(self, task: Task, state: State) -> Sequence[Judged]:
        """Ask the judge, where there is one and something is to be judged; why it could not is tallied."""
        ended = state.ended
        if self._judge is None or ended is None or ended.reason not in EVALUATED:
            return ()
        if None not in state.judgements(len(task.nl_assertions)):
            return ()
        from sessions.players.model.judge import judge

        judgement = await judge(self._judge, task.nl_assertions, tuple(state.turns))
        self.tally.spent += spent_by(judgement.usage)
        if judgement.problem:
            self.tally.not_judged[judgement.problem] += 1
        return tuple(judgement.events())

    def _outcome(self, trial: Trial, events: Sequence[Event], begun: str) -> Outcome:
        state = fold(events)
        header = state.header
        assert header is not None
        failure = ""
        if state.ended is None:
            failed = state.failure
            failure = "; ".join(filter(None, (failed.what, failed.detail))) if failed is not None else "it was cut off"
        return Outcome(
            header.id,
            trial.task.id,
            trial.number,
            trial.seed,
            state.scored.reward if state.scored is not None else None,
            state.ended.reason if state.ended is not None else None,
            failure,
            sum((spent_on(header, event) for event in events), Spent()),
            state.next_index,
            (state.ended or events[-1]).at - events[0].at,
            continued=header.id == begun,
        )

    # Opening

    async def _opened(self, trial: Trial, events: Sequence[Event], keeper: GroupKeeper) -> Session:
        """Take up what was begun, else open a new session. Raises DataError."""
        if not events:
            return self._new(trial, keeper)
        try:
            session = self._continued(trial, events, keeper)
        except DataError as error:
            detail = f"it could not be taken up, and its trial is played anew: {error}"
            end = Ended(reason="unexpected_error", detail=detail, at=max(self._clock(), events[-1].at))
            await keeper.append(self._begun[trial.key], len(events), end)
            return self._new(trial, keeper)
        for event in events:
            self.tally.spent += spent_on(session.header, event)
        return session

    def _players(self, trial: Trial) -> dict[Seat, Player]:
        table = self._table(trial)
        return {
            seat: seat_player(seat, table.spec(seat), self.batch.domain, trial.task, table.seed, table.models.get(seat))
            for seat in table.partners
        }

    def _table(self, trial: Trial) -> Table:
        return replace(self.batch.table, seed=trial.seed)

    def _new(self, trial: Trial, keeper: GroupKeeper) -> Session:
        if self.batch.start is not None:
            return self._forked(self.batch.start, trial, keeper)
        session = open_session(self.batch.domain, trial.task, self._table(trial), keeper=keeper, clock=self._clock)
        session.header = replace(session.header, run=self.id, trial=trial.number)
        return session

    def _forked(self, start: Start, trial: Trial, keeper: GroupKeeper) -> Session:
        # Opened as a session of its own first, for everything its header says of those who go on.
        own = open_session(self.batch.domain, trial.task, self._table(trial), keeper=keeper, clock=self._clock)
        begun = fork(start.events, start.turn, str(ULID()), own.header.players)
        opened = begun[0]
        assert isinstance(opened, Opened)
        header = replace(
            own.header,
            id=opened.header.id,
            parent=opened.header.parent,
            parent_turn=opened.header.parent_turn,
            run=self.id,
            trial=trial.number,
        )
        begun[0] = Opened(header=header)
        return Session.continued(begun, self.batch.domain, own.players, kept=False, keeper=keeper, clock=self._clock)

    def _continued(self, trial: Trial, events: Sequence[Event], keeper: GroupKeeper) -> Session:
        start = self.batch.start
        if start is not None and len(events) < len(fork(start.events, start.turn, "")):
            raise DataError("it was cut off before all it begins with was there")
        return Session.continued(events, self.batch.domain, self._players(trial), keeper=keeper, clock=self._clock)


def scored(domain: Domain, task: Task, state: State) -> Scored:
    """Return the verdict on a session that has ended. Raises DataError."""
    assert state.header is not None and state.ended is not None
    verdict = score(
        domain,
        task,
        tuple(state.turns),
        state.ended.reason,
        solo=state.header.solo,
        judgements=state.judgements(len(task.nl_assertions)),
    )
    return Scored(reward=verdict.reward, verdict=verdict.to_json())
