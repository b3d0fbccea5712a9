"""Keep the index of a long file between runs: the heads of its messages, the places of their texts, and exact sizes.

An index is used again only if the files of the session, the target, the settings and the source code that reads and
counts it are the same. Plans are never part of an index.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from inspector import formats
from inspector.core.extraction_cache import digest_of_code
from inspector.core.limits import limit
from inspector.core.settings import load_settings
from inspector.library.bench.workbench import Workbench
from inspector.library.capture.capture_search import captures
from inspector.library.opening.opening_steps import Step
from inspector.library.opening.session_refs import capture_of
from inspector.library.opening.step_serialization import StepReader, StepWriter, UnsuitableError
from inspector.llm.tokens import counter_for
from inspector.store import ExtractFile, Store

_IN_MEMORY = ":memory:"
"""Path of a store without a file."""
_SOURCES = ("core", "formats", "library/opening", "llm")
"""Folders of the package that determine an index."""
_MIN_BYTES = 1 << 20
"""Size of a file from which reading it takes longer than loading its index."""
_MAX_CHARS = 64 << 20
"""Maximum size of an index that is kept: a quarter of the file of extracts."""
_END = 1 << 16
"""Number of bytes at both ends of a file that are compared."""
_ARRAYS = 3
"""Number of frames at the end of a step that are arrays of numbers."""


@dataclass(frozen=True)
class FileIndex:
    """The place of the index of one target, which may not be kept yet."""

    target: str
    path: Path
    key: bytes
    """Digest of everything that the index depends on."""
    kept: ExtractFile

    def load(self, store: Store, window: int) -> Step | None:
        """Return a step whose bench has the session with exact sizes and no plans; None without a usable index.

        Args:
            store: Store of counts and plans.
            window: Context window, as in `Workbench.limit`.
        """
        text = self.kept.load([self.key]).get(self.key)
        if text is None:
            return None
        with suppress(LookupError, TypeError, ValueError, AttributeError, AssertionError):
            *frames, tokens, levels, removed = text.split("\n")
            bodies = [*(frame.encode() for frame in frames), *map(b64decode, (tokens, levels, removed))]
            (step,) = StepReader(store, window).steps(iter(bodies))
            if step.bench and step.bench.sizes.counter == counter_for(step.bench.session.model):
                return step
        return None

    def save(self, step: Step) -> None:
        """Keep the index of a step, unless the file has changed since it was read.

        Args:
            step: First step of the opening, with the session and its exact sizes.
        """
        if step.bench is None or _index_key(self.target, self.path) != self.key:
            return
        frames = StepWriter().frames(step)
        with suppress(UnsuitableError):
            text = "\n".join(_texts(list(frames)))
            if len(text) <= _MAX_CHARS:
                self.kept.save({self.key: text})


def file_index(target: str, path: Path | None, store: Store | None) -> FileIndex | None:
    """Return the index of a target; None for targets that are read as fast without one.

    Args:
        target: Target that is opened.
        path: Path of its file; None for a stored session.
        store: Store next to which indexes are kept.
    """
    if path is None or store is None or store.path == _IN_MEMORY:
        return None
    try:
        if path.stat().st_size < _MIN_BYTES or not formats.stays_in_file(path):
            return None
    except OSError:
        return None
    key = _index_key(target, path)
    return None if key is None else FileIndex(target, path, key, ExtractFile(Path(store.path)))


def index_step(bench: Workbench, notes: tuple[str, ...], siblings: int) -> Step:
    """Return the first step of an opening from an index, without the plans of its bench."""
    total = max(1, len(bench.session.messages))
    return Step(Workbench(bench.session, bench.sizes), "counting", total, total, notes, siblings, first=True)


def _texts(frames: list[bytes]) -> Iterator[str]:
    yield from (frame.decode() for frame in frames[:-_ARRAYS])
    yield from (b64encode(frame).decode() for frame in frames[-_ARRAYS:])


def _index_key(target: str, path: Path) -> bytes | None:
    """Return a digest of everything that an index depends on; None if a file cannot be read."""
    hasher = blake2b(digest_of_code(_SOURCES), digest_size=16)
    hasher.update(repr((target, load_settings(), limit("line"))).encode("utf-8", "surrogatepass"))
    named = capture_of(target)
    try:
        for part in [named] if named else captures():
            status = part.stat()
            hasher.update(repr((str(part), status.st_size, status.st_mtime_ns)).encode("utf-8", "surrogatepass"))
        for part in formats.files_of(path):
            status = part.stat()
            place = (str(part.absolute()), status.st_size, status.st_mtime_ns, status.st_ino)
            hasher.update(repr(place).encode("utf-8", "surrogatepass"))
            with part.open("rb") as file:
                hasher.update(file.read(_END))
                file.seek(max(0, status.st_size - _END))
                hasher.update(file.read(_END))
    except OSError:
        return None
    return hasher.digest()
