"""Short English at a service desk: sixty paraphrases and more of yes, no, neither, and of questions for a fact."""

from __future__ import annotations

import pytest

from sessions.players import language, wanting
from sessions.players.language import Answer, answer, asked

YES = """
yes | Yes. | yes please | Yep! | yeah go for it | yup | sure | Sure, go ahead. | OK | okay, do it
ok please proceed | Of course | absolutely | Definitely, thanks | That's correct | correct | Right. | Exactly
Sounds good | sounds good to me | looks good | that works | That's fine | fine by me | please do
Please go ahead and cancel it. | go ahead | Do it | I confirm | confirmed | I agree | Agreed
yes, that's all right | Perfect, thank you | that would be great | Yes, I confirm.
Yes, please proceed with the booking. | no problem, go ahead | Why not | I don't mind | y
Yes that is what I want | alright | by all means | 👍 | Yes, cancel it | Great, let's do it | yes thats right
"""
NO = """
no | No. | nope | Nope, thanks | nah | no thanks | No thank you | no, don't | please don't | Don't do that
Do not cancel it | not now | Not that one | absolutely not | never mind | Forget it | That's wrong
that is not correct | No, that is not what I want | stop | I changed my mind | leave it | I don't want that
I'd say that is incorrect | No way | I decline | No, I want economy. | No, I'd rather keep it
that is not fine
"""
NEITHER = """
maybe | Perhaps | not sure | I'm not sure about that | hmm | What would it cost? | How much is it?
which flight? | let me think | Yes, but in business | yes but only if it's free | ok, but what about my bags?
wait | hold on | Is that refundable? | I don't know | It depends | Can you repeat that? | what do you mean
If it is free then yes | before you do that, when does it leave? | I guess so | My name is Ann | credit card
tomorrow | Can I pay with a gift card instead? | the other one | Thanks for explaining | ... | ?
What does yes mean here? | yes or no? | Actually, make it two bags
"""
QUESTIONS = [
    ("What is your user id?", {"user_id"}),
    ("Could I have your user ID, please?", {"user_id"}),
    ("user id pls", {"user_id"}),
    ("Please tell me your username.", {"user_id"}),
    ("Who am I speaking with?", {"name"}),
    ("May I have your full name?", {"name"}),
    ("I'll need your reservation number.", {"reservation_id"}),
    ("What's the confirmation code?", {"reservation_id"}),
    ("Which booking is this about?", {"reservation_id"}),
    ("Can you give me your email and zip code?", {"email", "zip"}),
    ("What's your postal code?", {"zip"}),
    ("Your phone number, please?", {"phone_number"}),
    ("When were you born?", {"dob"}),
    ("What is your date of birth?", {"dob"}),
    ("Which order do you mean?", {"order_id"}),
    ("How would you like to pay?", {"payment_id"}),
    ("Which card should I charge?", {"payment_id"}),
    ("On what date do you want to travel?", {"date"}),
    ("When would you like to leave?", {"date"}),
    ("Where are you flying to?", {"route"}),
    ("Which cabin would you like?", {"cabin"}),
    ("economy or business?", {"cabin"}),
    ("How many bags will you check?", {"total_baggages"}),
    ("Any luggage?", {"total_baggages"}),
    ("Would you like travel insurance?", {"insurance"}),
    ("Who is travelling?", {"passengers"}),
    ("How many people are going?", {"passengers"}),
    ("Why do you want to cancel?", {"reason"}),
    ("May I ask the reason?", {"reason"}),
    ("Is it one way or a round trip?", {"flight_type"}),
    ("What is the new address?", {"address"}),
    ("I need your user id, the cabin and the number of bags.", {"user_id", "cabin", "total_baggages"}),
]


def lines(table: str) -> list[str]:
    """Return the entries of a table."""
    return [entry.strip() for row in table.strip().splitlines() for entry in row.split("|") if entry.strip()]


@pytest.mark.parametrize("text", lines(YES))
def test_yes(text: str) -> None:
    assert answer(text) is Answer.YES


@pytest.mark.parametrize("text", lines(NO))
def test_no(text: str) -> None:
    assert answer(text) is Answer.NO


@pytest.mark.parametrize("text", lines(NEITHER))
def test_neither(text: str) -> None:
    assert answer(text) is Answer.UNCLEAR


@pytest.mark.parametrize(("text", "topics"), QUESTIONS)
def test_questions_for_a_fact(text: str, topics: set[str]) -> None:
    assert topics <= set(asked(text))


@pytest.mark.parametrize(
    "text", ["Thank you, I have found your profile.", "One moment please.", "Your flight has been cancelled."]
)
def test_statements_ask_for_nothing(text: str) -> None:
    assert asked(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Shall I go ahead?",
        "Is that ok?",
        "Would you like me to cancel it?",
        "Do you want to proceed?",
        "Please confirm (yes/no).",
        "OK?",
    ],
)
def test_asking_leave(text: str) -> None:
    assert language.asks_to_confirm(text)


@pytest.mark.parametrize(
    "text",
    [
        "Why do you want to change it?",
        "Can you confirm your user id?",
        "How may I help you?",
        "Which card should I use?",
    ],
)
def test_other_questions_do_not_ask_leave(text: str) -> None:
    assert not language.asks_to_confirm(text)


@pytest.mark.parametrize(
    "text", ["Anything else?", "what else can i do for you", "How can I help?", "Is that all?", "Any other questions?"]
)
def test_asking_for_more(text: str) -> None:
    assert language.asks_for_more(text)


@pytest.mark.parametrize(
    "text", ["No, that's all.", "nope thats it", "nothing else, thanks", "bye", "I'm good", "No thank you"]
)
def test_being_done(text: str) -> None:
    assert language.is_over(text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I need to cancel my trip", {"cancel"}),
        ("please add two bags", {"bags"}),
        ("take one suitcase off, please", {"fewer_bags"}),
        ("can you upgrade me to business", {"cabin"}),
        ("I want to fly a day later", {"flights"}),
        ("my friend will travel instead of me, change the name on it", {"passengers"}),
        ("my flight was cancelled, I want compensation", {"compensation"}),
    ],
)
def test_kinds_of_wishes(text: str, kinds: set[str]) -> None:
    assert kinds <= wanting.intents(text)


def test_what_an_airline_did_is_not_what_the_customer_wants() -> None:
    assert "cancel" not in wanting.intents("A flight of mine has been cancelled.")
    assert "cancel" not in wanting.intents("I do not want to cancel it.")
