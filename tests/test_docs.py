"""The documents tell the truth: commands parse, tables are those of the file, files that are named exist."""

from __future__ import annotations

import re
import shlex
import sqlite3
from pathlib import Path

import pytest

from sessions.recorder import Recorder
from tau_tui.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)


def commands() -> list[str]:
    """Every tau-tui command line that stands in a code block of a document or in a --help."""
    found = []
    for document in DOCUMENTS:
        for block in re.findall(r"```sh\n(.*?)```", document.read_text("utf-8"), re.DOTALL):
            found += [line.split("  #")[0].strip() for line in block.splitlines() if line.startswith("tau-tui")]
    for build in COMMANDS.values():
        found += re.findall(r"^  (tau-tui .*--.*)$", build()[0].epilog or "", re.MULTILINE)
    return sorted(set(found))


@pytest.mark.parametrize("line", commands())
def test_every_command_shown_can_be_parsed(line: str) -> None:
    name, *arguments = shlex.split(line.split(" | ")[0])
    assert name == "tau-tui"
    command = arguments.pop(0) if arguments and arguments[0] in COMMANDS else "play"
    COMMANDS[command]()[0].parse_args(arguments)


def test_commands_are_found_at_all() -> None:
    assert any("--play user" in line for line in commands())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    assert "example" in capsys.readouterr().out


def test_the_tables_of_the_recording_are_those_described(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.db")
    recorder.sessions()
    recorder.close()
    conn = sqlite3.connect(tmp_path / "s.db")
    tables = conn.execute(
        "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\'"
    ).fetchall()
    text = (ROOT / "docs" / "recording.md").read_text("utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE))
    assert sections.keys() == {name for (name,) in tables}
    for table, section in sections.items():
        columns = {row[1] for row in conn.execute(f"pragma table_info({table})")}
        rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        assert {column for row in rows for column in re.findall(r"`(\w+)`", row)} == columns, table
    for query in re.findall(r"^(?:select|--).*?;", text.split("```sql")[1], re.DOTALL | re.MULTILINE):
        conn.execute(query)
    conn.close()


def test_files_that_documents_name_exist() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), (document.name, target)
        for path in re.findall(
            r"`((?:domains|sessions|tau_tui|docs|tests|bench)/[\w/.-]+)`", document.read_text("utf-8")
        ):
            assert (ROOT / path).exists(), (document.name, path)
