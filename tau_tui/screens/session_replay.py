"""A recorded session step by step, also while it is being played; and going on from any turn of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from sessions.keeping import RecordingFailed
from tau_tui.going_on import hand_over, told_turn
from tau_tui.opening import Branch
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.replay import JUMP, LOOK, ReplayScreen
from tau_tui.task_list import sitting
from tau_tui.widgets.header import Facts, HeaderLine, modes_text
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from domains.toolkit import Seat
    from sessions.event import Event
    from sessions.replay import Replay
    from sessions.watching import Watched
    from tau_tui.app import TauApp

LOOK_AGAIN = 0.5
"""Seconds between two looks into the file while another program plays."""

Source: TypeAlias = "Callable[[], tuple[Watched, str]]"
"""Reads a session, with its status: ended, playing or interrupted. Called in a thread."""

GO = Binding.Group("Go on")


def _jumps_together() -> list[BindingType]:
    """Return the keys of the replay screen with two more jumps among them: a footer folds neighbours of one group."""
    known = list(ReplayScreen.BINDINGS)
    last = next(i for i, binding in enumerate(known) if isinstance(binding, Binding) and binding.key == "w")
    more = [
        Binding("u", "unconfirmed", "No yes", id="replay.unconfirmed", tooltip="To a write without a yes", group=JUMP),
        Binding("d", "decisive", "Decisive", id="replay.decisive", tooltip="To the decisive deviation", group=JUMP),
    ]
    return [*Screen.BINDINGS, *known[: last + 1], *more, *known[last + 1 :]]


class SessionReplayScreen(ReplayScreen, inherit_bindings=False):
    """`source` reads the session; `keep` puts one that is in no recording into it before it is gone on from."""

    TITLE = "session"
    BINDINGS: ClassVar[list[BindingType]] = [
        *_jumps_together(),
        Binding("t", "take_seat", "Take seat", id="replay.seat", tooltip="Take a seat at this turn", group=GO),
        Binding("g", "go_on", "Go on", show=False, id="replay.go_on", tooltip="Play on from here as before", group=GO),
        Binding("s", "save_task", "Task", show=False, id="replay.save", tooltip="Save it as a task", group=GO),
        Binding("f3", "why", "Why", show=False, id="replay.why", tooltip="The reward, explained", group=LOOK),
    ]

    def __init__(self, source: Source, *, keep: Callable[[list[Event]], None] | None = None) -> None:
        super().__init__(self._read)
        self._source = source
        self._keep = keep
        self.watched: Watched | None = None
        self._met = False
        self.status = ""

    # Reading, in threads

    def _read(self) -> tuple[Replay, ...]:
        self.watched, self.status = self._source()
        return (self.watched.replay,)

    def on_mount(self) -> None:
        """Keep looking while it is being played."""
        super().on_mount()
        self.set_interval(LOOK_AGAIN, self._look_again)

    def _look_again(self) -> None:
        if self.status == "playing":
            self._follow()

    @work(thread=True, exclusive=True, group="follow")
    def _follow(self) -> None:
        from domains.errors import DataError

        try:
            watched, status = self._source()
        except (DataError, RecordingFailed) as error:
            hand_over(self, self._lost, str(error))
            return
        if watched is not self.watched or status != self.status:
            hand_over(self, self._go_along, watched, status)

    def _go_along(self, watched: Watched, status: str) -> None:
        at_end = self.replay is not None and self.step == self.replay.last
        self.watched, self.status, self.replays = watched, status, (watched.replay,)
        if at_end:
            self.set_reactive(ReplayScreen.step, watched.replay.last)
        self._show_all()

    def _lost(self, why: str) -> None:
        self.status = "lost"
        self.notify(one_line(why), severity="error", markup=False)

    # Showing

    def facts(self, shown: Replay) -> Facts:
        """Return what the header says."""
        watched = self.watched
        assert watched is not None
        header, ended = watched.header, watched.state.ended
        named = shown.number or (f"#{header.task_id}" if header.task_id.isdigit() else "")
        supervised = header.supervised or watched.state.supervised
        modes = modes_text(solo=header.solo, plan=header.plan, no_policy=header.no_policy, supervised=supervised)
        fork = f"fork of …{header.parent[-6:]} at t{header.parent_turn}" if header.parent else ""
        how = ended.reason if ended is not None else "live" if self.status == "playing" else "interrupted"
        scored = watched.state.scored or watched.state.recorded
        reward = f"reward {scored.reward:g}" if scored is not None and scored.reward is not None else ""
        remark = " · ".join(filter(None, (how, reward, fork)))
        seats = f"REPLAY {sitting(header.players)}"
        return Facts(f"{header.domain} {named}".rstrip(), seats, header.view, modes, remark=remark)

    def _show_all(self) -> None:
        super()._show_all()
        if not self._met and self.panes.pane("conversation") is not None:
            self._met = True
            self.panes.go_to("conversation")
        self.query_one(HeaderLine).set_class(self.status == "playing", "-live")

    def _show(self) -> None:
        super()._show()
        if (watched := self.watched) is None or self.replay is None:
            return
        remarks = []
        if self.step in watched.unconfirmed:
            remarks.append("without a yes before it")
        if self.step == watched.decisive:
            remarks.append("decisive: after this the goal was out of reach")
        if watched.missing and self.step == 0:
            remarks.append(watched.missing)
        if remarks:
            told = self.query_one("#told", Static)
            told.update(Content(one_line(" · ".join((str(told.content), *remarks)))))
            told.set_class(self.step == watched.decisive, "-bad")

    # Jumps

    def action_unconfirmed(self) -> None:
        """Go to the next write without a yes before it, from the end to the first one."""
        found = self.watched.unconfirmed if self.watched is not None else ()
        if not found:
            self._none("no write is without a yes")
            return
        self.action_go(next((step for step in found if step > self.step), found[0]))

    def action_decisive(self) -> None:
        """Go to the write after which the goal was out of reach."""
        if self.watched is None:
            return
        if (step := self.watched.decisive) is None:
            self._none("no write put the goal out of reach")
        else:
            self.action_go(step)

    def _none(self, why: str) -> None:
        missing = self.watched.missing if self.watched is not None else ""
        self.notify(one_line(missing or why), markup=False)

    # Going on

    @work(exclusive=True, group="go-on")
    async def action_take_seat(self) -> None:
        """Let a seat be chosen at this turn, and play on from there in a new session."""
        from domains.errors import DataError
        from sessions.resuming import kept_turn

        if (watched := self.watched) is None or (turn := watched.turn_at(self.step)) is None:
            return
        if watched.replay.domain is None:
            self._none("its world is not here")
            return
        answers: list[tuple[str, str]] = []
        for seat in self._seats(watched):
            try:
                kept = kept_turn(watched.state.turns, turn, (seat,))
            except DataError:
                continue
            what = "play this turn otherwise" if kept < turn else "answer it"
            answers.append((seat, f"the {seat}: {what}"))
        if not answers:
            self._none("nothing comes before this turn; play the task instead")
            return
        shown = next(told_turn(t) for t in watched.state.turns if t.index == turn)
        text = f"{shown}\n\n{self._other_seat(watched)}"
        chosen = await self.app.push_screen_wait(ChoiceDialog("Take which seat here?", text, answers))
        if chosen in ("user", "agent"):
            self._begin_branch(turn, "user" if chosen == "user" else "agent")

    def _seats(self, watched: Watched) -> tuple[Seat, ...]:
        return ("agent",) if watched.header.solo else ("user", "agent")

    def _other_seat(self, watched: Watched) -> str:
        if watched.header.solo:
            return "A new session begins; this one stays as it is."
        return (
            "A new session begins; this one stays as it is. The other seat says its recorded lines while they still fit"
            " what happens, then an offline partner plays on; each line says which."
        )

    def action_go_on(self) -> None:
        """Play on from this turn with everybody in their seats, as a new session."""
        from domains.errors import DataError
        from sessions.resuming import kept_turn

        if (watched := self.watched) is None or (turn := watched.turn_at(self.step)) is None:
            return
        people: list[Seat] = [seat for seat, info in watched.header.players.items() if info.kind == "human"]
        if not people:
            self._none("nobody sat here whose seat you could take up again; t takes any seat")
            return
        try:
            kept_turn(watched.state.turns, turn, people)
        except DataError as error:
            self._none(str(error))
            return
        self._begin_branch(turn, None)

    @work(thread=True, exclusive=True, group="begin-branch")
    def _begin_branch(self, turn: int, taking: Seat | None) -> None:
        watched = self.watched
        assert watched is not None
        try:
            if self._keep is not None:
                self._keep(list(watched.events))
        except RecordingFailed as failure:
            hand_over(self, self._none, str(failure))
            return
        branch = Branch(watched.header.id, turn, taking, seen=watched.state.ended is not None)
        hand_over(self, self.app.go_on, branch)

    @work(exclusive=True, group="save-task")
    async def action_save_task(self) -> None:
        """Make a task of this session, in a pack of one's own."""
        from tau_tui.saving import save_as_task

        if (watched := self.watched) is not None:
            data = self.app.options.data
            await save_as_task(self.app, watched.events, [] if data is None else [data])

    def action_why(self) -> None:
        """Show the reward with its evidence."""
        watched = self.watched
        if watched is None or watched.explanation is None:
            self._none("it has no reward to explain")
            return
        from tau_tui.report import report
        from tau_tui.screens.dialogs.text import TextDialog

        told = report(watched.explanation, watched.events)
        lines = [(told.headline, told.because)]
        lines += [(line.text, "\n".join(child.text for child in line.children)) for line in told.lines]
        self.app.push_screen(TextDialog("Reward", lines))


