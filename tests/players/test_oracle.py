"""The oracle: does a write only after a clear yes to that very write; answers, refuses, takes over in the middle."""

from __future__ import annotations

import asyncio

import pytest

from domains import list_domains, load_domain
from domains.catalog import Domain
from domains.task import Task
from sessions.event import Call, Message, Result
from sessions.players import language
from sessions.players.base import Action, ToolCall, View
from sessions.players.oracle import OracleAgent
from sessions.players.oracle.phrasing import describe
from sessions.players.script import ScriptUser
from sessions.trajectory import Done, Turn
from tests.players.playing import Played, Typed, played
from tests.players.test_language import NEITHER, NO, lines


def user_id(task: Task) -> str:
    """Return the customer's id."""
    return str(next(f.value for f in task.user_scenario.facts if f.name == "user_id"))


def task_with(domain: Domain, *writes: str) -> Task:
    """Return the first task whose gold writes are these."""
    env = domain.environment()
    return next(t for t in domain.tasks if tuple(a.name for a in t.gold if env.mutates("agent", a.name)) == writes)


def talk(task: Task, *said: str, slips: int = 0) -> Played:
    """Let a person say these lines to the oracle, the user id being given when it is asked for first."""
    return played(load_domain("airline"), task, user=Typed([*said]), slips=slips)


class Contrary:
    """A script user who answers every proposal of a write with the same words."""

    def __init__(self, domain: Domain, task: Task, words: str) -> None:
        self.script = ScriptUser(domain, task)
        self.info = self.script.info
        self.words = words

    async def act(self, view: View) -> Action:
        """Answer proposals with the words, everything else like the script."""
        heard = view.turns[-1].text if view.turns[-1].seat == "agent" else ""
        return Action(self.words) if language.asks_to_confirm(heard) else await self.script.act(view)


@pytest.mark.parametrize("name", list_domains())
def test_writes_nothing_after_no_or_neither(name: str) -> None:
    domain = load_domain(name)
    answers = [*lines(NO), *lines(NEITHER)]
    for i, task in enumerate(domain.tasks):
        words = answers[i * 7 % len(answers)]
        session = played(domain, task, user=Contrary(domain, task, words))
        assert session.writes() == [], (task.id, words)
        assert session.session.state.ended is not None, (task.id, words)


@pytest.mark.parametrize("words", lines(NO) + lines(NEITHER))
def test_writes_nothing_after_any_of_the_paraphrases(words: str) -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    assert played(domain, task, user=Contrary(domain, task, words)).writes() == []


@pytest.mark.parametrize("name", list_domains())
def test_proposes_every_write_before_it_makes_it_with_all_its_arguments(name: str) -> None:
    domain = load_domain(name)
    for task in domain.tasks:
        session = played(domain, task)
        lookup = OracleAgent(domain, task).lookup
        told = ""
        for event in session.events:
            if isinstance(event, Message) and event.seat == "agent":
                told = event.text
            if isinstance(event, Call) and event in session.writes():
                assert describe(event.name, event.arguments, lookup) in told, (task.id, event.name)
                assert language.asks_to_confirm(told)


@pytest.mark.parametrize(
    "words",
    [
        "yes, but move it to May 3",
        "ok and also book a hotel",
        "yes, flight HAT999",
        "sure, in basic economy",
        "yes for Ann Other",
        "yes, 9 bags",
    ],
)
def test_a_yes_that_names_something_else_is_none(words: str) -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    assert played(domain, task, user=Contrary(domain, task, words)).writes() == []


def test_asks_what_should_be_different_once_and_leaves_it_after_a_second_no() -> None:
    task = task_with(load_domain("airline"), "cancel_reservation")
    say = task.user_scenario.wishes[0].say
    session = talk(
        task, f"{say} My user id is {user_id(task)}.", "no", "hm, I wanted something better", "no", "that's all"
    )
    said = session.said("agent")
    assert "What should be different?" in said[1]
    assert "Shall I" in said[2] or "Do you want me to?" in said[2]
    assert "leave that" in said[3]
    assert session.writes() == []


