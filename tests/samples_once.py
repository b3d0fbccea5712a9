"""Sample sessions as the same objects in many tests: what follows from a message is kept as long as the message is."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core import extraction_cache
from inspector.core.conversation import Session
from inspector.formats import Progress, load
from inspector.library.opening import session_refs
from tests.places import SESSIONS

_read: dict[Path, list[Session]] = {}


def load_once(path: str | Path, progress: Progress | None = None) -> list[Session]:
    """Return the sessions of a file: those of a sample as they were read first in this process."""
    path = Path(path)
    if path.parent != SESSIONS or not path.is_file():
        return load(path, progress)
    if path not in _read:
        _read[path] = load(path, progress)
    return list(_read[path])


def read_samples_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open samples with `load_once` until the end of a test, and leave out the stores of other tests."""
    monkeypatch.setattr(session_refs, "load", load_once)
    monkeypatch.setattr(extraction_cache, "_CACHES", extraction_cache._Caches())
