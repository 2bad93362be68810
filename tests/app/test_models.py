"""Models in the app: words as they come, stopped, failed, supervised, watched; seats that change hands."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import TypeAlias

import pytest

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Exposure, Failure, Message, PlayerInfo, Reviewed, Seated, ViewMode
from sessions.players.base import Action, PlayerFailure, ToolCall, View
from sessions.players.model.progress import Calling, Listener, Progress, Retrying, Thought, Withdrawn, Wrote, nobody
from sessions.session import Session
from tau_tui.widgets.banner import Banner
from tests.app.helpers import SIZES, SMALL, WIDE, Stage, Still, kinds, make_session, on_stage, wait_until
from tests.fake_llm import FakeLLM, Says

Step: TypeAlias = "Progress | asyncio.Event | Action | str | PlayerFailure"
USAGE = {"model": "openai/x", "prompt_tokens": 1200, "completion_tokens": 34, "cost": None, "latency": 1.34}
CANCEL = ToolCall("cancel_reservation", {"reservation_id": "EHGLP3"})


class Writer:
    """A model that tells what it is told to, waits where it is told to, and acts."""

    def __init__(self, *steps: Step, name: str = "openai/x") -> None:
        self.info = PlayerInfo("model", name, {"prompt": "0"})
        self.listener: Listener = nobody
        self.steps = list(steps)
        self.views: list[View] = []

    async def act(self, view: View) -> Action:
        """Go on to the next act; with nothing left, wait for ever."""
        self.views.append(view)
        while self.steps:
            match self.steps.pop(0):
                case asyncio.Event() as gate:
                    await gate.wait()
                case Action() as action:
                    return action
                case str() as text:
                    return Action(text, usage=USAGE)
                case PlayerFailure() as failure:
                    raise failure
                case progress:
                    self.listener(progress)
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


def against(writer: Writer, *, view: ViewMode = "open") -> Session:
    """A session of a person, the customer, with this agent."""
    return make_session(agent=writer, view=view)


async def shows(stage: Stage, *texts: str) -> None:
    """Wait until all these texts are on the screen."""
    await stage.until(lambda: all(text in stage.picture for text in texts), f"{texts}")


def gone(stage: Stage, text: str) -> bool:
    """Whether a text is not on the screen."""
    return text not in stage.picture


# Words as they come


@pytest.mark.parametrize("size", SIZES)
async def test_words_stream_and_the_message_takes_their_place(size: tuple[int, int]) -> None:
    more, done = asyncio.Event(), asyncio.Event()
    writer = Writer(Wrote("Let me "), more, Wrote("look [/b] "), done, "Let me look [/b] at it.")
    async with on_stage(against(writer), size=size) as stage:
        await stage.say("hello")
        await shows(stage, "Let me", "is writing", "Esc stops")
        more.set()
        await shows(stage, "Let me look [/b]")
        assert not kinds(stage.session.events, Message)[2:], "nothing is said before it is"
        done.set()
        await stage.turn("user")
        await shows(stage, "Let me look [/b] at it.")
        assert stage.said == ["Hi! How can I help you today?", "hello", "Let me look [/b] at it."]


async def test_a_reader_who_writes_ahead_is_not_disturbed() -> None:
    gate = asyncio.Event()
    async with on_stage(against(Writer(Wrote("I am "), gate, "I am here."))) as stage:
        await stage.say("hello")
        await shows(stage, "I am")
        await stage.type("my next words")
        gate.set()
        await stage.turn("user")
        assert stage.screen.composer.area.text == "my next words"


async def test_of_a_very_long_message_the_beginning_is_drawn_while_it_is_written() -> None:
    gate = asyncio.Event()
    async with on_stage(against(Writer(Wrote("word " * 10_000), gate, "word " * 10_000))) as stage:
        await stage.say("hello")
        await stage.until(lambda: any("46,000 more characters" in said for said in stage.said))
        gate.set()
        await stage.turn("user")
        assert stage.said[-1] == "word " * 10_000


async def test_reasoning_is_folded_and_enter_unfolds_it() -> None:
    gate = asyncio.Event()
    thought = "The customer wants a refund."
    act = Action("Which one?", usage={**USAGE, "reasoning": thought})
    async with on_stage(against(Writer(Thought(thought), gate, Wrote("Which"), act))) as stage:
        await stage.say("hello")
        await shows(stage, "thinking · 5 words", "is thinking")
        gate.set()
        await stage.turn("user")
        await shows(stage, "thought · 5 words")
        assert gone(stage, thought)
        stage.screen.panes.conversation.focus()
        await stage.press("enter")
        await shows(stage, thought)
        await stage.press("enter")
        await stage.until(lambda: gone(stage, thought))


async def test_a_blind_seat_sees_no_thoughts_and_no_calls() -> None:
    gate, end = asyncio.Event(), asyncio.Event()
    steps: Sequence[Step] = (Thought("secret thought"), gate, Calling("get_user_details"), end, "Done.")
    async with on_stage(against(Writer(*steps), view="blind")) as stage:
        await stage.say("hello")
        await shows(stage, "is thinking")
        assert gone(stage, "secret thought") and gone(stage, "words")
        gate.set()
        await shows(stage, "is writing")
        assert gone(stage, "get_user_details")
        end.set()
        await stage.turn("user")
        assert not kinds(stage.session.events, Exposure)


async def test_words_a_blind_seat_saw_and_does_not_hear_are_taken_away_and_recorded() -> None:
    gate, end = asyncio.Event(), asyncio.Event()
    steps: Sequence[Step] = (Wrote("I look it up."), gate, Calling("get_user_details"), end, "Done.")
    async with on_stage(against(Writer(*steps), view="blind")) as stage:
        await stage.say("hello")
        await shows(stage, "I look it up.")
        gate.set()
        await stage.until(lambda: gone(stage, "I look it up."))
        await stage.until(lambda: [e.kind for e in kinds(stage.session.events, Exposure)] == ["words"])
        end.set()
        await stage.turn("user")


async def test_words_that_do_not_stand_are_taken_away() -> None:
    gate, end = asyncio.Event(), asyncio.Event()
    steps: Sequence[Step] = (Wrote("A draft"), gate, Withdrawn("wrong"), Wrote("Better"), end, "Better so.")
    async with on_stage(against(Writer(*steps))) as stage:
        await stage.say("hello")
        await shows(stage, "A draft")
        gate.set()
        await shows(stage, "Better")
        assert gone(stage, "A draft")
        end.set()
        await stage.turn("user")


# What it took


async def test_each_turn_says_what_it_took_in_open_view() -> None:
    async with on_stage(against(Writer("Hello."))) as stage:
        await stage.say("hello")
        await shows(stage, "1,200 + 34 tokens · cost n/a · 1.3 s")


async def test_a_blind_seat_is_not_told_what_it_took() -> None:
    async with on_stage(against(Writer("Hello."), view="blind")) as stage:
        await stage.say("hello")
        await stage.turn("user")
        assert gone(stage, "tokens")


async def test_the_result_adds_it_up() -> None:
    known = Action("Hello.", usage={**USAGE, "cost": 0.25})
    async with on_stage(against(Writer(known, "Goodbye."))) as stage:
        await stage.say("hello")
        await stage.turn("user")
        await stage.say("and?")
        await stage.turn("user")
        stage.session.submit("user", Action(stop="###STOP###"))
        await stage.dialog("ResultScreen")
        await shows(stage, "2,468 tokens · $0.2500 + 1 turn n/a · models 2.7 s")


# On a bad day


async def test_a_retry_is_shown_with_what_happened_and_how_long_it_waits() -> None:
    gate = asyncio.Event()
    clock = Still()
    writer = Writer(Wrote("half"), Retrying("429, too many requests", 1, 4, 2.0), gate, "At last.")
    async with on_stage(against(writer), clock=clock, size=SMALL) as stage:
        await stage.say("hello")
        await shows(stage, "openai/x tries again in 2 s · 1/4 · 429, too many")
        assert gone(stage, "half")
        gate.set()
        await stage.turn("user")


async def test_a_failure_says_what_happened_and_r_tries_again() -> None:
    writer = Writer(PlayerFailure("openai/x: the key was refused; set OPENAI_API_KEY"), "I am back.")
    async with on_stage(against(writer)) as stage:
        await stage.say("hello")
        await shows(stage, "the key was refused; set OPENAI_API_KEY", "press R to try again, O for other ways")
        await stage.press("r")
        await stage.turn("user")
        assert stage.said[-1] == "I am back." and not stage.screen.query_one(Banner).display


async def test_a_failure_takes_no_letter_from_somebody_who_writes_ahead() -> None:
    gate = asyncio.Event()
    writer = Writer(gate, PlayerFailure("openai/x: no network"), "I am back.")
    async with on_stage(against(writer)) as stage:
        await stage.say("hello")
        await shows(stage, "you may write ahead")
        await stage.type("and m")
        gate.set()
        await shows(stage, "press Escape, then R to try again, O for other ways")
        await stage.type("ore or less")
        assert stage.screen.composer.area.text == "and more or less"
        await stage.press("escape", "r")
        await stage.turn("user")
        assert stage.said[-1] == "I am back." and stage.screen.composer.area.text == "and more or less"


async def test_what_cannot_be_tried_again_is_not_offered() -> None:
    writer = Writer(PlayerFailure("openai/x: the key was refused", retryable=False), "I am back.")
    async with on_stage(against(writer)) as stage:
        await stage.say("hello")
        await shows(
            stage, "it cannot be tried again, O for other ways", "failed · O other ways on", "what you write here"
        )
        assert gone(stage, "R tries again") and gone(stage, "Try again") and gone(stage, "is acting")
        await stage.press("r")
        assert stage.screen.query_one(Banner).display and len(kinds(stage.session.events, Failure)) == 1


# Stopped


async def stopped(stage: Stage) -> None:
    """Say something, see half an answer, and stop it."""
    await stage.say("hello")
    await shows(stage, "Half a sen")
    await stage.press("escape")
    await stage.dialog("ChoiceDialog")


async def choose(stage: Stage, name: str) -> None:
    """Choose an answer of the question in front by its id."""
    from textual.widgets import OptionList

    options = stage.app.screen.query_one(OptionList)
    options.highlighted = options.get_option_index(name)
    await stage.press("enter")


async def test_escape_stops_a_model_keeps_its_words_and_asks_how_to_go_on() -> None:
    async with on_stage(against(Writer(Wrote("Half a sen"), asyncio.Event(), name="openai/x"))) as stage:
        await stopped(stage)
        [failure] = kinds(stage.session.events, Failure)
        assert failure.what == "openai/x was stopped" and failure.detail == "Half a sen"
        await shows(stage, "ask openai/x again", "write it anew", "go on from its words", "take the agent's seat")


async def test_a_stopped_model_is_asked_again() -> None:
    writer = Writer(Wrote("Half a sen"), asyncio.Event(), "A whole one.")
    async with on_stage(against(writer)) as stage:
        await stopped(stage)
        writer.steps = ["A whole one."]
        await choose(stage, "again")
        await stage.turn("user")
        assert stage.said[-1] == "A whole one."


async def test_after_a_stop_ones_own_message_can_be_written_anew() -> None:
    writer = Writer(Wrote("Half a sen"), asyncio.Event())
    async with on_stage(against(writer)) as stage:
        await stopped(stage)
        writer.steps = ["Yes?"]
        await choose(stage, "undo")
        await stage.turn("user")
        assert stage.screen.composer.area.text == "hello"
        await stage.say("hello again")
        await stage.turn("user")
        assert stage.said[-2:] == ["hello again", "Yes?"]


async def test_its_words_are_finished_by_the_person_and_the_seat_goes_back() -> None:
    writer = Writer(Wrote("Half a sen"), asyncio.Event())
    async with on_stage(against(writer)) as stage:
        await stopped(stage)
        writer.steps = ["I go on."]
        await choose(stage, "edit")
        await stage.turn("agent")
        assert stage.screen.composer.area.text == "Half a sen"
        await stage.type("tence")
        await stage.press("enter")
        await stage.turn("user")
        await stage.until(lambda: stage.session.people == ("user",), "handed back")
        assert stage.said[-1:] != [] and "Half a sentence" in stage.said
        assert [e.player.kind for e in kinds(stage.session.events, Seated)] == ["human", "model"]
        await stage.say("go on")
        await stage.until(lambda: "I go on." in stage.said)


async def test_another_partner_takes_over_from_a_model_that_fails() -> None:
    writer = Writer(PlayerFailure("openai/x: no network"))
    async with on_stage(against(writer)) as stage:
        await stage.say("Hi, I want to cancel.")
        await shows(stage, "O for other ways")
        await stage.press("o")
        await stage.dialog("ChoiceDialog")
        await choose(stage, "other")
        line = await stage.dialog("LineDialog")
        line.query_one("#line").value = "oracle"
        await stage.press("enter")
        await stage.turn("user")
        assert kinds(stage.session.events, Seated)[-1].player.kind == "oracle"
        assert "oracle" in stage.picture.split("\n")[0]


async def test_nobody_of_a_name_that_is_unknown_sits_down() -> None:
    async with on_stage(against(Writer(PlayerFailure("openai/x: no network")))) as stage:
        await stage.say("Hi")
        await shows(stage, "O for other ways")
        await stage.press("o")
        await stage.dialog("ChoiceDialog")
        await choose(stage, "other")
        line = await stage.dialog("LineDialog")
        line.query_one("#line").value = "nobody"
        await stage.press("enter")
        await shows(stage, "there is no such agent")
        assert not kinds(stage.session.events, Seated)


# Supervised


async def supervised(stage: Stage) -> None:
    """Let the agent want to write something."""
    stage.screen._supervise()
    await stage.say("Cancel it, please.")
    await stage.dialog("ReviewDialog")


@pytest.mark.parametrize("size", SIZES)
async def test_a_write_is_made_when_it_was_approved(size: tuple[int, int]) -> None:
    async with on_stage(against(Writer(Action(calls=(CANCEL,)), "Done.")), size=size) as stage:
        await supervised(stage)
        await shows(stage, "cancel_reservation", "EHGLP3", "approve")
        assert not stage.session.env.changes()
        await choose(stage, "approve")
        await stage.turn("user")
        [reviewed] = kinds(stage.session.events, Reviewed)
        assert (reviewed.decision, reviewed.by) == ("approved", "me")
        assert "supervised" in stage.picture.split("\n")[0] or size == SMALL


async def test_a_write_is_made_as_it_was_edited() -> None:
    async with on_stage(against(Writer(Action(calls=(CANCEL,)), "Done."))) as stage:
        await supervised(stage)
        await choose(stage, "edit")
        area = stage.app.screen.query_one("#review")
        area.write("[1]")  # type: ignore[attr-defined]
        await stage.press("enter")
        await shows(stage, "one JSON object")
        area.write('{"reservation_id": "XYZ"}')  # type: ignore[attr-defined]
        await stage.press("enter")
        await stage.turn("user")
        [reviewed] = kinds(stage.session.events, Reviewed)
        assert reviewed.decision == "edited" and reviewed.edited == {"reservation_id": "XYZ"}
        assert stage.session.state.turns[-2].calls[0].call.arguments == {"reservation_id": "XYZ"}


async def test_a_refused_write_is_not_made_and_the_model_hears_why() -> None:
    writer = Writer(Action(calls=(CANCEL,)), "As you wish.")
    async with on_stage(against(writer)) as stage:
        await supervised(stage)
        await choose(stage, "why")
        await stage.type("not yet")
        await stage.press("enter")
        await stage.turn("user")
        assert [one.reason for one in writer.views[1].refused] == ["not yet"]
        assert not stage.session.env.changes() and "As you wish." in stage.said


async def test_a_question_that_was_closed_waits_and_escape_opens_it_again() -> None:
    async with on_stage(against(Writer(Action(calls=(CANCEL,)), "Done."))) as stage:
        await supervised(stage)
        await stage.press("escape")
        await shows(stage, "waits for your decision")
        assert not kinds(stage.session.events, Reviewed)
        await stage.press("escape")
        await stage.dialog("ReviewDialog")
        await choose(stage, "approve")
        await stage.turn("user")


async def test_the_question_goes_when_the_message_before_it_is_taken_back() -> None:
    async with on_stage(against(Writer(Action(calls=(CANCEL,))))) as stage:
        await supervised(stage)
        await stage.session.undo()
        await stage.dialog("PlayScreen")
        await stage.turn("user")


async def test_who_supervises_in_blind_view_has_seen_a_call() -> None:
    async with on_stage(against(Writer(Action(calls=(CANCEL,)), "Done."), view="blind")) as stage:
        await supervised(stage)
        await choose(stage, "approve")
        await stage.turn("user")
        assert [e.kind for e in kinds(stage.session.events, Exposure)] == ["trace"]


# A real one, but for its mind


async def test_a_model_on_loopback_streams_and_its_message_is_kept() -> None:
    from sessions.players.model.agents import ModelAgent
    from sessions.players.model.choice import ModelChoice

    gate = threading.Event()
    domain = load_domain("airline")
    with FakeLLM(Says("I can help with that.", reasoning="They are in a hurry.", gate=gate)) as server:
        agent = ModelAgent(domain, "0", ModelChoice("openai/x", {}, server.url))
        async with on_stage(make_session(agent=agent)) as stage:
            await stage.say("hello")
            await wait_until(stage.pilot, lambda: "thinking" in stage.picture, "litellm is there", patience=60.0)
            gate.set()
            await stage.turn("user")
            await shows(stage, "I can help with that.", "thought · 5 words", "100 + 10 tokens")


# Watched


def watched(user: Writer, agent: Writer) -> Session:
    """A session of two models."""
    return make_session(user=user, agent=agent)


@pytest.mark.parametrize("size", SIZES)
async def test_two_models_are_watched_to_the_end(size: tuple[int, int]) -> None:
    user = Writer("I want a flight.", Action(stop="###STOP###"))
    async with on_stage(watched(user, Writer("Where to?")), size=size, play="none", wait=False) as stage:
        await stage.dialog("ResultScreen")
        assert stage.said[1:3] == ["I want a flight.", "Where to?"]


async def test_who_watches_keeps_to_the_newest() -> None:
    long = "word " * 200
    user, agent = Writer(long, long, long), Writer(long, long, "The newest.")
    async with on_stage(watched(user, agent), size=SMALL, play="none", wait=False) as stage:
        await shows(stage, "The newest.")


async def test_a_seat_is_taken_at_any_moment_and_handed_back() -> None:
    user = Writer("I want a flight.", Wrote("Hm"), asyncio.Event(), "To Rome.")
    agent = Writer("Where to?", Wrote("I am wri"), asyncio.Event(), name="openai/a")
    async with on_stage(watched(user, agent), size=WIDE, play="none") as stage:
        await shows(stage, "Hm", "you are watching")
        await stage.press("ctrl+s")
        await stage.dialog("ChoiceDialog")
        await shows(stage, "take the user's seat yourself (now openai/x)", "take the agent's seat")
        await choose(stage, "take user")
        await stage.turn("user")
        await stage.say("To Paris.")
        await shows(stage, "I am wri", "USER/openai/a")
        await stage.press("ctrl+s")
        await stage.dialog("ChoiceDialog")
        user.steps = [Action(stop="###STOP###")]
        agent.steps = ["Paris it is."]
        await choose(stage, "back user")
        await stage.until(lambda: stage.session.people == ())
        await stage.press("escape")
        await stage.dialog("ChoiceDialog")
        await choose(stage, "again")
        await stage.dialog("ResultScreen")
        seats: list[tuple[Seat, str]] = [(e.seat, e.player.kind) for e in kinds(stage.session.events, Seated)]
        assert seats == [("user", "human"), ("user", "model")]
        assert {e.kind for e in kinds(stage.session.events, Exposure)} == {"database", "trace"}


async def test_a_person_who_takes_the_other_seat_too_gets_its_panes() -> None:
    async with on_stage(against(Writer(Wrote("Hm"), asyncio.Event()), view="blind")) as stage:
        assert stage.screen.panes.pane("policy") is None
        await stage.say("hello")
        await shows(stage, "Hm")
        await stage.press("ctrl+s")
        await stage.dialog("ChoiceDialog")
        await choose(stage, "take agent")
        await stage.turn("agent")
        assert stage.screen.panes.pane("policy") is not None
        assert stage.said[:2] == ["Hi! How can I help you today?", "hello"], "what was said is there"
        await stage.say("I am the agent now.")
        await stage.turn("user")
        assert "I am the agent now." in stage.said


async def test_a_watcher_leaves_without_anybody_being_to_blame() -> None:
    session = watched(Writer("Hello.", asyncio.Event()), Writer(Wrote("I am"), asyncio.Event()))
    async with on_stage(session, play="none") as stage:
        await shows(stage, "I am")
        assert await stage.screen.leave(abandon=True)
        assert session.state.ended is not None and session.state.ended.by is None
