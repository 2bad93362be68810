"""One completion over litellm: streamed, tried again where that helps, and never heard on the screen.

The only module that knows litellm, and only inside functions: its import costs seconds and 200 MB.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Final

from domains.values import JSON
from sessions.players.base import PlayerFailure
from sessions.players.model.choice import ModelChoice
from sessions.players.model.engine import on_engine, submit
from sessions.players.model.progress import Listener, Progress, Retrying, Thought, Wrote, nobody
from sessions.players.model.reply import Gathered, Reply, add_usage
from sessions.players.model.trouble import Stumble, Trouble, its_words, of_error

RETRIES: Final = 4
TIMEOUT: Final = 120.0
"""Seconds without a word after which a model is given up."""
WHOLE: Final = 900.0
"""Seconds a whole reply may take."""
LONGEST_WAIT: Final = 60.0
"""Seconds a server may ask us to wait; when it wants more, a person decides."""

BETWEEN: Final = 0.03
"""Seconds in which pieces are gathered: a loop that is woken for each of 2,000 tokens a second does little else."""

YIELD: Final = 5e-5
"""Seconds in which the engine lets another thread go first, after each piece: a screen waits 5 ms for its turn else."""

SELDOM: Final = 300
"""How many times the collector of garbage goes over what is young before it goes over everything, beside a screen.

That holds up every thread for 40 to 130 ms, and while a model streams it would happen every second. A model's words
leave next to no cycles behind.
"""

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: messages and tools as OpenAI's protocol has them."""

    model: ModelChoice
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    must_call: bool = False
    temperature: float | None = None
    seed: int | None = None


# litellm, once


_loading = threading.Lock()
_beside_a_screen = threading.Event()


def _imported() -> Any:
    """Import litellm and make it quiet: it prints nothing, logs nothing, and fetches no list of prices."""
    with _loading:
        first = "litellm" not in sys.modules
        if first:
            os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = os.environ.get("LITELLM_LOCAL_MODEL_COST_MAP") or "True"
            os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # .env is read by our own rules
            _silence_logs()
        with _without_pauses() if first else contextlib.nullcontext():
            import litellm

        if first:
            _silence(litellm)
        return litellm


@contextlib.contextmanager
def _without_pauses() -> Iterator[None]:
    """Keep the collector of garbage from what an import makes.

    Going through a million lasting objects would hold up every thread, a screen's too, for half a second at a time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def _silence_logs() -> None:
    """Whatever goes wrong is told as a failure; no library's log is drawn over a screen."""
    import logging
    import warnings

    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).addFilter(lambda record: False)
    for name in ("httpx", "httpcore", "openai", "aiohttp"):
        # With a handler of its own a logger does not fall back to the standard error.
        logging.getLogger(name).addHandler(logging.NullHandler())
    # Its own and pydantic's, about replies that have a field more than they expect.
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic|openai|httpx|aiohttp)\b")


def _silence(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.turn_off_message_logging = True
    litellm.drop_params = True
    litellm.modify_params = True
    for name in ("callbacks", "success_callback", "failure_callback", "_async_success_callback"):
        setattr(litellm, name, [])


def load() -> Future[None]:
    """Begin to import litellm on the engine's thread, once; whoever shows a screen calls this after its first frame.

    From then on the engine lets the screen go first.
    """
    _beside_a_screen.set()
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)

    async def importing() -> None:
        _imported()

    return submit(importing())


def prices(model: str) -> tuple[float, float] | None:
    """Return dollars for a token of the prompt and of the completion, None where nobody knows. Imports litellm."""
    litellm = _imported()
    try:
        info = litellm.get_model_info(model)
        return float(info["input_cost_per_token"]), float(info["output_cost_per_token"])
    except Exception:  # litellm raises a plain Exception for a model that is not in its list
        return None


# One completion


async def complete(
    request: Request,
    tell: Listener = nobody,
    *,
    pause: Pause = asyncio.sleep,
    spread: Callable[[], float] = random.random,
) -> Reply:
    """Ask a model and return its whole reply, telling of its pieces as they come.

    Tried again, with growing waits, where that helps. Raises PlayerFailure with one line.
    """
    most = int(request.model.args.get("num_retries", RETRIES))
    spent: Mapping[str, JSON] = {}
    for attempt in range(most + 1):
        try:
            reply = await _streamed(request, tell)
        except Exception as error:  # litellm and everything below it may raise anything; it is told, never swallowed
            trouble = of_error(error, request.model)
        else:
            spent = add_usage(spent, reply.usage)
            if (found := _of_nothing(reply)) is None:
                return replace(reply, usage=spent if attempt == 0 else {**spent, "attempts": attempt + 1})
            trouble = found
        limit = most if trouble.most is None else min(most, trouble.most)
        wait = trouble.wait if trouble.wait is not None else min(30.0, 2.0**attempt) * (0.5 + spread())
        if not trouble.again or attempt >= limit or wait > LONGEST_WAIT:
            if wait > LONGEST_WAIT and trouble.again:
                trouble = replace(trouble, advice=f"the server asks to wait {wait:.0f} s")
            raise PlayerFailure(trouble.line(request.model.name, attempt + 1), retryable=trouble.retryable)
        tell(Retrying(trouble.what, attempt + 1, limit, wait))
        await pause(wait)
    raise AssertionError("unreachable")


