"""What short English means at a service desk: yes, no or neither; what is asked for; whether it is over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

from sessions.players.mentions import sentences
from sessions.players.topics import TOPICS, any_of


class Answer(Enum):
    """How a proposal was answered. Whatever is not plainly yes or no is unclear."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


_SHORT: Mapping[str, str] = {
    "dont": "don't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "thats": "that's",
    "im": "i'm",
    "ive": "i've",
    "whats": "what's",
    "pls": "please",
    "plz": "please",
    "u": "you",
    "ur": "your",
    "thx": "thanks",
    "ty": "thank you",
    "yess": "yes",
    "yesss": "yes",
    "wanna": "want to",
    "gonna": "going to",
}
_SHORTENED = re.compile(rf"\b(?:{'|'.join(_SHORT)})\b(?!')")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return lower case words with simple apostrophes, single spaces and the usual short forms written out."""
    low = " ".join(text.lower().replace("’", "'").replace("`", "'").split())
    return _SHORTENED.sub(lambda m: _SHORT[m[0]], low)


# Yes and no

_NO_OBJECTION = any_of(
    r"\bno (?:problem|worries|objections?|issues?|doubt)\b(?: with that| at all)?",
    r"\bnot a problem\b",
    r"\bwhy not\b",
    r"\b(?:i )?(?:do not|don't) (?:mind|see why not|object)\b",
    r"\bno need to (?:ask|wait|change anything)\b",
    r"\bcouldn't be better\b",
)
_HEDGE = any_of(
    r"\bmaybe\b|\bperhaps\b|\bpossibly\b|\bprobably\b|\bmight\b",
    r"\bnot (?:so |quite |really |entirely |completely )?(?:sure|certain|convinced)\b|\bunsure\b|\bundecided\b",
    r"\b(?:don't|do not|dunno|didn't|did not) (?:know|understand|get it|follow)\b|\bdunno\b|\bno idea\b",
    r"\bi guess\b|\bi suppose\b|\bdepends\b|\bwhatever\b|\beither way\b",
    r"\blet me (?:think|check|see|ask)\b|\bthink (?:about|it over)\b|\bhmm+\b|\bum+\b|\bwell\.\.\.",
    r"\bif\b|\bunless\b|\bbut\b|\bhowever\b|\bexcept\b|\bonly\b|\bprovided\b|\bas long as\b|\bwhether\b",
    r"\binstead\b|\brather\b|\bactually\b|\bbefore (?:you|i|that|we)\b|\bfirst\b|\bafter (?:you|that)\b",
    r"\bwait\b|\bhold on\b|\bhang on\b|\bone moment\b|\bone sec|\bnot yet\b|\blater\b|\bin a (?:minute|moment|bit)\b",
    r"\bconfused\b|\bunclear\b|\bwhat do you mean\b|\bpardon\b|\bcome again\b|\brepeat\b",
)
_NO = any_of(
    r"^(?:no|nope|nah|na|n|non|nein|negative|never|neither|none)\b",
    r"\b(?:no|nope)[,.! ]+(?:thanks|thank you|please|way|sir|ma'am|don't|do not|not|i|that|stop|it)\b",
    r"\b(?:don't|do not|please don't|won't|will not|wouldn't|would not|cannot|can't|can not)\b",
    r"\bnot (?:what|the|that|this|right|correct|ok|okay|fine|good|interested|acceptable|agree|agreed|like|now|"
    r"going|at all)\b",
    r"\b(?:isn't|is not|that's not|aren't|wasn't) \w+",
    r"\b(?:wrong|incorrect|stop|refuse|decline|disagree|reject|mistaken|unacceptable|absolutely not|certainly not)\b",
    r"\bnever ?mind\b|\bforget (?:it|that|about it)\b|\bleave it\b|\bno deal\b|\bi'll pass\b|\bi pass\b|\bskip "
    r"(?:it|that)\b",
    r"\bchanged my mind\b|\bno longer want\b|\bno more\b",
    r"👎",
)
_YES = any_of(
    r"\b(?:yes|yeah|yep|yup|yea|ya|aye|oui|sure|surely|ok|okay|okey|k|kk|alright|all right|affirmative|absolutely|"
    r"definitely|certainly|indeed|agreed)\b",
    r"^y$",
    r"\bof course\b|\bby all means\b|\bfor sure\b|\bwithout a doubt\b",
    r"\b(?:correct|exactly|precisely|right|perfect|excellent|great|wonderful|fantastic|lovely|super|deal)\b",
    r"\b(?:that is|that's|it is|it's|this is|looks|look|sounds|sound|seems|all) (?!not\b)(?:\w+ )?"
    r"(?:fine|good|great|right|"
    r"correct|ok|okay|perfect|accurate|what i want|what i wanted)\b",
    r"\bfine\b(?: by me| with me)?",
    r"\b(?:go|move) (?:ahead|for it|on with it)\b|\bproceed\b|\bdo (?:it|so|that|this)\b|\bplease do\b|\bmake it "
    r"so\b|\blet's do (?:it|this|that)\b",
    r"\b(?:i|we) (?:hereby )?(?:confirm|agree|accept|approve|consent)\b|^(?:confirm|confirmed|approved|accepted|"
    r"agree)\b",
    r"\bi(?:'d| would) (?:like|love) (?:that|it|you to)\b|\bi want (?:that|this|it)\b|\bthat (?:works|would be \w+|"
    r"will do)\b|\bworks for me\b",
    r"\byou (?:may|can|have my) (?:go ahead|proceed|ok|okay|consent|permission|do (?:it|that|so))\b",
    r"👍|✅",
)
_NEGATED = re.compile(
    r"\b(?:(?:absolutely|certainly|definitely|surely) not|(?:do )?not|don't|never|isn't)\b(?: \w+){0,3}"
)
_QUESTION = re.compile(
    r"\?|^(?:what|which|when|where|who|why|how|can you|could you|do you|does|did|is (?:it|there|that)|are|will|would)\b"
)


@lru_cache(maxsize=4096)
def answer(text: str) -> Answer:
    """Tell how a proposal was answered; with anything beside a yes or a no it is neither."""
    said = _NO_OBJECTION.sub(" yes ", plain(text))
    said = re.sub(r"\b(?:right|ok|okay|please)\?\s*$|\bthat(?:'s| is) (?:all|it)\b|\bnothing else\b", " ", said).strip()
    said = said.strip(" .!,;:-\"'()*")
    if not said:
        return Answer.UNCLEAR
    no, yes = bool(_NO.search(said)), bool(_YES.search(_NEGATED.sub(" ", said)))
    opening_no = bool(re.match(r"(?:no|nope|nah|never)\b", said)) and not _YES.match(said)
    if "?" in said or _QUESTION.match(said) or _HEDGE.search(said):
        # "No, I'd rather keep it" is a no all the same; "yes, but ..." is no yes.
        return Answer.NO if opening_no and not yes else Answer.UNCLEAR
    if no:
        return Answer.UNCLEAR if yes else Answer.NO
    if not yes:
        return Answer.UNCLEAR
    leading = bool(_YES.match(said))
    return Answer.YES if leading or len(said.split()) <= 14 else Answer.UNCLEAR


# What is asked for

_REQUEST = any_of(
    r"\?",
    r"\b(?:please|kindly) (?:\w+ )?(?:provide|give|tell|share|state|confirm|specify|let|enter|send|supply|name|"
    r"indicate|verify|type|write|list|choose|say|answer)\b",
    r"^(?:and |also |first,? |then |so |ok,? |okay,? |sure,? |certainly,? |thanks,? |thank you,? )*(?:provide|give|"
    r"tell|share|state|specify|let me know|enter|name|indicate|choose|verify)\b",
    r"\b(?:may|can|could|would|will|might) (?:i|you|we)\b",
    r"\bi(?:'ll| will| would|'d)?(?: also| just| first| still)? (?:need|require|want|like) (?:to (?:know|have|ask|"
    r"verify|confirm|get|see)|your|you to|the|some|a few|both|also)\b",
    r"\b(?:what|which|when|where|who|whom|why|how)(?:'s| is| are| was| do| did| would| should| will| many| much)\b",
    r"\blet me know\b|\btell me\b|\bgive me\b|\bi am missing\b|\bi'm missing\b|\bis (?:required|needed|missing)\b|"
    r"\b(?:are|still) (?:required|needed|missing)\b",
    r":\s*(?:$|[-*•\d])",
)


def requests(text: str) -> list[str]:
    """Return the sentences, in plain form, in which something is asked for; `user id pls` is one."""
    asking = [said for part in sentences(text) if _REQUEST.search(said := plain(part))]
    said = plain(text)
    if (
        not asking
        and len(said.split()) <= 6
        and not (reports_done(text) or refuses(text))
        and any(p.search(said) for p in TOPICS.values())
    ):
        return [said]
    return asking


@lru_cache(maxsize=4096)
def asked(text: str) -> tuple[str, ...]:
    """Return the topics a message asks for, in the order in which they are named."""
    found: dict[str, tuple[int, int]] = {}
    for i, said in enumerate(requests(text)):
        said = re.sub(r"\b(?:can|may|could|shall|how (?:can|may)) i help\b.*|\banything else\b.*", " ", said)
        for topic, pattern in TOPICS.items():
            match = pattern.search(said)
            if match is not None and topic not in found:
                found[topic] = (i, match.start())
    topics = sorted(found, key=lambda topic: found[topic])
    # "First name" and "user name" are one question each, "card on your account" is about the card.
    if "user_id" in topics and "name" in topics and not re.search(r"\b(?:full|your|first|last) name", plain(text)):
        topics.remove("name")
    return tuple(topics)


_MORE = any_of(
    r"\b(?:anything|something|what) else\b",
    r"\bany(?:thing)? (?:other|more|further) (?:questions?|requests?|help|assistance|concerns?|things?|i can)\b",
    r"\bhow (?:else )?(?:can|may) i (?:help|assist|be of)\b",
    r"\bwhat (?:can|may|could) i (?:do|help)\b",
    r"\bwhat (?:would you like|do you want|do you need|is it|brings you|is the (?:problem|issue|matter))\b",
    r"\bfurther assistance\b|\bneed (?:any )?more help\b|\bis that (?:all|everything)\b|\bwill that be all\b",
    r"\bother (?:request|question|concern|wish)s?\b|\b(?:more|else) (?:i|we) can\b|\banything more\b|\bneed anything\b",
    r"\btell me (?:more|what you need|about (?:it|the problem|your (?:request|issue|problem)))\b",
    r"\bdescribe\b.*\b(?:problem|issue|request)\b",
)


@lru_cache(maxsize=4096)
def asks_for_more(text: str) -> bool:
    """Tell whether somebody asks what (else) can be done."""
    return bool(_MORE.search(plain(text)))


_OVER = any_of(
    r"\b(?:that's|that is|that was|that will be|that'll be|this is|this was) (?:all|it|everything)\b",
    r"\bnothing (?:else|more|further)\b|\bno more (?:questions|requests)\b|\bno (?:other|further) (?:questions?|"
    r"requests?|wish(?:es)?|needs?)\b",
    r"\b(?:good)?bye\b|\bbye-bye\b|\bsee you\b|\bfarewell\b|\bcheers\b",
    r"\b(?:i'm|i am|we're|we are|all) (?:done|good|set|finished|fine)\b",
    r"\bhave a (?:nice|good|great|lovely|wonderful) (?:day|one|evening|night|weekend)\b",
    r"\bdon't need anything\b|\bdo not need anything\b|\bno,? (?:thank you|thanks)\b(?! for)",
    r"^no[.! ]*$|^nope[.! ]*$",
)


@lru_cache(maxsize=4096)
def is_over(text: str) -> bool:
    """Tell whether a customer says that there is nothing more."""
    return bool(_OVER.search(plain(text)))


@lru_cache(maxsize=4096)
def is_thanks(text: str) -> bool:
    """Tell whether a message is only thanks or acknowledgement."""
    words = re.sub(r"[^a-z' ]", " ", plain(text)).split()
    polite = set(
        "thank thanks you very much so a lot great good ok okay perfect wonderful awesome nice cool fine i see "
        "alright all right understood got it appreciate that appreciated for your help the is was".split()
    )
    return bool(words) and all(word in polite for word in words) and len(words) <= 10


@lru_cache(maxsize=4096)
def is_question(text: str) -> bool:
    """Tell whether something is asked."""
    return any("?" in part or _QUESTION.match(plain(part)) for part in sentences(text))


_INFORMATION = re.compile(
    r"^(?:and |so |ok(?:ay)?,? |but |hi,? |hello,? |by the way,? )*(?:what|which|when|where|who|why|how|do i|did i|"
    r"am i|is my|are my|"
    r"have i|has my|is there|are there|was i|tell me|show me|can you (?:tell|show) me|could you (?:tell|show) me|"
    r"i(?:'d| would)? (?:want|like|need) to know|i wonder(?:ed)?|do you know|can i see)\b"
)
_GREETING = re.compile(r"(?:hi|hello|hey|good (?:morning|day|evening)|dear \w+)(?: there)?[.!, ]*$")
_DEED = re.compile(
    r"\b(?:cancel|chang|upgrad|downgrad|book (?:me|a|the|it)|add|remov|mov|switch|refund|compensat|exchang|return|"
    r"replac|fix|stop)\w*"
)


@lru_cache(maxsize=4096)
def asks_information(text: str) -> bool:
    """Tell whether a message only wants to be told something, and nothing done."""
    parts = [
        said for part in sentences(text) if (said := plain(part)) and not (is_thanks(part) or _GREETING.match(said))
    ]
    return bool(parts) and all(_INFORMATION.match(said) and not _DEED.search(said) for said in parts)


# What an agent does with words

_CONFIRM = any_of(
    r"\b(?:shall|should|may|can|could) (?:i|we)\b(?! (?:help|assist|have|get|ask|know|see|be of|confirm|verify))",
    r"\b(?:would you like|do you want|would you want|do you wish|want|is it ok(?:ay)? for|are you (?:ok|okay|fine) "
    r"with) me\b",
    r"\bwant me to\b|\blike me to\b|\bwish me to\b",
    r"\b(?:would you like|do you want|do you wish|are you sure you want|would you prefer|are you ready) to "
    r"(?:proceed|go ahead|continue|cancel|book|change|upgrade|downgrade|switch|modify|update|return|exchange|"
    r"confirm|keep going|refund|do (?:this|that|it|so))\b",
    r"\b(?:proceed|go ahead)\b",
    r"\b(?:please|to|do you|can you|could you|you) (?:please )?(?:confirm|agree|approve|consent)\b(?! (?:your|the "
    r"(?:reservation|order|user|phone|number|email|zip)|which|what|when|how))",
    r"\bis (?:that|this|it|everything|all (?:of )?this|all that)(?: all)? (?:ok|okay|correct|right|fine|good|"
    r"acceptable|alright|all right|what you want)\b",
    r"\b(?:sounds?|looks?) (?:good|ok|okay|right|correct|fine)\b",
    r"\(?\byes\s*(?:/|or)\s*no\b\)?|\breply (?:with )?[\"'“]?yes\b|\bsay yes\b|\bwith (?:a |your )?[\"'“]?yes\b|"
    r"\ba (?:clear |plain )?yes\b",
    r"\bok(?:ay)?\?|\bcorrect\?|\bright\?|\bagreed\?|\bdeal\?|\bare you happy with\b|\bdoes (?:that|this) work\b|"
    r"\bdo you (?:agree|accept|confirm)\b",
)


@lru_cache(maxsize=4096)
def asks_to_confirm(text: str) -> bool:
    """Tell whether a message asks leave to do something."""
    for part in sentences(text):
        said = plain(part)
        for match in _CONFIRM.finditer(said):
            # "Why do you want to change?" and "What should I do?" ask for something else than leave.
            asked = _OPEN_QUESTION.search(said[: match.start()]) and re.match(_LEAVE, match[0])
            if not asked:
                return True
    return False


_OPEN_QUESTION = re.compile(r"(?:^|\band |[,;:] )(?:why|what|which|how|when|where|who)\b(?: [\w'-]+){0,3} $")
_LEAVE = r"(?:do|would|shall|should|may|can|could)\b"
_REFUSAL = any_of(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|won't be able)\b",
    r"\b(?:not|isn't|aren't) (?:\w+ )?(?:possible|allowed|permitted|eligible|available|entitled|covered|refundable|"
    r"offered|qualify)\b|\bineligible\b",
    r"\bdoes(?:n't| not) (?:qualify|allow|permit|apply|cover|meet)\b|\bdo(?:n't| not) (?:offer|allow|permit|"
    r"qualify|provide|have a way)\b",
    r"\bagainst (?:our|the) (?:policy|rules)\b|\bunfortunately\b|\bi'm afraid\b|\bi am afraid\b|\bno "
    r"compensation\b|\bno refund\b|\bmust (?:decline|refuse)\b|\bhave to (?:decline|refuse)\b",
)
_DONE = any_of(
    r"\b(?:has|have) (?:now |already |just |successfully |both |all )*been (?:\w+ )?\w+(?:ed|t|n)\b",
    r"\b(?:is|are) (?:now|all) (?:\w+ )?(?:cancelled|canceled|booked|changed|updated|done|set|confirmed|upgraded|"
    r"moved|added|in place|active)\b",
    r"\b(?:it|everything|all|that)(?:'s| is) (?:now )?(?:done|updated|changed|cancelled|canceled|booked|set|sent|"
    r"added|upgraded)\b",
    r"^(?:all |ok(?:ay)?,? )?(?:done|cancelled|canceled|booked|changed|updated|sent|added|upgraded)\b|\ball set\b|"
    r"\bdone[.!]|\bi(?:'ve| have)(?: now| just| successfully| also)? (?!not|found|looked|checked|a\b|your|the|"
    r"to\b)\w+(?:ed|t|n)\b",
    r"\bsuccessful(?:ly)?\b|\bcompleted?\b|\bi (?:cancelled|canceled|booked|changed|updated|added|sent|upgraded|"
    r"processed|returned|exchanged|modified)\b",
)
_TRANSFER = any_of(
    r"\byou are being transferred\b|\b(?:i am|i'm|i'll be|i will be) (?:now )?(?:transferring|connecting|handing) "
    r"you\b",
    r"\btransferring you\b|\bi(?:'ve| have) transferred you\b|\bplease hold on\b.*\b(?:human|agent)\b|\byou(?:'ll| "
    r"will)? (?:be|have been|are) (?:now )?(?:transferred|connected|handed over)\b",
)
_WAITING = any_of(
    r"\b(?:one|just a|a) (?:moment|second|sec|minute)\b|\bbear with me\b|\bhold on\b|\bplease wait\b|\blet me "
    r"(?:check|look|see|find|pull|search|verify|review|process)\b|\bi(?:'ll| will) (?:check|look|search|find|"
    r"review|verify)\b|\b(?:checking|looking (?:into|up)|searching)\b"
)


@lru_cache(maxsize=4096)
def refuses(text: str) -> bool:
    """Tell whether an agent says that something cannot be done."""
    return bool(_REFUSAL.search(plain(text)))


@lru_cache(maxsize=4096)
def reports_done(text: str) -> bool:
    """Tell whether an agent says that something has been done."""
    return any(_DONE.search(plain(part)) for part in sentences(text) if not part.rstrip().endswith("?"))


@lru_cache(maxsize=4096)
def transfers(text: str) -> bool:
    """Tell whether an agent hands the customer over."""
    return any(_TRANSFER.search(plain(part)) for part in sentences(text) if not part.rstrip().endswith("?"))


def asks_to_wait(text: str) -> bool:
    """Tell whether an agent only says that it is at work."""
    return bool(_WAITING.search(plain(text)))
