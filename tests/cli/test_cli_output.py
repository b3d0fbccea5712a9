"""What reaches a terminal, and what happens when nobody takes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from inspector.cli.command_errors import CommandError
from inspector.cli.command_line import LazyGroup
from inspector.cli.output import echo_json
from inspector.core.text import cells, ends, lines_of
from inspector.core.text.sanitize import one_line
from tests.cli.calling import HOSTILE, chat, hostile_chat, inspect, process, transcript, written
from tests.cli.commands import RAW
from tests.places import ROOT
from tests.warm import Program


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A file whose name and content try to command the terminal."""
    return written(tmp_path / named("log \x1b[31m\u202egnp\x9b.json"), hostile_chat())


def named(name: str) -> str:
    """A file name with these bytes, also where the system's own encoding has no such letters."""
    return os.fsdecode(name.encode())


EVERYTHING = [
    ["show"],
    ["show", "--turn", "1"],
    ["compress", "-s", "sliding_window", "--set", "keep_recent=0"],
    ["compress", "-s", "fifo", "--set", "max_messages=1", "--all"],
    ["diff", "-s", "deletion", "--set", "keep_recent=0", "--full"],
    ["diff", "-s", "sliding_window", "--set", "keep_recent=0", "--side-by-side"],
    ["export", "--to", "openai"],
    ["export", "--to", "anthropic"],
    ["ls"],
    ["import"],
    ["pin", "4"],
    ["drop", "5"],
    ["undo"],
    [],
]


