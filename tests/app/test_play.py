"""The play screen: playing by hand, what each view shows, what text survives, and what the box makes of keys."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Button, OptionList

from sessions.event import Call, Draft, Ended, Exposure, Message, Result, Scored, Undone
from sessions.limits import Limits
from sessions.players.base import Action, ToolCall
from tau_tui.widgets.conversation import RESIDENTS, Entry
from tau_tui.widgets.safe_text import safe
from tau_tui.widgets.tool_form import ToolForm
from tests.app.helpers import (
    HOSTILE,
    SIZES,
    SMALL,
    Cued,
    PlayerFailure,
    Shelf,
    Stage,
    Still,
    kinds,
    make_session,
    on_stage,
)

USER = next(iter(make_session().domain.bases["agent"].tables["users"]))
RESERVATION = next(iter(make_session().domain.bases["agent"].tables["reservations"]))


async def call(stage: Stage, tool: str, values: dict[str, str], *, keys: tuple[str, ...] = ("ctrl+j",)) -> None:
    """Open a tool's form, fill it in and press keys."""
    await stage.press("f3")
    await stage.type(tool)
    await stage.press("enter")
    await stage.until(lambda: stage.screen.query(ToolForm) and stage.screen.query_one(ToolForm).rows, "the form")
    stage.screen.query_one(ToolForm).fill(values)
    await stage.press(*keys)


# Playing


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_both_seats_are_played_by_hand_to_a_recorded_reward(size: tuple[int, int]) -> None:
    shelf = Shelf()
    async with on_stage(make_session(keeper=shelf), size=size) as stage:
        await stage.turn("user")
        await stage.say("I want to cancel.")
        await stage.turn("agent")
        await call(stage, "get_user", {"user_id": USER})
        await stage.until(lambda: kinds(stage.session.events, Result), "the result")
        await stage.turn("agent")
        await call(stage, "cancel_res", {"reservation_id": RESERVATION})
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
        await stage.until(lambda: len(kinds(stage.session.events, Result)) == 2, "the write")
        await stage.turn("agent")
        await stage.say("It is cancelled.")
        await stage.turn("user")
        await stage.press("f4", "enter")
        await stage.until(lambda: kinds(shelf.kept, Scored), "scored")
        await stage.dialog("ResultScreen")
    assert [type(event) for event in shelf.kept if isinstance(event, Message | Call | Result | Ended)] == [
        Message, Message, Call, Result, Call, Result, Message, Message, Ended,
    ]  # fmt: skip
    assert kinds(shelf.kept, Ended)[0].reason == "user_stop"


async def test_what_is_shown_has_been_kept_before() -> None:
    shelf = Shelf()
    async with on_stage(make_session(keeper=shelf)) as stage:
        await stage.turn("user")
        shelf.broken = "sessions.db: the disk is full; free some space, then try again"
        await stage.say("first")
        await stage.until(lambda: stage.screen.banner.display, "the banner")
        assert stage.said[-1] == "first" and "not recorded yet" in stage.picture
        assert not [event for event in kinds(shelf.kept, Message) if event.text == "first"]
        assert "the disk is full" in stage.picture and "press R" in stage.picture
        shelf.broken = ""
        await stage.press("r")
        await stage.turn("agent")
        assert stage.said[-1] == "first"
        assert not stage.screen.banner.display


async def test_words_that_cannot_be_recorded_stay_in_sight_and_are_sent_once() -> None:
    shelf = Shelf()
    async with on_stage(make_session(agent=Cued("oracle", "yes?"), keeper=shelf)) as stage:
        await stage.turn("user")
        shelf.broken = "sessions.db: the disk is full; free some space, then try again"
        await stage.say("Cancel my flight.")
        for tried in range(1, 3):
            await stage.not_recorded(shelf, tried)
            assert "Cancel my flight." in stage.picture and "not recorded yet" in stage.picture
            assert "not recorded · R tries again" in stage.picture and "is acting" not in stage.picture
            assert stage.screen.my_turn is None
            if tried == 1:
                await stage.press("r")
        shelf.broken = ""
        await stage.press("r")
        await stage.turn("user")
        assert stage.said == ["Hi! How can I help you today?", "Cancel my flight.", "yes?"]
        assert "not recorded" not in stage.picture
        assert [event.text for event in kinds(shelf.kept, Message)] == stage.said


