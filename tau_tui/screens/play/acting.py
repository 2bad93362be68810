"""What a person does: says, calls, ends, presses a key of the phone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from textual import on, work

from domains.toolkit import Seat, Tool
from domains.values import JSON
from sessions.players.base import Action, ToolCall
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.play.turns import Turns
from tau_tui.screens.pressing import arguments_of
from tau_tui.widgets.change_text import full_text, pretty
from tau_tui.widgets.composer import Composer
from tau_tui.widgets.phone import LastAnswer, Phone
from tau_tui.widgets.tool_field import TextInput

PATIENCE = 2.0
"""Seconds in which a session that has said whose turn it is begins to wait for the act."""

SLOW = 0.5
"""Seconds after which words that are still being kept (by a file that is locked) are shown as such."""


class Acting(Turns):
    """Takes the person's acts to the session, each of them once."""

    def _act(self, seat: Seat, action: Action) -> None:
        """Hand an act over; what is asked for a second time while that is under way is not done twice."""
        if not self._handing:
            self._handing = True
            self._hand_over(seat, action)

    @work(group="act")
    async def _hand_over(self, seat: Seat, action: Action) -> None:
        try:
            if not await self._submitted(seat, action):
                return
        finally:
            self._handing = False
        self._acting, self._acted_at = True, len(self.playing.events)
        if action.text:
            self._sending = (seat, action.text)
            self.set_timer(SLOW, self._show_unkept)
            self.composer.area.sent_off(action.text)
            self._words.pop(seat, None)
            self.panes.active = "conversation"
        if self.composer.mode != "message":  # who presses keys on the phone stays there
            self.composer.choose("message")
        self.composer.offer(None)

    async def _submitted(self, seat: Seat, action: Action) -> bool:
        from sessions.orchestrator import NotAllowed
        from sessions.players.human import NotYourTurn

        session = self.playing
        deadline = self.app.clock() + PATIENCE
        while True:
            try:
                session.submit(seat, action)
                return True
            except NotYourTurn as refusal:  # an event is shown a moment before the session waits for the next act
                if self.my_turn != seat or self.app.clock() > deadline:
                    self._refuse(str(refusal))
                    return False
                await asyncio.sleep(0.005)
            except NotAllowed as refusal:
                self._refuse(str(refusal))
                return False

    @on(Composer.Said)
    def _said(self, event: Composer.Said) -> None:
        if not self.composer.area.text.startswith(event.text):  # it has been sent, and Enter came twice
            return
        if self.session is not None and self.session.header.solo:
            self._refuse("solo: nobody reads messages, and one without a call ends it; F3 calls a tool, F4 ends")
        elif (seat := self.my_turn) is not None:
            self._act(seat, Action(text=event.text))
        else:
            opening = self.session is None or not self.session.events
            why = "the session is still being opened" if opening else "it is not your turn"
            self._refuse(f"{why}; what you wrote stays in the box")

    @on(Composer.Called)
    def _called(self, event: Composer.Called) -> None:
        if self.composer.mode != "tool":  # it has been made, and its form is closed
            return
        if event.what == "preview":
            self._preview(event.tool, event.arguments)
        else:
            self._call(event.tool, event.arguments)

    @work(exclusive=True, group="call")
    async def _call(self, tool: Tool, arguments: Mapping[str, JSON]) -> None:
        if (seat := self.my_turn) is None:
            self._refuse("it is not your turn")
            return
        if tool.mutates and self.app.options.confirm_writes:
            answers = (("call", f"call {tool.name}"), ("back", "back to the form"))
            dialog = ChoiceDialog(f"{tool.name} writes to the database", pretty(dict(arguments)), answers)
            if await self.app.push_screen_wait(dialog) != "call":
                return
        self._act(seat, Action(calls=(ToolCall(tool.name, arguments),)))

    @work(exclusive=True, group="call")
    async def _preview(self, tool: Tool, arguments: Mapping[str, JSON]) -> None:
        session = self.playing
        seat = self._seat
        if not await self._record(session.expose(seat, "preview", tool.name)):
            return
        result = session.env.preview(seat, tool.name, arguments)
        changes = full_text((*result.changes, *result.synced)) or "nothing would change"
        answer = "it would be refused" if result.error else "it would answer"
        parts = [("it would change", changes), (answer, pretty(result.content)), ("arguments", pretty(dict(arguments)))]
        self.app.push_screen(TextDialog(f"preview: {tool.name} (nothing has happened)", parts))

    @on(Composer.Closed)
    def _ending_picked(self, event: Composer.Closed) -> None:
        if (seat := self.my_turn) is None:
            self._refuse("it is not your turn")
        elif event.ending.stop is None:
            self._abandon(seat)
        elif self.playing.header.solo:
            self._act(seat, Action(calls=(ToolCall("done", {}),)))
        else:
            self._act(seat, Action(stop=event.ending.stop))

    @work(group="act")
    async def _abandon(self, seat: Seat) -> None:
        await self._record(self.playing.abandon(seat))

    @on(TextInput.Completed)
    async def _completed(self, event: TextInput.Completed) -> None:
        await self._record(self.playing.expose(self._seat, "completion", event.value))

    @on(Composer.Refused)
    def _refused(self, event: Composer.Refused) -> None:
        self._refuse(event.why)

    # The phone

    @on(Phone.Refused)
    def _phone_refused(self, event: Phone.Refused) -> None:
        self._refuse(f"the phone cannot be pressed now: {event.why}")

    @on(Phone.Pressed)
    def _phone_pressed(self, event: Phone.Pressed) -> None:
        if event.press is not None and event.press.form:
            self.composer.fill_in(event.tool)
        else:
            self._press(event)

    @work(exclusive=True, group="call")
    async def _press(self, event: Phone.Pressed) -> None:
        arguments = await arguments_of(self.app, event, confirm=self.app.options.confirm_writes)
        if arguments is None:
            return
        if (seat := self.my_turn) is not None:
            self._act(seat, Action(calls=(ToolCall(event.tool, arguments),)))
        else:
            self._refuse("it is not your turn")

    @on(LastAnswer.Opened)
    def _answer_opened(self, event: LastAnswer.Opened) -> None:
        answer = event.answer
        parts = [("error" if answer.error else "answer", pretty(answer.content))]
        if answer.arguments:
            parts.insert(0, ("arguments", pretty(dict(answer.arguments))))
        self.app.push_screen(TextDialog(answer.tool, parts))
