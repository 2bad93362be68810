"""The first frame is drawn before anything heavy is imported, and swallows nothing."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, Paste

from sessions.seating import Play, Table
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.first_frame import FirstFrame
from tau_tui.screens.play import PlayScreen
from tau_tui.widgets.message_area import MessageArea
from tests.app.helpers import picture, wait_until

PROBE = """
import sys
from sessions.seating import Table
from tau_tui import cli, settings
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.first_frame import FirstFrame
from domains.catalog import check_domain

settings.load()
check_domain("airline")
drawn = []
def load(screen):
    drawn.append("\\n".join(strip.text for strip in screen._compositor.render_strips()))
    screen.app.exit()
FirstFrame._load = load
TauApp(Options(domain="airline", table=Table())).run(headless=True, size=(120, 36))
print(drawn[0].splitlines()[0].strip(), file=sys.stderr)
print("\\n".join(sys.modules))
"""


def test_nothing_heavy_is_imported_before_it(tmp_path: Path) -> None:
    out = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert out.stderr.strip().endswith("airline · USER/oracle")
    modules = {name.partition(".")[0] for name in out.stdout.split()}
    assert not modules & {"litellm", "pydantic", "numpy", "scipy", "sqlite_utils", "sqlite3", "ulid"}


def written(app: TauApp) -> str:
    """What stands in the box, nothing while there is none."""
    return "".join(area.text for area in app.screen.query(MessageArea))


async def test_what_is_typed_and_pasted_meanwhile_stands_in_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    loaded = __import__("importlib").import_module

    def import_module(name: str, package: str | None = None) -> Any:
        assert go_on.wait(20)
        return loaded(name, package)

    monkeypatch.setattr("tau_tui.screens.first_frame.importlib.import_module", import_module)
    app = TauApp(Options(domain="airline", table=Table(play="both")))
    async with app.run_test(size=(120, 36)) as pilot:
        assert isinstance(app.screen, FirstFrame)
        assert all(title in picture(app) for title in ("airline", "Conversation", "Trace", "Database"))
        await pilot.press("h", "e", "l", "l", "o", "space")
        app.post_message(Paste("you\nthere"))
        await pilot.pause()
        go_on.set()
        await wait_until(pilot, lambda: isinstance(app.screen, PlayScreen), "the play screen")
        await wait_until(pilot, lambda: written(app) == "hello you\nthere", "all of it")


async def test_what_is_typed_while_the_box_comes_does_not_overtake_what_was_typed_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed = asyncio.Event()
    push = TauApp.push_screen

    async def pushed(app: TauApp, screen: Any) -> None:
        await push(app, screen)
        app.post_message(Key("c", "c"))  # the screen is there, and what was typed before is not in its box yet
        arrived = asyncio.Event()
        app.call_later(arrived.set)
        await arrived.wait()
        typed.set()

    monkeypatch.setattr(TauApp, "push_screen", pushed)
    app = TauApp(Options(domain="airline", table=Table(play="both"), db=tmp_path / "s.db"))
    async with app.run_test(size=(120, 36)) as pilot:
        for letter in "ab":
            app.post_message(Key(letter, letter))
        await wait_until(pilot, lambda: typed.is_set() and isinstance(app.screen, PlayScreen), "the play screen")
        await wait_until(pilot, lambda: len(written(app)) == 3, "all of it")
        assert written(app) == "abc"


@pytest.mark.parametrize("play", ["user", "both"])
async def test_what_is_typed_without_a_pause_stands_in_order(play: Play, tmp_path: Path) -> None:
    """Not a letter is lost or comes late, wherever the screen, its box and the session are between two of them."""
    app = TauApp(Options(domain="airline", table=Table(play=play), db=tmp_path / "s.db"))
    letters = itertools.cycle("abcdefghijklmnopqrstuvwxyz")
    typed = ""
    async with app.run_test(size=(120, 36)) as pilot:

        def opened() -> bool:
            return isinstance(app.screen, PlayScreen) and app.screen.my_turn is not None

        while not opened() or len(typed) < 20:
            typed += (letter := next(letters))
            app.post_message(Key(letter, letter))
            await asyncio.sleep(0.001)
        await wait_until(pilot, lambda: len(written(app)) == len(typed), "all of it")
        assert written(app) == typed


async def test_a_slip_of_the_first_frame_is_mended_and_what_works_everywhere_works(tmp_path: Path) -> None:
    app = TauApp(Options(domain="airline", table=Table(play="both"), db=tmp_path / "s.db"))
    async with app.run_test(size=(120, 36)) as pilot:
        for key in ("h", "x", "backspace", "i"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await wait_until(pilot, lambda: written(app) == "hi")


async def test_the_program_is_left_from_the_first_frame_whatever_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FirstFrame, "_load", lambda self: None)
    app = TauApp(Options(domain="airline", table=Table(play="both")))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("h", "i", "ctrl+q")
        assert app._exit
