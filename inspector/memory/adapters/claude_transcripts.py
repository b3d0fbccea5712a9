"""Claude Agent SDK: a `SessionStore` over the store, whose sessions the app opens and follows."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspector import formats
from inspector.store import Store, StoreError, TranscriptKey, default_path

logger = logging.getLogger(__name__)
_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")


class TranscriptStore:
    """Keeps the transcripts of the Claude Agent SDK: `ClaudeAgentOptions(session_store=TranscriptStore("memory.db"))`.

    Entries are stored before `append` returns. A worker thread then brings the session that the app shows up to date,
    with the agents and compactions of the transcript; at the end of the program, Python waits for it.

    Args:
        store: The store or its file; the user's own store by default.
    """

    def __init__(self, store: Store | Path | str | None = None) -> None:
        self.store = store if isinstance(store, Store) else Store(store if store is not None else default_path())
        self._worker = ThreadPoolExecutor(1, "transcripts")
        self._queued: set[TranscriptKey] = set()
        self._guard = threading.Lock()

    async def append(self, key: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> None:
        """Append entries to a transcript. Those whose `uuid` it has are passed over."""
        name = _transcript_key(key)
        count = await asyncio.to_thread(self.store.transcripts.append, name, entries)
        if count:
            self._queue(name._replace(subpath=""))

    async def load(self, key: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return the entries of a transcript; None for an unknown transcript."""
        return await asyncio.to_thread(self.store.transcripts.entries, _transcript_key(key)) or None

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        """Return the sessions of a project with the times of their last changes in milliseconds since 1970."""
        rows = await asyncio.to_thread(self.store.transcripts.sessions, _checked(project_key))
        return [{"session_id": name, "mtime": changed} for name, changed in rows]

    async def delete(self, key: Mapping[str, Any]) -> None:
        """Delete a transcript; unless it is that of a subagent, also those of its subagents and the session."""
        name = _transcript_key(key)
        await asyncio.to_thread(self.store.transcripts.remove, name)
        if name.subpath:
            self._queue(name._replace(subpath=""))
        else:
            await asyncio.wrap_future(self._worker.submit(self._forget, name))

    async def list_subkeys(self, key: Mapping[str, Any]) -> list[str]:
        """Return the paths of a session's other transcripts, such as those of subagents."""
        return await asyncio.to_thread(self.store.transcripts.subpaths, _transcript_key({**key, "subpath": ""}))

    def close(self) -> None:
        """Wait until the sessions are up to date, and end the worker."""
        self._worker.shutdown()

    def _queue(self, name: TranscriptKey) -> None:
        """Have the worker update a session, once for all entries that are added before it begins."""
        with self._guard:
            if name in self._queued:
                return
            self._queued.add(name)
        self._worker.submit(self._update, name)

    def _update(self, name: TranscriptKey) -> None:
        """Bring the session of a transcript up to date. Never raises, because the transcript is stored."""
        with self._guard:
            self._queued.discard(name)
        try:
            self._import(name)
        except Exception as error:
            logger.warning("The session %s cannot be updated from its transcript: %s", name.session, error)

    def _import(self, name: TranscriptKey) -> None:
        transcripts = self.store.transcripts
        with tempfile.TemporaryDirectory(prefix="inspector-transcript-") as folder:
            path = Path(folder) / name.session
            for subpath in ("", *transcripts.subpaths(name)):
                file = path / subpath if subpath else path
                file.parent.mkdir(parents=True, exist_ok=True)
                lines = [json.dumps(entry) + "\n" for entry in transcripts.entries(name._replace(subpath=subpath))]
                if lines:
                    file.with_name(f"{file.name}.jsonl").write_text("".join(lines), encoding="ascii")
            main = path.with_name(f"{path.name}.jsonl")
            if main.exists():
                for session in formats.load(main):
                    self.store.add(replace(session, path=""))

    def _forget(self, name: TranscriptKey) -> None:
        try:
            self.store.remove(name.session)
        except StoreError as error:
            logger.info("The session %s is not removed: %s", name.session, error)


def _transcript_key(key: Mapping[str, Any]) -> TranscriptKey:
    """Return the name of a transcript. Raises ValueError for one that cannot be the name of a file."""
    path = str(key.get("subpath") or "")
    for name in filter(None, path.split("/")):
        _checked(name)
    return TranscriptKey(_checked(key["project_key"]), _checked(key["session_id"]), path.strip("/"))


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith("."):
        raise ValueError(f"A part of a transcript's key is letters, digits, '.', '_' and '-', not {name!r}.")
    return name
