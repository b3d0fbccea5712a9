"""A new store with everything that can be rescued of a damaged one, which stays as it is."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspector.core.text import make_private_folder, publish, sync_folder
from inspector.store import plans
from inspector.store.connections import Connections, files_of, transaction
from inspector.store.copies import Copy, exists, open_leniently, require_absent, require_ordinary, sync, working_copy
from inspector.store.damage import StoreError
from inspector.store.importing import Import
from inspector.store.integrity import Progress, SessionCheck, StoreCheck, check_copy, check_store
from inspector.store.memory_entries import MEMORY_KINDS, Memory, ids_from_json, restore_memory
from inspector.store.rescue import Rescue, RescuedPlan, RescuedSession
from inspector.store.rows import Rows, number_of, text_of, value_of
from inspector.store.serialization import column
from inspector.store.working import write_working_tiers

_SHARED_LOCK = (510, 0x40000002)
"""How many bytes of a store's file SQLite locks while it has the file open, and from where on."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair: what was damaged, what is lost, and the paths of both stores."""

    check: StoreCheck
    """What was damaged."""
    path: Path
    """The new store."""
    old_path: Path
    """The damaged store."""
    memories: int
    """Entries of the persistent tier that were rescued."""
    lost_memories: int

    @property
    def complete(self) -> bool:
        """Whether nothing at all was lost: no message, no word, and nothing that was recorded beside them."""
        has_changes = any(session.mended or session.changed for session in self.check.sessions)
        return not (self.lost or self.lost_memories or has_changes or self.check.gone)

    @property
    def lost(self) -> list[SessionCheck]:
        """The sessions of which something is lost."""
        return [
            session
            for session in self.check.sessions
            if session.rescued < session.messages or session.rescued_plans < session.plans
        ]


def repair_store(
    path: Path, to: Path | None = None, replace: bool = False, progress: Progress | None = None
) -> Repair | None:
    """Write a new store beside a damaged one, or to the file `to`; with `replace`, put it in the damaged one's place.

    None for a store that is whole: nothing is written. The damaged file is never changed; where it is replaced, it goes
    on under another name. Raises StoreError, also where it is to be replaced and another program has it open.
    """
    target = path if replace else to or _free_name(path, "repaired")
    if not replace:
        require_absent(target)
    require_ordinary(target)
    target = target.resolve()
    try:
        before = _stamps(path)
        make_private_folder(target.parent)
        with TemporaryDirectory(prefix=".inspector-", dir=target.parent) as folder:
            new = Path(folder, "store.db")
            with working_copy(path) as copy:
                check = check_copy(copy, str(path), progress)
                memories = (0, 0) if check.whole else _rebuild(copy, new)
            if check.whole:
                return None
            if not check_store(new).whole:
                raise StoreError(f"{path} could not be repaired: what was rescued does not fit together")
            sync(new)
            if replace:
                old = _swap(path.resolve(), new, before)
            else:
                publish(new, target, replace=False)
        sync_folder(target.parent)
    except FileExistsError as error:
        raise StoreError(exists(target)) from error
    except OSError as error:
        raise StoreError(f"{target} cannot be written ({error.strerror or error}): name another file") from error
    return Repair(check, target, old if replace else path, *memories)


def _free_name(path: Path, word: str) -> Path:
    """A name beside a store's that no file has: `inspector.repaired.db`, `inspector.repaired-2.db` …"""
    names = (f"{path.stem}.{word}{f'-{number}' if number > 1 else ''}{path.suffix}" for number in count(1))
    return next(name for name in map(path.with_name, names) if not os.path.lexists(name))


def _stamps(path: Path) -> list[tuple[int, int]]:
    """What changes when somebody writes to a store: size and time of its file, and of the log beside it."""
    return [(file.stat().st_size, file.stat().st_mtime_ns) for file in files_of(path)[:2] if file.exists()]


# the new store


