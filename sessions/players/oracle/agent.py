"""The oracle agent: knows the gold plan, proposes each write in plain words, and does it only after a clear yes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from domains.values import JSON
from sessions.event import PlayerInfo
from sessions.players import language
from sessions.players.base import Action, ToolCall, View
from sessions.players.language import Answer
from sessions.players.lookup import Lookup
from sessions.players.oracle import answers, identity, next_steps, refusals, talk
from sessions.players.oracle.amounts import amount_of, amount_told
from sessions.players.oracle.answers import told, was_said
from sessions.players.oracle.hearing import amends, asks_amount, is_hindered, restates, verdict
from sessions.players.oracle.memory import ONLY_THIS, WHAT_ELSE, Made, Memory, Request, remember
from sessions.players.oracle.phrasing import done, proposal
from sessions.players.oracle.plan import Step, plan_of
from sessions.players.oracle.slips import UNSEEN, Slip, with_slips
from sessions.players.oracle.steps import explain, unless_done

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task

ANYTHING_ELSE = "Is there anything else I can help you with?"
WHAT_TO_DO = "What can I do for you?"
HANDED_OVER = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
WHAT_EXACTLY = "What exactly would you like me to do?"
ONLY_SO = f"{ONLY_THIS}: I know one plan only. Shall I do it just so (yes), or shall I leave it as it is (no)?"
GOODBYE = "Thank you for contacting us. Goodbye!"
ASKED_ABOUT = frozenset({"bags", "cabin", "flights", "payment", "passengers", "insurance", "service"})
"""Intents that a question may be about, without anything to be done."""


class OracleAgent:
    """Acts from the conversation alone; `slips` seeded mistakes of the kinds models make are built into its plan."""

    def __init__(self, domain: Domain, task: Task, *, slips: int = 0, seed: int = 0) -> None:
        name = f"oracle:slips={slips}" if slips else "oracle"
        self.info = PlayerInfo("oracle", name, {"slips": slips, "seed": seed} if slips else {"seed": seed})
        self.domain = domain
        self.lookup = Lookup(domain, task)
        self.plan = plan_of(task, self.lookup)
        self.slips: tuple[Slip, ...] = ()
        if slips:
            self.plan, self.slips = with_slips(self.plan, task, self.lookup, slips, seed)

    async def act(self, view: View) -> Action:
        """Say or do the next thing."""
        memory = remember(view.turns, self.plan, self.lookup)
        action = self._next(memory)
        return action if action.calls else Action(self._slipped(action.text), stop=action.stop)

    def _slipped(self, text: str) -> str:
        """Say a wrong number, or none, in place of a required string, when a slip says so."""
        for required, instead in self.plan.said_instead.items():
            said = (
                rf"(?<![\w.]){re.escape(required)}(?!\w)" if instead else rf"\$?(?<![\w.]){re.escape(required)}(?!\w)"
            )
            text = re.sub(said, instead or UNSEEN, text)
        return text

    def _next(self, memory: Memory) -> Action:
        if any(made.name == "transfer_to_human_agents" and not made.error for made in memory.calls):
            return self._handed_over(memory)
        lead = self._report(memory)
        if not lead and memory.pending is not None:
            return self._after_proposal(memory.plan.step(memory.pending), memory)
        if not lead and (action := self._identify(memory)) is not None:
            return action
        if not lead and memory.discussing is not None and memory.discussing not in memory.left:
            step = memory.plan.step(memory.discussing)
            return self._propose(step, memory, lead="What I can offer within our rules is this.")
        if memory.discussing is not None and memory.discussing in memory.left:
            lead = "All right, I leave that as it is."
        return self._go_on(memory, lead)

    # What has just been done

    def _report(self, memory: Memory) -> str:
        """Say what the calls since the customer's last words have done."""
        writes = [made for made in memory.just if self.lookup.env.mutates("agent", made.name)]
        said = [self._failed(made) if made.error else done(made.name) for made in writes]
        if said and not writes[-1].error and asks_amount(memory.heard):
            same = [s for s in memory.done if (s.name, s.executes) == (writes[-1].name, writes[-1].arguments)]
            said += [self._amount(step, memory) or answers.answer(memory) for step in same[:1]]
        return _joined(*said)

    def _amount(self, step: Step, memory: Memory) -> str:
        """Return the amount of a step as it was proposed."""
        return amount_told(step, memory.proposed(step))

    def _failed(self, made: Made) -> str:
        reason = made.content.removeprefix("Error: ").rstrip(".")
        return f"I am sorry, the system has refused that and said: {reason}. I could not carry it out."

    # Who is speaking

    def _identify(self, memory: Memory) -> Action | None:
        """Look the customer up by what they have said, or ask who they are; None once they are known."""
        asks = identity.ASK.get(self.domain.name.removesuffix("-workflow"))
        if asks is None:
            return None
        tried: list[Made] = []
        for attempt in identity.attempts(self.domain.name, memory.user_text, self.lookup, memory.identity_asked):
            made = memory.called(attempt.name, attempt.arguments)
            if made is None:
                return _call(attempt.name, attempt.arguments)
            if not made.error and self._is_theirs(made):
                return None
            tried.append(made)
        if language.is_over(memory.heard) and language.answer(memory.heard) is not Answer.NO:
            return Action(GOODBYE)
        question = asks[min(memory.identity_asked, len(asks) - 1)]
        wishes = any(request.demand for request in memory.requests)
        lead = talk.about_partner(memory.heard, self.domain)
        wished = any(request.demand and request.text == memory.heard for request in memory.requests)
        if not (lead or wished) and talk.is_off_topic(memory.heard) and (not memory.mine[1:] or "?" in memory.heard):
            lead = talk.abilities(self.domain)
        if lead and not wishes:
            return Action(f"{lead} {WHAT_TO_DO}")
        if not lead and not memory.identity_asked:
            asked = any(not request.answered for request in memory.requests)
            greeting = "I am glad to help you with that." if asked else "All right."
            return Action(f"{greeting} First, {question}")
        if not lead and tried:
            lead = "I cannot find an account that fits what you told me."
        elif not lead and (lead := identity.given(self.domain.name, memory.heard, self.lookup)):
            question = asks[-1]
        return Action(f"{lead} {question[0].upper()}{question[1:]}".strip())

    def _is_theirs(self, made: Made) -> bool:
        found = made.data.get("user_id", "") if isinstance(made.data, dict) else made.content
        return (
            not self.plan.user_id
            or not isinstance(made.data, dict | str)
            or found == self.plan.user_id
            or (made.name.startswith("get_customer"))
        )

    # Proposals

    def _propose(self, step: Step, memory: Memory, lead: str = "") -> Action:
        if step.kind == "user":
            asked = f"Please {step.what}."
            if memory.asks[step.index] and (care := unless_done(step.name, step.what)) and care not in lead:
                asked = f"{asked} {care}"
            lead = lead or "The next step is yours."
            return Action(f"{lead} {asked} When you have done it, tell me what you see.")
        if not step.asks:
            return self._carry_out(step, lead)
        hidden = bool(self.plan.said_instead)
        extra = "" if hidden else amount_of(step, memory, self.lookup)
        return Action(proposal(step.what, memory.asks[step.index], lead=lead, extra=extra))

    def _carry_out(self, step: Step, lead: str = "") -> Action:
        """Make the call; a slip that leaves it out only says so."""
        if step.executes is None:
            return Action("")
        return _call(step.name, step.executes)

    def _after_proposal(self, step: Step, memory: Memory) -> Action:
        """React to the answer to a proposal."""
        if step.kind == "user":
            return self._after_step(step, memory)
        match verdict(step, memory.heard, self.lookup):
            case Answer.YES:
                if step.executes is not None:
                    return self._carry_out(step)
                memory.made.add(step.index)
                amount = self._amount(step, memory) if asks_amount(memory.heard) else ""
                return self._go_on(memory, f"{done(step.name)} {amount}".strip())
            case Answer.NO:
                if step.index in memory.left:
                    return self._go_on(memory, "All right, I leave that as it is.")
                return Action(f"All right, I will not do that. {WHAT_ELSE} I can also leave it as it is.")
            case _:
                return self._unclear(step, memory)

    def _unclear(self, step: Step, memory: Memory) -> Action:
        if step.index in memory.left:
            return self._go_on(memory, "Without a clear yes I leave that as it is.")
        text = memory.heard
        lead = talk.about_partner(text, self.domain)
        if not lead and asks_amount(text):
            lead = self._amount(step, memory)
        if not lead and (needed := answers.lookups(memory)) is not None:
            return _call(*needed)
        if not lead:
            lead = answers.answer(memory)
        if not lead and talk.asks_status(text):
            lead = "Not yet, I wait for your yes."
        if not lead and restates(step, text, self.lookup):
            lead = "Just that is what I offer."
        if not lead and (amends(step, text, self.lookup) or language.answer(text) is Answer.NO):
            return Action(ONLY_SO)
        if not lead and language.is_question(text):
            lead = told(memory) or "More than this I do not know about it."
        return self._propose(step, memory, lead=lead)

    def _after_step(self, step: Step, memory: Memory) -> Action:
        if step.index in memory.made:
            return self._go_on(memory, "Thank you.")
        if step.index in memory.left:
            return self._go_on(memory, "All right, we leave that step out.")
        lead = talk.about_partner(memory.heard, self.domain)
        if not lead and talk.asks_status(memory.heard):
            lead = "Not yet, there is a step left."
        if not lead:
            lost = language.is_question(memory.heard) or is_hindered(memory.heard)
            lead = explain(step.name, step.what) if lost else "Take your time."
        return self._propose(step, memory, lead=lead)

    # The way through the plan

    def _go_on(self, memory: Memory, lead: str) -> Action:
        if (step := next_steps.wanted(memory)) is not None:
            return self._bring_up(step, memory, lead)
        request = next((r for r in memory.requests if memory.is_open(r)), None)
        if request is not None:
            return self._answer_request(request, memory, lead)
        if not lead and (needed := answers.lookups(memory)) is not None and not self._over(memory):
            return _call(*needed)
        if not lead and self._over(memory):
            return self._last_words(memory, lead)
        if (step := next_steps.unasked(memory)) is not None:
            return self._bring_up(step, memory, lead)
        found = told(memory) or ("" if lead else talk.aside(memory, self.domain) or answers.answer(memory))
        said = _joined(lead, found)
        if not memory.requests:
            return Action(f"{said or 'Thank you.'} {WHAT_TO_DO}")
        if not said and not (language.is_thanks(memory.heard) or talk.is_good_news(memory.heard)):
            return Action(talk.filler(memory))
        return Action(f"{said or talk.filler(memory)} {ANYTHING_ELSE}")

    def _bring_up(self, step: Step, memory: Memory, lead: str) -> Action:
        """Propose a step; the gold plan's own look-ups before it come first, one at a time."""
        if (read := next_steps.read_before(step.index, memory)) is not None:
            return _call(read.name, read.arguments)
        return self._propose(step, memory, lead=lead)

    def _over(self, memory: Memory) -> bool:
        return language.is_over(memory.heard) and not self._report(memory)

    def _answer_request(self, request: Request, memory: Memory, lead: str) -> Action:
        """Answer, refuse or hand over what no write of the plan fulfils."""
        if (read := next_steps.read_before(next_steps.horizon(memory), memory)) is not None:
            return _call(read.name, read.arguments)
        if (needed := answers.lookups(memory)) is not None and request.wish is None:
            return _call(*needed)
        if (slip := next_steps.forbidden(request, memory)) is not None:
            return self._propose(slip, memory, lead=lead)
        if request.steps:
            return self._refuse(request, memory, lead)
        wish = memory.plan.wishes[request.wish] if request.wish is not None else None
        owed = told(memory)
        found = answers.answer(memory) if wish is None else ""
        waiting = [s for s in memory.waiting if s.index not in memory.claimed]
        if wish is not None and wish.refused:
            return self._refuse(request, memory, lead)
        if wish is not None and wish.answers and not (owed or wish.writes):
            return self._answered(request, lead, answers.carrying(list(wish.answers), wish.say))
        if owed and (wish is not None or language.is_question(request.text)):
            return self._answered(request, lead, owed)
        if found and not request.intents & next_steps.TOOLS_DO - ASKED_ABOUT:
            return self._answered(request, lead, found)
        if waiting and wish is None and next_steps.suits(request, waiting, memory):
            return self._propose(waiting[0], memory, lead=lead)
        if wish is None and any(restates(step, request.text, self.lookup) for step in memory.done):
            return self._answered(request, lead, owed, "That has already been done.")
        transfer = memory.plan.transfer
        if transfer is not None and not waiting and (request.demand or not memory.plan.wishes):
            return _call(transfer.name, transfer.arguments)
        if found:
            return self._answered(request, lead, found)
        return self._no_answer(request, memory, lead)

    def _answered(self, request: Request, *parts: str) -> Action:
        request.answered = True
        return Action(_joined(*parts, ANYTHING_ELSE))

    def _no_answer(self, request: Request, memory: Memory, lead: str) -> Action:
        """Refuse a request for a write that the plan does not hold; of anything else say that it is not known."""
        if request.wish is None and not (request.demand and request.intents):
            said = talk.UNKNOWN if language.is_question(request.text) and not request.demand else ""
            if not said or talk.is_off_topic(request.text):
                said = f"{said} {talk.abilities(self.domain)}".strip()
            if (step := next_steps.unasked(memory)) is not None:
                return self._bring_up(step, memory, f"{lead} {said}".strip())
            request.answered = True
            ask = WHAT_EXACTLY if request.demand else ANYTHING_ELSE if memory.done else WHAT_TO_DO
            return Action(_joined(lead, said, ask))
        if request.wish is None and memory.done and not memory.waiting and request.intents == {"service"}:
            return self._answered(request, lead, told(memory), refusals.ALL_DONE)
        return self._refuse(request, memory, lead)

    def _refuse(self, request: Request, memory: Memory, lead: str) -> Action:
        request.answered = True
        no = refusals.refusal(request, memory)
        if (step := next_steps.unasked(memory)) is not None:
            return self._bring_up(step, memory, f"{lead} {no} What I can offer is this.".strip())
        return Action(_joined(lead, no, told(memory), ANYTHING_ELSE))

    # The end

    def _last_words(self, memory: Memory, lead: str) -> Action:
        """The customer wants nothing more: bring up what the plan still holds, once; otherwise say goodbye."""
        if (step := next_steps.unproposed(memory)) is not None:
            more = f"{lead} Before you go, as I understood you there is one more thing."
            return self._bring_up(step, memory, more.strip())
        return Action(_joined(lead, told(memory), GOODBYE))

    def _handed_over(self, memory: Memory) -> Action:
        owed = [text for text in memory.plan.required if memory.plan.said_instead.get(text, text)]
        missing = [text for text in owed if not was_said(text, memory)]
        return Action(f"{answers.carrying(missing, memory.user_text)} {HANDED_OVER}".strip())


def _call(name: str, arguments: Mapping[str, JSON]) -> Action:
    return Action(calls=(ToolCall(name, dict(arguments)),))


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
