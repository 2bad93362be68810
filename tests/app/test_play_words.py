"""What the play screen makes of values: changes, fields, ids, sections, promises. No screen is needed for it."""

from __future__ import annotations

import pytest

from domains import load_domain
from domains.database import Change
from domains.task import Instructions, UserScenario
from domains.values import ABSENT, JSON, Record
from sessions.event import Call, Result
from sessions.trajectory import Done, Turn
from sessions.value_text import path_text
from tau_tui.completing import database_ids, seen_ids
from tau_tui.widgets.argument_fields import BadValue, Field, Missing, fields_of, size_of, value_of
from tau_tui.widgets.change_text import cards, full_text, pretty, value_text
from tau_tui.widgets.end_menu import promise_in
from tau_tui.widgets.header import Facts, line
from tau_tui.widgets.message_area import one_to_one
from tau_tui.widgets.sections import of_policy, of_scenario
from tests.app.helpers import HOSTILE


def change(path: tuple[str | int, ...], before: JSON, after: JSON, key: str = "XEHM4B") -> Change:
    return Change("agent", "reservations", key, path, before, after)


# Changes


def test_changes_are_grouped_by_record_and_told_as_before_and_after() -> None:
    found = cards(
        [
            change(("status",), None, "cancelled"),
            change(("cabin",), "economy", "business"),
            change(("cabin",), "economy", "business", "OTHER1"),
        ],
        {("agent", "reservations", "XEHM4B"): ("cancel_reservation", False)},
    )
    assert [(card.title, card.by) for card in found] == [
        ("reservations XEHM4B", "cancel_reservation"),
        ("reservations OTHER1", ""),
    ]
    assert [(row.path, row.before, row.after) for row in found[0].lines] == [
        ("status", "∅", "cancelled"),
        ("cabin", "economy", "business"),
    ]


def test_a_new_record_is_one_card_with_its_first_fields() -> None:
    record = Record({f"field{i}": i for i in range(30)})
    (card,) = cards([change((), ABSENT, record)])
    assert card.kind == "new"
    assert len(card.lines) == 7
    assert card.lines[-1].path == "… 30 fields in all"
    (gone,) = cards([change((), record, ABSENT)])
    assert gone.kind == "removed"


def test_seat_counts_are_told_in_one_line() -> None:
    seats = [
        Change("agent", "flights", "HAT001", ("dates", day, "available_seats", "economy"), 9, 8)
        for day in ("2024-05-15", "2024-05-16", "2024-05-17")
    ]
    (card,) = cards(seats)
    assert [(row.path, row.after) for row in card.lines] == [("available_seats", "3 counts changed")]
    (single,) = cards(seats[:1])
    assert [(row.path, row.before, row.after) for row in single.lines] == [("available_seats", "9", "8")]


def test_items_of_a_list_come_and_go_with_a_sign() -> None:
    (card,) = cards(
        [
            change(("payment_history", 1), ABSENT, {"payment_id": "credit_card_24", "amount": -1628}),
            change(("flights", 2), {"flight_number": "HAT001"}, ABSENT),
        ]
    )
    assert [(row.path, row.sign, row.after) for row in card.lines] == [
        ("payment_history", "+", "credit_card_24 -1628"),
        ("flights", "−", "HAT001"),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "∅"),
        (ABSENT, "∅"),
        ("cancelled", "cancelled"),
        ("4", '"4"'),
        ("null", '"null"'),
        ("", '""'),
        (4, "4"),
        (4.0, "4.0"),
        (True, "true"),
        ("[/b]", "[/b]"),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_values_are_told_so_that_none_is_taken_for_another(value: JSON, text: str) -> None:
    assert value_text(value) == text


def test_a_path_is_told_as_one_would_write_it() -> None:
    assert path_text(("payment_history", 2, "amount")) == "payment_history[2].amount"


def test_the_full_view_keeps_whole_values() -> None:
    text = full_text([change(("note",), ABSENT, "x" * 500), change((), ABSENT, Record({"a": [1, 2]}), "NEW001")])
    assert "x" * 500 in text
    assert "reservations NEW001 (new)" in text
    assert '"a": [' in text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_changes_steers_a_terminal(text: str) -> None:
    found = [Change("agent", text, text, (text, 0), text, {text: text}), Change("agent", text, text, (), ABSENT, text)]
    shown = full_text(found) + pretty(text) + pretty({text: text}) + value_text(text)
    shown += "".join(card.title + row.path + row.before + row.after for card in cards(found) for row in card.lines)
    assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u202c" for c in shown)
    shown.encode()


# Fields


def fields(tool: str) -> dict[str, Field]:
    tools = load_domain("airline").environment().tools("agent")
    return {field.name: field for field in fields_of(next(t for t in tools if t.name == tool).parameters)}


def test_a_form_is_read_off_the_schema() -> None:
    found = fields("book_reservation")
    assert list(found)[:3] == ["user_id", "origin", "destination"]
    assert found["cabin"].shape == "choice"
    assert ("business", "business") in found["cabin"].choices
    assert found["total_baggages"].shape == "integer"
    assert (found["flights"].shape, found["flights"].kind) == ("json", "array")
    assert '"flight_number": ""' in found["flights"].example
    assert all(field.required and field.description for field in found.values())


