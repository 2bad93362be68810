"""Holds a domain against what the official implementation answered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from domains.catalog import Domain
from domains.environment import Environment

PYTHONS_OWN = re.compile(
    r"positional argument|keyword argument|validation error|<string>|object is not|unhashable|has no attribute"
    r"|unsupported operand|not supported between|can only concatenate|must be (str|real|a string|integer)"
)
"""Texts that come from Python or pydantic need only be errors."""


def lines(path: Path, domain: str) -> list[dict[str, Any]]:
    """Return the recordings of one domain."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [row for row in rows if row["domain"] == domain]


def assert_answers(env: Environment, call: dict[str, Any], expected: str, error: bool, where: str) -> None:
    """Make a recorded call and compare what came back, byte for byte where the tool itself speaks."""
    result = env.call(call.get("requestor", "assistant"), call["name"], call["arguments"])
    assert result.error == error, (where, call, result.content)
    if not (error and PYTHONS_OWN.search(expected)):
        assert result.content == expected, (where, call)


def assert_digests(env: Environment, expected: dict[str, str | None], where: str) -> None:
    """Compare both digests."""
    assert {"agent": env.digest("agent"), "user": env.digest("user")} == expected, where


def assert_odd_calls(domain: Domain, conformance: Path) -> None:
    """Play every recorded sequence of odd calls of the domain."""
    rows = lines(conformance / "calls.jsonl", domain.name)
    assert rows
    for row in rows:
        env = domain.environment()
        assert_digests(env, row["before"], row["case"])
        for call in row["calls"]:
            assert_answers(env, call, call["content"], call["error"], row["case"])
        assert_digests(env, row["after"], row["case"])
