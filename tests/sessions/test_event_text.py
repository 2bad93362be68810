"""Seats, decisions and what a turn took, in words."""

from __future__ import annotations

import pytest

from domains.values import JSON
from sessions.event import Event, Opened, PlayerInfo, Reviewed, Seated
from sessions.event_text import filled_before, reviewed_text, seated_text
from sessions.usage_text import of_session, of_thought, of_turn
from tests.sessions.export.sessions_made import header

ANN, MODEL, ORACLE = PlayerInfo("human", "ann"), PlayerInfo("model", "openai/x"), PlayerInfo("oracle", "oracle")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (MODEL, ANN, "ann takes the agent's seat from openai/x"),
        (ANN, MODEL, "ann hands the agent's seat to openai/x"),
        (MODEL, ORACLE, "the agent's seat goes from openai/x to oracle"),
        (None, ANN, "ann takes the agent's seat"),
    ],
)
def test_a_seat_is_taken_handed_back_or_goes_to_somebody_else(
    before: PlayerInfo | None, after: PlayerInfo, told: str
) -> None:
    assert seated_text(Seated(seat="agent", player=after), before) == told


def test_who_sat_there_before_is_who_took_the_seat_last() -> None:
    taken, back = Seated(seat="agent", player=ANN), Seated(seat="agent", player=MODEL)
    events: list[Event] = [Opened(header=header(players={"user": ORACLE, "agent": MODEL})), taken, back]
    assert filled_before(events, taken) == MODEL
    assert filled_before(events, back) == ANN


def test_an_edit_says_field_by_field_what_stood_there_and_what_stands_there_now() -> None:
    wanted = {"id": "A", "flights": [{"date": "05-20"}, {"date": "05-22"}], "bags": 1}
    edited = {"id": "A", "flights": [{"date": "05-21"}, {"date": "05-22"}], "cabin": "economy"}
    event = Reviewed(turn=3, seat="agent", name="book", arguments=wanted, decision="edited", edited=edited, by="ann")
    first, *fields = reviewed_text(event).split("\n")
    assert first.startswith("edited by ann: book(id=A, flights=")
    assert fields == ["flights[0].date: 05-20 → 05-21", "bags: 1 → ∅", "cabin: ∅ → economy"]


def test_a_refusal_says_what_was_wanted_and_why_not() -> None:
    event = Reviewed(turn=3, seat="agent", name="cancel", arguments={"id": "A"}, decision="refused", reason="not\nyet")
    assert reviewed_text(event) == "refused: cancel(id=A)\nbecause: not yet"


def test_what_a_turn_took_is_told_and_a_price_nobody_knows_is_not_zero() -> None:
    usage = {"prompt_tokens": 1240, "completion_tokens": 45, "cost": None, "latency": 1.26, "attempts": 2}
    assert of_turn(usage) == "1,240 + 45 tokens · cost n/a · 1.3 s · 2 attempts"
    assert of_turn({**usage, "cost": 0.0012, "attempts": 1}) == "1,240 + 45 tokens · $0.0012 · 1.3 s"
    assert of_turn({"source": "recorded"}) == ""


def test_what_an_imported_turn_says_of_itself_may_be_anything() -> None:
    odd: dict[str, JSON] = {"prompt_tokens": None, "completion_tokens": "many", "cost": True, "latency": []}
    assert of_turn(odd) == "cost n/a"
    assert of_session([odd]) == ["cost n/a"]


def test_reasoning_is_told_by_its_length() -> None:
    assert of_thought("one two three") == "thought · 3 words"
    assert of_thought("") == ""
