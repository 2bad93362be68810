"""Every event goes through JSON and comes back the same."""

from __future__ import annotations

import json

import pytest

from domains.database import Change
from domains.values import ABSENT, Record
from sessions.event import (
    TYPES,
    Call,
    Draft,
    Ended,
    Event,
    Exposure,
    Failure,
    Header,
    Judged,
    Mark,
    Message,
    Note,
    Opened,
    PlayerInfo,
    Result,
    Resumed,
    Reviewed,
    Scored,
    Seated,
    Supervision,
    Synced,
    Undone,
    decode,
    encode,
)
from sessions.limits import Limits

CHANGES = (
    Change("agent", "users", "u1", ("payment_methods", "card", "amount"), 3.0, None),
    Change("agent", "reservations", "HATHAT", (), ABSENT, Record(status=None)),
    Change("user", "phone", "", ("apps", 0), "x", ABSENT),
)

EVENTS: list[Event] = [
    Opened(
        at=1.5,
        header=Header(
            id="01",
            domain="airline",
            task_id="7",
            task={"id": "7"},
            players={"user": PlayerInfo("human", "ann"), "agent": PlayerInfo("oracle", "oracle:slips=1", {"slips": 1})},
            view="open",
            supervised=True,
            limits=Limits(max_agent_actions=30),
            digests={"agent": "ab"},
        ),
    ),
    Resumed(program="0.1.0"),
    Message(turn=1, seat="user", text="[/b] \x1b[2J 你好 👩‍👩‍👧", stop="###STOP###", usage={"tokens": 3}),
    Call(turn=2, seat="agent", id="c", name="f", arguments={"a": [1, 2.5, None, True]}),
    Result(turn=2, seat="agent", id="c", content="ok", error=True, changes=CHANGES, elapsed=0.25),
    Synced(turn=2, changes=CHANGES),
    Reviewed(turn=3, seat="agent", name="f", arguments={"a": 1}, decision="edited", edited={"a": 2}, by="ann"),
    Supervision(on=True, by="ann"),
    Seated(seat="agent", player=PlayerInfo("human", "ann")),
    Draft(seat="user", text="half a sen"),
    Undone(turn=1, seat="user"),
    Exposure(seat="user", kind="goal", detail="by hand"),
    Note(text="odd", turn=3),
    Mark(turn=3, author="agent", type="wrong_decision", severity="critical", text="…", policy_line="12", by="ann"),
    Failure(what="unreachable", detail="refused", seat="agent", retryable=False),
    Ended(reason="user_stop", by="user"),
    Judged(assertion=1, met=False, by="ann"),
    Scored(reward=None, verdict={"db_match": True}),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_the_same(event: Event) -> None:
    assert decode(json.loads(json.dumps(encode(event)))) == event


def test_every_type_is_tried_above() -> None:
    assert {type(event) for event in EVENTS} == set(TYPES.values())


def test_a_header_of_an_older_program_is_not_supervised() -> None:
    data = encode(EVENTS[0])
    del data["header"]["supervised"]
    opened = decode(data)
    assert isinstance(opened, Opened) and opened.header.supervised is False


def test_unknown_fields_are_ignored_and_unknown_kinds_refused() -> None:
    assert decode(encode(Note(text="x")) | {"colour": "red"}) == Note(text="x")
    with pytest.raises(ValueError, match="unknown kind of event 'song'"):
        decode({"event": "song"})
    with pytest.raises(ValueError, match="newer tau-tui"):
        decode(encode(Note(text="x")) | {"v": 99})
