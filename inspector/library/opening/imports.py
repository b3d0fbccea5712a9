"""Import the sessions of files and folders into the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from inspector import __version__
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import digest_of_file
from inspector.core.work_pool import ProgressCallback
from inspector.formats import files_of
from inspector.library.capture.capture_search import captures_of_transcripts, is_capture_log
from inspector.library.listing.session_listing import Entry, unsupported
from inspector.library.opening.joined_storing import JoinedSession, JoinedStoring
from inspector.library.opening.loading import exact_sizes, save_size
from inspector.library.opening.rollup_saving import save_rollups
from inspector.library.opening.session_refs import (
    TRANSIENT,
    OpenError,
    capture_of,
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
    storing = JoinedStoring(store)
    for target in targets:
        path, number = place_of(target)
        if path is None or number:
            yield ImportOutcome(problem=f"{target} does not exist. Check the name.")
            continue
        strange: list[Entry] = []
        files, closed = files_in(path)
        if not files:
            yield ImportOutcome(problem=nothing_in(path, closed), aside=True)
        for file, capture in _with_captures(files, capture_of(target)):
            for outcome in _import_file(storing, file, capture, on_progress):
                if path.is_dir() and not outcome.format:
                    strange.append(Entry(str(file), file.name, "given", problem=outcome.problem))
                else:
                    yield outcome
        if strange:
            yield ImportOutcome(problem=unsupported(target, strange).problem, aside=True)
        for problem in closed_words(closed) if files else ():
            yield ImportOutcome(problem=problem, aside=True)


def _with_captures(files: Sequence[Path], named: Path | None) -> Iterator[tuple[Path, Path | None]]:
    """Yield files with their captures in the folder of `inspector record`, and then those that are captures."""
    captures = [*filter(is_capture_log, files), *([named] if named else [])]
    transcripts = [file for file in files if file not in captures]
    pairs = captures_of_transcripts([(file, _modified(file)) for file in transcripts])
    yield from ((file, pairs.get(file)) for file in transcripts)
    yield from ((file, None) for file in captures)


def _modified(file: Path) -> float:
    """Return when a file was last changed, in Unix seconds; 0 if it cannot be read."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _digest_of_source(file: Path, capture: Path | None) -> bytes:
    """Return a digest of all files that a session is read from and of Inspector's version.

    It is empty if the files cannot be read, or cannot be read twice.
    """
    if not file.is_file() or str(file) in TRANSIENT:
        return b""
    try:
        parts = [*files_of(file), *([capture] if capture else [])]
        digests = [part.name.encode("utf-8", "surrogateescape") + digest_of_file(part) for part in parts]
    except OSError:
        return b""
    return sha256(b"\0".join([__version__.encode(), _READING, *digests])).digest()


def _import_file(
    storing: JoinedStoring, file: Path, capture: Path | None, on_progress: ProgressCallback | None
) -> Iterator[ImportOutcome]:
    store, path, digest = storing.store, str(file.absolute()), _digest_of_source(file, capture)
    try:
        earlier = store.sources.sessions_in(path, digest) if digest else None
        sessions = [] if earlier is not None else read_file(file, on_progress)
        joined, sessions = storing.add_requests(sessions)
    except (OpenError, StoreError) as problem:
        yield ImportOutcome(problem=str(problem))
        return
    for copy in earlier or ():
        addition = ImportResult(copy.id, new=False, writes=0, total=copy.messages)
        yield ImportOutcome(addition, copy.title, copy.format, str(file), tuple(map(str, copy.problems)))
    ids: list[str] = []
    waiting: list[Session | JoinedSession] = [*joined, *sessions]
    for one in waiting:
        outcome = _add_session(storing, one, file, on_progress)
        ids += [outcome.addition.id] if outcome.addition else []
        yield outcome
    if digest and ids and len(ids) == len(waiting):
        with suppress(StoreError):  # without the note, the next import reads the file again
            store.sources.note(path, digest, ids)


def _add_session(
    storing: JoinedStoring, one: Session | JoinedSession, file: Path, on_progress: ProgressCallback | None
) -> ImportOutcome:
    """Store a session of a file, unless it is stored by now, with its size and its totals."""
    session = one.session if isinstance(one, JoinedSession) else one
    facts = session.title, session.format, session.path, tuple(map(str, session.problems))
    try:
        progress = partial(on_progress, "storing") if on_progress else None
        stored = one if isinstance(one, JoinedSession) else storing.add(one, progress)
        _save_sizes(storing.store, stored.addition, stored.session, on_progress)
    except StoreError as error:
        return ImportOutcome(None, *facts, f"{file}: {error}.")
    return ImportOutcome(stored.addition, *facts)


def _save_sizes(store: Store, addition: ImportResult, session: Session, on_progress: ProgressCallback | None) -> None:
    """Count an imported session, and save its size and its totals. Raises StoreError."""
    sizes = exact_sizes(session, store, on_progress)
    save_size(store, addition.id, session, sizes)
    if addition.total == len(session.messages):
        save_rollups(store, addition.id, session, sizes)
