"""How people really talk to the partners: reports, corrections, questions in between, small talk."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from domains import load_domain
from domains.task import Task
from sessions.players import mentions
from sessions.players.base import View
from sessions.players.language import Answer
from sessions.players.oracle import OracleAgent
from sessions.players.oracle.hearing import reported
from sessions.players.script import ScriptUser
from sessions.trajectory import Turn
from tests.players.playing import Played, Typed, played
from tests.players.test_oracle import task_with, user_id
from tests.players.test_script import hear

ONLY_SO = "I can only offer it as I said"
PROPOSED = "I would "
REFUSED = "I cannot do that"
NO_SERVICE = "My phone has had no service since this morning: I can neither call nor be called."


def talk(name: str, task: Task, *said: str) -> Played:
    """Let a person say these lines to the oracle of a bundled task."""
    return played(load_domain(name), task, user=Typed([*said]))


def phone_task(*steps: str) -> Task:
    """Return the first telecom task whose acts begin with these."""
    domain = load_domain("telecom")
    kinds = ("toggle_", "set_", "reset_", "reseat_", "grant_", "reboot_", "send_", "make_", "resume_")
    for task in domain.tasks:
        acts = [a.name for a in task.gold if a.name.startswith(kinds)]
        if tuple(acts[: len(steps)]) == steps and NO_SERVICE in task.user_scenario.wishes[0].say:
            return task
    raise AssertionError(steps)


def number(task: Task) -> str:
    """Return the customer's phone number."""
    return str(next(f.value for f in task.user_scenario.facts if f.name == "phone_number"))


def booking() -> tuple[Task, str]:
    """Return a task that books one trip, and how its customer opens."""
    task = task_with(load_domain("airline"), "book_reservation")
    return task, f"{task.user_scenario.wishes[0].say} My user id is {user_id(task)}."


# Steps on the phone

DONE = """
Airplane mode is off. | ok i turned it off. still nothing? oh wait it says LTE | I told you, airplane is off now
Status bar says no signal, data disabled | it's off but still no signal | off now | airplane mode off
Done | done, no change | I switched it off, what now? | it was off already | it is already off | I can see 3 bars
yes, did it | turned it off but i can't call anybody | no bars | nothing happened | ok it's disabled, still dead
I managed to turn it off | flight mode is off, right? | No, still no signal
"""
NOT_DONE = """
I can't find it | not yet | how? | where is that? | i looked everywhere but can't find it | ok | sure | one moment
is it off? | I will turn it off now | let me try | when it is off, what happens? | I don't see any airplane
it won't turn off | airplane mode is on | it's still on | the airplane is not off | i haven't turned it off | wait
what do you mean | should it be off? | if it is off can i call? | I have no idea
I opened the settings, it is not there
"""


def lines(table: str) -> list[str]:
    """Return the entries of a table."""
    return [entry.strip() for row in table.strip().splitlines() for entry in row.split("|") if entry.strip()]


@pytest.mark.parametrize("text", lines(DONE))
def test_a_state_a_deed_or_what_is_seen_says_that_a_step_is_done(text: str) -> None:
    task = phone_task("toggle_airplane_mode", "send_payment_request")
    session = talk("telecom", task, f"{NO_SERVICE} My number is {number(task)}.", text)
    assert "payment request" in session.said("agent")[1]


@pytest.mark.parametrize("text", lines(NOT_DONE))
def test_a_step_is_not_done_by_a_promise_a_question_or_a_failure(text: str) -> None:
    task = phone_task("toggle_airplane_mode", "send_payment_request")
    session = talk("telecom", task, f"{NO_SERVICE} My number is {number(task)}.", text)
    assert "Please turn airplane mode off." in session.said("agent")[1]
    # Asked again, it says what to do with a switch that stands as it should, so that nothing is undone.
    assert "only if it is not off already" in session.said("agent")[1]


def test_a_payment_is_reported_with_what_comes_after_it() -> None:
    task = phone_task("send_payment_request", "make_payment", "resume_line")
    report = "paid it. signal is back?? wait let me check the status bar. yes! 3 bars"
    session = talk("telecom", task, f"{NO_SERVICE} My number is {number(task)}.", "yes", report)
    assert "resume line" in session.said("agent")[2]


def test_another_switch_says_nothing_about_this_one() -> None:
    task = phone_task("toggle_airplane_mode", "send_payment_request")
    domain = load_domain("telecom")
    step = next(s for s in OracleAgent(domain, task).plan.acts if s.name == "toggle_airplane_mode")
    assert reported(step, "data is on") is Answer.UNCLEAR
    assert reported(step, "airplane mode is on") is Answer.UNCLEAR


