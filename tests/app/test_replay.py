"""The replay screen: any step by key, digit, mouse or at a speed, with every pane in step; and the plain command."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from domains import load_domain
from domains.task import Task
from sessions.players.base import Action, ToolCall
from sessions.replay import gold_replay, session_replay
from sessions.session import play
from tau_tui.app import TauApp
from tau_tui.cli import main
from tau_tui.options import Options
from tau_tui.screens.replay import Frames, ReplayScreen
from tau_tui.widgets.db_diff import RecordCard
from tau_tui.widgets.header import HeaderLine
from tau_tui.widgets.requirements import RequirementText
from tau_tui.widgets.rewinding import Moves, Steps, Talk
from tau_tui.widgets.scrubber import LEFT, Scrubber
from tests.app.helpers import HOSTILE, picture, wait_until
from tests.sessions.playing import Lines, session
from tests.sessions.small_world import call, finish, task, world

SIZES = [(80, 24), (160, 45)]


class Shown:
    """A running app with a replay in front."""

    def __init__(self, app: TauApp, pilot: Pilot[None], screen: ReplayScreen) -> None:
        self.app, self.pilot, self.screen = app, pilot, screen

    def text(self, kind: type[Static], name: str = "") -> str:
        return str(self.screen.query_one(name or kind.__name__, kind).content)

    @property
    def told(self) -> str:
        return self.text(Static, "#told")

    @property
    def goal(self) -> str:
        return self.text(RequirementText)

    @property
    def header(self) -> str:
        return self.text(HeaderLine)

    @property
    def front(self) -> str:
        return type(self.app.screen).__name__

    @property
    def rows(self) -> list[str]:
        return [row.done.call.name for row in self.screen.query_one(Steps).rows]

    @property
    def changed(self) -> list[str]:
        return [f"{c.key}.{'.'.join(map(str, c.path))}" for c in self.screen.query_one(Moves).shown]

    async def press(self, *keys: str) -> int:
        await self.pilot.press(*keys)
        await self.pilot.pause()
        return self.screen.step

    async def until(self, true: Callable[[], object], why: str) -> None:
        await wait_until(self.pilot, true, why)


@asynccontextmanager
async def shown(frames: Frames | Options, size: tuple[int, int] = (160, 45)) -> AsyncIterator[Shown]:
    """Run the app on the command line's replay, or with one made by hand over an empty screen."""
    app = TauApp(frames if isinstance(frames, Options) else Options())
    if not isinstance(frames, Options):
        app.get_default_screen = Screen  # type: ignore[method-assign]  # a subclass would look for styles here
    async with app.run_test(size=size) as pilot:
        if not isinstance(frames, Options):
            await app.push_screen(ReplayScreen(frames))
        await wait_until(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.replay is not None, "loaded"
        )
        assert isinstance(app.screen, ReplayScreen)
        yield Shown(app, pilot, app.screen)


def gold(named: str, domain: str = "airline", **more: Any) -> Options:
    return Options(domain=domain, task=named, gold=True, **more)


def failing() -> Task:
    missing = call("update_task_status", task_id="none", status="completed")
    return task(call("get_users"), missing, finish("task_1"), finish("task_2"))


@pytest.mark.parametrize("size", SIZES)
async def test_steps_go_forwards_and_back_with_every_pane(size: tuple[int, int], tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing()), size) as s:
        assert "before the first of 4 reference actions" in s.told
        assert (s.rows, s.changed) == ([], [])
        assert await s.press("right", "space", "right") == 3
        assert s.rows == ["get_users", "update_task_status", "update_task_status"]
        assert s.changed == ["task_1.status"]
        assert await s.press("end") == 4
        assert s.changed == ["task_1.status", "task_2.status"]
        assert "✓ as the goal wants it" in s.goal
        assert "the end, with the goal: 2 fields changed" in s.told
        assert await s.press("right") == 4, "there is nothing beyond the end"
        assert await s.press("left", "left", "left") == 1
        assert (s.rows, s.changed) == (["get_users"], [])
        assert "not there yet" in s.goal
        assert await s.press("home", "left") == 0


async def test_what_a_step_changed_is_shown_alone_too(tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing())) as s:
        await s.press("end", "b")
        assert s.changed == ["task_2.status"]
        await s.press("left")
        assert s.changed == ["task_1.status"]
        await s.press("left")
        assert (s.changed, len(s.screen.query(RecordCard))) == ([], 0)
        await s.press("b", "end")
        assert len(s.changed) == 2


