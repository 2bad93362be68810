"""Takes secrets out of what is kept: keys, tokens, passwords, wherever text enters the recording.

Where machinery speaks (headers, usage, failures, endings) fields that are named like a secret are emptied. Everywhere,
words of a conversation and notes included, what cannot be anything but a key is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sessions.event import Ended, Event, Failure, Header, Message, Opened

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

REDACTED: Final = "[redacted]"

KEY_SHAPES: Final = (
    r"(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"(?<![A-Za-z0-9])(?:xai|gsk|pplx|nvapi|tgp|r8|fw|csk)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}",
    r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}",
    r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
    r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])",  # Amazon
    r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}",  # Google
    r"(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}",
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",  # a signed web token
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
)
KEYS: Final = re.compile("|".join(KEY_SHAPES), re.DOTALL)

MARKS: Final = tuple(
    "sk- xai- xai_ gsk- gsk_ pplx- pplx_ nvapi- nvapi_ tgp- tgp_ r8- r8_ fw- fw_ csk- csk_ hf_ ghp_ gho_ ghu_ ghs_ "
    "ghr_ github_pat_ glpat- xox AKIA ASIA AIza ya29. eyJ PRIVATE earer EARER asic ASIC ://".split()
)
"""One of these stands in every secret that is looked for."""

BEARER: Final = re.compile(r"\b((?:Bearer|Basic)\s+)(?=[A-Za-z._~+/-]*[0-9=])[A-Za-z0-9._~+/-]{16,}=*", re.IGNORECASE)
IN_URL: Final = re.compile(r"\b([a-z][a-z0-9+.-]{1,20}://)[^\s/@:\"']*:[^\s/@\"']+@", re.IGNORECASE)
ASSIGNED: Final = re.compile(
    r"""((?:api[-_ ]?key|access[-_]key|secret|password|passwd|access[-_]token|auth[-_]token|authorization)
         \\?["']?\s*[:=]\s*\\?["']?)(?!\[redacted\]|none\b|null\b|true\b|false\b)[^\s"'\\,;&}]{6,}""",
    re.IGNORECASE | re.VERBOSE,
)
"""`api_key=…` and the like; only where machinery speaks, for people say such words too."""

SECRET_NAMES: Final = re.compile(
    r"(?:.*_)?(?:api_?key|access_key(?:_id)?|secret(?:_.*)?|client_secret|password|passwd|passphrase|authorization|"
    r"(?:access|auth|refresh|session|bearer|id|ad|api|hf)_token|token|private_key|credentials?|cookie)",
    re.IGNORECASE,
)
"""Names of fields that hold a secret; `prompt_tokens` and `token_count` are none."""

E = TypeVar("E", bound=Event)
D = TypeVar("D", bound="DataclassInstance")


def redact(event: E) -> E:
    """Return the event without secrets: the same one when there are none."""
    return _parts(event, machinery=isinstance(event, Opened | Failure | Ended))


def redact_text(text: str) -> str:
    """Return a line of machinery (an error, a log line, a path, an address) without secrets."""
    return _text(text, machinery=True)


def _text(text: str, *, machinery: bool) -> str:
    if len(text) < 12:
        return text
    if any(mark in text for mark in MARKS):  # ten times as fast as the expressions, which find nothing in most texts
        text = IN_URL.sub(rf"\1{REDACTED}@", BEARER.sub(rf"\1{REDACTED}", KEYS.sub(REDACTED, text)))
    return ASSIGNED.sub(rf"\1{REDACTED}", text) if machinery else text


def _cleaned(value: Any, *, machinery: bool) -> Any:
    """Return a value without secrets, the very same object when nothing had to be taken out."""
    match value:
        case str():
            cleaned = _text(value, machinery=machinery)
            return value if cleaned == value else cleaned
        case Mapping():
            pairs = {k: _field(k, v, machinery=machinery) for k, v in value.items()}
            return value if all(pairs[k] is v for k, v in value.items()) else pairs
        case list() | tuple():
            items = [_cleaned(item, machinery=machinery) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return _parts(value, machinery=machinery)
        case _:
            return value


def _parts(whole: D, *, machinery: bool) -> D:
    changed = {}
    for f in fields(whole):
        value = getattr(whole, f.name)
        # A task is content like a conversation: it must stay what its digest says.
        spoken = isinstance(whole, Header) and f.name == "task"
        used = isinstance(whole, Message) and f.name == "usage"
        cleaned = _cleaned(value, machinery=used or (machinery and not spoken))
        if cleaned is not value:
            changed[f.name] = cleaned
    return replace(whole, **changed) if changed else whole


def _field(name: Any, value: Any, *, machinery: bool) -> Any:
    held = isinstance(value, str | Mapping | list) and bool(value)
    if machinery and held and isinstance(name, str) and SECRET_NAMES.fullmatch(name.replace("-", "_")):
        return REDACTED
    return _cleaned(value, machinery=machinery)
