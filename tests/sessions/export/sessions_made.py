"""Sessions for exports: one written by hand, and any that can be made of events."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from domains.database import Change
from domains.toolkit import Seat
from domains.values import ABSENT, Record
from sessions.event import (
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
    Scored,
    ScoreSource,
    Stop,
    Supervision,
    Synced,
    Termination,
    Undone,
)
from sessions.limits import Limits

HOSTILE = "</script><b>bold</b> [/b] \x1b[2J \u202e ``` & $x {{y}} <!--title--> /*data*/"
SWEEP = {"id": "t", "user_scenario": {"instructions": "Have it swept."}, "evaluation_criteria": {"actions": []}}


def header(**changed: Any) -> Header:
    """A header of a session between a person and the oracle."""
    given: dict[str, Any] = {
        "id": "01SESSION",
        "domain": "nowhere",
        "task_id": "t",
        "task": SWEEP,
        "players": {"user": PlayerInfo("human", "Anna"), "agent": PlayerInfo("oracle", "oracle", {"seed": 0})},
        "view": "open",
        "program": "0.1.0",
    }
    return Header(**given | changed)


def session(*more: Event, text: str = "Please sweep.", ended: bool = True, **changed: Any) -> list[Event]:
    """A short session with a write, in a domain nobody has; `more` comes after the end."""
    events: list[Event] = [
        Opened(header=header(**changed), at=100.0),
        Message(turn=0, seat="agent", text="Hi! How can I help you today?", at=100.0),
        Message(turn=1, seat="user", text=text, at=103.5),
        Call(turn=2, seat="agent", id="c0", name="finish", arguments={"task_id": "task_1"}, at=104.0),
        Result(
            turn=2,
            seat="agent",
            id="c0",
            content='{"status": "completed"}',
            changes=(Change("agent", "tasks", "task_1", ("status",), "pending", "completed"),),
            at=104.0,
        ),
        Message(turn=3, seat="agent", text="Done.", usage={"cost": 0.25, "prompt_tokens": 7}, at=106.0),
    ]
    if ended:
        events += [
            Message(turn=4, seat="user", text="Thanks.", stop="###STOP###", at=108.0),
            Ended(reason="user_stop", by="user", at=108.0),
        ]
    return [*events, *more]


words = st.text(max_size=12)
names = st.sampled_from(["Anna", "Ben", "me", ""])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
objects = st.dictionaries(words, json_values, max_size=3)
changes = st.builds(
    Change,
    st.sampled_from(["agent", "user"]),
    words,
    words,
    st.lists(words | st.integers(0, 3), min_size=1, max_size=3).map(tuple),
    json_values | st.just(ABSENT),
    json_values | st.just(ABSENT),
) | st.builds(Change, st.just("agent"), words, words, st.just(()), st.just(ABSENT), objects.map(Record))


@st.composite
def sessions(draw: st.DrawFn) -> list[Event]:
    """Any session that could be recorded: turns in any order, everything people do beside them, ended or not."""
    at = 1_700_000_000.0

    def when() -> float:
        nonlocal at
        at += draw(st.sampled_from([0.0, 0.0000004, 0.5, 3600.0]))
        return at

    events: list[Event] = [
        Opened(
            header=header(
                id=draw(st.text("ABC0", min_size=1, max_size=5)),
                task=draw(st.sampled_from([SWEEP, {}]) | objects.map(lambda more: SWEEP | {"more": more})),
                view=draw(st.sampled_from(["blind", "open", "present"])),
                supervised=draw(st.booleans()),
                limits=Limits(max_steps=draw(st.integers(1, 300))),
                temperature=draw(st.none() | st.floats(0, 2)),
                parent=draw(st.sampled_from(["", "01PARENT"])),
                parent_turn=draw(st.none() | st.integers(0, 9)),
                origin=draw(objects),
            ),
            at=at,
        )
    ]
    for turn in range(draw(st.integers(0, 8))):
        seat: Seat = draw(st.sampled_from(["user", "agent"]))
        said = draw(st.booleans())
        if said:
            stop: Stop | None = draw(st.sampled_from([None, None, "###STOP###"]))
            events.append(Message(turn=turn, seat=seat, text=draw(words), stop=stop, usage=draw(objects), at=when()))
        for i in range(draw(st.integers(0 if said else 1, 2))):
            call_id = f"call_{turn}_{i}"
            events.append(Call(turn=turn, seat=seat, id=call_id, name=draw(words), arguments=draw(objects), at=when()))
            if draw(st.integers(0, 9)):  # otherwise the process died in it
                made = tuple(draw(st.lists(changes, max_size=2)))
                content, error = draw(words), draw(st.booleans())
                events.append(
                    Result(turn=turn, seat=seat, id=call_id, content=content, error=error, changes=made, at=when())
                )
                if draw(st.booleans()):
                    events.append(Synced(turn=turn, changes=tuple(draw(st.lists(changes, max_size=1))), at=when()))
        if isinstance(events[-1], Message) and draw(st.integers(0, 4)) == 0:
            events.append(Undone(turn=turn, seat=seat, at=when()))
        events += draw(
            st.lists(
                st.one_of(
                    st.builds(Draft, seat=st.just(seat), text=words, at=st.just(when())),
                    st.builds(Note, text=words, turn=st.none() | st.just(turn), at=st.just(at)),
                    st.builds(
                        Mark,
                        turn=st.just(turn),
                        author=st.sampled_from(["user", "agent", "task"]),
                        type=st.just("other"),
                        severity=st.sampled_from(["minor", "critical", "odd"]),
                        text=words,
                        by=names,
                        at=st.just(at),
                    ),
                    st.builds(Supervision, on=st.booleans(), by=names, at=st.just(at)),
                    st.builds(Exposure, seat=st.just(seat), kind=st.sampled_from(["goal", "trace"]), at=st.just(at)),
                    st.builds(Failure, what=words, at=st.just(at)),
                ),
                max_size=2,
            )
        )
    if draw(st.booleans()):
        reason: Termination = draw(
            st.sampled_from(["user_stop", "agent_stop", "abandoned", "max_steps", "infrastructure_error"])
        )
        events.append(Ended(reason=reason, by=draw(st.sampled_from([None, "user", "agent"])), at=when()))
        if draw(st.booleans()):
            events.append(Judged(assertion=0, met=draw(st.booleans()), by=draw(names), at=when()))
            reward = draw(st.none() | st.sampled_from([0.0, 1.0]))
            source: ScoreSource = draw(st.sampled_from(["computed", "recorded"]))
            events.append(Scored(reward=reward, verdict=draw(objects), source=source, at=when()))
    return events
