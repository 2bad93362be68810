"""The script user: gives facts when asked, agrees to what it wants, says what it does not know, and ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sessions.event import PlayerInfo
from sessions.players import language
from sessions.players.base import Action, View
from sessions.players.language import plain
from sessions.players.lookup import Lookup
from sessions.players.mentions import sentences
from sessions.players.script.answers import Answers
from sessions.players.script.memory import NOT_TOLD, Memory, remember
from sessions.players.script.phone import Phone
from sessions.players.script.scenario import sheet_of
from sessions.players.script.verdict import Verdict, is_about_fact, is_detailed, judge

if TYPE_CHECKING:
    from domains.catalog import Domain
    from domains.task import Task

MOST_TURNS = 60
"""After so many messages of its own the customer gives up, whatever is open."""
MOST_IDLE = 4
MOST_REMINDERS = 2


class ScriptUser:
    """Acts from the conversation alone, so that it can pick up anybody's session in the middle."""

    def __init__(self, domain: Domain, task: Task, *, seed: int = 0) -> None:
        self.info = PlayerInfo("script", "script", {"seed": seed})
        self.lookup = Lookup(domain, task)
        self.sheet = sheet_of(task, self.lookup)
        self.answers = Answers(self.sheet)
        self.phone = Phone(self.sheet, hard=seed_is_hard(self.sheet.persona))

    async def act(self, view: View) -> Action:
        """Say what the customer says now, press what it was asked to press, or end."""
        memory = remember(view.turns, self.sheet, self.lookup)
        if (pressed := self.phone.act(view, memory)) is not None:
            return pressed
        if not memory.spoken:
            return Action(self._opening())
        if memory.heard == "":
            return Action(
                "Hello?" if memory.idle < MOST_IDLE else "", stop=None if memory.idle < MOST_IDLE else "###STOP###"
            )
        if language.transfers(memory.heard):
            return Action(stop="###TRANSFER###")
        if len(memory.mine) >= MOST_TURNS:
            return self._end("I have to go now. Goodbye.")
        return self._reply(memory)

    def _opening(self) -> str:
        first = self.sheet.wishes[0].say if self.sheet.wishes else "I have a question."
        return f"Hello. {first}"

    def _end(self, words: str) -> Action:
        return Action(words, stop="###STOP###")

    def _reply(self, memory: Memory) -> Action:
        text = memory.heard
        verdict = judge(text, memory, self.sheet, self.lookup)
        if verdict is not None:
            return self._answer_proposal(verdict, memory)
        known = self.answers.to(text, memory)
        if known:
            return self._unless_repeated(known, memory)
        if language.refuses(text) and memory.unsaid("refused"):
            return self._accept_refusal(memory)
        if language.asks_for_more(text):
            return self._more(memory)
        if language.refuses(text):
            return self._accept_refusal(memory)
        if language.is_question(text):
            return self._puzzled(memory)
        if language.reports_done(text) or memory.answered:
            return self._go_on(memory, "Thank you.")
        if language.asks_to_wait(text):
            return self._wait(memory, "Sure, take your time.")
        return self._wait(memory, "Okay.")

    def _answer_proposal(self, verdict: Verdict, memory: Memory) -> Action:
        if verdict.doubt:
            return self._unless_repeated(verdict.doubt, memory)
        # A question beside the proposal is answered with the yes or no.
        beside = " ".join(
            part
            for part in sentences(memory.heard)
            if part.endswith("?")
            and (is_about_fact(part) or not (language.asks_to_confirm(part) or is_detailed(part, self.lookup)))
        )
        also = self.answers.to(beside, memory) if beside else ""
        if not verdict.agreed:
            parts = ("No, that is not what I want.", also, verdict.correction)
            return self._unless_repeated(" ".join(part for part in parts if part), memory)
        return Action(f"Yes, please go ahead. {also}".strip())

    def _more(self, memory: Memory) -> Action:
        """Bring up what is open, remind of what was forgotten, or end."""
        if self.sheet.free and self._is_open_invitation(memory):
            return Action(self.sheet.wishes[0].say)
        if (wish := memory.forgotten(MOST_REMINDERS)) is not None:
            return Action(f"I am still waiting for this: {wish.say}")
        if (wish := memory.next_wish()) is not None:
            return Action(wish.say)
        if question := memory.unanswered():
            return Action(f"{NOT_TOLD} {question}")
        if lines := memory.unsaid("more"):
            return Action(" ".join(line.say for line in lines))
        return self._end("No, that is all. Thank you.")

    def _is_open_invitation(self, memory: Memory) -> bool:
        """Whether the agent asks what it can do, and not what else, as if nothing had been said; once."""
        again = sum(self.sheet.wishes[0].say in said for said in memory.mine)
        return again < 2 and not re.search(r"\b(?:else|other|more|further|all|everything)\b", plain(memory.heard))

    def _accept_refusal(self, memory: Memory) -> Action:
        """Take a no: say what the scenario has for this case, go on with the next wish, or wait to be asked."""
        if lines := memory.unsaid("refused"):
            return Action(lines[0].say)
        return self._go_on(memory, "I understand.")

    def _go_on(self, memory: Memory, words: str) -> Action:
        if (wish := memory.next_wish()) is not None and memory.settled:
            return Action(f"{words} {wish.say}")
        if memory.settled and not self.sheet.free:
            if question := memory.unanswered():
                return Action(f"{words} {NOT_TOLD} {question}")
            if lines := memory.unsaid("more"):
                return Action(" ".join((words, *(line.say for line in lines))))
            return self._end(f"{words} That was all.")
        return self._wait(memory, words)

    def _wait(self, memory: Memory, words: str) -> Action:
        if memory.idle >= MOST_IDLE:
            return self._end("I think that is all for now. Goodbye.")
        if memory.idle >= 2:
            return Action(f"{words} {self._restated(memory)}".strip())
        return Action(words)

    def _puzzled(self, memory: Memory) -> Action:
        if memory.idle >= MOST_IDLE:
            return self._end("I am sorry, I cannot help you any further with that. Goodbye.")
        if memory.idle >= 1:
            return Action(f"I am sorry, I do not know that. {self._restated(memory)}".strip())
        return Action("I am sorry, I do not know that.")

    def _restated(self, memory: Memory) -> str:
        return f"What I want is this: {memory.current.say}" if memory.current else ""

    def _unless_repeated(self, words: str, memory: Memory) -> Action:
        """The same answer three times does not help: restate the wish, and at last give up."""
        same = sum(1 for said in memory.mine[-6:] if plain(said).endswith(plain(words)))
        if same >= 4:
            return self._end("I have told you all I can. Goodbye.")
        return Action(f"{words} {self._restated(memory)}".strip() if same >= 2 else words)


def seed_is_hard(persona: str) -> bool:
    """Tell whether a persona is one who asks back before touching anything."""
    return bool(
        re.search(r"\b(?:hard|uneasy|overwhelmed|flustered|anxious|limited|confus\w+|nervous|worr\w+)\b", persona)
    )
