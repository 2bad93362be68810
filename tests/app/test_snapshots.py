"""Pictures of the screens, with a fixed clock and fixed ids. Look at a changed one before accepting it.

`pytest tests/app/test_snapshots.py --snapshot-update` writes them anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from domains import load_domain
from sessions.players.human import HumanPlayer
from sessions.seating import Table, seat_player
from sessions.session import Session
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.play import PlayScreen
from tests.app.helpers import MIDDLE, SMALL, WIDE, Still, picture, wait_until

Compare = Callable[..., bool]
Before = Callable[[Pilot[None]], Awaitable[None]]
AIRLINE = load_domain("airline")
BOOKING = AIRLINE.task("5")


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls take no time, and nothing blinks."""
    monkeypatch.setattr("sessions.orchestrator.time.perf_counter", lambda: 0.0)
    monkeypatch.setattr("textual.widgets.Input._toggle_cursor", lambda self: None)
    monkeypatch.setattr("textual.widgets.TextArea._toggle_cursor_blink_visible", lambda self: None)


def app(*, seat: str = "user", slips: int = 0, view: str = "open") -> TauApp:
    """The app on the booking of two people with one stop."""
    clock = Still()
    table = Table(play=seat, agent=f"oracle:slips={slips}" if slips else "", view=view)  # type: ignore[arg-type]  # by the callers

    def opened(choice: object) -> Session:
        players: dict[Any, Any] = {s: HumanPlayer("me") for s in table.people}
        players |= {s: seat_player(s, table.spec(s), AIRLINE, BOOKING, 0) for s in table.partners}
        return Session.new(AIRLINE, BOOKING, players, view=table.view or "open", clock=clock, session_id="01SNAPSHOT")

    return TauApp(Options(domain="airline", table=table, task="5"), opener=opened, clock=clock)


async def play_screen(pilot: Pilot[None]) -> PlayScreen:
    """Wait for the person's turn."""
    await wait_until(pilot, lambda: any(isinstance(s, PlayScreen) for s in pilot.app.screen_stack), "the play screen")
    screen = next(s for s in pilot.app.screen_stack if isinstance(s, PlayScreen))
    await wait_until(pilot, lambda: screen.my_turn is not None, "the person's turn")
    return screen


async def say(pilot: Pilot[None], *texts: str) -> PlayScreen:
    """Say things, each when it is one's turn."""
    screen = await play_screen(pilot)
    for text in texts:
        turns = len(screen.playing.state.turns)
        screen.composer.area.write(text)
        await pilot.press("enter")
        await wait_until(pilot, lambda n=turns: len(screen.playing.state.turns) > n + 1 and screen.my_turn, text)  # type: ignore[misc]  # a default holds the number
    await pilot.pause()
    return screen


WISH = BOOKING.user_scenario.wishes[0].say
WHO = BOOKING.user_scenario.facts[0].say


def shows(compare: Compare, shown: TauApp, size: tuple[int, int], before: Before) -> None:
    """Compare a screen with its picture."""

    async def settled(pilot: Pilot[None]) -> None:
        await before(pilot)
        seen: list[str] = []
        while len(seen) < 4 or len(set(seen[-4:])) > 1:  # scrolling goes on for a few frames
            await pilot.pause(1 / 30)
            seen.append(picture(shown))

    assert compare(shown, terminal_size=size, run_before=settled)


def test_a_booking(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await say(pilot, WISH, WHO, "Yes, please.")

    shows(snap_compare, app(), WIDE, before)


def test_a_booking_in_tabs(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await say(pilot, WISH, WHO)

    shows(snap_compare, app(), MIDDLE, before)


def test_blind_as_the_customer(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await say(pilot, WISH)

    shows(snap_compare, app(view="blind"), WIDE, before)


def test_blind_as_the_agent(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await play_screen(pilot)

    shows(snap_compare, app(seat="agent", view="blind"), WIDE, before)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_a_tool_form(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await play_screen(pilot)
        await pilot.press("f3")
        await pilot.pause()
        await pilot.press(*"book", "enter")
        await pilot.pause()

    shows(snap_compare, app(seat="agent"), size, before)


@pytest.mark.parametrize("slips", [0, 1])
def test_the_result(snap_compare: Compare, slips: int) -> None:
    async def before(pilot: Pilot[None]) -> None:
        screen = await say(pilot, WISH, WHO, "Yes, please.", "No, thank you.")
        await pilot.press("f4")
        await pilot.pause()
        await pilot.press("enter")
        await wait_until(pilot, lambda: type(pilot.app.screen).__name__ == "ResultScreen", "the result")
        await wait_until(pilot, lambda: getattr(pilot.app.screen, "report", None) is not None, "explained")
        assert screen.playing.state.ended is not None
        await asyncio.sleep(0)
        await pilot.pause()

    shows(snap_compare, app(slips=slips), MIDDLE, before)


def test_the_lobby(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await wait_until(pilot, lambda: type(pilot.app.screen).__name__ == "LobbyScreen", "the lobby")
        table = pilot.app.screen.query_one("#tasks")
        await wait_until(pilot, lambda: getattr(table, "highlighted", None) is not None, "the tasks")

    shows(snap_compare, TauApp(Options(domain="airline")), MIDDLE, before)
