"""A shared conversation in a list, as long as the program runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import deepcopy
from threading import Lock

from inspector.memory.shared.logs.base import MessageLog, SharedMessage, check_places


class InMemoryLog(MessageLog):
    """Messages in a list. Held by one program, whose threads may share it."""

    waits = False

    def __init__(self) -> None:
        self._messages: list[SharedMessage] = []
        self._ids: set[str] = set()
        self._revision = 0
        self._lock = Lock()

    def append(self, messages: Sequence[SharedMessage], once: bool) -> int:
        with self._lock:
            before = len(self._messages)
            for message in messages:
                name = str(message["id"])
                if not (once and name in self._ids):
                    self._messages.append(deepcopy(message))
                    self._ids.add(name)
            count = len(self._messages) - before
            self._revision += bool(count)
            return count

    def read(self, limit: int | None = None) -> list[SharedMessage]:
        with self._lock:
            start = 0 if limit is None else max(0, len(self._messages) - limit)
            return deepcopy(self._messages[start:])

    def size(self) -> int:
        return len(self._messages)

    def remove(self, indices: Collection[int]) -> None:
        with self._lock:
            check_places(indices, len(self._messages))
            places = set(indices)
            self._set([message for place, message in enumerate(self._messages) if place not in places])

    def truncate(self, size: int) -> None:
        with self._lock:
            if size < len(self._messages):
                self._set(self._messages[len(self._messages) - size :])

    def replace(self, messages: Sequence[SharedMessage]) -> None:
        with self._lock:
            self._set(deepcopy(list(messages)))

    def revision(self) -> int:
        return self._revision

    def _set(self, messages: list[SharedMessage]) -> None:
        self._messages = messages
        self._ids = {str(message["id"]) for message in messages}
        self._revision += 1