def test_does_it_after_all_when_the_second_answer_is_yes() -> None:
    task = task_with(load_domain("airline"), "cancel_reservation")
    say = task.user_scenario.wishes[0].say
    session = talk(
        task, f"{say} My user id is {user_id(task)}.", "No.", "I would rather not pay for it", "Oh well, yes please"
    )
    assert [c.name for c in session.writes()] == ["cancel_reservation"]


def test_asks_who_it_speaks_with_until_it_knows() -> None:
    task = task_with(load_domain("airline"), "cancel_reservation")
    session = talk(task, "cancel my trip", "no idea", "nobody_here_0000", f"sorry, {user_id(task)}")
    said = session.said("agent")
    assert all("user id" in text for text in said[:2])
    assert "cannot find" in said[2]
    assert "Shall I go ahead?" in said[3]


def test_does_not_serve_a_customer_under_somebody_elses_id() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    other = next(i for i in domain.bases["agent"].tables["users"] if i != user_id(task))
    session = talk(task, f"Please cancel my trip, I am {other}.", "yes", "go ahead", "yes")
    assert session.writes() == []


def test_answers_from_what_its_tools_show() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "update_reservation_baggages")
    reservation_id = str(
        next(a for a in task.gold if a.name == "update_reservation_baggages").arguments["reservation_id"]
    )
    record = domain.bases["agent"].tables["reservations"][reservation_id]
    session = talk(
        task,
        f"Hello, I am {user_id(task)}.",
        f"What cabin is reservation {reservation_id} in?",
        f"How many bags are booked on {reservation_id}?",
        f"What did I pay for {reservation_id}?",
        "What payment methods do I have?",
        "Which reservations do I have?",
    )
    said = session.said("agent")[1:]
    assert str(record["cabin"]).replace("_", " ") in said[0]
    assert f"{record['total_baggages']} checked bag" in said[1]
    assert f"${sum(p['amount'] for p in record['payment_history'])}" in said[2]
    user = domain.bases["agent"].tables["users"][user_id(task)]
    assert all(
        m["source"].replace("_", " ") in said[3] or m.get("last_four", "?") in said[3]
        for m in user["payment_methods"].values()
    )
    assert reservation_id in said[4]
    assert session.writes() == []


def test_answers_a_question_in_between_and_asks_again() -> None:
    task = task_with(load_domain("airline"), "update_reservation_baggages")
    say = task.user_scenario.wishes[0].say
    session = talk(task, f"{say} My user id is {user_id(task)}.", "What payment methods do I have?", "yes")
    assert "In your profile" in session.said("agent")[1]
    assert "clear yes" in session.said("agent")[1]
    assert [c.name for c in session.writes()] == ["update_reservation_baggages"]


def test_refuses_with_a_reason_where_gold_writes_nothing() -> None:
    domain = load_domain("airline")
    task = next(
        t for t in domain.tasks if t.user_scenario.wishes[0].refused and "cancel" in t.user_scenario.wishes[0].say
    )
    session = talk(task, f"{task.user_scenario.wishes[0].say} I am {user_id(task)}.", "But I insist! Cancel it!", "bye")
    assert "I am sorry" in session.said("agent")[0] and "reservation" in session.said("agent")[0]
    assert session.writes() == []


def test_hands_over_where_gold_does_and_says_so() -> None:
    domain = load_domain("airline")
    for task in domain.tasks:
        if not any(action.name == "transfer_to_human_agents" for action in task.gold):
            continue
        session = played(domain, task)
        assert session.calls()[-1].name == "transfer_to_human_agents"
        assert "TRANSFERRED TO A HUMAN AGENT" in session.said("agent")[-1]
        assert session.session.state.turns[-1].stop == "###TRANSFER###"


