"""Sessions of Copilot Chat in Visual Studio Code, the log of changes that newer ones are, and its exports.

https://github.com/microsoft/vscode: a session has `requests`, each with what was asked and what the person saw of the
answer; its result notes what the model was sent and said, round by round.
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.readers.copilot.copilot_replay import is_prompt, prompts_in, replay_sessions
from inspector.formats.readers.copilot.copilot_turns import CopilotTurns
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_AROUND = word_set("sessionId requesterUsername responderUsername initialLocation creationDate")
"""Fields of a session, of which an export has some."""
_BEGIN, _SET, _PUSH, _DELETE = 0, 1, 2, 3
"""Kinds of lines."""
_DEEPEST = 64
"""Steps of a path."""


class CopilotChat(Format):
    """Chats with Copilot in an editor: as it keeps them, and as it exports them."""

    name = "copilot-chat"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "compactions"}
    )
    page = "https://code.visualstudio.com/docs/copilot/chat/chat-sessions"
    place = "workspaceStorage/*/chatSessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        records = sample.objects
        if any(map(_is_session, records)):
            return FormatMatch(1.0, "requests with the names of who asks and who answers")
        if records and records[0].get("kind") == 0 and _is_session(records[0].get("v")):
            return FormatMatch(1.0, "a session, and changes to it on the lines after it")
        if any(is_prompt(prompt) for record in records for prompt in prompts_in(record)):
            return FormatMatch(0.95, "prompts with the requests and the tool calls of each")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        log = ChangeLog()
        chats: list[Fields] = []
        prompts: list[Fields] = []
        for number, record in content.records(progress):
            own = [prompt for prompt in prompts_in(record) if is_prompt(prompt)]
            prompts += own
            if _is_session(record):
                chats.append(record)
            elif not own and not log.feed(record):
                content.reject(number, "is not a chat with Copilot")
        if prompts:
            return replay_sessions(content, self.name, prompts)
        chats += [log.value] if log.value or not chats else []
        return unique(_session_of_chat(content, chat) for chat in chats)


def _is_session(record: Any) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("requests"), list):
        return False
    return not _AROUND.isdisjoint(record)


def _session_of_chat(content: Content, chat: Fields) -> Session:
    requests = objects_of(chat.get("requests"))
    turns = CopilotTurns(requests)
    log = LogBuilder(dialect_for(turns.model))
    turns.add_to(log)
    title = as_text(chat.get("customTitle")) or turns.title
    return log.session(content, CopilotChat.name, as_text(chat.get("sessionId")), title, model=turns.model)


class ChangeLog:
    """The value as of the lines read so far; a line with a whole value replaces all before it."""

    def __init__(self) -> None:
        self.value: Fields = {}

    def feed(self, line: Any) -> bool:
        """Take in a line. False where it is none of a log; a change that leads nowhere changes nothing."""
        if not isinstance(line, dict) or line.get("kind") not in (_BEGIN, _SET, _PUSH, _DELETE):
            return False
        value, path = line.get("v"), line.get("k")
        if line["kind"] == _BEGIN:
            self.value = value if isinstance(value, dict) else {}
            return isinstance(value, dict)
        if not isinstance(path, list) or not 0 < len(path) <= _DEEPEST:
            return False
        holder: Any = self.value
        for step in path[:-1]:
            holder = _value_at(holder, step)
        if line["kind"] == _PUSH:
            _push(holder, path[-1], value, line.get("i"))
        elif line["kind"] == _SET:
            _set(holder, path[-1], value)
        else:
            _delete(holder, path[-1])
        return True


def _value_at(holder: Any, step: Any) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    return holder[step] if isinstance(holder, list) and _is_place(step) and step < len(holder) else None


def _set(holder: Any, step: Any, value: Any) -> None:
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
    elif isinstance(holder, list) and _is_place(step) and step <= len(holder):
        holder[step : step + 1] = [value]


def _delete(holder: Any, step: Any) -> None:
    if isinstance(holder, dict) and isinstance(step, str):
        holder.pop(step, None)
    elif isinstance(holder, list) and _is_place(step):
        del holder[step : step + 1]


def _push(holder: Any, step: Any, values: Any, length: Any) -> None:
    """Set elements after the first `length` of a list, or after all; a missing list is created."""
    if isinstance(holder, dict) and isinstance(step, str):
        holder.setdefault(step, [])
    target = _value_at(holder, step)
    if isinstance(target, list):
        if _is_place(length):
            del target[length:]
        target += values if isinstance(values, list) else []


def _is_place(step: Any) -> bool:
    return type(step) is int and step >= 0
