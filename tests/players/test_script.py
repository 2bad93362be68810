"""The script user: gives facts, agrees only to what it wants, does not know what it does not know, and always ends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from domains import list_domains, load_domain
from domains.catalog import Domain
from domains.task import Task, Write
from sessions.event import Stop
from sessions.players.base import Action, View
from sessions.players.language import Answer, answer
from sessions.players.oracle.phrasing import describe, proposal
from sessions.players.script import ScriptUser
from sessions.trajectory import Turn
from tests.players.changing import changes
from tests.players.playing import Typed, played

GREETING = "Hi! How can I help you today?"


def hear(script: ScriptUser, *heard: str) -> list[Action]:
    """Let an agent say these lines one after the other; return what the customer says to each."""
    turns = [Turn(0, "agent", GREETING)]
    said: list[Action] = []
    for line in ("", *heard):
        if line:
            turns.append(Turn(len(turns), "agent", line))
        action = asyncio.run(script.act(View("user", script.lookup.domain.name, tuple(turns), (), "")))
        said.append(action)
        turns.append(Turn(len(turns), "user", action.text, action.stop))
    return said[1:]


def script_of(name: str, task_id: str, data: Path | None = None) -> ScriptUser:
    """Return the script of a task."""
    domain = load_domain(name, data)
    return ScriptUser(domain, domain.task(task_id))


def task_with(domain: Domain, write: str) -> Task:
    """Return the first bundled task with one wish only and this write in it."""
    return next(
        t
        for t in domain.tasks
        if len(t.user_scenario.wishes) == 1 and [w.name for w in t.user_scenario.wishes[0].writes] == [write]
    )


# Proposals


def conversation(script: ScriptUser, wish: int) -> list[Turn]:
    """Return the turns after which the customer has just brought up a wish, those before it being settled."""
    turns = [Turn(0, "agent", GREETING)]
    for i, other in enumerate(script.sheet.wishes[: wish + 1]):
        if i:
            turns.append(Turn(len(turns), "agent", "I am sorry, that is not possible. Anything else?"))
        turns.append(Turn(len(turns), "user", other.say))
    return turns


def answer_to(script: ScriptUser, wish: int, text: str) -> Answer:
    """Return yes, no or neither to a proposal made when a wish has just been brought up."""
    turns = [*conversation(script, wish), Turn(99, "agent", text)]
    action = asyncio.run(script.act(View("user", script.lookup.domain.name, tuple(turns), (), "")))
    return answer(action.text.split(".")[0])


def wished(task: Task) -> Iterator[tuple[int, Write]]:
    """Yield the agent's writes of a task's wishes."""
    for i, wish in enumerate(task.user_scenario.wishes):
        yield from ((i, write) for write in wish.writes if write.requestor != "user")


@pytest.mark.parametrize("name", list_domains())
def test_agrees_to_every_gold_write_as_the_oracle_proposes_it(name: str) -> None:
    domain = load_domain(name)
    for task in domain.tasks:
        script = ScriptUser(domain, task)
        for i, write in wished(task):
            text = proposal(describe(write.name, write.arguments, script.lookup), 0)
            assert answer_to(script, i, text) is Answer.YES, (task.id, text)


@pytest.mark.parametrize("name", list_domains())
def test_declines_every_gold_write_with_any_one_argument_changed(name: str) -> None:
    domain = load_domain(name)
    tried = 0
    for task in domain.tasks:
        script = ScriptUser(domain, task)
        wanted = [(write.name, write.arguments) for _, write in wished(task)]
        for i, write in wished(task):
            for what, arguments in changes(write.arguments, script.lookup):
                if (write.name, arguments) in wanted:
                    continue  # then it is another wish
                text = proposal(describe(write.name, arguments, script.lookup), 0)
                assert answer_to(script, i, text) is Answer.NO, (task.id, what, text)
                tried += 1
    assert tried > 20


def test_accepts_a_proposal_with_few_details_and_says_what_is_wrong_with_others() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    script = ScriptUser(domain, task)
    mine = str(task.user_scenario.wishes[0].writes[0].arguments["reservation_id"])
    other = next(r for r in domain.bases["agent"].tables["reservations"] if r != mine)
    assert answer_to(script, 0, f"Shall I cancel reservation {mine}?") is Answer.YES
    assert answer_to(script, 0, f"OK, cancel {mine}, right?") is Answer.YES
    assert answer_to(script, 0, "Should I go ahead?") is Answer.YES
    assert answer_to(script, 0, f"Shall I cancel reservation {other}?") is Answer.NO
    assert answer_to(script, 0, "Would you like me to book you another flight?") is Answer.NO


def test_names_the_detail_that_a_proposal_gets_wrong() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "update_reservation_baggages")
    script = ScriptUser(domain, task)
    detail = next(d for d in task.user_scenario.wishes[0].details if d.name == "total_baggages")
    (said,) = hear(script, "So I would set it to 9 checked bags in all. Is that right?")
    assert answer(said.text.split(".")[0]) is Answer.NO
    assert detail.say in said.text


def test_acknowledges_what_was_done_without_a_question_and_ends() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    *_, last = hear(ScriptUser(domain, task), "Done, it is cancelled. You get $1,234 back. Anything else?")
    assert last.stop == "###STOP###"


# Wishes


def test_brings_up_one_wish_after_the_other_and_ends() -> None:
    domain = load_domain("airline")
    task = next(t for t in domain.tasks if len(t.user_scenario.wishes) > 2)
    script = ScriptUser(domain, task)
    more = ["I am sorry, that is not possible. Is there anything else?"] * len(task.user_scenario.wishes)
    said = hear(script, *more)
    for wish, action in zip(task.user_scenario.wishes[1:], said, strict=False):
        assert wish.say in action.text
    assert said[-1].stop == "###STOP###"


def test_conceals_a_wish_until_the_others_are_settled() -> None:
    domain = load_domain("airline")
    task = next(t for t in domain.tasks if any(w.conceal for w in t.user_scenario.wishes))
    script = ScriptUser(domain, task)
    hidden = next(w for w in task.user_scenario.wishes if w.conceal)
    said = hear(script, "What is your user id?", "Why do you want that?", "What else can you tell me?")
    assert all(hidden.say not in action.text for action in said)


def test_reminds_of_a_wish_the_agent_has_forgotten_and_of_a_question_it_has_not_answered() -> None:
    domain = load_domain("airline")
    task = next(t for t in domain.tasks if t.user_scenario.wishes[0].writes and t.user_scenario.wishes[0].answers)
    script = ScriptUser(domain, task)
    (forgotten,) = hear(script, "Is there anything else I can do for you?")
    assert task.user_scenario.wishes[0].say in forgotten.text
    (unanswered,) = hear(script, "It has been done. Is there anything else I can do for you?")
    assert "not told me" in unanswered.text


def test_leaves_when_it_is_handed_over() -> None:
    domain = load_domain("airline")
    for line in (
        "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.",
        "I am transferring you to a colleague now.",
    ):
        (action,) = hear(ScriptUser(domain, domain.tasks[0]), line)
        assert action.stop == "###TRANSFER###"


# Facts

ASKING = {
    "user_id": (
        "What is your user id?",
        "user id please",
        "Could you tell me your username?",
        "May I have your user ID?",
    ),
    "name": ("What's your full name?", "Who am I speaking with?", "Please tell me your name."),
    "reservation_id": ("What is the reservation number?", "Can I have your confirmation code?", "Which booking is it?"),
}


@pytest.mark.parametrize(("name", "question"), [(n, q) for n, questions in ASKING.items() for q in questions])
def test_gives_a_fact_however_it_is_asked_for(name: str, question: str) -> None:
    domain = load_domain("airline")
    task = next(
        t for t in domain.tasks if all(any(f.name == n and f.value for f in t.user_scenario.facts) for n in ASKING)
    )
    (said,) = hear(ScriptUser(domain, task), question)
    assert next(str(f.value) for f in task.user_scenario.facts if f.name == name) in said.text


def test_gives_several_facts_when_several_are_asked_for() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "book_reservation")
    details = {d.name: d.say for d in task.user_scenario.wishes[0].details}
    (said,) = hear(
        ScriptUser(domain, task),
        "To book I need:\n- your user id\n- the cabin\n- how many bags you have\n"
        "- whether you want insurance\n- how you want to pay",
    )
    assert str(task.user_scenario.facts[0].value) in said.text
    for name in ("cabin", "total_baggages", "insurance", "payment_methods"):
        assert details[name] in said.text


def test_says_what_it_does_not_know() -> None:
    domain = load_domain("airline")
    task = next(
        t for t in domain.tasks if any(f.name == "reservation_id" and not f.value for f in t.user_scenario.facts)
    )
    unknown = next(f for f in task.user_scenario.facts if f.name == "reservation_id")
    said = hear(ScriptUser(domain, task), "What is your reservation number?", "What is your shoe size?")
    assert unknown.say in said[0].text
    assert "do not know" in said[1].text


@pytest.mark.parametrize(
    "line", ["What is the colour of your suitcase's handle?", "Hm.", "One moment please.", "I cannot do that."]
)
@pytest.mark.parametrize("name", list_domains())
def test_never_goes_on_for_ever(name: str, line: str) -> None:
    domain = load_domain(name)
    for task in domain.tasks[:5]:
        session = played(domain, task, agent=Typed([line] * 100))
        ended = session.session.state.ended
        assert ended is not None and ended.reason == "user_stop"
        assert len(session.said("user")) <= 61


# The official airline scenarios

MORE_KNOWN = [
    ("3", "Do you have a membership?", "Gold"),
    ("8", "What day do you want to fly, and from where to where?", "May 26"),
    ("8", "From which airport to which?", "ORD"),
    ("8", "Who are the passengers, and when were they born?", "2001-04-12"),
    ("8", "How would you like to pay?", "certificate"),
    ("8", "Is it one-way or a round trip?", "one-way"),
    ("8", "Would you like travel insurance?", "insurance"),
    ("9", "How do you want to pay for it?", "7334"),
    ("15", "Which airports would suit you?", "PHL"),
    ("19", "Which airport do you want to arrive at?", "EWR"),
    ("20", "How many bags will you check?", "3"),
    ("20", "Which cabin would you like?", "economy"),
    ("20", "Which payment method should I use?", "7447"),
    ("20", "What date would you like to travel?", "May 20"),
    ("21", "When does the trip start?", "May 27"),
    ("24", "What are your travel dates?", "May 25"),
    ("25", "Who is the passenger?", "Ivan Smith"),
    ("29", "Which date should the return flight be on?", "19th"),
    ("29", "How many bags do you have?", "1"),
    ("30", "How would you like to pay?", "gift card"),
    ("31", "Which flight is it, on what date?", "May 17"),
    ("38", "How many passengers are on the reservation?", "3"),
    ("42", "When do you travel?", "May 22"),
    ("43", "On which date are the two flights?", "May 17"),
    ("48", "When did you book it?", "10 hours"),
    ("49", "What is the reason for the cancellation?", "sick"),
]
"""Task, question, and a word of what the scenario knows about it."""


def known_facts(task: Task) -> Iterator[tuple[str, str]]:
    """Yield question and answer for what the known information of a free scenario plainly states."""
    instructions = task.user_scenario.instructions
    assert not isinstance(instructions, str)
    text = instructions.known_info or ""
    for found in re.findall(r"\b[a-z]+_[a-z]+_\d{4}\b", text):
        yield "Could you please provide your user ID?", found
    for found in re.findall(r"(?:You are|Your name is) ([A-Z]\w+ [A-Z]\w+)", text):
        yield "May I have your name?", found
    for found in re.findall(
        r"(?:number|reservation|ID)\b\D{0,12}\b([A-Z0-9]{6})\b", f"{text} {instructions.reason_for_call}"
    ):
        yield "What is your reservation number?", found


@pytest.mark.official
def test_gives_every_known_fact_of_the_official_airline_scenarios(official: Path) -> None:
    domain = load_domain("airline", official)
    asked = 0
    for task in domain.tasks:
        for question, value in known_facts(task):
            (said,) = hear(ScriptUser(domain, task), question)
            assert value in said.text, (task.id, question, said.text)
            asked += 1
    for task_id, question, word in MORE_KNOWN:
        (said,) = hear(script_of("airline", task_id, official), question)
        assert word in said.text, (task_id, question, said.text)
    assert asked >= 100


def test_stops_are_the_benchmarks_own() -> None:
    domain = load_domain("airline")
    stops: set[Stop | None] = {played(domain, task).session.state.turns[-1].stop for task in domain.tasks}
    assert stops <= {"###STOP###", "###TRANSFER###"}
