"""What the customer remembers of a conversation: wishes raised, agreed to and refused, and what was last heard."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from domains.task import Wish
from sessions.players import language, wanting
from sessions.players.language import plain
from sessions.players.lookup import Lookup
from sessions.players.mentions import sentences
from sessions.players.script.scenario import Line, Occasion, Sheet
from sessions.trajectory import Turn

NOT_TOLD = "You have not told me yet:"


@dataclass
class Memory:
    """A fold of the turns, as the user seat knows them."""

    sheet: Sheet
    mine: list[str] = field(default_factory=list)
    heard: str = ""
    """What the agent said since the customer's last words."""
    before: str = ""
    """What the agent said before that, for a `Shall I?` that names nothing."""
    raised: set[int] = field(default_factory=set)
    agreed: set[tuple[int, int]] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)
    """Wishes the agent has refused or answered."""
    last: int | None = None
    idle: int = 0
    """How many times in a row the customer had nothing to say of use."""
    reminded: int = 0
    told: dict[int, str] = field(default_factory=dict)
    """What the agent has said since a wish was raised."""

    @property
    def spoken(self) -> bool:
        """Whether the customer has said anything."""
        return bool(self.mine)

    @property
    def current(self) -> Wish | None:
        """The wish that is being talked about."""
        if self.last is not None:
            return self.sheet.wishes[self.last]
        return self.sheet.wishes[0] if self.sheet.wishes else None

    def done(self, i: int) -> bool:
        """Tell whether a wish is settled: every write of it agreed to, or the agent has refused or answered it."""
        wish = self.sheet.wishes[i]
        if i in self.closed:
            return True
        mine = [j for j, write in enumerate(wish.writes) if write.requestor != "user"]
        return bool(wish.writes) and all((i, j) in self.agreed for j in mine)

    @property
    def settled(self) -> bool:
        """Whether everything raised is settled."""
        return all(self.done(i) for i in self.raised)

    @property
    def answered(self) -> bool:
        """Whether the wish last raised was only a question, and has an answer."""
        return self.last is not None and not self.sheet.wishes[self.last].writes and self.last in self.closed

    def next_wish(self) -> Wish | None:
        """Return the next wish to bring up; a concealed one waits until the others are settled."""
        open_ones = [i for i in range(len(self.sheet.wishes)) if i not in self.raised and not self._met(i)]
        for i in open_ones:
            if not self.sheet.wishes[i].conceal:
                return self.sheet.wishes[i]
        return self.sheet.wishes[open_ones[0]] if open_ones else None

    def _met(self, i: int) -> bool:
        """A wish the agent has fulfilled before it was brought up, and that asks nothing besides."""
        return self.done(i) and not self.sheet.wishes[i].answers

    def forgotten(self, most: int) -> Wish | None:
        """Return a raised wish that the agent has neither fulfilled nor refused, unless it was reminded enough."""
        if self.sheet.free or self.reminded >= most:
            return None
        for i in sorted(self.raised):
            wish = self.sheet.wishes[i]
            if not self.done(i) and (wish.writes or wish.answers):
                return wish
        return None

    def unanswered(self) -> str:
        """Return a question of a settled wish to which no number was given, once."""
        if NOT_TOLD in " ".join(self.mine):
            return ""
        for i, told in sorted(self.told.items()):
            wish = self.sheet.wishes[i]
            if language.refuses(told):
                continue
            large = any(re.search(r"\d{3}|\.", answer) for answer in wish.answers)
            if any(c.isdigit() for c in "".join(wish.answers)) and not (_SUM if large else _NUMBER).search(plain(told)):
                asked = [
                    part for part in sentences(wish.say) if language.is_question(part) or _TELL.search(plain(part))
                ]
                return asked[-1] if asked else wish.say
        return ""

    def unsaid(self, occasion: Occasion) -> list[Line]:
        """Return the lines for an occasion that have not been said."""
        said = plain(" ".join(self.mine))
        return [line for line in self.sheet.lines if line.occasion == occasion and plain(line.say) not in said]


_NUMBER = re.compile(r"(?<![\w-])\$?\d[\d,.]*(?![\w-])")
_SUM = re.compile(r"\$ ?\d|\d ?(?:dollars|usd)|(?<![\w#-])\d{3,}(?:\.\d+)?(?![\w-])|(?<![\w#-])\d+\.\d\d\b")
_TELL = re.compile(r"\b(?:know|tell|told)\b")


def remember(turns: Iterable[Turn], sheet: Sheet, lookup: Lookup) -> Memory:
    """Fold the turns of the user's view."""
    from sessions.players.script.verdict import judge

    memory = Memory(sheet)
    for turn in turns:
        if turn.seat == "agent":
            memory.heard = f"{memory.heard}\n{turn.text}".strip()
            memory.told = {i: f"{said}\n{turn.text}" for i, said in memory.told.items()}
            continue
        if not turn.text:
            continue
        said = plain(turn.text)
        if memory.heard:
            # Judged before this turn's own words are noted: as it stood when the customer answered.
            verdict = judge(memory.heard, memory, sheet, lookup)
            if (
                verdict is not None
                and verdict.agreed
                and language.answer(turn.text.split(".")[0]) is language.Answer.YES
            ):
                memory.agreed |= verdict.writes
            _close(memory, verdict is not None)
        _raise(memory, said)
        useless = said.startswith(
            ("okay.", "sure, take", "i am sorry, i do not", "i understand.", "hello?")
        ) or language.is_thanks(said)
        memory.idle = memory.idle + 1 if useless else 0
        memory.reminded += said.startswith("i am still waiting")
        memory.mine.append(turn.text)
        memory.before, memory.heard = memory.heard, ""
    if memory.heard and judge(memory.heard, memory, sheet, lookup) is None:
        _close(memory, proposed=False)
    return memory


def _raise(memory: Memory, said: str) -> None:
    for i, wish in enumerate(memory.sheet.wishes):
        if i not in memory.raised and (
            plain(wish.say) in said or (wanting.likeness(said, wish.say) > 0.8 and len(said) > 25)
        ):
            memory.raised.add(i)
            memory.told.setdefault(i, "")
            memory.last = i


def _close(memory: Memory, proposed: bool) -> None:
    """Note what the agent's words settle: a refusal, or an answer to a question."""
    if proposed or memory.last is None:
        return
    wish = memory.sheet.wishes[memory.last]
    heard = memory.heard
    done = language.reports_done(heard)
    asks = bool(language.requests(heard)) and not language.asks_for_more(heard)
    told = bool(wish.answers) and any(c.isdigit() for c in heard) and not asks
    if language.refuses(heard) or (done if wish.writes else told):
        memory.closed.add(memory.last)
