"""What models are told. The words are ours; with official data the user's guidelines are read from the folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from domains.task import GoldAction, Instructions, UserScenario

if TYPE_CHECKING:
    from domains.catalog import Domain

AGENT: Final = """\
You work in customer service. A customer writes to you; you help, within what the policy allows and in the way it
demands. On each turn do one of two things: write to the customer, or call tools. What a tool needs and you do not
know, ask for or look up; never invent it. Arguments are valid JSON. Where the policy says that something cannot be
done, say so plainly and do not do it."""

AGENT_WITHOUT_POLICY: Final = """\
You work in customer service. A customer writes to you; you help as well as the tools allow. On each turn do one of
two things: write to the customer, or call tools. What a tool needs and you do not know, ask for or look up; never
invent it. Arguments are valid JSON."""

SOLO: Final = """\
You work on customer service tickets. There is nobody to talk to: the ticket below is everything the customer said.
Solve it by calling tools, those of customer service and those of the customer's own device alike, as the policy
demands. Act only through calls. When the ticket is solved, or cannot be solved, call `done`, alone."""

PLAN: Final = """\
These are the steps by which this case is solved. Follow them. A step of the customer's is one you ask the customer to
do; you do your own with your tools, as soon as you know what they need and the policy's conditions are met."""

REACT: Final = """\
You cannot call tools directly. Write, every time, in exactly this form, first what you think, then one action:

Thought: why you do what you do next, in a line or two
Action:
{"name": "the name of a tool", "arguments": {"its argument": "a value"}}

To write to the customer, use the action "respond":

Thought: …
Action:
{"name": "respond", "arguments": {"content": "your words to the customer"}}

Write one action and stop. What a tool answers comes in the next message, after "API output:"."""

ACT: Final = """\
You cannot call tools directly. Write, every time, one action and nothing else, in exactly this form:

Action:
{"name": "the name of a tool", "arguments": {"its argument": "a value"}}

To write to the customer, use the action "respond":

Action:
{"name": "respond", "arguments": {"content": "your words to the customer"}}

Write one action and stop. What a tool answers comes in the next message, after "API output:"."""

EXAMPLES: Final = "These are other cases that went well. People and ids in them have nothing to do with yours."

USER: Final = """\
You play a customer who writes to customer service. The scenario below says who you are, what you want and what you
know. Rules of the part:

- Write one message at a time, as people write: short, in your own words, never the scenario's.
- Begin with why you are writing. Say the rest when you are asked for it, not before.
- You know what the scenario says and nothing else. Asked for more, say that you do not know it.
- You want what the scenario says. Do not wish for more, and do not give up anything it does not let you give up.
- Never speak of a scenario, a part or instructions.

How it ends: when all you wanted has been settled, one way or the other, write ###STOP###. When you are told that you
are being handed to another person, write ###TRANSFER###. When the scenario gives you nothing to go on with, write
###OUT-OF-SCOPE###. Write such a sign only to end; the conversation is over with it."""

USER_WITH_TOOLS: Final = """\

You have tools, which are what you can do and see on your own device. Use one when you are asked to do or to look up
what it does, one thing at a time, and tell what it truly said. On each turn either write or use a tool. Words beside
the use of a tool are heard by nobody."""

USER_REACT: Final = """\
Write, every time, in exactly this form: first what you think, which nobody reads, then what you say.

Thought: what you have been asked, what you know of it, what to say
Response: your words to customer service"""

VERIFY: Final = """\
Somebody plays a customer who writes to customer service. Judge the next message, before it is sent, by three
questions. Is everything in it either in the scenario or learnt in the conversation? Does it want what the scenario
wants? Is it what one would say at this point, ending the conversation only when all is settled?

Answer with one line: VERDICT: good, or VERDICT: bad and the reason."""

REFLECT: Final = """\
Somebody plays a customer who writes to customer service. Read the draft of the next message against the scenario and
the conversation: what in it is invented, told too early, missing or said as no customer would? Then write it anew.
Keep the sign that ends the conversation where it belongs there.

Critique: what is wrong with the draft, or "nothing"
Response: the message to send"""


def section(name: str, text: str) -> str:
    """Return a text in tags that say what it is."""
    return f"<{name}>\n{text.strip()}\n</{name}>"


def plan_text(plan: Sequence[GoldAction]) -> str:
    """Return the gold steps, one a line."""
    lines = []
    for i, step in enumerate(plan, start=1):
        who = "the customer does" if step.requestor == "user" else "you call"
        arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in step.arguments.items())
        lines.append(f"{i}. {who} {step.name}({arguments})")
    return "\n".join(lines) or "Nothing is to be done."


def scenario_text(scenario: UserScenario) -> str:
    """Return what a person in that seat is given to read, and nothing of what else the data holds."""
    parts = []
    if scenario.persona:
        parts.append(f"Who you are:\n{scenario.persona}")
    match scenario.instructions:
        case str() as text:
            parts.append(text)
        case Instructions() as found:
            parts += [
                f"{title}:\n{text}"
                for title, text in (
                    ("Customer service of", found.domain),
                    ("Why you write", found.reason_for_call),
                    ("What you know", found.known_info),
                    ("What you do not know", found.unknown_info),
                    ("How you behave", found.task_instructions),
                )
                if text
            ]
    return "\n\n".join(part.strip() for part in parts)


def guidelines(domain: Domain, *, tools: bool) -> str:
    """Return the rules of a user's part: the official ones where the data folder has them, else ours."""
    if domain.origin != "bundled":
        from domains.catalog import domains_folder

        name = "simulation_guidelines_tools.md" if tools else "simulation_guidelines.md"
        path = domains_folder(Path(domain.origin)).parent / "user_simulator" / name
        if path.is_file():
            return path.read_text("utf-8").strip()
    return USER + USER_WITH_TOOLS if tools else USER


def tools_text(schemas: Sequence[dict[str, Any]]) -> str:
    """Return the tools for a model that cannot be given them otherwise."""
    return "\n".join(json.dumps(one["function"], ensure_ascii=False) for one in schemas)


def digest(*parts: str) -> str:
    """Return sha256 of what a kind of player is told, apart from policy, task and tools, which have their own."""
    return hashlib.sha256("\n\0\n".join(parts).encode()).hexdigest()