async def test_words_that_wait_for_a_locked_recording_stay_in_sight() -> None:
    shelf = Shelf()
    async with on_stage(make_session(agent=Cued("oracle", "yes?"), keeper=shelf)) as stage:
        await stage.turn("user")
        shelf.free.clear()
        await stage.say("Cancel my flight.")
        await stage.until(lambda: "not recorded yet" in stage.picture, "told")
        assert "Cancel my flight." in stage.picture
        shelf.free.set()
        await stage.turn("user")
        assert stage.said == ["Hi! How can I help you today?", "Cancel my flight.", "yes?"]


async def test_an_end_that_cannot_be_recorded_is_told_until_it_is() -> None:
    shelf = Shelf()
    async with on_stage(make_session(agent=Cued("oracle"), keeper=shelf)) as stage:
        await stage.turn("user")
        shelf.broken = "sessions.db: locked; another program holds it"
        await stage.press("f4", "enter")
        for tried in range(1, 3):
            await stage.not_recorded(shelf, tried)
            assert "not recorded · R tries again" in stage.picture
            if tried == 1:
                await stage.press("r")
        shelf.broken = ""
        await stage.press("r")
        await stage.dialog("ResultScreen")
        assert len(kinds(shelf.kept, Ended)) == 1


async def test_a_partner_that_fails_is_shown_and_can_be_tried_again() -> None:
    agent = Cued("model", PlayerFailure("the model cannot be reached"), "Here I am.")
    async with on_stage(make_session(agent=agent)) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: stage.screen.banner.display, "the banner")
        assert "the model cannot be reached" in stage.said
        assert stage.session.state.ended is None
        await stage.press("r")
        await stage.turn("user")
        assert stage.said[-1] == "Here I am."


async def test_while_the_partner_acts_one_may_write_ahead() -> None:
    cue = asyncio.Event()
    async with on_stage(make_session(agent=Cued("oracle", cue, "yes?"))) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: "oracle is acting" in stage.picture, "waiting is told")
        await stage.type("next words")
        await stage.press("enter")
        assert stage.screen.composer.area.text == "next words"
        cue.set()
        await stage.turn("user")
        assert stage.screen.composer.area.text == "next words"
        assert stage.said == ["Hi! How can I help you today?", "hello", "yes?"]


async def test_an_unanswered_message_is_taken_back_into_the_box() -> None:
    cue = asyncio.Event()
    async with on_stage(make_session(agent=Cued("oracle", cue, "x"))) as stage:
        await stage.turn("user")
        await stage.say("helo")
        await stage.until(lambda: "helo" in stage.said, "shown")
        await stage.press("f8")
        await stage.turn("user")
        assert "helo" not in stage.said
        assert stage.screen.composer.area.text == "helo"
        assert kinds(stage.session.events, Undone)


async def test_in_both_seats_words_taken_back_stand_in_the_box_of_the_seat_that_said_them() -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        await stage.say("helo")
        await stage.turn("agent")
        await stage.press("f8")
        await stage.turn("user")
        assert stage.screen.composer.area.text == "helo"
        await stage.say("hello")
        await stage.turn("agent")
        assert stage.screen.composer.area.text == ""


async def test_what_is_answered_cannot_be_taken_back_and_the_way_back_is_named_and_one_press_away() -> None:
    async with on_stage(make_session(agent=Cued("oracle", "yes?"))) as stage:
        await stage.turn("user")
        await stage.say("helo")
        await stage.until(lambda: "yes?" in stage.said, "answered")
        await stage.press("f8")
        await stage.until(
            lambda: any("F10 or /rewind goes back" in n.message for n in stage.app._notifications), "told"
        )
        assert not kinds(stage.session.events, Undone)
        await stage.press("f10")
        dialog = await stage.dialog("ChoiceDialog")
        answers = dialog.query_one(OptionList)
        assert str(answers.get_option_at_index(answers.highlighted).prompt) == "t1 user: helo"


