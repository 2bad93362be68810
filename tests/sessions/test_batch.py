"""Runs without people: every trial once, whatever happens in between; failures apart; limits kept."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from domains import DataError, load_domain
from domains.task import Task
from sessions.batch import MOST_FAILURES, Run
from sessions.committing import GroupKeeper
from sessions.event import Ended, Event, Judged, Message, Note, Opened, PlayerInfo, Result, Scored, Seated
from sessions.keeping import RecordingFailed
from sessions.limits import Limits
from sessions.players.model.choice import ModelChoice
from sessions.players.model.judge import Finding, Judgement
from sessions.recorder import Recorder
from sessions.seating import Table, UnknownPlayer
from sessions.trajectory import fold
from sessions.trials import Batch, Outcome, Spent, spent_on, start_from, table_from, trial_seed
from tests.sessions.batch_players import AGENT, USER, Stage, set_up

DOMAIN = load_domain("airline")
TASKS = [DOMAIN.task("#1"), DOMAIN.task("#2")]
OFFLINE = Table(play="none")
OWN = Table(play="none", agent=AGENT, user=USER)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "s.db")


@pytest.fixture
def stage() -> Stage:
    return set_up(Stage())


def played(
    recorder: Recorder,
    batch: Batch,
    concurrency: int = 4,
    max_cost: float | None = None,
    judge: ModelChoice | None = None,
) -> Run:
    """Play what is left of a batch; its outcomes are `recorded` of it."""
    run = Run(batch, recorder, concurrency=concurrency, max_cost=max_cost, judge=judge)
    run.look()
    asyncio.run(run.play(outcomes.append))
    return run


outcomes: list[Outcome] = []


@pytest.fixture(autouse=True)
def _fresh() -> None:
    outcomes.clear()


def sessions(recorder: Recorder, columns: str = "id, task_id, trial") -> list[tuple[object, ...]]:
    return recorder.select(f"select {columns} from sessions order by started, id")


# Every trial once


def test_every_trial_of_every_task_is_played_recorded_and_scored(recorder: Recorder) -> None:
    batch = Batch(DOMAIN, TASKS, OFFLINE, trials=2, seed=7)
    run = played(recorder, batch)
    rows = sessions(recorder, "task_id, trial, reward, reason, seed, run")
    assert sorted(row[:4] for row in rows) == [(t.id, n, 1.0, "user_stop") for t in TASKS for n in (0, 1)]
    assert {row[1:2] + row[4:] for row in rows} == {(n, trial_seed(7, n), run.id) for n in (0, 1)}
    assert trial_seed(7, 0) != trial_seed(7, 1)
    assert (run.tally.finished, run.tally.failed, run.tally.pass_1) == (4, 0, 1.0)
    assert sorted(o.session for o in outcomes) == sorted(str(row[0]) for row in sessions(recorder))
    for (session_id,) in recorder.select("select id from sessions"):
        *_, ended, verdict = recorder.events(session_id)
        assert isinstance(ended, Ended) and isinstance(verdict, Scored)


def test_the_same_run_again_plays_nothing_and_knows_everything(recorder: Recorder) -> None:
    batch = Batch(DOMAIN, TASKS, OFFLINE, trials=2)
    played(recorder, batch)
    first = {o.session: o for o in outcomes}
    before = sessions(recorder)
    run = played(recorder, batch)
    assert sessions(recorder) == before
    assert run.trials == []
    assert {o.session: replace(o, earlier=False) for o in run.earlier} == first
    assert (run.tally.earlier, run.tally.pass_1) == (4, 1.0)


def test_more_trials_and_more_tasks_go_on_with_the_same_run(recorder: Recorder) -> None:
    first = played(recorder, Batch(DOMAIN, TASKS[:1], OFFLINE, trials=1))
    second = played(recorder, Batch(DOMAIN, TASKS, OFFLINE, trials=2))
    assert first.id == second.id
    assert second.tally.earlier == 1
    assert len(sessions(recorder)) == 4


OTHERS = {
    "seed": Batch(DOMAIN, TASKS, OFFLINE, seed=1),
    "agent": Batch(DOMAIN, TASKS, replace(OFFLINE, agent="oracle:slips=1")),
    "plan": Batch(DOMAIN, TASKS, replace(OFFLINE, plan=True)),
    "no policy": Batch(DOMAIN, TASKS, replace(OFFLINE, no_policy=True)),
    "limits": Batch(DOMAIN, TASKS, replace(OFFLINE, limits=Limits(max_steps=30))),
    "domain": Batch(load_domain("retail"), TASKS, OFFLINE),
    "model": Batch(DOMAIN, TASKS, replace(OFFLINE, models={"agent": ModelChoice("a/b")})),
    "its arguments": Batch(DOMAIN, TASKS, replace(OFFLINE, models={"agent": ModelChoice("a/b", {"top_p": 1})})),
}


def test_whatever_decides_how_sessions_go_makes_another_run() -> None:
    ids = {name: batch.run for name, batch in {"": Batch(DOMAIN, TASKS, OFFLINE), **OTHERS}.items()}
    assert len(set(ids.values())) == len(ids)
    secret = ModelChoice("a/b", {"api_key": "x"})
    assert Batch(DOMAIN, TASKS, replace(OFFLINE, models={"agent": secret})).run == ids["model"]


# Cut off


def cut(recorder: Recorder, session_id: str, events: Sequence[Event]) -> None:
    """Leave a session with these events only, as if its program had been killed then."""
    recorder.delete([session_id])
    for seq, event in enumerate(events):
        recorder.write(session_id, seq, event)
    with sqlite3.connect(recorder.file) as conn:
        conn.execute("update sessions set process = 'elsewhere:1' where ended is null")


@pytest.mark.parametrize("kept", [1, 2, 3, 7, 12, -2, -1])
def test_a_trial_cut_off_anywhere_is_taken_up_and_ends_as_it_would_have(recorder: Recorder, kept: int) -> None:
    batch = Batch(DOMAIN, TASKS[:1], OFFLINE)
    played(recorder, batch)
    [whole] = outcomes
    events = recorder.events(whole.session)
    cut(recorder, whole.session, events[:kept])
    run = played(recorder, batch)
    assert run.trials and outcomes[-1].continued
    assert outcomes[-1].session == whole.session
    assert sessions(recorder) == [(whole.session, TASKS[0].id, 0)]
    again = fold(recorder.events(whole.session))
    assert [(t.seat, t.text) for t in again.turns] == [(t.seat, t.text) for t in fold(events).turns]
    assert again.scored is not None and again.scored.reward == 1.0
    assert [type(event) for event in recorder.events(whole.session)].count(Scored) == 1


async def test_a_run_that_is_interrupted_repeats_no_finished_trial(recorder: Recorder) -> None:
    batch = Batch(DOMAIN, TASKS, OFFLINE, trials=6)
    run = Run(batch, recorder, concurrency=3)
    run.look()
    enough = asyncio.Event()

    def told(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if len(outcomes) == 4:
            enough.set()

    playing = asyncio.create_task(run.play(told))
    await enough.wait()
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    done = {o.session for o in outcomes}
    ended = dict(recorder.select("select id, ended from sessions where ended is not null"))
    assert done <= ended.keys() and len(ended) < 12
    again = Run(batch, recorder, concurrency=3)
    again.look()
    assert {o.session for o in again.earlier} >= done
    await again.play()
    assert Counter(row[1:] for row in sessions(recorder)) == {(t.id, n): 1 for t in TASKS for n in range(6)}
    assert ended.items() <= dict(recorder.select("select id, ended from sessions")).items()


def test_a_session_whose_world_cannot_be_made_again_is_ended_and_its_trial_played_anew(recorder: Recorder) -> None:
    batch = Batch(DOMAIN, TASKS[:1], OFFLINE)
    played(recorder, batch)
    [whole] = outcomes
    events = recorder.events(whole.session)
    last = max(i for i, event in enumerate(events) if isinstance(event, Result))
    result = events[last]
    assert isinstance(result, Result)
    cut(recorder, whole.session, [*events[:last], replace(result, content="something else")])
    played(recorder, batch)
    (old, _, old_reason), (new, reward, reason) = sessions(recorder, "id, reward, reason")
    assert (old, old_reason) == (whole.session, "unexpected_error")
    assert (new, reward, reason) == (outcomes[-1].session, 1.0, "user_stop")
    assert not outcomes[-1].continued
    ended = recorder.events(whole.session)[-1]
    assert isinstance(ended, Ended) and "played anew" in ended.detail


@pytest.mark.parametrize(
    "event",
    [Seated(seat="user", player=PlayerInfo("human", "ann"), at=1e10), Ended(reason="abandoned", at=1e10)],
)
def test_a_session_that_a_person_had_a_hand_in_is_none_of_the_runs_trials(recorder: Recorder, event: Event) -> None:
    batch = Batch(DOMAIN, TASKS[:1], OFFLINE)
    played(recorder, batch)
    [whole] = outcomes
    events = recorder.events(whole.session)
    cut(recorder, whole.session, [*events[:-2], event, *([events[-2]] if isinstance(event, Seated) else [])])
    played(recorder, batch)
    assert outcomes[-1].session != whole.session


def test_a_run_that_another_program_plays_is_left_alone(recorder: Recorder) -> None:
    batch = Batch(DOMAIN, TASKS[:1], OFFLINE)
    played(recorder, batch)
    cut(recorder, outcomes[0].session, recorder.events(outcomes[0].session)[:5])
    with sqlite3.connect(recorder.file) as conn:
        conn.execute("update sessions set process = ?", (f"{socket.gethostname()}:{os.getppid()}",))
    with pytest.raises(DataError, match=f"run {batch.run} is being played by .*:{os.getppid()}"):
        Run(batch, recorder).look()


# Failures apart


def test_a_failure_has_no_reward_and_the_next_run_takes_the_session_up(recorder: Recorder, stage: Stage) -> None:
    stage.failures = 2
    batch = Batch(DOMAIN, TASKS, OWN, trials=2)
    run = played(recorder, batch, concurrency=1)
    assert (run.tally.finished, run.tally.failed, run.tally.waiting) == (2, 2, 0)
    failed = [o for o in outcomes if o.failure]
    assert [(o.reward, o.reason, "the line is dead" in o.failure) for o in failed] == [(None, None, True)] * 2
    assert (run.tally.judged, run.tally.rewards) == (2, sum(o.reward or 0 for o in outcomes))
    run = played(recorder, batch)
    assert (run.tally.finished, run.tally.earlier, run.tally.failed) == (4, 2, 0)
    assert {o.session for o in outcomes[-2:]} == {o.session for o in failed}
    assert len(sessions(recorder)) == 4


def test_after_so_many_failures_in_a_row_no_further_session_is_begun(recorder: Recorder, stage: Stage) -> None:
    stage.failures = 100
    run = played(recorder, Batch(DOMAIN, TASKS, OWN, trials=20), concurrency=1)
    assert (run.tally.failed, run.tally.waiting) == (MOST_FAILURES, 40 - MOST_FAILURES)
    assert run.tally.stopped == f"{MOST_FAILURES} sessions in a row failed"


def test_who_cannot_be_seated_is_found_out_before_anything_is_played(recorder: Recorder) -> None:
    run = Run(Batch(DOMAIN, TASKS, replace(OWN, agent="nowhere:Nobody")), recorder)
    run.look()
    with pytest.raises(UnknownPlayer, match="nowhere"):
        run.check()


def test_what_cannot_be_recorded_ends_the_run(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(events: object) -> None:
        raise RecordingFailed("the disk is full")

    monkeypatch.setattr(recorder, "write_all", full)
    with pytest.raises(RecordingFailed, match="the disk is full"):
        played(recorder, Batch(DOMAIN, TASKS, OFFLINE, trials=3))


# Limits


def test_no_more_sessions_run_at_a_time_than_are_wished(recorder: Recorder, stage: Stage) -> None:
    stage.together = 3
    run = played(recorder, Batch(DOMAIN, TASKS, OWN, trials=6), concurrency=3)
    assert (stage.peak, run.tally.finished) == (3, 12)


def test_when_the_money_is_spent_no_further_session_is_begun(recorder: Recorder, stage: Stage) -> None:
    stage.usage = {"cost": 0.4, "prompt_tokens": 100, "completion_tokens": 10}
    batch = Batch(DOMAIN, TASKS, OWN, trials=5)
    run = played(recorder, batch, concurrency=1, max_cost=1.0)
    assert (run.tally.finished, run.tally.waiting) == (3, 7)
    assert run.tally.stopped == "$1.20 of --max-cost 1 are spent"
    run = played(recorder, batch, concurrency=1, max_cost=1.0)
    assert (run.tally.earlier, len(outcomes)) == (3, 3)
    run = played(recorder, batch, concurrency=1, max_cost=1.5)
    assert run.tally.finished == 4


def test_what_was_spent_is_known_and_so_is_that_it_is_not(recorder: Recorder, stage: Stage) -> None:
    stage.usage = {"cost": 0.25, "prompt_tokens": 100, "completion_tokens": 10}
    batch = Batch(DOMAIN, TASKS[:1], OWN, trials=2)
    played(recorder, replace(batch, trials=1))
    stage.usage = {"cost": None, "prompt_tokens": 7, "completion_tokens": 1}
    played(recorder, batch)
    # The customer is a class of somebody's own, which does not say what it costs.
    assert [o.spent for o in outcomes] == [Spent(100, 10, 0.25, 2), Spent(7, 1, 0.0, 3)]
    assert [o.to_json()["cost"] for o in outcomes] == [None, None]
    run = Run(batch, recorder)
    run.look()
    assert [o.spent for o in run.earlier] == [o.spent for o in outcomes]
    assert run.tally.spent == Spent(107, 11, 0.25, 5)
    assert Outcome("", "", 0, 0).to_json()["cost"] == 0


# Judged


def wordy(*, counts: bool = True) -> Task:
    """A task with an assertion in words, that counts or is only looked at."""
    data = TASKS[0].model_dump(mode="json", exclude_unset=True)
    basis = ["DB", "NL_ASSERTION"] if counts else ["DB"]
    data["evaluation_criteria"] |= {"nl_assertions": ["The agent is polite."], "reward_basis": basis}
    return Task.model_validate(data)


def judges(monkeypatch: pytest.MonkeyPatch, *answers: Judgement) -> list[Sequence[str]]:
    """Let a model's judgements be these; return what is asked of it."""
    left, asked = list(answers), []

    async def judge(model: ModelChoice, assertions: Sequence[str], turns: object) -> Judgement:
        asked.append(assertions)
        return left.pop(0)

    monkeypatch.setattr("sessions.players.model.judge.judge", judge)
    return asked


