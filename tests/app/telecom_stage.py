"""Telecom on the play screen: sessions of the bundled pack in any mode, and an app whose toasts can be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Call, ViewMode
from sessions.players.base import Player
from sessions.players.human import HumanPlayer
from sessions.seating import Table
from sessions.session import Session
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.play import PlayScreen
from tau_tui.widgets.phone import Phone
from tau_tui.widgets.phone.key import Key, PressKey, TileKey
from tests.app.helpers import Stage

PICTURES = "[mms_issue]sms_permission_missing[PERSONA:Easy]"


def telecom(
    *,
    task: str = "",
    user: Player | None = None,
    agent: Player | None = None,
    view: ViewMode = "blind",
    solo: bool = False,
    plan: bool = False,
    no_policy: bool = False,
    user_tools: list[str] | None = None,
    domain: str = "telecom",
) -> Session:
    """Open a session on the bundled pack; seats nobody was given for are the person's. Solo has no user seat."""
    pack = load_domain(domain)
    found = pack.task(task) if task else pack.tasks[0]
    if user_tools is not None:
        found = found.model_copy(update={"user_tools": user_tools})
    players: dict[Seat, Player] = {"agent": agent or HumanPlayer("me")}
    if not solo:
        players["user"] = user or HumanPlayer("me")
    return Session.new(pack, found, players, view=view, solo=solo, plan=plan, no_policy=no_policy, session_id="01TEST")


class TelecomStage(Stage):
    """Knows the phone."""

    @property
    def phone(self) -> Phone:
        """The phone; there must be one."""
        phone = self.screen.panes.phone
        assert phone is not None
        return phone

    def tile(self, name: str) -> TileKey:
        """Return the tile of a name."""
        return next(key for key in self.phone.query(TileKey) if key.tile.name == name)

    def key(self, word: str, tile: str) -> PressKey:
        """Return the key with this word beside a tile."""
        keys = (key for key in self.phone.query(PressKey) if key.tile.name == tile)
        return next(key for key in keys if key.press is not None and key.press.word == word)

    def shown(self, tile: str) -> str | None:
        """Return the value a tile shows, None while it shows none."""
        reading = self.tile(tile).reading
        return None if reading is None else reading.value

    async def tap(self, key: Key) -> None:
        """Go to a key and press it."""
        key.focus()
        await self.press("enter")

    async def tapped(self, key: Key) -> Call:
        """Press a key, wait for the answer, and return the call it made."""
        before = len(self.calls)
        await self.tap(key)
        await self.until(lambda: len(self.calls) > before and self.screen.my_turn is not None, "the call is answered")
        return self.calls[-1]

    @property
    def calls(self) -> list[Call]:
        """The calls made so far."""
        return [event for event in self.session.events if isinstance(event, Call)]

    @property
    def toasts(self) -> list[str]:
        """What was refused, in the words the person reads."""
        return [notification.message for notification in self.app._notifications]


@asynccontextmanager
async def at_telecom(session: Session, *, size: tuple[int, int]) -> AsyncIterator[TelecomStage]:
    """Run the app on a session."""
    header = session.header
    people = session.people
    table = Table(
        play="both" if len(people) > 1 else people[0],
        view=header.view,
        solo=header.solo,
        plan=header.plan,
        no_policy=header.no_policy,
    )
    app = TauApp(Options(domain=header.domain, table=table), opener=lambda choice: session)
    async with app.run_test(size=size, notifications=True) as pilot:
        stage = TelecomStage(app, pilot)
        await stage.until(lambda: any(isinstance(screen, PlayScreen) for screen in app.screen_stack), "play screen")
        await stage.until(lambda: stage.screen.session is not None, "the session is open")
        await stage.until(lambda: session.events and stage.screen._shown == len(session.events), "begun")
        yield stage
