"""Persistent caches of values extracted from messages: gists for summaries, and facts.

An extract depends only on its message and on the extraction rules, so it can always be recomputed. `library`, which has
access to the store, registers an `ExtractCache`; the engine queries the registered caches and does not depend on the
store. Extracts are saved with a digest of the source files of the rules, so a change to any rule invalidates them.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Literal, Protocol, TypeVar
from weakref import ref

import orjson

from inspector.core.conversation import Message
from inspector.core.plugin_digest import digest_of_plugins
from inspector.core.text import exact_dumps, loads

ExtractKind = Literal["gist", "facts"]
_Value = TypeVar("_Value")
_CHUNK = 500
"""Maximum number of messages per query of a cache."""
RULES = (
    "core/extraction_cache.py",
    "core/conversation",
    "core/text",
    "engine/commands",
    "engine/facts",
    "engine/summaries/extractive",
    "engine/summaries/summary_sections.py",
    "llm/providers",
)
"""Files and folders of the package that determine how a message is read and how its extract is serialised."""


class ExtractCache(Protocol):
    """Storage for extracts. Methods are thread-safe and never raise; extracts that cannot be loaded are recomputed."""

    def __contains__(self, message: Message) -> bool:
        """Return True if the cache stores extracts of this message."""

    def load(self, kind: ExtractKind, rules: bytes, messages: Sequence[Message]) -> Mapping[Message, str]:
        """Return the saved extracts of messages.

        Args:
            kind: Kind of extract.
            rules: Digest of the rules; extracts saved with a different digest are ignored.
            messages: Messages for which `message in cache` is True.

        Returns:
            Extracts as JSON text, by message. Messages without an extract are omitted.
        """

    def save(self, kind: ExtractKind, rules: bytes, extracts: Mapping[Message, str]) -> None:
        """Save extracts of messages.

        Args:
            kind: Kind of extract.
            rules: Digest of the rules that the extracts were read with.
            extracts: Extracts as JSON text, by message.
        """


@dataclass(frozen=True)
class Extractor(Generic[_Value]):
    """Extracts a value from a message, and converts it to JSON fields and back."""

    kind: ExtractKind
    make: Callable[[Message], _Value]
    """Extracts the value of a message. Raises OSError if the message can no longer be read."""
    fields: Callable[[_Value], Any]
    """Converts a value to a JSON-serialisable object."""
    value: Callable[[Any], _Value]
    """Restores a value from the output of `fields`.

    Invalid input raises TypeError, ValueError, LookupError or AttributeError.
    """

    def values(self, messages: Sequence[Message]) -> Iterator[_Value]:
        """Yield the values of messages, loading them from the registered caches and saving those that are missing.

        Raises:
            OSError: A message that is not cached can no longer be read.
        """
        for start in range(0, len(messages), _CHUNK):
            chunk = messages[start : start + _CHUNK]
            caches = [(cache, rows) for cache in _CACHES.all() if (rows := [row for row in chunk if row in cache])]
            yield from self._chunk_values(chunk, caches) if caches else map(self.make, chunk)

    @staticmethod
    def is_kept(messages: Sequence[Message]) -> bool:
        """Return True if a registered cache stores extracts of the last of these messages."""
        return any(messages[-1] in cache for cache in _CACHES.all()) if messages else False

    def _chunk_values(
        self, chunk: Sequence[Message], caches: Sequence[tuple[ExtractCache, Sequence[Message]]]
    ) -> Iterator[_Value]:
        rules = digest_of_rules()
        texts: dict[Message, str] = {}
        for cache, messages in caches:
            texts.update(cache.load(self.kind, rules, messages))
        fresh: dict[Message, _Value] = {}
        for message in chunk:
            value = self._read(texts[message]) if message in texts else None
            if value is None:
                value = fresh[message] = self.make(message)
            yield value
        for cache, messages in caches:
            if rows := [message for message in messages if message in fresh]:
                cache.save(self.kind, rules, {message: _to_json(self.fields(fresh[message])) for message in rows})

    def _read(self, text: str) -> _Value | None:
        """Parse an extract, returning None if it is damaged."""
        try:
            return self.value(_of_json(text))
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            return None


class _Caches:
    """Registered caches, held by weak references."""

    def __init__(self) -> None:
        self._refs: tuple[ref[ExtractCache], ...] = ()
        self._lock = Lock()

    def add(self, cache: ExtractCache) -> None:
        with self._lock:
            self._refs = (*[entry for entry in self._refs if entry() not in (None, cache)], ref(cache))

    def all(self) -> list[ExtractCache]:
        return [cache for entry in self._refs if (cache := entry()) is not None]


_CACHES = _Caches()


def register_cache(cache: ExtractCache) -> None:
    """Register a cache that extractors load from and save to. It is unregistered when it is garbage-collected."""
    _CACHES.add(cache)


def digest_of_rules() -> bytes:
    """Return a 16-byte digest of the extraction rules, which changes when any of their source files changes."""
    return digest_of_code(RULES)


def digest_of_code(parts: tuple[str, ...]) -> bytes:
    """Return a 16-byte digest of the code that a kept value depends on: parts of this package, and all plugins.

    Args:
        parts: Files and folders of the package `inspector`.
    """
    own, plugins = _digest_of_own(parts), digest_of_plugins()
    return blake2b(own + plugins, digest_size=16).digest() if plugins else own


@lru_cache
def _digest_of_own(parts: tuple[str, ...]) -> bytes:
    hasher = blake2b(digest_size=16)
    for part in parts:
        hasher.update(_digest_of_part(part))
    return hasher.digest()


@lru_cache
def _digest_of_part(part: str) -> bytes:
    """Return the digest of a part of the package, whose files are read once, whatever is kept."""
    return digest_of_sources(Path(__file__).parents[1], [part])


def digest_of_sources(folder: Path, parts: Sequence[str]) -> bytes:
    """Return a 16-byte digest of Python files, the Python version and the Unicode version.

    The digest covers whole files, so a changed rule is detected without a version number that has to be maintained.

    Args:
        folder: Directory that `parts` and the hashed file names are relative to.
        parts: Python files, and directories that are searched recursively. A missing file counts as empty.
    """
    hasher = blake2b(f"{unicodedata.unidata_version} {sys.version_info[:2]}".encode(), digest_size=16)
    for part in parts:
        for name, path in sorted(
            (path[len(str(folder)) :].replace(os.sep, "/"), path) for path in _sources_in(str(folder / part))
        ):
            try:
                with open(path, "rb", buffering=0) as file:  # noqa: PTH123  there are hundreds
                    content = file.read()
            except FileNotFoundError:
                content = b""
            hasher.update(f"\n{name} {len(content)}\n".encode())
            hasher.update(content)
    return hasher.digest()


def _sources_in(path: str) -> Iterator[str]:
    """Yield the Python files of a folder and its folders, or the path of a file."""
    try:
        entries = list(os.scandir(path))
    except (NotADirectoryError, FileNotFoundError):
        yield path
        return
    for entry in entries:
        if entry.name.endswith(".py"):
            yield entry.path
        elif entry.name != "__pycache__" and entry.is_dir():
            yield from _sources_in(entry.path)


def require_types(kind: type, *columns: Iterable[object]) -> None:
    """Check that every value in some columns has one exact type.

    Raises:
        TypeError: A value has another type.
    """
    for column in columns:
        if not set(map(type, column)) <= {kind}:
            raise TypeError(f"a value is not a {kind.__name__}")


def _to_json(fields: Any) -> str:
    try:
        return orjson.dumps(fields).decode()
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # a lone surrogate, which orjson rejects
        return exact_dumps(fields, ascii_only=True)


def _of_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return loads(text)