def test_good_news_and_bad_news_after_the_last_step_are_no_new_requests() -> None:
    task = phone_task("reseat_sim_card")
    session = talk(
        "telecom", task, f"{NO_SERVICE} My number is {number(task)}.", "done", "it works now!!", "is it done?", "bye"
    )
    assert not any(REFUSED in text for text in session.said("agent"))
    assert "Yes" in session.said("agent")[3]


# An open proposal

AMENDMENTS = """
wait no, actually make it business | hmm, actually only the thermostat please, forget the keyboard
ignore that. create a task called X for user_1 | can you make it business? | no wait both. do both
the one on May 29 instead | yes, but with two bags | nah too expensive lol. economy then, the 10:40 one
"""


@pytest.mark.parametrize("text", lines(AMENDMENTS))
def test_an_amendment_is_told_that_there_is_one_plan_and_writes_nothing(text: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, text, "hmm", "leave it")
    said = session.said("agent")
    assert ONLY_SO in said[1] and PROPOSED not in said[1] and "(yes)" in said[1]
    assert session.writes() == []
    assert not any(REFUSED in text for text in said)


@pytest.mark.parametrize("text", lines(AMENDMENTS))
def test_a_clear_yes_after_an_amendment_does_what_was_proposed(text: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, text, "yes", "is it done???")
    assert [c.name for c in session.writes()] == ["book_reservation"]
    assert session.said("agent")[2].startswith("Your trip is booked.") and REFUSED not in session.said("agent")[2]
    assert "Yes, it is done: your trip is booked" in session.said("agent")[3]


def test_a_no_after_an_amendment_leaves_it_at_once() -> None:
    task, opening = booking()
    session = talk("airline", task, opening, "make it business", "no", "is it done?")
    assert "I leave that as it is" in session.said("agent")[2]
    assert session.writes() == []


def test_an_amendment_of_a_task_for_somebody_else() -> None:
    task = load_domain("mock").task("new_task")
    session = talk(
        "mock",
        task,
        "I am user_2, I need a new task on my list.",
        "ignore that. create a task called X for user_1",
        "no",
    )
    assert ONLY_SO in session.said("agent")[1]
    assert session.writes() == []


@pytest.mark.parametrize("text", ["No, economy.", "nah, do both", "no, book it", "nope, the 10:40 one", "no wait"])
def test_a_no_that_goes_on_to_choose_is_neither_yes_nor_no(text: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, text)
    assert "What should be different?" not in session.said("agent")[1]
    assert session.writes() == []


@pytest.mark.parametrize("text", ["no", "nah", "No, that is not what I want. I want business.", "no, leave it"])
def test_a_plain_no_stays_one(text: str) -> None:
    task, opening = booking()
    assert "What should be different?" in talk("airline", task, opening, text).said("agent")[1]


def test_the_wish_said_again_is_no_new_one() -> None:
    task, opening = booking()
    again = "I want to book a one-way trip from Seattle to Minneapolis on May 23 on a direct flight in economy"
    session = talk("airline", task, opening, again, "yes", again)
    said = session.said("agent")
    assert PROPOSED in said[1] and said[2].startswith("Your trip is booked.") and REFUSED not in said[2]
    assert "already been done" in said[3]
    other = talk("airline", task, opening, "yes", "I want to book a trip from Boston to Denver on May 28 as well")
    assert REFUSED in other.said("agent")[2]
    assert len(other.writes()) == 1


# Amounts

PRICE = "$199"


@pytest.mark.parametrize("text", ["hmm what's the total again?", "How much is it?", "wait, what will it cost?"])
def test_the_amount_of_a_proposal_is_told_before_the_yes(text: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, text)
    assert session.said("agent")[1].startswith(f"It is {PRICE}.") and PROPOSED in session.said("agent")[1]
    assert session.writes() == []


@pytest.mark.parametrize(
    "text", ["yes!! but how much will that be?", "yeah go ahead and whats the amount?", "Yes please. What's the price?"]
)
def test_a_yes_with_a_question_for_the_amount_is_one(text: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, text)
    assert [c.name for c in session.writes()] == ["book_reservation"]
    assert PRICE in session.said("agent")[1]


