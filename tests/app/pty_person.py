"""A person at the terminal: reads what was recorded, decides as an offline partner would, and presses the keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from domains.catalog import Domain
from domains.environment import Environment
from domains.task import Task
from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import Call, Event
from sessions.players.base import Action, Player, ToolCall, View
from sessions.recorder import Recorder
from sessions.trajectory import State, fold
from sessions.view import visible_turns
from tau_tui.widgets.argument_fields import Field, fields_of
from tests.app.pty_driver import Program

TYPED = 24
"""Characters a person types; what is longer is pasted, which takes a test less time."""


class Person:
    """Plays seats of the session that is open in a program. `minds` decide; only keys reach the program."""

    def __init__(self, program: Program, domain: Domain, task: Task, minds: Mapping[Seat, Player]) -> None:
        self.program = program
        self.task = task
        self.minds = minds
        self.env: Environment = domain.environment(task)
        self.domain = domain
        self._recorder = Recorder(recording(program.home))
        self._done = -1

    def events(self) -> list[Event]:
        """Return what is in the file now."""
        sessions = self._recorder.sessions()
        return self._recorder.events(sessions[0].id) if sessions else []

    def play(self, turns: int = 1000) -> State:
        """Act until somebody ends it, or for so many acts; return the last state that was seen."""
        self.program.wait_for("your turn")
        state = State()
        for _ in range(turns):
            state = self.wait_for_turn()
            seat = state.next
            if seat is None:
                break
            action = asyncio.run(self.minds[seat].act(self._view(state, seat)))
            self._done = state.next_index
            self.act(seat, action)
            if action.stop is not None:
                return state
        return state

    def wait_for_turn(self) -> State:
        """Wait until the screen says that it is this person's turn, or that the session has ended."""
        state = State()

        def mine(words: str) -> bool:
            nonlocal state
            if "your turn" not in words and "ended by" not in words:
                return False
            state = fold(self.events())
            if state.ended is not None:
                return "ended by" in words
            if not state.turns or state.next not in self.minds or state.next_index <= self._done:
                return False
            last = state.turns[-1]
            if last.stop is not None:  # the end is about to be recorded
                return False
            answered = all(done.result is not None for done in last.calls)
            return answered and f"· t{last.index}" in words

        self.program.wait_until(mine, "the person's turn")
        return state

    def _view(self, state: State, seat: Seat) -> View:
        return View(
            seat=seat,
            domain=self.domain.name,
            turns=visible_turns(state.turns, seat),
            tools=self.env.tools(seat),
            now=self.env.definition.now,
            policy=self.domain.policy if seat == "agent" else None,
            scenario=self.task.user_scenario if seat == "user" else None,
        )

    # Keys

    def act(self, seat: Seat, action: Action) -> None:
        """Press what an action needs."""
        if action.stop is not None:
            self.end(action.stop)
        elif action.calls:
            (call,) = action.calls
            self.call(seat, call)
        else:
            self.say(action.text)

    def say(self, text: str) -> None:
        """Type a message and send it."""
        if len(text) > TYPED:
            self.program.paste(text)
        else:
            self.program.type(text)
        self.program.wait_for(text.split()[-1])
        self.program.send("enter")

    def end(self, stop: str = "###STOP###") -> None:
        """Choose an ending in the menu."""
        self.program.send("f4")
        self.program.wait_for("abandon: leave without an ending")
        if stop == "###TRANSFER###":
            self.program.send("down")
        self.program.send("enter")

    def call(self, seat: Seat, call: ToolCall) -> None:
        """Pick the tool, fill in the form row by row, and make the call, with the confirmation a write asks for."""
        tool = next(tool for tool in self.env.tools(seat) if tool.name == call.name)
        self.program.send("f3")
        self.program.wait_for("which tool?")
        self.program.type(call.name)
        self.program.wait_until(lambda words: words.count(call.name) > 1, f"{call.name} in the list")
        self.program.send("enter")
        self.program.wait_for("Other tool")
        for field in fields_of(tool.parameters):
            if field.name in call.arguments:
                self.program.wait_for(f"{field.name}: {field.hint}")
                self._fill(field, call.arguments[field.name])
            self.program.send("tab")
        self.program.control("j")
        if tool.mutates:
            self.program.wait_for("writes to the database")
            self.program.send("enter")

    def _fill(self, field: Field, value: JSON) -> None:
        match field.shape:
            case "choice":
                self.program.send("enter")
                self.program.wait_for("Dismiss menu")
                self.program.type(str(value))
                self.program.send("enter")
                self.program.wait_gone("Dismiss menu")
            case "json":
                self.program.wait_for(field.example.split("\n")[1].strip())
                self.program.paste(json.dumps(value))
            case _:
                self.program.type(str(value))


def recording(home: Path) -> Path:
    """Return the file a program with this home records in."""
    return home / "data" / "tau-tui" / "sessions.db"


def calls(events: list[Event]) -> list[str]:
    """Return the names of the tools called."""
    return [event.name for event in events if isinstance(event, Call)]
