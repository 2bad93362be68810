"""Solo, with the plan, without the policy; and whose a tool is, before it is called."""

from __future__ import annotations

import pytest

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Ended, Exposure, Message
from sessions.players.base import Player, ToolCall
from sessions.session import Session
from tau_tui.screens.arrangement import plan_steps
from tau_tui.screens.result import ResultScreen
from tau_tui.widgets.plan import PlanView
from tau_tui.widgets.tool_form import ToolForm
from tau_tui.widgets.tool_list import ToolList
from tests.app.helpers import MIDDLE, SIZES, SMALL, WIDE, Cued, kinds
from tests.app.telecom_stage import TelecomStage, at_telecom, telecom

BILL = "[service_issue]bill_overdue[PERSONA:None]"
"""Its gold: the agent asks for the payment, the customer pays, the agent resumes the line, the customer restarts."""


async def owners(stage: TelecomStage) -> list[str]:
    """Return the headings of the list of tools."""
    await stage.press("f3")
    options = stage.screen.query_one(ToolList).query_one("#tool-options")
    return [str(option.prompt) for option in options.options if option.disabled]  # type: ignore[attr-defined]  # an OptionList


async def call(stage: TelecomStage, name: str, **values: str) -> None:
    """Call a tool through its form."""
    before = len(stage.calls)
    stage.screen.composer.fill_in(name)
    await stage.until(lambda: stage.screen.query(ToolForm), "the form is open")
    form = stage.screen.query_one(ToolForm)
    assert form.tool.name == name
    form.fill(values)
    await stage.press("ctrl+j")
    if form.tool.mutates:
        await stage.dialog("ChoiceDialog")
        await stage.press("enter")
    await stage.until(lambda: len(stage.calls) > before or stage.session.state.ended, f"{name} is called")


# Whose a tool is


@pytest.mark.parametrize(("seat", "heading"), [("user", "your phone"), ("agent", "the agent's tools")])
async def test_the_list_says_whose_the_tools_are(seat: Seat, heading: str) -> None:
    session = telecom(agent=Cued("agent")) if seat == "user" else telecom(user=Cued("customer", "It is broken."))
    async with at_telecom(session, size=SMALL) as stage:
        await stage.turn(seat)
        assert await owners(stage) == [heading]
        assert heading in stage.picture


async def test_the_form_says_it_again_before_the_call() -> None:
    async with at_telecom(telecom(agent=Cued("agent")), size=SMALL) as stage:
        await stage.turn("user")
        await stage.press("f3")
        await stage.type("run_speed_test")
        await stage.press("enter")
        await stage.until(lambda: stage.screen.query(ToolForm), "the form is open")
        assert "run_speed_test · read · your phone" in stage.picture
        assert stage.calls == []


async def test_a_solo_agent_holds_both_sets_and_each_is_marked() -> None:
    async with at_telecom(telecom(solo=True), size=SMALL) as stage:
        await stage.turn("agent")
        assert await owners(stage) == ["the agent's tools", "the customer's phone, in your hands"]


async def test_a_customers_tools_that_are_no_phone_have_their_calls_beside_the_talk() -> None:
    session = telecom(domain="mock", agent=Cued("agent"))
    async with at_telecom(session, size=WIDE) as stage:
        await stage.turn("user")
        assert await owners(stage) == ["your tools"]
        await stage.press("escape")
        await call(stage, "check_notifications")
        await stage.turn("user")
        assert stage.screen.panes.trace is not None
        assert [row.done.call.name for row in stage.screen.panes.trace.rows] == ["check_notifications"]


# Solo


@pytest.mark.parametrize("size", SIZES)
async def test_solo_shows_the_ticket_in_place_of_a_partner(size: tuple[int, int]) -> None:
    async with at_telecom(telecom(task=BILL, solo=True), size=size) as stage:
        await stage.turn("agent")
        assert "Ticket" in stage.picture
        assert "ticket  Gideon Demir, phone number" in stage.picture
        assert "AGENT · blind · solo" in stage.picture
        assert stage.screen.panes.phone is None


async def test_solo_a_message_without_a_call_is_prevented_and_stays_in_the_box() -> None:
    async with at_telecom(telecom(solo=True), size=SMALL) as stage:
        await stage.turn("agent")
        await stage.say("Hello?")
        assert stage.screen.composer.area.text == "Hello?"
        assert stage.session.state.ended is None
        assert not kinds(stage.session.events, Message)
        await stage.until(lambda: any("nobody reads messages" in toast for toast in stage.toasts), "it says why")


async def test_solo_end_is_done() -> None:
    async with at_telecom(telecom(solo=True), size=SMALL) as stage:
        await stage.turn("agent")
        await stage.press("f4")
        assert "done: the ticket is finished" in stage.picture
        await stage.press("enter")
        await stage.until(lambda: stage.session.state.ended, "ended")
        assert kinds(stage.session.events, Ended)[0].reason == "agent_stop"