def _of_nothing(reply: Reply) -> Trouble | None:
    """Say what is wrong with a reply that says nothing and does nothing."""
    if reply.text.strip() or reply.calls:
        return None
    match reply.usage.get("finish"):
        case "length":
            return Trouble("all it may write went into thinking", "raise max_tokens in the arguments", again=False)
        case "content_filter":
            return Trouble("the provider's content filter stopped it", "edit your message, or choose another model")
    what = "it thought and said nothing" if reply.reasoning.strip() else "the reply was empty"
    return Trouble(what, "try again, or choose another model", again=True, wait=0.0, most=1)


async def _streamed(request: Request, tell: Listener) -> Reply:
    """Stream one reply on the engine, and tell of it here, in the caller's loop, a batch at a time."""
    here = asyncio.get_running_loop()
    waiting: deque[Progress] = deque()
    closed = False

    def deliver() -> None:
        batch = []
        while waiting:
            batch.append(waiting.popleft())
        for progress in [] if closed else _merged(batch):
            tell(progress)

    def pass_on(progress: Progress) -> None:
        first = not waiting
        waiting.append(progress)
        if first:
            with contextlib.suppress(RuntimeError):  # the caller's loop is gone, and nobody listens
                here.call_soon_threadsafe(here.call_later, BETWEEN, deliver)

    try:
        reply = await on_engine(_once(request, pass_on))
        deliver()
        return reply
    finally:
        closed = True


def _merged(batch: Sequence[Progress]) -> list[Progress]:
    """Join pieces that came between two looks."""
    out: list[Progress] = []
    for progress in batch:
        match progress, out[-1] if out else None:
            case (Wrote(text), Wrote(before)):
                out[-1] = Wrote(before + text)
            case (Thought(text), Thought(before)):
                out[-1] = Thought(before + text)
            case _:
                out.append(progress)
    return out


async def _once(request: Request, tell: Listener) -> Reply:
    litellm = _imported()
    started = time.monotonic()
    stream = None
    async with asyncio.timeout(WHOLE):
        try:
            stream = await litellm.acompletion(**_arguments(litellm, request))
            gathered = Gathered(tell, started)
            async for chunk in stream:
                gathered.take(chunk)
                if _beside_a_screen.is_set():
                    time.sleep(YIELD)  # noqa: ASYNC251 (it is this very thread that is to stand back)
        finally:
            if stream is not None:
                with contextlib.suppress(Exception):  # the reply is here, or the trouble is another
                    await stream.aclose()
    kind = _content_type(stream)
    if gathered.nothing and kind and "event-stream" not in kind:
        raise Stumble(
            Trouble(
                f"the answer was no stream of a model but {its_words('<html') if 'html' in kind else kind}",
                "check the address; it usually ends in /v1",
            )
        )
    return gathered.reply(request.model, lambda usage: _cost(litellm, request.model, usage))


def _arguments(litellm: Any, request: Request) -> dict[str, Any]:
    model = request.model
    name, provider = _named(litellm, model)
    args: dict[str, Any] = {"temperature": request.temperature, "seed": request.seed} | dict(model.args)
    args |= {
        "model": name,
        "messages": [dict(message) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": float(model.args.get("timeout", TIMEOUT)),
        "num_retries": 0,
        "max_retries": 0,
    }
    if model.api_base:
        args["api_base"] = model.api_base
        if provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
            args.setdefault("api_key", "none")  # servers of one's own rarely want one; the client insists
    if request.tools:
        args |= {"tools": list(request.tools), "tool_choice": "required" if request.must_call else "auto"}
    return {key: value for key, value in args.items() if value is not None}


def _named(litellm: Any, model: ModelChoice) -> tuple[str, str]:
    """Return the model's name and its provider; at an address of one's own that is OpenAI's protocol."""
    if not model.api_base:
        return model.name, ""
    try:
        return model.name, litellm.get_llm_provider(model.name)[1]
    except Exception:  # it knows no provider of this name
        return f"openai/{model.name}", "openai"


def _content_type(stream: Any) -> str:
    headers = getattr(stream, "_response_headers", None)
    return str(headers.get("content-type", "")) if headers is not None else ""


def _cost(litellm: Any, model: ModelChoice, usage: Any) -> float | None:
    """Return dollars, None where nobody knows the price."""
    try:
        prompt, completion = litellm.cost_per_token(model=model.name, usage_object=usage)
    except Exception:  # litellm raises a plain Exception for a model that is not in its list
        return None
    return round(float(prompt) + float(completion), 9)
