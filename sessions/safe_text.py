"""Makes text of any origin fit to be shown: what could steer a terminal becomes visible, what people wrote stays."""

from __future__ import annotations

from typing import Final

TAB: Final = 4


def _visible() -> dict[int, str]:
    shown = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
    shown[0x7F] = "␡"
    shown |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
    # Overrides and isolates reorder what stands beside them; line separators break a row that was measured as one.
    unruly = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)
    return shown | {code: f"\\u{code:04x}" for code in unruly}


_TABLE: Final = _visible()


def safe(text: str) -> str:
    """Return text with control and bidi characters made visible, tabs as spaces and newlines kept.

    Half surrogates, which JSON can carry and no terminal can take, are made visible too.
    """
    text = text.replace("\r\n", "\n").translate(_TABLE)
    if "\t" in text:
        text = text.expandtabs(TAB)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return text


def one_line(text: str) -> str:
    """Return safe text on one line, every run of white space a single space."""
    return " ".join(safe(text).split())