@pytest.mark.parametrize("shape", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("words", EVERYTHING, ids=lambda words: " ".join(words[:2]) or "bare")
def test_no_transcript_reaches_the_terminal_as_a_command(hostile: Path, words: list[str], shape: list[str]) -> None:
    command, rest = words[:1], words[1:]
    ended = inspect(*command, hostile, *rest, *shape)
    assert ended.code == 0, ended.err
    assert ended.out
    assert not RAW.search(ended.out)
    assert not RAW.search(ended.err)


def test_search_prints_hostile_text_harmlessly(hostile: Path) -> None:
    inspect("import", hostile)
    for shape in ([], ["--json"]):
        ended = inspect("search", "owned", *shape)
        assert "owned" in ended.out
        assert not RAW.search(ended.out)


def test_errors_quote_hostile_names_harmlessly(tmp_path: Path) -> None:
    broken = tmp_path / named("no\x1b[2J\u202e.json")
    broken.write_text("{")
    for words in (
        ["show", broken],
        ["show", "missing\x9b\x1b[2J"],
        ["show", "x", "--agent\x1b[2J"],
    ):
        ended = inspect(*words)
        assert ended.code in (1, 2)
        assert not RAW.search(ended.err)
        assert ended.err.count("\n") == 1


def test_json_still_means_what_was_recorded(hostile: Path) -> None:
    request = inspect("export", hostile, "--to", "openai").json
    assert request["messages"][1] == {"role": "user", "content": HOSTILE.replace("\ud800", "\ufffd") + " please"}


def test_half_of_a_pair_is_printed_by_a_real_process(hostile: Path) -> None:
    for words in (["show", hostile], ["show", hostile, "--json"], ["export", hostile]):
        ended = process(*words)
        assert ended.returncode == 0
        assert words[0] == "export" or not ended.stderr, "an export says what it had to put right"
        assert not RAW.search((ended.stdout + ended.stderr).decode("utf-8"))


def test_a_terminal_without_unicode_gets_what_it_can_show(log: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "inspector", "show", str(log)]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout.isascii()
    assert b"read_log" in ended.stdout


def test_a_reader_who_leaves_is_no_error(tmp_path: Path) -> None:
    file = written(tmp_path / "long.json", chat(400))
    child = Program(["-m", "inspector", "export", file], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait(30) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full, the disk that is always full")
def test_a_full_disk_is_one_sentence(log: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = process("show", log, stdout=full)
    assert ended.returncode == 1
    assert ended.stderr == b"Cannot write the output: No space left on device.\n"


def with_closed(streams: str, *words: object) -> subprocess.CompletedProcess[bytes]:
    """A command that a shell starts with some of its standard streams closed."""
    shell = f'exec "$@" {streams}'
    command = ["sh", "-c", shell, "sh", sys.executable, "-X", "utf8", "-m", "inspector", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("words", [["ls"], ["show"], ["show", "--json"], ["compress", "-s", "fifo"], []])
def test_a_closed_output_is_one_sentence(log: Path, words: list[str]) -> None:
    ended = process(*words[:1], log, *words[1:], closed=[1])
    said = b"Cannot write the output: it is closed.\n"
    assert (ended.returncode, ended.stderr) == (1, said)


def test_nothing_is_needed_of_the_other_streams(log: Path) -> None:
    whole = inspect("show", log).out.encode()
    ended = with_closed("<&- 2>&-", "show", log)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, whole, b"")
    assert with_closed("<&- >&- 2>&-", "import", log).returncode == 1


def test_no_file_takes_the_place_of_a_closed_stream(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    assert with_closed("<&- >&- 2>&-", "export", log, "--out", out).returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["messages"]
    assert inspect("import", log).code == 0


def test_a_full_disk_is_told_of_help_too() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full, the disk that is always full")
    with Path("/dev/full").open("wb") as full:
        ended = process("--help", stdout=full)
    assert ended.returncode == 1
    assert ended.stderr == b"The system failed to read or write: No space left on device.\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "nope.json"], 1),
        (["nope.json"], 1),
        (["ls", "nope.json"], 1),
        (["import", "nope.json"], 1),
        (["compress", "nope.json"], 2),
        (["export", "nope.json", "--to", "cohere"], 2),
        (["show"], 2),
        (["presets", "show", "nope"], 2),
        (["strategies", "nope"], 2),
    ],
)
def test_what_went_wrong_stands_in_the_json_too(words: list[str], code: int) -> None:
    ended = inspect(*words, "--json")
    assert ended.code == code
    assert [f"{error}\n" for error in ended.json["errors"]] == [ended.err]
    assert inspect(*words).err == ended.err


def test_json_that_is_printed_already_is_followed_by_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    @click.option("--json", is_flag=True)
    def late(json: bool) -> None:
        echo_json({"done": json})
        raise CommandError("The last step failed.")

    group = LazyGroup(commands={"late": late})
    with pytest.raises(SystemExit) as end:
        group.main(["late", "--json"], prog_name="inspector")
    printed = capsys.readouterr()
    assert (end.value.code, json.loads(printed.out), printed.err) == (
        1,
        {"version": 1, "done": True},
        "The last step failed.\n",
    )


def test_a_word_behind_two_dashes_asks_for_no_json() -> None:
    assert inspect("show", "--", "--json").out == ""


def test_json_is_one_value_and_ends_with_a_newline(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript())
    for words in (["show", file], ["ls", file], ["diff", file], ["export", file], ["undo", file], ["import", file]):
        out = inspect(*words, "--json").out
        assert isinstance(json.loads(out), dict)
        assert out.endswith("}\n")


@pytest.mark.parametrize("room", range(-3, 12))
def test_a_shortened_line_keeps_its_end_and_fits_however_little_room_there_is(room: int) -> None:
    for text in ("", "a", "/pier/lamps/7.txt", "灯台/七/記録", "e\u0301" * 20, "\x1b[2J" * 9):
        short = ends(text, room)
        assert cells(short) <= max(room, 0)
        assert short[-1:] == one_line(text)[-1:] or room < 4


def test_wrapping_loses_nothing_and_is_quick_on_a_line_without_end() -> None:
    for text in ("", "a b", "灯台 " * 50, "one two three " * 40, "x" * 200_000, "e\u0301" * 90, "\n\n a\n"):
        lines = list(lines_of(text, 30))
        assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
        assert max(map(cells, lines)) <= 30
    assert list(lines_of("a\n\nb", 30)) == ["a", "", "b"]
