"""A policy is read as Markdown, line for line; whatever else stands in it is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains import load_domain
from sessions.players.human import HumanPlayer
from tau_tui.widgets.document import SectionTitle, SectionView
from tau_tui.widgets.marked_text import CODE, marked
from tau_tui.widgets.safe_text import safe
from tau_tui.widgets.sections import of_policy
from tests.app.helpers import HOSTILE, Cued, make_session, on_stage


def looks(text: str) -> list[tuple[str, str]]:
    content = marked(text)
    return [(content.plain[span.start : span.end], str(span.style)) for span in content.spans if str(span.style)]


@pytest.mark.parametrize(
    ("written", "read", "looking"),
    [
        ("a **bold** word", "a bold word", [("bold", "bold")]),
        ("an *italic* and _another_", "an italic and another", [("italic", "italic"), ("another", "italic")]),
        ("call `get_user_details`", "call get_user_details", [("get_user_details", CODE)]),
        ("**both *at* once**", "both at once", [("both ", "bold"), ("at", "bold italic"), (" once", "bold")]),
        ("- one\n  - two\n* three\n1. four", "• one\n  • two\n• three\n1. four", []),
        ("**over\n  two** lines", "over\n  two lines", [("over", "bold"), ("two", "bold")]),
        ("`over\ntwo`", "`over\ntwo`", []),
        ("- **An overdue bill.** Pay", "• An overdue bill. Pay", [("An overdue bill.", "bold")]),
        ("5 * 4 * 3, snake_case_name, \\*", "5 * 4 * 3, snake_case_name, *", []),
        ("```\n**raw** - `x`\n```\n**b**", "```\n**raw** - `x`\n```\nb", [("b", "bold")]),
        ("| **a** | `b` |\n| --- | --- |\n\n* * *", "| a | b |\n| --- | --- |\n\n* * *", [("a", "bold"), ("b", CODE)]),
        ("| a *b |\n| c* d |", "| a *b |\n| c* d |", []),
        ("", "", []),
    ],
)
def test_signs_of_markdown_become_looks(written: str, read: str, looking: list[tuple[str, str]]) -> None:
    assert marked(written).plain == read
    assert looks(written) == looking


@pytest.mark.parametrize("text", [*HOSTILE, "[a](http://example.com) <b>x</b> &amp; ![i](x) <http://example.com>"])
def test_nothing_else_is_more_than_text(text: str) -> None:
    assert marked(text).plain == safe(text)
    assert looks(text) == []


@given(st.text(alphabet="ab *_`~|-#>1.\\\n\t[]\r\x0b\x1b\u2028", max_size=60))
def test_no_line_is_lost_and_nothing_steers_a_terminal(text: str) -> None:
    plain = marked(text).plain
    assert len(plain.split("\n")) == len(text.split("\n"))
    assert safe(plain) == plain
    assert [c for c in plain if c in "ab"] == [c for c in text if c in "ab"]


@pytest.mark.parametrize("name", ["airline", "retail", "telecom"])
def test_every_line_of_a_bundled_policy_is_there(name: str) -> None:
    for section in of_policy(load_domain(name).policy):
        assert len(marked(section.text).plain.split("\n")) == len(section.text.split("\n"))


async def test_the_policy_is_shown_as_it_is_read_and_searched_so() -> None:
    async with on_stage(make_session(user=Cued("customer", "hello"), agent=HumanPlayer("me"))) as stage:
        await stage.turn("agent")
        await stage.press("f2")
        dialog = await stage.dialog("DocumentDialog")
        await stage.until(lambda: dialog.query(SectionView) and dialog.query(SectionTitle), "sections")
        shown = "\n".join(view.content.plain for view in dialog.query(SectionView))
        assert "**" not in shown and "`" not in shown and "\n- " not in shown
        view = next(view for view in dialog.query(SectionView) if "with send_certificate." in view.content.plain)
        assert view.show("with send_certificate.") == 1
