"""Files that are made, or were damaged, so that a reader hangs or fills the memory: each gives one sentence."""

from __future__ import annotations

import bz2
import codecs
import gzip
import json
import lzma
import os
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from inspector.core.limits import limit
from inspector.formats import UnreadableError, load
from inspector.formats.reading import source
from inspector.formats.reading.opening import open_content
from tests.driving import SAMPLES
from tests.formats.written import write_json

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Count the gulls."}]}
RECORD = '{"type":"user","uuid":"%s","sessionId":"s1","message":{"role":"user","content":"%s"}}\n'


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableError) as caught:
        load(path)
    return str(caught.value)


def test_a_line_that_is_too_long_is_left_out_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_LINE", "1000")
    monkeypatch.setattr(source, "_PORTION", 300)
    path = tmp_path / "x.jsonl"
    path.write_text(RECORD % ("u1", "One") + RECORD % ("u2", "x" * 5_000) + RECORD % ("u3", "Three"))
    (session,) = load(path)
    assert [message.text for message in session] == ["One", "Three"]
    assert [str(problem) for problem in session.problems] == [
        "line 2: this line was left out: it is longer than 1,000 bytes"
    ]


def test_records_on_one_line_are_read_one_by_one(tmp_path: Path) -> None:
    first, second, third = (RECORD % (f"u{number}", words) for number, words in enumerate(("Öne", "Two", "Three")))
    path = tmp_path / "x.jsonl"
    path.write_text(first.rstrip() + second + third, encoding="utf-8")
    (session,) = load(path)
    assert [message.text for message in session] == ["Öne", "Two", "Three"]
    assert [str(problem) for problem in session.problems] == ["line 1: 2 records are on one line"]
    header = {"type": "session", "version": 3, "id": "a", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x"}
    message = {"type": "message", "id": "b", "parentId": None, "message": {"role": "user", "content": "Hi"}}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(message)} {json.dumps(message | {'id': 'c', 'parentId': 'b'})}")
    (session,) = load(path)
    assert ([message.text for message in session], session.problems[0].line) == (["Hi", "Hi"], 2)
    path.write_text(f"{first.rstrip()} and{second}{third}")
    (session,) = load(path)
    assert [message.text for message in session] == ["Three"]


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_HARMLESS", 100_000)
    bomb = b" " * 1_000_000
    for name, member in (("chats.zip", "conversations.json"), ("log.eval", "samples/1_epoch_1.json")):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member, b"[" + bomb)
        assert f"{member} " in (sentence := refusal(tmp_path / name))
        assert "times its size" in sentence
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(bomb))
    assert "unpacks to more than" in refusal(packed)
    with zipfile.ZipFile(tmp_path / "nested.zip", "w") as archive:
        archive.write(tmp_path / "chats.zip", "conversations.zip")
    assert "an archive with conversations.zip in it, which is an archive: unpack it" in refusal(tmp_path / "nested.zip")


@pytest.mark.parametrize("content", [b"\n" * 100_000, b"\0" * 100_000, b" \r\n\t\0" * 9_000])
def test_a_long_file_of_nothing_is_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert refusal(tmp_path / "x") == f"{tmp_path / 'x'} is empty: choose another file."


def test_a_value_that_is_too_large_is_refused_and_a_text_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_JSON_VALUE", "1000")
    monkeypatch.setattr("inspector.formats.reading.text_files.MAX_LINE_LENGTH", 1_000)
    path = write_json(tmp_path / "x.json", CHAT | {"note": "x" * 2_000})
    assert "one JSON value of" in refusal(path)
    nothing = tmp_path / "nothing"
    nothing.write_bytes(bytes(100_000) + b"{}")
    assert "begins with NUL" in refusal(nothing)
    text = tmp_path / "text"
    text.write_text("words " * 1_000)
    assert open_content(text).sample.shape == "text"


def test_a_wrong_checksum_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    data = (SAMPLES / "coding-agent.jsonl").read_bytes()
    packed = gzip.compress(data)
    whole = load(SAMPLES / "coding-agent.jsonl")[0]
    for end in (bytes(8), packed[-8:-4] + bytes(4)):
        path.write_bytes(packed[:-8] + end)
        (session,) = load(path)
        assert len(session.messages) == len(whole.messages)
        assert "the checksum of the gzip archive is wrong" in session.problems[0].text
        assert len(session.problems) == len(whole.problems) + 1


def test_of_a_damaged_archive_all_before_the_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    lines = "".join(RECORD % (f"u{number}", f"Night {number}: {number**9} gulls.") for number in range(999))
    packer = zlib.compressobj(wbits=31)
    before = packer.compress(lines.encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(before + b"\x07" * 40)  # a block of a kind that does not exist
    (session,) = load(path)
    assert len(session.messages) == 999
    assert [str(problem) for problem in session.problems] == [
        "the gzip archive is damaged; only the part before the damage could be unpacked"
    ]


@pytest.mark.skipif(os.name != "posix", reason="a file with a hole takes no room")
@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE])
def test_a_text_in_another_encoding_has_a_bound(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "log.jsonl"
    with path.open("wb") as file:
        file.write(mark)
        file.truncate(limit("unpacked") + 1)
    tracemalloc.start()
    assert "of more than 1 GB" in refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lzma.compress(b"{}"), "compressed with xz (unpack it with xz -d first)"),
        (bz2.compress(b"{}"), "compressed with bzip2 (unpack it with bzip2 -d first)"),
        (b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24), "a 7z archive (unpack it first)"),
        (b"PK\x05\x06" + bytes(18), "a zip archive with nothing in it"),
    ],
    ids=["xz", "bzip2", "7z", "zip"],
)
def test_an_archive_that_is_not_unpacked_is_named(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "x").write_bytes(data)
    assert f"{tmp_path / 'x'} is {words}, not a conversation" in refusal(tmp_path / "x")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_read_with_and_without_a_mark(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x").write_bytes(json.dumps(CHAT).encode(encoding))
    (session,) = load(tmp_path / "x")
    assert [message.text for message in session] == ["Count the gulls."]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are none")
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        assert "is not a regular file" in refusal(path)
    assert str(tmp_path / "one") in refusal(tmp_path / "one")
