"""Import the sessions of files and folders into the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from inspector import __version__
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import digest_of_file
from inspector.formats import files_of
from inspector.library.listing.session_listing import Entry, unsupported
from inspector.library.opening.loading import exact_sizes, save_size, with_absolute_path
from inspector.library.opening.rollup_saving import save_rollups
from inspector.library.opening.session_refs import (
    TRANSIENT,
    OpenError,
    ProgressCallback,
    closed_words,
    files_in,
    nothing_in,
    place_of,
    read_file,
)
from inspector.store import ImportResult, Store, StoreError

_READING = b"2"
"""Number of the readings so far that store more of an unchanged file than the one before."""


@json_object(
    "Imported session",
    "id=addition.id title format path messages=addition.total added=addition.writes new=addition.new damage",
    about="An imported session.",
)
@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """Result of importing one session. `problem` is the reason if nothing was imported."""

    addition: ImportResult | None = None
    title: str = ""
    format: str = ""
    """Format of the file; "" if it could not be read."""
    path: str = ""
    damage: Annotated[tuple[str, ...], "unreadable parts of the source"] = ()
    problem: str = ""
    aside: bool = False
    """True if the problem only concerns other files in a folder that was named."""


def import_targets(
    store: Store, targets: Iterable[str], on_progress: ProgressCallback | None = None
) -> Iterator[ImportOutcome]:
    """Import every session of some files and folders.

    Args:
        store: Store to import into.
        targets: Paths of files and folders.
        on_progress: Called with the progress of reading and storing.

    Yields:
        One outcome for each session, and for each file that could not be read.
    """
    for target in targets:
        path, number = place_of(target)
        if path is None or number:
            yield ImportOutcome(problem=f"{target} does not exist. Check the name.")
            continue
        strange: list[Entry] = []
        files, closed = files_in(path)
        if not files:
            yield ImportOutcome(problem=nothing_in(path, closed), aside=True)
        for file in files:
            for outcome in _import_file(store, file, on_progress):
                if path.is_dir() and not outcome.format:
                    strange.append(Entry(str(file), file.name, "given", problem=outcome.problem))
                else:
                    yield outcome
        if strange:
            yield ImportOutcome(problem=unsupported(target, strange).problem, aside=True)
        for problem in closed_words(closed) if files else ():
            yield ImportOutcome(problem=problem, aside=True)


def _digest_of_source(file: Path) -> bytes:
    """Return a digest of all files that a session is read from and of Inspector's version.

    It is empty if the files cannot be read, or cannot be read twice.
    """
    if not file.is_file() or str(file) in TRANSIENT:
        return b""
    try:
        digests = [part.name.encode("utf-8", "surrogateescape") + digest_of_file(part) for part in files_of(file)]
    except OSError:
        return b""
    return sha256(b"\0".join([__version__.encode(), _READING, *digests])).digest()


def _import_file(store: Store, file: Path, on_progress: ProgressCallback | None) -> Iterator[ImportOutcome]:
    path, digest = str(file.absolute()), _digest_of_source(file)
    try:
        earlier = store.sessions_of_source(path, digest) if digest else None
        sessions = [] if earlier is not None else read_file(file, on_progress)
    except (OpenError, StoreError) as problem:
        yield ImportOutcome(problem=str(problem))
        return
    for copy in earlier or ():
        addition = ImportResult(copy.id, new=False, writes=0, total=copy.messages)
        yield ImportOutcome(addition, copy.title, copy.format, str(file), tuple(map(str, copy.problems)))
    ids: list[str] = []
    for session in sessions:
        damage = tuple(map(str, session.problems))
        try:
            addition = store.add(
                with_absolute_path(session),
                (lambda count, total: on_progress("storing", count, total)) if on_progress else None,
            )
            _save_sizes(store, addition, session, on_progress)
            ids.append(addition.id)
            yield ImportOutcome(addition, session.title, session.format, session.path, damage)
        except StoreError as error:
            yield ImportOutcome(None, session.title, session.format, session.path, damage, f"{file}: {error}.")
    if digest and sessions and len(ids) == len(sessions):
        with suppress(StoreError):  # without the note, the next import reads the file again
            store.note_source(path, digest, ids)


def _save_sizes(store: Store, addition: ImportResult, session: Session, on_progress: ProgressCallback | None) -> None:
    """Count an imported session, and save its size and its totals. Raises StoreError."""
    sizes = exact_sizes(session, store, on_progress)
    save_size(store, addition.id, session, sizes)
    if addition.total == len(session.messages):
        save_rollups(store, addition.id, session, sizes)
