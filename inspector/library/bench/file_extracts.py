"""Cache extracts of an open file's messages by their content, whether or not the file is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes

import orjson

from inspector.core.conversation import Message, Session
from inspector.core.extraction_cache import ExtractKind, register_cache
from inspector.core.text import exact_dumps
from inspector.store import ExtractFile

_IN_MEMORY = ":memory:"
"""Path of a store without a file."""
_BLOCK = 1 << 20
_MIN_CHARACTERS = 20_000
"""Number of characters of a session from which replaying it again takes longer than loading what was kept of it."""


class FileExtracts:
    """Extracts of one session that was read from a file. If their file cannot be used, it behaves as empty."""

    def __init__(self, session: Session, store_path: str) -> None:
        """Cache extracts for a session.

        Args:
            session: Open session.
            store_path: Path of the store, next to which the extracts are kept.
        """
        self.session, self.id = session, ""
        self._file = ExtractFile(Path(store_path))
        self._digests: dict[Message, bytes] = {}
        self._messages = frozenset(session.messages)
        register_cache(self)

    def __contains__(self, message: Message) -> bool:
        return message in self._messages

    def load(self, kind: ExtractKind, rules: bytes, messages: Sequence[Message]) -> Mapping[Message, str]:
        """Return the cached extracts of some messages. See `ExtractCache.load`."""
        keys = {message: self._key(kind, rules, message) for message in messages}
        texts = self._file.load(list(dict.fromkeys(keys.values())))
        return {message: texts[key] for message, key in keys.items() if key in texts}

    def save(self, kind: ExtractKind, rules: bytes, extracts: Mapping[Message, str]) -> None:
        """Cache the extracts of some messages. See `ExtractCache.save`."""
        self._file.save({self._key(kind, rules, message): text for message, text in extracts.items()})

    def fill(self) -> None:
        """Do nothing: extracts of files are created on demand."""

    def content_digest(self) -> bytes | None:
        """Return a digest of the file and of all messages; None if one of them cannot be read any more."""
        hasher = blake2b(digest_size=32)
        try:
            with Path(self.session.path).open("rb") as file:
                while block := file.read(_BLOCK):
                    hasher.update(block)
            for message in self.session.messages:
                hasher.update(self._digest_of(message))
        except (OSError, ValueError):
            return None
        return hasher.digest()

    def load_result(self, key: bytes) -> str | None:
        """Return the text that was saved under a key."""
        return self._file.load([key]).get(key)

    def save_result(self, key: bytes, text: str) -> None:
        """Save a text under a key."""
        self._file.save({key: text})

    def _digest_of(self, message: Message) -> bytes:
        if (digest := self._digests.get(message)) is None:
            digest = self._digests[message] = _content_digest(message)
        return digest

    def _key(self, kind: ExtractKind, rules: bytes, message: Message) -> bytes:
        return blake2b(rules + kind.encode() + self._digest_of(message), digest_size=16).digest()


def extracts_of_file(session: Session, store_path: str) -> FileExtracts | None:
    """Return the cache of a session that was read from a file; None if reading it again is as fast.

    Args:
        session: Open session.
        store_path: Path of the store.
    """
    return FileExtracts(session, store_path) if is_worth_keeping(session, store_path) else None


def is_worth_keeping(session: Session, store_path: str) -> bool:
    """Return True if a session is so long that loading what was read of it is faster than reading it again.

    Args:
        session: Open session.
        store_path: Path of the store. Nothing is kept next to one in memory.
    """
    return store_path != _IN_MEMORY and sum(message.chars for message in session.messages) >= _MIN_CHARACTERS


def _content_digest(message: Message) -> bytes:
    """Return a digest of everything that an extract depends on.

    Raises:
        OSError: The message can no longer be read.
    """
    head = (message.role, message.dialect, message.kind, message.name, message.is_error, message.answers)
    content = [head, message.placeholder, None if message.placeholder is not None else message.raw]
    try:
        data = orjson.dumps(content)
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # a lone surrogate, or an integer of more than 64 bits
        try:
            data = exact_dumps(content, ascii_only=True).encode()
        except (TypeError, ValueError, RecursionError):  # nested too deeply: nothing is kept
            data = token_bytes()
    return blake2b(data, digest_size=16).digest()
