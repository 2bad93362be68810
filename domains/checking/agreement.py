"""Lints of people: scenario, facts, ticket, gold and database speak of one customer, by the same name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domains.checking.finding import Finding, at_action
from domains.checking.played import Played, Step, scenario
from domains.environment import Environment
from domains.knowledge import Kind, Person, values_of, written_in

# "You name is" stands in official tasks.
SELF = re.compile(r"\b(?:[Yy]ou are|[Yy]our? name is|[Nn]ame:)\s+([A-Z][\w'-]+ [A-Z][\w'-]+)")
ZIP = re.compile(r"(?<![\w$#.-])\d{5}(?![\w.-]*\d)")


def people(played: Played) -> Iterator[Finding]:
    """Lint whose records are written to, and whether the customer is described as the database knows them."""
    told = _told(played)
    written: dict[str, Step] = {}
    for step in played.writes:
        for owner in _owners(played, step):
            written.setdefault(owner, step)
    if len(written) > 1:
        last = list(written.values())[-1]
        what = f"gold writes for {' and '.join(written)}"
        yield at_action(played.task.id, "warning", "several-people", last.index, last.action, what)
    for owner, step in written.items() if told else ():
        if owner not in told:
            what = f"it is {owner}'s, and the scenario is that of {' and '.join(sorted(told))}"
            yield at_action(played.task.id, "warning", "other-person", step.index, step.action, what)
    whose = list(written) or sorted(told) or _looked_up(played)
    if len(whose) == 1 and (person := played.knowledge.person(played.start, whose[0])):
        yield from _described(played, person)
    yield from _facts(played)
    yield from _ticket(played)


def _told(played: Played) -> set[str]:
    """Return the customers whose ids, addresses or numbers the scenario gives as the customer's own."""
    text = "\n".join((scenario(played.task), *(str(fact.value) for fact in played.task.user_scenario.facts)))
    own = [kind for kind in played.knowledge.kinds if kind.name in IDENTIFYING]
    return {o for kind in own for value in written_in(kind, text) if (o := kind.owner(played.start, value))}


IDENTIFYING = ("user", "customer", "email address", "phone number")
"""Kinds of ids that say who somebody is; an order of another customer may well be spoken of."""


def _owners(played: Played, step: Step) -> set[str]:
    return {
        owner
        for kind in played.knowledge.kinds
        for _, value in values_of(kind, step.action.arguments)
        if kind.find(step.before, value) and (owner := kind.owner(step.before, value))
    }


def _looked_up(played: Played) -> list[str]:
    return sorted({owner for step in played.steps for owner in _owners(played, step)})


def _described(played: Played, person: Person) -> Iterator[Finding]:
    text = scenario(played.task)
    names = list(dict.fromkeys(SELF.findall(text)))
    if names and person.name.casefold() not in (name.casefold() for name in names):
        what = f"the scenario says {' and '.join(map(repr, names))}, the database says {person.name!r} for {person.id}"
        yield Finding(played.task.id, "warning", "name-disagrees", "instructions", what)
    codes = list(dict.fromkeys(ZIP.findall(text)))
    if person.zip and codes and person.zip not in codes:
        what = f"the scenario says {' and '.join(codes)}, the database says {person.zip} for {person.id}"
        yield Finding(played.task.id, "warning", "zip-disagrees", "instructions", what)
    for fact in played.task.user_scenario.facts:
        if fact.name in ("name", "full_name") and fact.value not in (None, person.name):
            what = f"the fact {fact.name} is {fact.value!r}, the database says {person.name!r} for {person.id}"
            yield Finding(played.task.id, "warning", "name-disagrees", "facts", what)
        if fact.name == "zip" and fact.value not in (None, person.zip):
            what = f"the fact zip is {fact.value!r}, the database says {person.zip} for {person.id}"
            yield Finding(played.task.id, "warning", "zip-disagrees", "facts", what)


def _facts(played: Played) -> Iterator[Finding]:
    """Lint facts in data: the ids exist, and their sentence says their value."""
    scene = played.task.user_scenario
    facts = [("facts", fact) for fact in scene.facts]
    facts += [(f"wishes[{i}].details", detail) for i, wish in enumerate(scene.wishes) for detail in wish.details]
    for where, fact in facts:
        for kind in played.knowledge.kinds:
            for _, value in values_of(kind, fact.value, fact.name):
                if not _known(played, kind, value):
                    what = f"{fact.name}: there is no {kind.name} {value!r}"
                    yield Finding(played.task.id, "warning", "missing-record", where, what)
            said = set(written_in(kind, fact.say))
            held = {value for _, value in values_of(kind, fact.value, fact.name)}
            if said and held and not said & held:
                what = (
                    f"{fact.name} is {' and '.join(sorted(held))}, and its sentence says {' and '.join(sorted(said))}"
                )
                yield Finding(played.task.id, "warning", "fact-disagrees", where, what)


def _known(played: Played, kind: Kind, value: str) -> bool:
    environments: tuple[Environment, ...] = (played.start, played.live)
    return any(kind.find(env, value) for env in environments)


def _ticket(played: Played) -> Iterator[Finding]:
    """Lint ids and names that only the ticket gives, where the scenario gives others."""
    task = played.task
    if not task.ticket:
        return
    text = scenario(task)
    for kind in played.knowledge.kinds:
        here, there = set(written_in(kind, task.ticket)), set(written_in(kind, text))
        if here and there and not here & there:
            what = f"it says {kind.name} {' and '.join(sorted(here))}, the scenario {' and '.join(sorted(there))}"
            yield Finding(task.id, "warning", "ticket-disagrees", "ticket", what)
    names, told = set(SELF.findall(task.ticket)), set(SELF.findall(text))
    if names and told and not names & told:
        what = f"it says {' and '.join(sorted(names))}, the scenario {' and '.join(sorted(told))}"
        yield Finding(task.id, "warning", "ticket-disagrees", "ticket", what)