# What each view shows

SECRET = ToolCall("get_user_details", {"user_id": USER})


def chatty_agent() -> Cued:
    return Cued("oracle", Action(text="Looking that up.", calls=(SECRET,)), "Found you.")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_blind_view_shows_the_user_no_call_and_no_words_that_went_with_one(size: tuple[int, int]) -> None:
    async with on_stage(make_session(agent=chatty_agent(), view="blind"), size=size) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: "Found you." in stage.said, "the answer")
        assert stage.said == ["Hi! How can I help you today?", "hello", "Found you."]
        for _ in range(3):
            assert "get_user_details" not in stage.picture
            await stage.press("f9")
        assert stage.screen.panes.trace is None
        assert stage.screen.panes.database is None
        assert not kinds(stage.session.events, Exposure)


async def test_open_view_marks_words_that_went_with_a_call() -> None:
    async with on_stage(make_session(agent=chatty_agent())) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: "Found you." in stage.said, "the answer")
        entry = stage.screen.panes.conversation.entry("t2")
        assert entry is not None and entry.mark == "with a call: get_user_details"
        assert "get_user_details" in stage.picture


async def test_an_agent_in_blind_view_has_chat_own_calls_and_policy() -> None:
    async with on_stage(make_session(user=Cued("script", "I am " + USER), view="blind")) as stage:
        await stage.turn("agent")
        assert [pane.name for pane in stage.screen.panes.panes] == ["conversation", "trace", "policy"]
        assert "Handbook" in stage.picture
        await call(stage, "get_user", {"user_id": USER})
        await stage.until(lambda: stage.screen.panes.trace and stage.screen.panes.trace.rows, "own call")


async def test_a_user_in_blind_view_has_chat_and_task() -> None:
    session = make_session(agent=Cued("oracle"), view="blind")
    async with on_stage(session) as stage:
        await stage.turn("user")
        assert [pane.name for pane in stage.screen.panes.panes] == ["conversation", "scenario"]
        assert "Why you are in contact" in stage.picture


async def test_both_seats_in_blind_view_get_their_own_documents() -> None:
    async with on_stage(make_session(view="blind")) as stage:
        await stage.turn("user")
        assert "scenario" in [pane.name for pane in stage.screen.panes.panes]
        await stage.say("hello")
        await stage.turn("agent")
        assert "policy" in [pane.name for pane in stage.screen.panes.panes]
        assert "scenario" not in [pane.name for pane in stage.screen.panes.panes]


async def test_the_header_tells_task_seats_view_and_time_and_shrinks() -> None:
    clock = Still()
    async with on_stage(make_session(agent=Cued("oracle"), clock=clock), clock=clock) as stage:
        await stage.turn("user")
        clock.at += 151
        stage.screen._tick()
        await stage.pilot.pause()
        assert stage.picture.split("\n")[0].strip() == "airline #0 · USER/oracle · open · 2024-05-15 15:00 · t0 · 02:31"
        await stage.pilot.resize_terminal(*SMALL)
        await stage.until(lambda: "02:31" not in stage.picture, "the short form")
        assert stage.picture.split("\n")[0].strip() == "airline #0 · USER/oracle · open · t0"


async def test_the_goal_is_shown_only_when_asked_for_twice_and_never_unrecorded() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.press("ctrl+g")
        await stage.dialog("ChoiceDialog")
        await stage.press("escape")
        assert not [e for e in kinds(stage.session.events, Exposure) if e.kind == "goal"]
        assert stage.screen.panes.database and not stage.screen.panes.database.goal_is_known
        await stage.press("ctrl+g")
        await stage.dialog("ChoiceDialog")
        await stage.press("down", "enter")
        await stage.until(lambda: stage.screen.panes.database and stage.screen.panes.database.goal_is_known, "shown")
        assert [e for e in kinds(stage.session.events, Exposure) if e.kind == "goal"]


