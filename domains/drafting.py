"""A task as its template thinks of it: facts, wishes and the steps that fulfil them, one text for two voices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

READS = ("calculate", "check_", "find_", "get_", "list_", "search_", "transfer_")
"""How the names of tools begin that write nothing."""
# What the customer says, and what the scenario tells whoever plays the customer.
VOICES = {
    "I": ("I", "You"),
    "i": ("I", "you"),
    "me": ("me", "you"),
    "My": ("My", "Your"),
    "my": ("my", "your"),
    "am": ("am", "are"),
    "was": ("was", "were"),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the customer can be asked for; the text marks its pronouns (`@My user id is …`)."""

    name: str
    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A call an ideal agent makes."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    text: str
    steps: tuple[Step, ...] = ()
    details: tuple[Fact, ...] = ()
    answers: tuple[str, ...] = ()
    refused: bool = False
    conceal: bool = False

    @property
    def writes(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if not step.name.startswith(READS))


@dataclass(frozen=True, slots=True)
class Draft:
    purpose: str
    facts: tuple[Fact, ...]
    wishes: tuple[Wish, ...]
    customer: str = ""
    """The user id, where no fact holds it."""

    @property
    def user_id(self) -> str:
        return self.customer or str(next(fact.value for fact in self.facts if fact.name == "user_id"))

    @property
    def steps(self) -> list[Step]:
        """The whole plan; nothing is looked up twice."""
        plan: list[Step] = []
        for step in (step for wish in self.wishes for step in wish.steps):
            if step not in plan:
                plan.append(step)
        return plan

    @property
    def gives_itself_away(self) -> bool:
        """True if a required answer stands in what the customer says or in an identifier, where it proves nothing."""
        spoken = [fact.text for fact in self.facts]
        spoken += [text for wish in self.wishes for text in (wish.text, *(detail.text for detail in wish.details))]
        spoken += [str(_without_amounts(step.arguments)) for step in self.steps]
        return any(answer in text for wish in self.wishes for answer in wish.answers for text in spoken)


def first_person(text: str) -> str:
    return _voice(text, 0)


def second_person(text: str) -> str:
    return _voice(text, 1)


def task_record(domain: str, task_id: str, draft: Draft) -> dict[str, Any]:
    """The task in tau2's schema, with our facts and wishes."""
    return {
        "id": task_id,
        "description": {"purpose": draft.purpose, "relevant_policies": None, "notes": None},
        "user_scenario": {
            "persona": None,
            "instructions": {
                "domain": domain,
                "reason_for_call": "\n".join(second_person(w.text) for w in draft.wishes if not w.conceal),
                "known_info": _lines(fact.text for fact in draft.facts if fact.value is not None),
                "unknown_info": _lines(fact.text for fact in draft.facts if fact.value is None) or None,
                "task_instructions": _task_instructions(draft),
            },
            "facts": [_fact_record(fact) for fact in draft.facts],
            "wishes": [
                {
                    "say": first_person(wish.text),
                    "writes": [{"name": step.name, "arguments": step.arguments} for step in wish.writes],
                    "details": [_fact_record(detail) for detail in wish.details],
                    "answers": list(wish.answers),
                    "refused": wish.refused,
                    "conceal": wish.conceal,
                }
                for wish in draft.wishes
            ],
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": f"{task_id}_{index}",
                    "name": step.name,
                    "arguments": step.arguments,
                    "info": None,
                    # A summary is free text: any will do.
                    "compare_args": [] if step.name == "transfer_to_human_agents" else None,
                }
                for index, step in enumerate(draft.steps)
            ],
            "communicate_info": [answer for wish in draft.wishes for answer in wish.answers],
            "nl_assertions": [],
            "reward_basis": ["DB", "COMMUNICATE"],
        },
    }


def _task_instructions(draft: Draft) -> str:
    lines: list[str] = []
    for number, wish in enumerate(draft.wishes, start=1):
        if wish.conceal:
            lines.append("Only when everything before is settled, bring this up: " + second_person(wish.text))
        elif len(draft.wishes) > 1 and (wish.details or wish.refused):
            lines.append(f"About request {number}:")
        lines += dict.fromkeys(second_person(detail.text) for detail in wish.details)
        if wish.refused:
            lines.append("If the agent says that the rules do not allow this, accept it and do not insist.")
    lines.append("Give details when the agent asks for them. You want nothing beyond this.")
    return "\n".join(lines)


def _fact_record(fact: Fact) -> dict[str, Any]:
    return {"name": fact.name, "value": fact.value, "say": first_person(fact.text)}


def _lines(texts: Any) -> str:
    """One sentence may say several facts, such as first and last name."""
    return "\n".join(dict.fromkeys(second_person(text) for text in texts))


def _voice(text: str, person: int) -> str:
    return re.sub(r"(?<!\w)@(\w+)", lambda match: VOICES[match[1]][person], text)


def _without_amounts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_amounts(item) for key, item in value.items() if key not in ("amount", "summary")}
    if isinstance(value, list):
        return [_without_amounts(item) for item in value]
    return value
