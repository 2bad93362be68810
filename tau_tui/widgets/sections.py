"""A policy or a scenario cut into sections under headings. No widget."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from domains.task import UserScenario

HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
FENCE = re.compile(r"^\s*(```|~~~)")

LONG, WIDTH = 12, 76
"""More lines than this, of this width, hide what comes after them on a small screen."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (level 1 to 6, 0 for text before any) and the lines below it; `folded` is how it is first shown.

    `markdown` tells whether emphasis and lists are meant by the signs for them.
    """

    title: str
    text: str
    level: int = 1
    folded: bool = False
    markdown: bool = False


def of_policy(policy: str) -> tuple[Section, ...]:
    """Cut a document at its Markdown headings; nothing is left out."""
    sections: list[Section] = []
    title, level, lines, fenced = "", 0, list[str](), False

    def close() -> None:
        text = "\n".join(lines).strip("\n")
        if title or text.strip():
            sections.append(Section(title, text, level, markdown=True))

    for line in policy.splitlines():
        fenced ^= bool(FENCE.match(line))
        found = None if fenced else HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        close()
        title, level, lines = found[2], len(found[1]), []
    close()
    return tuple(sections)


def of_scenario(scenario: UserScenario) -> tuple[Section, ...]:
    """Reason and known facts first; how to behave is folded where it is long."""
    found = scenario.instructions
    if isinstance(found, str):
        parts = [Section("What you are to do", found)]
    else:
        parts = [
            Section("Why you are in contact", found.reason_for_call),
            Section("What you know", found.known_info or ""),
            Section("What you do not know", found.unknown_info or ""),
            Section("How you behave", found.task_instructions, folded=_is_long(found.task_instructions)),
        ]
    persona = scenario.persona or ""
    parts.append(Section("Who you are", persona, folded=_is_long(persona)))
    return tuple(part for part in parts if part.text.strip())


def _is_long(text: str) -> bool:
    return sum(1 + len(line) // WIDTH for line in text.split("\n")) > LONG
