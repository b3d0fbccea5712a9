"""Answer a hook event without loading the engine where that is possible.

A separate process does the work that no agent needs to wait for. It is started at events before and after a
compaction, and prepares the answer of the event that follows, which then only has to be printed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from inspector import library
from inspector.library.agent_hooks.hook_files import (
    hold_lock,
    key_of,
    last_boundary,
    read_hook_file,
    release_lock,
    try_lock,
)
from inspector.library.agent_hooks.hook_runs import HookOutcome, record_run

HOOK_SECONDS = 8.0
"""Time after which a hook gives up. Agents wait at least 10 seconds."""
_EVENTS = ("SessionStart", "PreCompact", "PostCompact", "Stop", "SessionEnd", "PostToolUse")
PREPARED_AT = ("PreCompact", "PostCompact")
"""Events at which the answer to a compaction is prepared."""
_IN_BACKGROUND = (*PREPARED_AT, "Stop", "SessionEnd")
"""Events with work that no agent waits for."""
_USUAL_BYTES = 1_000_000
"""Almost all events are smaller."""
_POLL = 0.05
_MAX_DIGITS = 9
BOUNDARY = "inspector_boundary"
"""Key that is added to an event: the last compaction in the transcript at that time."""
LOCK = "inspector_lock"
"""Key that is added to an event: the descriptor of the lock that the work holds, or -1."""
_SHARE_TO_WAIT = 0.5
"""Fraction of the time limit in which an answer that is being prepared is waited for."""
_GROWTH = 1.25
"""Growth of a transcript after which the end of a turn imports it again."""
ANSWERS, IMPORTS = "answers", "imports"
"""Kinds of the files with prepared answers, and with the sizes of imported transcripts."""


def run_hook(words: list[str]) -> int:
    """Answer the event on standard input. Always returns 0.

    Args:
        words: Words of the command line: an agent's name, and the options `--timeout`, `--db`, `--guard`, `--trim`.
    """
    began = time.monotonic()
    tool, options = _parsed_words(words)
    stream = getattr(sys.stdin, "buffer", None)
    data = _event_bytes(stream) if stream else b""
    event = _event_of(data)
    if event is None or event.get("agent_id") or event.get("hook_event_name") not in _EVENTS:
        return 0
    return _answer_event(
        event,
        data,
        tool or ("codex" if "turn_id" in event else "claude-code"),
        options,
        _seconds(options["--timeout"]) + began - time.monotonic(),
    )


def _event_bytes(stream: BinaryIO) -> bytes:
    """Read an event. The limit is looked up, which reads the user's settings, only for large ones."""
    data = stream.read(_USUAL_BYTES)
    if len(data) < _USUAL_BYTES:
        return data
    return data + stream.read(max(0, library.largest_event() - _USUAL_BYTES))


def _answer_event(event: Mapping[str, Any], data: bytes, tool: str, options: Mapping[str, str], seconds: float) -> int:
    """Answer an event, and record the run. Always returns 0.

    Args:
        event: The event.
        data: The event as JSON text.
        tool: Name of the agent.
        options: Values of the options by name.
        seconds: Time that is left.
    """
    began, name = time.monotonic(), str(event["hook_event_name"])
    db = Path(options["--db"]) if options["--db"] else None
    outcome: HookOutcome = "silent"
    if output := _limited(event, options["--guard"], options["--trim"]):
        _print_answer(output)
        outcome = "answered"
    elif name in _IN_BACKGROUND:
        outcome = _start_work(event, tool, db)
    elif event.get("source") == "compact":
        answer = _prepared_answer(event, began + seconds * _SHARE_TO_WAIT)
        if answer is None:
            return _answer_now(data, db, began + seconds - time.monotonic(), tool)
        _print_answer(answer)
        outcome = "answered" if answer else "silent"
    record_run(tool, name, time.monotonic() - began, outcome)
    return 0


def _answer_now(data: bytes, db: Path | None, seconds: float, tool: str) -> int:
    """Answer an event in this process, which loads the engine and records the run."""
    output = library.answer_in_time(lambda: data, db, seconds, tool)
    if output is None:
        os._exit(0)  # A thread still works, and an ordinary exit could wait for its locks.
    if output:
        _print_answer(output)
    return 0