# Text that survives


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_words_of_a_partner_survive_and_steer_nothing(size: tuple[int, int]) -> None:
    async with on_stage(make_session(agent=Cued("oracle", *HOSTILE)), size=size) as stage:
        for text in HOSTILE:
            await stage.turn("user")
            await stage.say("go on")
            await stage.until(lambda text=text: stage.said[-1] == text, repr(text))  # type: ignore[misc]
            assert str(stage.screen.panes.conversation.blocks[-1].visual) == safe(text)
            assert harmless(stage.picture)


def harmless(picture: str) -> bool:
    """Tell whether nothing on the screen steers a terminal."""
    return not any(c in picture for c in "\x1b\x07\u202e\ud83d")


async def test_calls_and_results_survive_in_trace_database_and_full_view() -> None:
    calls = [ToolCall(text, {"user_id": text, text: text}) for text in HOSTILE[::3]]
    calls += [
        ToolCall("update_reservation_passengers", {"reservation_id": RESERVATION, "passengers": passengers(text)})
        for text in HOSTILE[::2]
    ]
    agent = Cued("oracle", Action(calls=tuple(calls)), "done")
    async with on_stage(make_session(agent=agent, limits=Limits(max_errors=100))) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: "done" in stage.said, "the answer")
        assert harmless(stage.picture)
        trace, database = stage.screen.panes.trace, stage.screen.panes.database
        assert trace is not None and database is not None
        trace.focus()
        for row in range(0, len(calls), 2):
            trace.highlighted = row
            await stage.press("enter")
            await stage.dialog("TextDialog")
            assert harmless(stage.picture)
            await stage.press("escape")
        database.focus()
        await stage.press("enter")
        await stage.dialog("TextDialog")
        assert harmless(stage.picture)


def passengers(text: str) -> list[dict[str, str]]:
    record = make_session().domain.bases["agent"].tables["reservations"][RESERVATION]
    return [{"first_name": text, "last_name": text, "dob": "1990-01-01"} for _ in record["passengers"]]


async def test_a_message_of_50000_characters_is_met_at_its_top() -> None:
    text = "word " * 10_000
    async with on_stage(make_session(agent=Cued("oracle", text)), size=SMALL) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: len(stage.said) == 3, "the answer")
        assert stage.said[-1] == text
        block = stage.screen.panes.conversation.blocks[-1]
        await stage.until(lambda: block.virtual_region.height > 100, "laid out")
        conversation = stage.screen.panes.conversation
        await stage.until(lambda: round(conversation.scroll_y) == block.virtual_region.y, "at its top")
        assert conversation.following


async def test_300_lines_stay_300_lines() -> None:
    text = "\n".join(f"line {i}" for i in range(300))
    async with on_stage(make_session(agent=Cued("oracle", text)), size=SMALL) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: len(stage.said) == 3, "the answer")
        assert str(stage.screen.panes.conversation.blocks[-1].visual) == text


async def test_what_a_person_writes_is_sent_as_it_is() -> None:
    texts = [text for text in HOSTILE if "\ud83d" not in text] + ["please ###STOP### that"]
    async with on_stage(make_session(agent=Cued("oracle", *["and?"] * len(texts)))) as stage:
        for text in texts:
            await stage.turn("user")
            await stage.paste(text)
            assert harmless(stage.picture)
            await stage.press("enter")
            await stage.until(lambda text=text: text in stage.said, repr(text))  # type: ignore[misc]
            message = [m for m in kinds(stage.session.events, Message) if m.seat == "user"][-1]
            assert (message.text, message.stop) == (text, None)
        assert stage.session.state.ended is None


# The box


@pytest.mark.parametrize("text", ["one\ntwo\nthree", "/quit\ntwo\nthree", "/end"])
async def test_a_paste_is_one_message_also_when_it_begins_like_a_command(text: str) -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.paste(text)
        await stage.press("enter")
        await stage.until(lambda: len(stage.said) == 2, "sent")
        assert stage.said[-1] == text
        assert len(kinds(stage.session.events, Message)) == 2


