"""A file that is written piece by piece comes to the same session as one that is read whole."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

from inspector.formats import RewrittenError
from inspector.library import OpenError
from inspector.library.tailing import FollowedFile, source_of, tail_targets
from inspector.library.tailing.file_tail import LineTail
from tests.cli.calling import transcript, written
from tests.driving import SAMPLES
from tests.growth import calls_made
from tests.library.tailing.growing import assert_same, facts, pieces, read_whole, session_of
from tests.places import DATA
from tests.warm import Program

RECORDINGS = [
    *sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl")),
    *sorted(DATA.glob("claude-code/*/*.jsonl"))[:6],
]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name[:30])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_file_that_is_written_in_pieces_comes_to_the_session_that_is_read_whole(
    recording: Path, seed: int, tmp_path: Path
) -> None:
    path = tmp_path / recording.name
    source = FollowedFile(path, 1)
    data = recording.read_bytes()
    parts = recording.with_suffix("")
    last = None
    for piece in pieces(data, seed, max(2_000, len(data) // 20)):
        with path.open("ab") as file:
            file.write(piece)
        growth = source.poll()
        last = growth.session if growth else last
    if parts.is_dir():
        shutil.copytree(parts, path.with_suffix(""))
    last = session_of(source) or last
    assert last is not None
    assert_same(last, read_whole(path))


def test_what_came_before_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:150]))
    source = FollowedFile(path)
    before = session_of(source)
    assert before is not None
    for line in lines[150:]:
        with path.open("ab") as file:
            file.write(line)
        growth = source.poll()
        if growth is not None:
            assert all(map(lambda one, two: one is two, before.messages[: growth.same], growth.session.messages))
            assert growth.same >= len(before.messages) - 6, "only the end of a log changes"
            before = growth.session


def test_what_comes_costs_what_came_and_not_the_session(tmp_path: Path) -> None:
    def cost(turns: int) -> int:
        path = written(tmp_path / f"{turns}.jsonl", transcript(turns=turns))
        source = FollowedFile(path)
        session_of(source)
        more = transcript(turns=turns + 1)[-2:]
        with written(tmp_path / "more.jsonl", more).open() as lines, path.open("a") as file:
            file.write(lines.read())
        return calls_made(source.poll)

    assert cost(2_000) < 1.1 * cost(100)


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=40))
    data = path.read_bytes()
    cut = data.rindex(b'"content"')
    path.write_bytes(data[:cut])
    source = FollowedFile(path)
    before = session_of(source)
    assert before is not None
    assert not before.problems
    with path.open("ab") as file:
        file.write(data[cut:])
    growth = source.poll()
    assert growth is not None
    assert len(growth.session.messages) == len(before.messages) + 1


def test_a_whole_last_line_needs_no_end(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=40))
    data = path.read_bytes()
    path.write_bytes(data.rstrip(b"\n"))
    source = FollowedFile(path)
    session = session_of(source)
    assert session is not None
    assert_same(session, read_whole(path))
    more = (tmp_path / "more.jsonl", transcript(turns=41)[-2:])
    with path.open("ab") as file:
        file.write(b"\n" + written(*more).read_bytes())
    assert_same(session_of(source) or session, read_whole(path))


@pytest.mark.parametrize("way", ["truncated", "replaced", "rewritten in place"])
def test_a_file_that_says_something_else_is_read_anew(way: str, tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=60))
    source = FollowedFile(path)
    session_of(source)
    other = written(tmp_path / "other.jsonl", transcript("77aa", turns=50, prompt="Paint the boats.")).read_bytes()
    if way == "replaced":
        (tmp_path / "other.jsonl").replace(path)
    else:
        if way == "rewritten in place":
            other += b" " * (path.stat().st_size - len(other)) + b"\n"
        path.write_bytes(other)
    session = session_of(source)
    assert session is not None
    assert session.title == "Paint the boats."
    assert_same(session, read_whole(path))


def test_a_file_that_goes_away_and_comes_back_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=40))
    source = FollowedFile(path)
    session_of(source)
    kept = path.rename(tmp_path / "kept.jsonl")
    assert source.poll() is None
    assert "does not exist" in source.problem
    written(kept, transcript(turns=41)).rename(path)
    growth = source.poll()
    assert growth is not None
    assert not growth.begins
    assert growth.same == 81
    assert source.problem == ""


def test_a_file_of_one_value_is_read_anew_with_what_is_the_same_kept(tmp_path: Path) -> None:
    messages = [{"role": "user" if place % 2 == 0 else "assistant", "content": f"night {place}"} for place in range(9)]
    path = written(tmp_path / "chat.json", {"model": "gpt-4o", "messages": messages[:5]})
    source = FollowedFile(path)
    before = session_of(source)
    assert before is not None
    written(path, {"model": "gpt-4o", "messages": messages})
    growth = source.poll()
    while growth is None:
        growth = source.poll()
    assert growth.same == 5
    assert growth.session.messages[4] is before.messages[4]
    assert [message.text for message in growth.session.messages[5:]] == ["night 5", "night 6", "night 7", "night 8"]


def test_of_several_conversations_in_a_file_the_one_that_changed_is_followed(tmp_path: Path) -> None:
    def request(name: str, *words: str) -> dict[str, object]:
        messages = [{"role": "user", "content": f"{name} {place}" + word} for place, word in enumerate(words)]
        return {"model": "gpt-4o", "messages": messages}

    path = written(tmp_path / "requests.jsonl", [request("one", "a"), request("two", "b")])
    source = FollowedFile(path)
    session_of(source)
    written(path, [request("one", "a", "c"), request("two", "b")])
    session = session_of(source)
    assert session is not None
    assert [message.text for message in session.messages] == ["one 0a", "one 1c"]


def test_a_folder_leads_to_the_file_that_changed_last(tmp_path: Path) -> None:
    written(tmp_path / "old.jsonl", transcript("aa11", prompt="Mend the nets."))
    os.utime(tmp_path / "old.jsonl", (1, 1))
    written(tmp_path / "new.jsonl", transcript("bb22", prompt="Tar the hull."))
    session = session_of(source_of(str(tmp_path)))
    assert session is not None
    assert session.title == "Tar the hull."


def test_a_file_that_is_new_in_a_folder_is_followed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_targets, "_MIN_SCAN_INTERVAL", 0.0)
    monkeypatch.setattr(tail_targets, "_SHARE", 0)
    first = written(tmp_path / "one.jsonl", transcript("aa11", prompt="Mend the nets."))
    written(tmp_path / "other.jsonl", transcript("cc33", prompt="Sell the boat."))
    os.utime(tmp_path / "other.jsonl", (1, 1))
    source = source_of(str(tmp_path))
    session_of(source)
    (tmp_path / "two.jsonl").touch()
    written(tmp_path / "note.json", {"note": "no conversation"})
    assert source.poll() is None
    written(tmp_path / "two.jsonl", transcript("bb22", prompt="Tar the hull."))
    written(first, transcript("aa11", turns=4, prompt="Mend the nets."))
    growth = source.poll()
    assert growth is not None and growth.begins
    assert growth.session.title == "Tar the hull."
    written(tmp_path / "other.jsonl", transcript("cc33", turns=5, prompt="Sell the boat."))
    assert source.poll() is None, "what was there waits until the new one is quiet"
    monkeypatch.setattr(tail_targets, "_QUIET", -1.0)
    growth = source.poll()
    assert growth is not None and growth.session.title == "Sell the boat."


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OpenError, match="does not exist"):
        source_of(str(tmp_path / "nothing.jsonl"))


def test_lines_are_whole_wherever_bytes_are_cut() -> None:
    text = "eins\nzwei ä漢\n\ndrei".encode()
    for first in range(len(text)):
        for second in range(first, len(text)):
            tail = LineTail()
            cut = (text[:first], text[first:second], text[second:], b"!\n")
            lines = [line for piece in cut for line in tail.feed(piece)]
            assert [line for *_, line in lines] == [b"eins\n", "zwei ä漢\n".encode(), b"\n", b"drei!\n"]
            assert [offset for _, offset, _ in lines] == [0, 5, 16, 17]


def test_a_line_that_was_whole_and_goes_on_is_another() -> None:
    tail = LineTail()
    assert list(tail.feed(b'{"a": 1}')) == []
    assert tail.last() == (1, 0, b'{"a": 1}')
    assert list(tail.feed(b" \r")) == []
    assert list(tail.feed(b'\n{"b": 2}\n')) == [(2, 11, b'{"b": 2}\n')]
    assert list(tail.feed(b'{"c": 3}')) == []
    assert tail.last() is not None
    with pytest.raises(RewrittenError):
        list(tail.feed(b", 4"))


WRITER = """
import sys, time
data = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "ab", buffering=0) as file:
    for place in range(0, len(data), 9_973):
        file.write(data[place : place + 9_973])
        time.sleep(0.01)
