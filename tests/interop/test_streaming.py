"""JSON read piece by piece: what stands before the bulk, every item, and where a broken file breaks off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domains import DataError
from sessions.interop import streaming
from sessions.interop.streaming import first_event, head, items


def written(folder: Path, text: str) -> Path:
    path = folder / "x.json"
    path.write_text(text)
    return path


def test_the_head_is_read_whatever_the_order_of_the_fields(tmp_path: Path) -> None:
    fields = {"info": {"a": [1, 2.0, None, True]}, "tasks": [{"id": "1"}], "note": "n"}
    before = written(tmp_path, json.dumps({**fields, "simulations": [1, 2], "late": 3}))
    assert head(before, "simulations", ("info", "tasks")) == {**fields, "simulations": []}
    after = written(tmp_path, json.dumps({"simulations": [{"deep": [[]]}], **fields}))
    assert head(after, "simulations", ("info", "tasks")) == {**fields, "simulations": []}
    null = written(tmp_path, json.dumps({"simulations": None, **fields}))
    assert head(null, "simulations", ("info",)) == {**fields, "simulations": None}


def test_numbers_stay_what_they_are(tmp_path: Path) -> None:
    path = written(tmp_path, '[{"a": 4, "b": 4.0, "c": 1e2, "d": -0.1}]')
    assert repr(list(items(path, "item"))) == "[{'a': 4, 'b': 4.0, 'c': 100.0, 'd': -0.1}]"


def test_every_byte_is_seen_by_whoever_watches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "CHUNK", 7)
    path = written(tmp_path, json.dumps([{"a": i} for i in range(20)]))
    seen: list[bytes] = []
    assert len(list(items(path, "item", seen.append))) == 20
    assert b"".join(seen) == path.read_bytes()
    assert len(seen) > 10


@pytest.mark.parametrize("chunk", [3, 65536])
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1"),
        ('{"simulations": [1,\n 2', "line 2, column 3"),
        ('{"simulations": [1,\n 2,,3]}', "line 2, column 4"),
        ('{"simulations": [1]}\n\n x', "line 3, column 2"),
        ('{"simulations": ["é", "' + "y" * 300 + '",\n tru]}', "line 2, column 5"),
    ],
)
def test_a_broken_file_is_named_with_line_and_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, where: str, chunk: int
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", chunk)
    path = written(tmp_path, text)
    with pytest.raises(DataError) as error:
        list(items(path, "simulations.item"))
    assert f"{path}: {where}: " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("chunk", [1, 5, 65536])
def test_what_no_program_wrote_is_refused_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", chunk)
    deep = written(tmp_path, '{"a": ' + '["]]]]\\"]]",' * 1_500)
    for read in (first_event, lambda p: head(p, "b", ("c",)), lambda p: list(items(p, "a.item"))):
        if read is first_event and chunk < 65536:
            continue  # it needs no more than the first byte
        with pytest.raises(DataError, match="nested too deeply"):
            read(deep)
    wide = written(tmp_path, json.dumps({"a": [["[[[{{{\\" * 20, "\\"]] * 2_000}))
    assert len(list(items(wide, "a.item"))) == 2_000
