"""Gists and facts of an open session: made once in the life of the stored session, whoever opens it and however."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Message
from inspector.core.extraction_cache import Extractor, digest_of_rules
from inspector.engine.facts import FACTS_EXTRACTOR
from inspector.engine.summaries import GIST_EXTRACTOR
from inspector.library import Library, Opener, Workbench
from inspector.library.bench.stored_extracts import StoredExtracts
from inspector.store import Store
from tests.cli.calling import transcript, written

EXTRACTORS: tuple[Extractor[Any], ...] = (GIST_EXTRACTOR, FACTS_EXTRACTOR)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "agent.jsonl", transcript(turns=8, prompt="Never touch the pier lights \ud800."))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def stored(log: Path, db: Path) -> Iterator[Workbench]:
    with Library(db, required=True) as library:
        (outcome,) = library.import_targets([str(log)])
        assert outcome.addition is not None
        yield library.open(outcome.addition.id).bench


def refuse(message: Message) -> Any:
    raise AssertionError(f"{message.id} was read again")


def missing(db: Path, bench: Workbench) -> list[int]:
    """How many extracts of each kind the store lacks."""
    with Store(db) as store:
        return [len(store.keys_without(entry.kind, digest_of_rules(), bench.store_id)) for entry in EXTRACTORS]


def read_all(bench: Workbench) -> None:
    for extractor in EXTRACTORS:
        list(extractor.values(bench.session.messages))


def test_a_stored_session_is_read_once(stored: Workbench, db: Path) -> None:
    read_all(stored)
    assert missing(db, stored) == [0, 0]
    with Library(db, required=True) as library:
        bench = library.open(stored.store_id).bench
        for extractor in EXTRACTORS:
            values = list(replace(extractor, make=refuse).values(bench.session.messages))
            assert len(values) == len(bench.session.messages)


def test_a_helper_reads_a_session_before_it_ends(log: Path, db: Path) -> None:
    with Store(db) as store:
        steps = list(Opener(store, keeps=True, helper_from=1).steps(str(log)))
        bench = [step.bench for step in steps if step.bench][-1]
        assert bench.store_id
        assert missing(db, bench) == [0, 0]
        for extractor in EXTRACTORS:
            list(replace(extractor, make=refuse).values(bench.session.messages))


def test_a_file_that_was_not_put_into_the_store_leaves_nothing_there(log: Path, db: Path) -> None:
    with Store(db) as store:
        bench, _ = Opener(store).open(str(log))
        read_all(bench)
        assert bench.extracts is None
        assert store.sessions() == []


def test_extracts_are_written_where_nobody_waits(stored: Workbench, db: Path) -> None:
    with Store(db) as store:
        changes: list[Any] = []
        bench, _ = Opener(store, write=changes.append).open(stored.store_id)
        stored.extracts = None
        before = missing(db, bench)
        read_all(bench)
        assert missing(db, bench) == before
        for change in changes:
            change(store)
        assert missing(db, bench) == [0, 0]


def test_a_store_that_cannot_be_used_is_as_if_it_were_empty(stored: Workbench, db: Path) -> None:
    message = stored.session.messages[0]
    with Store(db) as store:
        extracts = StoredExtracts(stored.session, store, stored.store_id)
        assert message in extracts
    assert extracts.load("gist", digest_of_rules(), [message]) == {}
    extracts.save("gist", digest_of_rules(), {message: "[]"})
    extracts.fill()
    assert message not in StoredExtracts(stored.session, store, stored.store_id)
