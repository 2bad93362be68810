"""Secrets never reach the file: planted everywhere, looked for in every byte that was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.event import (
    Call,
    Draft,
    Ended,
    Event,
    Failure,
    Header,
    Mark,
    Message,
    Note,
    Opened,
    PlayerInfo,
    Result,
    Scored,
)
from sessions.recorder import Recorder
from sessions.redaction import redact
from sessions.secret_text import REDACTED, redact_text

SECRETS = {
    "openai": "sk-proj-Ab3dEf6hIj9lMn2pQr5t",
    "anthropic": "sk-ant-api03-Zy9xWv8uTs7rQp6o",
    "openrouter": "sk-or-v1-0123456789abcdef0123",
    "xai": "xai-Q1w2E3r4T5y6U7i8O9p0A1s2",
    "groq": "gsk_Q1w2E3r4T5y6U7i8O9p0A1s2",
    "amazon": "AKIAIOSFODNN7EXAMPLE",
    "google": "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "github": "ghp_Q1w2E3r4T5y6U7i8O9p0A1s2",
    "hugging": "hf_QwErTyUiOpAsDfGhJkLzXcVb",
    "slack": "xoxb-123456789012-abcdefghij",
    "signed": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "private": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow9x\n-----END RSA PRIVATE KEY-----",
}


def header(**more: object) -> Header:
    values = {"id": "S", "domain": "mock", "task_id": "1", "task": {}, "players": {}, "view": "blind"} | more
    return Header(**values)  # type: ignore[arg-type]  # the defaults above fit


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_what_cannot_be_anything_but_a_key_is_replaced_in_any_text(secret: str) -> None:
    for text in (secret, f"my key is {secret}, thanks", f'{{"key": "{secret}"}}', f"({secret})"):
        message = redact(Message(turn=1, seat="user", text=text))
        assert secret not in message.text
        assert REDACTED in message.text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
        ("GET https://me:hunter22@example.com/v1", "hunter22"),
        ("call failed: api_key=9f8e7d6c5b4a, try again", "9f8e7d6c5b4a"),
        ("{'api_key': 'plainword-no-digits'}", "plainword"),
        ("password: correct-horse", "correct-horse"),
    ],
)
def test_machinery_is_read_more_strictly(text: str, kept: str) -> None:
    assert kept not in redact_text(text)
    failure = redact(Failure(what=text, detail=text))
    assert kept not in failure.what + failure.detail


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password: can you reset it? The secret: be patient.",
        "ask-me-anything-about-the-task-2024-05-20-and-more",
        "sk-learn-and-scikit-learn-are-names-of-one-thing",
        "My reservation is AKIA12, flight HAT001, card credit_card_4421486, gift_card_7815826",
        "Basic economy, please; the bearer of bad news",
        "https://example.com/a:b@c and user@example.com",
        "the token was lost",
    ],
)
def test_what_people_say_stays_as_they_said_it(text: str) -> None:
    message = Message(turn=1, seat="user", text=text)
    assert redact(message) is message


def test_fields_that_are_named_like_a_secret_are_emptied_and_counts_are_not() -> None:
    settings = {
        "temperature": 0.0,
        "api_key": "plain",
        "Api-Key": "plain",
        "extra_headers": {"Authorization": "plain words", "X-Api-Key": "plain", "accept": "json"},
        "aws_secret_access_key": "plain",
        "api_base": "https://me:pass@host/v1",
        "nested": [{"access_token": "plain"}],
        "max_tokens": 100,
        "token_count": "12",
        "api_key_env": None,
    }
    opened = redact(Opened(header=header(players={"agent": PlayerInfo("model", "m", settings)})))
    assert opened.header.players["agent"].settings == {
        "temperature": 0.0,
        "api_key": REDACTED,
        "Api-Key": REDACTED,
        "extra_headers": {"Authorization": REDACTED, "X-Api-Key": REDACTED, "accept": "json"},
        "aws_secret_access_key": REDACTED,
        "api_base": f"https://{REDACTED}@host/v1",
        "nested": [{"access_token": REDACTED}],
        "max_tokens": 100,
        "token_count": "12",
        "api_key_env": None,
    }


def test_a_task_stays_what_its_digest_says() -> None:
    task = {"id": "1", "user_scenario": {"instructions": "Your password: hunter2222."}, "token": "abcdef"}
    opened = Opened(header=header(task=task))
    assert redact(opened) is opened


def test_nothing_is_made_anew_where_there_is_nothing_to_take_out_and_twice_is_once() -> None:
    clean = Result(turn=1, seat="agent", id="1", content="a" * 1_000)
    assert redact(clean) is clean
    dirty = redact(Failure(what="Bearer abcdef0123456789abcdef at https://a:b@c/ api_key=12345678"))
    assert redact(dirty) is dirty


def test_no_planted_secret_is_in_any_byte_of_the_file(tmp_path: Path) -> None:
    everything = " ".join(SECRETS.values())
    events: list[Event] = [
        Opened(
            header=header(
                players={"agent": PlayerInfo("model", "m", {"llm_args": {"api_key": "planted-in-settings"}})},
                origin={"info": {"agent_info": {"llm_args": {"api_key": "planted-in-settings", "note": everything}}}},
            )
        ),
        Message(turn=0, seat="agent", text=everything, usage={"raw": everything, "api_key": "planted-in-usage"}),
        Call(turn=1, seat="agent", id="1", name="look", arguments={"a": [everything]}),
        Result(turn=1, seat="agent", id="1", content=everything),
        Draft(seat="user", text=everything),
        Note(text=everything),
        Mark(turn=1, author="agent", type="other", severity="minor", text=everything, policy_line=everything),
        Failure(what=everything, detail="api_key='planted-in-failure'"),
        Ended(reason="unexpected_error", detail=everything),
        Scored(reward=0.0, verdict={"notes": [everything]}),
    ]
    recorder = Recorder(tmp_path / "s.db")
    for seq, event in enumerate(events):
        recorder.write("S", seq, event)
    recorder.add([[Opened(header=header(id="T")), *events[1:]]])
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(written) > 10_000
    recorder.close()
    written += (tmp_path / "s.db").read_bytes()
    for secret in (*SECRETS.values(), "planted-in-settings", "planted-in-usage", "planted-in-failure"):
        for part in secret.split("\n"):
            if "PRIVATE KEY" not in part:
                assert part.encode() not in written, secret
