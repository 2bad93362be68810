"""Ways to drive the app in tests: partners that act on cue, a clock that stands still, waiting without sleeping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key, Paste
from textual.pilot import Pilot

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Event, PlayerInfo, ViewMode
from sessions.keeping import Keeper, RecordingFailed
from sessions.limits import Limits
from sessions.players.base import Action, Player, PlayerFailure, ToolCall, View
from sessions.players.human import HumanPlayer
from sessions.seating import Play, Table
from sessions.session import Session
from tau_tui.app import TauApp
from tau_tui.opening import Choice
from tau_tui.options import Options
from tau_tui.screens.play import PlayScreen

SMALL, MIDDLE, WIDE = (80, 24), (120, 36), (160, 45)
SIZES = (SMALL, MIDDLE, WIDE)

HOSTILE = (
    "[/b] closes nothing",
    "[mobile_data_issue]",
    "$x and ${y}",
    "user: I am not the user",
    "Thanks (great)",
    "[red]not red[/red] [@click=app.quit]click[/]",
    "\x1b[2J cleared",
    "\x1b]8;;http://example.com\x07link\x1b]8;;\x07",
    "\x1b]52;c;cm0gLXJm\x07",
    "\u202etxt.exe\u202c",
    "שלום וברכה עולם",
    "航空会社のカスタマーサービス",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈",
    "half \ud83d of a pair",
)


class Cued:
    """A partner that takes its acts from a list; an act that is an exception is raised, an event is waited for."""

    def __init__(self, name: str, *acts: Action | str | ToolCall | Exception | asyncio.Event) -> None:
        self.info = PlayerInfo("script", name)
        self.acts = list(acts)

    async def act(self, view: View) -> Action:
        """Do the next thing; with nothing left, wait for ever."""
        while self.acts:
            match self.acts.pop(0):
                case asyncio.Event() as cue:
                    await cue.wait()
                case Exception() as error:
                    raise error
                case str() as text:
                    return Action(text=text)
                case ToolCall() as call:
                    return Action(calls=(call,))
                case Action() as action:
                    return action
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


class Shelf:
    """A keeper that keeps events in a list, fails while `broken` says why, and waits while it is not `free`."""

    def __init__(self) -> None:
        self.kept: list[Event] = []
        self.broken = ""
        self.refused: list[Event] = []
        self.free = asyncio.Event()
        self.free.set()

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event."""
        await asyncio.sleep(0)
        await self.free.wait()
        if self.broken:
            self.refused.append(event)
            raise RecordingFailed(self.broken)
        self.kept.append(event)


