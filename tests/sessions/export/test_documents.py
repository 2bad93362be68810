"""The page and the transcript: whole, self-contained, and deaf to whatever the text in them tries."""

from __future__ import annotations

import json
import re
from csv import DictReader
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest

from domains.database import Change
from domains.values import ABSENT
from sessions.event import Call, Event, Failure, Mark, Message, Note, PlayerInfo, Result, Reviewed, Seated
from sessions.export import csv, html, markdown
from sessions.export.record import Record, record
from tests.sessions.export.sessions_made import HOSTILE, SWEEP, session


@dataclass
class Line:
    """A line of an explanation."""

    text: str
    tone: str = "bad"
    children: list[Line] = field(default_factory=list)


@dataclass
class Told:
    """An explanation."""

    headline: str = f"reward 0 {HOSTILE}"
    tone: str = "bad"
    because: str = f"because {HOSTILE}"
    lines: list[Line] = field(default_factory=lambda: [Line(f"a {HOSTILE}", children=[Line(f"b {HOSTILE}", "good")])])


def hostile() -> Record:
    """A session in which everything that can hold text holds the worst."""
    events: list[Event] = session(
        Note(text=HOSTILE),
        Note(text=HOSTILE, turn=1),
        Mark(turn=1, author=HOSTILE, type=HOSTILE, severity=HOSTILE, text=HOSTILE, policy_line=HOSTILE),
        Failure(what=HOSTILE, detail=HOSTILE),
        text=HOSTILE,
        ended=False,
        domain=HOSTILE,
        task=SWEEP | {"user_scenario": {"persona": HOSTILE, "instructions": HOSTILE}, "ticket": HOSTILE},
        players={"user": PlayerInfo("human", HOSTILE), "agent": PlayerInfo("model", HOSTILE)},
    )
    events += [
        Call(turn=4, seat="agent", id="c1", name=HOSTILE, arguments={HOSTILE: HOSTILE}, at=110.0),
        Result(
            turn=4,
            seat="agent",
            id="c1",
            content=HOSTILE,
            error=True,
            changes=(
                Change("agent", HOSTILE, HOSTILE, (HOSTILE,), HOSTILE, [HOSTILE]),
                Change("user", "x", "y", (), ABSENT, {HOSTILE: HOSTILE}),
            ),
            at=111.0,
        ),
        Reviewed(
            turn=5,
            seat="agent",
            name=HOSTILE,
            arguments={HOSTILE: HOSTILE},
            decision="edited",
            edited={HOSTILE: [HOSTILE]},
            reason=HOSTILE,
            by=HOSTILE,
            at=111.5,
        ),
        Seated(seat="user", player=PlayerInfo("model", HOSTILE), at=111.6),
        Message(turn=5, seat="user", text=HOSTILE, stop="###STOP###", usage={"reasoning": HOSTILE}, at=112.0),
    ]
    return record(events)


class Reader(HTMLParser):
    """Collects the elements of a page, its texts, and whatever could reach out."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.reaching: list[str] = []
        self.inside: list[str] = []
        self.scripts: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append(tag)
        self.inside.append(tag)
        if tag == "script":
            self.scripts.append("")
        self.reaching += [name for name, _ in attrs if name in ("src", "href", "action") or name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self.inside and self.inside[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text += data


def read(page: str) -> Reader:
    """Read a page."""
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_holds_nothing_that_the_text_in_it_made() -> None:
    page = html.page(hostile(), Told())
    plain = html.page(record(session()), None)
    reader = read(page)
    assert "b" in read(plain).tags  # the page's own, around the name of a tool
    assert reader.tags.count("script") == read(plain).tags.count("script") == 2
    assert reader.tags.count("b") == sum(tag == "b" for tag in reader.tags) == 2  # one for each call
    assert reader.reaching == read(plain).reaching == []
    assert "\x1b" not in page and "\u202e" not in page
    assert "␛[2J" in reader.text and "</script><b>bold</b> [/b]" in reader.text
    assert "<!--title-->" in reader.text  # what looks like a place of the template is text
    json.loads(reader.scripts[0])


def test_the_page_needs_no_network() -> None:
    page = html.page(record(session()), None)
    assert not re.search(r"(?:https?:)?//[a-z]", page)
    assert "default-src 'none'" in page
    assert not re.search(r"<!--\w+-->|/\*\w+\*/", page)


def test_the_page_says_everything_without_its_script_too() -> None:
    text = read(html.page(record(session(Note(text="a remark"))), Told("reward 1", "good", "as wanted", []))).text
    for expected in (
        "Anna as the customer and oracle as the agent",
        "reward 1",
        "as wanted",
        "Please sweep.",
        "ends the conversation (###STOP###)",
        "finish(task_id=task_1)",
        '"status": "completed"',
        "tasks task_1",
        "pending",
        "a remark",
        "Have it swept.",
    ):
        assert expected in text, expected


def beside_the_turns() -> Record:
    """A supervised session in which the agent thinks and the customer's seat changes hands."""
    events = session(ended=False)
    ruling = Reviewed(turn=4, seat="agent", name="mop", arguments={"floor": 1}, decision="refused", by="Anna", at=107.0)
    took = {"reasoning": "It is dusty in here.", "prompt_tokens": 1200, "completion_tokens": 34, "latency": 1.34}
    events[2:2] = [Seated(seat="user", player=PlayerInfo("model", "openai/x"), at=102.0)]
    events += [ruling, Message(turn=4, seat="agent", text="As you wish.", usage={**took, "cost": None}, at=109.0)]
    return record(events)


