"""The first frame is drawn before anything heavy is imported, and swallows nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from sessions.seating import Table
from tau_tui.app import TauApp
from tau_tui.options import Options
from tau_tui.screens.first_frame import FirstFrame
from tau_tui.screens.play import PlayScreen
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
        screen = app.screen
        assert isinstance(screen, PlayScreen)
        await wait_until(pilot, lambda: screen.composer.area.text == "hello you\nthere", screen.composer.area.text)
