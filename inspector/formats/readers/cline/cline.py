"""Tasks of Cline and of the agents that come from it, Roo Code and Kilo Code.

https://github.com/cline/cline: a folder for each task. `api_conversation_history.json` has the messages, in Anthropic's
form for every model; `ui_messages.json` what the person saw, and among that the requests with their numbers;
`task_metadata.json` the models, `context_history.json` what was sent in the place of some words. Newer tasks are one
file with a `sessionId`, the system prompt and the messages, `ID.messages.json`, and their newest compaction another,
`ID.compaction.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.ids import unique
from inspector.formats.readers.cline.cline_edits import context_edits
from inspector.formats.readers.cline.cline_state import is_compacted_state
from inspector.formats.readers.cline.cline_task import ClineTask
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError

_HISTORY, _EVENTS, _METADATA = "api_conversation_history.json", "ui_messages.json", "task_metadata.json"
_EDITS = "context_history.json"
_MESSAGES, _COMPACTION = ".messages.json", ".compaction.json"
"""Ends of the names of the files of a session of the Cline SDK."""
_SIDE_FILES = frozenset({_EVENTS, _METADATA, _EDITS, "history_item.json"})
"""Files in the folder of a task other than its messages."""
_OWN = word_set(
    "modelInfo metrics isSummary condenseId condenseParent truncationId truncationParent isTruncationMarker"
)
"""Fields of a message that no request has."""
_TAGS = ("<task>", "<environment_details>", "<user_message>")
"""Tags around the words of a person, and after them."""


class Cline(Format):
    """Tasks of Cline, Roo Code and Kilo Code, from either of their files."""

    name = "cline"
    order: ClassVar[RecordOrder] = RecordOrder(time="ts")
    costs: ClassVar[str] = "request.cost metrics.cost"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "usage", "cost", "times", "models", "thinking", "compactions", "context window"}
    )
    page = "https://docs.cline.bot"
    place = "globalStorage/saoudrizwan.claude-dev/tasks"

    def recognize(self, sample: Sample) -> FormatMatch:
        records = sample.objects
        if any(map(_is_task, records)):
            return FormatMatch(0.9, "messages with the model and the numbers of each, or the time of each")
        if 2 * sum(map(_is_event_of_task, records)) >= max(1, len(records)):
            return FormatMatch(0.95, "messages and questions of a task, each with its time")
        return _by_messages([record for record in sample.records if _is_message(record)], len(sample.records))

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        tasks: list[tuple[Fields, int]] = []
        messages: list[Fields] = []
        events: list[Fields] = []
        for number, record in content.records(progress):
            if isinstance(record, dict) and isinstance(record.get("messages"), list):
                tasks.append((record, number))
            elif _is_message(record):
                messages.append(record)
            elif _is_event_of_task(record):
                events.append(record)
            else:
                content.reject(number, "is not a message of a Cline task")
        if messages or events or not tasks:
            return [_session_in_folder(content, messages, events)]
        if len(tasks) == 1:
            return [_session_in_file(content, tasks[0][0])]
        return unique(
            ClineTask(task, objects_of(task["messages"])).session(content, self.name, number) for task, number in tasks
        )

    def parts(self, path: Path) -> list[Path]:
        if path.name.endswith(_MESSAGES):
            other = _of_same_session(path, _COMPACTION)
            return [other] if other.is_file() else []
        if path.name not in (_HISTORY, _EVENTS):
            return []
        names = (_HISTORY, _EVENTS, _METADATA, _EDITS)
        return [other for name in names if name != path.name and (other := path.with_name(name)).is_file()]

    def whole(self, part: Path) -> Path | None:
        if part.name.endswith(_COMPACTION):
            return _of_same_session(part, _MESSAGES)
        return part.with_name(_HISTORY) if part.name in _SIDE_FILES else None


def _is_message(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("role"), str) and "content" in record


def _is_event_of_task(record: Any) -> bool:
    """Return True if a record is something that the person saw."""
    if not isinstance(record, dict) or "ts" not in record or "role" in record:
        return False
    return record.get("type") in ("say", "ask") and record["type"] in record


def _is_task(record: Fields) -> bool:
    """Return True if an object is a task in one file: its messages, or some of them, tell."""
    messages = [message for message in objects_of(record.get("messages"))[:50] if _is_message(message)]
    has_notes = any(not _OWN.isdisjoint(message) for message in messages)
    has_times = is_compacted_state(record) or any("ts" in message for message in messages)
    return has_notes or ("version" in record and has_times and bool(messages))


def _by_messages(messages: Sequence[Fields], records: int) -> FormatMatch:
    """Return the confidence that messages are of a task, for a number of records."""
    if 2 * len(messages) < max(1, records):
        return UNLIKE
    if any(not _OWN.isdisjoint(message) for message in messages):
        return FormatMatch(0.95, "messages with notes of Cline or Roo Code")
    if any(map(_is_wrapped, messages)):
        return FormatMatch(0.85, "a request between tags of Cline, or the details of its environment")
    return UNLIKE


def _is_wrapped(message: Fields) -> bool:
    """Return True if a message of the person is between tags of Cline."""
    if message["role"] != "user":
        return False
    content = message["content"]
    texts = [content] if isinstance(content, str) else [block.get("text") for block in objects_of(content)]
    return any(isinstance(text, str) and text.lstrip().startswith(_TAGS) for text in texts)


def _session_in_folder(content: Content, messages: Sequence[Fields], events: Sequence[Fields]) -> Session:
    """Return the session of one file of a task's folder, with the data of the others."""
    path, problems = Path(content.source.path), content.problems
    is_whole = path.name in (_HISTORY, _EVENTS)
    if not messages and path.name == _EVENTS:
        messages = objects_of(_beside(path.with_name(_HISTORY), problems))
    elif path.name == _HISTORY:
        events = objects_of(_beside(path.with_name(_EVENTS), problems))
    if not messages:
        problems.add(f"the sent messages are in {_HISTORY}, which is missing: only what the user saw is shown")
    metadata = _beside(path.with_name(_METADATA), problems) if is_whole else None
    models = objects_of(metadata.get("model_usage")) if isinstance(metadata, dict) else []
    edits = context_edits(_beside(path.with_name(_EDITS), problems)) if is_whole else []
    task = ClineTask(messages=messages, events=events, models=models, edits=edits)
    return task.session(content, Cline.name)


