"""Find the files in the folders in which tools keep their sessions, as the formats declare them."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inspector.core.text import has_path_end
from inspector.formats import FORMATS, SessionPlace, format_entries


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file in a tool's folder: most likely one session, or a database of several."""

    path: Path
    tool: str
    """Name of the tool as its vendor spells it."""
    format: str
    mtime: float
    """Time of the last change, as Unix time in seconds."""
    bytes: int


def placed_files() -> Iterator[PlacedFile]:
    """Yield the files of all tools, in no particular order. No file is opened, and inaccessible ones are skipped."""
    for name, place in _all_places():
        if not place.in_projects:
            yield from _files_of_place(name, place, Path())


def project_files(folders: Iterable[Path]) -> Iterator[PlacedFile]:
    """Yield the session files of tools that keep them in the project's folder, for the given folders."""
    every = dict.fromkeys(folders)
    for name, place in _all_places():
        for folder in every if place.in_projects else ():
            yield from _files_of_place(name, place, folder)


def _all_places() -> list[tuple[str, SessionPlace]]:
    """Return the places that formats declare, with the names of the formats."""
    return [(name, place) for name, entry in format_entries().items() for place in entry.places]


def _files_of_place(format: str, place: SessionPlace, start: Path) -> Iterator[PlacedFile]:
    """Yield the files of a place. A plugin whose place fails is disabled.

    Args:
        format: Name of the format.
        place: Place of its files.
        start: Folder that relative paths start from.
    """
    try:
        files = [start / _real(path) for path in place.files()]
        folders = [start / _real(folder) for folder in place.folders()]
    except Exception as error:
        if format not in FORMATS.added:
            raise
        FORMATS.disable(format, error)
        return
    for path in dict.fromkeys(files):
        if file := _placed(path, place, format):
            yield file
    for folder in dict.fromkeys(folders):
        yield from (file for file in _matching(folder, folder, place, format) if file.path not in files)


def tool_names() -> list[str]:
    """Return the names of all supported tools, as their vendors spell them, sorted."""
    return sorted({place.tool for _, place in _all_places()}, key=str.lower)


def knows_tool(name: str) -> bool:
    """Return True if the name or format of a supported tool starts with a lower-case text."""
    return any(is_called(place.tool, own, {name}) for own, place in _all_places())


def is_called(tool: str, format: str, names: Collection[str]) -> bool:
    """Return True if a tool's name or format starts with one of some lower-case texts.

    Args:
        tool: Name of the tool.
        format: Name of its format.
        names: Beginnings in lower case; an empty collection matches nothing.
    """
    return any(own.startswith(name) for own in (tool.lower(), format) for name in names)


def _real(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # unknown user
        return folder


def _placed(path: Path, place: SessionPlace, format: str) -> PlacedFile | None:
    """Return a file that the user named; None if it does not exist or is empty."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_some = stat.S_ISREG(status.st_mode) and status.st_size > 0
    return PlacedFile(path, place.tool, format, status.st_mtime, status.st_size) if is_some else None


def _matching(root: Path, folder: Path, place: SessionPlace, format: str, depth: int = 0) -> Iterator[PlacedFile]:
    """Yield the session files in a folder and its subfolders. Links to folders are not followed.

    Args:
        root: Folder of the place.
        folder: Folder to search, in `root`.
        place: Place that the folder belongs to.
        format: Name of its format.
        depth: Depth of `folder` in `root`.
    """
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except (OSError, ValueError):
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < place.deepest and entry.name not in place.skips:
                    yield from _matching(root, Path(entry.path), place, format, depth + 1)
            elif _fits(root, entry, place) and entry.is_file():
                status = entry.stat()
                if status.st_size:
                    yield PlacedFile(Path(entry.path), place.tool, format, status.st_mtime, status.st_size)
        except OSError:
            continue


def _fits(root: Path, entry: os.DirEntry[str], place: SessionPlace) -> bool:
    """Return True if the end of a file's path matches one of the patterns, folder by folder."""
    if entry.name in place.indexes:
        return False
    names = entry.path[len(str(root)) :].replace("\\", "/").strip("/").split("/")
    return any(has_path_end(names, pattern) for pattern in place.patterns)
