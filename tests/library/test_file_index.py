"""A long file is parsed once: its index gives the same session until a file, the settings or the code change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.library import Opener, Step
from inspector.library.opening import file_index as file_index_module, loading
from inspector.store import Store, extract_file
from tests.cli.calling import transcript, written
from tests.library.test_helper import contents, last_bench


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log with halves of surrogate pairs, line separators, and a line that cannot be read."""
    monkeypatch.setattr(file_index_module, "_MIN_BYTES", 1_000)
    records = transcript(turns=30, prompt="\ud83d Mend\u2028\x1b[31m the pier\nlights \ud800.")
    records[1]["message"]["content"][1]["name"] = "Read \udfff"
    file = written(tmp_path / "agent.jsonl", records)
    with file.open("a", encoding="utf-8") as end:
        end.write('{"type": "user", broken\n')
    return file


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as store:
        yield store


def opened(log: Path, store: Store) -> list[Step]:
    return list(Opener(store).steps(str(log)))


def refuse_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(target: str, *_: object) -> None:
        raise AssertionError(f"{target} was read again")

    monkeypatch.setattr(loading, "resolve", refuse)


def test_a_file_that_was_opened_is_not_parsed_again(log: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opened(log, store)
    refuse_to_read(monkeypatch)
    again = opened(log, store)
    assert contents(last_bench(again)) == contents(last_bench(first))
    assert [step.notes for step in again if step.first] == [step.notes for step in first if step.first]
    assert contents(last_bench([step for step in again if step.first])) == contents(last_bench(first))


@pytest.mark.parametrize("keeps_time", [False, True])
def test_a_file_that_has_changed_is_parsed_again(log: Path, store: Store, keeps_time: bool) -> None:
    opened(log, store)
    before, text = log.stat(), log.read_text(encoding="utf-8")
    log.write_text(text.replace('"Read', '"Edit'), encoding="utf-8")
    if keeps_time:
        os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    heads = [call.name for message in last_bench(opened(log, store)).session.messages for call in message.calls]
    assert any(name.startswith("Edit") for name in heads)
    assert not any(name.startswith("Read") for name in heads)


def test_a_sub_agent_that_is_added_is_read(log: Path, store: Store) -> None:
    assert {message.agent for message in last_bench(opened(log, store)).session.messages} == {MAIN}
    records = [{**record, "isSidechain": True, "agentId": "a1"} for record in transcript(turns=2)]
    folder = log.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    written(folder / "agent-a1.jsonl", records)
    assert len({message.agent for message in last_bench(opened(log, store)).session.messages}) == 2


def test_settings_that_change_read_a_file_again(log: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(log, store)
    monkeypatch.setenv("INSPECTOR_LIMIT_LINE", "2000000")
    with monkeypatch.context() as patch, pytest.raises(AssertionError, match="was read again"):
        refuse_to_read(patch)
        opened(log, store)


def test_a_damaged_index_is_as_if_there_were_none(log: Path, store: Store) -> None:
    first = opened(log, store)
    index = file_index_module.file_index(str(log), log, store)
    assert index is not None
    for text in ("", "[]\n\n\n", '["session", {}, [], [], 1]\n[]\n\n\n', "x\ny\nz\nw"):
        extract_file.ExtractFile(Path(store.path)).save({index.key: text})
        assert index.load(store, 0) is None
        assert contents(last_bench(opened(log, store))) == contents(last_bench(first))


def test_a_short_file_and_a_store_in_memory_have_none(log: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_index_module.file_index(str(log), log, Store(":memory:")) is None
    assert file_index_module.file_index("session", None, store) is None
    monkeypatch.setattr(file_index_module, "_MIN_BYTES", 1 << 20)
    assert file_index_module.file_index(str(log), log, store) is None