async def test_a_gold_write_that_fails_is_said_to_drop_out_of_the_goal(tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing())) as s:
        assert await s.press("e") == 2
        assert "fails: Error:" in s.told
        assert "drops out of the goal" in s.told
        assert s.screen.query_one("#told").has_class("-bad")
        assert "step 2 update_task_status drops out of the goal" in s.goal
        await s.press("left")
        assert "drops out" not in s.goal, "what is still to come is not told"
        await s.press("end")
        assert "1 gold write dropped out" in s.told


async def test_errors_and_writes_are_jumped_to_round_and_round(tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing())) as s:
        assert [await s.press("w") for _ in range(4)] == [2, 3, 4, 2]
        assert await s.press("end", "e") == 2


async def test_typed_digits_are_one_number_as_long_as_there_is_such_a_step(tmp_path: Path) -> None:
    wanted = task(*[call("get_users")] * 14)
    async with shown(gold_replay(world(tmp_path), wanted)) as s:
        assert await s.press("1") == 1
        assert await s.press("2") == 12
        assert await s.press("5") == 5
        assert await s.press("left", "1") == 1, "another key ends the number"
        assert await s.press("left", "1", "left", "2") == 2


async def test_the_scrubber_is_clicked_and_dragged_along(tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing()), (80, 24)) as s:
        scrubber = s.screen.query_one(Scrubber)
        for step in (4, 1, 2):
            await s.pilot.click(Scrubber, offset=(LEFT + scrubber.cell(step), 0))
            assert s.screen.step == step
        await s.pilot.mouse_down(Scrubber, offset=(LEFT + scrubber.cell(2), 0))
        for step in (3, 4, 0):
            await s.pilot.hover(Scrubber, offset=(LEFT + scrubber.cell(step), 0))
            assert s.screen.step == step
        await s.pilot.mouse_up(Scrubber, offset=(LEFT, 0))
        await s.pilot.hover(Scrubber, offset=(LEFT + scrubber.cell(4), 0))
        assert s.screen.step == 0, "the button is up"
        line = next(row for row in picture(s.app).splitlines() if "0/4" in row)
        assert line.count("●") == 2
        assert line.count("✗") == 1


async def test_it_plays_by_itself_to_the_end_and_then_from_the_start(tmp_path: Path) -> None:
    async with shown(gold_replay(world(tmp_path), failing())) as s:
        await s.press("plus", "plus", "plus", "plus", "p")
        scrubber = s.screen.query_one(Scrubber)
        assert (scrubber.speed, scrubber.playing) == (8, True)
        await s.until(lambda: s.screen.step == 4 and not scrubber.playing, "played to the end")
        await s.press("minus", "minus", "minus", "minus", "minus", "p")
        assert (scrubber.speed, scrubber.playing, s.screen.step) == (0.5, True, 0)
        await s.press("plus")
        assert (scrubber.speed, scrubber.playing) == (1, True)
        await s.press("p")
        assert not scrubber.playing
        await s.pilot.click(Scrubber, offset=(0, 0))
        assert scrubber.playing
        await s.press("left")
        assert not scrubber.playing, "who steps has taken over"


@pytest.mark.parametrize("size", SIZES)
async def test_telecom_is_told_apart_live_and_as_the_evaluator_plays_it(size: tuple[int, int]) -> None:
    domain = load_domain("telecom")
    telling = next(
        n
        for n, t in enumerate(domain.tasks)
        if gold_replay(domain, t, live=True).steps[-1].changes != gold_replay(domain, t).steps[-1].changes
    )
    async with shown(gold(f"#{telling}", "telecom"), size) as s:
        assert s.header == f"telecom #{telling} · GOLD · played live"
        await s.press("end")
        step, live = s.screen.step, s.changed
        met = len(domain.tasks[telling].env_assertions)
        assert f"{met} of {met} met now" in s.goal
        await s.press("v")
        assert "as the evaluator plays it" in s.header
        assert (s.screen.step, s.changed != live) == (step, True)
        assert "no side learns what the other did" in s.goal
        await s.press("v")
        assert s.changed == live


async def test_where_both_ways_are_one_there_is_no_toggle() -> None:
    async with shown(gold("#7")) as s:
        assert s.header == "airline #7 · GOLD"
        await s.press("v")
        assert s.header == "airline #7 · GOLD"
        assert "v" not in {binding.binding.key for binding in s.screen.active_bindings.values()}


