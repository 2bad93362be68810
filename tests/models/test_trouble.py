"""What goes wrong with a model is told with what went wrong first, not with what was raised because of it."""

from __future__ import annotations

from sessions.players.model.choice import ModelChoice
from sessions.players.model.trouble import of_error


class MidStreamFallbackError(Exception):
    original_exception: Exception | None = None


def test_a_reply_that_was_cut_off_is_told_with_its_first_cause() -> None:
    error = MidStreamFallbackError("litellm.MidStreamFallbackError: Connection error.")
    error.original_exception = RuntimeError("Connection error.")
    error.original_exception.__cause__ = OSError("the peer reset the connection")
    line = of_error(error, ModelChoice("openai/x")).line("openai/x", 1)
    assert line == "openai/x: the reply was cut off in the middle (the peer reset the connection); try again"


def test_an_error_that_names_itself_as_its_cause_is_told_all_the_same() -> None:
    error = MidStreamFallbackError("reset")
    error.original_exception = error
    assert "(reset)" in of_error(error, ModelChoice("openai/x")).what
