"""Answer a hook event of Claude Code or Codex: give back what a compaction dropped, and keep finished sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from inspector.analysis.context_loss import restore
from inspector.core.text import loads, plain_dumps
from inspector.library.agent_hooks.hook_log import log_failure
from inspector.library.agent_hooks.hook_runs import HookOutcome, record_run
from inspector.library.opening.session_library import Library
from inspector.library.opening.session_refs import OpenError, read_file

HOOK_SECONDS = 8.0
"""Time after which a hook gives up. Agents wait at least 10 seconds."""
_MAX_TOKENS = 2_400
_MAX_CHARS = 10_000
"""Characters that an agent accepts from a hook. It replaces a longer output by a preview."""
_EVENTS = ("SessionStart", "PreCompact", "PostCompact", "Stop", "SessionEnd", "PostToolUse")
_KEPT_AT = ("PreCompact", "Stop", "SessionEnd")
"""Events at which the transcript is imported into the store."""
_MAX_BYTES_BETWEEN = 10_000_000
"""Size of a transcript above which only the end of its session imports it, because the agent waits for the others."""


def answer_in_time(
    read: Callable[[], bytes], db: Path | None = None, seconds: float = HOOK_SECONDS, tool: str = ""
) -> str | None:
    """Return the output for one hook event within a time limit; "" to print nothing. Never raises.

    Args:
        read: Returns the event as JSON text.
        db: Path of the store. None for the default path.
        seconds: The time limit.
        tool: Name of the agent; "" to recognize Codex by its event.

    Returns:
        The output, or None if the time is up. A thread then still works, and the process should exit at once.
    """
    answers: list[str] = []
    run = _TimedRun(tool)

    def work() -> None:
        outcome: HookOutcome = "failed"
        try:
            output = _hook_output(read(), db, run)
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


def _hook_output(text: bytes, db: Path | None, run: _TimedRun) -> str:
    """Return the output for one event. Unknown events and those of sub-agents have none."""
    event = loads(text.decode("utf-8-sig"))
    if not isinstance(event, Mapping) or event.get("agent_id"):
        return ""
    run.name(event)
    match event.get("hook_event_name"):
        case "SessionStart" if event.get("source") == "compact":
            return _restored_output(event)
        case str(name) if name in _KEPT_AT:
            _keep_transcript(event, db)
    return ""


def _transcript(event: Mapping[str, Any]) -> Path | None:
    """Return the path of the event's transcript; None if the event names none.

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


def _restored_output(event: Mapping[str, Any]) -> str:
    path = _transcript(event)
    if path is None:
        return ""
    session = read_file(path)[0]
    restored = restore(session, session.agents[0], tokens=_MAX_TOKENS, chars=_MAX_CHARS)
    if restored is None or not restored.text:
        return ""
    context = {"hookEventName": "SessionStart", "additionalContext": restored.text}
    return plain_dumps({"hookSpecificOutput": context})


def _keep_transcript(event: Mapping[str, Any], db: Path | None) -> None:
    path = _transcript(event)
    if path is None or (event["hook_event_name"] != "SessionEnd" and path.stat().st_size > _MAX_BYTES_BETWEEN):
        return
    with Library(db, required=True) as library:
        for outcome in library.import_targets([str(path)]):
            if outcome.problem:
                raise OpenError(outcome.problem)
