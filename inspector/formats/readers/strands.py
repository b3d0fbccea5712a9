"""Sessions of Strands Agents: a folder with a file for the session, for each agent, and for each message.

https://strandsagents.com: `session.json`, `agents/agent_<id>/agent.json` and `messages/message_<n>.json` below it. The
conversation manager counts the messages that it no longer sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from inspector.core.conversation import MAIN
from inspector.core.text import plural
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, time_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.event_files import event_files, read_events
from inspector.formats.reading.history_format import History, HistoryFormat, json_beside
from inspector.llm.providers import as_text, token_count

_SESSION = "session.json"
_MESSAGE = re.compile(r"message_([0-9]{1,9})\.json")


class Strands(HistoryFormat):
    """Sessions of Strands Agents."""

    name = "strands"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "times", "thinking", "agents"})
    page = "https://strandsagents.com"
    mark = "a session_type and a session_id"
    kind = "session"

    def is_history(self, record: Fields) -> bool:
        return "session_id" in record and "session_type" in record

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        log = LibraryLog()
        for place, folder in enumerate(_agent_folders(Path(content.source.path))):
            agent = MAIN if not place else folder.name.removeprefix("agent_")
            head = json_beside(folder / "agent.json", content)
            if prompt := as_text(head.get("system_prompt")):
                log.add_message(f"{agent}-system", "system", {"content": prompt}, {}, agent=agent)
            files = event_files(folder / "messages", _MESSAGE)
            dropped = token_count(head.get("conversation_manager_state"), "removed_message_count")
            for number, entry in enumerate(read_events(files, _is_strand_message, content.problems, "a message")):
                if number == dropped and number:
                    log.begin_anew(agent)
                _add_strand(log, entry, agent)
            _note_gaps(files, content)
        yield History(log, as_text(record["session_id"]))

    def parts(self, path: Path) -> list[Path]:
        if path.name != _SESSION:
            return []
        folders = _agent_folders(path)
        heads = [head for folder in folders if (head := folder / "agent.json").is_file()]
        return [*heads, *(file for folder in folders for file in event_files(folder / "messages", _MESSAGE))]

    def whole(self, part: Path) -> Path | None:
        if _MESSAGE.fullmatch(part.name) and part.parent.name == "messages":
            part = part.parent
        is_in_agent = part.parent.name.startswith("agent_") and part.parent.parent.name == "agents"
        return (
            part.parent.parent.with_name(_SESSION) if is_in_agent and part.name in ("messages", "agent.json") else None
        )


def _agent_folders(path: Path) -> list[Path]:
    folder = path.with_name("agents")
    return sorted(one for one in folder.glob("agent_*") if one.is_dir()) if path.name == _SESSION else []


def _is_strand_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("message"), dict)


def _add_strand(log: LibraryLog, entry: Fields, agent: str) -> None:
    message = fields_of(entry.get("redact_message")) or fields_of(entry["message"])
    name = f"{agent}-{entry.get('message_id')}"
    role = role_of(as_text(message.get("role"))) or "user"
    notes = {key: value for key, value in entry.items() if key not in ("message", "redact_message")}
    log.add_message(name, role, message, notes, agent=agent, time=time_of(entry.get("created_at")))


def _note_gaps(files: list[Path], content: Content) -> None:
    """Add a problem if the numbers of messages are not consecutive."""
    numbers = [int(match[1]) for file in files if (match := _MESSAGE.fullmatch(file.name))]
    missing = len(range(numbers[0], numbers[-1] + 1)) - len(numbers) if numbers else 0
    if missing:
        content.problems.add(f"missing between {files[0].name} and {files[-1].name}: {plural(missing, 'message')}")
