"""Counting a whole session in batches, in a worker.

Each message is read and hashed once, and only tokenised if its count is not cached. The tokenizer releases the
interpreter's lock and processes limited pieces of text, so the app remains responsive.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from inspector.core.conversation import (
    Dialect,
    Document,
    Image,
    Message,
    Part,
    Role,
    Session,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from inspector.core.text import dumps
from inspector.llm.providers import provider_of
from inspector.llm.tokens.counting import CIPHERTEXT, Counter, count_parts

RULES = b"inspector-1"
"""Version of the counting rules, part of every digest.

Change it whenever messages are counted differently, so that outdated cached counts are ignored.
"""
_BATCH = 1_000_000
"""Characters to count before progress is reported, about 60 ms."""
_MESSAGE_CHARS = 200
"""Overhead of a message, in characters, so that batches of short messages end as well."""
_GROUP, _GROUP_CHARS = 200, 100_000
"""Maximum messages whose counts are looked up at once, and the characters after which fewer are."""


class StoredCounts(dict[bytes, int]):
    """Known counts by digest, which are looked up for several messages at once.

    Counts are keyed by content, so a known count is correct for every message with that content.

    Args:
        look_up: Returns the known counts of some digests.
    """

    def __init__(self, look_up: Callable[[Collection[bytes]], Mapping[bytes, int]]) -> None:
        super().__init__()
        self._look_up = look_up

    def look_up(self, keys: Iterable[bytes]) -> None:
        """Add the counts of the digests that are known."""
        if missing := {key for key in keys if key not in self}:
            self.update(self._look_up(missing))


@dataclass(frozen=True, slots=True)
class Batch:
    """Progress of counting a session."""

    counts: tuple[int | None, ...]
    """Raw tokens of each message in the log; None if not yet counted."""
    fresh: Mapping[bytes, int]
    """New counts since the last batch by digest, to be cached under the counter's name."""
    count: int
    """Number of messages counted so far."""
    tools: int = 0
    """Raw tokens of the session's tool definitions."""

    @property
    def is_complete(self) -> bool:
        return self.count == len(self.counts)


def count_session(
    session: Session,
    counter: Counter,
    cache: Mapping[bytes, int] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    batch: int = _BATCH,
) -> Iterator[Batch]:
    """Count the tools and messages of a session, and yield a batch after about `batch` characters.

    Args:
        session: The session.
        counter: Counts the texts.
        cache: Earlier counts of this counter, by digest.
        is_cancelled: Stops the count when it returns True. The last batch then contains the counts so far.
        batch: Characters per batch.

    Yields:
        Batches. The last one is complete unless the count was cancelled.

    Raises:
        TableError: The rank table of the encoding cannot be read.
        OSError: A message can no longer be read.
    """
    counts: list[int | None] = [None] * len(session.messages)
    tokens: dict[bytes, int] = {}
    fresh: dict[bytes, int] = {}
    place = work = 0
    tools = _count_tools(session, counter, {} if cache is None else cache, fresh)
    for message, parts, key in _digested(session.messages, cache):
        if is_cancelled and is_cancelled():
            break
        count = tokens.get(key)
        if count is None and cache is not None:
            count = cache.get(key)
        if count is None:
            count = fresh[key] = count_parts(parts, message.role, message.name, message.dialect, counter)
        tokens[key] = counts[place] = count
        place += 1
        work += message.chars + _MESSAGE_CHARS
        if work >= batch and place < len(counts):
            yield Batch(tuple(counts), fresh, place, tools)
            fresh, work = {}, 0
    yield Batch(tuple(counts), fresh, place, tools)


def _digested(
    messages: Iterable[Message], cache: Mapping[bytes, int] | None
) -> Iterator[tuple[Message, Sequence[Part], bytes]]:
    """Yield messages with their parts and digests. The counts of many short messages are looked up at once."""
    for group in _grouped(messages):
        rows = [(message, parts := message.parts, digest(message, parts)) for message in group]
        if isinstance(cache, StoredCounts):
            cache.look_up(key for _, _, key in rows)
        yield from rows


def _grouped(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield messages in groups of limited length, so that few texts are in memory at a time."""
    group: list[Message] = []
    chars = 0
    for message in messages:
        group.append(message)
        chars += message.chars
        if len(group) == _GROUP or chars >= _GROUP_CHARS:
            yield group
            group, chars = [], 0
    if group:
        yield group


def _count_tools(session: Session, counter: Counter, cache: Mapping[bytes, int], fresh: dict[bytes, int]) -> int:
    """Return the raw tokens of a session's tools, adding them to `fresh` if they are not in `cache`."""
    if not session.tools:
        return 0
    key = _digest_of_fields("tools", session.dialect, dumps(session.tools))
    if isinstance(cache, StoredCounts):
        cache.look_up([key])
    count = cache.get(key)
    if count is None:
        count = fresh[key] = provider_of(session.dialect).count_tools(session.tools, counter)
    return count


def digest(message: Message, parts: Sequence[Part] | None = None) -> bytes:
    """Return a 16-byte digest of everything that the token count of a message depends on.

    Equal content has the same digest in a file and in the store. Different images of the same size also have the same
    digest, so it identifies counts only.

    Args:
        message: The message.
        parts: Parts of the message, if they have been read already.

    Raises:
        OSError: The message can no longer be read.
    """
    return digest_of(message.parts if parts is None else parts, message.role, message.name, message.dialect)


def digest_of(parts: Sequence[Part], role: Role, name: str, dialect: Dialect) -> bytes:
    """Return the digest of a message with the given parts. See `digest`.

    Args:
        parts: Parts of the message.
        role: Role of the message.
        name: Name of the message.
        dialect: Wire format, which determines the tokens of images and unrecognised blocks.
    """
    fields = [role, name]
    for part in parts:
        fields += _fields_of(part, dialect)
    return _digest_of_fields(*fields)


def _digest_of_fields(*fields: str) -> bytes:
    content: list[bytes] = []
    for field in fields:
        data = field.encode("utf-8", "surrogatepass")
        content += (b"%d:" % len(data), data)
    return blake2b(b"".join(content), digest_size=16, person=RULES).digest()


def _fields_of(part: Part, dialect: Dialect) -> Sequence[str]:
    """Return the values that a part's count depends on, its type first so that no two parts yield equal values."""
    if isinstance(part, Text):
        return "text", part.text
    if isinstance(part, Thinking):
        return "thinking", part.text
    if isinstance(part, ToolCall):
        return "call", part.name, part.arguments
    if isinstance(part, ToolResult):
        inner = (field for piece in part.parts for field in _fields_of(piece, dialect))
        return "result", str(len(part.parts)), *inner
    if isinstance(part, Image):
        return "image", dialect, str(part.width), str(part.height)
    if isinstance(part, Document):
        return "document", str(part.pages)
    return "sealed" if CIPHERTEXT.search(part.json) else "unknown", dialect, part.json
