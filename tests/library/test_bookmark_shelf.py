"""Bookmarks of an open session: at once on the screen, and in the store as soon as the session is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inspector.library import Library, PlanStacks, SessionBookmarks
from tests.library.test_plan_stack import LateWriter, bench as bench, library as library, log as log


def notes(library: Library, id: str) -> dict[str, str]:
    return {mark.message_id: mark.note for mark in library.required_store.bookmarks.of(id)}


def test_what_is_set_before_the_session_is_stored_is_stored_with_it(library: Library, log: Path) -> None:
    bench = library.open(str(log)).bench
    first, second, third = (message.id for message in bench.session.messages[:3])
    writer = LateWriter(library.required_store)
    plans = PlanStacks(bench, writer.write)
    shelf = plans.bookmarks
    shelf.put(first, "one")
    shelf.put(second, "two")
    shelf.remove(second)
    assert dict(shelf.notes) == {first: "one"} and writer.waiting == []
    stored = library.required_store.add(bench.session).id
    library.required_store.bookmarks.put(stored, second, "from before")
    library.required_store.bookmarks.put(stored, third, "another")
    plans.set_bench(replace(bench, store_id=stored, bookmarks=notes(library, stored)))
    writer.work()
    assert writer.errors == []
    assert dict(shelf.notes) == notes(library, stored) == {first: "one", third: "another"}
    shelf.put(third, "changed")
    writer.work()
    assert notes(library, stored)[third] == "changed"


def test_a_session_that_is_opened_again_has_them(library: Library, log: Path) -> None:
    session = library.open(str(log))
    message = session.bench.session.messages[3].id
    library.required_store.bookmarks.put(session.keep(), message, "again")
    again = library.open(str(log)).bench
    assert again.bookmarks == {message: "again"}
    shelf = SessionBookmarks(again)
    assert message in shelf and shelf.can_take(message) and not shelf.can_take("summary 1")
