"""What the tests of the bundled packs share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from domains.task import Task


def answers(task: Task) -> list[str]:
    assert task.evaluation_criteria is not None
    return task.evaluation_criteria.communicate_info or []


def spoken(task: Task) -> list[str]:
    """Every sentence the customer may say."""
    texts = [fact.say for fact in task.user_scenario.facts]
    for wish in task.user_scenario.wishes:
        texts += [wish.say, *(detail.say for detail in wish.details)]
    return texts


def assert_one_voice(task: Task) -> None:
    """What the customer says in the first person stands in the scenario in the second."""
    told = task.model_dump()["user_scenario"]["instructions"]
    text = " ".join(
        str(told[field]) for field in ("reason_for_call", "known_info", "unknown_info", "task_instructions")
    )
    for sentence in spoken(task):
        assert not re.search(r"(?<!\w)@", sentence) and sentence == sentence.strip()
        assert anonymous(sentence) in anonymous(text)
    assert not re.search(r"(?<!\w)@", text)
    assert not re.search(r"\b(I|me|my|am|mine)\b", text)
    assert not re.search(r"\byou (was|is|has)\b", text, re.IGNORECASE)
    assert not re.search(r"\btell you\b", text), "a customer who is told what to do asks nobody to tell them"


def anonymous(text: str) -> str:
    """The text without the words that differ between the one who speaks and the one who is told."""
    return " ".join(re.sub(r"\b(i|me|my|am|was|you|your|are|were)\b", "_", text.lower()).split())


def strings(value: Any) -> Iterator[str]:
    """Every value in a piece of JSON, but for amounts and free text."""
    match value:
        case dict():
            for key, item in value.items():
                if key not in ("amount", "summary"):
                    yield from strings(item)
        case list():
            for item in value:
                yield from strings(item)
        case _:
            yield str(value)


def twelve_words(texts: list[str]) -> set[tuple[str, ...]]:
    """Every run of twelve words within one of the texts."""
    all_words = [re.findall(r"[a-z0-9']+", text.lower()) for text in texts]
    return {tuple(words[start : start + 12]) for words in all_words for start in range(len(words) - 11)}
