"""Models in the user's seat: what a person in blind view sees, and four ways to find words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domains import load_domain
from domains.catalog import Domain
from sessions.players.base import PlayerFailure, ToolCall
from sessions.players.model.progress import Progress, Thought, Withdrawn, Wrote
from sessions.players.model.prompts import scenario_text
from sessions.players.model.reply import RawCall, Reply
from sessions.players.model.users import ModelUser, UserStyle
from tests.models.asking import AIRLINE, MODEL, USED, Answers, called, said, view

ASKED = said(0, "agent", "Hi! What is your id?")


def user(answers: Answers, style: UserStyle = "plain", domain: Domain = AIRLINE, *, tools: bool = False) -> ModelUser:
    """A customer."""
    return ModelUser(domain, MODEL, style=style, tools=tools, complete=answers)


async def test_roles_are_turned_and_words_come_out() -> None:
    answers = Answers("It is a_b_1.")
    seen = view("user", ASKED, said(1, "user", "Hello."), said(2, "agent", "Your id, please."))
    action = await user(answers).act(seen)
    assert action.text == "It is a_b_1." and action.stop is None
    assert [message["role"] for message in answers.heard()] == ["user", "assistant", "user"]
    assert answers.asked[0].tools == []
    assert answers.asked[0].temperature == 1.0


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "mock"])
async def test_the_prompt_has_the_scenario_and_nothing_else_of_any_task(name: str) -> None:
    domain = load_domain(name)
    for task in domain.tasks[:40]:
        answers = Answers("Hi")
        await user(answers, domain=domain).act(view("user", ASKED, domain=domain, task=task.id))
        scenario = task.user_scenario
        shown = scenario_text(scenario)
        assert answers.prompt.endswith(f"<scenario>\n{shown}\n</scenario>")
        if not isinstance(scenario.instructions, str):
            instructions = scenario.instructions
            for text in (instructions.reason_for_call, instructions.known_info, instructions.task_instructions):
                assert not text or text.strip() in shown
        assert not scenario.persona or scenario.persona.strip() in shown
        for action in task.gold:
            assert action.requestor == "user" or f"{action.name}(" not in answers.prompt
        assert domain.policy[:200] not in answers.prompt


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
async def test_control_tokens_end_it_and_stay_in_the_text(token: str) -> None:
    action = await user(Answers(f"Thanks. {token}")).act(view("user", ASKED))
    assert action.stop == token and action.text == f"Thanks. {token}"


async def test_a_token_beside_a_call_ends_nothing_as_in_tau2() -> None:
    reply = Reply("###STOP###", (RawCall("check_status_bar", "{}"),), usage=USED)
    telecom = load_domain("telecom")
    answers = Answers(reply)
    action = await user(answers, domain=telecom, tools=True).act(view("user", ASKED, domain=telecom))
    assert action.stop is None and action.calls == (ToolCall("check_status_bar", {}),)
    assert "check_status_bar" in {tool["function"]["name"] for tool in answers.asked[0].tools}


async def test_its_own_calls_are_read_again() -> None:
    telecom = load_domain("telecom")
    answers = Answers("No service, it says.")
    pressed = called(1, "user", "check_status_bar", {}, "No Service")
    await user(answers, domain=telecom, tools=True).act(view("user", ASKED, pressed, domain=telecom))
    assert answers.heard()[-1]["content"] == "No Service"


async def test_a_thought_is_never_sent() -> None:
    heard: list[Progress] = []
    player = user(Answers("Thought: It asks my id; I know it.\nResponse: It is a_b_1. ###STOP###"), "react")
    player.listener = heard.append
    action = await player.act(view("user", ASKED))
    assert action.text == "It is a_b_1. ###STOP###" and action.stop == "###STOP###"
    assert action.usage["reasoning"] == "It asks my id; I know it."
    assert "".join(one.text for one in heard if isinstance(one, Wrote)) == "It is a_b_1. ###STOP###"


async def test_a_token_in_a_thought_ends_nothing() -> None:
    action = await user(Answers("Thought: Is it time for ###STOP###? No.\nResponse: Wait."), "react").act(
        view("user", ASKED)
    )
    assert action.text == "Wait." and action.stop is None


async def test_thoughts_stream_as_thoughts_until_the_response() -> None:
    heard: list[Progress] = []
    player = user(Answers(), "react")
    player.listener = heard.append
    from sessions.players.model.users import _Half

    half = _Half(player)
    for piece in ("Thought: hm", "\nRespo", "nse: He", "llo"):
        half(Wrote(piece))
    assert heard == [Thought("Thought: hm"), Thought("\nRespo"), Wrote("He"), Wrote("llo")]


async def test_a_user_that_only_thinks_is_a_failure() -> None:
    with pytest.raises(PlayerFailure, match="Thought but no Response"):
        await user(Answers("Thought: hm", "Thought: hm"), "react").act(view("user", ASKED))


async def test_a_verified_message_is_sent_when_it_is_good() -> None:
    heard: list[Progress] = []
    answers = Answers("It is a_b_1.", "VERDICT: good")
    player = user(answers, "verify")
    player.listener = heard.append
    action = await player.act(view("user", ASKED))
    assert action.text == "It is a_b_1." and action.usage["verified"] is True
    assert action.usage["prompt_tokens"] == 20
    assert heard == [Wrote("It is a_b_1.")], "words that may be taken back are not heard"
    assert "It is a_b_1." in str(answers.heard()) and "<scenario>" in str(answers.heard())


async def test_a_refused_message_is_written_again_three_times_at_most() -> None:
    heard: list[Progress] = []
    answers = Answers("one", "VERDICT: bad, invented", "two", "VERDICT: bad: too early", "three", "VERDICT: bad")
    player = user(answers, "verify")
    player.listener = heard.append
    action = await player.act(view("user", ASKED))
    assert action.text == "three" and action.usage["verified"] is False and action.usage["attempts"] == 3
    assert next(one.why for one in heard if isinstance(one, Withdrawn)).endswith("invented")
    assert "invented" in answers.heard(2)[-1]["content"] and len(answers.asked) == 6


async def test_a_check_that_cannot_be_understood_stops_nothing() -> None:
    action = await user(Answers("one", "Hm."), "verify").act(view("user", ASKED))
    assert action.text == "one" and action.usage["verified"] is None


async def test_reflection_sends_what_was_written_anew() -> None:
    answers = Answers("My id, name and card are …", "Critique: tells too much.\nResponse: My id is a_b_1.")
    action = await user(answers, "reflect").act(view("user", ASKED))
    assert action.text == "My id is a_b_1." and action.usage["draft"].startswith("My id, name")
    assert "tells too much" in action.usage["reasoning"]
    action = await user(Answers("draft", "I like it."), "reflect").act(view("user", ASKED))
    assert action.text == "draft"


def test_with_official_data_the_rules_are_read_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "tau2" / "user_simulator").mkdir(parents=True)
    (tmp_path / "tau2" / "domains").mkdir()
    (tmp_path / "tau2" / "user_simulator" / "simulation_guidelines.md").write_text("Be a customer.\n")
    (tmp_path / "tau2" / "user_simulator" / "simulation_guidelines_tools.md").write_text("Be one with tools.\n")
    elsewhere = Domain("airline", AIRLINE.definition, AIRLINE.folder, str(tmp_path))
    assert user(Answers(), domain=elsewhere).guidelines == "Be a customer."
    assert user(Answers(), domain=elsewhere, tools=True).guidelines == "Be one with tools."
    ours, with_tools = user(Answers()).guidelines, user(Answers(), tools=True).guidelines
    assert with_tools.startswith(ours) and "tools" in with_tools
    digests = {json.dumps(user(Answers(), domain=d).info.settings["prompt"]) for d in (elsewhere, AIRLINE)}
    assert len(digests) == 2


@pytest.mark.official
def test_no_words_of_the_official_guidelines_are_ours(official: Path) -> None:
    from sessions.players.model import judge, prompts

    ours = " ".join(text for module in (prompts, judge) for text in vars(module).values() if isinstance(text, str))
    own = ours.lower().split()
    runs = {tuple(own[i : i + 12]) for i in range(len(own) - 11)}
    for path in official.rglob("*.md"):
        theirs = path.read_text("utf-8").lower().split()
        assert not runs & {tuple(theirs[i : i + 12]) for i in range(len(theirs) - 11)}, path