def _session_in_file(content: Content, task: Fields) -> Session:
    """Return the session of one of the two files of the Cline SDK, with the data of the other."""
    path, problems = Path(content.source.path), content.problems
    state: Any = None
    if path.name.endswith(_MESSAGES):
        state = _beside(_of_same_session(path, _COMPACTION), problems)
    elif path.name.endswith(_COMPACTION):
        whole = _beside(_of_same_session(path, _MESSAGES), problems)
        if isinstance(whole, dict) and objects_of(whole.get("messages")):
            task, state = whole, task
        else:
            problems.add(f"the messages before the compaction are in a file named *{_MESSAGES}, which is missing")
    compacted = state if isinstance(state, dict) and isinstance(state.get("messages"), list) else None
    return ClineTask(task, objects_of(task["messages"]), compacted=compacted).session(content, Cline.name)


def _of_same_session(path: Path, end: str) -> Path:
    """Return the path of the other file of a session of the Cline SDK."""
    return path.with_name(path.name.removesuffix(_MESSAGES).removesuffix(_COMPACTION) + end)


def _beside(path: Path, problems: Problems) -> Any:
    """Return the JSON value in another file of the folder. None if the file does not exist."""
    if not path.is_file():
        return None
    try:
        return open_content(path).value
    except (UnreadableError, RecursionError):
        problems.add(f"{path.name} in the same folder could not be read")
        return None
