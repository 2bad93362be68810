"""A task in tau2's schema: what the user knows and wants, how the world begins, what the evaluator compares."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from domains.values import JSON


class Part(BaseModel):
    """Fields we do not know are kept, so that a file written back loses nothing."""

    model_config = ConfigDict(extra="allow")


class Instructions(Part):
    """The structured form of a user's instructions."""

    domain: str = ""
    reason_for_call: str = ""
    known_info: str | None = None
    unknown_info: str | None = None
    task_instructions: str = ""


class Write(Part):
    """A call that fulfils a wish."""

    name: str
    arguments: dict[str, JSON] = Field(default_factory=dict)
    requestor: Literal["user", "assistant"] = "assistant"


class Fact(Part):
    """Something the customer can be asked for; a null value is one the customer does not know."""

    name: str
    value: JSON = None
    say: str = ""


class Wish(Part):
    """Something the customer wants, in the order in which it is brought up."""

    say: str
    writes: list[Write] = Field(default_factory=list)
    details: list[Fact] = Field(default_factory=list)
    answers: list[str] = Field(default_factory=list)
    refused: bool = False
    conceal: bool = False


class UserScenario(Part):
    """The hidden script of the user. `facts` and `wishes` say in data what the text says in words."""

    persona: str | None = None
    instructions: Instructions | str = ""
    facts: list[Fact] = Field(default_factory=list)
    wishes: list[Wish] = Field(default_factory=list)


class EnvFunction(Part):
    """A call of an environment function, on either side."""

    env_type: Literal["user", "assistant"]
    func_name: str
    arguments: dict[str, JSON] = Field(default_factory=dict)


class EnvAssertion(EnvFunction):
    """An environment function whose answer is compared."""

    assert_value: bool = True
    message: str | None = None


class InitializationData(Part):
    """Merged deeply into the databases, lists replaced."""

    agent_data: dict[str, Any] | None = None
    user_data: dict[str, Any] | None = None


class InitialState(Part):
    """How the world stands when the conversation begins."""

    initialization_data: InitializationData | None = None
    initialization_actions: list[EnvFunction] | None = None
    message_history: list[dict[str, Any]] | None = None


class GoldAction(Part):
    """One reference action."""

    action_id: str = ""
    requestor: Literal["user", "assistant"] = "assistant"
    name: str
    arguments: dict[str, JSON] = Field(default_factory=dict)
    info: str | None = None
    compare_args: list[str] | None = None


RewardType = Literal["DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE"]


class EvaluationCriteria(Part):
    """What is compared; `actions` null is not the same as none."""

    actions: list[GoldAction] | None = None
    env_assertions: list[EnvAssertion] | None = None
    communicate_info: list[str] | None = None
    nl_assertions: list[str] | None = None
    reward_basis: list[RewardType] = ["DB", "COMMUNICATE"]


class Description(Part):
    """What the task is for."""

    purpose: str | None = None
    relevant_policies: str | None = None
    notes: str | None = None


class Task(Part):
    """One task of a pack."""

    id: str
    description: Description | None = None
    user_scenario: UserScenario
    ticket: str | None = None
    initial_state: InitialState | None = None
    evaluation_criteria: EvaluationCriteria | None = None
    issues: list[Any] | None = None
    required_documents: list[str] | None = None
    user_tools: list[str] | None = None

    @property
    def gold(self) -> list[GoldAction]:
        """The reference actions, in order."""
        return (self.evaluation_criteria.actions if self.evaluation_criteria else None) or []

    @property
    def env_assertions(self) -> list[EnvAssertion]:
        """What must hold in the world that is reached, in order."""
        return (self.evaluation_criteria.env_assertions if self.evaluation_criteria else None) or []

    @property
    def nl_assertions(self) -> list[str]:
        """What must be judged, in words, in order."""
        return (self.evaluation_criteria.nl_assertions if self.evaluation_criteria else None) or []

    @property
    def reason(self) -> str:
        """The reason for contact, in one line."""
        instructions = self.user_scenario.instructions
        text = instructions if isinstance(instructions, str) else instructions.reason_for_call
        return " ".join(text.split())

    def digest(self) -> str:
        """Return sha256 of the task's content, by which runs of equal tasks are paired."""
        content = self.model_dump(mode="json", exclude_unset=True)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
