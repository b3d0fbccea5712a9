"""Claude Agent SDK: a `SessionStore` in a folder that the app opens and follows.

The transcripts are those of Claude Code, in the same layout: `PROJECT/SESSION.jsonl` and
`PROJECT/SESSION/subagents/….jsonl`.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import orjson

_T = TypeVar("_T")
_ENDING = ".jsonl"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")


class TranscriptStore:
    """Keeps the transcripts of the Claude Agent SDK: `ClaudeAgentOptions(session_store=TranscriptStore(folder))`.

    Args:
        folder: Folder of the transcripts, which only the user may read. It is made if it is missing.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._guard = threading.Lock()

    async def append(self, key: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> None:
        """Append entries to a transcript. Those whose `uuid` it has are passed over."""
        if entries:
            await asyncio.to_thread(self._append, self._path(key), entries)

    async def load(self, key: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return the entries of a transcript; None for an unknown transcript."""
        return await asyncio.to_thread(_transcript, self._path(key))

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        """Return the sessions of a project with the times of their last changes in milliseconds since 1970."""

        def sessions() -> list[dict[str, Any]]:
            paths = (self.folder / _checked(project_key)).glob(f"*{_ENDING}")
            return [{"session_id": path.stem, "mtime": int(path.stat().st_mtime * 1000)} for path in paths]

        return await self._locked(sessions)

    async def delete(self, key: Mapping[str, Any]) -> None:
        """Delete a transcript, and that of its subagents unless it is one of them."""
        path = self._path(key)

        def remove() -> None:
            path.unlink(missing_ok=True)
            if not key.get("subpath"):
                shutil.rmtree(path.with_suffix(""), ignore_errors=True)

        await self._locked(remove)

    async def list_subkeys(self, key: Mapping[str, Any]) -> list[str]:
        """Return the paths of a session's other transcripts, such as those of subagents."""
        folder = self._path({**key, "subpath": ""}).with_suffix("")
        return await self._locked(
            lambda: sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*{_ENDING}"))
        )

    async def _locked(self, work: Callable[[], _T]) -> _T:
        def locked() -> _T:
            with self._guard:
                return work()

        return await asyncio.to_thread(locked)

    def _path(self, key: Mapping[str, Any]) -> Path:
        """Return the file of a transcript. Raises ValueError for names that would leave the folder."""
        place = self.folder / _checked(key["project_key"]) / _checked(key["session_id"])
        for name in filter(None, str(key.get("subpath") or "").split("/")):
            place /= _checked(name)
        return place.with_name(place.name + _ENDING)

    def _append(self, path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
        with self._guard:
            known = {entry.get("uuid") for entry in _transcript(path) or ()} - {None}
            new = [entry for entry in entries if entry.get("uuid") not in known]
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(file, "ab") as out:
                out.write(b"".join(orjson.dumps(entry) + b"\n" for entry in new))


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith("."):
        raise ValueError(f"A part of a transcript's key is letters, digits, '.', '_' and '-', not {name!r}.")
    return name


def _transcript(path: Path) -> list[dict[str, Any]] | None:
    if not path.exists():
        return None
    return [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
