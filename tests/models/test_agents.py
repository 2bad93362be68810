"""Models in the agent's seat: what they are told in each form, and how their replies become actions."""

from __future__ import annotations

import json

import pytest

from domains import load_domain
from sessions.event import Reviewed
from sessions.players.base import PlayerFailure, ToolCall
from sessions.players.model.agents import AgentStyle, ModelAgent
from sessions.players.model.choice import ModelChoice
from sessions.players.model.progress import Progress, Thought, Withdrawn, Wrote
from sessions.players.model.reply import RawCall, Reply
from tests.models.asking import AIRLINE, MODEL, USED, Answers, called, said, view

GREETING = said(0, "agent", "Hi!")
WISH = said(1, "user", "Cancel my trip.")
LOOK = called(2, "agent", "get_user_details", {"user_id": "a"}, '{"name": "Ann"}')


def agent(answers: Answers, style: AgentStyle = "calls", **more: int) -> ModelAgent:
    """An agent on the first task of the airline."""
    return ModelAgent(AIRLINE, AIRLINE.tasks[0].id, MODEL, style=style, complete=answers, **more)


async def test_it_is_told_policy_conversation_and_tools() -> None:
    answers = Answers("What is your user id?")
    action = await agent(answers).act(view("agent", GREETING, WISH, LOOK))
    assert action.text == "What is your user id?" and action.usage["prompt_tokens"] == 10
    assert AIRLINE.policy.strip() in answers.prompt
    greeting, wish, look, answer = answers.heard()
    assert (greeting["role"], wish["role"], look["role"], answer["role"]) == ("assistant", "user", "assistant", "tool")
    assert json.loads(look["tool_calls"][0]["function"]["arguments"]) == {"user_id": "a"}
    assert answer == {"role": "tool", "tool_call_id": look["tool_calls"][0]["id"], "content": '{"name": "Ann"}'}
    tools = {tool["function"]["name"]: tool["function"] for tool in answers.asked[0].tools}
    assert set(tools) == {tool.name for tool in view("agent").tools}
    assert tools["get_user_details"]["parameters"]["required"] == ["user_id"]


async def test_nothing_of_the_task_is_told_to_an_agent() -> None:
    answers = Answers("Hello")
    await agent(answers).act(view("agent", GREETING, WISH))
    task = AIRLINE.tasks[0]
    told = json.dumps([dict(m) for m in answers.asked[0].messages])
    instructions = task.user_scenario.instructions
    assert not isinstance(instructions, str) and instructions.known_info
    assert instructions.known_info not in told and instructions.reason_for_call not in told


async def test_calls_become_calls_and_words_beside_them_stay() -> None:
    answers = Answers(Reply("I look.", (RawCall("f", '{"a": 1}'), RawCall("g", "")), usage=USED))
    action = await agent(answers).act(view("agent", GREETING, WISH))
    assert action.text == "I look." and action.calls == (ToolCall("f", {"a": 1}), ToolCall("g", {}))


async def test_arguments_that_are_no_json_are_told_to_the_model_once() -> None:
    heard: list[Progress] = []
    answers = Answers(("get_user_details", '{"user_id": '), ("get_user_details", '{"user_id": "a"}'))
    player = agent(answers)
    player.listener = heard.append
    action = await player.act(view("agent", GREETING, WISH))
    assert action.calls == (ToolCall("get_user_details", {"user_id": "a"}),)
    assert action.usage["prompt_tokens"] == 20 and action.usage["cost"] == 1.0, "both replies are paid for"
    complaint = answers.heard()[-1]
    assert complaint["role"] == "tool" and "not valid JSON" in complaint["content"]
    assert json.loads(answers.heard()[-2]["tool_calls"][0]["function"]["arguments"]) == {}
    assert any(isinstance(one, Withdrawn) for one in heard)


@pytest.mark.parametrize("arguments", ['{"user_id": ', '["a"]', '"a"', '{"a": NaN}', "[" * 100_000])
async def test_arguments_that_stay_wrong_are_a_failure_and_no_call(arguments: str) -> None:
    with pytest.raises(PlayerFailure, match="the arguments of f") as failure:
        await agent(Answers(("f", arguments), ("f", arguments))).act(view("agent", GREETING, WISH))
    assert failure.value.retryable and "\n" not in str(failure.value)


async def test_halves_of_characters_never_reach_the_recording() -> None:
    action = await agent(Answers(("f", '{"a": "\\ud83d"}'))).act(view("agent", GREETING, WISH))
    json.dumps(action.calls[0].arguments, ensure_ascii=False).encode()


async def test_without_a_policy_there_is_none_in_the_prompt() -> None:
    answers = Answers("Hi")
    await agent(answers).act(view("agent", GREETING, WISH, policy=None))
    assert "<policy>" not in answers.prompt and "policy" not in answers.prompt


async def test_the_plan_is_the_gold_steps() -> None:
    answers = Answers("Hi")
    task = next(task for task in AIRLINE.tasks if task.gold)
    await agent(answers).act(view("agent", GREETING, WISH, plan=tuple(task.gold)))
    assert task.gold[0].name + "(" in answers.prompt
    for value in task.gold[0].arguments.values():
        assert json.dumps(value) in answers.prompt


