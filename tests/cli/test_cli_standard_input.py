"""`-` as a path: read once, recognised by its content, gone when the command ends."""

from __future__ import annotations

import gzip
import json
import os
import signal
from pathlib import Path
from subprocess import PIPE

import pytest
from click.testing import CliRunner, Result

from inspector.cli import standard_input
from inspector.cli.command_line import cli
from tests.cli.calling import chat, inspect, transcript
from tests.cli.json_schema import assert_valid
from tests.places import ROOT
from tests.warm import Program


def send(data: bytes, *words: str) -> Result:
    result = CliRunner().invoke(cli, words, prog_name="inspector", input=data)
    assert_valid(words, result.exit_code, result.stdout)
    return result


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


TWO = b"".join(
    json.dumps(
        {"model": "gpt-4o", "messages": [{"role": "user", "content": f"{name} the pier"}, *chat()["messages"]]}
    ).encode()
    + b"\n"
    for name in ("mend", "paint")
)


def test_of_several_sessions_each_has_a_number() -> None:
    first = send(TWO, "show", "-")
    assert first.stderr == "- contains 2 sessions. This is the first; the next is -#2.\n"
    assert json.loads(send(TWO, "show", "-#2", "--json").stdout)["session"]["title"] == "paint the pier"
    ended = send(TWO, "show", "-#3")
    assert (ended.exit_code, ended.stderr) == (1, "- contains 2 sessions. There is no -#3.\n")


@pytest.mark.parametrize("words", [("ls",), ("import",), ("search", "pier"), ("why",), ("show",), ("follow",)])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_path_is_told_that_leads_nowhere(words: tuple[str, ...], form: tuple[str, ...]) -> None:
    idle = ("--until-idle", "0") if words == ("follow",) else ()
    for data in (TWO, b'{"a": 1}'):
        ended = send(data, *words, "-", *form, *idle)
        assert "/standard-input" not in ended.output and "inspector-" not in ended.output


def test_what_is_stored_names_no_file() -> None:
    assert send(TWO, "import", "-").exit_code == 0
    entries = json.loads(send(b"", "ls", "--json").stdout)["sessions"]
    assert [(entry["path"], entry["project"]) for entry in entries] == [("", "")] * 2
    again = json.loads(send(TWO, "import", "-", "--json").stdout)["sessions"]
    assert [entry["new"] for entry in again] == [False, False]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_of_it_is_left_when_a_signal_ends_the_command(number: int, tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    child = Program(["-m", "inspector", "follow", "-"], cwd=ROOT, env=environment, stdin=PIPE, stdout=PIPE)
    assert child.stdin is not None and child.stdout is not None
    with child, child.stdin, child.stdout:
        child.stdin.write(LOG)
        child.stdin.close()
        assert child.stdout.readline()
        assert [path.name for path in tmp_path.glob("inspector-*/*")] == ["standard-input"]
        child.send_signal(number)
        assert child.wait(30) == 128 + number
    assert not list(tmp_path.glob("inspector-*"))


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
    assert ended.exit_code == 2 and "Standard input is a terminal" in ended.stderr