def session_screen(app: TauApp, named: str) -> SessionReplayScreen:
    """Return a screen that goes through a recorded session, by its id or how that begins."""

    before: list[Watched] = []

    def read() -> tuple[Watched, str]:
        from sessions.choosing import by_id
        from sessions.listing import find
        from sessions.opening import events_of
        from sessions.watching import watched

        recorder = app.recorder
        session_id = by_id(recorder, [named])[0]
        row = find(recorder, session_id)
        status = row.status if row is not None else "ended"
        [(number,)] = recorder.select("select count(*) from events where session_id = ?", (session_id,))
        if not before or len(before[0].events) != number:
            packs = [] if app.options.data is None else [app.options.data]
            before[:] = [watched(events_of(recorder, session_id), packs)]
        return before[0], status

    return SessionReplayScreen(read)


def replay_screen(app: TauApp, named: str) -> Screen[None]:
    """Return the screen for a session of the recording, for a bundle, or for a file of runs."""
    path = Path(named)
    if not path.exists():
        return session_screen(app, named)
    from sessions.bundle import is_bundle

    if is_bundle(path):
        from tau_tui.screens.bundle import BundleScreen

        return BundleScreen(app, path, app.options.data)
    from tau_tui.screens.runs import RunsScreen

    return RunsScreen(path, app.options.data, app.options.domain)
