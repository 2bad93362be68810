"""Importing: runs become sessions once, with both rewards; a bad file, a wrong pack and wrong labels are said."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domains import DataError
from sessions.event import Ended, Event, Failure, Message, Note, Opened, Result, Scored
from sessions.importing import Import, Taken
from sessions.recorder import Recorder
from sessions.trajectory import fold
from tests.interop.results import AIRLINE, INFO, TASKS, results, simulation


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    opened = Recorder(tmp_path / "recording" / "sessions.db")
    yield opened
    opened.close()


def take(recorder: Recorder, path: Path, **more: Path | str | None) -> tuple[list[Taken], Import]:
    work = Import(path, recorder, **more)  # type: ignore[arg-type]  # data and domain
    return list(work.run()), work


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


# A run as a session


def test_a_run_becomes_a_session_with_its_events_and_both_rewards(tmp_path: Path, recorder: Recorder) -> None:
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation()))
    events = recorder.events(taken.session)
    gold = len(TASKS[0].gold)
    assert kinds(events) == [
        "Opened",
        "Message",
        "Message",
        *["Call", "Result"] * gold,
        "Message",
        "Message",
        "Ended",
        "Scored",
        "Scored",
    ]
    state = fold(events)
    assert state.recorded is not None and state.scored is not None and state.ended is not None
    assert (state.recorded.reward, state.scored.reward, state.ended.reason, state.ended.by) == (
        1,
        1,
        "user_stop",
        "user",
    )
    assert state.recorded.verdict["db_check"] == {"db_match": True, "db_reward": 1.0}
    assert (taken.status, taken.reward, taken.recorded_reward, taken.difference) == ("new", 1, 1, "")


def test_the_header_says_who_played_and_where_it_comes_from(tmp_path: Path, recorder: Recorder) -> None:
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation(seed=9)))
    header = recorder.header(taken.session)
    assert header is not None
    agent, user = header.players["agent"], header.players["user"]
    assert (agent.kind, agent.name, user.kind, user.name) == ("model", "an-agent", "model", "a-user")
    assert (header.view, header.pack, header.split, header.seed, header.temperature) == ("blind", "bundled", "", 9, 0.5)
    assert (header.limits.max_steps, header.limits.max_errors) == (100, 7)
    assert header.task == TASKS[0].model_dump(mode="json", exclude_unset=True)
    assert header.digests.keys() == {"agent", "policy", "task"}
    origin = header.origin
    assert (origin["format"], origin["simulation"], origin["trial"]) == ("tau2", "run-0-0", 0)
    assert origin["info"]["git_commit"] == "c0ffee"
    assert "policy" not in origin["info"]["environment_info"]
    assert origin["run"]["agent_cost"] == 0.25


def test_changes_are_those_the_calls_make_again(tmp_path: Path, recorder: Recorder) -> None:
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation()))
    made = [c for e in recorder.events(taken.session) if isinstance(e, Result) for c in e.changes]
    env = AIRLINE.environment(TASKS[0])
    expected = [c for a in TASKS[0].gold for c in env.call("agent", a.name, a.arguments).changes]
    assert made == expected != []


def test_times_are_those_of_the_file_and_never_run_backwards(tmp_path: Path, recorder: Recorder) -> None:
    run = simulation()
    run["messages"][2]["timestamp"] = "2025-01-02T03:03:00"
    (taken,), _ = take(recorder, results(tmp_path / "r.json", run))
    at = [event.at for event in recorder.events(taken.session)]
    assert at == sorted(at)
    assert (at[0], at[-1]) == (1735787040.0, 1735787100.0)


def test_the_row_holds_both_rewards_the_trial_and_the_format(tmp_path: Path, recorder: Recorder) -> None:
    take(recorder, results(tmp_path / "r.json", simulation(trial=3)))
    conn = sqlite3.connect(recorder.file)
    row = conn.execute("select recorded_reward, reward, origin, trial, reason, process from sessions").fetchone()
    assert row == (1, 1, "tau2", 3, "user_stop", None)
    assert conn.execute("select source, reward from scores order by seq").fetchall() == [
        ("recorded", 1),
        ("computed", 1),
    ]
    ((digest, file, sessions, form),) = conn.execute("select digest, file, sessions, format from imports").fetchall()
    conn.close()
    assert (len(digest), file, sessions, form) == (64, "r.json", 1, "tau2")


def test_endings_we_do_not_know_are_unexpected_and_keep_their_name(tmp_path: Path, recorder: Recorder) -> None:
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation(termination_reason="struck_by_lightning")))
    ended = next(e for e in recorder.events(taken.session) if isinstance(e, Ended))
    assert (ended.reason, ended.detail) == ("unexpected_error", "in the file: struck_by_lightning")
    assert taken.reward == 0
    assert "a run that ends by" in taken.difference


def test_a_task_s_history_is_not_part_of_the_session(tmp_path: Path, recorder: Recorder) -> None:
    task = TASKS[0].model_dump(mode="json", exclude_unset=True)
    before = [{"role": "assistant", "content": "Hello again"}, {"role": "user", "content": "Hello"}]
    task["initial_state"] = {"message_history": before}
    run = simulation()
    run["messages"] = [*before, *run["messages"]]
    (taken,), _ = take(recorder, results(tmp_path / "r.json", run, tasks=[task]))
    first = next(e for e in recorder.events(taken.session) if isinstance(e, Message))
    assert (first.text, first.turn, taken.reward) == ("Hi!", 0, 1)


# Two rewards


def test_where_the_rewards_disagree_the_reason_is_said_and_kept(tmp_path: Path, recorder: Recorder) -> None:
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation(upto=0)))
    assert (taken.recorded_reward, taken.reward) == (1, 0)
    assert taken.difference == "the database: not met here, met in the file"
    notes = [e.text for e in recorder.events(taken.session) if isinstance(e, Note)]
    assert notes == ["reward 1 in the file, 0 here: the database: not met here, met in the file"]


def test_a_write_that_was_answered_otherwise_is_named(tmp_path: Path, recorder: Recorder) -> None:
    run = simulation(reward_info={"reward": 0.0})
    writes = [i for i, m in enumerate(run["messages"]) if m["role"] == "tool"]
    run["messages"][writes[-1]]["content"] = "Error: the seats are gone"
    (taken,), _ = take(recorder, results(tmp_path / "r.json", run))
    assert "'Error: the seats are gone' when it was recorded, here" in taken.difference
    assert TASKS[0].gold[-1].name in taken.difference


def test_recorded_judgements_count_as_the_file_s(tmp_path: Path, recorder: Recorder) -> None:
    task = TASKS[0].model_dump(mode="json", exclude_unset=True)
    task["evaluation_criteria"] |= {"nl_assertions": ["polite"], "reward_basis": ["NL_ASSERTION"]}
    info = {"reward": 0.0, "nl_assertions": [{"nl_assertion": "polite", "met": False}]}
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation(reward_info=info), tasks=[task]))
    state = fold(recorder.events(taken.session))
    assert (taken.reward, state.judged[0].met, state.judged[0].by) == (0, False, "the file")


# Once, however often


def test_importing_twice_doubles_nothing(tmp_path: Path, recorder: Recorder) -> None:
    path = results(tmp_path / "r.json", simulation(0), simulation(1), simulation(1))
    first, _ = take(recorder, path)
    assert [t.status for t in first] == ["known", "new", "new"]
    before = list(sqlite3.connect(recorder.file).iterdump())
    again, _ = take(recorder, path)
    assert [t.status for t in again] == ["known"] * 3
    after = list(sqlite3.connect(recorder.file).iterdump())
    assert [line for line in after if '"imports"' not in line] == [line for line in before if '"imports"' not in line]


def test_one_run_in_two_files_is_one_session(tmp_path: Path, recorder: Recorder) -> None:
    (one,), _ = take(recorder, results(tmp_path / "a.json", simulation()))
    more = simulation(review={"summary": "graded since"})
    for i, message in enumerate(more["messages"]):
        message["turn_idx"] = i
    (two, other), _ = take(recorder, results(tmp_path / "b.json", more, simulation(trial=1)))
    by_id = {t.session: t.status for t in (two, other)}
    assert by_id.pop(one.session) == "known"
    assert list(by_id.values()) == ["new"]


def test_an_interrupted_import_is_finished_by_running_it_again(
    tmp_path: Path, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.importing.GROUP", 2)
    path = results(tmp_path / "r.json", *(simulation(i % 3, i) for i in range(7)))
    halfway = Import(path, recorder).run()
    kept = [next(halfway) for _ in range(3)]
    halfway.close()  # as Ctrl-C leaves it
    there = {row.id for row in recorder.sessions()}
    assert {t.session for t in kept} <= there
    assert len(there) == 4  # whole groups
    rest, _ = take(recorder, path)
    assert sorted(t.status for t in rest) == ["known"] * 4 + ["new"] * 3
    assert len(recorder.sessions()) == 7


# What is wrong


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda text: text[:-40], "line 1, column"),
        (lambda text: text.replace('"task_id"', '"task"', 1), "simulation run-0-0: task_id: Field required"),
        (lambda text: text.replace('"role": "user"', '"role": "robot"', 1), "messages.1.role"),
        (lambda text: text.replace('"user_scenario"', '"scenario"', 1), "user_scenario: Field required"),
        (lambda text: "7", "expected tau2 results (an object)"),
        (lambda text: "", "line 1, column 1"),
        (lambda text: text.replace('"content": "Hi!"', '"content": ' + "[" * 2_000, 1), "nested too deeply"),
    ],
)
def test_a_bad_file_is_one_line_and_leaves_nothing_behind(
    tmp_path: Path, recorder: Recorder, spoil: Callable[[str], str], line: str
) -> None:
    good = results(tmp_path / "good.json", simulation(1))
    take(recorder, good)
    before = list(sqlite3.connect(recorder.file).iterdump())
    bad = results(tmp_path / "bad.json", *(simulation(i % 3, i) for i in range(5)))
    bad.write_text(spoil(bad.read_text()))
    with pytest.raises(DataError) as error:
        take(recorder, bad)
    assert str(error.value).startswith(str(bad))
    assert line in str(error.value)
    assert "\n" not in str(error.value)
    assert list(sqlite3.connect(recorder.file).iterdump()) == before


def test_runs_of_other_data_are_transcripts_until_the_data_is_there(tmp_path: Path, recorder: Recorder) -> None:
    """The runs of the bundled airline, on a pack in which nobody they name exists."""
    folder = tmp_path / "data" / "domains" / "airline"
    folder.mkdir(parents=True)
    (folder / "policy.md").write_text("be kind")
    (folder / "tasks.json").write_text("[]")
    (folder / "db.json").write_text('{"flights": {}, "users": {}, "reservations": {}}')
    path = results(tmp_path / "r.json", simulation(0), simulation(1))
    taken, work = take(recorder, path, data=tmp_path / "data")
    assert [(t.reward, t.recorded_reward) for t in taken] == [(None, 1), (None, 1)]
    assert any("recorded on other data" in line and "--data" in line for line in work.said)
    header = recorder.header(taken[0].session)
    assert header is not None and header.pack == ""
    recorder.write(taken[1].session, 99, Note(text="looked at", at=2e9))  # somebody's own: it is not replaced
    again, _ = take(recorder, path)
    assert {t.session: (t.status, t.reward) for t in again} == {
        taken[0].session: ("rescored", 1),
        taken[1].session: ("known", None),
    }
    assert any(isinstance(e, Result) and e.changes for e in recorder.events(taken[0].session))


def test_task_ids_that_contradict_the_checks_are_said_and_not_scored(tmp_path: Path, recorder: Recorder) -> None:
    def checks(number: int) -> dict[str, object]:
        gold = [
            {"action": {"name": a.name, "arguments": a.arguments}, "action_match": True} for a in TASKS[number].gold
        ]
        return {"reward": 1.0, "action_checks": gold}

    right = simulation(0, reward_info=checks(0))
    wrong = simulation(1, reward_info=checks(2))
    taken, work = take(recorder, results(tmp_path / "r.json", right, right | {"id": "again"}, wrong))
    rewards = {t.task: (t.reward, t.recorded_reward) for t in taken}
    assert rewards == {TASKS[0].id: (1, 1), TASKS[1].id: (None, 1)}
    assert work.said == [
        "the task ids contradict the file's own action checks in 1 of 3 graded runs: mislabelled, or the tasks have"
        " changed; those runs are not scored, the recorded rewards are kept"
    ]
    (note,) = [note for t in taken for note in t.notes]
    assert f"says task {TASKS[1].id}" in note and f"those of task {TASKS[2].id}" in note


def test_runs_without_words_are_said_and_not_scored(tmp_path: Path, recorder: Recorder) -> None:
    silent = simulation(1, messages=None)
    taken, work = take(recorder, results(tmp_path / "r.json", simulation(), silent))
    assert [t.reward for t in taken] == [1, None]
    assert work.said == ["kept without a score: 1 of 2 runs, of whose words the file holds none"]


def test_an_unknown_domain_is_kept_without_a_score(tmp_path: Path, recorder: Recorder) -> None:
    info = INFO | {"environment_info": {"domain_name": "hotel"}}
    (taken,), work = take(recorder, results(tmp_path / "r.json", simulation(), info=info))
    assert (taken.domain, taken.reward, taken.recorded_reward) == ("hotel", None, 1)
    assert any("without a score: there is no domain 'hotel'" in line for line in work.said)
    assert kinds(recorder.events(taken.session)).count("Scored") == 1


def test_a_file_can_be_read_as_one_of_another_domain(tmp_path: Path, recorder: Recorder) -> None:
    info = INFO | {"environment_info": {"domain_name": "my-airline"}}
    (taken,), _ = take(recorder, results(tmp_path / "r.json", simulation(), info=info), domain="airline")
    assert (taken.domain, taken.reward) == ("airline", 1)


# Sessions of our own


def test_recordings_are_put_together_and_their_sessions_only_grow(tmp_path: Path, recorder: Recorder) -> None:
    other = Recorder(tmp_path / "other.db")
    taken, _ = take(other, results(tmp_path / "r.json", simulation(0), simulation(1)))
    first, second = (t.session for t in taken)
    merged, work = take(recorder, other.file)
    assert ([t.status for t in merged], work.format) == (["new", "new"], "tau-tui")
    assert all(recorder.events(name) == other.events(name) for name in (first, second))
    assert [t.status for t in take(recorder, other.file)[0]] == ["known", "known"]
    note = Note(text="looked at on the train", at=2e9)
    other.write(first, len(other.events(first)), note)
    recorder.write(second, len(recorder.events(second)), Note(text="here", at=2e9))
    other.write(second, len(other.events(second)), Note(text="there", at=2e9))
    other.close()
    merged, work = take(recorder, other.file)
    assert {t.session: t.status for t in merged} == {first: "longer", second: "other"}
    assert recorder.events(first)[-1] == note
    assert "1 sessions differ" in work.said[0]


def test_a_recording_is_read_whatever_its_schema_and_not_changed(tmp_path: Path, recorder: Recorder) -> None:
    source = Recorder(tmp_path / "s.db")
    (taken,), _ = take(source, results(tmp_path / "r.json", simulation()))
    events = source.events(taken.session)
    source.close()
    old = sqlite3.connect(tmp_path / "old.db")
    old.execute("attach ? as s", (str(tmp_path / "s.db"),))
    old.execute("create table events as select session_id, seq, data from s.events")
    old.commit()
    old.close()
    before = (tmp_path / "old.db").read_bytes()
    take(recorder, tmp_path / "old.db")
    assert recorder.events(taken.session) == events
    assert (tmp_path / "old.db").read_bytes() == before


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        ("create table other (a)", "expected a recording of tau-tui"),
        ("pragma user_version = 99", "written by a newer tau-tui"),
        ("delete from events where seq = 1", "event 1 is missing"),
        ("update events set data = '{' where seq = 1", "event 1: "),
        ('update events set data = \'{"event": "opened", "v": 1}\' where seq = 0', "event 0: "),
    ],
)
def test_a_recording_that_cannot_be_read_leaves_nothing_behind(
    tmp_path: Path, recorder: Recorder, sql: str, line: str
) -> None:
    source = Recorder(tmp_path / "s.db")
    take(source, results(tmp_path / "r.json", simulation()))
    source.close()
    if sql.startswith("create"):
        (tmp_path / "s.db").unlink()
    conn = sqlite3.connect(tmp_path / "s.db")
    conn.execute(sql)
    conn.commit()
    conn.close()
    with pytest.raises(DataError, match=line):
        take(recorder, tmp_path / "s.db")
    assert not recorder.file.exists()


def test_the_recording_is_not_imported_into_itself(tmp_path: Path, recorder: Recorder) -> None:
    take(recorder, results(tmp_path / "r.json", simulation()))
    with pytest.raises(DataError, match="the recording itself"):
        take(recorder, recorder.file)


# The corpus


def passes(rewards: dict[str, list[bool]], k: int) -> float:
    """pass^k as defined in arXiv 2406.12045, averaged over the tasks."""
    return sum(math.comb(sum(r), k) / math.comb(len(r), k) for r in rewards.values()) / len(rewards)


@pytest.mark.official
def test_the_corpus_imports_whole(tmp_path: Path, corpus: Path, official: Path, recorder: Recorder) -> None:
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (corpus / "expected.jsonl").read_text().splitlines():
        row = json.loads(line)
        expected[row["file"]][row["simulation"]] = row["reward"]
    v1: dict[str, list[Taken]] = {}
    for path in (*sorted((corpus / "tau-bench").iterdir()), *sorted((corpus / "tau2").iterdir())):
        taken, work = take(recorder, path, data=official)
        assert [t.difference for t in taken if t.difference] == []
        assert work.said == []
        assert {t.status for t in taken} == {"new"}
        if path.parent.name == "tau-bench":
            v1[path.name] = taken
        else:
            assert {t.simulation: t.reward for t in taken} == expected[f"tau2/{path.name}"]
    assert {name: len(taken) for name, taken in v1.items()} == {
        "gpt-4o-airline.json": 200,
        "react-airline.json": 50,
        "tool-calling-airline-2trials.json": 100,
    }
    for rewards in ("recorded_reward", "reward"):
        by_task: dict[str, list[bool]] = defaultdict(list)
        for t in v1["gpt-4o-airline.json"]:
            by_task[t.task].append(getattr(t, rewards) == 1)
        assert [round(passes(by_task, k), 3) for k in (1, 2, 3, 4)] == [0.420, 0.273, 0.220, 0.200]
    failed = [t for t in v1["tool-calling-airline-2trials.json"] if t.reward is None]
    assert [(t.task, t.recorded_reward) for t in failed] == [("45", 0)]
    events = recorder.events(failed[0].session)
    assert any(isinstance(e, Failure) and "usage guidelines" in e.what for e in events)
    assert any(isinstance(e, Ended) and e.reason == "infrastructure_error" for e in events)


@pytest.mark.official
def test_the_hazards_are_handled(corpus: Path, official: Path, recorder: Recorder) -> None:
    taken, work = take(recorder, corpus / "hazards" / "zero-simulations.json", data=official)
    assert (taken, work.said) == ([], [])
    taken, work = take(recorder, corpus / "hazards" / "unknown-domain.json", data=official)
    assert (len(taken), {t.reward for t in taken}, sum(t.recorded_reward or 0 for t in taken)) == (10, {None}, 8)
    assert any("there is no domain 'hotel_calle'" in line for line in work.said)
    taken, work = take(recorder, corpus / "hazards" / "mislabelled-task-ids.json", data=official)
    assert (len(taken), {t.reward for t in taken}, sum(t.recorded_reward or 0 for t in taken)) == (50, {None}, 28)
    assert any("contradict" in line and "43 of 43" in line for line in work.said)
    taken, _ = take(recorder, corpus / "hazards" / "voice-folder-layout", data=official)
    assert [(t.reward, t.recorded_reward, t.notes) for t in taken] == [
        (None, None, ("the task is not in the file: taken from the pack", "the file holds none of its words"))
    ] * 3
    opened = recorder.events(taken[0].session)[0]
    assert isinstance(opened, Opened)
    assert opened.header.players["agent"].name == "openai:gpt-realtime-2"
    assert not any(isinstance(e, Scored) for e in recorder.events(taken[0].session))
