"""Bounded caches of values that are computed from a single message.

Messages are immutable, and a log that grows keeps its earlier messages. Values are therefore cached per message rather
than per session: after a setting changes or a message is appended, only the new messages are computed. An entry is
removed when its message is garbage-collected.
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
    """Weak reference to a message that remembers the message's key in the cache."""

    __slots__ = ("number",)
    number: int


class MessageCache(Generic[_Value]):
    """Thread-safe cache of one value per message, removed when the message is garbage-collected.

    A value must not be None, and must not reference its message, which would then never be collected.
    """

    def __init__(self, name: str, limit: int = 65_536) -> None:
        """Create an empty cache.

        Args:
            name: Name of the cache, for `repr`.
            limit: Maximum number of entries. When it is reached, the cache is emptied before the next entry is added.
        """
        self.name = name
        self.limit = limit
        self._values: dict[int, _Value] = {}
        """Values by the `id` of their message, which is unique while the message lives and fast to look up."""
        self._holders: dict[int, _Holder] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"MessageCache({self.name!r}, {len(self)} of {self.limit})"

    def get(self, message: Message, make: Callable[[Message], _Value], limit: int = 0) -> _Value:
        """Return the value of a message, computing it on a miss.

        Args:
            message: The message to look up.
            make: Computes the value of a message.
            limit: Maximum number of entries for this call, if larger than the limit of the cache.
        """
        value = self._values.get(id(message))
        if value is None:
            value = make(message)
            self._put(message, value, max(self.limit, limit))
        return value

    def get_all(self, messages: Sequence[Message], make: Callable[[Message], _Value]) -> list[_Value]:
        """Return the values of messages, raising the limit of the cache to twice their number if that is larger."""
        return self.get_many(messages, lambda missing: map(make, missing))

    def get_many(
        self, messages: Sequence[Message], make: Callable[[Sequence[Message]], Iterable[_Value]], limit: int = 0
    ) -> list[_Value]:
        """Return the values of messages, computing all missing values in one call.

        Args:
            messages: The messages to look up.
            make: Computes the values of several messages, in their order.
            limit: Maximum number of entries for this call, or 0 for the limit of the cache. In both cases twice the
                number of `messages` is allowed.
        """
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
        self._holders.clear()  # holders first: a value that another thread adds meanwhile must keep its holder
        self._values.clear()

    def _forget(self, gone: _Holder) -> None:
        self._values.pop(gone.number, None)
        self._holders.pop(gone.number, None)


_MAX_KEPT_CHARS = 16_384
"""Maximum length of a text that `text_of` keeps, in characters."""
_MAX_ALL_CHARS = 4_000_000
"""Maximum length of all texts in a cache: they are at least those of one window."""


class TextCache(MessageCache[str]):
    """Cache of texts that is emptied when it has taken up enough characters, however many texts they are."""

    chars = 0

    def _put(self, message: Message, value: str, limit: int) -> None:
        self.chars += len(value)
        if self.chars > _MAX_ALL_CHARS:
            self.clear()
            self.chars = len(value)
        super()._put(message, value, limit)


_TEXTS = TextCache("texts")


def text_of(message: Message) -> str:
    """Return `Message.text` from a cache that is large enough for the messages of one window.

    Raises:
        OSError: The message body cannot be read any more.
    """
    return _TEXTS.get(message, _read_text) if message.chars <= _MAX_KEPT_CHARS else message.text


def _read_text(message: Message) -> str:
    return message.text
