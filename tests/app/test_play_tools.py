"""The play screen's tool mode, its keys and commands, and leaving it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.widgets import Input

from domains.values import JSON
from sessions.event import Call, Draft, Ended, Exposure, Note, Result
from sessions.players.base import Action
from sessions.recorder import Recorder
from sessions.seating import Table
from tau_tui.palette import BindingCommands
from tau_tui.screens.dialogs.keys import keys_of
from tau_tui.widgets.document import SectionView
from tau_tui.widgets.tool_form import ToolForm
from tests.app.helpers import SIZES, SMALL, WIDE, Cued, Shelf, Stage, kinds, make_session, on_stage

BASE = make_session().domain.bases["agent"].tables
RESERVATION, RECORD = next(iter(BASE["reservations"].items()))
USER = RECORD["user_id"]


async def form(stage: Stage, tool: str) -> ToolForm:
    """Open a tool's form as the agent."""
    await stage.press("f3")
    await stage.type(tool)
    await stage.press("enter")
    await stage.until(lambda: stage.screen.query("#form-call"), "the form")
    return stage.screen.query_one(ToolForm)


def as_agent(**more: Any) -> Any:
    """A session in which the person is the agent and the customer has said something."""
    return make_session(user=Cued("script", f"I am {USER}, about {RESERVATION}", "yes"), **more)


# Forms


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_booking_is_typed_into_its_form_and_called(size: tuple[int, int]) -> None:
    values = {
        "user_id": USER,
        "origin": "[/b]",
        "destination": "$x",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": '[{"flight_number": "HAT001", "date": "2024-05-20"}]',
        "passengers": "[]",
        "payment_methods": "[]",
        "total_baggages": "2",
        "nonfree_baggages": "0",
        "insurance": "no",
    }
    async with on_stage(as_agent(), size=size, confirm_writes=False) as stage:
        await stage.turn("agent")
        opened = await form(stage, "book_res")
        opened.fill(values)
        await stage.press("ctrl+j")
        await stage.until(lambda: kinds(stage.session.events, Result), "called")
        (made,) = kinds(stage.session.events, Call)
        wanted: dict[str, JSON] = values | {
            "flights": json.loads(values["flights"]),
            "passengers": [],
            "payment_methods": [],
            "total_baggages": 2,
            "nonfree_baggages": 0,
        }
        assert made.arguments == wanted
        assert stage.screen.composer.mode == "message"


async def test_a_form_on_a_small_screen_keeps_its_buttons_and_the_conversation_in_sight() -> None:
    async with on_stage(as_agent(), size=SMALL) as stage:
        await stage.turn("agent")
        await form(stage, "book_res")
        assert "Call ^J" in stage.picture and "user_id *" in stage.picture and RESERVATION in stage.picture


async def test_in_15_lines_everything_of_the_list_and_of_a_form_is_on_the_screen() -> None:
    async with on_stage(as_agent(), size=(60, 15)) as stage:
        await stage.turn("agent")
        await stage.press("f3")
        await stage.until(lambda: "which tool?" in stage.picture, "the list")
        assert stage.screen.max_scroll_y == 0
        await stage.press("escape")
        await form(stage, "book_res")
        assert stage.screen.max_scroll_y == 0
        assert "Call ^J" in stage.picture


async def test_what_is_missing_or_does_not_fit_is_told_and_nothing_is_called() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        opened = await form(stage, "update_reservation_flights")
        await stage.press("ctrl+j")
        assert "reservation_id: this must be given" in stage.picture
        opened.fill(
            {"reservation_id": RESERVATION, "cabin": "economy", "payment_id": "x", "flights": '[\n {"date": }\n]'}
        )
        await stage.press("ctrl+j")
        assert "flights: line 2, column 11" in stage.picture
        assert not kinds(stage.session.events, Call)


async def test_a_nested_value_offers_a_skeleton_that_counts_for_nothing_untouched() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        opened = await form(stage, "update_reservation_flights")
        (nested,) = [row for row in opened.rows if row.field.shape == "json"]
        nested.control.focus()
        await stage.until(lambda: '"flight_number": ""' in stage.picture, "the skeleton")
        assert nested.typed == ""
        opened.rows[0].control.focus()
        await stage.until(lambda: '"flight_number": ""' not in stage.picture, "gone")


