"""Events as lines, sessions as rows, runs as τ-bench v1 lists, and people without their names."""

from __future__ import annotations

import csv as reader
import json

import pytest

from domains.errors import DataError
from sessions.event import (
    Event,
    Exposure,
    Failure,
    Judged,
    Mark,
    Message,
    Note,
    PlayerInfo,
    Reviewed,
    Scored,
    Seated,
    decode,
)
from sessions.export import csv, jsonl, tau_bench
from sessions.export.anonymous import Anonymizer
from sessions.export.record import record
from tests.sessions.export.sessions_made import SWEEP, header, session


def test_every_event_is_a_line_that_says_whose_it_is() -> None:
    events = session()
    rows = [json.loads(line) for line in jsonl.lines(record(events))]
    assert [(row["session"], row["seq"]) for row in rows] == [("01SESSION", i) for i in range(len(events))]
    assert [decode(row) for row in rows] == events


def test_every_session_is_a_row_and_nothing_is_not_zero() -> None:
    scored = Scored(reward=None, verdict={"components": {"DB": 1.0}, "db_match": True})
    records = [
        record(session(scored, Exposure(seat="user", kind="goal"), text='a "quote",\nand a line')),
        record(session(ended=False)),
    ]
    first, second = reader.DictReader("".join(csv.rows(records)).splitlines(keepends=True))
    assert (first["user_kind"], first["user_name"], first["agent_settings"]) == ("human", "Anna", '{"seed": 0}')
    assert (first["reward"], first["db_match"], first["db_reward"], first["exposures"]) == ("", "1", "1.0", "goal")
    assert (first["seconds"], first["turns"], first["calls"], first["writes"]) == ("8.0", "5", "1", "1")
    assert (first["agent_cost"], first["user_cost"], first["prompt_tokens"]) == ("0.25", "", "7")
    assert (second["ended"], second["reason"], second["reward"]) == ("", "", "")
    missing = set(record(session()).header.__slots__) - set(first) - {"task", "players", "limits", "digests", "origin"}
    assert not missing


def test_what_the_parents_turns_took_is_not_counted_again_in_a_branch() -> None:
    own = Message(turn=4, seat="agent", text="Well?", usage={"cost": 0.5, "prompt_tokens": 9}, at=107.0)

    def counted(events: list[Event]) -> tuple[str, str]:
        (row,) = reader.DictReader("".join(csv.rows([record(events)])).splitlines(keepends=True))
        return row["agent_cost"], row["prompt_tokens"]

    assert counted(session(own, ended=False)) == ("0.75", "16")
    assert counted(session(own, ended=False, parent="01PARENT", parent_turn=3)) == ("0.5", "9")
    assert counted(session(ended=False, parent="01PARENT", parent_turn=3)) == ("", "")


def test_a_run_is_told_in_the_words_of_v1() -> None:
    task = SWEEP | {
        "evaluation_criteria": {
            "actions": [{"name": "finish", "arguments": {"user_id": "u1"}, "action_id": "a0"}],
            "communicate_info": ["12"],
        }
    }
    verdict = {"components": {"COMMUNICATE": 1.0}, "communicate": [True]}
    run = tau_bench.run(
        record(session(Scored(reward=1.0, verdict=verdict), domain="airline", task_id="7", task=task)), 2
    )
    assert (run["task_id"], run["trial"], run["reward"]) == (7, 2, 1.0)
    assert run["info"]["task"] == {
        "user_id": "u1",
        "actions": [{"name": "finish", "kwargs": {"user_id": "u1"}}],
        "instruction": "Have it swept.",
        "outputs": ["12"],
    }
    assert run["info"]["reward_info"]["info"] == {"r_outputs": 1.0, "outputs": {"12": True}}
    assert [message["role"] for message in run["traj"]] == ["system", "user", "assistant", "tool", "assistant", "user"]
    call = run["traj"][2]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"task_id": "task_1"}
    assert run["traj"][3]["tool_call_id"] == call["id"]
    assert run["traj"][-1]["content"] == "Thanks. ###STOP###"
    assert json.loads("".join(tau_bench.array([run, run]))) == [run, run]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"domain": "telecom"}, "domain telecom"),
        ({"domain": "retail", "task_id": "7", "solo": True}, "solo"),
        ({"domain": "retail", "task_id": "made-up"}, "'made-up'"),
    ],
)
def test_what_v1_cannot_say_is_refused(changed: dict[str, object], why: str) -> None:
    with pytest.raises(DataError, match=why):
        tau_bench.check(header(**changed))


# Without names


def named() -> list[Event]:
    """A session in which the player and others are named wherever the machinery or a note can."""
    return session(
        Mark(turn=1, author="user", type="other", severity="minor", text="Ben says: Anna erred", by="Ben"),
        Note(text="Anna-Lena and Anna, not Annabel"),
        Judged(assertion=0, met=True, by="Anna"),
        Failure(what="Anna could not act"),
        Reviewed(turn=5, seat="agent", name="x", arguments={}, decision="refused", reason="Ben said so", by="Cleo"),
        Seated(seat="agent", player=PlayerInfo("human", "Dora")),
        Seated(seat="user", player=PlayerInfo("model", "openai/x")),
        text="I am Anna.",
        pack="/home/anna/data",
    )


def test_people_have_one_pseudonym_throughout_a_file_and_another_in_the_next() -> None:
    here = Anonymizer(b"one", ["Anna-Lena"])
    anna = here.pseudonym("Anna")
    events = here.session(named())
    found = record(events).header
    assert found.players["user"] == PlayerInfo("human", anna)
    assert found.players["agent"].name == "oracle"  # no person
    assert found.pack.startswith("pack-")
    told = {type(event): event for event in events}
    mark, note, judged, failure = told[Mark], told[Note], told[Judged], told[Failure]
    assert isinstance(mark, Mark) and isinstance(note, Note)
    assert isinstance(judged, Judged) and isinstance(failure, Failure)
    assert (mark.by, mark.text) == (here.pseudonym("Ben"), f"{here.pseudonym('Ben')} says: {anna} erred")
    assert note.text == f"{here.pseudonym('Anna-Lena')} and {anna}, not Annabel"
    assert (judged.by, failure.what) == (anna, f"{anna} could not act")
    [reviewed] = [event for event in events if isinstance(event, Reviewed)]
    assert (reviewed.by, reviewed.reason) == (here.pseudonym("Cleo"), f"{here.pseudonym('Ben')} said so")
    seated = [event.player.name for event in events if isinstance(event, Seated)]
    assert seated == [here.pseudonym("Dora"), "openai/x"]
    assert "I am Anna." in [event.text for event in events if isinstance(event, Message)]  # what was said stays
    assert Anonymizer(b"two").pseudonym("Anna") != anna
    assert here.session(events) == events  # twice is once


def test_nobody_is_nobody() -> None:
    assert Anonymizer(b"one").pseudonym("") == ""
