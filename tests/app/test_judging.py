"""Assertions in words, judged by a person on the result screen: kept, counted once all are judged, and changeable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from textual.screen import Screen
from textual.widgets import Static

from domains.catalog import Domain
from sessions.event import Event, Judged, Scored
from sessions.keeping import RecordingFailed
from sessions.players.model.choice import ModelChoice
from sessions.players.model.judge import Finding, Judgement
from sessions.recorder import Recorder
from sessions.session import Session
from sessions.trajectory import fold
from tau_tui import model_flags
from tau_tui.app import TauApp
from tau_tui.cli import COMMANDS, main
from tau_tui.finishing import finish
from tau_tui.options import Options
from tau_tui.screens.result import ResultScreen
from tau_tui.widgets.judge_bar import JudgeBar
from tau_tui.widgets.reward_tree import Evidence
from tau_tui.widgets.segments import Segments
from tests.app.helpers import HOSTILE, picture, wait_until
from tests.app.test_result import Shown, ended, lines_of
from tests.fake_llm import FakeLLM, Says
from tests.sessions.small_world import finish as finished
from tests.sessions.small_world import task, world

POLITE = "The agent is polite."
SHORT = "The agent is brief."
MODEL = ModelChoice("openai/j")


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "policy.md").write_text("Be kind.")
    return world(folder)


async def played(domain: Domain, *wanted: str, counts: bool = True, keeper: Recorder | None = None) -> Session:
    basis = ("DB", "NL_ASSERTION") if counts else ("DB",)
    return await ended(domain, task(basis=basis, nl_assertions=list(wanted)), "Done.", keeper=keeper)


class Judging(Shown):
    """A result with assertions to judge."""

    @property
    def question(self) -> str:
        bar = self.screen.query_one(JudgeBar)
        return str(bar.query_one("#judge-question", Static).content) if bar.display else ""

    def verdicts(self) -> list[tuple[int, bool]]:
        return [(e.assertion, e.met) for e in self.kept(Judged) if isinstance(e, Judged)]

    def rewards(self) -> list[float | None]:
        return [e.reward for e in self.kept(Scored) if isinstance(e, Scored)]

    async def press(self, key: str, so: Sequence[tuple[int, bool]]) -> None:
        """Press a key and wait until these verdicts are kept and told."""
        before = self.screen.report
        await self.pilot.press(key)
        await self.until(lambda: self.verdicts() == list(so) and self.screen.report is not before, f"{key}: {so}")


@asynccontextmanager
async def judging(
    session: Session,
    size: tuple[int, int] = (80, 24),
    judge: Literal["human", "none"] = "human",
    judged_by: ModelChoice | None = None,
) -> AsyncIterator[Judging]:
    app = TauApp(Options(judge=judge, judged_by=judged_by))
    app.get_default_screen = Screen  # type: ignore[method-assign]  # a subclass would look for styles here
    verdict = await finish(session)
    async with app.run_test(size=size) as pilot:
        screen = ResultScreen(session, verdict)
        await app.push_screen(screen)
        await wait_until(pilot, lambda: screen.report is not None, "explained")
        yield Judging(app, pilot, screen)


async def test_where_a_component_is_0_the_headline_says_that_judging_changes_nothing(domain: Domain) -> None:
    wanted = task(finished("task_1"), basis=("DB", "NL_ASSERTION"), nl_assertions=[POLITE])
    async with judging(await ended(domain, wanted, "Done.")) as s:
        assert s.said("headline") == "0 whatever is judged = DB 0 × NL_ASSERTION ?"
        assert s.screen.query_one("#headline").has_class("-bad")
        assert s.rewards() == [None]
        assert POLITE in s.question
        await s.press("y", [(0, True)])
        assert s.said("headline") == "reward 0 = DB 0 × NL_ASSERTION 1"


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_there_is_no_reward_until_the_last_assertion_is_judged(domain: Domain, size: tuple[int, int]) -> None:
    async with judging(await played(domain, POLITE, SHORT), size) as s:
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"
        assert "2 assertions in words must be judged" in s.said("because")
        assert "1 of 2 · it counts" in s.question
        assert POLITE in s.question
        await s.press("y", [(0, True)])
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"
        assert SHORT in s.question
        assert s.rewards() == [None], "half of the judgements make no verdict"
        await s.press("y", [(0, True), (1, True)])
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"
        assert s.question == ""
        assert s.rewards() == [None, 1.0]
        last = s.screen.session.events[-1]
        assert isinstance(last, Scored)
        assert last.verdict["nl_assertions"] == [True, True]


async def test_one_that_is_not_met_makes_the_reward_0_and_is_the_reason(domain: Domain) -> None:
    async with judging(await played(domain, POLITE)) as s:
        await s.press("n", [(0, False)])
        assert s.said("headline") == "reward 0 = DB 1 × NL_ASSERTION 0"
        assert s.said("because") == f"judged not to be so: “{POLITE}”"
        assert s.rewards() == [None, 0.0]


async def test_a_verdict_is_changed_on_its_line_and_the_last_one_stands(domain: Domain) -> None:
    async with judging(await played(domain, POLITE)) as s:
        await s.press("n", [(0, False)])
        tree = s.screen.query_one(Evidence)
        await s.until(lambda: tree.cursor_line == 0, "the tree is there")
        while s.question == "":
            await s.pilot.press("down")
            await s.pilot.pause()
        assert s.screen.query_one("#judge-answers", Segments).active == "not met"
        await s.press("y", [(0, False), (0, True)])
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"
        assert s.rewards() == [None, 0.0, 1.0]
        assert fold(s.screen.session.events).judgements(1) == (True,)


async def test_a_result_that_is_opened_again_knows_what_was_judged(domain: Domain) -> None:
    session = await played(domain, POLITE)
    before = await finish(session)
    async with judging(session) as s:
        await s.press("y", [(0, True)])
        again = ResultScreen(session, before)
        await s.app.push_screen(again)
        await s.until(lambda: again.report is not None, "explained")
        assert again.report is not None
        assert again.report.headline == "reward 1 = DB 1 × NL_ASSERTION 1"
        assert s.rewards() == [None, 1.0], "it is not recorded twice"


async def test_answers_are_clicked_too(domain: Domain) -> None:
    async with judging(await played(domain, POLITE)) as s:
        await s.pilot.click("#judge-answers", offset=(9, 0))
        await s.until(lambda: s.verdicts() == [(0, False)], "not met")


async def test_what_does_not_count_may_be_judged_and_is_diagnostic(domain: Domain) -> None:
    async with judging(await played(domain, POLITE, counts=False)) as s:
        assert s.said("headline") == "reward 1 = DB 1"
        assert s.question == "", "nobody is bothered with it"
        await s.pilot.press("n")
        assert s.verdicts() == [], "what has not been asked is not answered"
        assert "diagnostic" in s.question
        await s.press("n", [(0, False)])
        assert s.said("headline") == "reward 1 = DB 1"
        assert s.rewards() == [1.0, 1.0]
        assert any("NL_ASSERTION 0 · diagnostic only" in line.text for line in lines_of(s))


async def test_with_judge_none_nobody_is_asked(domain: Domain) -> None:
    async with judging(await played(domain, POLITE), judge="none") as s:
        await s.pilot.press("y", "n")
        assert (s.question, s.verdicts()) == ("", [])
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"


async def test_where_there_is_nothing_to_judge_the_keys_are_not_shown(domain: Domain) -> None:
    async with judging(await played(domain)) as s:
        assert not {"y", "n"} & s.screen.active_bindings.keys()
        assert s.question == ""


async def test_the_words_of_an_assertion_are_data(domain: Domain) -> None:
    async with judging(await played(domain, *HOSTILE)) as s:
        so: list[tuple[int, bool]] = []
        for number in range(len(HOSTILE)):
            so.append((number, True))
            await s.press("y", so)
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"


class Broken:
    """A keeper that fails until it is mended."""

    def __init__(self) -> None:
        self.broken = False
        self.kept: list[Event] = []

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        if self.broken:
            raise RecordingFailed("disk full; free some space, then try again")
        self.kept.append(event)


async def test_a_verdict_that_cannot_be_kept_is_kept_on_trying_again(domain: Domain) -> None:
    keeper = Broken()
    session = await played(domain, POLITE)
    session._keeper = keeper
    async with judging(session) as s:
        keeper.broken = True
        await s.pilot.press("y")
        await s.until(lambda: "disk full" in s.said("problem"), "told")
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"
        keeper.broken = False
        await s.press("r", [(0, True)])
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"
        assert [type(event) for event in keeper.kept][-2:] == [Judged, Scored]


async def test_what_was_judged_is_in_the_file(domain: Domain, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    session = await played(domain, POLITE, keeper=recorder)
    async with judging(session) as s:
        await s.press("y", [(0, True)])
    assert recorder.events(session.header.id) == session.events
    assert recorder.sessions()[0].reward == 1
    recorder.close()


def test_the_command_line_says_who_judges() -> None:
    parser = COMMANDS["play"]()[0]
    assert parser.parse_args([]).judge == "human"
    assert parser.parse_args(["--judge", "none"]).judge == "none"
    given = parser.parse_args(["--judge", "small", "--judge-api-base", "http://127.0.0.1:1/v1"])
    assert model_flags.judge(given, ("human", "none")) == ModelChoice("small", {}, "http://127.0.0.1:1/v1")


@pytest.mark.parametrize("command", [["--domain", "airline", "--play", "user"], ["run", "--domain", "airline"]])
def test_a_judge_there_is_none_of_is_named(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--judge", "gpt"]) == 2
    assert "--judge: there is no judge 'gpt'; write " in capsys.readouterr().err


# By a model


class Judge:
    """Stands for a model that judges: answers what it is told to, when it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Judgement) -> None:
        self.answers = list(answers)
        self.gate = asyncio.Event()
        self.asked: list[Sequence[str]] = []
        monkeypatch.setattr("sessions.players.model.judge.judge", self)

    async def __call__(self, model: ModelChoice, assertions: Sequence[str], turns: object) -> Judgement:
        self.asked.append(assertions)
        await self.gate.wait()
        return self.answers.pop(0)


