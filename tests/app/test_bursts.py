"""Keys that come in one burst, as fast typing over a slow line hands them over: each acts on what the last one made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.events import Key
from textual.widgets import OptionList

from domains import load_domain
from sessions.event import Call, Event, Message, Result
from sessions.players.human import NotYourTurn
from sessions.players.oracle import OracleAgent
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.screens.dialogs.document import DocumentDialog
from tau_tui.screens.dialogs.mark import MarkDialog
from tau_tui.screens.dialogs.note import NoteDialog
from tau_tui.screens.dialogs.save_task import SaveTaskDialog
from tau_tui.screens.dialogs.text import TextDialog
from tau_tui.screens.first_frame import FirstFrame
from tau_tui.screens.lobby import LobbyScreen
from tau_tui.screens.play import PlayScreen
from tau_tui.widgets.message_area import MessageArea
from tau_tui.widgets.tool_form import ToolForm
from tau_tui.widgets.transcript import TranscriptScreen
from tests.app.helpers import SMALL, Cued, Shelf, kinds, make_session, on_stage

RESERVATION = next(iter(make_session().domain.bases["agent"].tables["reservations"]))


def pick(tool: str) -> tuple[str, ...]:
    return ("f3", *tool, "enter")


async def test_a_write_confirmed_twice_is_made_once_and_the_session_goes_on() -> None:
    shelf = Shelf()
    async with on_stage(make_session(user=Cued("script", "hello"), keeper=shelf)) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("cancel_res"), *RESERVATION, "ctrl+j", "enter", "enter", "enter")
        await stage.until(lambda: kinds(shelf.kept, Result), "the call is answered")
        await stage.turn("agent")
        assert stage.app.screen is stage.screen
        assert [call.arguments for call in kinds(shelf.kept, Call)] == [{"reservation_id": RESERVATION}]
        assert isinstance(stage.screen.focused, MessageArea)


async def test_what_is_typed_after_tab_goes_into_the_next_field() -> None:
    async with on_stage(make_session(user=Cued("script", "hello"))) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("search_direct"), *"SEA", "tab", *"MSP", "tab", *"2024-05-23")
        form = stage.screen.query_one(ToolForm)
        assert [row.typed for row in form.rows] == ["SEA", "MSP", "2024-05-23"]


async def test_letters_choose_and_what_is_typed_takes_the_place_of_the_pattern() -> None:
    async with on_stage(make_session(user=Cued("script", "hello"))) as stage:
        await stage.turn("agent")
        flights = '[{"flight_number": "HAT001", "date": "2024-05-23"}]'
        await stage.burst(*pick("update_reservation_fl"), *RESERVATION, "tab", *"ba", "tab", *flights, "tab", *"x")
        form = stage.screen.query_one(ToolForm)
        assert [row.typed for row in form.rows] == [RESERVATION, "basic_economy", flights, "x"]


async def test_the_pattern_of_a_nested_value_is_taken_over_with_an_arrow_and_is_nothing_untouched() -> None:
    async with on_stage(make_session(user=Cued("script", "hello"))) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("update_reservation_pas"), "tab")
        row = stage.screen.query_one(ToolForm).rows[1]
        assert '"first_name": ""' in stage.picture and row.typed == ""
        await stage.burst("right", *"Joy", "right", "tab")
        assert '{"first_name": "Joy", "last_name": ""' in row.typed
        await stage.burst("shift+tab", "ctrl+a")
        row.fill("")
        await stage.burst("right", "tab")
        assert row.typed == ""


@pytest.mark.parametrize(
    ("letters", "chosen"),
    [("b", "business"), ("bb", "basic_economy"), ("ba", "basic_economy"), ("bae", "economy"), ("E", "economy")],
)
async def test_letters_add_up_and_one_again_goes_to_the_next(letters: str, chosen: str) -> None:
    async with on_stage(make_session(user=Cued("script", "hello"))) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("update_reservation_fl"), "tab", *letters)
        assert stage.screen.query_one(ToolForm).rows[1].typed == chosen


async def test_a_paste_does_not_overtake_the_keys_before_it() -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        stage.screen.composer.area.write("old")
        stage.app.post_message(Key("ctrl+u", None))
        await stage.paste("new")
        assert stage.screen.composer.area.text == "new"


async def test_a_message_sent_with_two_enters_is_said_once() -> None:
    shelf = Shelf()
    async with on_stage(make_session(keeper=shelf)) as stage:
        await stage.turn("user")
        await stage.burst(*"hello", "enter", "enter")
        await stage.turn("agent")
        assert [message.text for message in kinds(shelf.kept, Message)][1:] == ["hello"]


DIALOGS: dict[str, Callable[[list[Event]], Dialog[Any]]] = {
    "choice": lambda events: ChoiceDialog("sure?", "", [("yes", "yes"), ("no", "no")]),
    "document": lambda events: DocumentDialog("Policy", ()),
    "mark": lambda events: MarkDialog([(0, "hello")], by="me"),
    "note": lambda events: NoteDialog("turn 0"),
    "save_task": lambda events: SaveTaskDialog(events),
    "text": lambda events: TextDialog("a text", [("", "words")]),
    "transcript": lambda events: TranscriptScreen(()),
}


@pytest.mark.parametrize("kind", DIALOGS)
async def test_a_dialog_is_closed_once_and_takes_no_other_screen_with_it(kind: str) -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        events: list[Event] = list(stage.session.events)
        dialog = DIALOGS[kind](events)
        answers: list[object] = []
        stage.app.push_screen(dialog, answers.append)
        await stage.until(lambda: stage.app.screen is dialog and dialog.is_mounted, "the dialog")
        dialog.dismiss(None)
        dialog.dismiss(None)
        await stage.until(lambda: stage.app.screen is stage.screen, "the session")
        await stage.pilot.pause()
        assert stage.app.screen is stage.screen
        assert answers == [None]


async def test_a_dialog_under_another_one_closes_nothing() -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        below, above = (ChoiceDialog(title, "", [("yes", "yes")]) for title in ("below", "above"))
        await stage.app.push_screen(below)
        await stage.app.push_screen(above)
        below.query_one(OptionList).action_select()
        await stage.pilot.pause()
        assert stage.app.screen_stack[-2:] == [below, above]
        await stage.burst("escape", "escape", "escape")
        assert stage.app.screen is stage.screen


async def test_one_thing_is_said_at_a_time_and_nothing_lies_over_the_reward() -> None:
    async with on_stage(make_session(agent=Cued("oracle", "yes?"))) as stage:
        await stage.turn("user")
        await stage.burst(*("f12",) * 4)
        await stage.until(lambda: stage.app._notifications, "it is told")
        assert len(stage.app._notifications) == 1
        await stage.burst("f4", "enter")
        await stage.dialog("ResultScreen")
        assert not stage.app._notifications


async def test_the_result_says_that_a_mistake_was_asked_for_and_that_a_write_left_out_was_claimed() -> None:
    domain = load_domain("airline")
    agent = OracleAgent(domain, domain.task("0"), slips=1, seed=2)
    async with on_stage(make_session(agent=agent), size=SMALL) as stage:
        await stage.turn("user")
        await stage.burst("f4", "enter")
        result = await stage.dialog("ResultScreen")
        await stage.until(lambda: result.report, "explained")
        first = result.report.lines[0]
        assert first.text == "Deliberate: the oracle was asked to err once (oracle:slips=1)"
        assert first.children[0].text.startswith("partially completed: says it is done, and leaves it out: book a")
        assert first.text in stage.picture
        keys = stage.picture.strip().splitlines()[-1]
        assert keys.strip() == "f3 Next f4 Again f6 Seat f7 Mark f8 Note f9 Talk esc Lobby ^q Quit f1 Keys"


async def test_nobody_is_left_with_the_first_frame() -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        while not isinstance(stage.app.screen, FirstFrame):
            stage.app.pop_screen()
        await stage.until(lambda: isinstance(stage.app.screen, LobbyScreen), "the lobby")
        assert not any(isinstance(screen, PlayScreen) for screen in stage.app.screen_stack)


class Slow(Shelf):
    """Keeps a call only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.calling = asyncio.Event()
        self.go_on = asyncio.Event()

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event, a call on cue."""
        if isinstance(event, Call):
            self.calling.set()
            await self.go_on.wait()
        await super().append(session_id, seq, event)


async def test_a_call_whose_screen_is_gone_is_kept_with_its_result() -> None:
    shelf = Slow()
    async with on_stage(make_session(user=Cued("script", "hello"), keeper=shelf), confirm_writes=False) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("cancel_res"), *RESERVATION, "ctrl+j")
        await stage.until(shelf.calling.is_set, "the call is made")
        leaving = asyncio.ensure_future(stage.screen.remove())
        await stage.pilot.pause()
        shelf.go_on.set()
        await leaving
        await stage.until(lambda: kinds(shelf.kept, Result), "the result")


class Held(Shelf):
    """Keeps a result only when it is told to: the instant between a call and its result, as long as one likes."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def append(self, session_id: str, seq: int, event: Event) -> None:
        """Keep one event, a result on cue."""
        if isinstance(event, Result):
            await self.go_on.wait()
        await super().append(session_id, seq, event)