@pytest.mark.parametrize(
    "text", ["yes but how much is business?", "yes if it's cheap. how much is it?", "how much?", "yes? how much?"]
)
def test_a_yes_with_more_than_a_question_for_the_amount_is_none(text: str) -> None:
    task, opening = booking()
    assert talk("airline", task, opening, text).writes() == []


# After the job

AFTER = [
    ("is it done???", "Yes, it is done: your trip is booked"),
    ("did it go through?", "Yes, it is done"),
    ("What was the total price?", f"was paid with {PRICE} in all"),
    ("hm thats a lot. which ones are these?", "That I do not know."),
    ("what would you recommend? and what are the baggage rules?", "That I do not know."),
    ("are you a robot?", "offline partner"),
    ("how is the weather?", "I can only help with"),
    ("my cat says thanks lol", "I can only help with"),
]


@pytest.mark.parametrize(("text", "answer"), AFTER)
def test_questions_after_the_job_get_an_answer_and_no_refusal(text: str, answer: str) -> None:
    task, opening = booking()
    session = talk("airline", task, opening, "yes", text, "ok thanks", "bye")
    said = session.said("agent")
    assert answer in said[2]
    assert not any(REFUSED in line for line in said)
    assert "Goodbye" in said[4]


def test_a_write_that_the_plan_does_not_hold_is_refused() -> None:
    task, opening = booking()
    session = talk("airline", task, opening, "yes", "please cancel my other reservation")
    assert REFUSED in session.said("agent")[2]


def test_a_question_is_answered_again_and_a_refusal_explained() -> None:
    task = next(t for t in load_domain("airline").tasks if [w.refused for w in t.user_scenario.wishes] == [False, True])
    paid, cancel = (wish.say for wish in task.user_scenario.wishes[:2])
    talked = talk("airline", task, "hi", user_id(task), paid, paid, cancel, "why not??", "did you cancel it?", "bye")
    said = talked.said("agent")
    assert "What can I do for you?" in said[1] and "$" not in said[1]
    assert said[2].split("$")[1] == said[3].split("$")[1]
    assert REFUSED in said[4] and "As I said: reservation" in said[5]
    assert "nothing has been changed" in said[6] and "Goodbye" in said[7]


@pytest.mark.parametrize("text", ["did it all go through?", "cool did you do it?", "has everything been booked?"])
def test_a_status_question_gets_the_status(text: str) -> None:
    task, opening = booking()
    assert talk("airline", task, opening, "yes", text).said("agent")[2].startswith("Yes, it is done")
    assert "Not yet, I wait for your yes." in talk("airline", task, opening, text).said("agent")[1]


@pytest.mark.parametrize("text", ["which cabin is my trip in?", "when was it booked?", "is it made of wool?"])
def test_other_questions_are_not_about_the_status(text: str) -> None:
    task, opening = booking()
    assert "it is done" not in talk("airline", task, opening, "yes", text).said("agent")[2]


# Who is who


def test_an_id_given_with_a_doubt_is_looked_up_and_gone_on_with() -> None:
    task, _ = booking()
    for before in (["hello i want a flight"], ["hello i want a flight", "ada_bergmann_6143"]):
        session = talk("airline", task, *before, f"my id is {user_id(task)} i think")
        assert PROPOSED in session.said("agent")[-1]


@pytest.mark.parametrize(
    "text", ["555 525 2118", "(555) 525-2118", "555.525.2118", "its 5555252118", "petra greenwood, born May 24, 1996"]
)
def test_reads_a_phone_number_however_it_is_spaced_and_a_name_however_it_is_cased(text: str) -> None:
    task = next(t for t in load_domain("telecom").tasks if number(t) == "555-525-2118")
    session = talk("telecom", task, NO_SERVICE, text)
    assert session.calls()[0].name.startswith("get_customer_by_")
    assert "phone number" not in session.said("agent")[1]


def test_digits_of_other_things_are_no_phone_numbers() -> None:
    assert mentions.phones("item 1234567890, order #W1234567, born 1996-05-24") == []
    assert mentions.values(mentions.phones("555 525 2118 or 555-525-2119")) == ["555-525-2118", "555-525-2119"]


def test_says_what_is_missing_when_a_date_of_birth_is_given_for_a_number() -> None:
    task = next(t for t in load_domain("telecom").tasks if number(t) == "555-525-2118")
    session = talk("telecom", task, NO_SERVICE, "1996-05-24", "Petra Greenwood")
    assert "full name" in session.said("agent")[1]
    assert session.calls()[0].name == "get_customer_by_name"
    other, _ = booking()
    assert "does not tell me" in talk("airline", other, "I want a flight", "1956-05-05").said("agent")[1]


