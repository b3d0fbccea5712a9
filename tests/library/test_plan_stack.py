"""Plans on the bench and in the store: at once or later, in order, once, and only on the stack they were made for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.window import Plan
from inspector.library import Library, OpenSession, PlanStacks, Workbench
from inspector.library.bench.plan_stack import with_stored_plans
from inspector.library.bench.session_bookmarks import Change
from inspector.store import StaleError, Store, StoreError
from tests.cli.calling import transcript, written


class LateWriter:
    """Makes changes in a store when it is told to, as a queue with a thread of its own does."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: list[Change] = []
        self.errors: list[Exception] = []

    def write(self, change: Change) -> None:
        self.waiting.append(change)

    def work(self) -> None:
        waiting, self.waiting = self.waiting, []
        for change in waiting:
            try:
                change(self.store)
            except Exception as error:
                self.errors.append(error)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "agent.jsonl", transcript(turns=8))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db", required=True) as library:
        yield library


@pytest.fixture
def bench(library: Library, log: Path) -> Workbench:
    """A bench whose session is not stored yet."""
    return library.open(str(log)).bench


def pin(bench: Workbench, place: int) -> Plan:
    return bench.hand_plan((bench.session.messages[place].id,), "pinned", None)


def stored(library: Library, bench: Workbench) -> Workbench:
    """A bench of the same session once it has been stored: with the plans that are stored, and no others."""
    session_id = library.required_store.add(bench.session).id
    return with_stored_plans(replace(bench, plans={}, versions={}), library.required_store, session_id)


def in_store(library: Library) -> list[Plan]:
    return library.required_store.plans("3f0c", MAIN)


def test_a_plan_is_on_the_bench_at_once_and_in_the_store_when_it_is_written(library: Library, bench: Workbench) -> None:
    writer = LateWriter(library.required_store)
    stacks = PlanStacks(stored(library, bench), writer.write)
    first, second = pin(bench, 1), pin(bench, 2)
    stacks.push(first)
    stacks.push(second)
    assert (stacks.bench.plans[MAIN], in_store(library)) == ((first, second), [])
    writer.work()
    assert in_store(library) == [first, second]
    assert stacks.undo() == second
    assert (stacks.bench.plans[MAIN], in_store(library)) == ((first,), [first, second])
    writer.work()
    assert (in_store(library), writer.errors) == ([first], [])


def test_without_a_store_a_plan_is_on_the_bench_only(bench: Workbench) -> None:
    stacks = PlanStacks(bench)
    plan = pin(bench, 1)
    stacks.push(plan)
    assert bench.plans[MAIN] == (plan,)
    assert (stacks.undo(), stacks.undo(), bench.plans[MAIN]) == (plan, None, ())


def test_undone_plans_are_redone_in_reverse_until_another_one_is_pushed(library: Library, bench: Workbench) -> None:
    writer = LateWriter(library.required_store)
    stacks = PlanStacks(stored(library, bench), writer.write)
    first, second, third = pin(bench, 1), pin(bench, 2), pin(bench, 3)
    stacks.push(first)
    stacks.push(second)
    assert (stacks.undo(), stacks.undo()) == (second, first)
    assert (stacks.redo(), stacks.redo(), stacks.redo()) == (first, second, None)
    writer.work()
    assert (in_store(library), writer.errors) == ([first, second], [])
    stacks.undo()
    stacks.push(third)
    assert stacks.redo() is None and stacks.bench.plans[MAIN] == (first, third)


def test_plans_made_before_the_session_is_stored_are_stored_with_it_once(library: Library, bench: Workbench) -> None:
    writer = LateWriter(library.required_store)
    stacks = PlanStacks(bench, writer.write)
    first, taken_back, second = pin(bench, 1), pin(bench, 2), pin(bench, 3)
    stacks.push(first)
    stacks.push(taken_back)
    assert stacks.undo() is taken_back
    stacks.push(second)
    counted = replace(bench, plans={}, versions={})
    assert stacks.set_bench(counted) == ()
    assert counted.plans[MAIN] == (first, second)
    assert stacks.set_bench(stored(library, bench)) == ()
    writer.work()
    assert stacks.bench.plans[MAIN] == (first, second)
    assert in_store(library) == [first, second]
    stacks.set_bench(replace(stacks.bench, plans={}, versions={}))
    writer.work()
    assert (stacks.bench.plans[MAIN], in_store(library), writer.errors) == ((first, second), [first, second], [])


