"""What may be imported by whom and when, seen in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


PLAY = """
from tau_tui import cli
from tau_tui.commands import play
play.shows_apps = lambda: True
play.launch = lambda options: 0
assert cli.main(["--domain", "airline", "--play", "user", *MODEL]) == 0
"""


def modules_after(code: str) -> set[str]:
    """The top names of what a fresh interpreter has imported after some code."""
    return {name.partition(".")[0] for name in whole_names_after(code)}


def whole_names_after(code: str) -> set[str]:
    """What a fresh interpreter has imported after some code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(out.stdout.split())


@pytest.mark.parametrize("package", ["domains", "sessions"])
def test_the_core_works_without_any_screen(package: str) -> None:
    code = {
        "domains": "from domains import load_domain; load_domain('airline').environment('0')",
        "sessions": "import sessions.recorder, sessions.reward, sessions.seating, sessions.interop.tau2",
    }[package]
    assert not modules_after(code) & {"textual", "rich", "litellm"}


def test_the_command_line_starts_with_nothing_heavy() -> None:
    heavy = {"textual", "rich", "pydantic", "litellm", "numpy", "scipy", "sqlite_utils", "asyncio"}
    assert not modules_after("import tau_tui.cli") & heavy


@pytest.mark.parametrize("model", [[], ["--agent-llm", "openai/gpt-4.1"]])
def test_nothing_is_imported_for_the_first_frame_that_it_does_not_need(model: list[str]) -> None:
    modules = whole_names_after(f"MODEL = {model}{PLAY}")
    unneeded = {"importlib.metadata", "importlib.resources", "email", "tomllib", "sessions.event"}
    unneeded |= {"sessions.session", "domains.database"}
    assert "tau_tui.options" in modules
    assert not modules & (unneeded | ({"sessions.players.model.choice"} if not model else set()))


def test_the_import_names_are_this_distributions() -> None:
    top = distribution("tau-playtest")
    names = {"domains", "sessions", "tau_tui"}
    for name in names:
        module = __import__(name)
        assert module.__file__ is not None
        assert Path(module.__file__).resolve() == ROOT / name / "__init__.py", f"{name} is another package's"
    assert top.metadata["Name"] == "tau-playtest"
