"""Which recorded lines still fit: after the same writes, and only as the answer to what is asked now."""

from __future__ import annotations

import pytest

from domains.database import Change
from sessions.event import Call, Message, Result
from sessions.players.replay import asks_the_same, next_line, values
from sessions.trajectory import Done, Turn


def said(index: int, seat: str, text: str) -> Turn:
    return Turn(index=index, seat=seat, text=text, message=Message(turn=index, seat=seat, text=text))  # type: ignore[arg-type]  # a seat


def called(index: int, seat: str, name: str, content: str = "ok", *, writes: bool = False, **arguments: str) -> Turn:
    changes = (Change("agent", "reservations", "R", ("status",), None, name),) if writes else ()
    call = Call(turn=index, seat=seat, id=f"c{index}", name=name, arguments=arguments)  # type: ignore[arg-type]  # a seat
    result = Result(turn=index, seat=seat, id=f"c{index}", content=content, changes=changes)  # type: ignore[arg-type]  # a seat
    return Turn(index=index, seat=seat, calls=(Done(call, result),))  # type: ignore[arg-type]  # a seat


ASKED = said(2, "agent", "Shall I cancel reservation XEHM4B for a refund of $500? Please answer yes or no.")
YES = said(3, "user", "Yes, please.")
CANCEL = called(4, "agent", "cancel_reservation", writes=True, reservation_id="XEHM4B")
DONE = said(5, "agent", "Your reservation is cancelled. Anything else?")
BYE = said(6, "user", "No, that is all.")
RECORDED = [ASKED, YES, CANCEL, DONE, BYE]


def fits(*live: Turn, seat: str = "user") -> str | None:
    line = next_line(RECORDED, live, seat)  # type: ignore[arg-type]  # a seat
    return line.text if line is not None else None


def test_the_same_words_get_the_recorded_answer() -> None:
    assert fits(ASKED) == "Yes, please."
    assert fits(ASKED, YES, CANCEL, DONE) == "No, that is all."


@pytest.mark.parametrize(
    ("words", "fitting"),
    [
        ("Do you want me to cancel reservation XEHM4B? Say yes to confirm.", True),
        ("Shall I cancel XEHM4B for a refund of $500.00 — yes or no?", True),
        ("Shall I cancel reservation ABC123 for a refund of $500? Please answer yes or no.", False),
        ("Shall I cancel reservation XEHM4B for a refund of $400? Please answer yes or no.", False),
        ("Shall I change the flights of reservation XEHM4B? Please answer yes or no.", False),
        ("What is your user id, please?", False),
        ("I am sorry, that cannot be cancelled.", False),
        ("", False),
    ],
)
def test_other_words_get_it_only_when_they_ask_the_same(words: str, fitting: bool) -> None:
    assert (fits(said(2, "agent", words)) is not None) == fitting


def test_after_another_write_the_recording_fits_no_longer() -> None:
    other = called(4, "agent", "cancel_reservation", writes=True, reservation_id="ABC123")
    assert fits(ASKED, YES, other, DONE) is None
    assert fits(ASKED, YES, DONE) is None, "a write is missing"
    assert fits(ASKED, YES, CANCEL, called(5, "agent", "send_certificate", writes=True), DONE) is None


def test_looking_things_up_changes_nothing() -> None:
    look = called(4, "agent", "get_reservation_details", reservation_id="XEHM4B")
    assert fits(ASKED, YES, look, CANCEL, look, DONE) == "No, that is all."


def test_once_something_else_was_said_it_does_not_come_back() -> None:
    assert fits(ASKED, said(3, "user", "Wait a moment."), CANCEL, DONE) is None


def test_nothing_is_left_after_the_last_line() -> None:
    assert fits(ASKED, YES, CANCEL, DONE, BYE) is None


def test_a_line_that_rests_on_what_was_not_said_is_not_used() -> None:
    recorded = [said(2, "agent", "HAT001 costs 300. Which one?"), said(3, "user", "I take HAT001.")]
    assert next_line(recorded, [said(2, "agent", "HAT001 costs 300. Which one?")], "user") is not None
    assert next_line(recorded, [said(2, "agent", "Which one?")], "user") is None
    earlier = [said(1, "agent", "There is HAT001.")]
    assert next_line(recorded, [said(2, "agent", "Which one?")], "user", earlier) is not None


def test_an_agents_calls_go_on_while_they_are_answered_as_then() -> None:
    asked = said(1, "user", "My user id is mia_li_3668.")
    looked = called(2, "agent", "get_user_details", "{}", user_id="mia_li_3668")
    again = called(3, "agent", "get_reservation_details", reservation_id="XEHM4B")
    recorded = [asked, looked, again]
    assert next_line(recorded, [asked], "agent") is looked
    assert next_line(recorded, [asked, looked], "agent") is again
    otherwise = called(2, "agent", "get_user_details", "Error: no such user", user_id="mia_li_3668")
    assert next_line(recorded, [asked, otherwise], "agent") is None
    assert next_line(recorded, [said(1, "user", "My user id is ann_lee_1234.")], "agent") is None


def test_a_yes_is_not_a_no() -> None:
    assert asks_the_same("Yes, go ahead.", "yes please do that")
    assert not asks_the_same("Yes, go ahead.", "No, please do not.")


def test_values_are_those_a_line_can_hang_on() -> None:
    found = values("Flight HAT123 on 2024-05-20 for $1,628.50 with certificate_1234567, ending in 4421")
    assert {"HAT123", "1628.5", "certificate_1234567", "4421.0"} <= found
    assert values("Thank you very much indeed") == set()
