"""Markdown of a policy as text with looks: emphasis, code, bullets. Links and HTML stay the characters they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from textual.content import Content

from tau_tui.widgets.safe_text import safe
from tau_tui.widgets.sections import FENCE

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ITEM = re.compile(r"(\s*)(?:([-*+])|(\d+[.)]))\s+(?=\S)")
ROW = re.compile(r"\s*\|")
RULE = re.compile(r"\s*([-*_])(\s*\1){2,}\s*$")
LOOKS: Final = {"strong_open": "bold", "em_open": "italic"}
CODE: Final = "$text-primary"


def marked(text: str) -> Content:
    """Return Markdown as it is read, line for line as it was written."""
    return Content("\n").join([part for chunk, verbatim in _chunks(text) for part in _drawn(chunk, verbatim)])


def _chunks(text: str) -> Iterator[tuple[list[str], bool]]:
    """Cut into what emphasis does not reach across: paragraphs, items, rows; `True` for lines that stay as they are."""
    chunk: list[str] = []
    fenced = False
    for line in text.split("\n"):
        fence = bool(FENCE.match(line))
        verbatim = fenced or fence or not line.strip() or bool(RULE.match(line))
        fenced ^= fence
        if chunk and (verbatim or ITEM.match(line) or ROW.match(line)):
            yield chunk, False
            chunk = []
        if verbatim:
            yield [line], True
        else:
            chunk.append(line)
    if chunk:
        yield chunk, False


def _drawn(chunk: list[str], verbatim: bool) -> Iterator[Content]:
    if verbatim:
        yield Content(safe(chunk[0]))
        return
    item = ITEM.match(chunk[0])
    margins = [line[: len(line) - len(line.lstrip())] for line in chunk]
    words = [line.strip() for line in chunk]
    if item is not None:
        margins[0] = f"{item[1]}{'•' if item[2] else item[3]} "
        words[0] = chunk[0][item.end() :].strip()
    lines = _inline("\n".join(words))
    for margin, line in zip(margins, lines, strict=True):
        yield Content(safe(margin)) + line


def _inline(text: str) -> list[Content]:
    """Return each line of a paragraph."""
    looks: list[str] = []
    lines: list[list[Content]] = [[]]
    tokens: list[Token] = _parser().parseInline(text)[0].children or []
    for token in tokens:
        if token.type in LOOKS:
            looks.append(LOOKS[token.type])
        elif token.type.endswith("_close"):
            looks.pop()
        elif token.type in ("softbreak", "hardbreak"):
            lines.append([])
        else:
            style = " ".join([*looks, CODE] if token.type == "code_inline" else looks)
            lines[-1].append(Content.styled(safe(token.content), style))
    if len(lines) != text.count("\n") + 1:  # code that goes on over the end of a line: no line may be lost
        return [Content(safe(line)) for line in text.split("\n")]
    return [Content("").join(parts) for parts in lines]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero").enable(["newline", "escape", "backticks", "emphasis"])
