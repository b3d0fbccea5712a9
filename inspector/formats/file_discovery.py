"""Finding the files that may contain conversations, and the files that are read together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Set as AbstractSet
from pathlib import Path

from inspector.core.text import word_set
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import UnreadableError
from inspector.formats.recognition import format_of
from inspector.formats.registry import format_entries, formats_of_several_files
from inspector.formats.sidecar import is_companion_file

_SUFFIXES = word_set(".json .jsonl .ndjson .gz .zip .tar .tgz .db .sqlite .sqlite3 .eval .traj .af") | {""}
"""Suffixes of files that are expected to contain conversations."""


def find(path: str | Path, pass_over: Callable[[Path], object] | None = None) -> list[Path]:
    """Return the files that may contain conversations, sorted. `load` finds out which of them do.

    Args:
        path: A file, which is returned as it is; or a folder, which is searched with its subfolders. Hidden folders,
            sidecars of exports, and files that are read with others are left out.
        pass_over: Called with each folder that may not be listed.
    """
    root = Path(path)
    if not root.is_dir():
        return [root]
    paths = [file for file in _files_below(root, pass_over) if _may_be_recording(file) and file.is_file()]
    others = files_read_with_others(paths, set(paths))
    return sorted(path for path in paths if path not in others and not is_companion_file(path))


def passed_over(folder: str | Path) -> list[Path]:
    """Return the files of a folder that `find` leaves out because of their names, sorted."""
    others = (file for file in _files_below(Path(folder)) if not _may_be_recording(file))
    return sorted(file for file in others if file.is_file() and not is_companion_file(file))


def files_of(path: Path) -> list[Path]:
    """Return the files that `load` reads for one: the file itself, and those that belong to it."""
    return [path, *dict.fromkeys(part for kind in formats_of_several_files(path) for part in kind.parts(path))]


def files_read_with_others(paths: Iterable[Path], existing: AbstractSet[Path]) -> set[Path]:
    """Return those paths that are read together with one of the existing files."""
    return {path for path in paths if any(kind.whole(path) in existing for kind in formats_of_several_files(path))}


def has_known_suffix(path: Path) -> bool:
    """Return True if the suffix of a file is one that recordings have."""
    suffix = path.suffix.lower()
    return suffix in _SUFFIXES or any(suffix in entry.suffixes for entry in format_entries().values())


def _may_be_recording(path: Path) -> bool:
    """Return True if a file may contain conversations. A file whose suffix does not tell is opened and looked at."""
    if path.suffix.lower() in _SUFFIXES:
        return True
    if not has_known_suffix(path):
        return False
    try:
        return format_of(open_content(path).sample) is not None
    except UnreadableError:
        return False


def _files_below(root: Path, pass_over: Callable[[Path], object] | None = None) -> Iterator[Path]:
    """Yield all files in a folder and its subfolders that are not hidden."""
    onerror = (lambda error: pass_over(Path(error.filename))) if pass_over else None
    for folder, folders, files in os.walk(root, onerror=onerror):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in files if not name.startswith("."))