class Still:
    """A clock that moves only when told."""

    def __init__(self, at: float = 1_700_000_000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


def make_session(
    *,
    user: Player | None = None,
    agent: Player | None = None,
    view: ViewMode = "open",
    task: str = "0",
    keeper: Keeper | None = None,
    clock: Callable[[], float] = time.time,
    limits: Limits | None = None,
) -> Session:
    """Open a session on the bundled airline; seats nobody was given for are the person's."""
    domain = load_domain("airline")
    players: dict[Seat, Player] = {"user": user or HumanPlayer("me"), "agent": agent or HumanPlayer("me")}
    return Session.new(
        domain, domain.task(task), players, view=view, keeper=keeper, clock=clock, session_id="01TEST", limits=limits
    )


class Stage:
    """A running app with a session on its play screen."""

    def __init__(self, app: TauApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> PlayScreen:
        """The play screen, also while something is open over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, PlayScreen))

    @property
    def session(self) -> Session:
        """The session played."""
        return self.screen.playing

    async def until(self, true: Callable[[], object], why: str = "") -> None:
        """Let the app run until something is so. Raises AssertionError when it does not become so."""
        await wait_until(self.pilot, true, why)

    async def turn(self, seat: Seat | None = None) -> None:
        """Wait for the person's turn."""
        await self.until(
            lambda: self.screen.my_turn is not None and seat in (None, self.screen.my_turn), f"turn of {seat}"
        )

    async def not_recorded(self, shelf: Shelf, times: int) -> None:
        """Wait until the keeper has refused this often, and that is told."""
        await self.until(lambda: self.screen.banner.display and len(shelf.refused) == times, f"refused {times} times")

    async def press(self, *keys: str) -> None:
        """Press keys and let the app settle."""
        await self.pilot.press(*keys)
        await self.settled()

    async def type(self, text: str) -> None:
        """Type a text, key by key."""
        await self.press(*(_key(char) for char in text))

    async def burst(self, *keys: str) -> None:
        """Press keys without a pause between them, as a terminal hands over what was typed fast."""
        for key in keys:
            char = key if len(key) == 1 else {"tab": "\t", "enter": "\r"}.get(key)
            self.app.post_message(Key(_key(key) if len(key) == 1 else key, char))
        await self.settled()

    async def settled(self) -> None:
        """Wait until all that was typed has had its effect."""
        arrived = asyncio.Event()
        self.app.call_later(arrived.set)
        await self.until(
            lambda: self.app._exit or (arrived.is_set() and not self.app.keystrokes.busy), "the keys are taken"
        )

    async def paste(self, text: str) -> None:
        """Paste a text, as a terminal with bracketed paste hands it over."""
        self.app.post_message(Paste(text))
        await self.pilot.pause()
        await self.settled()

    async def say(self, text: str) -> None:
        """Write a message and send it."""
        self.screen.composer.area.write(text)
        await self.press("enter")

    async def dialog(self, kind: str) -> Any:
        """Wait for a screen of this class over the play screen."""
        await self.until(lambda: type(self.app.screen).__name__ == kind, kind)
        return self.app.screen

    @property
    def said(self) -> list[str]:
        """The words in the conversation, exactly as they came."""
        return [entry.text for entry in self.screen.panes.conversation.entries]

    @property
    def picture(self) -> str:
        """The characters on the screen in front."""
        return picture(self.app)


def _key(char: str) -> str:
    from textual.keys import _character_to_key

    return _character_to_key(char)


def picture(app: TauApp) -> str:
    """Return the characters of the screen in front, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def wait_until(pilot: Pilot[None], true: Callable[[], object], why: str = "", patience: float = 10.0) -> None:
    """Let the app run until something is so. Raises AssertionError with the picture when it does not become so."""
    deadline = time.monotonic() + patience
    while not true():
        await asyncio.sleep(0.001)  # lets the loop turn; what is waited for decides when it is over
        if time.monotonic() > deadline:
            raise AssertionError(f"it never became so: {why}\n{picture(pilot.app)}")  # type: ignore[arg-type]
    await pilot.pause()


@asynccontextmanager
async def on_stage(
    session: Session | None = None,
    *,
    size: tuple[int, int] = WIDE,
    play: Play | None = None,
    db: Path | None = None,
    clock: Callable[[], float] = time.time,
    wait: bool = True,
    table: Table | None = None,
    task: str | None = None,
    confirm_writes: bool = True,
) -> AsyncIterator[Stage]:
    """Run the app on a session made by hand, or, without one, as the command line would."""
    if play is None:
        people = session.people if session is not None else ("user",)
        play = "both" if len(people) > 1 else people[0]
    options = Options(
        domain="airline", table=table or Table(play=play), task=task, db=db, confirm_writes=confirm_writes
    )
    opener = (lambda choice: session) if session is not None else None
    app = TauApp(options, opener=opener, clock=clock)
    async with app.run_test(size=size, notifications=True) as pilot:
        stage = Stage(app, pilot)
        await stage.until(lambda: any(isinstance(s, PlayScreen) for s in app.screen_stack), "the screen is there")
        await stage.until(lambda: stage.screen.session is not None, "the session is open")
        if wait:
            await stage.until(
                lambda: stage.session.events and stage.screen._shown == len(stage.session.events), "begun"
            )
        yield stage


def kinds(events: Iterable[Event], kind: type[Event]) -> list[Any]:
    """Return the events of one kind."""
    return [event for event in events if isinstance(event, kind)]


__all__ = [
    "HOSTILE",
    "MIDDLE",
    "SIZES",
    "SMALL",
    "WIDE",
    "Choice",
    "Cued",
    "PlayerFailure",
    "Shelf",
    "Stage",
    "Still",
    "kinds",
    "make_session",
    "on_stage",
    "picture",
    "wait_until",
]
