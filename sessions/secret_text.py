"""Secrets in a text: keys, tokens, passwords. Knows no events, for a command line needs it before the first frame."""

from __future__ import annotations

import re
from typing import Final

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


def redact_text(text: str) -> str:
    """Return a line of machinery (an error, a log line, a path, an address) without secrets."""
    return without_secrets(text, machinery=True)


def without_secrets(text: str, *, machinery: bool) -> str:
    """Return a text without secrets; where machinery speaks, also without what it calls one."""
    if len(text) < 12:
        return text
    if any(mark in text for mark in MARKS):  # ten times as fast as the expressions, which find nothing in most texts
        text = IN_URL.sub(rf"\1{REDACTED}@", BEARER.sub(rf"\1{REDACTED}", KEYS.sub(REDACTED, text)))
    return ASSIGNED.sub(rf"\1{REDACTED}", text) if machinery else text
