"""Full-duplex runs: both sides' words, one after the other, and never their audio."""

from __future__ import annotations

from typing import Any

from sessions.interop.voice import messages


def tick(agent: str | None = None, user: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-01-01T00:00:00",
        "agent_chunk": {"role": "assistant", "content": agent} if agent else None,
        "user_chunk": {"role": "user", "content": user} if user else {"role": "user", "contains_speech": False},
    } | more


def spoken(*ticks: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in messages(ticks)]


def test_chunks_of_one_side_are_one_message_also_while_the_other_talks() -> None:
    assert spoken(tick("How "), tick("can I", "Wa"), tick(" help?", "it!")) == [
        ("assistant", "How can I help?"),
        ("user", "Wait!"),
    ]


def test_a_pause_ends_a_message_and_a_short_one_does_not() -> None:
    assert spoken(tick("One "), tick(), tick("two."), *[tick()] * 6, tick("Three.")) == [
        ("assistant", "One two."),
        ("assistant", "Three."),
    ]


def test_utterances_are_kept_apart_by_a_space() -> None:
    first, second = tick("Yes."), tick("Next.")
    first["agent_chunk"]["utterance_ids"], second["agent_chunk"]["utterance_ids"] = ["a"], ["b"]
    assert spoken(first, second) == [("assistant", "Yes. Next.")]


def test_audio_is_not_text_but_its_script_is() -> None:
    loud = tick("UklGRiQAAABXQVZF")
    loud["agent_chunk"] |= {"is_audio": True, "audio_script_gold": "Hello"}
    assert spoken(loud) == [("assistant", "Hello")]


def test_the_transcript_of_the_user_is_preferred() -> None:
    assert spoken(tick(user="what was meant", user_transcript="what was heard")) == [("user", "what was heard")]


def test_calls_stand_between_the_words_with_their_answers() -> None:
    call = {"id": "1", "name": "look", "arguments": {}}
    answer = {"role": "tool", "id": "1", "content": "found"}
    said = messages([tick("A moment."), tick(agent_tool_calls=[call], agent_tool_results=[answer]), tick("Here.")])
    assert [m["role"] for m in said] == ["assistant", "assistant", "tool", "assistant"]
    assert said[1]["tool_calls"] == [{"requestor": "assistant", **call}]


def test_ticks_without_words_and_rubbish_among_them_are_nothing() -> None:
    assert messages([tick(), "rubbish", {}, None]) == []
