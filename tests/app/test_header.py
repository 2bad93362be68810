"""The first line says who sits where, and fits."""

from __future__ import annotations

import pytest

from sessions.event import PlayerInfo
from sessions.seating import Table
from tau_tui.task_list import sitting
from tau_tui.widgets.header import SEATS, Facts, line, seats_text, watched_text
from tests.app.helpers import SMALL, Cued, make_session, on_stage

LONG = "openrouter/meta-llama/llama-4-maverick-17b-128e-instruct"


@pytest.mark.parametrize(
    ("agent", "user", "told"),
    [
        ("oracle", "script", "agent oracle · user script"),
        ("openai/gpt-4.1", "openai/gpt-4.1-mini", "agent gpt-4.1 · user gpt-4.1-mini"),
        ("openai/x", "script", "agent openai/x · user script"),
        (LONG, "script", "agent llama-4-maverick-17b-12… · user script"),
        (LONG, LONG, "agent llama-4-maveri… · user llama-4-maveri…"),
    ],
)
def test_without_a_person_the_seats_are_named_in_words_that_fit(agent: str, user: str, told: str) -> None:
    assert watched_text({"user": user, "agent": agent}) == told
    assert len(told) <= SEATS
    assert len(line(Facts("telecom #1234", told, "present", turn=199), full=False)) <= 78


def test_with_a_person_the_seat_stands_in_capitals() -> None:
    person, oracle = PlayerInfo("human", "ann"), PlayerInfo("oracle", "oracle")
    assert sitting({"user": person, "agent": oracle}) == "USER/oracle"
    assert sitting({"user": person, "agent": person}) == "BOTH"


def test_before_anything_is_loaded_the_same_is_said() -> None:
    assert seats_text(Table(play="none")) == "agent oracle · user script"


async def test_who_watches_reads_who_plays_in_80_columns() -> None:
    session = make_session(user=Cued("script"), agent=Cued("openai/gpt-4.1"))
    async with on_stage(session, size=SMALL, play="none") as stage:
        await stage.until(lambda: stage.screen.header.facts.turn is not None)
        assert stage.picture.split("\n")[0].strip() == "airline #0 · agent openai/gpt-4.1 · user script · open · t0"