async def test_enter_goes_from_field_to_field_and_escape_back_to_the_list_and_the_box() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        opened = await form(stage, "get_flight_status")
        assert stage.screen.focused is opened.rows[0].control
        await stage.type("HAT001")
        await stage.press("enter")
        assert stage.screen.focused is opened.rows[1].control
        await stage.press("escape")
        assert stage.screen.composer.mode == "tool" and not stage.screen.composer.has_class("-form")
        await stage.press("escape")
        assert stage.screen.composer.has_class("-message")
        assert stage.screen.focused is stage.screen.composer.area


async def test_what_stood_in_a_form_stands_there_again_until_its_call_has_been_answered() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        typed = {"flight_number": "HAT001", "date": "2024-02-31"}
        opened = await form(stage, "get_flight_status")
        opened.fill(typed)
        await stage.press("escape", "escape")
        await form(stage, "get_user_details")
        await stage.press("escape", "escape")
        assert (await form(stage, "get_flight_status")).typed == typed
        await stage.press("ctrl+j")
        await stage.until(lambda: [r.error for r in kinds(stage.session.events, Result)] == [True], "refused")
        await stage.turn("agent")
        opened = await form(stage, "get_flight_status")
        assert opened.typed == typed
        flight = next(iter(BASE["flights"].items()))
        opened.fill({"flight_number": flight[0], "date": next(iter(flight[1]["dates"]))})
        await stage.press("ctrl+j")
        await stage.until(lambda: [r.error for r in kinds(stage.session.events, Result)] == [True, False], "answered")
        await stage.turn("agent")
        assert (await form(stage, "get_flight_status")).typed == {}


async def test_a_complaint_goes_once_its_field_is_put_right() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await form(stage, "get_flight_status")
        await stage.press("ctrl+j")
        assert "flight_number: this must be given" in stage.picture
        await stage.type("H")
        await stage.until(lambda: "flight_number: text, required" in stage.picture, "what is asked for, again")


async def test_the_list_is_filtered_as_one_types_and_names_the_owner() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f3")
        await stage.until(lambda: "calculate" in stage.picture, "all tools")
        await stage.type("certif")
        assert "send_certificate" in stage.picture and "calculate" not in stage.picture
        assert "agent" in stage.picture.split("send_certificate")[0].splitlines()[-2]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_kinds_stand_below_each_other_whatever_the_length_of_the_names(size: tuple[int, int]) -> None:
    async with on_stage(as_agent(), size=size) as stage:
        await stage.turn("agent")
        await stage.press("f3")
        await stage.type("reservation")
        rows = [row for row in stage.picture.splitlines() if " read " in row or " write " in row]
        assert any("update_reservation_passengers" in row for row in rows)
        assert len({min(at for kind in (" read ", " write ") if (at := row.find(kind)) > 0) for row in rows}) == 1


async def test_words_in_the_box_outlive_a_call() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.type("Let me see")
        opened = await form(stage, "list_all")
        assert not opened.rows
        await stage.press("ctrl+j")
        await stage.until(lambda: kinds(stage.session.events, Result), "called")
        await stage.turn("agent")
        assert stage.screen.composer.area.text == "Let me see"


async def test_a_user_without_tools_is_told_so() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.press("f3")
        await stage.until(lambda: "no tools" in stage.picture, "told")
        assert stage.screen.composer.mode == "message"


# Writes


async def test_a_write_is_confirmed_once_and_can_be_called_off() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        opened = await form(stage, "cancel_res")
        opened.fill({"reservation_id": RESERVATION})
        await stage.press("ctrl+j")
        await stage.dialog("ChoiceDialog")
        assert "writes to the database" in stage.picture and RESERVATION in stage.picture
        await stage.press("escape")
        assert not kinds(stage.session.events, Call)
        await stage.press("ctrl+j")
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
        await stage.until(lambda: kinds(stage.session.events, Result), "called")
        assert f"reservations {RESERVATION}" in stage.picture


