"""Which model was asked for, and how: what a person wrote, without anything heavy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from domains.values import JSON
from sessions.secret_text import SECRET_NAMES, redact_text

OURS: Final = frozenset(("model", "messages", "stream", "stream_options", "tools", "tool_choice", "n", "api_base"))
"""Arguments of a completion that this program sets itself."""


class WrongModel(Exception):
    """What was asked for cannot be a model: one line that says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model as litellm names it (`provider/model`), further arguments of each completion, and where it is served.

    `num_retries` and `timeout` (seconds without a word) among the arguments are this program's own.
    """

    name: str
    args: Mapping[str, JSON] = field(default_factory=dict)
    api_base: str = ""

    def check(self) -> None:
        """Find out without a call whether it can be asked. Raises WrongModel."""
        if not self.name.strip() or not self.name.isprintable():
            raise WrongModel(f"{self.name!r} is no name of a model; write provider/model, such as openai/gpt-4.1-mini")
        if taken := sorted(OURS & set(self.args)):
            raise WrongModel(f"{taken[0]} cannot be set for {self.name}: tau-tui sets it")
        for name in ("timeout", "num_retries"):
            value = self.args.get(name, 1)
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise WrongModel(f"{name} of {self.name} is a number, not {value!r}")
        if self.api_base and not self.api_base.startswith(("http://", "https://")):
            raise WrongModel(f"{self.api_base} is no address of {self.name}: it begins with http:// or https://")

    @property
    def told(self) -> dict[str, JSON]:
        """What a recording may say of it: no key, no password."""
        told: dict[str, JSON] = {
            "llm_args": {name: value for name, value in self.args.items() if not SECRET_NAMES.fullmatch(name)}
        }
        return told | ({"api_base": redact_text(self.api_base)} if self.api_base else {})


def parse_args(text: str, where: str) -> dict[str, JSON]:
    """Return the JSON object a person wrote, such as `{"temperature": 0.7}`. Raises WrongModel."""
    try:
        found = json.loads(text or "{}")
    except ValueError as error:
        raise WrongModel(f"{where}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WrongModel(f'{where}: expected an object such as {{"temperature": 0.7}}')
    return found
