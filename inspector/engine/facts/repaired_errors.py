"""Find the failures that a conversation later shows as repaired, whose errors no longer have to be remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, ToolCall
from inspector.engine.commands import covers, plain_command
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.todo_calls import arguments_of

_COMMANDS = ("command", "cmd", "script")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "filename", "absolute_path")
_MAX_ARGUMENTS = 40_000
"""Maximum length of the arguments of a call that are read, in characters."""


class _Call(NamedTuple):
    """The command or the file of a tool call."""

    tool: str
    command: str = ""
    """The shell command without the `cd` before it and the pipes after it."""
    path: str = ""

    def settles(self, other: _Call) -> bool:
        """Return True if the success of this call ends the failure of the other one."""
        if self.command:
            return self.command == other.command or covers(self.command, other.command)
        return bool(self.path) and self == other


class _Failure(NamedTuple):
    place: int
    call: _Call


_CALLS: MessageCache[Mapping[str, _Call]] = MessageCache("repaired calls")


class RepairedErrors:
    """Errors in results of a log whose command passed later.

    The command must be the same, or check at least as much. The failure of another tool is repaired by its next
    success with the same file. An error that someone states in words stays.

    Args:
        log: Messages of the log, with the facts that each states.
        facts: Class, text and term of every fact.

    Raises:
        OSError: If a message can no longer be read.
    """

    def __init__(self, log: Mapping[Message, Sequence[int]], facts: Sequence[tuple[FactClass, str, int]]) -> None:
        errors: dict[int, list[int]] = {}
        for place, (message, row) in enumerate(log.items()):
            terms = [facts[fact][2] for fact in row if facts[fact][0] == "error"]
            if terms and message.kind != "summary":
                errors[place] = terms
        repairs = dict(_repairs(log, errors))
        events = [(place, 1, term) for place, terms in errors.items() for term in terms]
        events += [(repair, -1, term) for place, repair in repairs.items() for term in errors.get(place, ())]
        self._events = sorted(events)
        """Places at which the failure of a term is stated (1) or repaired (-1)."""

    def walk(self) -> RepairWalk:
        """Return a walk along the log, from its start."""
        return RepairWalk(self._events)


class RepairWalk:
    """Terms of the errors that are repaired at a place in the log. Fast if the places ascend."""

    def __init__(self, events: Sequence[tuple[int, int, int]]) -> None:
        self._events = events
        self._restart()

    def _restart(self) -> None:
        self._end = self._count = 0
        self._failing = Counter[int]()
        self._repaired = set[int]()

    def before(self, end: int) -> Set[int]:
        """Return the terms of the errors that were repaired before a place, wherever they were stated."""
        if end < self._end:
            self._restart()
        self._end, events = end, self._events
        while self._count < len(events) and events[self._count][0] < end:
            _, change, term = events[self._count]
            self._count += 1
            self._failing[term] += change
            (self._repaired.discard if self._failing[term] else self._repaired.add)(term)
        return self._repaired


def _repairs(log: Mapping[Message, object], errors: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    """Yield the place of each failing result that was repaired, and that of the repair."""
    callers: dict[str, Message] = {}
    failures: dict[str, _Failure] = {}
    """Failures that were not repaired yet, by the id of their call."""
    for place, message in enumerate(log):
        for head in message.calls:
            callers.setdefault(head.id, message)
        name = message.answers or ""
        if name not in callers or name in failures:
            continue
        if message.is_error or place in errors:
            if (call := _ran_by(callers[name], name)).command or message.is_error:
                failures[name] = _Failure(place, call)
        elif failures:
            for other in _settled(callers[name], name, failures):
                yield failures.pop(other).place, place


def _settled(caller: Message, name: str, failures: Mapping[str, _Failure]) -> list[str]:
    """Return the ids of the failed calls that the success of a call repairs."""
    tool = next((head.name for head in caller.calls if head.id == name), "")
    same = [(other, failure.call) for other, failure in failures.items() if failure.call.tool == tool]
    if not same:
        return []
    call = _ran_by(caller, name)
    return [other for other, failed in same if call.settles(failed)]


def _ran_by(caller: Message, name: str) -> _Call:
    return _CALLS.get(caller, _read_calls).get(name, _Call(""))


def _read_calls(message: Message) -> Mapping[str, _Call]:
    return {part.id: _read_call(part) for part in message.parts if isinstance(part, ToolCall)}


def _read_call(call: ToolCall) -> _Call:
    arguments = arguments_of(call.arguments[:_MAX_ARGUMENTS])
    command = next((value for key in _COMMANDS if (value := arguments.get(key))), "")
    if isinstance(command, list):  # ["bash", "-lc", "make test"]
        command = command[-1]
    path = next((value for key in _PATHS if isinstance(value := arguments.get(key), str)), "")
    return _Call(call.name, plain_command(command) if isinstance(command, str) else "", path)