async def test_a_preview_shows_what_would_change_changes_nothing_and_is_recorded_first() -> None:
    shelf = Shelf()
    async with on_stage(as_agent(keeper=shelf, view="blind")) as stage:
        await stage.turn("agent")
        opened = await form(stage, "cancel_res")
        opened.fill({"reservation_id": RESERVATION})
        await stage.press("ctrl+o")
        await stage.dialog("TextDialog")
        assert "status" in stage.picture and "cancelled" in stage.picture
        assert [e.kind for e in kinds(shelf.kept, Exposure)] == ["preview"]
        assert stage.session.env.changes() == ()
        await stage.press("escape")
        shelf.broken = "the disk is full"
        await stage.press("ctrl+o")
        await stage.until(lambda: stage.screen.banner.display, "the banner")
        assert type(stage.app.screen).__name__ != "TextDialog"


async def test_changes_left_by_a_call_that_failed_are_marked() -> None:
    from domains.database import Change
    from domains.values import ABSENT

    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        database = stage.screen.panes.database
        assert database is not None
        left = Change("agent", "reservations", RESERVATION, ("status",), ABSENT, "half done")
        database.called("cancel_reservation", (left,), (left,), failed=True)
        await stage.until(lambda: "left by a call that failed" in stage.picture, "marked")


# Ids


async def test_in_blind_view_only_ids_already_seen_are_completed() -> None:
    async with on_stage(as_agent(view="blind")) as stage:
        await stage.turn("agent")
        await form(stage, "get_user_details")
        await stage.type(USER[:3])
        await stage.until(lambda: stage.screen.focused._suggestion == USER, "seen in the conversation")  # type: ignore[union-attr]
        await stage.press("right")
        assert isinstance(stage.screen.focused, Input) and stage.screen.focused.value == USER
        stranger = next(key for key in BASE["users"] if key[:3] != USER[:3])
        stage.screen.focused.value = ""
        await stage.type(stranger[:6])
        assert stage.screen.focused._suggestion == ""
        assert not kinds(stage.session.events, Exposure)


async def test_an_id_taken_from_the_database_is_recorded_as_an_exposure() -> None:
    async with on_stage(as_agent(view="open")) as stage:
        await stage.turn("agent")
        await form(stage, "get_user_details")
        stranger = next(key for key in BASE["users"] if key[:3] != USER[:3])
        await stage.type(stranger[:-1])
        await stage.until(lambda: stage.screen.focused._suggestion == stranger, "from the database")  # type: ignore[union-attr]
        await stage.press("right")
        await stage.until(lambda: kinds(stage.session.events, Exposure)[-1].kind == "completion", "recorded")
        assert kinds(stage.session.events, Exposure)[-1].detail == stranger


# Keys, commands, palette


async def test_every_binding_has_an_id_a_tooltip_a_group_and_a_place_in_the_palette() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await form(stage, "cancel_res")
        nodes = [stage.app, stage.screen, *stage.screen.query("*")]
        ours = [
            binding
            for node in nodes
            if type(node).__module__.startswith("tau_tui")
            for binding in type(node).__dict__.get("BINDINGS", ())
        ]
        assert len(ours) > 20
        for binding in ours:
            assert isinstance(binding, Binding)
            assert binding.id and binding.tooltip, binding
        provider = BindingCommands(stage.screen)
        offered = " ".join([hit.text or "" async for hit in provider.discover()])
        for binding in ours:
            if type(binding) is Binding and binding.id.startswith("play."):  # type: ignore[union-attr]
                assert binding.tooltip in offered


EDITING = {f"ctrl+{letter}" for letter in "aekuwdf"} | {f"ctrl+{letter}" for letter in "tnwr"} | {"f5", "f11"}


async def test_no_key_collides_with_those_of_a_text_or_of_a_browser() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await form(stage, "cancel_res")
        for node in (stage.app, stage.screen, *stage.screen.query("*")):
            if type(node).__module__.startswith("tau_tui"):
                for binding in type(node).__dict__.get("BINDINGS", ()):
                    assert not EDITING & set(binding.key.split(",")), binding


KEYS = ["f1", "f2", "f3", "f4", "f6", "f7", "f8", "f9", "f12", "ctrl+g", "escape"]


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=str)
async def test_every_key_can_be_pressed_and_escape_leads_back_to_the_box(size: tuple[int, int]) -> None:
    async with on_stage(as_agent(), size=size) as stage:
        await stage.turn("agent")
        for key in KEYS:
            await stage.press(key)
            for _ in range(3):
                await stage.press("escape")
            await stage.until(lambda: stage.app.screen is stage.screen, f"{key}: closed")
            assert stage.screen.focused is stage.screen.composer.area, key
            assert not stage.screen.panes.zoomed
        assert stage.screen.my_turn == "agent"


