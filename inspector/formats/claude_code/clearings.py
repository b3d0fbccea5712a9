"""What Claude Code clears out of its window without a summary: the results of older calls, from some moment on.

A `microcompact_boundary` names the calls. What is sent behind it is the context as it stood, with a few words in the
place of those results; so the messages from the first of them on stand in the log once more, as they went on.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from inspector.conversation import InMemoryBody, Message
from inspector.formats.claude_code.body import WIRE
from inspector.formats.log_builder import MOST_COPIES
from inspector.providers import message_from_raw

_CLEARED = "[Old tool result content cleared]"
"""What Claude Code sends in the place of a result."""


def note_clearing(clearings: dict[str, Set[str]], notice: str, record: Mapping[str, Any]) -> None:
    """Put the calls whose results a record says that the program cleared under the id of its notice; none for none."""
    facts = record.get("microcompactMetadata")
    calls = facts.get("compactedToolIds") if isinstance(facts, dict) else None
    names = frozenset(call for call in calls if isinstance(call, str)) if isinstance(calls, list) else frozenset()
    if names:
        clearings[notice] = names


class ClearedLog:
    """A log with the contexts behind its clearings. Without any, it is the log itself.

    What comes in at the end costs what came in, and a clearing the context that it changes.
    """

    def __init__(self, clearings: Mapping[str, Set[str]]) -> None:
        """`clearings` holds the ids of the calls whose results were cleared, by the id of the notice that says so."""
        self.messages: list[Message] = []
        self._clearings = clearings
        self._places: list[int] = []
        """For each message of the log without clearings, its position here."""
        self._copies: dict[int, int] = {}
        """For each message here that stands here once more, the position of its copy."""
        self._results: dict[str, int] = {}
        """The position of the newest answer to each call."""
        self._end = 0
        """Messages of that log up to the last clearing."""
        self._ids: set[str] = set()

    def update(self, log: list[Message], same: int) -> int:
        """Take in a log, the first `same` messages of which are as they were. Gives as many as are the same here."""
        if not self._clearings:
            self.messages = log
            return same
        if same < self._end or len(self._places) < same:
            self._begin()
            same = 0
        stable = self._places[same] if same < len(self._places) else len(self.messages)
        del self._places[same:]
        del self.messages[stable:]
        for message in log[same:]:
            before = self._newest(self._places[message.parent]) if message.parent >= 0 else -1
            self._places.append(len(self.messages))
            self._add(replace(message, parent=before) if before != message.parent else message)
            if message.id in self._clearings:
                self._clear(self._clearings[message.id])
                self._end = len(self._places)
        return stable

    def _begin(self) -> None:
        self.messages, self._places, self._end = [], [], 0
        self._copies, self._results, self._ids = {}, {}, set()

    def _add(self, message: Message) -> None:
        if message.answers is not None:
            self._results[message.answers] = len(self.messages)
        self._ids.add(message.id)
        self.messages.append(message)

    def _newest(self, position: int) -> int:
        """Where what goes on from a message goes on now."""
        while position in self._copies:
            position = self._copies[position]
        return position

    def _clear(self, calls: Set[str]) -> None:
        """Let what follows the newest message go on from a context without the results of some calls."""
        first = min((self._results[call] for call in calls if call in self._results), default=len(self.messages))
        notice = len(self.messages) - 1
        chain: list[int] = []
        at = self.messages[notice].parent
        while at >= first and len(chain) + len(self._copies) < MOST_COPIES:
            chain.append(at)
            at = self.messages[at].parent
        while chain and self.messages[chain[-1]].answers not in calls:
            at = chain.pop()
        for position in reversed(chain):
            self._copies[position] = len(self.messages)
            self._add(self._copy(self.messages[position], at, calls))
            at = len(self.messages) - 1
        if chain:
            self._copies[notice] = at

    def _copy(self, message: Message, parent: int, calls: Set[str]) -> Message:
        """A message once more, behind another one. A copy of a reply is no reply; a result may be cleared."""
        name = f"{message.id}~"
        while name in self._ids:
            name += "~"
        if message.answers not in calls:
            kind = "injected" if message.is_reply else message.kind
            return replace(message, id=name, parent=parent, kind=kind, usage=None)
        raw = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": message.answers, "content": _CLEARED}],
        }
        body = InMemoryBody(raw, {})
        facts = {"agent": message.agent, "parent": parent, "time": message.time, "name": message.name}
        return message_from_raw(name, raw, WIRE.name, body=body, **facts)
