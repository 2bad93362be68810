"""A model on a bad day, over litellm and real HTTP: what is tried again, what is told, and that nothing is printed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sessions.players.base import PlayerFailure
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import Request, complete, prices
from sessions.players.model.progress import Calling, Progress, Retrying, Thought, Wrote
from sessions.players.model.reply import Reply
from tests.fake_llm import FakeLLM, Says, closed_port
from tests.fake_llm.scripts import BAD_DAYS

pytestmark = [pytest.mark.usefixtures("litellm"), pytest.mark.filterwarnings("ignore")]


class Asked:
    """One completion, with what was told of it and how long it would have waited."""

    def __init__(self, url: str, model: str = "small", **args: Any) -> None:
        self.told: list[Progress] = []
        self.waits: list[float] = []
        self.request = Request(ModelChoice(model, args, url), [{"role": "user", "content": "Hi"}])

    async def reply(self) -> Reply:
        """Ask, without waiting between attempts."""

        async def pause(seconds: float) -> None:
            self.waits.append(seconds)

        return await complete(self.request, self.told.append, pause=pause, spread=lambda: 0.5)

    @property
    def retries(self) -> list[str]:
        """What was said each time it was tried again."""
        return [one.what for one in self.told if isinstance(one, Retrying)]

    @property
    def words(self) -> str:
        """The words as they came."""
        return "".join(one.text for one in self.told if isinstance(one, Wrote))


async def on(day: str, **args: Any) -> tuple[Asked, Reply | PlayerFailure, FakeLLM]:
    """Ask on a bad day and return what came of it."""
    with FakeLLM(*BAD_DAYS[day]) as server:
        asked = Asked(server.url, **args)
        try:
            return asked, await asked.reply(), server
        except PlayerFailure as failure:
            return asked, failure, server


async def test_words_come_as_they_are_written_and_are_measured() -> None:
    with FakeLLM(Says("Hello, how are you?", reasoning="A greeting.", served="small-2025")) as server:
        asked = Asked(server.url, temperature=0.25)
        reply = await asked.reply()
    assert reply.text == asked.words == "Hello, how are you?"
    assert "".join(one.text for one in asked.told if isinstance(one, Thought)) == reply.reasoning == "A greeting."
    usage = reply.usage
    assert (usage["model"], usage["served"], usage["prompt_tokens"], usage["completion_tokens"]) == (
        "small",
        "small-2025",
        100,
        10,
    )
    assert usage["cost"] is None, "nobody knows the price of this one"
    assert 0 < usage["first_word"] <= usage["latency"]
    assert server.requests[0]["temperature"] == 0.25 and server.requests[0]["stream"] is True


async def test_a_price_that_is_known_makes_a_cost() -> None:
    with FakeLLM(Says("Hi")) as server:
        reply = await Asked(server.url, "gpt-4o").reply()
    found = prices("gpt-4o")
    assert found is not None and prices("small") is None
    assert reply.usage["cost"] == pytest.approx(100 * found[0] + 10 * found[1])


async def test_words_are_told_while_the_rest_is_still_to_come() -> None:
    gate = threading.Event()
    with FakeLLM(Says("Hello, how are you?", piece=6, gate=gate)) as server:
        asked = Asked(server.url)
        working = asyncio.create_task(asked.reply())
        while not asked.words:
            await asyncio.wait({working}, timeout=0.01)
        assert asked.words == "Hello," and not working.done()
        gate.set()
        assert (await working).text == "Hello, how are you?"


async def test_a_reply_that_is_cancelled_is_given_up_at_once() -> None:
    gate = threading.Event()
    with FakeLLM(Says("Hello, how are you?", piece=6, gate=gate)) as server:
        asked = Asked(server.url)
        working = asyncio.create_task(asked.reply())
        while not asked.words:
            await asyncio.wait({working}, timeout=0.01)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        gate.set()
    assert asked.words == "Hello,"


@pytest.mark.parametrize(
    ("day", "retry"),
    [
        ("rate-limit", "too many requests"),
        ("server-error", "500"),
        ("overloaded", "503"),
        ("cut", "cut off in the middle"),
        ("empty", "empty"),
        ("thinking-only", "thought and said nothing"),
        ("html", "502"),
    ],
)
async def test_what_passes_is_tried_again_and_that_is_told(day: str, retry: str) -> None:
    asked, reply, server = await on(day)
    assert isinstance(reply, Reply) and reply.text == "Hello, how can I help you?"
    assert len(asked.retries) == 1 and retry in asked.retries[0]
    assert len(server.requests) == 2 and reply.usage["attempts"] == 2


async def test_a_server_is_given_the_time_it_asks_for() -> None:
    asked, _, _ = await on("rate-limit")
    assert asked.waits == [7.0]


async def test_a_model_that_is_silent_too_long_is_asked_again() -> None:
    asked, reply, _ = await on("timeout", timeout=0.5)
    assert isinstance(reply, Reply)
    assert "no answer in time" in asked.retries[0]


async def test_waits_grow_and_end() -> None:
    asked, failure, server = await on("always-500")
    assert isinstance(failure, PlayerFailure) and failure.retryable
    assert asked.waits == [1.0, 2.0, 4.0, 8.0] and len(server.requests) == 5
    assert "tried 5 times" in str(failure) and "try again later" in str(failure)


async def test_retries_can_be_forbidden() -> None:
    asked, failure, server = await on("always-cut", num_retries=0)
    assert isinstance(failure, PlayerFailure) and failure.retryable
    assert asked.retries == [] and len(server.requests) == 1


@pytest.mark.parametrize(
    ("day", "said", "advice", "retryable"),
    [
        ("refused-key", "the key was refused", ".env", False),
        ("unknown-model", "there is no such model", "provider/model", False),
        ("no-quota", "nothing left", "top it up", True),
        ("context-overflow", "no longer fits", "larger one", False),
        ("bad-request", "temprature", "check the arguments", False),
        ("always-html", "an HTML page", "/v1", True),
        ("megabyte", "more than 100,000 characters", "max_tokens", True),
        ("always-thinking", "went into thinking", "max_tokens", True),
    ],
)
async def test_what_does_not_pass_is_one_line_at_once(day: str, said: str, advice: str, retryable: bool) -> None:
    asked, failure, server = await on(day)
    assert isinstance(failure, PlayerFailure)
    line = str(failure)
    assert said in line and advice in line and "\n" not in line and len(line) < 400
    assert line.startswith("small: ") and "<html" not in line and "sk-fake" not in line
    assert failure.retryable is retryable
    assert asked.retries == [] and len(server.requests) == 1


async def test_an_empty_reply_is_tried_once_more_only() -> None:
    asked, failure, _ = await on("always-empty")
    assert isinstance(failure, PlayerFailure) and "empty" in str(failure)
    assert len(asked.retries) == 1


async def test_without_a_network_the_address_is_told() -> None:
    asked = Asked(f"http://127.0.0.1:{closed_port()}/v1")
    with pytest.raises(PlayerFailure, match="cannot be reached at http://127") as failure:
        await asked.reply()
    assert failure.value.retryable and len(asked.retries) == 4


async def test_a_model_of_no_provider_is_unknown() -> None:
    with pytest.raises(PlayerFailure, match="no such model") as failure:
        await Asked("", "what").reply()
    assert not failure.value.retryable


async def test_a_missing_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(PlayerFailure, match="needs a key and there is none") as failure:
        await Asked("", "openai/gpt-4o").reply()
    assert not failure.value.retryable


async def test_several_calls_and_words_with_calls_are_kept() -> None:
    _, several, _ = await on("several-calls")
    asked, both, _ = await on("text-and-call")
    assert isinstance(several, Reply) and isinstance(both, Reply)
    assert [call.name for call in several.calls] == ["get_user_details", "get_reservation_details"]
    assert both.text == "Let me look." and both.calls[0].arguments == '{"user_id": "a"}'
    assert Calling("get_user_details") in asked.told


async def test_thoughts_in_tags_are_no_words() -> None:
    with FakeLLM(Says("<think>\nWho is this?</think>\n\nHello <think>", piece=3)) as server:
        asked = Asked(server.url)
        reply = await asked.reply()
    assert reply.text == "Hello <think>" and reply.reasoning == "Who is this?"
    assert asked.words.strip() == "Hello <think>"


async def test_a_server_that_counts_no_tokens_leaves_nothing_invented_of_the_price() -> None:
    with FakeLLM(Says("Hello", usage=None)) as server:
        reply = await Asked(server.url).reply()
    assert reply.text == "Hello" and reply.usage["cost"] is None


ALONE = """
import asyncio, sys
from sessions.players.base import PlayerFailure
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import Request, complete
async def main(days):
    for day in days:
        try:
            model = ModelChoice(day, {"num_retries": 0}, sys.argv[1])
            await complete(Request(model, [{"role": "user", "content": "x"}]))
        except PlayerFailure:
            pass
asyncio.run(main(sys.argv[2:]))
"""


def test_nothing_is_ever_printed() -> None:
    """In a process of its own: no log, no "Give Feedback", no list of prices, not even at the end."""
    days = ["refused-key", "unknown-model", "rate-limit", "cut", "context-overflow", "always-html", "megabyte"]
    with FakeLLM(models=BAD_DAYS) as server:
        out = subprocess.run(
            [sys.executable, "-c", ALONE, server.url, *days],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            check=True,
        )
    assert (out.stdout, out.stderr) == ("", "")
