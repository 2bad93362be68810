"""What the check says: a finding, and for each code why it matters and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from domains.task import GoldAction
from domains.values import JSON

Level: TypeAlias = Literal["error", "warning", "info"]
LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a code stands for, whatever it was found in."""

    why: str
    do: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: `error` when the task cannot be judged or solved as it says, or is solved by doing nothing.

    `task` is empty for what concerns the whole pack; `where` is a gold action with its number, or a field.
    """

    task: str
    level: Level
    code: str
    where: str
    what: str
    action: int | None = None
    action_id: str = ""
    name: str = ""

    @property
    def why(self) -> str:
        """Why it matters."""
        return RULES[self.code].why

    @property
    def do(self) -> str:
        """What can be done about it."""
        return RULES[self.code].do

    def to_json(self) -> dict[str, JSON]:
        """Return the finding for programs."""
        return {
            "task": self.task,
            "level": self.level,
            "code": self.code,
            "where": self.where,
            "action": self.action,
            "action_id": self.action_id,
            "name": self.name,
            "what": self.what,
            "why": self.why,
            "do": self.do,
        }


def at_action(task: str, level: Level, code: str, index: int, action: GoldAction, what: str) -> Finding:
    """Return a finding about one gold action."""
    where = f"actions[{index}] {action.name}"
    return Finding(task, level, code, where, what, index, action.action_id, action.name)


RULES: Final[Mapping[str, Rule]] = {
    # The pack
    "invalid-task": Rule(
        "A task that is not in the schema cannot be loaded, and with it the whole file.", "Correct the field."
    ),
    "duplicate-id": Rule("Runs are told apart by task id: results of the two would be mixed.", "Rename one of them."),
    "split-unknown-task": Rule("The split is smaller than it says.", "Remove the id, or add the task."),
    "split-repeats-task": Rule("The task would be run, and counted, more than once.", "List it once."),
    "split-overlap": Rule("What is trained on must not be tested on.", "Take the tasks out of one of the two."),
    # Names and set-up
    "initial-state-fails": Rule(
        "The world cannot be brought into the state in which the task begins: nobody can play it.",
        "Correct the initial state.",
    ),
    "initial-action-refused": Rule(
        "The initial action changed nothing, so the world is not as the task supposes.", "Correct its arguments."
    ),
    "unknown-function": Rule(
        "An assertion on a function that does not exist is never met.", "Correct the name or the side."
    ),
    "unknown-tool": Rule("Nobody can make this call; the evaluator skips it.", "Use the name of a tool."),
    "other-sides-tool": Rule(
        "This side cannot make the call: it is answered as if the tool did not exist.", "Correct the requestor."
    ),
    "misfit-arguments": Rule("The call fails whenever it is made; the evaluator skips it.", "Correct the arguments."),
    "unknown-compare-args": Rule(
        "An argument that gold does not have is compared with nothing: a call that gives it is never accepted.",
        "Name arguments of the action.",
    ),
    "unknown-user-tool": Rule("The list allows a tool that the user does not have.", "Use the name of a user tool."),
    "tool-not-offered": Rule("Gold uses a user tool that the task does not offer.", "Add it to user_tools."),
    "unknown-tool-mentioned": Rule(
        "The text sends whoever plays the user to a tool that does not exist.", "Use the name of a tool."
    ),
    # Gold
    "gold-write-fails": Rule(
        "The evaluator skips it silently: the goal is the state without it, and whoever does what was meant fails.",
        "Correct or remove the action; check that the rest still is the intended solution.",
    ),
    "gold-read-fails": Rule(
        "It changes no state, but a trajectory that copies gold makes an error here.",
        "Correct the arguments, or keep it if the scenario wants the customer to be mistaken.",
    ),
    "gold-write-changes-nothing": Rule(
        "A write without effect cannot be told from one that was never made.", "Remove it, or correct its arguments."
    ),
    "gold-needs-sync": Rule(
        "The evaluator plays gold without telling either side what the other did; a session is told, so its state "
        "differs from the goal even if it does exactly what gold does.",
        "Judge by assertions, not by the database.",
    ),
    "assertion-unmet": Rule(
        "Gold itself, played in order, does not meet it: nobody who follows gold is rewarded.",
        "Correct the assertion or the actions.",
    ),
    "assertion-raises": Rule("An assertion that raises is never met.", "Correct its arguments."),
    "assertion-not-boolean": Rule("What is neither true nor false is never met.", "Use an assertion."),
    "assertion-holds-at-start": Rule(
        "It holds before anything is done: it guards against harm, but proves nothing that was done.",
        "Nothing, if that is meant.",
    ),
    # Inaction
    "passes-by-inaction": Rule(
        "A customer who leaves at once and an agent who does nothing get the full reward.",
        "Let something count that has to be done or said.",
    ),
    "passes-by-inaction-unless-judged": Rule(
        "Everything that is computed is met by doing nothing: only the judge of the natural-language assertions "
        "stands between inaction and the full reward.",
        "Let something count that is computed.",
    ),
    "no-criteria": Rule("Without criteria every session gets the full reward.", "Add criteria."),
    "component-always-passes": Rule(
        "It counts, but there is nothing that it could compare.", "Leave it out of the basis, or give it something."
    ),
    # Records
    "missing-record": Rule(
        "There is no such record: what refers to it fails, or holds whatever is done.",
        "Correct the id, or keep it if the scenario wants the customer to be mistaken.",
    ),
    "unavailable-record": Rule(
        "It exists, but a customer cannot have it.", "Choose what is available, or make it available."
    ),
    # Required strings
    "required-string-with-comma": Rule(
        "Commas are taken out of what the agent says before it is compared: this can never be found.",
        "Write it without commas.",
    ),
    "required-string-empty": Rule("Every message contains it.", "Remove it."),
    "required-string-in-greeting": Rule("The agent's first words already contain it.", "Require something longer."),
    "required-string-within-another": Rule(
        "Whoever says the longer one has said this one too: it proves nothing of its own.",
        "Remove it, or require something that is not part of the other.",
    ),
    "required-string-by-accident": Rule(
        "The rule looks for a part of the text: an agent that quotes this has said the required string as well.",
        "Require something longer, such as the number with its unit.",
    ),
    # Agreement
    "other-person": Rule(
        "The scenario is one customer's and the action another's: no agent may do it.", "Correct one of the two."
    ),
    "several-people": Rule("Gold writes for several customers; a conversation is one customer's.", "Correct the ids."),
    "name-disagrees": Rule("The agent cannot identify the customer by this name.", "Use the name in the database."),
    "zip-disagrees": Rule("The agent cannot identify the customer by this postal code.", "Use that of the database."),
    "fact-disagrees": Rule("The fact in data and the text say different things.", "Let both say the same."),
    "ticket-disagrees": Rule(
        "An agent that works from the ticket is told something else than the customer.", "Let both say the same."
    ),
    "date-disagrees": Rule("Text and action mean different days.", "Correct one of the two."),
    "date-impossible": Rule("There is no such day, or it is another day of the week.", "Correct the date."),
    "date-not-in-scenario": Rule(
        "Neither the scenario nor a record that gold looks at names this day; it has to be worked out.",
        "Nothing, if that is meant.",
    ),
    # Oddities
    "passes-through-oddity": Rule(
        "The official tool does something here that nobody would expect. The goal contains it, so scoring is right; "
        "what the customer asked for may not be what the goal holds.",
        "Nothing in the tool: it is reproduced on purpose. Choose other arguments if the task should not depend on it.",
    ),
}
"""Code → what it stands for. Codes are stable; a new lint gets a new one."""
