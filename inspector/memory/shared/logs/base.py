"""Common behavior of all logs of a shared conversation."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from inspector.core.errors import InspectorError

SharedMessage = dict[str, Any]
"""A message as an agent wrote it: `role`, `content`, and whatever else it carries, such as `agent_id`; with an `id`."""


class SharedMemoryError(InspectorError, RuntimeError):
    """A shared memory could not be read or written. Its text is one sentence."""


class MessageLog(ABC):
    """The messages of one shared conversation, in the order in which they were added.

    Any number of threads and, where the log is kept outside the process, of programs may use one conversation. Every
    method is one step for all of them, and raises SharedMemoryError where the log cannot be used.
    """

    waits = True
    """True if a call may wait for a disk, a network or another program."""

    @abstractmethod
    def append(self, messages: Sequence[SharedMessage], once: bool) -> int:
        """Append messages, with `once` only those whose `id` is new, and return the number of appended ones."""

    @abstractmethod
    def read(self, limit: int | None = None) -> list[SharedMessage]:
        """Return copies of the newest messages, the oldest of them first. Without a limit, return all."""

    @abstractmethod
    def size(self) -> int:
        """Return the number of messages."""

    @abstractmethod
    def remove(self, indices: Collection[int]) -> None:
        """Take out the messages at these places, from 0. Raises IndexError, and takes out none, where one is none."""

    @abstractmethod
    def truncate(self, size: int) -> None:
        """Keep the newest `size` messages."""

    @abstractmethod
    def replace(self, messages: Sequence[SharedMessage]) -> None:
        """Hold these messages and no others."""

    @abstractmethod
    def revision(self) -> int:
        """Return a number that increases with every change."""

    def close(self) -> None:  # noqa: B027  most have nothing to let go of
        """Let go of files and connections."""


def check_message(message: object) -> None:
    """Raise TypeError if a value is not a message."""
    if not isinstance(message, Mapping):
        raise TypeError(f"A message is a dictionary with a role and a content, not {type(message).__name__}.")


def check_places(indices: Iterable[int], size: int) -> None:
    """Raise IndexError if an index is not between 0 and `size` - 1."""
    for index in indices:
        if not 0 <= index < size:
            raise IndexError(f"There is no message {index}: {size:,} are held, and the first is 0.")


def to_json(message: SharedMessage) -> bytes:
    """Return a message as JSON in bytes. Raises ValueError if JSON cannot represent it."""
    try:
        return json.dumps(message, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"The message {message.get('id')!r} cannot be kept outside this program: {error}.") from error


def from_json(text: bytes) -> SharedMessage:
    message: SharedMessage = json.loads(text)
    return message


def name_of(message: SharedMessage) -> bytes:
    """Return the id of a message as bytes."""
    return str(message["id"]).encode("utf-8", "surrogatepass")