async def test_solo_it_has_the_ticket_both_sides_tools_and_must_call() -> None:
    telecom = load_domain("telecom")
    answers = Answers(("done", "{}"))
    task = next(task for task in telecom.tasks if task.ticket)
    env = telecom.environment(task, solo=True)
    seen = view("agent", domain=telecom, task=task.id, ticket=task.ticket, policy=telecom.solo_policy)
    seen = type(seen)(
        seat="agent",
        domain="telecom",
        turns=(),
        tools=env.tools("agent"),
        now="now",
        policy=telecom.solo_policy,
        ticket=task.ticket,
    )
    action = await ModelAgent(telecom, task.id, MODEL, complete=answers).act(seen)
    assert action.calls == (ToolCall("done", {}),)
    assert task.ticket is not None and task.ticket.strip() in answers.prompt
    assert answers.asked[0].must_call and answers.heard()[0]["role"] == "user"
    named = {tool["function"]["name"] for tool in answers.asked[0].tools}
    assert {"toggle_airplane_mode", "get_customer_by_phone"} <= named


@pytest.mark.parametrize("style", ["react", "act"])
async def test_text_forms_have_the_tools_in_words_and_no_other_tools(style: AgentStyle) -> None:
    answers = Answers('Action:\n{"name": "get_user_details", "arguments": {"user_id": "a"}}')
    action = await agent(answers, style).act(view("agent", GREETING, WISH))
    assert action.calls == (ToolCall("get_user_details", {"user_id": "a"}),)
    assert answers.asked[0].tools == () and '"get_user_details"' in answers.prompt
    assert ("Thought:" in answers.prompt) is (style == "react")


async def test_react_keeps_its_thought_folded_and_reads_it_again() -> None:
    heard: list[Progress] = []
    reply = 'Thought: I need the id.\nAction:\n{"name": "respond", "arguments": {"content": "Your id?"}}'
    player = agent(Answers(reply), "react")
    player.listener = heard.append
    action = await player.act(view("agent", GREETING, WISH))
    assert action.text == "Your id?" and action.usage["reasoning"] == "I need the id."
    assert heard == [Thought(reply), Wrote("Your id?")]
    answers = Answers(reply)
    spoken = said(2, "agent", "Your id?", reasoning="I need the id.")
    await agent(answers, "react").act(view("agent", GREETING, WISH, spoken, said(3, "user", "a")))
    assert answers.heard()[2]["content"].startswith("Thought: I need the id.\nAction:")


async def test_in_text_forms_a_tools_answer_comes_as_words() -> None:
    answers = Answers("Action:\n" + '{"name": "respond", "arguments": {"content": "Hi"}}')
    await agent(answers, "act").act(view("agent", GREETING, WISH, LOOK))
    assert answers.heard()[-1] == {"role": "user", "content": 'API output: {"name": "Ann"}'}


async def test_an_act_that_cannot_be_read_is_asked_for_once_more() -> None:
    answers = Answers("Action: look", 'Action:\n{"name": "f", "arguments": {}}')
    assert (await agent(answers, "act").act(view("agent", GREETING, WISH))).calls == (ToolCall("f", {}),)
    assert "could not be used" in answers.heard()[-1]["content"]
    with pytest.raises(PlayerFailure, match="2 times"):
        await agent(Answers("Action: look", "Action: look"), "act").act(view("agent", GREETING, WISH))


async def test_a_refused_write_is_told_where_it_would_have_been_made() -> None:
    refused = Reviewed(
        turn=3,
        seat="agent",
        name="cancel_reservation",
        arguments={"reservation_id": "X"},
        decision="refused",
        reason="No.",
    )
    answers = Answers("I am sorry.")
    await agent(answers).act(view("agent", GREETING, WISH, LOOK, refused=(refused,)))
    asked, told = answers.heard()[-2:]
    assert asked["tool_calls"][0]["function"]["name"] == "cancel_reservation"
    assert told["role"] == "tool" and "refused" in told["content"] and "No." in told["content"]


async def test_few_shot_has_other_tasks_that_went_well() -> None:
    answers = Answers("Hi", "Hi")
    player = agent(answers, shots=1)
    await player.act(view("agent", GREETING, WISH))
    await player.act(view("agent", GREETING, WISH))
    assert "Example 1:" in answers.prompt and "Example 2:" not in answers.prompt
    assert "Customer:" in answers.prompt and "API output:" in answers.prompt


def test_the_header_says_what_was_asked_for_and_no_secret() -> None:
    model = ModelChoice(
        "openai/small", {"api_key": "sk-1234567890abcdefgh", "temperature": 0.5, "top_p": 1}, "http://x:y@h/v1"
    )
    info = ModelAgent(AIRLINE, "0", model, style="react", seed=3).info
    assert (info.kind, info.name) == ("model", "openai/small")
    assert info.settings["temperature"] == 0.5 and info.settings["seed"] == 3
    assert info.settings["llm_args"] == {"temperature": 0.5, "top_p": 1}
    assert "y@" not in str(info.settings["api_base"])
    assert ModelAgent(AIRLINE, "0", MODEL).info.settings["temperature"] == 0.0


def test_the_digest_of_the_prompt_is_of_the_form_not_of_the_task() -> None:
    forms: tuple[tuple[AgentStyle, int], ...] = (("calls", 0), ("react", 0), ("act", 0), ("calls", 2))
    prompts = {
        str(ModelAgent(AIRLINE, task, MODEL, style=style, shots=shots).info.settings["prompt"])
        for task in ("0", "1")
        for style, shots in forms
    }
    assert len(prompts) == 4
