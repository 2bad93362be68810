"""What a customer of the composed tasks knows and says, in the customer's voice and in the scenario's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domains.telecom.composing.faults import Fault, Intent, Persona, Scene

COUNTRIES = ("Portugal", "Japan", "Kenya", "Chile", "Norway", "Thailand", "Italy", "Morocco")
REFUELS = (1.0, 1.5, 2.0)

PERSONAS: dict[Persona, str | None] = {
    "None": None,
    "Easy": (
        "You run a flower shop and are in your late thirties. Your phone is a tool to you: you find the settings you "
        "are sent to, and you read out exactly what the screen says. You are patient and cheerful, you answer what is "
        "asked, and you say so when something worked."
    ),
    "Hard": (
        "You are a bus driver in your seventies who never wanted a phone like this. Words such as roaming or APN mean "
        "nothing to you, so you ask what they are before you touch anything. You give away no more than you are asked "
        "for, you lose the thread when two things come at once, and you worry aloud that your pictures might be gone."
    ),
}


@dataclass(frozen=True, slots=True)
class Line:
    """Something the customer can say; `told` is how the scenario puts it to whoever plays the customer."""

    name: str
    value: Any
    say: str
    told: str

    @property
    def fact(self) -> dict[str, Any]:
        return {"name": self.name, "value": self.value, "say": self.say}


@dataclass(frozen=True, slots=True)
class Words:
    """All the words of one task."""

    purpose: str
    facts: tuple[Line, ...]
    wish: Line
    details: tuple[Line, ...]
    content_when: str
    ticket: str

    @property
    def known(self) -> str:
        return "\n".join(fact.told for fact in self.facts if fact.value is not None)

    @property
    def unknown(self) -> str:
        return "\n".join(fact.told for fact in self.facts if fact.value is None)

    @property
    def instructions(self) -> str:
        return "\n".join((self.content_when, *(detail.told for detail in self.details), *CONDUCT))


CONDUCT = (
    "Do on your phone what the agent asks for, one thing at a time; if the first attempt changes nothing, go on, but "
    "let a little impatience show.",
    "Whatever you tell about your phone comes from having just looked at it with your own tools. Look again when "
    "something may have changed, and never invent what the screen shows.",
    "If you are not sure whether you should do something, ask.",
)

COMPLAINTS = {
    "service_issue": (
        "My phone has had no service since this morning: I can neither call nor be called.",
        "Your phone has had no service since this morning: you can neither call nor be called.",
    ),
    "mobile_data_issue": (
        "The internet on my phone is no use: pages crawl or do not load at all, and I have no Wi-Fi here. "
        "I want mobile data back at its best.",
        "The internet on your phone is no use: pages crawl or do not load at all, and you have no Wi-Fi here. "
        "You want mobile data back at its best.",
    ),
    "mms_issue": (
        "Since yesterday my phone sends no pictures any more, only text. I want to send a picture message.",
        "Since yesterday your phone sends no pictures any more, only text. You want to send a picture message.",
    ),
}
PROBLEMS = {
    "service_issue": "There is no service at all.",
    "mobile_data_issue": "Mobile data is slow or does not work.",
    "mms_issue": "Picture messages do not go out.",
}
CONTENT = {
    "service_issue": "You are content once the status bar shows a signal, and not before.",
    "mobile_data_issue": "You are content once a speed test says Excellent; Good, Fair or Poor will not do.",
    "mms_issue": "You are content once your phone says that it can send picture messages.",
}
TICKETS = {
    "service_issue": "reports no service since this morning: no calls in either direction. Solved when the status bar "
    "shows a signal.",
    "mobile_data_issue": "reports that mobile data is slow or fails, and has no Wi-Fi. Solved when a speed test says "
    "Excellent, and with no lesser result.",
    "mms_issue": "reports that picture messages no longer go out. Solved when the phone can send picture messages.",
}


def words_of(intent: Intent, chosen: Sequence[Fault], scene: Scene) -> Words:
    """Return everything a task says; what is wrong is not in it, only what the customer notices."""
    caller = scene.caller
    abroad = any(fault.abroad for fault in chosen)
    place = f"on a trip in {scene.country}" if abroad else "at home in the United States"
    facts = (
        Line("full_name", caller.full_name, f"My name is {caller.full_name}.", f"Your name is {caller.full_name}."),
        Line(
            "phone_number",
            caller.phone_number,
            f"My phone number is {caller.phone_number}.",
            f"Your phone number is {caller.phone_number}.",
        ),
        Line("dob", caller.dob, f"I was born on {caller.dob}.", f"You were born on {caller.dob}."),
        Line("problem", intent.name, PROBLEMS[intent.name], PROBLEMS[intent.name]),
        Line("location", scene.country if abroad else "home", f"I am {place}.", f"You are {place}."),
        Line(
            "customer_id",
            None,
            "I don't know my customer id.",
            "You don't know your customer id.",
        ),
    )
    details = _paying() if intent.name == "service_issue" else _data(scene)
    if abroad:
        details += (Line("roaming", "yes", "Yes, I want data on this trip.", "You want data on this trip."),)
    return Words(
        purpose=f"{intent.name.replace('_', ' ').capitalize()}: {', '.join(fault.summary for fault in chosen)}.",
        facts=facts,
        wish=Line(intent.name, None, *COMPLAINTS[intent.name]),
        details=details,
        content_when=CONTENT[intent.name],
        ticket=_ticket(intent, scene, place),
    )


def _paying() -> tuple[Line, ...]:
    return (
        Line(
            "bill_payment",
            "yes",
            "Yes, if a bill is overdue, I will pay it now.",
            "If a bill is overdue, you will pay it now.",
        ),
    )


def _data(scene: Scene) -> tuple[Line, ...]:
    amount = f"{scene.refuel_gb:g}"
    return (
        Line(
            "gb_amount",
            scene.refuel_gb,
            f"If my data is used up, I would take {amount} GB more, at the price of my plan.",
            f"If your data is used up, you would take {amount} GB more, at the price of your plan.",
        ),
        Line("plan_change", "no", "I do not want another plan.", "You do not want another plan."),
    )


def _ticket(intent: Intent, scene: Scene, place: str) -> str:
    agreed = (
        "The customer agrees to pay whatever bill is overdue."
        if intent.name == "service_issue"
        else f"If the data allowance is used up, the customer agrees to a refuel of {scene.refuel_gb:g} GB; "
        "another plan is not wanted."
    )
    caller = scene.caller
    return f"{caller.full_name}, phone number {caller.phone_number}, {place}, {TICKETS[intent.name]} {agreed}"