async def test_typed_lines_make_one_message() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.type("/a path")
        await stage.press("ctrl+j")
        await stage.type("b")
        await stage.press("shift+enter")
        await stage.type("c")
        await stage.press("enter")
        await stage.until(lambda: len(stage.said) == 2, "sent")
        assert stage.said[-1] == "/a path\nb\nc"


async def test_a_message_that_has_no_place_yet_does_not_send_the_view_to_the_top() -> None:
    async with on_stage(make_session(agent=Cued("oracle")), size=SMALL) as stage:
        await stage.turn("user")
        conversation = stage.screen.panes.conversation
        for number in range(20):
            conversation.add(Entry(f"n{number}", "user", "you", f"message {number}", own=True))
        await stage.until(lambda: conversation.max_scroll_y and conversation.scroll_y, "scrolled")
        await stage.until(lambda: conversation.blocks[-1].virtual_region.height, "laid out")
        before = conversation.scroll_y
        conversation.add(Entry("long", "agent", "agent", "line\n" * 40))
        conversation._settle()
        assert conversation.scroll_y == before
        await stage.until(lambda: conversation.scroll_y == conversation.blocks[-1].virtual_region.y, "at its top")
        assert conversation.scroll_y > before
        assert stage.screen.panes.panes[0].unseen == 0


async def test_a_slash_opens_the_commands_and_typing_filters_them() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.type("/")
        assert "/scenario" in stage.picture and "/undo" in stage.picture
        await stage.type("en")
        assert "/end" in stage.picture and "/undo" not in stage.picture
        await stage.press("enter")
        assert stage.screen.composer.mode == "end"
        assert stage.screen.composer.area.text == ""


async def test_an_unknown_command_can_be_sent_as_a_message() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.type("/etc/passwd is a file")
        assert "as a message" in stage.picture
        await stage.press("enter")
        assert "there is no command /etc/passwd; Enter again sends it as a message" in stage.picture
        assert len(stage.said) == 1
        await stage.press("enter")
        await stage.until(lambda: len(stage.said) == 2, "sent")
        assert stage.said[-1] == "/etc/passwd is a file"


async def test_words_after_a_slash_are_a_message_when_pasted_or_on_two_lines() -> None:
    async with on_stage(make_session(agent=Cued("oracle", "and?"))) as stage:
        await stage.turn("user")
        await stage.paste("/foo")
        await stage.burst("enter")
        await stage.until(lambda: len(stage.said) == 3, "pasted")
        await stage.turn("user")
        await stage.burst(*"/foo", "ctrl+j", *"bar", "enter")
        await stage.until(lambda: len(stage.said) == 4, "typed")
        assert [stage.said[1], stage.said[3]] == ["/foo", "/foo\nbar"]


async def test_a_slash_within_a_message_is_a_slash() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.type("a/end")
        assert "/undo" not in stage.picture
        await stage.press("enter")
        await stage.until(lambda: stage.said[-1] == "a/end", "sent")


async def test_arrow_up_on_the_first_line_brings_back_what_was_sent() -> None:
    async with on_stage(make_session(agent=Cued("oracle", "and?", "and?"))) as stage:
        for text in ("first", "second"):
            await stage.turn("user")
            await stage.say(text)
            await stage.until(lambda text=text: text in stage.said, "sent")  # type: ignore[misc]
        await stage.turn("user")
        await stage.type("unsent")
        await stage.press("up")
        assert stage.screen.composer.area.text == "second"
        await stage.press("up")
        assert stage.screen.composer.area.text == "first"
        await stage.press("down", "down")
        assert stage.screen.composer.area.text == "unsent"


async def test_what_stands_in_the_box_is_recorded_when_the_box_is_left() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.type("half a though")
        await stage.press("tab")
        await stage.until(lambda: kinds(stage.session.events, Draft), "the draft")
        assert stage.session.state.drafts["user"] == "half a though"