def found(*met: bool) -> Judgement:
    return Judgement(MODEL.name, tuple(Finding(one, "it said so") for one in met))


UNREACHABLE = Judgement(MODEL.name, problem="openai/j: the server cannot be reached")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_model_judges_by_itself_and_its_verdicts_count(
    domain: Domain, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge(monkeypatch, found(True, True))
    async with judging(await played(domain, POLITE, SHORT), size, judged_by=MODEL) as s:
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"
        await s.until(lambda: "2 assertions are being judged by openai/j" in picture(s.app), "it is said")
        assert s.question == "", "nobody else is bothered with it"
        judge.gate.set()
        await s.until(lambda: s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1", "judged")
        assert "being judged" not in picture(s.app)
        assert [(e.kind, e.by, e.reason) for e in s.kept(Judged) if isinstance(e, Judged)] == [
            ("model", "openai/j", "it said so")
        ] * 2
        assert s.rewards() == [None, 1.0]
        judged = [child for line in lines_of(s) for child in line.children if POLITE in child.text]
        assert [line.text for line in judged] == [f"✓ {POLITE} · judged by openai/j"]


async def test_a_judge_that_fails_leaves_it_not_judged_and_r_asks_again(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge(monkeypatch, UNREACHABLE, found(False))
    judge.gate.set()
    async with judging(await played(domain, POLITE), judged_by=MODEL) as s:
        await s.until(
            lambda: "not judged · r asks again, y and n judge · openai/j: the server cannot" in picture(s.app), "told"
        )
        assert s.said("headline") == "not judged = DB 1 × NL_ASSERTION ?"
        assert s.rewards() == [None] and s.verdicts() == [], "it is no reward of 0"
        await s.press("r", [(0, False)])
        await s.until(lambda: s.said("headline") == "reward 0 = DB 1 × NL_ASSERTION 0", "judged")
        assert "cannot be reached" not in picture(s.app)
        assert len(judge.asked) == 2


async def test_a_person_judges_in_place_of_a_model_that_failed_and_overrules_one_that_did_not(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    Judge(monkeypatch, UNREACHABLE).gate.set()
    async with judging(await played(domain, POLITE), judged_by=MODEL) as s:
        await s.until(lambda: "not judged · r asks again" in picture(s.app), "told")
        await s.pilot.press("y")
        await s.until(lambda: POLITE in s.question, "asked")
        await s.press("y", [(0, True)])
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"


async def test_verdicts_that_cannot_be_kept_are_kept_together_on_trying_again(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, keeper = Judge(monkeypatch, found(True, True)), Broken()
    session = await played(domain, POLITE, SHORT)
    session._keeper = keeper
    async with judging(session, judged_by=MODEL) as s:
        keeper.broken = True
        judge.gate.set()
        await s.until(lambda: "disk full" in s.said("problem"), "told")
        keeper.broken = False
        await s.press("r", [(0, True), (1, True)])
        assert s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1"
        assert len(judge.asked) == 1, "what was answered is not asked again"


async def test_what_a_person_judged_is_not_asked_of_a_model(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(monkeypatch, found(False))
    session = await played(domain, POLITE)
    await session.judge(0, True)
    async with judging(session, judged_by=MODEL) as s:
        await s.until(lambda: s.said("headline") == "reward 1 = DB 1 × NL_ASSERTION 1", "it stands")
        assert judge.asked == []


async def test_a_real_one_is_asked_over_the_wire(domain: Domain) -> None:
    answer = json.dumps({"results": [{"statement": 1, "reason": "so", "met": True}]})
    session = await played(domain, POLITE)
    with FakeLLM(Says(answer)) as server:
        async with judging(session, judged_by=ModelChoice("small", {}, server.url)) as s:
            right = "reward 1 = DB 1 × NL_ASSERTION 1"
            await wait_until(s.pilot, lambda: s.said("headline") == right, "judged", patience=60.0)
            assert [e.by for e in s.kept(Judged) if isinstance(e, Judged)] == ["small"]
