"""What a plan has put into a window does not outlive what it quotes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from inspector.core.conversation import MAIN, Session
from inspector.engine.retrieval import Result
from inspector.engine.window import Plan, view
from inspector.library import Library, draft_injection
from inspector.store import Store
from tests.driving import SAMPLES

SECRET = "the-garden-gate-opens-with-7731"


def injected(library: Library, *numbers: int) -> tuple[Session, Plan]:
    """A stored session, and a plan on its stack that quotes some entries."""
    assert library.store is not None
    path = str(SAMPLES / "support-ticket.json")
    session = library.open(path)
    if not session.bench.store_id:
        library.store.add(session.bench.session)
        session = library.open(session.bench.session.id)
    ranked = [Result(number, rank, 1.0, (), 0, None) for rank, number in enumerate(numbers, 1)]
    entries = library.store.entries.select(numbers)
    draft = draft_injection(session.bench, "the gate", ranked, entries, now=datetime.now(UTC))
    assert draft.preview.plan is not None
    session.push(draft.preview.plan)
    return session.bench.session, draft.preview.plan


def bytes_of(store: Store) -> bytes:
    path = Path(store.path)
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))


def test_what_is_forgotten_goes_from_every_window_that_it_was_put_into(tmp_path: Path) -> None:
    with Library(tmp_path / "store.db", required=True) as library:
        assert library.store is not None
        store = library.store
        secret = store.entries.remember("fact", SECRET)
        other = store.entries.remember("fact", "the gate is green")
        session, _ = injected(library, secret)
        injected(library, other)
        assert SECRET.encode() in bytes_of(store)
        store.entries.forget(secret)
        assert SECRET.encode() not in bytes_of(store)
        first, second = store.plans(session.id, MAIN)
        assert first.injections[0].message.text == "[This text was deleted.]"
        assert "the gate is green" in second.injections[0].message.text
        again = library.open(session.id).bench
        before = again.window()
        after = view(before, again.plans[MAIN])
        assert len(after.messages) == len(before.messages) + 2
        assert first.injections[0].message.kind == "injected"
    with Store(tmp_path / "store.db") as store:
        assert store.undo(session.id, MAIN) and store.undo(session.id, MAIN) and not store.plans(session.id, MAIN)