async def test_between_a_call_and_its_result_it_is_nobodys_turn() -> None:
    shelf = Held()
    async with on_stage(make_session(user=Cued("script", "hello"), keeper=shelf)) as stage:
        await stage.turn("agent")
        await stage.burst(*pick("list_all"), "ctrl+j")
        await stage.until(lambda: kinds(shelf.kept, Call), "the call")
        await stage.burst(*"done", "enter", "enter")
        assert stage.screen.my_turn is None
        assert stage.screen.composer.area.text == "done"
        shelf.go_on.set()
        await stage.turn("agent")
        assert len(stage.said) == 2


async def test_what_is_typed_while_a_message_is_being_sent_stays_in_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    async with on_stage(make_session(user=Cued("script", "hi", "hm"), keeper=shelf)) as stage:
        await stage.turn("agent")
        session, ready = stage.screen.playing, False
        submit = session.submit

        def slowly(*act: Any) -> None:
            if not ready:
                raise NotYourTurn("the session does not wait yet")
            submit(*act)

        monkeypatch.setattr(session, "submit", slowly)
        area = stage.screen.composer.area
        await stage.burst(*"hello", "enter", *"more")
        assert area.text == "hellomore"
        ready = True
        await stage.until(lambda: len(kinds(shelf.kept, Message)) == 4, "the answer")
        assert [message.text for message in kinds(shelf.kept, Message)][1:] == ["hi", "hello", "hm"]
        assert area.text == "more"
        assert area.cursor_location == (0, 4)


async def test_an_act_that_is_asked_for_twice_before_the_session_takes_it_is_done_once() -> None:
    shelf = Shelf()
    async with on_stage(make_session(keeper=shelf)) as stage:
        await stage.turn("user")
        screen = stage.screen
        await stage.type("hello")
        for _ in range(3):
            screen.composer.post_message(screen.composer.Said("hello"))
        await stage.turn("agent")
        await stage.burst(*pick("list_all"))
        form = screen.query_one(ToolForm)
        for _ in range(3):
            form.post_message(form.Submitted(form.tool, {}, "call"))
        await stage.until(lambda: kinds(shelf.kept, Result), "the result")
        await stage.turn("agent")
        assert len(kinds(shelf.kept, Call)) == 1
        assert [message.text for message in kinds(shelf.kept, Message)][1:] == ["hello"]