def _rebuild(copy: Copy, new: Path) -> tuple[int, int]:
    """Write what can be rescued from a copy into a new store.

    Gives how many entries of the persistent tier it has, and how many are lost.
    """
    with (
        closing(Connections(new)) as connections,
        connections.use() as connection,
        closing(sqlite3.connect(copy.path, isolation_level=None)) as strict,
        closing(open_leniently(copy.path)) as loose,
    ):
        rescue = Rescue(Rows(loose, copy.path, thorough=True), strict)
        numbers: dict[int, int] = {}
        for session_id in rescue.ids:
            session = rescue.session(session_id)
            session_plans, _ = rescue.plans(session_id, session.log)
            with transaction(connection):
                _write_session(connection, session)
                numbers |= _write_plans(connection, session_id, session_plans)
                _write_bookmarks(connection, rescue.rows, session)
        with transaction(connection):
            _write_counts(connection, rescue)
            return _write_memories(connection, rescue, numbers)


def _write_session(connection: sqlite3.Connection, result: RescuedSession) -> None:
    session = result.session
    job = Import(connection, session, "", lambda _done, _total: None, lambda: False)
    job.write_session(session.id, new=True)
    job.write_messages(session.id, 0)
    job.write_context(session.id)
    if facts := {name: column(value) if isinstance(value, str) else value for name, value in result.facts.items()}:
        changes = ", ".join(f"{name} = :{name}" for name in facts)
        connection.execute(f"UPDATE session SET {changes} WHERE id = :id", facts | {"id": column(session.id)})


def _write_plans(connection: sqlite3.Connection, session_id: str, session_plans: list[RescuedPlan]) -> dict[int, int]:
    """Put the plans on their stacks. Gives their new numbers, by the old ones."""
    numbers = {}
    for entry in session_plans:
        number = plans.insert_plan(connection, session_id, entry.agent, entry.plan, entry.created_at)
        plans.insert_fates(connection, number, entry.plan)
        plans.insert_messages(connection, number, entry.plan)
        numbers[entry.id] = number
    if session_plans:
        write_working_tiers(connection, session_id)
    return numbers


def _write_bookmarks(connection: sqlite3.Connection, rows: Rows, result: RescuedSession) -> None:
    """Put bookmarks back on the messages of a session that are left."""
    places = {message.id: place for place, message in enumerate(result.session.messages)}
    columns = "session_id, position, note, created_at, changed_at"
    for number, session_id, position, note, *times in rows.scan("bookmark", columns):
        place = number_of(position, -1)
        message = result.log[place] if 0 <= place < len(result.log) else ""
        if text_of(session_id) == result.session.id and message in places:
            texts = [column(text_of(value)) for value in (session_id, note, *times)]
            connection.execute(
                "INSERT OR IGNORE INTO bookmark VALUES (?, ?, ?, ?, ?, ?)",
                (number, texts[0], places[message], *texts[1:]),
            )


def _write_counts(connection: sqlite3.Connection, rescue: Rescue) -> None:
    """Counts of tokens, and the files that were written and read: what is lost of them is made anew."""
    counts = (
        (digest, column(text_of(counter)), tokens)
        for digest, counter, tokens in rescue.rows.scan_keys("token_count", "digest, counter, tokens")
        if isinstance(digest, bytes) and isinstance(counter, bytes) and number_of(tokens, -1) >= 0
    )
    connection.executemany("INSERT OR IGNORE INTO token_count VALUES (?, ?, ?)", counts)
    outputs = (
        (column(text_of(path)), digest, column(text_of(written_at)))
        for path, digest, written_at in rescue.rows.scan_keys("output", "path, digest, written_at")
        if isinstance(path, bytes) and isinstance(digest, bytes)
    )
    connection.executemany("INSERT OR IGNORE INTO output VALUES (?, ?, ?)", outputs)
    sources = (
        (column(text_of(path)), digest, column(text_of(ids)))
        for path, digest, ids in rescue.rows.scan_keys("source", "path, digest, sessions")
        if isinstance(path, bytes) and isinstance(digest, bytes) and isinstance(ids, bytes)
    )
    connection.executemany("INSERT OR IGNORE INTO source VALUES (?, ?, ?)", sources)


