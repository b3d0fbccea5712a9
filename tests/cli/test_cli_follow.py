"""`follow`: what another program writes is told as it comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import pytest

from inspector.library.tailing import Follower, source_of
from tests.cli.calling import inspect, transcript, written
from tests.cli.json_schema import Key, assert_valid, keys_of, output_faults
from tests.driving import SAMPLES
from tests.places import ROOT
from tests.warm import Program

LONG = 60
"""Seconds that a test waits for a line, at most."""


class Running:
    """`inspector follow` as a process, whose lines are read as they come."""

    def __init__(self, *words: object) -> None:
        self.words = words
        self.process = Program(
            ["-m", "inspector", "follow", *words],
            cwd=ROOT,
            env=os.environ | {"COLUMNS": "120"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.lines: Queue[str] = Queue()
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def line(self) -> str:
        try:
            line = self.lines.get(timeout=LONG)
        except Empty:
            self.process.kill()
            raise AssertionError("nothing came") from None
        assert_valid(["follow", *self.words], 0, line)
        return line

    def until(self, words: str) -> str:
        """The next line that has these words."""
        while words not in (line := self.line()):
            pass
        return line


@pytest.fixture
def following() -> Iterator[Callable[..., Running]]:
    programs: list[Running] = []

    def start(*words: object) -> Running:
        programs.append(Running(*words))
        return programs[-1]

    yield start
    for program in programs:
        program.process.kill()
        program.process.wait()
        program.reader.join()
        for pipe in (program.process.stdout, program.process.stderr):
            assert pipe is not None
            pipe.close()


def write_on(path: Path, records: list[dict[str, Any]]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def test_messages_are_printed_as_they_are_written_until_an_interrupt(
    following: Callable[..., Running], tmp_path: Path
) -> None:
    records = transcript(turns=30)
    path = written(tmp_path / "log.jsonl", records[:-4])
    program = following(path, "--last", 1)
    program.until("Mend the pier lights.")
    program.until("     57 ")
    write_on(path, records[-4:-2])
    assert "Lamp 29 next." in program.until("     58 ")
    assert "29.txt" in program.line(), "text"
    write_on(path, records[-2:])
    assert "Lamp 30 next." in program.line()
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(LONG) == 130


def test_a_compaction_is_told_before_the_summary(following: Callable[..., Running], tmp_path: Path) -> None:
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if b'"isCompactSummary":true' in line.replace(b" ", b""))
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:place]))
    program = following(path, "--json", "--last", "0")
    first = json.loads(program.line())
    with path.open("ab") as file:
        file.write(b"".join(lines[place:]))
    compaction, summary = (json.loads(program.line()) for _ in range(2))
    assert [event["event"] for event in (first, compaction, summary)] == ["session", "compaction", "message"]
    assert summary["kind"] == "summary"
    assert compaction["turn"] == 26
    assert compaction["before"] > 5 * compaction["after"]


def test_every_key_of_the_lines_is_met(tmp_path: Path, following: Callable[..., Running]) -> None:
    seen: set[Key] = set()
    path = tmp_path / "log.jsonl"
    path.write_bytes((SAMPLES / "coding-agent.jsonl").read_bytes())
    program = following(path, "--json")
    assert json.loads(program.line())["event"] == "session"
    path.rename(tmp_path / "away.jsonl")
    line = json.loads(program.until('"problem"'))
    assert output_faults(line, "follow", 0, seen) == []
    assert "does not exist" in line["problem"]
    (tmp_path / "away.jsonl").rename(path)
    assert json.loads(program.until('"problem"'))["problem"] == ""
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:20]))
    line = json.loads(program.until('"cut"'))
    assert output_faults(line, "follow", 0, seen) == []
    assert line["before"] > line["messages"] == line["same"]
    written(path, transcript("77aa", prompt="Paint the boats."))
    line = json.loads(program.until('"session"'))
    assert line["session"]["title"] == "Paint the boats."
    assert output_faults(line, "follow", 0, seen) == []
    assert keys_of("follow", ["Follow problem", "Follow cut"]) <= seen


def test_a_log_that_is_cut_is_told(following: Callable[..., Running], tmp_path: Path) -> None:
    records = transcript(turns=30)
    path = written(tmp_path / "log.jsonl", records)
    program = following(path, "--last", 1)
    program.until("     61 ")
    written(path, records[:5])
    line = program.until("became shorter")
    assert line.startswith("The log became shorter: it had 61 messages and now has 5. Window now: ")
    write_on(path, records[5:6])
    assert program.line().startswith("      6 ")


def test_the_window_of_a_long_log_is_told_again_when_it_is_counted(tmp_path: Path) -> None:
    messages = [
        {"role": "user" if place % 2 == 0 else "assistant", "content": f"lamp {place} is lit; " * 3_000}
        for place in range(40)
    ]
    path = written(tmp_path / "chat.json", {"model": "gpt-4o", "messages": messages})
    whole = inspect("show", path, "--json").json
    seen: set[Key] = set()
    ended = inspect("follow", path, "--json", "--until-idle", "0", "--last", "1")
    first, message, last = (json.loads(line) for line in ended.out.splitlines())
    assert [output_faults(line, "follow", 0, seen) for line in (first, message, last)] == [[], [], []]
    assert (first["event"], first["counted"], first["window_how"]) == ("session", False, "estimated")
    assert message["window_how"] == "estimated"
    assert (last["event"], last["window_how"]) == ("counted", "exact")
    assert last["window"] == whole["window"]["total"] != first["window"]
    lines = inspect("follow", path, "--until-idle", "0", "--last", "1").out.splitlines()
    assert "counting…" in lines[-4]
    assert lines[-1].startswith(f"counted; window now: {last['window']:,} tokens")


@pytest.mark.parametrize("turns", [2, 60])
def test_a_damaged_line_is_told_and_the_line_behind_it_waits_for_nothing(turns: int, tmp_path: Path) -> None:
    records = transcript(turns=turns + 1)
    path = written(tmp_path / "log.jsonl", records[:-2])
    moments = Follower(source_of(str(path)))
    first = moments.poll()
    while moments.is_busy:
        moments.poll()
    assert first is not None and not first.damage
    with path.open("a") as file:
        file.write("{no record\n" + json.dumps(records[-2]) + "\n")
    end = time.monotonic() + LONG
    while (moment := moments.poll()) is None and time.monotonic() < end:
        time.sleep(0.02)
    assert moment is not None and len(moment.fresh) == 1
    assert [problem.line for problem in moment.damage] == [len(records) - 1]
    seen: set[Key] = set()
    ended = inspect("follow", path, "--json", "--until-idle", "0", "--last", "0")
    session, damage = map(json.loads, ended.out.splitlines())
    assert (session["event"], damage["event"]) == ("session", "damage")
    assert output_faults(damage, "follow", 0, seen) == []
    assert damage["damage"][0].startswith(f"line {len(records) - 1}: this line was left out")
    assert f"✗ line {len(records) - 1}: this line was left out" in inspect("follow", path, "--until-idle", "0").out


def test_a_session_of_the_store_is_followed_too(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=3))
    stored = inspect("import", path, "--json").json["sessions"][0]["id"]
    ended = inspect("follow", stored, "--json", "--until-idle", "0")
    assert ended.code == 0
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert [event["event"] for event in events] == ["session", *["message"] * 7]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    ended = inspect("follow", tmp_path / "nothing.jsonl")
    assert (ended.code, ended.out) == (1, "")
    assert "does not exist" in ended.err
    ended = inspect("follow", tmp_path / "nothing.jsonl", "--json")
    (line,) = ended.out.splitlines()
    assert "does not exist" in json.loads(line)["errors"][0]


def test_a_followed_transcript_can_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=2, prompt="\x1b]0;owned\x07 Mend \x1b[2J it."))
    for words in ((), ("--json",)):
        ended = inspect("follow", path, "--until-idle", "0", *words)
        assert "\x1b" not in ended.out
        assert "Mend" in ended.out
