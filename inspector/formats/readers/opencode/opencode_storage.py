"""Sessions of opencode's versions before its database: a file for each session, message and part.

https://github.com/sst/opencode: the folder `storage` contains `session/PROJECT/SESSION.json`,
`message/SESSION/MESSAGE.json` and `part/MESSAGE/PART.json`. Ids increase with time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.formats.reading.content import Fields
from inspector.formats.reading.event_files import read_events
from inspector.formats.reading.problems import Problems

_WHAT = "a message or a part"
_MAX_SESSIONS = 5_000
"""Sessions of a project that are looked at for those that another one began."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session in the storage folder, identified by its file."""

    file: Path

    def read(self, problems: Problems) -> tuple[Fields, list[tuple[Fields, list[Fields]]]]:
        """Return the recorded fields of a session, and its messages with their parts. Unreadable files are problems."""
        info = next(read_events([self.file], is_stored, problems, _WHAT), {"id": self.file.stem})
        messages = read_events(self._message_files(), is_stored, problems, _WHAT)
        return info, [(message, [*self._read_parts(message, problems)]) for message in messages]

    def files(self) -> list[Path]:
        """Return the files of its messages and of their parts."""
        messages = self._message_files()
        return [*messages, *(part for file in messages for part in self._parts_of(file.stem))]

    def children(self) -> list[StoredSession]:
        """Return the sessions of its sub-agents, at any depth."""
        parents = {file.stem: _parent_of(file) for file in _json_files(self.file.parent)[:_MAX_SESSIONS]}
        names = (name for name in parents if name != self.file.stem and self.file.stem in _ancestors(name, parents))
        return [StoredSession(self.file.with_name(f"{name}.json")) for name in names]

    def parent(self) -> StoredSession | None:
        """Return the session that started this one, or None if it has no parent in the folder."""
        file = self.file.with_name(f"{_parent_of(self.file)}.json")
        return StoredSession(file) if file != self.file and file.is_file() else None

    @property
    def _root(self) -> Path:
        return self.file.parents[2]

    def _message_files(self) -> list[Path]:
        return _json_files(self._root / "message" / self.file.stem)

    def _read_parts(self, message: Fields, problems: Problems) -> Iterator[Fields]:
        return read_events(self._parts_of(str(message["id"])), is_stored, problems, _WHAT)

    def _parts_of(self, name: str) -> list[Path]:
        is_name = name == Path(name).name  # it may come of a file, and must not lead out of the folder
        return _json_files(self._root / "part" / name) if is_name else []


def stored_session(path: Path) -> StoredSession | None:
    """Return the session to which a file of a storage folder belongs, or None for any other file."""
    if path.suffix != ".json" or len(path.parents) < 3:
        return None
    root, folder = path.parents[2], path.parents[1].name
    match folder:
        case "session":
            return StoredSession(path) if (root / "message").is_dir() else None
        case "message":
            return _session_called(root, path.parent.name)
        case "part":
            sessions = (entry.name for entry in _folders_in(root / "message"))
            name = next(
                (name for name in sessions if (root / "message" / name / f"{path.parent.name}.json").is_file()), ""
            )
            return _session_called(root, name) if name else None
    return None


def is_stored(record: Any) -> bool:
    """Return True if a JSON value is a session, a message or a part in the form of the storage folder."""
    match record:
        case {"id": str(), "sessionID": str()}:
            return True
        case {"id": str(own), "time": dict(), "title": str()}:
            return own.startswith("ses")
    return False


def _session_called(root: Path, name: str) -> StoredSession | None:
    files = (folder / f"{name}.json" for folder in _folders_in(root / "session"))
    return next((StoredSession(file) for file in files if file.is_file()), None)


def _folders_in(folder: Path) -> Iterable[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else ()


def _json_files(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.suffix == ".json") if folder.is_dir() else []


def _parent_of(file: Path) -> str:
    """Return the name of the parent of a session, or "" if it has none or the file cannot be read."""
    info = next(read_events([file], is_stored, Problems(), _WHAT), {})
    name = info.get("parentID")
    return name if isinstance(name, str) and name == Path(name).name else ""


def _ancestors(name: str, parents: dict[str, str]) -> Iterator[str]:
    """Yield the names of the ancestors of a session, the nearest first."""
    seen = {name}
    while (name := parents.get(name, "")) and name not in seen:
        seen.add(name)
        yield name
