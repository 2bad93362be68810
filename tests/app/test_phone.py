"""The phone of the customer: what it shows, to whom, when it can be pressed, and what a press is."""

from __future__ import annotations

import asyncio

import pytest

from domains import load_domain
from domains.values import JSON
from sessions.event import Result
from sessions.players.base import ToolCall
from tau_tui.screens.dialogs.choice import ChoiceDialog
from tau_tui.widgets.phone.face import Face
from tau_tui.widgets.phone.key import Key, TileKey
from tau_tui.widgets.phone.knowledge import Answer, answers_in, known_from, live
from tau_tui.widgets.phone.phone import LastAnswer
from tau_tui.widgets.phone.tiles import APP_LOOKS, TOOLS, WRITES
from tau_tui.widgets.tool_form import ToolForm
from tests.app.helpers import HOSTILE, SIZES, SMALL, WIDE, Cued, kinds, make_session, on_stage
from tests.app.telecom_stage import PICTURES, at_telecom, telecom

# What is known


def test_the_phone_is_made_of_exactly_the_customers_thirty_tools() -> None:
    tools = load_domain("telecom").environment().tools("user")
    assert {tool.name for tool in tools} == TOOLS
    assert {tool.name for tool in tools if tool.mutates} == WRITES


def test_nothing_is_known_before_a_tool_has_told() -> None:
    known = known_from(())
    assert (known.facts, known.apps, known.last) == ({}, (), None)


def test_a_look_tells_what_its_page_says_and_no_more() -> None:
    env = load_domain("telecom").environment()
    page = env.call("user", "check_network_status", {}).content
    known = known_from([Answer("check_network_status", {}, page, turn=3)])
    assert set(known.facts) == {"airplane", "data", "roaming", "wifi", "connection", "sim"}
    assert known.facts["airplane"].value == "OFF"
    assert known.facts["connection"].turn == 3


def test_having_looked_at_everything_one_knows_what_open_view_shows() -> None:
    env = load_domain("telecom").environment(load_domain("telecom").task(PICTURES))
    pages: list[tuple[str, dict[str, JSON]]] = [(name, {}) for name in sorted(TOOLS - WRITES - set(APP_LOOKS))]
    pages += [("check_app_status", {"app_name": app}) for app in ("messaging", "browser")]
    known = known_from(Answer(name, args, env.call("user", name, args).content) for name, args in pages)
    everything = live(env)
    assert known.facts == everything.facts
    assert known.apps == everything.apps == ("messaging", "browser")


def test_a_press_tells_what_it_answered_and_makes_older_looks_old() -> None:
    known = known_from(
        [
            Answer("check_wifi_calling_status", {}, "Wi-Fi Calling is currently turned ON.", turn=2),
            Answer("toggle_data", {}, "Mobile Data is now OFF.\nStatus Bar: 📶³ Good | 4G | 🔋 80%", turn=4),
        ]
    )
    assert (known.facts["wifi_calling"].value, known.facts["wifi_calling"].old) == ("ON", True)
    assert (known.facts["data"].value, known.facts["data"].old, known.facts["data"].turn) == ("OFF", False, 4)
    assert known.facts["status_bar"].value == "📶³ Good | 4G | 🔋 80%"


def test_a_refusal_and_an_error_teach_nothing() -> None:
    known = known_from(
        [
            Answer("toggle_wifi", {}, "Cannot change Wi-Fi settings while Airplane Mode is ON.\nStatus Bar: ✈️"),
            Answer("check_sim_status", {}, "Error: Tool 'check_sim_status' not found.", error=True),
            Answer("check_app_status", {"app_name": "gallery"}, "App 'gallery' not found on this phone."),
        ]
    )
    assert set(known.facts) == {"status_bar"}
    assert known.apps == ()


