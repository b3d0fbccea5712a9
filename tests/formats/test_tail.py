"""The end of a long transcript: the same context as in the whole log, and nothing for any other file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.formats import file_loading, load, tail
from tests.benchmarks.big_log import write_log


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 10_000)
    path = tmp_path / "long.jsonl"
    write_log(path, steps=400)
    return path


def test_a_glimpse_is_the_newest_context_with_the_same_messages(log: Path) -> None:
    records, whole = tail(log), load(log)[0]
    assert records is not None
    context = [whole.messages[place].id for place in whole.path_to(len(whole.messages) - 1)]
    assert [records.messages[place].id for place in records.path_to(len(records.messages) - 1)] == context
    assert [message.text for message in records.messages[-3:]] == [message.text for message in whole.messages[-3:]]
    assert len(records.messages) < len(whole.messages)


def test_a_file_that_was_never_compacted_is_not_glimpsed_at(log: Path) -> None:
    lines = [line for line in log.read_text().splitlines() if "compact" not in line.lower()]
    log.write_text("\n".join(lines))
    assert tail(log) is None


def test_a_short_file_is_read_at_once_instead(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 1 << 30)
    assert tail(log) is None


@pytest.mark.parametrize("text", ["", "{", '{"messages": []}', "\0" * 20_000, "[" * 50_000])
def test_what_is_no_transcript_gives_nothing_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 0)
    path = tmp_path / "odd.jsonl"
    path.write_text(text)
    assert tail(path) is None
    assert tail(tmp_path / "missing") is None


def test_the_words_of_a_boundary_inside_a_message_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 0)
    path = tmp_path / "talk.jsonl"
    records = [
        {
            "type": "user",
            "uuid": f"u{n}",
            "sessionId": "s",
            "message": {"role": "user", "content": "say compact_boundary"},
        }
        for n in range(5)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    seen = tail(path)
    assert seen is None or len(seen.messages) <= 5
