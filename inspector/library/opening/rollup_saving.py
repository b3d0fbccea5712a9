"""Save the totals of sessions in the store: at import, after following and recording, and for what is stored."""

from __future__ import annotations

import getpass
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from inspector.analysis import rollups
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.work_pool import Cancel, ProgressCallback, Stop, WorkPool
from inspector.library.listing.session_folder import folder_of
from inspector.library.opening.loading import exact_sizes
from inspector.library.opening.session_refs import OpenError, files_in, read_file, session_id_in, with_absolute_path
from inspector.llm.tokens import Sizes, estimate
from inspector.store import Rollup, Store, StoreError

_MAX_TOTALLED = 32 << 20
"""Bytes of a recording whose totals are added up when it ends. Reading 112 MB took minutes and 600 MB of memory."""


@json_object("Backfill result", "session problem")
@dataclass(frozen=True, slots=True)
class BackfillResult:
    """A stored session whose totals were added up, or the reason why they were not."""

    session: Annotated[str, "id in the store"]
    problem: Annotated[str, "in a sentence; empty if its totals are stored"] = ""


def save_rollups(store: Store, id: str, session: Session, sizes: Sizes) -> None:
    """Save the totals of a session, in place of earlier ones.

    Args:
        store: The store.
        id: Id of the session in the store.
        session: The session.
        sizes: Token counts of its messages.

    Raises:
        StoreError: The store cannot be written.
    """
    store.rollups.put(id, _rollups_of(session, sizes, (platform.node(), _person())))


def _rollups_of(session: Session, sizes: Sizes, owner: tuple[str, str]) -> tuple[Rollup, ...]:
    """Return the totals of a session. `owner` is the machine and the person that they belong to."""
    return rollups.session_rollups(with_absolute_path(session), sizes, folder_of(session), *owner)


def _count_rollups(owner: tuple[str, str], session: Session, _: Stop) -> tuple[Rollup, ...]:
    """Return the totals of a session in memory, whose tokens are counted here."""
    return _rollups_of(session, exact_sizes(session), owner)


def save_followed(store: Store | None, session: Session, sizes: Sizes) -> None:
    """Save the totals of a session that was followed, whether it is stored or not. Never raises.

    Args:
        store: The store, if there is one.
        session: The session at its end.
        sizes: Token counts of its messages.
    """
    if store is not None and session.messages:
        with suppress(StoreError, OSError):
            save_rollups(store, session_id_in(session, store) or session.id, session, sizes)


def save_recorded(store: Store | None, path: Path) -> None:
    """Save the totals of the sessions of a recording, with estimated sizes where no usage is reported. Never raises.

    Files above 32 MB are left out, because that would take minutes.

    Args:
        store: The store, if there is one.
        path: File of the recording, or folder with its files.
    """
    if store is None:
        return
    for file in files_in(path)[0]:
        with suppress(OpenError, OSError):
            for session in read_file(file) if file.stat().st_size <= _MAX_TOTALLED else ():
                save_followed(store, session, estimate(session))


def backfill_rollups(
    store: Store,
    on_progress: ProgressCallback | None = None,
    pool: WorkPool | None = None,
    cancel: Cancel | None = None,
) -> Iterator[BackfillResult]:
    """Save the totals of all stored sessions that lack them, or whose totals are out of date.

    Each session is saved by itself, so an interrupted backfill continues with the next one.

    Args:
        store: The store.
        on_progress: Called with the activity, the number of finished sessions, and that of all.
        pool: Workers that get the sessions and count their tokens; None for this process, which uses the counts of the
            store.
        cancel: Stops the work when it is set.

    Yields:
        One result for each session, newest first without a pool.

    Raises:
        StoreError: The list of the sessions cannot be read.
        WorkError: Workers are lost.
    """
    report = on_progress or (lambda _, __, ___: None)
    ids = store.rollups.stale(rollups.ROLLUP_RULES)
    report("adding up", 0, len(ids))
    results = _backfill_here(store, ids) if pool is None else _backfill_with(pool, store, ids, cancel)
    for count, result in enumerate(results, 1):
        yield result
        report("adding up", count, len(ids))


def _backfill_here(store: Store, ids: Sequence[str]) -> Iterator[BackfillResult]:
    for key in ids:
        problem = ""
        try:
            session = store.load(key)
            save_rollups(store, key, session, exact_sizes(session, store))
        except (StoreError, OSError) as error:
            problem = f"{key}: {error}."
        yield BackfillResult(key, problem)


def _backfill_with(pool: WorkPool, store: Store, ids: Sequence[str], cancel: Cancel | None) -> Iterator[BackfillResult]:
    loaded, unread = list[str](), list[BackfillResult]()

    def sessions() -> Iterator[Session]:
        for key in ids:
            try:
                session = with_absolute_path(store.load(key)).in_memory()
            except (StoreError, OSError) as error:
                unread.append(BackfillResult(key, f"{key}: {error}."))
            else:
                loaded.append(key)
                yield session

    for place, rows in pool.results(_count_rollups, (platform.node(), _person()), sessions(), cancel):
        store.rollups.put(loaded[place], rows)
        yield BackfillResult(loaded[place])
    yield from unread


@cache
def _person() -> str:
    """Return the name of the user; "" if the system does not know it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
