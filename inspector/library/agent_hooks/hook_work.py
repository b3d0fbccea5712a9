"""Work for hook events that no agent waits for: prepare the answer to a compaction, and import the transcript."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

from inspector.analysis.context_loss import Restored, restore
from inspector.core.conversation import Session
from inspector.core.text import loads, plain_dumps
from inspector.engine.work_state import WorkHistory
from inspector.formats import incremental_reader_of
from inspector.library.agent_hooks.hook_entry import ANSWERS, BOUNDARY, IMPORTS, LOCK, PREPARED_AT, has_grown
from inspector.library.agent_hooks.hook_files import (
    VERDICTS,
    key_of,
    last_boundary,
    read_hook_file,
    release_lock,
    try_lock,
    write_hook_file,
)
from inspector.library.agent_hooks.hook_log import log_failure
from inspector.library.opening.session_library import Library
from inspector.library.opening.session_refs import OpenError, read_file
from inspector.llm.tokens import counter_for

MAX_TOKENS, MAX_CHARS = 2_400, 10_000
"""Limits of a hook's output. An agent replaces a longer output by a preview."""
_MAX_WAIT = 300.0
"""Seconds for which a compaction is waited for."""
_MAX_SECONDS = 900.0
"""Seconds after which the process ends."""
_POLL = 0.1


def work_detached(data: bytes, db: Path | None = None) -> None:
    """Do the work for an event, unless another process does it already. Never raises.

    Args:
        data: The event as JSON text.
        db: Path of the store. None for the default path.
    """
    try:
        with suppress(OSError, AttributeError):
            os.nice(5)
        limit = Timer(_MAX_SECONDS, os._exit, (0,))
        limit.daemon = True
        limit.start()
        event = loads(data.decode("utf-8-sig"))
        if isinstance(event, Mapping) and (path := transcript_of(event)) is not None:
            _work_for(event, path, db)
        limit.cancel()
    except BaseException as error:
        log_failure(error)


def _work_for(event: Mapping[str, Any], path: Path, db: Path | None) -> None:
    name, key = event.get("hook_event_name"), key_of(str(path))
    if name in PREPARED_AT:
        lock = event.get(LOCK)
        if isinstance(lock, int) and lock >= 0:
            _prepare_answer(event, path, key)
            release_lock(lock)
        else:
            with try_lock(key) as is_free:
                if is_free:
                    _prepare_answer(event, path, key)
    if name != "PostCompact":
        with try_lock(f"{key}.import") as is_free:
            if is_free and (name != "Stop" or has_grown(path)):
                keep_transcript(path, db)
                write_hook_file(IMPORTS, key, {"size": path.stat().st_size})


def transcript_of(event: Mapping[str, Any]) -> Path | None:
    """Return the path of an event's transcript; None if the event names none.

    Raises:
        OpenError: If it is not a file.
    """
    name = event.get("transcript_path")
    if not isinstance(name, str) or not name:
        return None
    path = Path(name).expanduser()
    if not path.is_file():
        raise OpenError("The transcript is not a file.")
    return path


def keep_transcript(path: Path, db: Path | None) -> None:
    """Import a transcript into the store.

    Raises:
        InspectorError: If it cannot be read or stored.
    """
    with Library(db, required=True) as library:
        for outcome in library.import_targets([str(path)]):
            if outcome.problem:
                raise OpenError(outcome.problem)


def _prepare_answer(event: Mapping[str, Any], path: Path, key: str) -> None:
    """Wait for the record of a compaction, and write the answer to it."""
    is_over = event["hook_event_name"] == "PostCompact"
    known = read_hook_file(ANSWERS, key).get("boundary") if is_over else event.get(BOUNDARY)
    growing = _GrowingSession(path)
    deadline = time.monotonic() + _MAX_WAIT
    while (boundary := _whole_boundary(path)) in (known, -1):
        if time.monotonic() > deadline or not path.exists():
            return
        time.sleep(_POLL)
    restored = growing.restored()
    write_hook_file(ANSWERS, key, {"boundary": boundary, "output": start_output(restored)})
    write_verdict(event, restored)


def _whole_boundary(path: Path) -> int:
    """Return the last compaction of a transcript if its summary follows; -1 without one."""
    with path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 1))
        if file.read(1) != b"\n":
            return -1
    boundary = last_boundary(path)
    if boundary < 0:
        return -1
    with path.open("rb") as file:
        file.seek(boundary)
        line = file.readline()
        return boundary if b'"compact_boundary"' not in line or file.readline().endswith(b"\n") else -1


def start_output(restored: Restored | None) -> str:
    """Return the output of a hook at the start of a context; "" without a lost fact."""
    if restored is None or not restored.text:
        return ""
    context = {"hookEventName": "SessionStart", "additionalContext": restored.text}
    return plain_dumps({"hookSpecificOutput": context})


def write_verdict(event: Mapping[str, Any], restored: Restored | None) -> None:
    """Write what a compaction lost, for the status line.

    Raises:
        OSError: If the file cannot be written.
    """
    name = event.get("session_id")
    if restored is None or not isinstance(name, str) or not name:
        return
    lost = Counter(step.kind for step in (*restored.used, *restored.left))
    values = {"time": time.time(), "turn": restored.turn, "lost": dict(lost), "kept": restored.repeated}
    write_hook_file(VERDICTS, key_of(name), values | {"tokens": restored.tokens})


class _GrowingSession:
    """A transcript that is read up to its end, and again when it has grown."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = incremental_reader_of(path)
        self.size = self._number = 0
        self._history: WorkHistory | None = None
        with suppress(OSError, ValueError):
            self._read()

    def _read(self) -> WorkHistory:
        session = self._session()
        agent = session.agents[0]
        counter_for(session.model).count("Load the tokenizer now.")
        old = self._history
        history = old.continued(session, agent) if old is not None else WorkHistory(session, agent)
        history.at_turn()
        self._history = history
        return history

    def _session(self) -> Session:
        if self._lines is None:
            return read_file(self.path)[0]
        reader, content = self._lines
        with self.path.open("rb") as file:
            file.seek(self.size)
            while (line := file.readline()).endswith(b"\n"):
                self._number += 1
                reader.feed(content, self._number, self.size, line)
                self.size += len(line)
        return reader.session()[0]

    def restored(self) -> Restored | None:
        """Return what the last compaction dropped."""
        history = self._read()
        return restore(history.session, history.agent, tokens=MAX_TOKENS, chars=MAX_CHARS, history=history)
