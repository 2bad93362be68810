"""Values and the places of values on one line, for whatever tells of changes."""

from __future__ import annotations

import json

from domains.values import ABSENT, JSON, Path
from sessions.safe_text import one_line


def path_text(path: Path) -> str:
    """Return `payment_history[2].amount`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return one_line(text)


def value_text(value: JSON, width: int | None = None) -> str:
    """Return a value on one line, cut to `width` characters; nothing and null are ∅."""
    if value is ABSENT or value is None:
        return "∅"
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"
