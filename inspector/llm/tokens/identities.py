"""What tells the results of tools apart: two of one identity say the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain

from inspector.core.caches import MessageCache
from inspector.core.conversation import Document, Image, Message, ToolResult
from inspector.llm.tokens.session_counting import digest

_IDENTITIES: MessageCache[bytes] = MessageCache("identities of results")


def result_identities(messages: Sequence[Message]) -> list[bytes]:
    """16 bytes for each message with a result: its text, whether it failed, and the pictures themselves, not only their
    sizes. Kept with the messages. Raises OSError where a recording cannot be read any more.
    """
    return _IDENTITIES.get_all(messages, _identity)


def _identity(message: Message) -> bytes:
    hasher = blake2b(digest(message) + bytes([message.is_error]), digest_size=16)
    results = [part for part in message.parts if isinstance(part, ToolResult)] if message.images else []
    for part in chain.from_iterable(result.parts for result in results):
        if isinstance(part, Image | Document):
            hasher.update(part.source.encode("utf-8", "surrogatepass"))
    return hasher.digest()
