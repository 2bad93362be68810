"""A script for every way in which a model has a bad day; by hand, each is a model of that name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.fake_llm.answers import Answer, Hangs, Says, Sends, call, error

HTML: Final = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Oh no</h1></body></html>"
GOOD: Final = Says("Hello, how can I help you?")
MEGABYTE: Final = Says("all work and no play " * 50_000, piece=4_000)

BAD_DAYS: Final[Mapping[str, Sequence[Answer]]] = {
    "refused-key": [error(401, "Incorrect API key provided: sk-fake1234567890abcdef.", "invalid_api_key")],
    "unknown-model": [error(404, "The model `unknown-model` does not exist.", "model_not_found")],
    "rate-limit": [error(429, "Rate limit reached.", "rate_limit_exceeded", "requests", retry_after="7"), GOOD],
    "no-quota": [error(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota")],
    "server-error": [error(500, "The server had an error.", kind="server_error"), GOOD],
    "overloaded": [error(503, "Overloaded.", kind="server_error"), GOOD],
    "always-500": [error(500, "The server had an error.", kind="server_error")],
    "timeout": [Hangs(), GOOD],
    "cut": [Says("Hello, how can I help you?", cut=True), GOOD],
    "always-cut": [Says("Hello, how can I help you?", cut=True)],
    "invalid-json": [Says(calls=[("get_user_details", '{"user_id": ')])],
    "invalid-json-once": [
        Says(calls=[("get_user_details", '{"user_id": ')]),
        Says(calls=[call("get_user_details", user_id="mia_li_3668")]),
    ],
    "wrong-types": [Says(calls=[call("get_user_details", user_id=["mia_li_3668"])]), GOOD],
    "not-an-object": [Says(calls=[("get_user_details", '["mia_li_3668"]')])],
    "unknown-tool": [Says(calls=[call("open_the_pod_bay_doors")]), GOOD],
    "several-calls": [
        Says(calls=[call("get_user_details", user_id="a"), call("get_reservation_details", reservation_id="B")]),
        GOOD,
    ],
    "text-and-call": [Says("Let me look.", calls=[call("get_user_details", user_id="a")]), GOOD],
    "empty": [Says(""), GOOD],
    "always-empty": [Says("")],
    "thinking-only": [Says("", reasoning="Hmm, what would be best?"), GOOD],
    "always-thinking": [Says("", reasoning="Hmm, what would be best?", finish="length")],
    "context-overflow": [
        error(
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            "context_length_exceeded",
        )
    ],
    "bad-request": [error(400, "Unrecognized request argument supplied: temprature", "unknown_parameter")],
    "html": [Sends(502, HTML, "text/html"), GOOD],
    "always-html": [Sends(200, HTML, "text/html")],
    "megabyte": [MEGABYTE],
}