async def test_the_keys_are_told_on_f1() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f1")
        await stage.dialog("TextDialog")
        assert "Call a tool" in stage.picture
        told = "\n".join(lines for _, lines in keys_of(stage.screen))
        assert "/scenario" in told and "Take back your last message" in told


async def test_f1_tells_the_keys_of_a_dialog_over_it_and_escape_leads_back() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f2")
        document = await stage.dialog("DocumentDialog")
        await stage.press("f1")
        await stage.dialog("TextDialog")
        assert "Search this text" in stage.picture and "Fold this section" in stage.picture
        assert stage.picture.count("Show every key") == 1
        await stage.press("f1", "escape")
        await stage.until(lambda: stage.app.screen is document, "back in the policy")


async def test_f1_over_a_question_leaves_it_unanswered() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f10")
        question = await stage.dialog("ChoiceDialog")
        await stage.press("f1")
        await stage.dialog("TextDialog")
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is question, "back at the question")


async def test_any_pane_zooms() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        for name in ("conversation", "trace", "database"):
            pane = stage.screen.panes.pane(name)
            assert pane is not None
            pane.body.focus()
            await stage.until(lambda name=name: stage.screen.panes.active == name, name)  # type: ignore[misc]
            await stage.press("f6")
            await stage.until(lambda pane=pane: pane.size.width == WIDE[0] - 1 or pane.size.width >= 150, name)  # type: ignore[misc]
            await stage.press("f6")


async def test_a_resize_keeps_everything() -> None:
    async with on_stage(as_agent(), size=WIDE) as stage:
        await stage.turn("agent")
        await stage.type("half a sentence")
        for size in (SMALL, WIDE, (120, 36), SMALL):
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause()
            assert stage.screen.composer.area.text == "half a sentence"
            assert RESERVATION in stage.picture
            assert stage.screen.focused is stage.screen.composer.area


async def test_typing_over_a_pane_goes_into_the_box() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        stage.screen.panes.conversation.focus()
        await stage.type("hello")
        assert stage.screen.composer.area.text == "hello"
        stage.screen.composer.area.empty()
        stage.screen.panes.conversation.focus()
        await stage.type("/un")
        assert "/undo" in stage.picture and "/scenario" not in stage.picture


async def test_keys_of_a_pane_stay_its_own() -> None:
    async with on_stage(as_agent(view="blind")) as stage:
        await stage.turn("agent")
        policy = stage.screen.panes.document("policy")
        assert policy is not None
        policy.focus()
        await stage.press("minus")
        assert stage.screen.composer.area.text == ""
        assert all(view.folded for view in policy.query(SectionView) if view.section.title)


async def test_who_speaks_sees_the_conversation_again() -> None:
    async with on_stage(as_agent(), size=SMALL) as stage:
        await stage.turn("agent")
        await stage.press("f9")
        assert stage.screen.panes.active == "trace"
        await stage.press("escape")
        await stage.say("hello")
        await stage.until(lambda: "hello" in stage.said, "said")
        assert stage.screen.panes.active == "conversation"
        assert "hello" in stage.picture


async def test_a_mouse_selects_words_of_the_conversation() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        block = stage.screen.panes.conversation.blocks[0]
        await stage.pilot.mouse_down(block, offset=(8, 0))
        await stage.pilot.hover(block, offset=(11, 0))
        await stage.pilot.mouse_up(block, offset=(11, 0))
        await stage.until(lambda: stage.screen.get_selected_text(), "selected")
        assert "Hi! How can I help you today?".startswith(stage.screen.get_selected_text() or "-")


async def test_a_note_is_written_with_a_key_or_a_command() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f7")
        await stage.dialog("NoteDialog")
        await stage.type("odd [/b]")
        await stage.press("enter")
        await stage.until(lambda: kinds(stage.session.events, Note), "kept")
        await stage.type("/note and again")
        await stage.press("enter")
        await stage.until(lambda: len(kinds(stage.session.events, Note)) == 2, "kept")
        assert [(note.text, note.turn) for note in kinds(stage.session.events, Note)] == [
            ("odd [/b]", 1),
            ("and again", 1),
        ]