@pytest.mark.parametrize("size", SIZES)
async def test_panes_scenario_calls_and_changes_are_looked_at(size: tuple[int, int]) -> None:
    async with shown(gold("#5"), size) as s:
        narrow = size[0] < 140
        await s.press("end")
        seen = []
        for _ in range(3):
            seen.append(s.screen.panes.active)
            visible = [pane.name for pane in s.screen.panes.panes if pane.region.area]
            assert visible == ([s.screen.panes.active] if narrow else ["trace", "database", "goal"])
            await s.press("f9")
        assert seen == ["trace", "database", "goal"]
        await s.press("f6")
        assert [pane.name for pane in s.screen.panes.panes if pane.region.area] == ["trace"]
        await s.press("escape", "enter")
        assert s.front == "TextDialog"
        assert "book_reservation" in picture(s.app)
        await s.press("escape", "f9", "enter")
        assert s.front == "TextDialog"
        await s.press("escape", "f2")
        assert s.front == "DocumentDialog"
        await s.press("escape", "escape")
        assert s.front == "ReplayScreen", "escape never quits"


async def test_a_replay_over_another_screen_closes_back_to_it(tmp_path: Path) -> None:
    frames = gold_replay(world(tmp_path), failing())
    async with shown(frames) as s:
        await s.app.push_screen(ReplayScreen(frames, "another"))
        assert s.app.screen is not s.screen
        await s.press("escape")
        assert s.app.screen is s.screen


async def test_a_recorded_session_is_shown_with_its_conversation() -> None:
    domain = load_domain("mock")
    close = ToolCall("update_task_status", {"task_id": "task_1", "status": "completed"})
    played = session(domain, Lines("hello", *HOSTILE), Lines(Action(text="wait", calls=(close,)), *HOSTILE, "done"))
    await play(played)
    replay = session_replay(domain, played.task, played.events)
    for size in SIZES:
        async with shown(replay, size) as s:
            assert s.header == "mock #0 · REPLAY"
            await s.press("end")
            talk = s.screen.query_one(Talk)
            assert [entry.text for entry in talk.entries if entry.text] == [
                turn.text for turn in played.state.turns if turn.text
            ]
            assert len(s.changed) == 1
            await s.press("home", "right", "right")
            assert [entry.text for entry in talk.entries] == ["Hi! How can I help you today?", "hello"]
            await s.until(lambda: len(s.screen.query_one(Talk).blocks) == 2, "the blocks of later are gone")
            await s.press("w")
            assert talk.entries[-1].mark == "with a call: update_task_status"
            assert s.rows == ["update_task_status"]


async def test_a_task_that_is_not_there_is_told_in_one_line() -> None:
    app = TauApp(gold("nowhere"))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.refusal is not None, "refused")
    assert "airline has no task 'nowhere'" in str(app.refusal)


# Without a terminal


def test_json_is_one_object_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--gold", "#5", "--domain", "airline", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    wanted = load_domain("airline").tasks[5]
    assert [(row["step"], row["action"]["name"]) for row in rows] == list(
        enumerate((action.name for action in wanted.gold), 1)
    )
    assert rows[-1]["action"]["arguments"] == wanted.gold[-1].arguments
    assert (rows[-1]["error"], rows[-1]["dropped"], rows[-1]["kind"], rows[-1]["played"]) == (
        False,
        False,
        "write",
        "evaluator",
    )
    assert {change["table"] for change in rows[-1]["changes"]} >= {"reservations", "users"}


def test_gold_is_played_live_where_only_assertions_count(capsys: pytest.CaptureFixture[str]) -> None:
    for how, played in ((), "live"), (("--as", "evaluator"), "evaluator"):
        assert main(["replay", "--gold", "#5", "--domain", "telecom", "--json", *how]) == 0
        last = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert last["played"] == played
        assert last["env_assertions"] == [True]


def test_without_a_terminal_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--gold", "5", "--domain", "airline"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("step")
    assert "book_reservation" in out
    assert "COMMUNICATE · counts · the agent must say" in out


@pytest.mark.official
def test_the_table_says_which_gold_write_drops_out(official: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--gold", "64", "--domain", "retail", "--data", str(official), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["step"] for row in rows if row["dropped"]] == [row["step"] for row in rows if row["error"]] == [7]


def test_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--gold", "nowhere", "--domain", "airline"]) == 2
    assert main(["replay", "--gold", "1", "--domain", "airlin"]) == 2
    assert main(["replay", "runs.json", "--domain", "airlin"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_a_run_that_a_file_does_not_hold_is_answered_with_those_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = {"task_id": 3, "reward": 0.0, "info": {}, "traj": [{"role": "user", "content": "hello"}]}
    file = tmp_path / "runs.json"
    file.write_text(json.dumps([run, run]))
    assert main(["replay", str(file), "--run", "7", "--domain", "airline"]) == 2
    assert capsys.readouterr().err.endswith("runs.json: there is no run 7; it holds 0 to 1\n")
    file.write_text('{"info": {"environment_info": {"domain_name": "airline"}}, "tasks": [], "simulations": []}')
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == "the file holds no runs\n"
