"""Shared conversation memory: the messages of several agents in one conversation, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar
from uuid import uuid4

from inspector.memory.shared.logs.base import MessageLog, SharedMessage, check_message
from inspector.memory.shared.logs.in_memory_log import InMemoryLog

_T = TypeVar("_T")


class ConversationMemory:
    """Messages that agents share. Held in memory, or by a `log` in SQLite, Redis or PostgreSQL, where other programs
    share them too. Tasks, threads and event loops may use one object.

    Methods raise SharedMemoryError, one sentence, where the log cannot be used.
    """

    def __init__(self, log: MessageLog | None = None) -> None:
        self.log = log or InMemoryLog()

    async def add(
        self, message: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None, allow_duplicates: bool = False
    ) -> None:
        """Add a message or several in one step. A message without an `id` is given one.

        Args:
            message: A message, or several; None adds nothing.
            allow_duplicates: True to add messages again whose `id` is in the log.

        Raises:
            TypeError: An item is not a message. Nothing is added.
        """
        messages = _identified(message)
        if messages:
            await self._call(lambda: self.log.append(messages, not allow_duplicates))

    async def get_messages(self, limit: int | None = None) -> list[SharedMessage]:
        """Return copies of the messages, the oldest first. With a limit, return the newest."""
        return await self._call(lambda: self.log.read(limit))

    async def size(self) -> int:
        """Return the number of messages."""
        return await self._call(self.log.size)

    async def delete(self, index: int | Iterable[int]) -> None:
        """Remove the message at a position, from 0, or at several. Raises IndexError for an invalid position."""
        indices = [index] if isinstance(index, int) else list(index)
        await self._call(lambda: self.log.remove(indices))

    async def clear(self) -> None:
        """Take out all messages."""
        await self._call(lambda: self.log.replace(()))

    async def get_last_message(self) -> SharedMessage | None:
        """Return the newest message, or None."""
        return next(iter(await self.get_messages(1)), None)

    async def get_messages_by_role(self, role: str) -> list[SharedMessage]:
        """Return the messages of a role, the oldest first."""
        return [message for message in await self.get_messages() if message.get("role") == role]

    async def truncate_to_size(self, max_size: int) -> None:
        """Keep the newest `max_size` messages; 0 keeps none. Raises ValueError below 0."""
        if max_size < 0:
            raise ValueError(f"max_size is a number of messages from 0 on, not {max_size}.")
        await self._call(lambda: self.log.truncate(max_size))

    async def retrieve(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise NotImplementedError: a shared conversation is read in order. To search, use `PersistentMemory`."""
        raise NotImplementedError("ConversationMemory is not searched: read it with get_messages().")

    async def revision(self) -> int:
        """Return a number that increases with every change."""
        return await self._call(self.log.revision)

    @property
    def messages(self) -> list[SharedMessage]:
        """Copies of all messages, the oldest first."""
        return self.log.read()

    def state_dict(self) -> dict[str, Any]:
        """Return the whole state in the form that `load_state_dict` accepts."""
        return {"messages": self.log.read()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Replace the content with that of another memory.

        Args:
            state: State of the other memory.
            strict: False to ignore unknown fields, and a state without messages.

        Raises:
            ValueError: `state` is not a state.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"A state is a dictionary with messages, not {type(state).__name__}.")
        unknown = sorted(str(name) for name in state if name != "messages")
        if strict and ("messages" not in state or unknown):
            problem = f"has {', '.join(unknown)}" if unknown else "has no messages"
            raise ValueError(f"The state {problem}: it is not one of a ConversationMemory.")
        if "messages" not in state:
            return
        try:
            messages = _identified(state["messages"])
        except TypeError as error:
            raise ValueError(f"The state holds no messages: {error}") from error
        self.log.replace(messages)

    async def _call(self, work: Callable[[], _T]) -> _T:
        return await asyncio.to_thread(work) if self.log.waits else work()


def _identified(value: Any) -> list[SharedMessage]:
    """Return one or several messages, each a dictionary with an id. Raises TypeError for anything else."""
    if value is None:
        return []
    values = [value] if isinstance(value, Mapping) else value
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        check_message(value)
    return [_with_id(message) for message in values]


def _with_id(message: Any) -> SharedMessage:
    check_message(message)
    name = message.get("id")
    return {**message, "id": f"msg-{uuid4().hex[:12]}" if name is None or name == "" else name}
