"""What models are writing is shown a few times a second, and less often where drawing it takes long."""

from __future__ import annotations

from sessions.players.model.progress import Wrote
from tau_tui.screens.writing import REST, SELDOM, SHOWN, Writing


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def writing() -> tuple[Writing, Clock]:
    clock = Clock()
    return Writing(clock, dropped=lambda seat: None), clock


def shown(told: Writing) -> list[str]:
    return [draft.words for _, draft in told.changed()]


def test_what_came_since_the_last_look_is_returned_once() -> None:
    told, _ = writing()
    told.hear("agent", Wrote("Good "))
    told.hear("agent", Wrote("day"))
    assert shown(told) == ["Good day"]
    assert shown(told) == []


def test_after_drawing_it_rests_three_times_as_long_as_that_took() -> None:
    told, clock = writing()
    told.hear("agent", Wrote("Good"))
    assert shown(told) == ["Good"]
    begun, clock.now = clock.now, clock.now + 0.2
    told.drawn(begun)
    told.hear("agent", Wrote(" day"))
    clock.now += 0.2 * REST - 0.01
    assert shown(told) == []
    clock.now += 0.02
    assert shown(told) == ["Good day"]


def test_a_clock_that_is_set_back_holds_nothing_up() -> None:
    told, clock = writing()
    told.drawn(clock.now - 0.2)
    told.hear("agent", Wrote("Good"))
    clock.now -= 3600
    assert shown(told) == ["Good"]


def test_of_a_message_longer_than_is_drawn_the_number_changes_once_a_second() -> None:
    told, clock = writing()
    told.hear("agent", Wrote("x" * (SHOWN + 1)))
    assert [draft.shown[-30:] for _, draft in told.changed()] == ["\n… 1 more characters so far"[-30:].rjust(30, "x")]
    told.hear("agent", Wrote("x"))
    clock.now += SELDOM - 0.1
    assert shown(told) == []
    clock.now += 0.2
    assert len(shown(told)) == 1