# Documents


async def test_the_policy_folds_and_is_searched() -> None:
    async with on_stage(as_agent()) as stage:
        await stage.turn("agent")
        await stage.press("f2")
        dialog = await stage.dialog("DocumentDialog")
        await stage.until(lambda: dialog.query(SectionView), "sections")
        everything = len(dialog.query(SectionView))
        await stage.press("minus")
        assert all(view.folded for view in dialog.query(SectionView) if view.section.title)
        await stage.press("slash")
        await stage.type("certificate")
        shown = [view for view in dialog.query(SectionView) if view.display]
        assert 0 < len(shown) < everything
        assert not any(view.folded for view in shown)


async def test_the_scenario_is_on_f2_with_its_short_rules_open() -> None:
    async with on_stage(make_session(agent=Cued("oracle"))) as stage:
        await stage.turn("user")
        await stage.press("f2")
        dialog = await stage.dialog("DocumentDialog")
        await stage.until(lambda: dialog.query(SectionView), "sections")
        folded = {view.section.title: view.folded for view in dialog.query(SectionView)}
        assert folded["What you know"] is False
        assert folded["How you behave"] is False


# Leaving, and the real thing


async def test_leaving_keeps_the_words_and_the_session_open(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    async with on_stage(db=file, table=Table(play="user"), task="3") as stage:
        await stage.turn("user")
        await stage.type("not yet sent")
        await stage.press("ctrl+q")
        await stage.dialog("ChoiceDialog")
        await stage.press("escape")
        await stage.press("ctrl+q")
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
        await stage.until(lambda: stage.app._exit, "left")
    (row,) = Recorder(file).sessions()
    assert (row.task_id, row.reason, row.turns) == ("3", None, 1)
    assert kinds(Recorder(file).events(row.id), Draft)[-1].text == "not yet sent"


async def test_leaving_by_abandoning_ends_the_session(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    async with on_stage(db=file, table=Table(play="user"), task="#3") as stage:
        await stage.turn("user")
        await stage.press("ctrl+q")
        await stage.dialog("ChoiceDialog")
        await stage.press("down", "enter")
        await stage.until(lambda: stage.app._exit, "left")
    (row,) = Recorder(file).sessions()
    assert row.reason == "abandoned"
    assert kinds(Recorder(file).events(row.id), Ended)


async def test_the_user_plays_against_the_oracle_to_reward_1(tmp_path: Path) -> None:
    from domains import load_domain
    from sessions.players.script import ScriptUser

    domain = load_domain("airline")
    script = ScriptUser(domain, domain.task("0"), seed=0)
    async with on_stage(db=tmp_path / "sessions.db", table=Table(play="user"), task="0") as stage:
        while True:
            await stage.until(lambda: stage.screen.my_turn == "user" or stage.session.state.ended, "a turn or the end")
            if stage.session.state.ended:
                break
            action: Action = await script.act(stage.session.view("user"))
            if action.stop is not None:
                await stage.press("f4", "enter")
            else:
                before = len(stage.session.events)
                await stage.say(action.text)
                await stage.until(lambda before=before: len(stage.session.events) > before, "heard")  # type: ignore[misc]
        await stage.dialog("ResultScreen")
        assert stage.session.state.scored is not None
        assert stage.session.state.scored.reward == 1.0


async def test_what_cannot_be_opened_is_handed_to_the_command_line() -> None:
    from domains.errors import DataError
    from tau_tui.app import TauApp
    from tau_tui.options import Options
    from tests.app.helpers import wait_until

    app = TauApp(Options(domain="airline", table=Table(play="user"), task="no such task"))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.refusal is not None, "refused")
    assert isinstance(app.refusal, DataError)
    assert "no such task" in str(app.refusal)
    assert app.return_code == 2


def test_nothing_heavy_is_imported_for_the_screens() -> None:
    code = (
        "import sys; import tau_tui.app, tau_tui.screens.play;"
        "heavy = {'pydantic', 'litellm', 'numpy', 'scipy', 'sqlite_utils', 'domains.catalog', 'domains.task',"
        " 'sessions.session', 'sessions.recorder'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
