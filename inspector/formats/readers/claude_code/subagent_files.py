"""Sub-agents of a transcript: the calls that start them, and which session a file of one belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspector.formats.readers.claude_code.message_drafts import text_in

TASK_TOOLS = ("Task", "Agent")
"""Tools that start sub-agents."""
_HEAD = 64 << 10
"""Bytes of the first line that are read: the ids precede the text."""
_OWNER = re.compile(rb'"sessionId" ?: ?"([\w-]{1,100})"')
_JOINTS = str.maketrans("", "", "-_")
"""Removes the characters that may separate letters in an agent's id."""
_MAX_NAME_LENGTH = 100
_SIDECHAIN = re.compile(rb'"isSidechain" ?: ?true')


def owner_of(path: Path) -> str:
    """Return the id of the session that started a sub-agent, by the sub-agent's file; "" if unknown. Never raises."""
    try:
        state = path.stat()
    except OSError:
        return ""
    is_complete = state.st_size >= _HEAD  # what comes behind that is not looked at
    return _owner_in(path, state.st_ino, 0 if is_complete else state.st_mtime_ns)


def started_tasks(message: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the prompt and the kind of each sub-agent that a reply starts, and the id of the call."""
    blocks = message.get("content")
    for block in blocks if isinstance(blocks, list) else ():
        match block:
            case {"name": str(name), "input": {"prompt": str(prompt), "subagent_type": str(kind)}} if (
                name in TASK_TOOLS
            ):
                yield prompt, kind, text_in(block, "id")


def has_own_file(agent: str, path: str, known: dict[str, bool]) -> bool:
    """Return True if the messages of a sub-agent are in a separate file, which is complete.

    Args:
        agent: Id of the sub-agent.
        path: File of the main conversation.
        known: Answers for the agents of this file. Receives the new one.
    """
    if agent not in known:
        folder = Path(path).with_suffix("") / "subagents"
        is_name = agent.translate(_JOINTS).isalnum() and len(agent) < _MAX_NAME_LENGTH
        known[agent] = is_name and (folder / f"agent-{agent}.jsonl").exists()
    return known[agent]


@lru_cache(maxsize=10_000)
def _owner_in(path: Path, _inode: int, _state: int) -> str:
    try:
        with path.open("rb") as file:
            head = file.readline(_HEAD)
    except OSError:
        return ""
    owner = _OWNER.search(head) if _SIDECHAIN.search(head) else None
    return owner[1].decode() if owner else ""
