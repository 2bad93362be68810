"""The replay screen: goes through the steps of gold or of a session, forwards, back, at a speed, or by a jump."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static

from tau_tui.replay_text import told
from tau_tui.screens.dialogs.document import DocumentDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.replay_panes import ReplayPanes
from tau_tui.widgets.change_text import full_text, pretty
from tau_tui.widgets.db_diff import DatabaseDiff
from tau_tui.widgets.header import Facts, HeaderLine
from tau_tui.widgets.safe_text import one_line
from tau_tui.widgets.scrubber import Mark, Scrubber
from tau_tui.widgets.sections import Section, of_scenario
from tau_tui.widgets.segments import Segments
from tau_tui.widgets.trace import Trace

if TYPE_CHECKING:
    from sessions.replay import Replay, Step
    from tau_tui.app import TauApp

Frames: TypeAlias = "Replay | Callable[[], tuple[Replay, ...]]"
"""What is shown, or how it is loaded, in a thread: several are the same steps played in different ways."""

SPEEDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Steps a second."""

# A footer folds neighbours of one group into its name.
STEP, RUN, LOOK, JUMP, VIEW = (Binding.Group(name) for name in ("Step", "Play", "Look", "Jump", "Panes"))
HOW: Final = {"evaluator": "as the evaluator plays it", "live": "played live"}


