"""The reward and why: the product of its components, each with its evidence, and what to do next."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static, Tree

from domains.errors import DataError
from sessions.event import Mark
from sessions.keeping import RecordingFailed
from sessions.resuming import kept_turn
from sessions.seating import Play, Table, table_of
from tau_tui.erring import on_purpose
from tau_tui.going_on import against, told_turn
from tau_tui.opening import Branch, Choice, task_number
from tau_tui.report import EVALUATED, Line, Report, amount, facts, report
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.mark import MarkDialog
from tau_tui.screens.dialogs.note import NoteDialog
from tau_tui.task_list import sitting
from tau_tui.widgets.header import Facts, HeaderLine
from tau_tui.widgets.judge_bar import JudgeBar
from tau_tui.widgets.key_line import KeyLine
from tau_tui.widgets.reward_tree import RewardTree
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.transcript import TranscriptScreen

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice
    from sessions.reward import Verdict
    from sessions.session import Session
    from tau_tui.app import TauApp

AGAIN = Binding.Group("Next/again/seat")
JUDGE = Binding.Group("Met/not met")
KEPT = Binding.Group("Mark/note")
LOOK = Binding.Group("Look")
LOBBY = Binding.Group("Lobby")


class ResultScreen(Screen[None]):
    """Shows a session that has ended. `trouble` says why there is no verdict, where there is none."""

    CSS_PATH = "../styles/result.tcss"
    TITLE = "result"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "judge(True)", "Met", id="result.yes", tooltip="Judge that the assertion is met", group=JUDGE),
        Binding("n", "judge(False)", "Not met", id="result.no", tooltip="Judge that it is not met", group=JUDGE),
        Binding("f3", "next_task", "Next", id="result.next", tooltip="Play the next unplayed task", group=AGAIN),
        Binding("f4", "again", "Again", id="result.again", tooltip="Play this task again", group=AGAIN),
        Binding("f6", "other_seat", "Seat", id="result.seat", tooltip="Play it from the other seat", group=AGAIN),
        Binding("f7", "mark", "Mark", id="result.mark", tooltip="Mark a fault on a turn", group=KEPT),
        Binding("f8", "note", "Note", id="result.note", tooltip="Keep a note on the session", group=KEPT),
        Binding("f9", "transcript", "Talk", id="result.talk", tooltip="Scroll the whole conversation", group=LOOK),
        Binding("f10", "go_on", "Go on", show=False, id="result.go_on", tooltip="Go on from a turn", group=AGAIN),
        Binding("f12", "replay", "Replay", show=False, id="result.replay", tooltip="Step through it", group=LOOK),
        Binding("s", "save_task", "Task", show=False, id="result.save", tooltip="Save it as a task", group=KEPT),
        Binding("escape", "lobby", "Lobby", id="result.lobby", tooltip="Choose another task", group=LOBBY),
        Binding("r", "retry", "Again", show=False, id="result.retry", tooltip="Try again what failed", group=KEPT),
    ]

    evidence = getters.query_one(RewardTree)
    bar = getters.query_one(JudgeBar)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, session: Session, verdict: Verdict | None, trouble: str = "") -> None:
        super().__init__()
        self.session = session
        self.verdict = verdict
        self._trouble = trouble
        self.report: Report | None = None
        self._judging = self._judging_counts
        self._not_judged = ""
        self._pointed: int | None = None
        self._keeping = False
        self._wrong: int | None = None

    def compose(self) -> ComposeResult:
        """The headline, the reason that matters most, the evidence."""
        header = self.session.header
        task = f"{header.domain} {task_number(self.session)}"
        yield HeaderLine(Facts(task, sitting(header.players), header.view, remark="result"), id="header")
        yield Static(id="headline")
        yield Static(id="because")
        yield Static(Content(facts(self.session.events)), id="facts")
        yield JudgeBar(id="judge")
        yield Static(id="judging", markup=False)
        yield RewardTree(id="reward")
        yield Static(id="problem")
        yield KeyLine()

    def on_mount(self) -> None:
        """Explain after the first frame; what was said while playing must not lie over the reward."""
        self.app.clear_notifications()
        self._headline("", "the reward is being explained …", "warn")
        self.evidence.focus_tree()
        model = self.app.options.judged_by
        self._judging = self._judging_counts and model is None
        if self.session.state.judged:  # since the verdict this screen was opened with, perhaps
            self.action_retry()
        else:
            self._explain()
        if model is not None and self.verdict is not None:
            self._ask_judge(model)

    @work(thread=True, exclusive=True, group="explain")
    def _explain(self) -> None:
        if self.verdict is None:
            self.app.call_from_thread(self._headline, "not scored", self._trouble, "warn")
            return
        from sessions.explain import explain

        explanation = explain(self.verdict)
        self._wrong = explanation.decisive.turn if explanation.decisive is not None else None
        told = report(explanation, tuple(self.session.events))
        if (erring := on_purpose(self.session)) is not None:
            told = replace(told, lines=(erring, *told.lines))
        if self.session.header.parent and (line := self._against_parent()) is not None:
            told = replace(told, lines=(line, *told.lines))
        self.app.call_from_thread(self._show, told)

    def _against_parent(self) -> Line | None:
        """Say what became of the reward of the session this one was forked from."""
        from domains.errors import DataError
        from sessions.comparing import against_parent

        try:
            comparison = against_parent(self.app.recorder, self.session)
        except (DataError, RecordingFailed) as error:
            return Line(f"Against the session it forks: {one_line(str(error))}", "warn")
        return None if comparison is None else against(comparison)

    def _show(self, told: Report) -> None:
        self.report = told = _decided(told, self.verdict)
        self._headline(told.headline, told.because, told.tone)
        self._pointed = None
        self.evidence.show(told.lines)
        self.evidence.focus_tree()
        self._ask()

    def _headline(self, headline: str, because: str, tone: str) -> None:
        line = self.query_one("#headline", Static)
        line.update(Content(headline))
        for name in ("good", "bad", "warn"):
            line.set_class(name == tone, f"-{name}")
        self.query_one("#because", Static).update(Content(because))

    # What next

    def action_next_task(self) -> None:
        """Play the next unplayed task from the same seat."""
        self.app.start(self._choice(table_of(self.session.header), None))

    def action_again(self) -> None:
        """Play this task again from the same seat."""
        self.app.start(self._choice(table_of(self.session.header), self.session.task.id))

    def action_other_seat(self) -> None:
        """Play this task from the other seat."""
        table = table_of(self.session.header)
        other: Play = "agent" if table.play == "user" else "user"
        approve = table.approve and other != "agent"
        new = replace(table, play=other, agent="", user="", solo=False, approve=approve)
        self.app.start(self._choice(new, self.session.task.id))

    def _choice(self, table: Table, task: str | None) -> Choice:
        header = self.session.header
        return Choice(header.domain, table, task, None if header.pack == "bundled" else Path(header.pack))

    @work(exclusive=True, group="go-on")
    async def action_go_on(self) -> None:
        """Choose a turn to go on from, in a new session."""
        turns = self.session.state.turns
        answers = [(str(turn.index), told_turn(turn)) for turn in reversed(turns)]
        text = "A turn of yours is played again, another is answered, in a new session. This one stays as it is."
        wrong = self._decisive()
        chosen = await self.app.push_screen_wait(
            ChoiceDialog("Go on from which turn?", text, answers, first=None if wrong is None else str(wrong))
        )
        if chosen is None:
            return
        try:
            kept_turn(turns, int(chosen), self.session.people)
        except DataError as error:
            self.notify(one_line(str(error)), severity="warning", markup=False)
        else:
            self.app.go_on(Branch(self.session.header.id, int(chosen), seen=True))

    def action_replay(self) -> None:
        """Go through it step by step; there any seat can be taken."""
        self.app.replay(self.session.header.id)

    def action_lobby(self) -> None:
        """Go to the lobby."""
        self.app.open_lobby()

    def action_transcript(self) -> None:
        """Show everything that was said and called."""
        self.app.push_screen(TranscriptScreen(tuple(self.session.state.turns)))

    # Judging

    @property
    def _judging_counts(self) -> bool:
        verdict = self.verdict
        return verdict is not None and "NL_ASSERTION" in verdict.reward_basis and verdict.termination in EVALUATED

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Judging needs somebody who judges, and something to judge."""
        if action == "judge":
            return bool(self.app.options.judge == "human" and self.session.task.nl_assertions and self.verdict)
        return True

    @property
    def asked(self) -> int | None:
        """The assertion under the cursor, or else the first that has not been judged."""
        if self._pointed is not None:
            return self._pointed
        judged = self.session.state.judgements(len(self.session.task.nl_assertions))
        return next((number for number, met in enumerate(judged) if met is None), None)

    def _ask(self) -> None:
        texts, asked = self.session.task.nl_assertions, self.asked
        if asked is None or not (self._judging or self._pointed is not None) or not self.check_action("judge", ()):
            self.bar.close()
            return
        met = self.session.state.judgements(len(texts))[asked]
        self.bar.ask(asked + 1, len(texts), texts[asked], met, counts=self._judging_counts)

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Line]) -> None:
        self._pointed = None if event.node.data is None else event.node.data.assertion
        self._ask()

    @on(JudgeBar.Answered)
    def _answered(self, event: JudgeBar.Answered) -> None:
        self.action_judge(event.met)

    @work
    async def action_judge(self, met: bool) -> None:
        """Keep a verdict on the assertion that is asked about; with none in front, ask about the first."""
        if self._keeping:
            return
        if self.bar.display and self.asked is not None:
            self._keeping = True
            await self._keep(self.session.judge(self.asked, met))
            self._keeping = False
        elif self.asked is not None:
            self._judging = True
            self._ask()
        else:
            self.notify("all is judged; to judge again, go to its line", markup=False)

    @work(exclusive=True, group="ask-judge")
    async def _ask_judge(self, model: ModelChoice) -> None:
        """Let the model judge; what it could not is not judged, and can be asked for again."""
        from tau_tui.finishing import ask_judge, to_be_judged

        if not to_be_judged(self.session):
            return
        many = len(self.session.task.nl_assertions)
        what = "1 assertion is" if many == 1 else f"{many} assertions are"
        self._not_judged = ""
        self._tell_judging(f"{what} being judged by {model.name} … F9 shows what was said")

        async def asked() -> None:
            self._not_judged = await ask_judge(self.session, model)

        await self._keep(asked())
        self._tell_judging(f"not judged · r asks again, y and n judge · {self._not_judged}" if self._not_judged else "")

    def _tell_judging(self, text: str) -> None:
        line = self.query_one("#judging", Static)
        line.update(Content(one_line(text)))
        line.display = bool(text)
        line.set_class(bool(self._not_judged), "-bad")

    async def _score_again(self) -> None:
        """Let what has been judged count, and record the verdict once everything is."""
        from tau_tui.finishing import finish

        judged = self.session.state.judgements(len(self.session.task.nl_assertions))
        if self.verdict is not None and any(met is not None for met in judged) and judged != self.verdict.nl_assertions:
            self.verdict = await finish(self.session)

    # What people keep

    @work
    async def action_mark(self) -> None:
        """Mark a fault on a turn."""
        turns = [(turn.index, f"{turn.seat} {_gist(turn)}") for turn in self.session.state.turns]
        by = next((self.session.header.players[seat].name for seat in self.session.people), "")
        decisive = self._decisive()
        mark: Mark | None = await self.app.push_screen_wait(MarkDialog(turns, by=by, turn=decisive))
        if mark is not None:
            await self._keep(self.session.mark(mark))

    def _decisive(self) -> int | None:
        """Return the turn of the decisive write, or else of the last calls, where a fault is likeliest to be marked."""
        if self._wrong is not None:
            return self._wrong
        return next((t.index for t in reversed(self.session.state.turns) if t.calls and t.seat == "agent"), None)

    @work
    async def action_note(self) -> None:
        """Write a note on the session."""
        text: str | None = await self.app.push_screen_wait(NoteDialog("this session"))
        if text:
            await self._keep(self.session.note(text))

    @work(exclusive=True, group="save-task")
    async def action_save_task(self) -> None:
        """Make a task of this session, in a pack of one's own."""
        from tau_tui.saving import save_as_task

        data = self.app.options.data
        await save_as_task(self.app, tuple(self.session.events), [] if data is None else [data])

    @work
    async def action_retry(self) -> None:
        """Record again what could not be recorded; ask a judge again that could not judge."""
        await self._keep(self.session.flush())
        if self._not_judged and (model := self.app.options.judged_by) is not None:
            self._ask_judge(model)

    async def _keep(self, recording: Awaitable[None]) -> None:
        problem = self.query_one("#problem", Static)
        try:
            await recording
            await self._score_again()
        except RecordingFailed as failure:
            problem.update(Content(one_line(f"{failure} · nothing is lost; press r to try again")))
            problem.display = True
            return
        problem.display = False
        self._explain()


def _decided(told: Report, verdict: Verdict | None) -> Report:
    """Say that nobody need judge where a component is 0 already; what is recorded stays not judged."""
    if verdict is None or verdict.reward is not None or verdict.termination not in EVALUATED:
        return told
    if 0 not in verdict.breakdown.values():
        return told
    product = " × ".join(f"{name} {amount(value)}" for name, value in verdict.breakdown.items())
    return replace(told, headline=f"0 whatever is judged = {product}", tone="bad")


def _gist(turn: object) -> str:
    text, calls = getattr(turn, "text", ""), getattr(turn, "calls", ())
    return one_line(text)[:60] or ", ".join(done.call.name for done in calls)
