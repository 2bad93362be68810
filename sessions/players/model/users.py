"""Models in the user's seat. What they are told is what a person in blind view sees."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, TypeAlias

from domains.catalog import Domain
from sessions.event import PlayerInfo
from sessions.players.base import Action, ToolCall, View
from sessions.players.model import prompts
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import complete
from sessions.players.model.player import Completing, ModelPlayer, Said, Unusable, read_calls
from sessions.players.model.progress import Progress, Thought, Withdrawn, Wrote, nobody
from sessions.players.model.reply import Reply, add_usage
from sessions.players.model.stops import stop_in
from sessions.players.model.texts import RESPONSE, Unreadable, read_response
from sessions.players.model.wire import messages, transcript

UserStyle: TypeAlias = Literal["plain", "react", "verify", "reflect"]

TEMPERATURE: Final = 1.0
ATTEMPTS: Final = 3
"""How many messages a user that is verified writes at most; the last one is sent whatever is thought of it."""

VERDICT: Final = re.compile(r"VERDICT\W*\s*(good|bad)\b[:,.\s-]*(.*)", re.IGNORECASE)
EXTRA: Final[dict[UserStyle, str]] = {
    "plain": "",
    "react": prompts.USER_REACT,
    "verify": prompts.VERIFY,
    "reflect": prompts.REFLECT,
}


class ModelUser(ModelPlayer):
    """A customer that is a model."""

    def __init__(
        self,
        domain: Domain,
        model: ModelChoice,
        *,
        style: UserStyle = "plain",
        tools: bool = False,
        seed: int | None = None,
        complete: Completing = complete,
    ) -> None:
        temperature = model.args.get("temperature", TEMPERATURE)
        super().__init__(model, temperature, seed, complete)
        self.style = style
        self.guidelines = prompts.guidelines(domain, tools=tools)
        self.info = PlayerInfo(
            "model",
            model.name,
            {
                "style": style,
                "temperature": temperature,
                **({} if seed is None else {"seed": seed}),
                "prompt": prompts.digest(self.guidelines, EXTRA[style]),
                **model.told,
            },
        )

    async def act(self, view: View) -> Action:
        """Ask the model. Raises PlayerFailure."""
        match self.style:
            case "plain":
                said = await self._draft(view)
            case "react":
                said = await self._draft(view, _read_response, _Half(self))
            case "verify":
                said = await self._verified(view)
            case "reflect":
                said = await self._reflected(view)
        # As in tau2: what is said beside a call goes to nobody, and ends nothing.
        stop = None if said.calls else stop_in(said.text)
        return Action(said.text, said.calls, stop, usage=said.usage)

    def prompt(self, view: View) -> str:
        """Return everything the model is told before the conversation."""
        assert view.scenario is not None
        parts = [self.guidelines, prompts.section("scenario", prompts.scenario_text(view.scenario))]
        if self.style == "react":
            parts.append(prompts.USER_REACT)
        return "\n\n".join(parts)

    async def _draft(self, view: View, read: Any = read_calls, tell: Any = None, told: str = "") -> Said:
        system = {"role": "system", "content": self.prompt(view)}
        extra = [{"role": "user", "content": told}] if told else []
        return await self.ask([system, *messages(view), *extra], read, tools=self.schemas(view), tell=tell)

    async def _verified(self, view: View) -> Said:
        """Write, let a second call judge, and write again while it says no."""
        usage: dict[str, Any] = {}
        told = ""
        for attempt in range(1, ATTEMPTS + 1):
            said = await self._draft(view, tell=self._unheard, told=told)
            usage = add_usage(usage, said.usage)
            if said.calls:
                return Said(said.text, said.calls, "", usage)
            judged = await self._judge(view, prompts.VERIFY, said.text)
            usage = add_usage(usage, judged.usage) | _kept(said)
            found = VERDICT.search(judged.text)
            usage["attempts"] = attempt
            # A judge that cannot be understood stops nothing.
            if found is None or found[1].lower() == "good" or attempt == ATTEMPTS:
                usage["verified"] = None if found is None else found[1].lower() == "good"
                break
            reason = found[2].strip() or "it does not fit the scenario"
            self.tell(Withdrawn(f"the check refused a message: {reason}"))
            told = f"You wrote: {said.text}\n\nThat will not be sent: {reason}. Write another message in its place."
        self.tell(Wrote(said.text))
        return Said(said.text, (), "", usage)

    async def _reflected(self, view: View) -> Said:
        """Write, criticise, and write again; a critique that cannot be read leaves the draft as it is."""
        said = await self._draft(view, tell=self._unheard)
        if said.calls:
            return said
        thought = await self._judge(view, prompts.REFLECT, said.text)
        usage = add_usage(said.usage, thought.usage) | _kept(said)
        marker = RESPONSE.search(thought.text)
        rewritten = thought.text[marker.end() :].strip() if marker else ""
        if rewritten:
            usage |= {"draft": said.text, "reasoning": thought.text[: marker.start()].strip() if marker else ""}
        text = rewritten or said.text
        self.tell(Wrote(text))
        return Said(text, (), "", usage)

    async def _judge(self, view: View, task: str, draft: str) -> Said:
        assert view.scenario is not None
        heard = transcript(view.turns, own="customer", other="service", seat=view.seat)
        told = "\n\n".join(
            (
                prompts.section("scenario", prompts.scenario_text(view.scenario)),
                prompts.section("conversation", heard),
                prompts.section("message", draft),
            )
        )
        asked = [{"role": "system", "content": task}, {"role": "user", "content": told}]
        return await self.ask(asked, _read_any, tell=nobody)

    def _unheard(self, progress: Progress) -> None:
        """Tell of everything but words, which may be taken back."""
        if not isinstance(progress, Wrote):
            self.tell(progress)


def _kept(said: Said) -> dict[str, Any]:
    """What of a reply's usage is its own, whatever was added to it."""
    return {name: said.usage[name] for name in ("reasoning", "finish", "first_word") if name in said.usage}


def _read_any(reply: Reply) -> tuple[str, tuple[ToolCall, ...], str]:
    return reply.text, (), ""


def _read_response(reply: Reply) -> tuple[str, tuple[ToolCall, ...], str]:
    _, calls, _ = read_calls(reply)
    try:
        thought, words = read_response(reply.text)
    except Unreadable as error:
        if calls:
            return "", calls, reply.text
        raise Unusable(str(error)) from None
    return words, calls, thought


class _Half:
    """Lets the words after `Response:` be heard as words, what comes before as thought."""

    def __init__(self, player: ModelPlayer) -> None:
        self._player = player
        self._written = ""
        self._spoken = False

    def __call__(self, progress: Progress) -> None:
        if not isinstance(progress, Wrote):
            self._written, self._spoken = "", False
            self._player.tell(progress)
            return
        if self._spoken:
            self._player.tell(progress)
            return
        self._written += progress.text
        marker = RESPONSE.search(self._written)
        if marker is None:
            self._player.tell(Thought(progress.text))
            return
        self._spoken = True
        if words := self._written[marker.end() :]:
            self._player.tell(Wrote(words))
