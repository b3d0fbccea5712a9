"""`-` as a path: read once, recognised by its content, gone when the command ends."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import standard_input
from inspector.cli.app import cli
from tests.cli.calling import chat, inspect, transcript


def send(data: bytes, *words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="inspector", input=data)


CHAT = json.dumps(chat()).encode()
LOG = "".join(json.dumps(record) + "\n" for record in transcript(turns=3)).encode()
COMMANDS = ("show", "why", "top", "check", "count", "ls", "import", "open", "export", "report")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_takes_a_path_takes_standard_input(command: str) -> None:
    result = send(CHAT, command, "-", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)


@pytest.mark.parametrize(
    ("data", "format"), [(LOG, "claude-code"), (gzip.compress(CHAT), "openai")], ids=["lines", "gzip"]
)
def test_what_comes_in_is_told_by_its_content(data: bytes, format: str) -> None:
    assert json.loads(send(data, "show", "-", "--json").stdout)["session"]["format"] == format


def test_the_same_is_shown_as_of_a_file(log: Path) -> None:
    assert json.loads(send(log.read_bytes(), "show", "-", "--json").stdout) == inspect("show", log, "--json").json


def test_both_sides_of_a_comparison_may_be_standard_input() -> None:
    assert send(CHAT, "compare", "-", "-").exit_code == 0


def test_behind_out_it_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert send(CHAT, "export", "-", "--out", "-", "--no-companion").exit_code == 0
    assert json.loads((tmp_path / "-").read_text())["messages"]


def test_nothing_too_much_and_nobody_are_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert send(b"", "show", "-").stderr.startswith("Standard input is empty")
    assert "is nothing" not in send(b"no conversation", "show", "-").stderr
    monkeypatch.setattr(standard_input, "_LARGEST", 10)
    ended = send(CHAT, "show", "-")
    assert ended.exit_code == 1 and "longer than 1 GB" in ended.stderr
    monkeypatch.setattr(standard_input, "is_terminal", lambda _stream: True)
    ended = send(CHAT, "-")
    assert ended.exit_code == 2 and "Nothing comes in on standard input" in ended.stderr