def _limited(event: Mapping[str, Any], guard: str, trim: str) -> str:
    """Return the output of an option that the event is about, or "". Never raises."""
    if not guard and not trim:
        return ""
    try:
        limits = library.HookLimits(guard, int(trim) if trim.isdecimal() and len(trim) < _MAX_DIGITS else 0)
        return library.limited_output(event, limits)
    except Exception as error:
        library.log_failure(error)
        return ""


def _parsed_words(words: list[str]) -> tuple[str, dict[str, str]]:
    """Return the agent's name and the values of the options. Other options are ignored."""
    tool, options = "", dict.fromkeys(("--timeout", "--db", "--guard", "--trim"), "")
    rest = iter(words)
    for word in rest:
        if word in options:
            options[word] = next(rest, "")
        elif not word.startswith("-"):
            tool = tool or word
    return tool, options


def _seconds(text: str) -> float:
    """Return the time limit; the usual one for "" and for no number."""
    try:
        return min(float(text), 3_600.0)
    except ValueError:
        return HOOK_SECONDS


def _event_of(data: bytes) -> Mapping[str, Any] | None:
    """Return an event; None if it is not understood."""
    try:
        event = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        library.log_failure(error)
        return None
    return event if isinstance(event, dict) else None


def _print_answer(output: str) -> None:
    """Write the output. An agent that no longer reads is no failure."""
    try:
        sys.stdout.buffer.write(f"{output}\n".encode("ascii"))
        sys.stdout.buffer.flush()
    except (AttributeError, OSError, ValueError):
        os._exit(0)


def _prepared_answer(event: Mapping[str, Any], deadline: float) -> str | None:
    """Return the answer to a compaction that was prepared or is being prepared, or None.

    Args:
        event: The event.
        deadline: Time of the monotonic clock until which an answer that is being prepared is waited for.
    """
    name = event.get("transcript_path")
    if not isinstance(name, str) or not name:
        return None
    try:
        path = Path(name).expanduser()
        if not path.is_file():
            return None
        key = key_of(str(path))
        boundary = last_boundary(path)
        while boundary >= 0:
            answer = read_hook_file(ANSWERS, key)
            if answer.get("boundary") == boundary and isinstance(answer.get("output"), str):
                return str(answer["output"])
            with try_lock(key) as is_free:
                if is_free or time.monotonic() > deadline:
                    return None
            time.sleep(_POLL)
    except (OSError, ValueError, RuntimeError):
        return None
    return None


def has_grown(path: Path) -> bool:
    """Return True if a transcript has grown by a quarter since it was imported.

    Raises:
        OSError: If it does not exist.
    """
    size = read_hook_file(IMPORTS, key_of(str(path))).get("size")
    return not isinstance(size, int) or not size <= path.stat().st_size < size * _GROWTH


def _start_work(event: Mapping[str, Any], tool: str, db: Path | None) -> HookOutcome:
    """Start the process that works for an event, which outlives this one."""
    name = event.get("transcript_path")
    if not isinstance(name, str) or not name:
        return "silent"
    try:
        path = Path(name).expanduser()
        if not path.is_file():
            raise FileNotFoundError(name)
        if event["hook_event_name"] == "Stop" and not has_grown(path):
            return "silent"
        return _start_process(event, tool, db, path)
    except (OSError, ValueError, RuntimeError) as error:
        library.log_failure(error)
        return "failed"


def _start_process(event: Mapping[str, Any], tool: str, db: Path | None, path: Path) -> HookOutcome:
    """Start the process, which holds the lock of an answer from the beginning.

    Raises:
        OSError: If a file cannot be read or the process cannot be started.
        ValueError: If the event cannot be written as JSON.
    """
    import subprocess

    name = event["hook_event_name"]
    held = hold_lock(key_of(str(path))) if name in PREPARED_AT else -1
    if held is None and name == "PostCompact":
        return "silent"
    lock = -1 if held is None else held
    try:
        data = json.dumps({**event, BOUNDARY: last_boundary(path), LOCK: lock}).encode()
        words = [sys.executable, "-m", "inspector", "hook", tool, "--detached", *(["--db", str(db)] if db else [])]
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[lock] if lock >= 0 else [],
        )
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
    finally:
        release_lock(lock)
    return "silent"
