"""What has changed since the start, from the changes alone; and the moments a reader is taken through."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from domains.database import Change
from domains.values import ABSENT, JSON, apply, copied, differences, same
from sessions.event import Mark, Message, Note, Undone
from sessions.export.record import record
from sessions.export.telling import Since, cards, steps
from tests.sessions.export.sessions_made import session

leaf = st.integers(0, 2) | st.none()
trees = st.dictionaries(
    st.sampled_from("ab"), leaf | st.dictionaries(st.sampled_from("xy"), leaf, max_size=2) | st.lists(leaf, max_size=3)
)


def between(before: JSON, after: JSON) -> list[Change]:
    """The changes a call reports that made one record out of another; ABSENT is no record."""
    if before is ABSENT or after is ABSENT:
        return [] if before is after else [Change("agent", "t", "k", (), before, after)]
    return [Change("agent", "t", "k", path, old, new) for path, old, new in differences(before, after)]


@given(st.lists(trees | st.just(ABSENT), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_what_is_told_leads_from_the_start_to_the_state_reached(states: list[JSON]) -> None:
    since = Since()
    for before, after in pairwise(states):
        since.add(between(before, after))
    reached = copied(states[0])
    for change in since.changes():
        reached = apply(reached, change.path, change.after)
    assert same(reached, states[-1]) or reached is states[-1]


def test_what_was_taken_back_is_not_told() -> None:
    since = Since()
    since.add(between({"a": 1}, {"a": 2}))
    since.add(between({"a": 2}, {"a": 1}))
    assert since.changes() == ()


def test_a_change_inside_a_new_record_is_part_of_it() -> None:
    since = Since()
    since.add(between(ABSENT, {"a": 1, "b": [1]}))
    since.add(between({"a": 1, "b": [1]}, {"a": 2, "b": [1, 2]}))
    (change,) = since.changes()
    assert (change.before, change.after) == (ABSENT, {"a": 2, "b": [1, 2]})
    (card,) = cards(since.changes())
    assert (card.title, card.kind, card.lines) == ("t k", "new", (("a", "", "2"), ("b", "", "[1, 2]")))


def test_moments_are_words_and_calls_with_what_people_remarked() -> None:
    events = session(
        Note(text="odd", turn=2),
        Mark(turn=2, author="agent", type="wrong_tool", severity="minor", text="why?"),
    )
    moments = steps(record(events))
    assert [m.name or m.text for m in moments] == [
        "Hi! How can I help you today?",
        "Please sweep.",
        "finish",
        "Done.",
        "Thanks.",
    ]
    assert [len(m.since) for m in moments] == [0, 0, 1, 1, 1]
    assert [len(m.made) for m in moments] == [0, 0, 1, 0, 0]
    assert moments[2].remarks == ("note: odd", "fault of the agent, wrong tool, minor: why?")


def test_a_message_taken_back_is_no_moment() -> None:
    events = session(ended=False)
    events += [Message(turn=4, seat="user", text="Oops", at=107.0), Undone(turn=4, seat="user", at=108.0)]
    assert "Oops" not in [m.text for m in steps(record(events))]
