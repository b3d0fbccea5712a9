"""Digests that identify equal tool results."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain

from inspector.core.caches import MessageCache
from inspector.core.conversation import Document, Image, Message, ToolResult
from inspector.llm.tokens.session_counting import digest

_IDENTITIES: MessageCache[bytes] = MessageCache("identities of results")


def result_identities(messages: Sequence[Message]) -> list[bytes]:
    """Return a 16-byte digest for each message with a tool result, cached with the message.

    The digest covers the text, the error flag, and the content of images rather than only their sizes.

    Raises:
        OSError: A message can no longer be read.
    """
    return _IDENTITIES.get_all(messages, _identity)


def _identity(message: Message) -> bytes:
    hasher = blake2b(digest(message) + bytes([message.is_error]), digest_size=16)
    results = [part for part in message.parts if isinstance(part, ToolResult)] if message.images else []
    for part in chain.from_iterable(result.parts for result in results):
        if isinstance(part, Image | Document):
            hasher.update(part.source.encode("utf-8", "surrogatepass"))
    return hasher.digest()