def test_a_plan_made_before_the_stored_ones_were_seen_is_refused(library: Library, log: Path) -> None:
    opened = library.open(str(log))
    unseen = replace(opened.bench)
    earlier = pin(opened.bench, 1)
    opened.push(earlier)
    writer = LateWriter(library.required_store)
    stacks = PlanStacks(replace(unseen, plans={}, versions={}), writer.write)
    early = pin(unseen, 2)
    stacks.push(early)
    assert stacks.set_bench(stored(library, unseen)) == (early,)
    writer.work()
    assert stacks.bench.plans[MAIN] == (earlier,)
    assert in_store(library) == [earlier]


def test_what_was_made_for_another_session_does_not_go_onto_the_next(library: Library, bench: Workbench) -> None:
    writer = LateWriter(library.required_store)
    stacks = PlanStacks(bench, writer.write)
    stacks.push(pin(bench, 1))
    other = replace(bench, session=replace(bench.session), plans={}, versions={})
    stacks.set_bench(other)
    stacks.set_bench(stored(library, other))
    writer.work()
    assert (stacks.bench.plans, in_store(library)) == ({}, [])


def test_after_a_change_that_is_refused_all_behind_it_is_refused_until_the_stored_plans_are_shown(
    library: Library, log: Path, bench: Workbench
) -> None:
    writer = LateWriter(library.required_store)
    reloads: list[tuple[Workbench, Workbench]] = []
    stacks = PlanStacks(stored(library, bench), writer.write, lambda old, new: reloads.append((old, new)))
    other = library.open(str(log))
    theirs = pin(other.bench, 4)
    other.push(theirs)
    stacks.push(pin(bench, 1))
    stacks.push(pin(bench, 2))
    writer.work()
    assert [type(error) for error in writer.errors] == [StaleError, StaleError]
    assert in_store(library) == [theirs]
    assert [stacks.set_stored_plans(old, new) for old, new in reloads] == [True, False]
    assert stacks.bench.plans == {MAIN: (theirs,)}
    mine = pin(bench, 3)
    stacks.push(mine)
    writer.work()
    assert in_store(library) == [theirs, mine]


def test_the_stored_plans_of_a_session_that_is_no_longer_open_are_not_shown(
    library: Library, log: Path, bench: Workbench
) -> None:
    writer = LateWriter(library.required_store)
    reloads: list[tuple[Workbench, Workbench]] = []
    stacks = PlanStacks(stored(library, bench), writer.write, lambda old, new: reloads.append((old, new)))
    library.open(str(log)).push(pin(bench, 4))
    stacks.push(pin(bench, 1))
    writer.work()
    later = replace(bench, session=replace(bench.session), plans={}, versions={})
    stacks.set_bench(later)
    assert not stacks.set_stored_plans(*reloads[0])
    assert stacks.bench is later


def snapshot(opened: OpenSession) -> tuple[object, ...]:
    return opened.bench.store_id, dict(opened.bench.plans), dict(opened.bench.versions)


def test_an_error_beside_a_change_takes_the_change_back_here_and_in_the_store(library: Library, log: Path) -> None:
    opened = library.open(str(log))
    before = snapshot(opened)
    with pytest.raises(RuntimeError), opened.transaction():
        opened.push(pin(opened.bench, 1))
        raise RuntimeError
    assert (snapshot(opened), library.required_store.sessions()) == (before, [])
    plan = pin(opened.bench, 1)
    opened.push(plan)
    before = snapshot(opened)
    with pytest.raises(RuntimeError), opened.transaction():
        assert opened.undo() == plan
        raise RuntimeError
    assert (snapshot(opened), in_store(library)) == (before, [plan])
    assert opened.undo() == plan
    assert in_store(library) == []


def test_a_change_that_the_store_refuses_can_be_asked_for_again(
    library: Library, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = library.open(str(log))
    plan = pin(opened.bench, 1)

    def full(*_: object) -> int:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "push", full)
        with pytest.raises(StoreError, match="the disk is full"):
            opened.push(plan)
    assert (opened.bench.plans, library.required_store.sessions()) == ({}, [])
    opened.push(plan)
    assert in_store(library) == [plan]