NESTED = Field("flights", "json", True, kind="array")


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        (Field("n", "integer", True), " 3 ", 3),
        (Field("n", "number", True), "3", 3.0),
        (Field("t", "text", True), "3", "3"),
        (Field("t", "text", True), " true", " true"),
        (Field("b", "boolean", True, choices=(("yes", True), ("no", False))), "no", False),
        (NESTED, '[{"a": 1.0}]', [{"a": 1.0}]),
    ],
)
def test_what_is_typed_becomes_a_value_of_its_type(field: Field, typed: str, value: JSON) -> None:
    found = value_of(field, typed)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        (Field("n", "integer", True), "3.5", "not a whole number"),
        (Field("n", "number", True), "many", "not a number"),
        (Field("n", "number", True), "nan", "not a number JSON can carry"),
        (NESTED, '[\n  {"a": }\n]', "line 2, column 9"),
        (NESTED, "{}", "a list is expected"),
        (NESTED, "9999, 777", "a list is expected"),
        (Field("o", "json", True, kind="object"), "internet", "an object is expected"),
        (NESTED, "[NaN]", "NaN is no JSON value"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(field: Field, typed: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        value_of(field, typed)


def test_an_empty_field_is_missing_and_not_an_empty_text() -> None:
    with pytest.raises(Missing):
        value_of(Field("t", "text", False), "  ")


@pytest.mark.parametrize(("typed", "size"), [("", "none ▸"), ("[1, 2]", "2 ▸"), ("[", "not valid ▸")])
def test_a_nested_value_is_one_row_that_tells_its_size(typed: str, size: str) -> None:
    assert size_of(NESTED, typed) == size


def test_an_optional_argument_is_what_it_is_when_it_is_there() -> None:
    schema = {"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "required": []}
    (field,) = fields_of(schema)
    assert (field.shape, field.required) == ("integer", False)


# Ids


def done(name: str, arguments: dict[str, JSON], content: str) -> Done:
    made = Call(turn=1, seat="agent", id="c", name=name, arguments=arguments)
    return Done(made, Result(turn=1, seat="agent", id="c", content=content))


def test_ids_come_from_what_the_seat_has_seen() -> None:
    turns = [
        Turn(0, "user", "I am maria_park_4821 and my code is K7Q2ZD."),
        Turn(1, "agent", calls=(done("get_user_details", {"user_id": "maria_park_4821"}, PROFILE),)),
    ]
    assert seen_ids(turns, "user_id")[0] == "maria_park_4821"
    assert "K7Q2ZD" in seen_ids(turns, "reservation_id")
    assert "ABC123" in seen_ids(turns, "reservation_id")
    assert "secret_user_1" not in seen_ids(turns, "user_id")


PROFILE = '{"user_id": "maria_park_4821", "reservations": ["ABC123"], "name": {"first_name": "Maria"}}'


def test_ids_of_the_database_are_the_keys_of_the_table_a_field_names() -> None:
    env = load_domain("airline").environment()
    assert set(database_ids(env, "user_id")) == set(env.databases["agent"].rows("users"))
    assert set(database_ids(env, "reservation_id")) == set(env.databases["agent"].rows("reservations"))
    assert set(database_ids(env, "flight_number")) == set(env.databases["agent"].rows("flights"))
    assert database_ids(env, "summary") == ()


# Documents


def test_a_policy_is_cut_at_its_headings_and_nothing_is_lost() -> None:
    policy = load_domain("airline").policy
    sections = of_policy(policy)
    assert len(sections) > 3
    told = "\n".join(section.title + "\n" + section.text for section in sections)
    for text in (row.lstrip("# ") for row in policy.splitlines() if row.strip()):
        assert text in told


def test_a_hash_within_a_code_block_is_no_heading() -> None:
    (section,) = of_policy("# One\n```\n# comment\n```")
    assert section.text == "```\n# comment\n```"


@pytest.mark.parametrize(("rules", "folded"), [("be brief", False), ("be brief\n" * 13, True), ("brief " * 160, True)])
def test_a_scenario_begins_with_reason_and_facts_and_folds_long_rules(rules: str, folded: bool) -> None:
    told = Instructions(reason_for_call="cancel", known_info="code", task_instructions=rules)
    sections = of_scenario(UserScenario(instructions=told, persona="impatient"))
    assert [(s.text, s.folded) for s in sections] == [
        ("cancel", False),
        ("code", False),
        (rules, folded),
        ("impatient", False),
    ]
    assert [s.text for s in of_scenario(UserScenario(instructions="all in one"))] == ["all in one"]


# Small things


@pytest.mark.parametrize(
    ("text", "promise"),
    [
        ("One moment, please.", "One moment"),
        ("I'll cancel it now.", "I'll"),
        ("I’ll cancel it now.", "I'll"),
        ("Let me check.", "Let me"),
        ("All right, I will not do that.", ""),
        ("I'll never do it, but I'll ask.", "I'll"),
        ("Do you agree?", "?"),
        ("It is cancelled. Goodbye.", ""),
        ("Williams is here", ""),
    ],
)
def test_a_promise_is_found_in_the_words_alone(text: str, promise: str) -> None:
    assert promise_in(text) == promise


def test_the_header_says_less_where_there_is_less_room() -> None:
    facts = Facts("airline #7", "USER/oracle", "open", now="2024-05-15 15:00", turn=4, elapsed=151)
    assert line(facts, full=True) == "airline #7 · USER/oracle · open · 2024-05-15 15:00 · t4 · 02:31"
    assert line(facts, full=False) == "airline #7 · USER/oracle · open · t4"


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_typed_is_drawn_character_by_character(text: str) -> None:
    shown = one_to_one(text)
    assert len(shown) == len(text)
    assert not set(shown) & set("\x1b\x07\u202e\u202c\ud83d")