def test_a_permission_granted_to_an_app_nobody_has_looked_at_is_not_the_whole_list() -> None:
    granted = Answer(
        "grant_app_permission",
        {"app_name": "messaging", "permission": "sms"},
        "Success. Permission 'sms' granted to app 'messaging'.\nStatus Bar: 🔋 80%",
    )
    looked = Answer(
        "check_app_permissions",
        {"app_name": "messaging"},
        "App 'messaging' has permission for: storage, phone.",
    )
    assert known_from([granted]).facts["app:messaging"].value == "+ sms"
    assert known_from([looked, granted]).facts["app:messaging"].value == "storage, phone, sms"


# On the screen


@pytest.mark.parametrize("size", SIZES)
async def test_everything_on_the_phone_is_on_the_screen_and_within_reach_of_the_arrow_keys(
    size: tuple[int, int],
) -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=size) as stage:
        await stage.turn("user")
        stage.phone.focus()
        await stage.pilot.pause()
        for words in ("Airplane mode", "Picture message", "Network mode", "To pay", "Installed apps", "restart"):
            assert words in stage.picture
        face = stage.phone.query_one(Face)
        keys = face.keys
        reached, steps = {keys[0]}, [keys[0]]
        while steps:
            key = steps.pop()
            for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
                if (near := face.towards(key, dx, dy)) is not None and near not in reached:
                    reached.add(near)
                    steps.append(near)
        assert reached == set(keys)


@pytest.mark.parametrize("size", SIZES)
async def test_a_tap_is_the_customers_own_call_and_only_then_is_a_value_shown(size: tuple[int, int]) -> None:
    async with at_telecom(telecom(task=PICTURES, agent=Cued("agent")), size=size) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        assert isinstance(stage.app.focused, TileKey)
        assert all(key.reading is None for key in stage.phone.query(TileKey))
        call = await stage.tapped(stage.tile("mms"))
        assert (call.seat, call.name, call.arguments) == ("user", "can_send_mms", {})
        assert stage.shown("mms") == "cannot"
        assert {key.tile.name for key in stage.phone.query(TileKey) if key.reading is not None} == {"mms"}
        assert "Your messaging app cannot send MMS messages." in stage.picture
        assert stage.app.focused is stage.tile("mms")


async def test_a_switch_shows_what_the_tool_answered_and_the_focus_stays_on_it() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        call = await stage.tapped(stage.key("switch", "airplane"))
        assert call.name == "toggle_airplane_mode"
        assert stage.shown("airplane") == "ON"
        assert "✈️ Airplane Mode" in (stage.shown("status_bar") or "")
        assert "Airplane Mode is now ON." in stage.picture
        assert stage.app.focused is stage.key("switch", "airplane")


async def test_the_mouse_presses_too() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=WIDE) as stage:
        await stage.turn("user")
        await stage.pilot.click(stage.key("switch", "data"))
        await stage.until(lambda: stage.shown("data"), "the switch has answered")
        assert [call.name for call in stage.calls] == ["toggle_data"]


async def test_a_setting_with_choices_asks_which_and_escape_calls_it_off() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        await stage.tap(stage.key("choose…", "mode"))
        await stage.dialog("ChoiceDialog")
        await stage.press("escape")
        assert stage.calls == []
        await stage.tap(stage.key("choose…", "mode"))
        await stage.dialog("ChoiceDialog")
        await stage.press("down", "enter")
        await stage.until(lambda: stage.shown("mode"), "the mode is set")
        assert stage.calls[-1].arguments == {"mode": "4g_only"}
        assert stage.shown("mode") == "4g_only"


