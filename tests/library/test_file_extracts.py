"""Gists and facts of long files are made once, imported or not; a damaged cache is as if it were empty."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Message
from inspector.core.extraction_cache import Extractor
from inspector.engine.facts import FACTS_EXTRACTOR
from inspector.engine.summaries import GIST_EXTRACTOR
from inspector.library import Library, Opener, Workbench
from inspector.library.bench import file_extracts
from inspector.store import Store, extract_file
from tests.cli.calling import transcript, written

EXTRACTORS: tuple[Extractor[Any], ...] = (GIST_EXTRACTOR, FACTS_EXTRACTOR)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(file_extracts, "_MIN_CHARACTERS", 100)
    return written(tmp_path / "agent.jsonl", transcript(turns=8, prompt="Never touch src/pier.py:12 \ud800 at 8080."))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def refuse(message: Message) -> Any:
    raise AssertionError(f"{message.id} was read again")


def opened(log: Path, db: Path) -> Workbench:
    with Library(db, required=True) as library:
        return library.open(str(log)).bench


def values(bench: Workbench, make: Callable[[Message], Any] | None = None) -> list[Any]:
    kinds = [replace(extractor, make=make) if make else extractor for extractor in EXTRACTORS]
    return [
        {name: getattr(value, name) for name in type(value).__slots__}
        for extractor in kinds
        for value in extractor.values(bench.session.messages)
    ]


def extracts(db: Path) -> Path:
    return db.with_name("store.db.extracts")


def test_a_file_is_read_once_by_all_commands(log: Path, db: Path) -> None:
    cold = values(opened(log, db))
    assert values(opened(log, db), refuse) == cold
    assert stat.S_IMODE(extracts(db).stat().st_mode) == 0o600
    with Store(db) as store:
        assert store.sessions() == []


def test_extracts_belong_to_the_content(log: Path, db: Path, tmp_path: Path) -> None:
    values(opened(log, db))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(log.read_bytes())
    values(opened(copy, db), refuse)
    copy.write_bytes(log.read_bytes().replace(b"pier.py", b"quay.py"))
    with pytest.raises(AssertionError, match="was read again"):
        values(opened(copy, db), refuse)


def no_database(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"pier.py", b"quay.py"))


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [no_database, cut, changed, folder])
def test_a_damaged_cache_changes_no_value(log: Path, db: Path, damage: Callable[[Path], None]) -> None:
    cold = values(opened(log, db))
    damage(extracts(db))
    assert values(opened(log, db)) == cold
    assert values(opened(log, db)) == cold


def test_the_cache_is_bounded(log: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract_file, "_MAX_BYTES", 60_000)
    bench = opened(log, db)
    cache = extract_file.ExtractFile(db)
    for number in range(100):
        cache.save({bytes([number]) * 16: "x" * 5_000})
    kept = cache.load([bytes([number]) * 16 for number in range(100)])
    assert bytes([99]) * 16 in kept and bytes([0]) * 16 not in kept
    assert extracts(db).stat().st_size < 2 * 60_000
    assert values(bench) == values(opened(log, db))


def test_short_sessions_and_stores_without_a_file_keep_nothing(
    log: Path, db: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Store(":memory:") as store:
        values(Opener(store).open(str(log))[0])
    monkeypatch.setattr(file_extracts, "_MIN_CHARACTERS", 1_000_000)
    values(opened(log, db))
    assert not list(tmp_path.glob("*.extracts"))


def test_deleting_text_from_the_store_deletes_the_extracts(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        (outcome,) = library.import_targets([str(log)])
        assert outcome.addition is not None
        values(library.open(str(log)).bench)
        assert extracts(db).exists()
        assert library.store is not None
        library.store.remove(outcome.addition.id)
    assert not extracts(db).exists()
