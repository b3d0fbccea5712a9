"""Counting a whole session in a worker: in batches, each message once in its life.

A message's text is read once, its content hashed, and only what no cache knows is tokenised. The tokenizer works
without the interpreter's lock, and never on more than a stretch of text, so the app stays alive beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from inspector.llm.tokens.counting import Counter, count_parts

RULES = b"inspector-1"
"""Changes whenever a message would be counted differently, so that no old count is taken from a cache."""
_BATCH = 1_000_000
"""Characters to count before telling how far it is: some 60 ms."""
_MESSAGE_CHARS = 200
"""What a message costs beside its text, in characters, so that batches of short ones end too."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The counts of a session so far."""

    counts: tuple[int | None, ...]
    """Raw tokens of each message of the log; None for those still to come."""
    fresh: Mapping[bytes, int]
    """What was tokenised since the last batch, by digest: to be kept for the next time, under the counter's name."""
    count: int
    """Messages counted so far."""
    tools: int = 0
    """Raw tokens of the definitions of the session's tools."""

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
    """Count a session's tools and messages. Yields a batch after about `batch` characters; the last one is complete.

    `cache` holds earlier counts of this counter, by digest. When `is_cancelled()` is true, the last batch holds the
    counts so far. Raises OSError when a message's source can no longer be read.
    """
    counts: list[int | None] = [None] * len(session.messages)
    tokens: dict[bytes, int] = {}
    fresh: dict[bytes, int] = {}
    place = work = 0
    tools = _count_tools(session, counter, {} if cache is None else cache, fresh)
    for message in session.messages:
        if is_cancelled and is_cancelled():
            break
        parts = message.parts
        key = digest_of(parts, message.role, message.name, message.dialect)
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


def _count_tools(session: Session, counter: Counter, cache: Mapping[bytes, int], fresh: dict[bytes, int]) -> int:
    """Raw tokens of a session's tools; added to `fresh` where `cache` has none."""
    if not session.tools:
        return 0
    key = _digest_of_fields("tools", session.dialect, dumps(session.tools))
    count = cache.get(key)
    if count is None:
        count = fresh[key] = provider_of(session.dialect).count_tools(session.tools, counter)
    return count


def digest(message: Message, parts: Sequence[Part] | None = None) -> bytes:
    """16 bytes that tell messages apart as far as their count goes. Reads the text from wherever it is, unless `parts`
    are given, those of the message.

    The same content has the same digest in a file and in the store. Two pictures of one size have the same digest,
    so it is no identity for anything but counts.
    """
    return digest_of(message.parts if parts is None else parts, message.role, message.name, message.dialect)


def digest_of(parts: Sequence[Part], role: Role, name: str, dialect: Dialect) -> bytes:
    """The digest of a message with these parts."""
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
    """What the count of a part depends on; its kind first, so that no two parts give the same fields."""
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
    return ("document", str(part.pages)) if isinstance(part, Document) else ("unknown", dialect, part.json)
