"""Caches of what follows from a message alone: named, bounded, and emptied as the messages go.

A message never changes, and a log that grows has the same messages as before. So what was worked out for one is kept
with the message and not with its session: a knob that moves, a further message and a second look cost what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from typing import Generic, TypeVar, cast
from weakref import ref

from inspector.core.conversation import Message

_Value = TypeVar("_Value")


class _Holder(ref[Message]):
    """A reference that says at the end of its message under which number the value was kept."""

    __slots__ = ("number",)
    number: int


class MessageCache(Generic[_Value]):
    """One value for each message, kept while the message lives; values may not hold their message. For any thread."""

    def __init__(self, name: str, limit: int = 65_536) -> None:
        """`limit` is how many values are kept; beyond, all are forgotten and worked out anew."""
        self.name = name
        self.limit = limit
        self._values: dict[int, _Value] = {}
        """By the numbers of messages, which are their own while they live: tens of thousands are looked up at once."""
        self._holders: dict[int, _Holder] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"MessageCache({self.name!r}, {len(self)} of {self.limit})"

    def get(self, message: Message, make: Callable[[Message], _Value], limit: int = 0) -> _Value:
        """The value of a message, made when it is not there. A `limit` above that of the cache counts in its place."""
        value = self._values.get(id(message))
        if value is None:
            value = make(message)
            self._put(message, value, max(self.limit, limit))
        return value

    def get_all(self, messages: Sequence[Message], make: Callable[[Message], _Value]) -> list[_Value]:
        """The values of messages. So many are kept that the same messages may be asked for again."""
        return self.get_many(messages, lambda missing: map(make, missing))

    def get_many(
        self, messages: Sequence[Message], make: Callable[[Sequence[Message]], Iterable[_Value]], limit: int = 0
    ) -> list[_Value]:
        """The same where those that are missing are made together. A `limit` other than 0 is that of the cache now."""
        values = list(map(self._values.get, map(id, messages)))
        if not any(map(is_, values, repeat(None))):
            return cast(list[_Value], values)
        pairs = list(zip(messages, values, strict=True))
        missing = list(dict.fromkeys([message for message, value in pairs if value is None]))
        fresh = dict(zip(missing, make(missing), strict=True))
        for message, value in fresh.items():
            self._put(message, value, max(limit or self.limit, 2 * len(messages)))
        return [fresh[message] if value is None else value for message, value in pairs]

    def _put(self, message: Message, value: _Value, limit: int) -> None:
        if len(self._values) >= limit:
            self.clear()
        holder = _Holder(message, self._forget)
        holder.number = id(message)
        self._values[holder.number] = value
        self._holders[holder.number] = holder

    def clear(self) -> None:
        self._holders.clear()  # first, so that no value of another thread is left without one
        self._values.clear()

    def _forget(self, gone: _Holder) -> None:
        self._values.pop(gone.number, None)
        self._holders.pop(gone.number, None)
