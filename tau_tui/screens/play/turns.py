"""Whose turn it is: what the seat can do then, who is waited for, and the header."""

from __future__ import annotations

from domains.toolkit import Seat
from tau_tui.going_on import away
from tau_tui.screens.play.base import PlayBase
from tau_tui.task_list import sitting
from tau_tui.widgets.argument_fields import Field
from tau_tui.widgets.composer import Offer
from tau_tui.widgets.header import Facts, modes_text
from tau_tui.widgets.tool_field import Ids

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Turns(PlayBase):
    """Offers and tells."""

    def _turn(self) -> None:
        """Offer what the seat whose turn it is can do, and tell who is waited for."""
        self._tick()
        session, composer = self.playing, self.composer
        seat = self.my_turn
        if (phone := self.panes.phone) is not None:
            phone.why = self._phone_refusal(seat)
        if seat is None:
            composer.offer(None)
            self.say_waiting()
            return
        if seat != self._seat:
            self._words[self._seat] = composer.area.text
            self._seat = seat
            self.panes.turn_to(seat)
            composer.area.write(self._words.get(seat, session.state.drafts.get(seat, "")))
        solo = session.header.solo
        composer.offer(Offer(seat, session.view(seat).tools, self._ids, self._last_words(), solo=solo))
        both = len(session.people) > 1
        composer.tell(f"your turn as the {seat}" if both else "your turn")
        say = "nobody reads messages: F3 tool, F4 end" if solo else "type a message"
        composer.place(f"{f'say as the {seat}' if both else say} …   Enter send · / commands · F1 keys")
        self._announce()

    def _phone_refusal(self, seat: Seat | None) -> str:
        """Say why the phone cannot be pressed, nothing when it can."""
        session = self.playing
        if seat is not None:
            mine = seat == "user" or session.header.solo
            return "" if mine else "it is the customer's phone, and the agent cannot press it"
        if session.state.ended is not None:
            return "the session has ended"
        if session.people == ("agent",) and not session.header.solo:
            return "it is the customer's phone, and the agent cannot press it"
        return "it is not your turn"

    def say_waiting(self) -> None:
        """Tell who is waited for, and what they do."""
        if self._unrecorded:
            again = "R tries again" if self.banner.display else "trying again …"
            self.composer.tell(f"not recorded · {again}")
            self.composer.place("what you write here stays   ·   Escape goes to what failed")
            return
        if self.session is None or (seat := self.session.state.next) is None:
            return
        if (failure := self.session.state.failure) is not None:
            self.composer.tell(f"failed · {'R tries again · ' if failure.retryable else ''}O other ways on")
            self.composer.place("what you write here stays   ·   Escape goes to what failed")
            return
        name = self.session.players[seat].info.name
        spinner = "" if self.has_class("-present") else f"{SPINNER[self._spin % len(SPINNER)]} "
        who = f"the {seat}" if seat in self.session.people else name
        status = self.partners.status(seat) if self.partners is not None else "is acting …"
        self.composer.tell(f"{spinner}{who} {status}")
        watching = "you are watching   ·   Ctrl+S takes a seat · / commands · F1 keys"
        stop = " · Esc stops it" if self.partners is not None and self.partners.stoppable(seat) else ""
        ahead = f"{who} is acting …   you may write ahead{stop}"
        self.composer.place(ahead if self.session.people else watching)

    def _spinning(self) -> None:
        if self.session is not None and self.my_turn is None and self.running and not self.banner.display:
            self._spin += 1
            self.say_waiting()

    def _announce(self) -> None:
        if self.app.options.bell:
            self.app.bell()

    def _tick(self) -> None:
        session = self.session
        if session is None or not session.events:
            return
        state, begun = session.state, session.events[0].at + away(session.events)
        until = state.ended.at if state.ended is not None else self.app.clock()
        header = session.header
        remark = f"fork of …{header.parent[-6:]} at t{header.parent_turn}" if header.parent else ""
        supervised = session.supervisor is not None
        shown = session.task.id if header.spoilers else self._number
        self.header.show(
            Facts(
                f"{session.header.domain} {shown}",
                sitting(state.players),
                session.header.view,
                modes_text(solo=header.solo, plan=header.plan, no_policy=header.no_policy, supervised=supervised),
                now=session.env.definition.now.replace("T", " ")[:16],
                turn=state.turns[-1].index if state.turns else 0,
                elapsed=None if self.has_class("-present") else max(0.0, until - begun),
                remark=" · ".join(filter(None, (remark, "" if state.ended is None else "ended"))),
            )
        )

    def _last_words(self) -> str:
        """Return the agent's last message as the seat heard it."""
        turns = self.playing.view(self._seat).turns
        return next((turn.text for turn in reversed(turns) if turn.seat == "agent" and turn.text), "")

    def _ids(self, field: Field) -> Ids:
        from tau_tui.completing import database_ids, seen_ids

        session = self.playing
        seen = seen_ids(session.view(self._seat).turns, field.name)
        blind = session.header.view == "blind"
        return Ids(seen, () if blind else database_ids(session.env, field.name))