BESIDE = ("Anna hands the user's seat to openai/x", "refused by Anna: mop(floor=1)", "thought · 5 words")
TOOK = ("1,200 + 34 tokens", "cost n/a", "1.3 s")


def test_the_page_tells_of_seats_decisions_thoughts_and_what_a_turn_took() -> None:
    page = html.page(beside_the_turns(), None)
    text = read(page).text
    for expected in (*BESIDE, *TOOK, "It is dusty in here."):
        assert expected in text, expected
    assert '<details class="thought"><summary>' in page, "folded"
    assert text.index(BESIDE[0]) < text.index("Please sweep.") < text.index(BESIDE[1]) < text.index("As you wish.")


def test_the_transcript_tells_of_seats_decisions_thoughts_and_what_a_turn_took() -> None:
    text = "".join(markdown.document(beside_the_turns(), None))
    for expected in (*BESIDE, *TOOK, "> > It is dusty in here."):
        assert expected in text, expected
    assert text.index(BESIDE[0]) < text.index("Please sweep.") < text.index(BESIDE[1]) < text.index("As you wish.")


def test_the_frames_say_what_stood_and_what_was_made_at_every_step() -> None:
    data = json.loads(read(html.page(record(session()), None)).scripts[0])
    assert data["cards"] == [["tasks task_1", "changed", [["status", "pending", "completed"]]]]
    assert data["frames"] == [
        [[], [], ""],
        [[], [], ""],
        [[], [], ""],
        [[0], [0], "finish"],
        [[0], [0], "finish"],
        [[0], [0], "finish"],
    ]


def test_the_transcript_lets_no_markup_through() -> None:
    text = "".join(markdown.document(hostile(), Told()))
    outside = re.sub(r"^(`{3,})\w*\n.*?\n\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    outside = re.sub(r"(?<!\\)`[^`\n]+`", "", outside)
    assert not re.search(r"(?<!\\)<", outside)
    assert not re.search(r"(?<!\\)\[/b", outside)
    assert "\x1b" not in text and "\u202e" not in text
    assert "````" in text  # a fence longer than the one in the text


def test_the_transcript_reads_like_one() -> None:
    text = "".join(markdown.document(record(session()), Told("reward 1", "good", "as wanted", [Line("DB 1", "good")])))
    for expected in (
        "**reward 1**",
        "- ✓ DB 1",
        "### Customer · turn 1, 0:03",
        "> Please sweep.",
        "### Agent calls `finish` · turn 2, 0:04",
        "- changed: tasks task\\_1",
        "  - status: pending → completed",
        "*ends with \\#\\#\\#STOP\\#\\#\\#*",
    ):
        assert expected in text, expected


def test_a_run_whose_file_told_no_times_is_not_said_to_be_of_1970() -> None:
    timeless = record([replace(event, at=0.0) for event in session()])
    page, text = html.page(timeless, Told()), "".join(markdown.document(timeless, Told()))
    (row,) = DictReader("".join(csv.rows([timeless])).splitlines())
    assert (row["started"], row["ended"], row["seconds"]) == ("", "", "")
    assert "- Started: not known\n" in text and "### Customer · turn 1\n" in text and ">turn 1</span>" in page
    for document in (page, text):
        assert "1970" not in document and "0:00" not in document and "Lasted" not in document


@pytest.mark.parametrize("told", [None])
def test_a_reward_nobody_can_explain_is_said_to_be_so(told: None) -> None:
    found = record(session())
    assert "reward not known" in html.page(found, told)
    assert "Not explained: there is no domain 'nowhere'" in "".join(markdown.document(found, told))


def test_an_imported_run_without_its_world_does_not_claim_that_nothing_changed() -> None:
    imported = record(session(origin={"format": "tau2"}, pack=""))
    assert json.loads(read(html.page(imported, None)).scripts[0])["nothing"].startswith("What was changed is not known")
    assert json.loads(read(html.page(record(session()), None)).scripts[0])["nothing"] == "Nothing has changed."