class ReplayScreen(Screen[None]):
    """Shows frozen steps: nothing here changes anything. `title` is the task's number where none is given."""

    CSS_PATH: ClassVar[list[str]] = ["../styles/play.tcss", "../styles/replay.tcss"]  # type: ignore[assignment]  # a list is as good
    TITLE = "replay"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Back", id="replay.back", priority=True, tooltip="The step before", group=STEP),
        Binding("right,space", "step(1)", "Next", id="replay.next", priority=True, tooltip="The next step", group=STEP),
        Binding("p", "play", "Play", id="replay.play", tooltip="Play, or stop; at the end, from the start", group=RUN),
        Binding("f2", "document", "Task", id="replay.task", tooltip="The scenario of the task", group=LOOK),
        Binding("e", "find('error')", "Error", id="replay.error", tooltip="To the next call that fails", group=JUMP),
        Binding("w", "find('write')", "Write", id="replay.write", tooltip="To the next write", group=JUMP),
        Binding(
            "v", "variant", "Live", id="replay.variant", tooltip="Gold live, or as the evaluator plays it", group=RUN
        ),
        Binding("f6", "zoom", "Zoom", id="replay.zoom", priority=True, tooltip="One pane fills the screen", group=VIEW),
        Binding("f9", "next_pane", "Pane", id="replay.pane", tooltip="Go to the next pane", group=VIEW),
        Binding("b", "basis", "Since", show=False, id="replay.basis", tooltip="Since start or by one step", group=LOOK),
        Binding("home", "go(0)", "Start", False, id="replay.start", priority=True, tooltip="To the start", group=JUMP),
        Binding("end", "go(-1)", "End", False, id="replay.end", priority=True, tooltip="To the end", group=JUMP),
        Binding("plus", "speed(1)", "Faster", show=False, id="replay.faster", tooltip="Play faster", group=RUN),
        Binding("minus", "speed(-1)", "Slower", show=False, id="replay.slower", tooltip="Play slower", group=RUN),
        Binding("escape", "close", "Back", show=False, id="replay.close", tooltip="Close what is open", group=LOOK),
        *(
            Binding(str(n), f"digit({n})", "Jump", False, id="replay.jump", tooltip="To the step typed", group=JUMP)
            for n in range(10)
        ),
    ]

    step: reactive[int] = reactive(0, init=False)
    variant: reactive[int] = reactive(0, init=False)

    panes = getters.query_one("#panes", ReplayPanes)
    scrubber = getters.query_one("#scrubber", Scrubber)
    if TYPE_CHECKING:
        app = getters.app(TauApp)

    def __init__(self, frames: Frames, title: str = "") -> None:
        super().__init__()
        self._load: Callable[[], tuple[Replay, ...]] = frames if callable(frames) else lambda: (frames,)
        self._title = title
        self._typed = 0
        self._player: Timer | None = None
        self.replays: tuple[Replay, ...] = ()

    def compose(self) -> ComposeResult:
        """Header, tabs, panes, what the step is, where it is."""
        yield HeaderLine(Facts(self._title, "REPLAY"), id="header")
        yield Segments({}, id="tabs")
        yield ReplayPanes()
        yield Static("loading …", id="told", markup=False)
        yield Scrubber(id="scrubber")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Load after the first frame."""
        self.call_after_refresh(self._open)

    @work(thread=True, exclusive=True, group="open")
    def _open(self) -> None:
        try:
            replays = self._load()
        except Exception as error:  # whatever it is, the command line or the lobby tells it in one line
            self.app.call_from_thread(self.app.refuse, error)
        else:
            self.app.call_from_thread(self._begin, replays)

    @work(exclusive=True, group="begin")
    async def _begin(self, replays: tuple[Replay, ...]) -> None:
        self.replays = replays
        await self.panes.prepare(replays[0])
        self.set_class(self.panes.pane("conversation") is not None, "-talks")
        self.panes.go_to(self.panes.active)
        self.refresh_bindings()
        self._show_all()

    @property
    def replay(self) -> Replay | None:
        """What is shown, None until it is loaded."""
        return self.replays[self.variant] if self.replays else None

    # Showing

    def _show_all(self) -> None:
        if (shown := self.replay) is None:
            return
        self.query_one(HeaderLine).show(self.facts(shown))
        self.scrubber.show([_mark(step) for step in shown.steps])
        self._show()

    def facts(self, shown: Replay) -> Facts:
        """Return what the header says."""
        how = HOW[shown.gold] if shown.gold is not None and len(self.replays) > 1 else ""
        name = shown.domain.name if shown.domain is not None else ""
        return Facts(self._title or f"{name} {shown.number}", "GOLD" if shown.gold else "REPLAY", how)

    def _show(self) -> None:
        if (shown := self.replay) is None:
            return
        self.panes.go(shown, self.step)
        text, tone = told(shown, shown.steps[self.step])
        line = self.query_one("#told", Static)
        line.update(Content(text))
        for name in ("good", "bad", "warn", "quiet"):
            line.set_class(name == tone, f"-{name}")
        self.scrubber.step = self.step

    def validate_step(self, step: int) -> int:
        """Stay within the steps there are."""
        return 0 if self.replay is None else max(0, min(self.replay.last, step))

    def watch_step(self) -> None:
        """Bring every pane there."""
        self._show()

    def watch_variant(self) -> None:
        """The same step, played in another way."""
        self._show_all()

    # Going

    def action_step(self, by: int) -> None:
        """Go on or back."""
        self._typed = 0
        self._stop()
        self.step += by

    def action_go(self, step: int) -> None:
        """Go to a step; -1 is the last."""
        self._typed = 0
        self._stop()
        if self.replay is not None:
            self.step = self.replay.last if step < 0 else step

    def action_digit(self, digit: int) -> None:
        """Go to the step whose number is typed, digit by digit."""
        if self.replay is None:
            return
        typed = self._typed * 10 + digit
        step = typed if typed <= self.replay.last else digit
        self.action_go(min(step, self.replay.last))
        self._typed = step

    def action_find(self, what: str) -> None:
        """Go to the next step of a kind, from the end to the first one."""
        if self.replay is None:
            return
        wanted = (lambda s: s.failed) if what == "error" else _writes
        found = self.replay.find(self.step, wanted)
        if found is None:
            found = self.replay.find(0, wanted)
        if found is None:
            self.notify("no call fails" if what == "error" else "nothing is written", markup=False)
        else:
            self.action_go(found)

    @on(Scrubber.Moved)
    def _pointed(self, event: Scrubber.Moved) -> None:
        self.action_go(event.step)

    # Playing

    @on(Scrubber.Pressed)
    def action_play(self) -> None:
        """Play, or stop; at the end, from the start."""
        if self.replay is None:
            return
        if self._player is not None:
            self._stop()
            return
        if self.step == self.replay.last:
            self.step = 0
        self._start()

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        at = SPEEDS.index(self.scrubber.speed) + by
        self.scrubber.speed = SPEEDS[max(0, min(len(SPEEDS) - 1, at))]
        if self._player is not None:
            self._stop()
            self._start()

    def _start(self) -> None:
        self._player = self.set_interval(1 / self.scrubber.speed, self._on)
        self.scrubber.playing = True

    def _stop(self) -> None:
        if self._player is not None:
            self._player.stop()
            self._player = None
        self.scrubber.playing = False

    def _on(self) -> None:
        self.step += 1
        if self.replay is None or self.step == self.replay.last:
            self._stop()

    # Looking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to toggle where gold is played in one way only."""
        return len(self.replays) > 1 if action == "variant" else True

    def action_variant(self) -> None:
        """Show gold live, or as the evaluator plays it."""
        self.variant = (self.variant + 1) % len(self.replays)

    def action_document(self) -> None:
        """Show the scenario."""
        if self.replay is None:
            return
        task = self.replay.task
        ticket = [Section("Ticket", task.ticket)] if task.ticket else []
        self.app.push_screen(DocumentDialog("Scenario", [*of_scenario(task.user_scenario), *ticket]))

    def action_zoom(self) -> None:
        """Let the active pane fill the screen, or no longer."""
        self.panes.zoomed = not self.panes.zoomed

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self.panes.next()

    def action_basis(self) -> None:
        """Show what has changed since the start, or by this step."""
        database = self.query_one(DatabaseDiff)
        database.choose("call" if database.basis == "start" else "start")

    def action_close(self) -> None:
        """Close what is open, innermost first; a replay over another screen goes back to it."""
        if self.panes.zoomed:
            self.action_zoom()
        elif len(self.app.screen_stack) > 2:  # below lies the first frame
            self.app.pop_screen()

    @on(DatabaseDiff.Asked)
    def _asked(self, event: DatabaseDiff.Asked) -> None:
        self.query_one(DatabaseDiff).choose(event.basis)

    @on(Segments.Chosen, "#bases")
    def _basis_clicked(self, event: Segments.Chosen) -> None:
        self.query_one(DatabaseDiff).choose(event.name)

    @on(Segments.Chosen, "#tabs")
    def _tab_clicked(self, event: Segments.Chosen) -> None:
        self.panes.go_to(event.name)

    @on(ReplayPanes.Relabelled)
    def _relabelled(self, event: ReplayPanes.Relabelled) -> None:
        tabs = self.query_one("#tabs", Segments)
        tabs.rename(event.labels)
        tabs.active = event.active

    @on(Trace.Opened)
    def _call_opened(self, event: Trace.Opened) -> None:
        done = event.row.done
        parts = [("arguments", pretty(dict(done.call.arguments)))]
        if done.result is not None:
            if done.result.changes:
                left = "changes left by the call that failed" if done.result.error else "changes"
                parts.append((left, full_text(done.result.changes)))
            if done.synced is not None:
                parts.append(("what the other side's world made of it", full_text(done.synced.changes)))
            parts.append(("error" if done.result.error else "result", pretty(done.result.content)))
        self.app.push_screen(TextDialog(f"{one_line(done.call.name)} · {event.row.kind or 'no such tool'}", parts))

    @on(DatabaseDiff.Opened)
    def _changes_opened(self, event: DatabaseDiff.Opened) -> None:
        self.app.push_screen(TextDialog(event.title, [("", full_text(event.changes) or "nothing has changed")]))


def _writes(step: Step) -> bool:
    return bool(step.made) or (step.tool is not None and step.tool.mutates)


def _mark(step: Step) -> Mark:
    return "error" if step.failed else "write" if step.made else ""


def gold_screen(domain: str, named: str, data: Path | None) -> ReplayScreen:
    """Return a screen that plays the reference actions of a task; the pack is read when it is shown."""

    def load() -> tuple[Replay, ...]:
        from domains.catalog import load_domain
        from sessions.replay import gold_replays
        from tau_tui.opening import find_task

        pack = load_domain(domain, data)
        return gold_replays(pack, find_task(pack, named))

    return ReplayScreen(load)
