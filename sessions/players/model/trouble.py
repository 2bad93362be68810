"""What can go wrong with a model, in one line that says what happened and what to do, and whether to try again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any, Final

from sessions.safe_text import one_line
from sessions.secret_text import redact_text

if TYPE_CHECKING:
    from sessions.players.model.choice import ModelChoice

LONGEST: Final = 160
"""Characters of a provider's own words that are passed on."""

WRAPPING: Final = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)\b\s*(?::|-|–)\s*)+")


@dataclass(frozen=True, slots=True)
class Trouble:
    """`again` says that another attempt helps by itself, `retryable` that it may help when a person asks for it."""

    what: str
    advice: str
    again: bool = False
    retryable: bool = True
    wait: float | None = None
    """Seconds after which the server wants to be asked again."""
    most: int | None = None
    """How often at most it is tried again, where that is less than usual."""

    def line(self, model: str, attempts: int) -> str:
        """Return the one line a person reads."""
        tried = f", tried {attempts} times" if attempts > 1 else ""
        return f"{model}: {self.what}{tried}; {self.advice}"


class Stumble(Exception):
    """Something was wrong with a reply that came; `trouble` says what."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.what)
        self.trouble = trouble


def of_error(error: Exception, model: ModelChoice) -> Trouble:
    """Say what an error of litellm means."""
    if isinstance(error, Stumble):
        return error.trouble
    kinds = {kind.__name__ for kind in type(error).__mro__}
    said = its_words(error)
    status = getattr(error, "status_code", None)
    where = f" at {redact_text(model.api_base)}" if model.api_base else ""
    if "repeating the same chunk" in str(error):
        return Trouble("it repeated the same words without end and was stopped", "try again, or choose another model")
    if "MidStreamFallbackError" in kinds:
        said = its_words(_first_cause(error))
        return Trouble(f"the reply was cut off in the middle{where} ({said})", "try again", again=True)
    if re.search(
        r"missing credentials|api[_ ]key.*(?:must be set|not set|is missing|required)", str(error), re.IGNORECASE
    ):
        advice = "put it into the environment or .env, such as OPENAI_API_KEY=…, and start again"
        return Trouble("it needs a key and there is none", advice, retryable=False)
    if "AuthenticationError" in kinds or "PermissionDeniedError" in kinds:
        return Trouble(
            f"the key was refused{where} ({said})",
            "put the right one into the environment or .env and start again, or choose another model",
            retryable=False,
        )
    if "ContextWindowExceededError" in kinds:
        return Trouble(
            f"the conversation no longer fits into the model's context ({said})",
            "choose a model with a larger one, or take the seat yourself",
            retryable=False,
        )
    if "ContentPolicyViolationError" in kinds:
        return Trouble(f"the provider's content filter refused ({said})", "edit your message, or choose another model")
    if "NotFoundError" in kinds or "LLM Provider NOT provided" in str(error):
        advice = "check its name: provider/model, such as openai/gpt-4.1-mini"
        return Trouble(f"there is no such model{where} ({said})", advice, retryable=False)
    if "RateLimitError" in kinds:
        if re.search(r"quota|billing|credit|balance|insufficient", str(error), re.IGNORECASE):
            return Trouble(f"the account has nothing left ({said})", "top it up, or choose another model")
        return Trouble("too many requests (429)", "wait a little and try again", again=True, wait=_retry_after(error))
    if "Timeout" in kinds or isinstance(error, TimeoutError):
        return Trouble(f"no answer in time{where}", "try again, or set a longer timeout in the arguments", again=True)
    if "APIConnectionError" in kinds or "Connection error" in str(error) or "Cannot connect" in str(error):
        return Trouble(f"cannot be reached{where}", "check the network and the address, then try again", again=True)
    if isinstance(status, int) and status >= 500:
        return Trouble(f"the server failed ({status}: {said})", "try again later", again=True, wait=_retry_after(error))
    if isinstance(status, int) and status >= 400:
        return Trouble(f"the request was refused ({status}: {said})", "check the arguments", retryable=False)
    return Trouble(f"{type(error).__name__}: {said}", "try again, or choose another model")


def its_words(error: BaseException | str) -> str:
    """Return the provider's own words, short, on one line and without keys."""
    text = str(error)
    if "<html" in text.lower() or "<!doctype" in text.lower():
        return "an HTML page"
    line = redact_text(one_line(WRAPPING.sub("", text)))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _first_cause(error: BaseException) -> BaseException:
    """Return what went wrong first, below everything that was raised because of it."""
    below = getattr(error, "original_exception", None) or error.__cause__ or error.__context__
    return _first_cause(below) if isinstance(below, BaseException) and below is not error else error


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None
