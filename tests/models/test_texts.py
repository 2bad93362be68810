"""Acts written as text, and thoughts told from words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.players.model.progress import Thought, Wrote
from sessions.players.model.stops import stop_in
from sessions.players.model.texts import Act, Unreadable, read_act, read_response, written
from sessions.players.model.thinking import ThinkSplitter

LOOK = '{"name": "get_user_details", "arguments": {"user_id": "a"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: I look.\nAction:\n{LOOK}",
        f"Thought: I look.\n\nAction: {LOOK}\nAPI output: something invented\nThought: more",
        f"**Thought:** I look.\n**Action:**\n```json\n{LOOK}\n```",
    ],
)
def test_react_is_a_thought_and_one_call(text: str) -> None:
    assert read_act(text) == Act("get_user_details", {"user_id": "a"}, thought="I look.")


def test_act_is_a_call_alone_and_to_respond_is_to_speak() -> None:
    assert read_act(f"Action:\n{LOOK}").name == "get_user_details"
    words = read_act('Action:\n{"name": "respond", "arguments": {"content": " Hello. "}}')
    assert (words.name, words.text) == ("", "Hello.")


def test_a_text_in_no_form_is_words_as_in_tau_bench() -> None:
    assert read_act("Hello, how can I help you?") == Act(text="Hello, how can I help you?")


@pytest.mark.parametrize(
    "text",
    [
        "Thought: I think and do nothing.",
        "Action: look",
        'Action:\n{"name": "f", "arguments": {',
        'Action:\n{"name": "f", "arguments": ["a"]}',
        'Action:\n{"name": "f", "arguments": {"a": NaN}}',
        'Action:\n{"arguments": {}}',
        'Action:\n{"name": "respond", "arguments": {}}',
        "Action:\n" + '{"a":' * 5_000,
    ],
)
def test_what_cannot_be_read_says_why(text: str) -> None:
    with pytest.raises(Unreadable, match=r".+"):
        read_act(text)


@given(st.text(), st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.text())), st.text())
def test_what_is_written_can_be_read(name: str, arguments: dict[str, object], thought: str) -> None:
    plain = " ".join("".join(c for c in thought if c.isalnum() or c == " ").split())
    if not name or name == "respond":
        return
    assert read_act(written(name, arguments, plain)) == Act(name, arguments, thought=plain)


def test_a_users_thought_is_told_from_its_words() -> None:
    assert read_response("Thought: asks my id.\nResponse: It is a_b_1.") == ("asks my id.", "It is a_b_1.")
    assert read_response("Thought: hm\nUser Response:\nHi\nthere") == ("hm", "Hi\nthere")
    assert read_response("Just words.") == ("", "Just words.")
    for text in ("Thought: nothing follows", "Thought: hm\nResponse:"):
        with pytest.raises(Unreadable):
            read_response(text)


@given(st.text("<>/think ab\n", max_size=60), st.integers(1, 9))
def test_thoughts_in_tags_come_out_alike_in_pieces_of_any_size(text: str, size: int) -> None:
    def split(piece: int) -> tuple[str, str]:
        splitter = ThinkSplitter()
        told = [one for i in range(0, len(text), piece) for one in splitter.feed(text[i : i + piece])]
        told += splitter.end()
        thought = "".join(one.text for one in told if isinstance(one, Thought))
        return thought, "".join(one.text for one in told if isinstance(one, Wrote))

    assert split(size) == split(1_000)


def test_control_tokens_count_wherever_they_stand() -> None:
    assert stop_in("Thank you! ###STOP###") == "###STOP###"
    assert stop_in("###TRANSFER### ###STOP###") == "###TRANSFER###"
    assert stop_in("I saw ###OUT-OF-SCOPE### somewhere") == "###OUT-OF-SCOPE###"
    assert stop_in("### STOP ###") is None