def test_brings_up_at_the_end_what_the_customer_has_forgotten() -> None:
    task = task_with(load_domain("airline"), "cancel_reservation")
    session = talk(task, f"Hi, I am {user_id(task)}", "that's all, bye", "yes please", "thanks, bye")
    assert "Before you go" in session.said("agent")[1]
    assert [c.name for c in session.writes()] == ["cancel_reservation"]


def test_says_plainly_when_a_tool_refuses() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    arguments = next(a for a in task.gold if a.name == "cancel_reservation").arguments
    oracle = OracleAgent(domain, task)
    call = Call(turn=3, seat="agent", id="c", name="cancel_reservation", arguments=arguments)
    failed = Result(turn=3, seat="agent", id="c", content="Error: The system is down", error=True)
    turns = (
        Turn(0, "agent", "Hi!"),
        Turn(1, "user", f"{task.user_scenario.wishes[0].say} I am {user_id(task)}"),
        Turn(2, "agent", f"I would {describe('cancel_reservation', arguments, oracle.lookup)}. OK?"),
        Turn(3, "user", "yes"),
        Turn(4, "agent", calls=(Done(call, failed),)),
    )
    action = asyncio.run(oracle.act(View("agent", "airline", turns, (), "")))
    assert "The system is down" in action.text


def test_takes_over_in_the_middle_of_somebody_elses_conversation() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    whole = played(domain, task)
    turns = whole.session.state.turns
    for k in range(2, len(turns)):
        if turns[k].seat != "agent":
            continue
        seen = tuple(t for t in turns[:k])
        action = asyncio.run(OracleAgent(domain, task).act(View("agent", "airline", seen, (), "")))
        assert action.text == turns[k].text
        assert [c.name for c in action.calls] == [d.call.name for d in turns[k].calls]


def test_a_session_of_a_human_agent_is_picked_up_without_doing_anything_twice() -> None:
    domain = load_domain("airline")
    task = task_with(domain, "cancel_reservation")
    arguments = dict(next(a for a in task.gold if a.name == "cancel_reservation").arguments)

    class Relieved:
        """A person who does the write, and leaves the rest to the oracle."""

        def __init__(self) -> None:
            self.oracle = OracleAgent(domain, task)
            self.info = self.oracle.info

        async def act(self, view: View) -> Action:
            if not any(turn.calls for turn in view.turns):
                return Action(calls=(ToolCall("cancel_reservation", arguments),))
            return await self.oracle.act(view)

    session = played(domain, task, agent=Relieved())
    assert len(session.writes()) == 1
    assert session.verdict.db_match


def test_its_name_says_what_it_is() -> None:
    domain = load_domain("airline")
    assert OracleAgent(domain, domain.tasks[0]).info.kind == "oracle"
    assert OracleAgent(domain, domain.tasks[0], slips=2).info.name == "oracle:slips=2"


def test_waits_until_a_step_on_the_phone_is_done_and_explains_it_to_who_asks() -> None:
    domain = load_domain("telecom")
    task = next(t for t in domain.tasks if [a.requestor for a in t.gold] == ["user"])
    phone = str(next(f.value for f in task.user_scenario.facts if f.name == "phone_number"))
    typed = Typed(
        [f"{task.user_scenario.wishes[0].say} My number is {phone}.", "how do I do that?", "sure", "done", "bye"]
    )
    said = played(domain, task, user=typed).said("agent")
    assert [sum("Please" in text and "tell me what you see" in text for text in said[:k]) for k in range(1, 5)] == [
        1,
        2,
        3,
        3,
    ]
    assert "anything else" in said[3]


def test_a_no_to_the_last_proposal_is_no_goodbye() -> None:
    task = task_with(load_domain("airline"), "cancel_reservation")
    say = task.user_scenario.wishes[0].say
    session = talk(task, f"{say} My user id is {user_id(task)}.", "no", "no")
    assert "anything else" in session.said("agent")[-1]