_MEMORY = (
    "kind, session_id, message_id, plan_id, text, tokens, created_at, tier, key, agent, message_ids, used_at, reason, "
    "origin, is_pinned, expires_at"
)
_NUMBERS = ("plan_id", "tokens", "is_pinned")
_NULLABLE = ("session_id", "message_id", "key", "expires_at")


def _write_memories(connection: sqlite3.Connection, rescue: Rescue, numbers: dict[int, int]) -> tuple[int, int]:
    """Write the entries of the tiers; `numbers` tells the plans' new numbers. Gives how many were written, and lost."""
    sessions = frozenset(rescue.ids)
    names = _MEMORY.split(", ")
    number = 0
    for row, *values in rescue.rows.scan("memory", _MEMORY):
        facts = dict(zip(names, values, strict=True))
        if text_of(facts["kind"]) in MEMORY_KINDS and isinstance(facts["text"], bytes):
            entry = _memory_of(row, facts, sessions)
            number += 1
            if entry.kind != "retrieval":  # it is made again from the others
                restore_memory(connection, replace(entry, plan_id=numbers.get(number_of(facts["plan_id"], -1))))
    indexed = rescue.rows.number("SELECT count(*) FROM memory_search_docsize")
    return number, max(indexed - number, 0)


def _memory_of(number: int, facts: Mapping[str, Any], sessions: Collection[str]) -> Memory:
    """The entry of a row that may be damaged. One whose session is lost is in no session's tier any more."""

    texts: dict[str, Any] = {name: text_of(facts[name]) for name in facts if name not in _NUMBERS}
    texts |= {name: texts[name] if facts[name] is not None else None for name in _NULLABLE}
    if texts["session_id"] not in sessions:
        texts |= {"session_id": None, "tier": "persistent"}
    last = texts["message_id"]
    ids = value_of(facts["message_ids"], ids_from_json, ()) or (() if last is None else (last,))
    tokens = facts["tokens"] if number_of(facts["tokens"], -1) >= 0 else None
    tier = "session" if texts["tier"] == "session" else "persistent"
    texts |= {"message_ids": ids, "tier": tier, "tokens": tokens, "is_pinned": facts["is_pinned"] == 1}
    return Memory(number, **texts)


# in the place of the damaged one


def _swap(path: Path, new: Path, before: list[tuple[int, int]]) -> Path:
    """Put a new store in the place of a damaged one, and give the name that this one has from now on.

    At every moment there is a file in that place. Raises StoreError where another program has the store open, or has
    changed it since `before`.
    """
    with _alone(path):
        if _stamps(path) != before:
            raise StoreError(f"{path} was changed by another program while it was being repaired: try again")
        old = _free_name(path, "damaged")
        for file, other in zip(files_of(path)[:2], files_of(old)[:2], strict=True):
            if file.exists():
                _keep(file, other)
        for file in files_of(path)[1:]:  # SQLite would write the old log into the new file
            file.unlink(missing_ok=True)
        new.replace(path)
        return old


def _keep(file: Path, other: Path) -> None:
    """Give a file a second name."""
    try:
        os.link(file, other)
    except OSError:  # a file system without hard links
        shutil.copy2(file, other)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other programs from opening a store. Raises StoreError where one has it open.

    The lock is gone as soon as this process closes the file, under whatever name: it must not be read inside.
    """
    try:
        import fcntl
    except ImportError:  # on such a system, a file that is open cannot be renamed
        yield
        return
    with path.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *_SHARED_LOCK)
        except OSError as error:
            raise StoreError(f"{path} is open in another program: close that first") from error
        yield