"""


def test_a_program_that_writes_is_followed_to_its_end(tmp_path: Path) -> None:
    recording = SAMPLES / "coding-agent.jsonl"
    path = tmp_path / "log.jsonl"
    path.touch()
    source = FollowedFile(path)
    seen = []
    writer = Program(["-c", WRITER, recording, path])
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            is_over = writer.poll() is not None
            growth = source.poll()
            if growth:
                seen.append(growth)
            elif is_over and path.stat().st_size == recording.stat().st_size and not source.has_more:
                break
    finally:
        writer.kill()
        writer.wait()
    assert len(seen) > 3, "it was seen while it was written"
    assert_same(seen[-1].session, read_whole(path))
    assert path.read_bytes() == recording.read_bytes(), "nothing is ever written there"
    assert facts(seen[-1].session.messages[0])["raw"]


@pytest.mark.parametrize("seed", range(12))
def test_odd_orders_of_lines_come_to_what_is_read_whole(seed: int, tmp_path: Path) -> None:
    """Results before their calls, parents behind their children, lines twice: it makes no difference when they came."""
    dice = random.Random(seed)
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    start = dice.randrange(len(lines) - 90)
    lines = lines[start : start + 90]
    for _ in range(dice.choice((1, 5, 40))):
        one, other = dice.randrange(90), dice.randrange(90)
        other = dice.choice((other, min(89, one + 2)))
        lines[one], lines[other] = lines[other], lines[one]
    lines += [dice.choice(lines) for _ in range(5)]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:60]))
    source = FollowedFile(path)
    session_of(source)
    for line in lines[60:]:
        with path.open("ab") as file:
            file.write(line)
        growth = source.poll() if dice.random() < 0.8 else None
        session = growth.session if growth else None
    session = session_of(source) or session
    assert session is not None
    assert_same(session, read_whole(path))