# What the partner is

SMALL_TALK = """
wait, who are you? are you a robot? what are you allowed to do? | how is the weather? | what are your rules?
my cat is sitting on my keyboard lol | are you a real person? | what can you do?
"""


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "mock"])
@pytest.mark.parametrize("text", lines(SMALL_TALK))
def test_small_talk_gets_a_short_honest_answer_and_no_proposal(name: str, text: str) -> None:
    task = next(t for t in load_domain(name).tasks if t.gold and t.user_scenario.wishes)
    session = talk(name, task, text, "ok", "hm")
    said = session.said("agent")
    assert "I can only help with" in said[0] and "What can I do for you?" in said[0]
    assert "glad to help" not in said[0]
    assert not any(PROPOSED in line or "Please turn" in line for line in said)
    assert session.writes() == []


@pytest.mark.parametrize("text", ["who are you?", "are you a bot?", "am i talking to a real human?"])
def test_never_pretends_to_be_a_model_or_a_person(text: str) -> None:
    task = load_domain("mock").task("new_task")
    said = talk("mock", task, text).said("agent")[0]
    assert "offline partner" in said and "reference plan" in said and "neither a model nor a person" in said


@pytest.mark.official
@pytest.mark.parametrize("name", ["retail", "airline"])
def test_a_task_without_wishes_proposes_only_when_one_is_named(name: str, official: Path) -> None:
    domain = load_domain(name, official)
    task = domain.task("0" if name == "retail" else "8")
    who = "I am Yusuf Rossi, 19122" if name == "retail" else "sophia_silva_7557"
    wish = "i want to exchange something" if name == "retail" else "i wanna book a flight like last time"
    said = played(domain, task, user=Typed(["who are you?", who, "nice weather here", wish])).said("agent")
    assert not any(PROPOSED in line for line in said[:3])
    assert PROPOSED in said[3]


# The script


def script(write: str) -> ScriptUser:
    """Return the script of the first retail task with one wish that this write fulfils."""
    domain = load_domain("retail")
    return ScriptUser(
        domain, next(t for t in domain.tasks if [w.name for w in t.user_scenario.wishes[0].writes] == [write])
    )


def test_the_script_answers_a_wrong_fact_and_a_wrong_proposal_together() -> None:
    user = script("return_delivered_order_items")
    (said,) = hear(user, "Is your zip 12345? Do you want to cancel instead?")
    zip_code = next(f.value for f in user.sheet.facts if f.name == "zip")
    assert said.text.startswith("No") and f"zip code is {zip_code}" in said.text


@pytest.mark.parametrize("text", ["Is your zip code 12345, correct?", "Is your zip 12345?"])
def test_the_script_does_not_agree_to_a_fact(text: str) -> None:
    (said,) = hear(script("return_delivered_order_items"), text)
    assert "zip code is" in said.text and "Yes" not in said.text


@pytest.mark.parametrize(
    "text",
    [
        "###STOP### [ok] I will move $212 to your Mastercard",
        "I will move $212 to your Mastercard. Ok?",
        "I'll charge $50 to your card, shall I go ahead?",
    ],
)
@pytest.mark.parametrize("write", ["cancel_pending_order", "modify_pending_order_payment", "modify_user_address"])
def test_the_script_asks_what_an_amount_out_of_nowhere_is_for(write: str, text: str) -> None:
    (said,) = hear(script(write), text)
    assert said.text.startswith("What are the $") and said.stop is None


def test_the_script_agrees_to_an_amount_that_goes_with_what_it_wants() -> None:
    user = script("return_delivered_order_items")
    said = hear(user, "Shall I return the bathrobe and refund $65.42 to your PayPal account?")
    assert said[0].text.startswith("Yes")
    talked = "I would return the bathrobe. Do you want me to?"
    turns = [Turn(0, "agent", "Hi!"), Turn(1, "user", user.sheet.wishes[0].say), Turn(2, "agent", talked)]
    turns += [Turn(3, "user", "How much is that?"), Turn(4, "agent", "I will refund $65.42 to your PayPal. Ok?")]
    action = asyncio.run(user.act(View("user", "retail", tuple(turns), (), "")))
    assert action.text.startswith("Yes")
    assert hear(user, "Shall I return the bathrobe, with the refund to your Visa?")[0].text.startswith("No")
