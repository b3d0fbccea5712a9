"""Cache extracts of an open session's messages in the store."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.conversation import Message, Session
from inspector.core.extraction_cache import ExtractKind, Extractor, digest_of_rules, register_cache
from inspector.engine import facts, summaries
from inspector.library.bench.file_extracts import is_worth_keeping
from inspector.store import ExtractFile, Store, StoreError

Write = Callable[[Callable[[Store], object]], object]
"""Makes a change in the store, at once or later."""
_DIGEST = 16
"""Number of bytes in a digest."""


class _Places(NamedTuple):
    """Positions of the messages that are identical in the store, in few objects because there are many."""

    positions: Mapping[Message, int]
    keys: array[int]
    digests: bytes


class StoredExtracts:
    """Extracts of one stored session, which are deleted with it. If the store fails, it behaves as empty."""

    def __init__(self, session: Session, store: Store, id: str, write: Write | None = None) -> None:
        """Cache extracts for a session whose log is stored under `id`.

        Args:
            session: Open session.
            store: Store that contains it.
            id: Id of the session in the store.
            write: Makes changes in the background; None to make them at once.
        """
        self.session = session
        self._store = store
        self.id = id
        self._write = write or (lambda change: change(store))
        self._file = ExtractFile(Path(store.path))
        register_cache(self)

    def __contains__(self, message: Message) -> bool:
        return message in self._places.positions

    def load(self, kind: ExtractKind, rules: bytes, messages: Sequence[Message]) -> Mapping[Message, str]:
        """Return the cached extracts of some messages. See `ExtractCache.load`."""
        positions, keys, _ = self._places
        by_key = {keys[positions[message]]: message for message in messages}
        try:
            texts = self._store.load_extracts(kind, rules, list(by_key))
        except StoreError:
            return {}
        return {by_key[key]: text for key, text in texts.items()}

    def save(self, kind: ExtractKind, rules: bytes, extracts: Mapping[Message, str]) -> None:
        """Cache the extracts of some messages. See `ExtractCache.save`."""
        positions, keys, digests = self._places
        rows = []
        for message, text in extracts.items():
            place = positions[message]
            rows.append((keys[place], digests[place * _DIGEST : (place + 1) * _DIGEST], text))
        self._write(partial(_save, kind=kind, rules=rules, rows=rows))

    def fill(self) -> None:
        """Create the missing extracts that the first summary and the first replay will need."""
        with suppress(OSError, StoreError):  # then they are created on demand
            self._make(summaries.GIST_EXTRACTOR)
            self._make(facts.FACTS_EXTRACTOR)

    def content_digest(self) -> bytes | None:
        """Return a digest of all messages; None for a short session, or if the store does not contain exactly these."""
        if not is_worth_keeping(self.session, self._store.path):
            return None
        positions, _, digests = self._places
        if not len(positions) == len(self.session.messages) == len(digests) // _DIGEST:
            return None
        return blake2b(digests, digest_size=32).digest()

    def load_result(self, key: bytes) -> str | None:
        """Return the text that was saved under a key."""
        return self._file.load([key]).get(key)

    def save_result(self, key: bytes, text: str) -> None:
        """Save a text under a key."""
        self._file.save({key: text})

    def _make(self, extractor: Extractor[Any]) -> None:
        positions, keys, _ = self._places
        missing = self._store.keys_without(extractor.kind, digest_of_rules(), self.id)
        for _ in extractor.values([message for message, place in positions.items() if keys[place] in missing]):
            pass

    @cached_property
    def _places(self) -> _Places:
        try:
            rows = self._store.message_keys(self.id)
        except StoreError:
            rows = []
        if any(len(digest) != _DIGEST for _, digest, _ in rows):  # written by another version
            rows = []
        positions = {
            message: place
            for place, (message, (_, _, chars)) in enumerate(zip(self.session.messages, rows, strict=False))
            if message.chars == chars  # the newest message can be longer in the store
        }
        return _Places(positions, array("q", [key for key, _, _ in rows]), b"".join([digest for _, digest, _ in rows]))


def _save(store: Store, kind: ExtractKind, rules: bytes, rows: Sequence[tuple[int, bytes, str]]) -> None:
    with suppress(StoreError):  # it is created again the next time
        store.save_extracts(kind, rules, rows)
