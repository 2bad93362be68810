"""What a person looks at: panes, documents, calls and changes in full, the goal, the result."""

from __future__ import annotations

import asyncio

from textual import events, on, work

from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.document import DocumentDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.panes import Panes
from tau_tui.screens.play.keeping import Keeping
from tau_tui.widgets.change_text import full_text, pretty
from tau_tui.widgets.db_diff import DatabaseDiff
from tau_tui.widgets.pane import Pane
from tau_tui.widgets.sections import of_policy, of_scenario
from tau_tui.widgets.segments import Segments
from tau_tui.widgets.trace import Trace


class Looking(Keeping):
    """Shows what is asked for, and records what the benchmark would have hidden."""

    def action_zoom(self) -> None:
        """Let the active pane fill the screen, or no longer."""
        self.panes.zoomed = not self.panes.zoomed
        self.set_class(self.panes.zoomed, "-zoomed")
        pane = self.panes.pane(self.panes.active)
        if self.panes.zoomed and pane is not None:
            pane.body.focus()
        elif not self.panes.zoomed:
            self.composer.area.focus()

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self.panes.next()

    def action_document(self) -> None:
        """Show the scenario to the user, the policy to the agent."""
        self._open_document("scenario" if self._seat == "user" else "policy")

    def _open_document(self, name: str) -> None:
        session = self.session
        if session is None:
            return
        if name == "policy" and ("agent" in session.people or session.header.view != "blind"):
            policy = session.view("agent").policy
            sections = of_policy(policy) if policy is not None else of_policy("This session is played without it.")
            self.app.push_screen(DocumentDialog("Policy", sections))
        elif name == "scenario" and ("user" in session.people or session.header.view != "blind"):
            self.app.push_screen(DocumentDialog("Scenario", of_scenario(session.task.user_scenario)))
        else:
            self._refuse(f"in blind view the {self._seat} does not see the {name}")

    @on(DatabaseDiff.Asked)
    def _asked(self, event: DatabaseDiff.Asked) -> None:
        self._compare_with(event.basis)

    @on(Segments.Chosen, "#bases")
    def _basis_clicked(self, event: Segments.Chosen) -> None:
        self._compare_with(event.name)

    def _compare_with(self, basis: str) -> None:
        database = self.panes.database
        if database is None:
            return
        if basis == "goal" and not database.goal_is_known:
            self.action_goal()
        else:
            database.choose(basis)

    @work(exclusive=True, group="goal")
    async def action_goal(self) -> None:
        """Show the goal, once it is plain that this is wanted, and recorded that it was done."""
        from domains.errors import DataError
        from tau_tui.finishing import goal_changes

        session, database = self.session, self.panes.database
        if session is None or not session.events:
            return
        if session.state.ended is None and not (database is not None and database.goal_is_known):
            answers = (("no", "no, play on"), ("yes", "reveal it, and record that it was revealed"))
            text = "The goal gives the answer away. The session stays marked for it, and statistics can leave it out."
            if await self.app.push_screen_wait(ChoiceDialog("Reveal the goal?", text, answers)) != "yes":
                return
            if not await self._record(session.expose(self._seat, "goal")):
                return
        try:
            changes = await asyncio.to_thread(goal_changes, session)
        except DataError as error:
            self._refuse(str(error))
            return
        if database is not None:
            database.reveal(changes)
            self.panes.active = "database"
        else:
            self.app.push_screen(TextDialog("Goal", [("", full_text(changes) or "the goal changes nothing")]))

    def action_result(self) -> None:
        """Show the result, once there is one."""
        from tau_tui.screens.result import ResultScreen

        if self.session is None or self.session.state.ended is None:
            self._refuse("the session has not ended; F4 ends it")
        elif self._scored and not self._leaving:
            self.app.push_screen(ResultScreen(self.session, self._verdict, self._trouble))

    # What the panes say

    @on(Panes.Relabelled)
    def _relabelled(self, event: Panes.Relabelled) -> None:
        tabs = self.query_one("#tabs", Segments)
        tabs.rename(event.labels)
        tabs.active = event.active

    @on(Segments.Chosen, "#tabs")
    def _tab_clicked(self, event: Segments.Chosen) -> None:
        self.panes.active = event.name

    @on(Trace.Opened)
    def _call_opened(self, event: Trace.Opened) -> None:
        done = event.row.done
        parts = [("arguments", pretty(dict(done.call.arguments)))]
        if done.result is not None:
            changes = (*done.result.changes, *(done.synced.changes if done.synced else ()))
            if changes:
                left = "changes left by the call that failed" if done.result.error else "changes"
                parts.append((left, full_text(changes)))
            parts.append(("error" if done.result.error else "result", pretty(done.result.content)))
        self.app.push_screen(TextDialog(f"{done.call.name} · {event.row.kind or 'no such tool'}", parts))

    @on(DatabaseDiff.Opened)
    def _changes_opened(self, event: DatabaseDiff.Opened) -> None:
        self.app.push_screen(TextDialog(event.title, [("", full_text(event.changes) or "nothing has changed")]))

    def on_key(self, event: events.Key) -> None:
        """Typing over a pane writes into the box."""
        bound = event.key in self.active_bindings
        if self._beside_the_box and not bound and event.is_printable and event.character:
            event.stop()
            self.composer.area.focus()
            self.composer.area.begin(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """So does pasting."""
        if self._beside_the_box:
            event.stop()
            self.composer.area.focus()
            self.composer.area.post_message(events.Paste(event.text))

    @property
    def _beside_the_box(self) -> bool:
        """Whether a pane has the focus while the box is open for words."""
        inside = self.focused is not None and any(isinstance(node, Pane) for node in self.focused.ancestors)
        return inside and self.composer.mode == "message"
