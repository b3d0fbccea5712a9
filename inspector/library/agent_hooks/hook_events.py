"""Answer a hook event of Claude Code or Codex: give back what a compaction dropped, and keep finished sessions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import Any

from inspector.analysis.context_loss import Restored, restore
from inspector.core.text import loads
from inspector.engine.work_state import WorkHistory, WorkState
from inspector.library.agent_hooks.hook_entry import ANSWERS, HOOK_SECONDS
from inspector.library.agent_hooks.hook_files import key_of, last_boundary, write_hook_file
from inspector.library.agent_hooks.hook_limits import HookLimits, limited_output
from inspector.library.agent_hooks.hook_log import log_failure
from inspector.library.agent_hooks.hook_runs import HookOutcome, record_run
from inspector.library.agent_hooks.hook_work import (
    MAX_CHARS,
    MAX_TOKENS,
    keep_transcript,
    start_output,
    transcript_of,
    write_verdict,
)
from inspector.library.opening.session_refs import read_file

_EVENTS = ("SessionStart", "PreCompact", "PostCompact", "Stop", "SessionEnd", "PostToolUse")
_NO_LIMITS = HookLimits()
_KEPT_AT = ("PreCompact", "Stop", "SessionEnd")
"""Events at which the transcript is imported into the store."""
_MAX_BYTES_BETWEEN = 10_000_000
"""Size of a transcript above which only the end of its session imports it, because the agent waits for the others."""
_WHOLE_BYTES = 6_000_000
"""Size of a transcript up to which it is read from its beginning."""
_BYTES_BEFORE = 3_000_000
"""Bytes of the replaced context that are read of a longer one."""
_REPLY = re.compile(rb'"id": ?"(msg_[A-Za-z0-9_-]{1,80})"')


def answer_in_time(
    read: Callable[[], bytes],
    db: Path | None = None,
    seconds: float = HOOK_SECONDS,
    tool: str = "",
    limits: HookLimits = _NO_LIMITS,
) -> str | None:
    """Return the output for one hook event within a time limit; "" to print nothing. Never raises.

    Args:
        read: Returns the event as JSON text.
        db: Path of the store. None for the default path.
        seconds: The time limit.
        tool: Name of the agent; "" to recognize Codex by its event.
        limits: Work of the hook other than giving facts back.

    Returns:
        The output, or None if the time is up. A thread then still works, and the process should exit at once.
    """
    answers: list[str] = []
    run = _TimedRun(tool)

    def work() -> None:
        outcome: HookOutcome = "failed"
        try:
            output = _hook_output(read(), db, run, limits)
            outcome = "answered" if output else "silent"
        except BaseException as error:  # A hook that fails must not disturb the agent.
            log_failure(error)
            output = ""
        run.end(outcome)
        answers.append(output)

    try:
        worker = Thread(target=work, daemon=True)
        worker.start()
        worker.join(seconds)
    except BaseException as error:  # An interrupt, or no thread can be started.
        log_failure(error)
        return None
    if not answers:
        log_failure(TimeoutError())
        run.end("timeout")
        return None
    return answers[0]


class _TimedRun:
    """The run of a hook, which is recorded once its event is known."""

    def __init__(self, tool: str) -> None:
        self.began, self.tool, self.event = monotonic(), tool, ""

    def name(self, event: Mapping[str, Any]) -> None:
        """Set the event, and the agent if its settings do not name it."""
        name = event.get("hook_event_name")
        self.event = name if isinstance(name, str) and name in _EVENTS else ""
        self.tool = self.tool or ("codex" if "turn_id" in event else "claude-code")

    def end(self, outcome: HookOutcome) -> None:
        record_run(self.tool, self.event, monotonic() - self.began, outcome)


def _hook_output(text: bytes, db: Path | None, run: _TimedRun, limits: HookLimits) -> str:
    """Return the output for one event. Unknown events and those of sub-agents have none."""
    event = loads(text.decode("utf-8-sig"))
    if not isinstance(event, Mapping) or event.get("agent_id"):
        return ""
    run.name(event)
    if output := limited_output(event, limits):
        return output
    match event.get("hook_event_name"):
        case "SessionStart" if event.get("source") == "compact":
            return _restored_output(event)
        case str(name) if name in _KEPT_AT:
            _keep_transcript(event, db)
    return ""


def _restored_output(event: Mapping[str, Any]) -> str:
    path = transcript_of(event)
    if path is None:
        return ""
    boundary = last_boundary(path)
    if path.stat().st_size <= _WHOLE_BYTES or boundary < 0:
        session = read_file(path)[0]
        restored = restore(session, session.agents[0], tokens=MAX_TOKENS, chars=MAX_CHARS)
    else:
        restored = _restored_end(path, boundary)
    output = start_output(restored)
    with suppress(OSError):
        if boundary >= 0:
            write_hook_file(ANSWERS, key_of(str(path)), {"boundary": boundary, "output": output})
        write_verdict(event, restored)
    return output


def _restored_end(path: Path, boundary: int) -> Restored | None:
    """Return what the last compaction of a long transcript dropped, from the end of the context before it."""
    start = max(last_boundary(path, boundary, boundary - _BYTES_BEFORE), 0)
    with path.open("rb") as file, TemporaryDirectory(prefix="inspector-") as folder:
        first = file.readline()
        if not start:
            file.seek(boundary - _BYTES_BEFORE)
            file.readline()
            start = file.tell()
        file.seek(0)
        ids = {
            match[1]
            for piece in iter(lambda: file.read(min(1 << 20, start - file.tell())), b"")
            for match in _REPLY.finditer(piece)
        }
        part = Path(folder, path.name)
        part.touch(0o600)
        part.write_bytes((first if b'"session_meta"' in first else b"") + file.read(_WHOLE_BYTES))
        session = read_file(part)[0]
        history = WorkHistory(session, session.agents[0], WorkState(turn=len(ids)))
        return restore(session, session.agents[0], tokens=MAX_TOKENS, chars=MAX_CHARS, history=history)


def _keep_transcript(event: Mapping[str, Any], db: Path | None) -> None:
    path = transcript_of(event)
    if path is not None and (event["hook_event_name"] == "SessionEnd" or path.stat().st_size <= _MAX_BYTES_BETWEEN):
        keep_transcript(path, db)
