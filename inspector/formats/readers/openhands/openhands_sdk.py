"""Conversations of OpenHands' agent SDK: a folder with `base_state.json`, and one file for each event below it.

https://github.com/OpenHands/software-agent-sdk (`openhands-sdk/openhands/sdk/event`): events have a `kind`. Actions of
one response of the model are one reply; their answers name the call. The usage is in the state.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalFilesReader, RewrittenError
from inspector.formats.readers.openhands.openhands_conversation import OPENHANDS_SDK, SENT, OpenHandsConversation
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.event_files import IncrementalEvents, event_files, read_events
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError

_STATE = "base_state.json"
_FOLDER = "events"
_NAME = re.compile(r"event-([0-9]{5,12})-[^/]{0,255}\.json")
"""Pattern of the file names of events (https://github.com/OpenHands/software-agent-sdk, `persistence_const.py`)."""
_SILENT = word_set(
    "CondensationRequest CondensationSummaryEvent ConversationStateUpdateEvent ConversationErrorEvent PauseEvent "
    "TokenEvent HookExecutionEvent StreamingDeltaEvent LLMCompletionLogEvent ACPToolCallEvent"
)


class OpenHandsSDK(Format):
    """Conversations that OpenHands keeps, of the versions that are built on its agent SDK."""

    name = OPENHANDS_SDK
    order: ClassVar[RecordOrder] = RecordOrder(id="id", time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "compactions", "context window"}
    )
    page = "https://docs.openhands.dev/sdk"
    place = "~/.openhands/conversations"

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape == "object" and _is_state(sample.objects[0]):
            return FormatMatch(1.0, "the state of a conversation: its agent, its workspace and its statistics")
        events = [record for record in sample.objects if _is_sdk_event(record)]
        if events and 2 * len(events) >= len(sample.objects):
            return FormatMatch(0.95, "events of a kind such as MessageEvent and ActionEvent")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        conversation, path = OpenHandsConversation(), Path(content.source.path)
        state = path if path.name == _STATE else _state_of(path)
        for number, record in content.records(progress):
            is_object = isinstance(record, dict)
            if is_object and state and content.sample.shape == "object":
                conversation.set_state(_state_in(record, state, content.problems))
                for event in read_events(event_files(state.with_name(_FOLDER), _NAME), _has_kind, content.problems):
                    conversation.feed(event)
            elif is_object and _is_state(record):
                conversation.set_state(record)
            elif is_object and _is_sdk_event(record):
                conversation.feed(record)
            else:
                content.reject(number, "is not an event of an OpenHands conversation")
        return [_session_with_events(conversation, content, has_state=bool(state))]

    def incremental_files(self, path: Path) -> IncrementalFilesReader | None:
        state = path if path.name == _STATE else _state_of(path)
        content = open_content(state) if state else None
        if state is None or content is None or not _is_state(content.value):
            return None
        return _GrowingConversation(state, replace(content, source=replace(content.source, path=str(path))))

    def parts(self, path: Path) -> list[Path]:
        """Return the files of the events; for an event, the state and the other events."""
        if path.name == _STATE:
            return event_files(path.with_name(_FOLDER), _NAME)
        state = _state_of(path)
        events = event_files(path.parent, _NAME) if state else []
        return [*filter(None, [state]), *(event for event in events if event.name != path.name)]

    def whole(self, part: Path) -> Path | None:
        is_event = part.parent.name == _FOLDER and _NAME.fullmatch(part.name)
        return part.parent.with_name(_STATE) if is_event else None


def _session_with_events(conversation: OpenHandsConversation, content: Content, *, has_state: bool) -> Session:
    """Return the session. Raises UnreadableError if it has no message."""
    if has_state and not conversation.log.messages:
        path = content.source.path
        what = "is the state of an OpenHands conversation and has no message in it"
        raise UnreadableError(path, f"{path} {what}: open the folder with the files of its events.")
    return conversation.session(content)


def _state_of(path: Path) -> Path | None:
    """Return the state of an event's conversation, if there is one."""
    state = OpenHandsSDK().whole(path)
    return state if state and state.is_file() else None


def _state_in(record: Fields, path: Path, problems: Problems) -> Fields:
    """Return the state of a conversation: a record of its folder, or else the content of its state file."""
    try:
        state = record if _is_state(record) else open_content(path).value
    except UnreadableError as error:
        problems.add(f"the state is missing: {error}")
        return {}
    if not _is_state(state):
        problems.add(f"the state is missing: {path.name} does not contain one")
    return state if _is_state(state) else {}


def _is_state(record: Any) -> bool:
    has_agent = isinstance(record, dict) and isinstance(record.get("agent"), dict)
    return has_agent and "id" in record and ("stats" in record or "workspace" in record)


def _is_sdk_event(record: Fields) -> bool:
    kind = record.get("kind")
    return isinstance(kind, str) and (kind in SENT or kind in _SILENT) and "source" in record


def _has_kind(event: Any) -> bool:
    """Return True if a file in the folder of a state holds an event of a known or unknown kind."""
    return isinstance(event, dict) and isinstance(event.get("kind"), str)


class _GrowingConversation(IncrementalEvents):
    """A conversation that grows: its state is rewritten each time."""

    def __init__(self, state: Path, content: Content) -> None:
        self._conversation = OpenHandsConversation()
        super().__init__(state.with_name(_FOLDER), _NAME, _has_kind, self._conversation, content)
        self._state = state
        self._sign = (-1, -1)

    def look(self) -> bool:
        is_changed = self._look_at_state()
        is_waiting = self.is_waiting
        has_come = super().look()
        self.is_waiting |= is_waiting
        return has_come or is_changed

    def _look_at_state(self) -> bool:
        status = self._state.stat()
        sign = status.st_mtime_ns, status.st_size
        self.is_waiting = False
        if sign == self._sign:
            return False
        problems = Problems()
        states = [*read_events([self._state], _is_state, problems)]
        if problems.problems or not states:  # another look will tell
            self.is_waiting = True
            return False
        conversation, self._sign = self._conversation, sign
        if conversation.log.messages and conversation.model_in(states[0]) != conversation.model:
            raise RewrittenError
        return conversation.set_state(states[0])
