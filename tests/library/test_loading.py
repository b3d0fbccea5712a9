"""The steps of opening a target, which both front ends go through."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.library import Library, Opener, OpenError, Step
from inspector.library.opening.session_refs import read_file
from inspector.llm.tokens import count_session
from inspector.store import DamagedError, Store, StoreError
from tests.cli.calling import chat, transcript, written


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "agent.jsonl", transcript(turns=8))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def benches(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step.bench]


def test_the_first_bench_is_an_estimate_and_the_last_one_is_counted(log: Path) -> None:
    steps = list(Opener().steps(str(log)))
    first, last = benches(steps)[0].bench, benches(steps)[-1].bench
    assert first is not None and last is not None
    assert [step.first for step in steps].index(True) == 0 and sum(step.first for step in steps) == 1
    assert (first.sizes.is_partial, last.sizes.is_partial) == (True, False)
    assert first.session is last.session
    assert steps[-1] == Step()


def test_waiting_for_the_last_step_gives_what_the_last_step_has(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        opened = library.open(str(log))
        opened.push(opened.bench.hand_plan((opened.bench.session.messages[1].id,), "pinned", None), MAIN)
        bench = library.open(str(log)).bench
        last = benches(list(Opener(library.store).steps(str(log))))[-1].bench
        assert last is not None
        assert (last.sizes.tokens, last.plans, last.versions, last.store_id) == (
            bench.sizes.tokens,
            bench.plans,
            bench.versions,
            bench.store_id,
        )
        assert bench.plans[MAIN] and bench.store_id


def test_what_is_done_on_the_bench_of_one_step_is_not_done_on_the_next(log: Path, db: Path) -> None:
    with Store(db) as store:
        steps = Opener(store, keeps=True).steps(str(log))
        first = next(steps).bench
        assert first is not None
        first.apply(first.hand_plan((first.session.messages[1].id,), "pinned", None))
        assert all(step.bench.plans == {} for step in steps if step.bench)


def test_a_session_is_stored_by_those_who_want_it_stored(log: Path, db: Path) -> None:
    with Store(db) as store:
        list(Opener(store).steps(str(log)))
        assert store.sessions() == []
        steps = list(Opener(store, keeps=True).steps(str(log)))
        assert [row.tokens is not None for row in store.sessions()] == [True]
        last = benches(steps)[-1].bench
        assert last is not None and last.store_id == store.sessions()[0].id


def test_who_has_cancelled_stores_nothing(log: Path, db: Path) -> None:
    with Store(db) as store:
        list(Opener(store, keeps=True).steps(str(log), is_cancelled=lambda: True))
        assert store.sessions() == []


def test_a_stored_session_is_opened_by_its_id(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        list(library.import_targets([str(log)]))
        steps = list(Opener(library.store, keeps=True).steps("3f0c"))
        assert {step.bench.store_id for step in steps if step.bench} == {"3f0c"}


@pytest.mark.parametrize("target", ["nothing", "nothing.jsonl"])
def test_what_cannot_be_opened_is_said_alike_to_who_waits_and_who_watches(target: str, db: Path) -> None:
    with Library(db, required=True) as library:
        with pytest.raises(OpenError) as waits:
            library.open(target)
        with pytest.raises(OpenError) as watches:
            list(Opener(library.store, keeps=True, shows_tail=True).steps(target))
        assert str(waits.value) == str(watches.value)


def test_a_source_that_is_lost_meanwhile_is_said_in_one_sentence(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Opener().steps(str(log))
    next(steps)
    monkeypatch.setattr("inspector.library.opening.loading.count_session", _lost)
    with pytest.raises(OpenError, match=r"agent\.jsonl can no longer be read \(gone\)\. Try again\."):
        list(steps)


def _lost(session: Session, *_: object) -> object:
    raise OSError(2, "gone", session.path)


class Unwritable(Store):
    """A store that can be read but not written to."""

    def save_counts(self, *_: object) -> None:
        raise StoreError("the disk is full")

    def add(self, *_: object, **__: object) -> None:  # type: ignore[override]
        raise StoreError("the disk is full")


class Unreadable(Store):
    """A store whose list of sessions is damaged."""

    def ids_under(self, _: str) -> list[str]:
        raise DamagedError("a session", "store.db")


def test_a_store_that_cannot_be_written_to_costs_the_counts_only(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        opened = library.open(str(log))
        opened.push(opened.bench.hand_plan((opened.bench.session.messages[1].id,), "pinned", None), MAIN)
        tokens = opened.bench.sizes.tokens
        with library.required_store.atomic():
            pass
    changed = written(log, transcript(turns=9))
    with Unwritable(db) as store:
        steps = list(Opener(store, required=True, keeps=True).steps(str(changed)))
        bench = benches(steps)[-1].bench
        assert [step.problem for step in steps if step.problem] == [
            "Counts are not saved: the disk is full.",
            "The session is not stored and applied plans are not saved: the disk is full.",
        ]
        assert bench is not None and bench.plans[MAIN] and not bench.sizes.is_partial
        assert sum(bench.sizes.tokens) > sum(tokens)


def test_a_damaged_store_is_passed_over_where_it_is_not_needed(log: Path, db: Path) -> None:
    with Unreadable(db) as store:
        bench, notes = Opener(store).open(str(log))
        assert not bench.sizes.is_partial and bench.plans == {}
        assert notes[0].startswith("Counts are not saved and applied plans are not shown: store.db is damaged")
        with pytest.raises(DamagedError):
            Opener(store, required=True).open(str(log))


def test_notes_about_a_target_come_with_its_first_bench(tmp_path: Path) -> None:
    file = written(tmp_path / "many.jsonl", [chat(1), chat(2)])
    first = next(Opener().steps(str(file)))
    assert first.bench is not None
    assert first.notes == (f"{file} contains 2 sessions. This is the first; the next is {file}#2.",)
    assert Opener().open(str(file))[1] == first.notes


def test_better_counts_come_as_often_as_they_are_wanted(log: Path) -> None:
    session = next(Opener().steps(str(log))).bench
    assert session is not None
    batches = len(list(count_session(session.session, session.sizes.counter, {})))
    seldom = benches(list(Opener().steps(str(log))))
    often = benches(list(Opener(refine=-1.0).steps(str(log))))
    assert len(often) - len(seldom) == batches - 1


def test_a_long_stored_session_shows_its_newest_context_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.store.session_reader._MAX_TAIL_LENGTH", 4)
    records = transcript(turns=8)
    place = {"sessionId": "3f0c", "isSidechain": False, "timestamp": "2026-03-02T10:00:00Z"}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": None}
    summary = {"role": "user", "content": "This session is being continued. All was done."}
    ask = {"role": "user", "content": "And now?"}
    records += [
        place | boundary | {"logicalParentUuid": records[-1]["uuid"], "compactMetadata": {"preTokens": 9}},
        place | {"type": "user", "uuid": "c2", "parentUuid": "c1", "isCompactSummary": True, "message": summary},
        place | {"type": "user", "uuid": "c3", "parentUuid": "c2", "message": ask},
    ]
    log = written(tmp_path / "log.jsonl", records)
    with Store(tmp_path / "s.db") as store:
        (session,) = read_file(log)
        name = store.add(session).id
        tail = store.load_tail(name)
        assert tail is not None
        whole = store.load(name)
        count = len(tail.messages)
        assert 0 < count < len(whole.messages)
        assert [(message.id, message.text) for message in tail] == [
            (message.id, message.text) for message in whole.messages[-count:]
        ]
        assert [message.parent for message in tail] == list(range(-1, count - 1))
        steps = list(Opener(store, shows_tail=True).steps(name))
        shown = [step.bench for step in steps if step.bench]
        assert (shown[0].partial, len(shown[0].session.messages)) == (True, count)
        assert (shown[-1].partial, len(shown[-1].session.messages)) == (False, len(whole.messages))
        assert [step.first for step in steps].index(True) == 0 and sum(step.first for step in steps) == 1
        monkeypatch.setattr("inspector.store.session_reader._MAX_TAIL_LENGTH", 400)
        assert store.load_tail(name) is None