JUDGE = ModelChoice("openai/j")
MET = Judgement("openai/j", (Finding(True, "so"),), usage={"prompt_tokens": 90, "completion_tokens": 9, "cost": 0.5})
DOWN = Judgement("openai/j", problem="openai/j: the server cannot be reached")


def test_a_judge_is_asked_before_a_session_is_scored(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = judges(monkeypatch, MET)
    run = played(recorder, Batch(DOMAIN, [wordy()], OFFLINE), judge=JUDGE)
    assert asked == [["The agent is polite."]]
    *_, judged, verdict = recorder.events(outcomes[0].session)
    assert isinstance(judged, Judged) and (judged.by, judged.kind, judged.met) == ("openai/j", "model", True)
    assert isinstance(verdict, Scored) and verdict.reward == 1.0
    assert (run.tally.judged, run.tally.spent.dollars) == (1, 0.5)


def test_a_judge_that_fails_is_no_reward_of_0_and_is_asked_again_by_the_same_run(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, batch = judges(monkeypatch, DOWN, MET), Batch(DOMAIN, [wordy()], OFFLINE)
    first = played(recorder, batch, judge=JUDGE)
    assert outcomes[0].reward is None and not outcomes[0].failure
    assert first.tally.not_judged == {"openai/j: the server cannot be reached": 1}
    second = played(recorder, batch, judge=JUDGE)
    assert first.id == second.id and len(asked) == 2
    assert [o.reward for o in outcomes] == [None, 1.0]
    assert len(sessions(recorder)) == 1, "it is judged, and not played again"
    assert recorder.sessions()[0].reward == 1.0
    third = played(recorder, batch, judge=JUDGE)
    assert third.trials == [] and len(asked) == 2


def test_without_a_judge_it_is_finished_and_left_to_be_judged(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, batch = judges(monkeypatch, MET), Batch(DOMAIN, [wordy()], OFFLINE)
    played(recorder, batch)
    assert played(recorder, batch).trials == [] and asked == []
    assert played(recorder, batch, judge=JUDGE).tally.judged == 1, "a judge may come later"


def test_what_does_not_count_is_judged_too_and_asked_for_again(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, batch = judges(monkeypatch, DOWN, MET), Batch(DOMAIN, [wordy(counts=False)], OFFLINE)
    assert played(recorder, batch, judge=JUDGE).tally.not_judged
    played(recorder, batch, judge=JUDGE)
    assert played(recorder, batch, judge=JUDGE).trials == [] and len(asked) == 2
    *_, verdict = recorder.events(outcomes[0].session)
    assert isinstance(verdict, Scored) and verdict.verdict["nl_assertions"] == [True]


def test_a_task_without_assertions_asks_no_judge(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = judges(monkeypatch)
    played(recorder, Batch(DOMAIN, TASKS[:1], OFFLINE), judge=JUDGE)
    assert asked == [] and outcomes[0].reward == 1.0


# From a turn


@pytest.fixture
def erring(recorder: Recorder) -> str:
    """A recorded session in which the oracle slips."""
    played(recorder, Batch(DOMAIN, TASKS[:1], replace(OFFLINE, agent="oracle:slips=1")))
    [outcome] = outcomes
    outcomes.clear()
    assert outcome.reward == 0
    return outcome.session


def from_turn(recorder: Recorder, session: str, turn: int, trials: int, **asked: str) -> Batch:
    start = start_from(recorder, session, turn)
    return Batch(DOMAIN, TASKS[:1], table_from(start, Table(play="none", **asked)), trials, start=start)  # type: ignore[arg-type]  # seats by name


def test_trials_go_on_from_a_turn_of_a_recorded_session(recorder: Recorder, erring: str) -> None:
    batch = from_turn(recorder, erring, 4, 3, agent="oracle")
    run = played(recorder, batch)
    assert [o.reward for o in outcomes] == [1.0, 1.0, 1.0]
    assert batch.start is not None and batch.start.reward == 0.0
    for number, outcome in enumerate(sorted(outcomes, key=lambda o: o.trial)):
        events = recorder.events(outcome.session)
        state = fold(events)
        header = state.header
        assert header is not None
        assert (header.parent, header.parent_turn, header.run, header.trial) == (erring, 4, run.id, number)
        assert (header.seed, header.players["agent"].name) == (trial_seed(0, number), "oracle")
        before = fold(recorder.events(erring))
        assert [t.text for t in state.turns[:5]] == [t.text for t in before.turns[:5]]
    assert played(recorder, batch).tally.earlier == 3


def test_who_is_not_named_goes_on_as_before_and_a_person_gives_way(recorder: Recorder, erring: str) -> None:
    table = from_turn(recorder, erring, 4, 1).table
    assert (table.spec("agent"), table.spec("user"), table.people) == ("oracle:slips=1", "script", ())
    opened, *rest = recorder.events(erring)
    assert isinstance(opened, Opened)
    human = replace(opened.header, players={**opened.header.players, "user": PlayerInfo("human", "ann")})
    recorder.delete([erring])
    recorder.add([[Opened(header=human, at=opened.at), *rest]])
    assert from_turn(recorder, erring, 4, 1).table.spec("user") == "script"


def test_what_the_recorded_session_cost_is_not_paid_again(recorder: Recorder, stage: Stage) -> None:
    stage.usage = {"cost": 0.5}
    played(recorder, Batch(DOMAIN, TASKS[:1], OWN))
    [whole] = outcomes
    played(recorder, from_turn(recorder, whole.session, 2, 1))
    assert whole.spent.dollars == 0.5
    assert outcomes[-1].spent.dollars == 0.0
    run = Run(from_turn(recorder, whole.session, 2, 1), recorder)
    run.look()
    assert run.tally.spent.dollars == 0.0


def test_a_branch_cut_off_while_it_was_being_made_is_made_anew(recorder: Recorder, erring: str) -> None:
    batch = from_turn(recorder, erring, 4, 1)
    played(recorder, batch)
    [whole] = outcomes
    cut(recorder, whole.session, recorder.events(whole.session)[:3])
    played(recorder, batch)
    assert outcomes[-1].session != whole.session
    assert recorder.select("select reason from sessions where id = ?", (whole.session,)) == [("unexpected_error",)]


def test_a_turn_that_is_not_there_is_refused(recorder: Recorder, erring: str) -> None:
    with pytest.raises(DataError, match="has no turn 99"):
        start_from(recorder, erring, 99)


# Committing in groups


async def test_events_that_wait_together_are_committed_together(recorder: Recorder) -> None:
    run = played_header(recorder)
    groups: list[int] = []
    write_all = recorder.write_all

    def counted(events: Sequence[tuple[str, int, Event]]) -> None:
        groups.append(len(events))
        write_all(events)

    recorder.write_all = counted  # type: ignore[method-assign,assignment]  # looked over the shoulder
    keeper = GroupKeeper(recorder)
    await asyncio.gather(*(keeper.append(run, seq, Note(text=str(seq), at=9.0)) for seq in range(1, 101)))
    await keeper.close()
    assert sum(groups) == 100 and len(groups) <= 2
    notes = [event.text for event in recorder.events(run) if isinstance(event, Note)]
    assert notes == [str(seq) for seq in range(1, 101)]


async def test_an_event_that_cannot_be_kept_fails_alone(recorder: Recorder) -> None:
    run = played_header(recorder)
    keeper = GroupKeeper(recorder)
    odd = Message(turn=0, seat="agent", text="x", usage={"what": object()}, at=9.0)
    events = [Note(text="first", at=9.0), odd, Note(text="last", at=9.0)]
    kept = await asyncio.gather(
        *(keeper.append(run, seq, event) for seq, event in enumerate(events, 1)), return_exceptions=True
    )
    await keeper.close()
    assert [type(result) for result in kept] == [type(None), TypeError, type(None)]
    assert [type(event) for event in recorder.events(run)] == [Opened, Note, Note]


def played_header(recorder: Recorder) -> str:
    """A session that has only begun."""
    from sessions.seating import open_session

    header = open_session(DOMAIN, TASKS[0], OFFLINE).header
    recorder.write(header.id, 0, Opened(header=header, at=1.0))
    assert spent_on(header, Opened(header=header)) == Spent()
    return header.id