async def test_each_seat_keeps_its_own_words() -> None:
    async with on_stage(make_session()) as stage:
        await stage.turn("user")
        assert "as the user" in stage.picture
        await stage.say("hello")
        await stage.turn("agent")
        assert "as the agent" in stage.picture
        assert stage.screen.composer.area.text == ""


# Ending


@pytest.mark.parametrize(
    ("downs", "stop"), [(0, "###STOP###"), (1, "###TRANSFER###"), (2, "###OUT-OF-SCOPE###")], ids=str
)
async def test_the_end_menu_ends_with_the_benchmarks_tokens(downs: int, stop: str) -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.press("f4", *["down"] * downs, "enter")
        await stage.until(lambda: stage.session.state.ended, "the end")
        assert kinds(stage.session.events, Message)[-1].stop == stop
        assert kinds(stage.session.events, Message)[-1].text == ""


async def test_abandoning_ends_without_a_token() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.press("f4", "down", "down", "down", "enter")
        await stage.until(lambda: stage.session.state.ended, "the end")
        assert kinds(stage.session.events, Ended)[0].reason == "abandoned"


async def test_ending_warns_when_the_agent_has_just_promised_something() -> None:
    async with on_stage(make_session(agent=Cued("oracle", "One moment, I will cancel it."))) as stage:
        await stage.turn("user")
        await stage.press("f4")
        assert "has just asked something" in stage.picture  # the greeting is a question
        await stage.press("escape")
        await stage.say("cancel it")
        await stage.until(lambda: len(stage.said) == 3, "the answer")
        await stage.turn("user")
        await stage.press("f4")
        assert "I will" in stage.picture and "may not be done yet" in stage.picture


# Reading


async def test_a_reader_who_has_scrolled_back_is_left_there_and_told_what_is_new() -> None:
    cue = asyncio.Event()
    long = "\n".join(f"line {i}" for i in range(60))
    async with on_stage(make_session(agent=Cued("oracle", long, cue, "news")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.say("hello")
        await stage.until(lambda: len(stage.said) == 3, "the long answer")
        await stage.turn("user")
        await stage.say("go on")
        conversation = stage.screen.panes.conversation
        await stage.until(lambda: conversation.scroll_y == conversation.max_scroll_y > 0, "at the newest")
        conversation.scroll_home(animate=False)
        await stage.until(lambda: conversation.scroll_y == 0, "scrolled back")
        cue.set()
        await stage.until(lambda: stage.said[-1] == "news", "the news")
        await stage.until(lambda: "1 new" in stage.picture, "the badge")
        assert conversation.scroll_y == 0
        conversation.focus()
        await stage.press("end")
        await stage.until(lambda: "1 new" not in stage.picture, "read")
        assert "news" in stage.picture


async def test_a_long_conversation_keeps_few_blocks_and_loads_earlier_ones() -> None:
    async with on_stage(make_session(agent=Cued("oracle")), size=SMALL) as stage:
        await stage.turn("user")
        conversation = stage.screen.panes.conversation
        for i in range(120):
            conversation.add(Entry(f"more{i}", "agent", "agent", f"answer {i}"))
        await stage.until(lambda: len(conversation.blocks) == RESIDENTS, "a window")
        assert conversation.blocks[-1].entry.text == "answer 119"
        for first in ("answer 0", "Hi! How can I help you today?"):
            stage.screen.query_one("#earlier", Button).press()
            await stage.until(lambda first=first: conversation.blocks[0].entry.text == first, first)  # type: ignore[misc]
        assert len(conversation.blocks) == RESIDENTS
        conversation.focus()
        await stage.press("end")
        await stage.until(lambda: conversation.blocks[-1].entry.text == "answer 119", "the newest again")


async def test_with_no_color_nothing_on_the_screen_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_stage(make_session(agent=Cued("oracle", "Hello"))) as stage:
        await stage.turn("user")
        styles = {seg.style for strip in stage.screen._compositor.render_strips() for seg in strip if seg.style}
        colors = {color.get_truecolor() for s in styles for color in (s.color, s.bgcolor) if color is not None}
        assert len(colors) > 2
        assert [color for color in colors if len(set(color)) > 1] == []
