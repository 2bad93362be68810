"""Models in the agent's seat: calling functions, or writing their calls as text (ReAct, Act)."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from domains.catalog import Domain
from sessions.event import PlayerInfo
from sessions.players.base import Action, ToolCall, View
from sessions.players.model import prompts
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import complete
from sessions.players.model.fewshot import examples
from sessions.players.model.player import Completing, ModelPlayer, Unusable, read_calls
from sessions.players.model.progress import Progress, Thought, Wrote
from sessions.players.model.reply import Reply
from sessions.players.model.texts import Unreadable, read_act
from sessions.players.model.wire import messages, text_messages

AgentStyle: TypeAlias = Literal["calls", "react", "act"]

TEMPERATURE: Final = 0.0
FORMS: Final[dict[AgentStyle, str]] = {"calls": "", "react": prompts.REACT, "act": prompts.ACT}


class ModelAgent(ModelPlayer):
    """An agent that is a model. `shots` other tasks, played well, stand in its prompt as examples."""

    def __init__(
        self,
        domain: Domain,
        task_id: str,
        model: ModelChoice,
        *,
        style: AgentStyle = "calls",
        shots: int = 0,
        seed: int | None = None,
        complete: Completing = complete,
    ) -> None:
        temperature = model.args.get("temperature", TEMPERATURE)
        super().__init__(model, temperature, seed, complete)
        self.style = style
        self.shots = shots
        self._domain, self._task_id = domain, task_id
        self._examples: str | None = None if shots else ""
        told = (prompts.AGENT, prompts.AGENT_WITHOUT_POLICY, prompts.SOLO, prompts.PLAN, FORMS[style])
        self.info = PlayerInfo(
            "model",
            model.name,
            {
                "style": style,
                **({"few_shot": shots} if shots else {}),
                "temperature": temperature,
                **({} if seed is None else {"seed": seed}),
                "prompt": prompts.digest(*told, f"{prompts.EXAMPLES} {shots}" if shots else ""),
                **model.told,
            },
        )

    async def act(self, view: View) -> Action:
        """Ask the model. Raises PlayerFailure."""
        if self._examples is None:
            self._examples = await examples(self._domain, self._task_id, self.shots, self.seed or 0, self.style)
        system = {"role": "system", "content": self.prompt(view)}
        if self.style == "calls":
            said = await self.ask(
                [system, *_begun(view, messages(view))],
                read_calls,
                tools=self.schemas(view),
                must_call=view.ticket is not None,
            )
        else:
            spoken = text_messages(view, thoughts=self.style == "react")
            said = await self.ask([system, *_begun(view, spoken)], _read_text, tell=self._whispered)
            if said.text:
                self.tell(Wrote(said.text))
        return Action(said.text, said.calls, usage=said.usage)

    def prompt(self, view: View) -> str:
        """Return everything the model is told before the conversation."""
        solo = view.ticket is not None
        parts = [prompts.SOLO if solo else prompts.AGENT if view.policy is not None else prompts.AGENT_WITHOUT_POLICY]
        if view.policy is not None:
            parts.append(prompts.section("policy", view.policy))
        if view.ticket is not None:
            parts.append(prompts.section("ticket", view.ticket))
        if view.plan is not None:
            parts.append(prompts.section("steps", f"{prompts.PLAN}\n\n{prompts.plan_text(view.plan)}"))
        if self._examples:
            parts.append(prompts.section("examples", f"{prompts.EXAMPLES}\n\n{self._examples}"))
        if self.style != "calls":
            parts += [prompts.section("tools", prompts.tools_text(self.schemas(view))), FORMS[self.style]]
        return "\n\n".join(parts)

    def _whispered(self, progress: Progress) -> None:
        # What is being written is thought and JSON; the words in it are told when they can be read.
        self.tell(Thought(progress.text) if isinstance(progress, Wrote) else progress)


def _begun(view: View, spoken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give a model that works alone something to answer; many providers insist."""
    return spoken or [{"role": "user", "content": "Solve the ticket."}] if view.ticket is not None else spoken


def _read_text(reply: Reply) -> tuple[str, tuple[ToolCall, ...], str]:
    if reply.calls:  # a model trained to call functions may do so unasked
        return read_calls(reply)
    try:
        act = read_act(reply.text)
    except Unreadable as error:
        raise Unusable(str(error)) from None
    calls = (ToolCall(act.name, act.arguments or {}),) if act.name else ()
    return act.text, calls, act.thought
