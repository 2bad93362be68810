"""The app: which screen is shown, the recorder they share, and how one leaves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tau_tui.keystrokes import Keystrokes
from tau_tui.opening import Branch, Choice, Opener
from tau_tui.options import Options
from tau_tui.pasting import keep_pastes_whole
from tau_tui.screens.first_frame import FirstFrame
from tau_tui.widgets.header import Facts, modes_text, seats_text
from tau_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.driver import Driver

    from sessions.recorder import Recorder
    from sessions.session import Session
    from tau_tui.screens.play import PlayScreen


def _binding_commands() -> type[Provider]:
    from tau_tui.palette import BindingCommands

    return BindingCommands


HELP = Binding.Group("Help")
LEAVE = Binding.Group("Leave")


class TauApp(App[None]):
    """`opener` and `clock` are given by tests; everybody else gets files and the time."""

    TITLE = "tau-tui"
    COMMANDS = App.COMMANDS | {_binding_commands}
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]  # noqa: RUF012 (declared so by Textual)
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-short"), (30, "-medium"), (42, "-tall")]  # noqa: RUF012 (so in Textual)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "keys", "Keys", id="app.keys", tooltip="Show every key", group=HELP),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True, tooltip="Leave the program", group=LEAVE),
    ]

    def __init__(
        self, options: Options, *, opener: Opener | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(css_path="styles/app.tcss")
        self.options = options
        self.clock = clock
        self.refusal: Exception | None = None
        """Why the app could not begin; the command line tells it."""
        self._opener = opener
        self._recorder: Recorder | None = None
        self._opening = threading.Lock()
        self.keystrokes = Keystrokes(self, super().on_event)

    @property
    def recorder(self) -> Recorder:
        """The file of recordings; safe in any thread, and opened when it is first written or read."""
        from sessions.recorder import Recorder, default_file

        with self._opening:
            if self._recorder is None:
                self._recorder = Recorder(self.options.db or default_file())
            return self._recorder

    def open_session(self, choice: Choice) -> Session:
        """Open what was chosen; reads files, so call it in a thread. Raises DataError and others with one line."""
        if self._opener is not None:
            return self._opener(choice)
        from tau_tui.opening import open_choice

        return open_choice(choice, self.recorder, self.clock)

    def get_default_screen(self) -> Screen[None]:
        """The first frame, which needs next to nothing; then the screen that was asked for, which gets the keys."""
        self.keystrokes.hold()
        options = self.options
        domain = options.domain or "tau-tui"
        if options.resume is not None:
            names = ("Conversation", "Trace", "Database")
            return FirstFrame(Facts("tau-tui", "taking up"), names, "tau_tui.screens.play", self._first_screen)
        if options.replay is not None:
            names = ("Conversation", "Steps", "Database")
            return FirstFrame(Facts("tau-tui", "REPLAY"), names, "tau_tui.screens.session_replay", self._first_screen)
        if options.gold:
            return FirstFrame(
                Facts(domain, "gold"), ("Steps", "Database"), "tau_tui.screens.replay", self._first_screen
            )
        if (table := options.table) is None:
            return FirstFrame(Facts(domain, "lobby"), ("Tasks",), "tau_tui.screens.lobby", self._first_screen)
        facts = Facts(
            domain,
            seats_text(table),
            table.view or "",
            modes_text(solo=table.solo, plan=table.plan, no_policy=table.no_policy, supervised=table.approve),
        )
        panes = ("Conversation", "Task") if table.view == "blind" else ("Conversation", "Trace", "Database")
        return FirstFrame(facts, panes, "tau_tui.screens.play", self._first_screen)

    def _first_screen(self) -> Screen[None]:
        options = self.options
        if options.gold:
            from tau_tui.screens.replay import gold_screen

            return gold_screen(options.domain or "airline", options.task or "#0", options.data)
        if options.replay is not None:
            from tau_tui.screens.session_replay import replay_screen

            return replay_screen(self, options.replay)
        if options.resume is not None:
            from tau_tui.screens.play import PlayScreen

            return PlayScreen(Choice("tau-tui", options.lobby, data=options.data, resume=options.resume))
        if options.table is None:
            from tau_tui.screens.lobby import LobbyScreen

            return LobbyScreen(options)
        from tau_tui.screens.play import PlayScreen

        return PlayScreen(Choice(options.domain or "airline", options.table, options.task, options.data))

    def get_driver_class(self) -> type[Driver]:
        """Pastes come whole."""
        return keep_pastes_whole(super().get_driver_class())

    async def on_event(self, event: events.Event) -> None:
        """Keys and pastes one after the other, everything else as it comes."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self.keystrokes.take(event)
        else:
            await super().on_event(event)

    def on_unmount(self) -> None:
        """Finish what is being written."""
        if self._recorder is not None:
            self._recorder.close()

    def on_notify(self) -> None:
        """Say one thing at a time: what is new takes the place of what was said before."""
        self.clear_notifications()

    # Going from screen to screen

    def start(self, choice: Choice) -> None:
        """Play what was chosen."""
        from tau_tui.screens.play import PlayScreen

        self._go(PlayScreen(choice))

    def resume(self, session_id: str) -> None:
        """Take up a session that was cut off."""
        self.start(Choice("", self.options.lobby, data=self.options.data, resume=session_id))

    def go_on(self, branch: Branch) -> None:
        """Begin a new session from a turn of another."""
        self.start(Choice("", self.options.lobby, data=self.options.data, branch=branch))

    def replay(self, session_id: str) -> None:
        """Go through a recorded session, over the screen that asks for it."""
        from tau_tui.screens.session_replay import session_screen

        self.push_screen(session_screen(self, session_id))

    def open_sessions(self) -> None:
        """List every session."""
        from tau_tui.screens.sessions import SessionsScreen

        if not isinstance(self.screen, SessionsScreen):
            self.push_screen(SessionsScreen())

    def open_lobby(self) -> None:
        """Let another task be chosen."""
        from tau_tui.screens.lobby import LobbyScreen

        if any(isinstance(screen, LobbyScreen) for screen in self.screen_stack):
            self._go_back()
        else:
            self._go(LobbyScreen(self.options))

    def _go(self, screen: Screen[None]) -> None:
        """Show a screen over the lobby, or in place of what is there."""
        from tau_tui.screens.lobby import LobbyScreen

        self._go_back()
        if isinstance(self.screen, FirstFrame | LobbyScreen):
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def _go_back(self) -> None:
        # Below everything lies the first frame, on it the screen that was asked for.
        while len(self.screen_stack) > 2:
            self.pop_screen()

    def refuse(self, error: Exception) -> None:
        """What was chosen cannot be played: tell it in the lobby, or leave when there is none."""
        from tau_tui.screens.lobby import LobbyScreen

        if (played := getattr(error, "session_id", "")) and type(error).__name__ == "BeingPlayed":
            self._offer_watching(error, played)
            return
        if any(isinstance(screen, LobbyScreen) for screen in self.screen_stack):
            self.open_lobby()
            self.notify(one_line(str(error)), severity="error", markup=False, timeout=20)
            return
        self.refusal = error
        self.exit(return_code=2)

    @work(exclusive=True, group="watch")
    async def _offer_watching(self, error: Exception, session_id: str) -> None:
        from tau_tui.screens.dialogs.choice import ChoiceDialog
        from tau_tui.screens.session_replay import session_screen

        answers = (("watch", "watch it live"), ("no", "no"))
        text = "Only one program can play a session. You can watch it: every event shows as soon as it is recorded."
        title = f"Session {session_id} is being played by another tau-tui"
        if await self.push_screen_wait(ChoiceDialog(title, text, answers)) == "watch":
            self._go(session_screen(self, session_id))
        else:
            self.refuse(RuntimeError(str(error)))

    # Leaving

    @property
    def playing(self) -> PlayScreen | None:
        """The screen of the session that has not ended, if any."""
        from tau_tui.screens.play import PlayScreen

        for screen in reversed(self.screen_stack):
            if isinstance(screen, PlayScreen) and screen.running:
                return screen
        return None

    async def action_quit(self) -> None:
        """Leave; with a session running, ask what shall become of it."""
        from tau_tui.screens.dialogs.choice import ChoiceDialog

        if isinstance(self.screen, ChoiceDialog) and self.screen.id == "quit":
            return
        if (screen := self.playing) is None:
            self.exit()
        else:
            self._ask(screen)

    @work(exclusive=True, group="quit")
    async def _ask(self, screen: PlayScreen) -> None:
        from tau_tui.screens.dialogs.choice import ChoiceDialog

        answers = (
            ("open", "leave it open: it can be taken up again where it is"),
            ("abandon", "abandon it: it ends here, with reward 0"),
            ("stay", "stay"),
        )
        text = "Everything so far is recorded, and so is what stands in the box."
        answer = await self.push_screen_wait(ChoiceDialog("Leave this session?", text, answers, id="quit"))
        if answer in ("open", "abandon") and await screen.leave(abandon=answer == "abandon"):
            self.exit()

    def action_keys(self) -> None:
        """Show the keys of the screen in front."""
        from tau_tui.screens.dialogs.keys import keys_of
        from tau_tui.screens.dialogs.text import TextDialog

        if not isinstance(self.screen, TextDialog):
            self.push_screen(TextDialog("Keys", keys_of(self.screen)))


def build_app(options: Options) -> TauApp:
    """Return the app for the command, the tests and the web alike."""
    return TauApp(options)