async def test_apps_appear_when_they_are_looked_up_and_can_be_given_a_permission() -> None:
    async with at_telecom(telecom(task=PICTURES, agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        assert "messaging" not in stage.picture
        await stage.tapped(stage.tile("apps"))
        await stage.until(lambda: any(key.tile.name == "app:messaging" for key in stage.phone.query(TileKey)), "apps")
        assert stage.shown("app:messaging") is None
        call = await stage.tapped(stage.tile("app:messaging"))
        assert (call.name, call.arguments) == ("check_app_permissions", {"app_name": "messaging"})
        assert "sms" not in (stage.shown("app:messaging") or "")
        await stage.tap(stage.key("allow…", "app:messaging"))
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
        await stage.until(lambda: "sms" in (stage.shown("app:messaging") or ""), "the permission is granted")
        assert stage.calls[-1].arguments == {"app_name": "messaging", "permission": "sms"}


async def test_settings_that_need_more_than_a_choice_open_their_form() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        await stage.tap(stage.key("edit…", "apn"))
        await stage.until(lambda: stage.screen.query(ToolForm), "the form is open")
        assert stage.screen.query_one(ToolForm).tool.name == "set_apn_settings"
        assert "your phone" in stage.picture
        assert stage.calls == []


async def test_paying_is_asked_once_more() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        await stage.tap(stage.key("pay", "payment"))
        await stage.dialog("ChoiceDialog")
        await stage.press("down", "enter")
        await stage.until(lambda: not isinstance(stage.app.screen, ChoiceDialog), "closed")
        assert stage.calls == []
        await stage.tap(stage.key("pay", "payment"))
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
        await stage.until(lambda: stage.calls, "paid")
        assert stage.calls[-1].name == "make_payment"


async def test_a_long_answer_opens_in_full() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        await stage.tapped(stage.tile("connection"))
        stage.phone.query_one(LastAnswer).focus()
        await stage.press("enter")
        await stage.dialog("TextDialog")
        assert "Wi-Fi Connected: No" in stage.picture


async def test_a_task_that_restricts_the_tools_leaves_the_other_keys_out() -> None:
    session = telecom(agent=Cued("agent"), user_tools=["toggle_data", "run_speed_test"])
    async with at_telecom(session, size=SMALL) as stage:
        await stage.turn("user")
        stage.phone.focus()
        await stage.pilot.pause()
        offered = [key.press.tool if key.press else key.tile.looks for key in stage.phone.query(Key)]
        assert "toggle_data" in offered
        assert "toggle_airplane_mode" not in offered
        assert "Network mode" not in stage.picture
        await stage.tap(stage.tile("data"))  # its look is not offered
        assert stage.calls == []


# Whose turn it is, and whose phone


async def test_it_is_grey_with_a_reason_and_refuses_while_the_agent_acts() -> None:
    cue = asyncio.Event()
    session = telecom(agent=Cued("agent", cue, "Please restart your phone."))
    async with at_telecom(session, size=SMALL) as stage:
        await stage.turn("user")
        await stage.say("My phone is broken.")
        await stage.until(lambda: stage.screen.my_turn is None and stage.phone.why, "the agent acts")
        await stage.press("f9", "f9")
        await stage.until(lambda: "not now: it is not your turn" in stage.picture, "it says why")
        assert stage.phone.has_class("-locked")
        await stage.tap(stage.key("restart", "restart"))
        await stage.until(lambda: any("cannot be pressed now" in toast for toast in stage.toasts), "it refuses")
        assert stage.calls == []
        cue.set()
        await stage.turn("user")
        await stage.until(lambda: not stage.phone.has_class("-locked"), "it can be pressed")
        call = await stage.tapped(stage.key("restart", "restart"))
        assert call.name == "reboot_device"


@pytest.mark.parametrize("size", SIZES)
async def test_a_person_in_the_agent_seat_sees_no_phone_in_blind_view(size: tuple[int, int]) -> None:
    session = telecom(user=Cued("customer", ToolCall("toggle_airplane_mode", {}), "It is broken."))
    async with at_telecom(session, size=size) as stage:
        await stage.turn("agent")
        assert stage.screen.panes.phone is None
        assert "Phone" not in stage.picture
        assert "Airplane" not in stage.picture


async def test_in_open_view_the_agent_sees_it_live_and_cannot_press_it() -> None:
    session = telecom(user=Cued("customer", ToolCall("toggle_airplane_mode", {}), "It is broken."), view="open")
    async with at_telecom(session, size=SMALL) as stage:
        await stage.turn("agent")
        assert stage.shown("airplane") == "ON"
        before = len(stage.calls)
        await stage.tap(stage.key("switch", "airplane"))
        assert len(stage.calls) == before
        assert "the agent cannot press it" in stage.phone.why


async def test_with_both_seats_the_phone_goes_with_the_customers() -> None:
    async with at_telecom(telecom(), size=WIDE) as stage:
        await stage.turn("user")
        assert "Airplane mode" in stage.picture
        await stage.say("Hello")
        await stage.turn("agent")
        assert "Airplane mode" not in stage.picture


async def test_in_open_view_it_follows_what_the_carrier_does() -> None:
    carrier = Cued("agent", ToolCall("send_payment_request", {"customer_id": "C2104", "bill_id": "B92109"}), "Pay.")
    session = telecom(task="[service_issue]bill_overdue[PERSONA:None]", agent=carrier, view="open")
    async with at_telecom(session, size=WIDE) as stage:
        await stage.turn("user")
        assert stage.shown("payment") == "No payment request"
        await stage.say("Hello")
        await stage.until(lambda: kinds(stage.session.events, Result), "the agent has called")
        await stage.turn("user")
        assert "B92109" in (stage.shown("payment") or "")


async def test_in_blind_view_it_does_not_follow_what_the_carrier_does() -> None:
    carrier = Cued("agent", ToolCall("send_payment_request", {"customer_id": "C2104", "bill_id": "B92109"}), "Pay.")
    session = telecom(task="[service_issue]bill_overdue[PERSONA:None]", agent=carrier)
    async with at_telecom(session, size=WIDE) as stage:
        await stage.turn("user")
        await stage.tapped(stage.tile("payment"))
        await stage.press("escape")
        await stage.say("Hello")
        await stage.until(lambda: len(stage.session.state.turns) > 3, "the agent has called and spoken")
        await stage.turn("user")
        assert stage.shown("payment") == "No payment request"
        await stage.tapped(stage.tile("payment"))
        assert "B92109" in (stage.shown("payment") or "")


async def test_what_is_written_on_the_phone_goes_into_the_box() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        await stage.type("no signal")
        stage.phone.focus()
        await stage.paste(" at\nall")
        await stage.until(lambda: stage.screen.composer.area.text == "no signal at\nall", "typed, then pasted")


async def test_a_domain_without_a_phone_shows_none() -> None:
    async with on_stage(make_session(agent=Cued("agent")), size=WIDE) as stage:
        await stage.turn("user")
        assert stage.screen.panes.phone is None


async def test_text_of_any_origin_is_shown_as_text() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        for text in HOSTILE:
            installed = f"The following apps are installed on the phone: {text}"
            bar = Answer("check_status_bar", {}, f"Status Bar: {text}", turn=2)
            stage.phone.show(known_from([Answer("check_installed_apps", {}, installed, turn=1), bar]))
            await stage.pilot.pause()
            assert "\x1b" not in stage.picture
            assert "\u202e" not in stage.picture
            if text.startswith("["):
                assert text[:12] in stage.picture


async def test_the_arrow_keys_go_where_they_point() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f9", "f9")
        there: list[tuple[str, Key]] = [
            ("down", stage.tile("airplane")),
            ("right", stage.key("switch", "airplane")),
            ("right", stage.tile("connection")),
            ("up", stage.tile("status_bar")),
        ]
        for arrow, key in there:
            await stage.press(arrow)
            assert stage.app.focused is key


async def test_a_phone_that_is_seen_has_nothing_new() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=WIDE) as stage:
        await stage.turn("user")
        await stage.tapped(stage.tile("sim"))
        pane = stage.screen.panes.pane("phone")
        assert pane is not None
        assert pane.unseen == 0


def test_only_the_calls_of_the_phone_are_answers() -> None:
    assert answers_in(()) == ()