async def test_solo_done_is_also_a_tool() -> None:
    async with at_telecom(telecom(solo=True), size=MIDDLE) as stage:
        await stage.turn("agent")
        await call(stage, "done")
        await stage.until(lambda: stage.session.state.ended, "ended")
        assert kinds(stage.session.events, Ended)[0].reason == "agent_stop"


async def test_solo_the_customers_phone_is_pressed_by_the_agents_own_calls() -> None:
    async with at_telecom(telecom(solo=True, view="open"), size=MIDDLE) as stage:
        await stage.turn("agent")
        assert (await stage.tapped(stage.key("switch", "data"))).seat == "agent"
        trace = stage.screen.panes.trace
        assert trace is not None
        assert [row.whose for row in trace.rows] == ["user"]  # whose tool it is


async def test_a_solo_ticket_solved_by_hand_is_rewarded() -> None:
    async with at_telecom(telecom(task=BILL, solo=True), size=WIDE) as stage:
        await stage.turn("agent")
        await call(stage, "send_payment_request", customer_id="C2104", bill_id="B92109")
        await stage.turn("agent")
        await call(stage, "make_payment")
        await stage.turn("agent")
        await call(stage, "resume_line", customer_id="C2104", line_id="L2109")
        await stage.turn("agent")
        await call(stage, "reboot_device")
        await stage.turn("agent")
        await stage.press("f4", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, ResultScreen), "the result")
        assert stage.session.state.scored is not None
        assert stage.session.state.scored.reward == 1


# With the plan


@pytest.mark.parametrize("size", SIZES)
async def test_the_plan_is_a_pane_of_the_agents_seat_and_marks_the_session(size: tuple[int, int]) -> None:
    session = telecom(task=BILL, plan=True, user=Cued("customer", "No service."))
    async with at_telecom(session, size=size) as stage:
        await stage.turn("agent")
        assert "blind · plan" in stage.picture
        assert [event.kind for event in kinds(stage.session.events, Exposure)] == ["plan"]
        pane = stage.screen.panes.pane("plan")
        assert pane is not None
        stage.screen.panes.active = "plan"
        await stage.pilot.pause()
        for words in ("0 of 2 steps made", "send_payment_request", "customer_id=C2104", "the customer's"):
            assert words in stage.picture


async def test_a_step_is_ticked_when_it_has_been_made() -> None:
    session = telecom(task=BILL, plan=True, user=Cued("customer", "No service."))
    async with at_telecom(session, size=WIDE) as stage:
        await stage.turn("agent")
        await call(stage, "send_payment_request", customer_id="C2104", bill_id="B92109")
        await stage.turn("agent")
        await call(stage, "resume_line", customer_id="C2104", line_id="L1")  # not the line of the plan
        await stage.turn("agent")
        made = [step.made for step in stage.screen.query_one(PlanView).steps]
        assert made == [True, None, False, None]
        assert "1 of 2 steps made" in stage.picture


def test_a_nested_value_stands_in_the_plan_as_it_is_typed_into_a_form() -> None:
    domain = load_domain("airline")
    players: dict[Seat, Player] = {"user": Cued("customer"), "agent": Cued("agent")}
    session = Session.new(domain, domain.task("0"), players, view="blind", session_id="01TEST", plan=True)
    given = plan_steps(session, sees_all=False)[-1].arguments
    assert 'flights=[{"flight_number": "' in given
    assert "flight_type=one_way" in given


async def test_in_blind_view_the_plan_does_not_tell_what_the_customer_has_done() -> None:
    paying = Cued("customer", ToolCall("reboot_device", {}), "I restarted it.")
    async with at_telecom(telecom(task=BILL, plan=True, user=paying), size=WIDE) as stage:
        await stage.turn("agent")
        assert [step.made for step in stage.screen.query_one(PlanView).steps] == [False, None, False, None]


async def test_in_open_view_the_plan_ticks_the_steps_of_both() -> None:
    paying = Cued("customer", ToolCall("reboot_device", {}), "I restarted it.")
    async with at_telecom(telecom(task=BILL, plan=True, user=paying, view="open"), size=WIDE) as stage:
        await stage.turn("agent")
        assert [step.made for step in stage.screen.query_one(PlanView).steps] == [False, False, False, True]


async def test_the_customer_is_never_shown_the_plan() -> None:
    async with at_telecom(telecom(task=BILL, plan=True), size=WIDE) as stage:
        await stage.turn("user")
        assert "send_payment_request" not in stage.picture
        await stage.say("No service.")
        await stage.turn("agent")
        assert "send_payment_request" in stage.picture


# Without the policy


async def test_without_the_policy_there_is_no_policy_to_read() -> None:
    session = telecom(no_policy=True, user=Cued("customer", "No service."))
    async with at_telecom(session, size=WIDE) as stage:
        await stage.turn("agent")
        assert "blind · no policy" in stage.picture
        assert stage.screen.panes.pane("policy") is None
        await stage.press("f2")
        await stage.dialog("DocumentDialog")
        assert "This session is played without it." in stage.picture
