"""What is read out of messages and kept for the next process: gists for summaries, and facts.

An extract follows from its message and from the rules that read it, so it can always be made again. Whoever can keep
extracts (`library` has the store) registers an `ExtractCache`; the engine asks those that are registered, and knows no
store. When a rule changes, everything that was read by the old rules is out of use, by itself.
"""

from __future__ import annotations

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
from inspector.core.text import exact_dumps, loads

ExtractKind = Literal["gist", "facts"]
_Value = TypeVar("_Value")
_CHUNK = 500
"""Messages whose extracts are asked for at once."""
RULES = (
    "core/extraction_cache.py",
    "core/conversation",
    "core/text",
    "engine/facts",
    "engine/summaries/extractive",
    "engine/summaries/summary_sections.py",
    "llm/providers",
)
"""The parts of the package that decide what is read out of a message, and how it is written down."""


class ExtractCache(Protocol):
    """Where extracts are kept. May be asked from any thread, and raises nothing: what it cannot give is made again."""

    def __contains__(self, message: Message) -> bool:
        """Whether extracts of a message belong here."""

    def load(self, kind: ExtractKind, rules: bytes, messages: Sequence[Message]) -> Mapping[Message, str]:
        """The extracts that are there, read by these rules, of messages that belong here."""

    def save(self, kind: ExtractKind, rules: bytes, extracts: Mapping[Message, str]) -> None:
        """Keep extracts of messages that belong here."""


@dataclass(frozen=True)
class Extractor(Generic[_Value]):
    """How a value is read out of a message, how it becomes JSON, and how it comes back."""

    kind: ExtractKind
    make: Callable[[Message], _Value]
    """Raises OSError where the message can no longer be read."""
    fields: Callable[[_Value], Any]
    """The value as JSON knows it."""
    value: Callable[[Any], _Value]
    """The value of such fields. Raises TypeError, ValueError, LookupError or AttributeError for any others."""

    def values(self, messages: Sequence[Message]) -> Iterator[_Value]:
        """The values of messages, from the caches where they are there; what is made anew is put there."""
        for start in range(0, len(messages), _CHUNK):
            chunk = messages[start : start + _CHUNK]
            caches = [(cache, rows) for cache in _CACHES.all() if (rows := [row for row in chunk if row in cache])]
            yield from self._chunk_values(chunk, caches) if caches else map(self.make, chunk)

    @staticmethod
    def is_kept(messages: Sequence[Message]) -> bool:
        """Whether the extracts of messages such as the last of these can be had from a cache again."""
        return any(messages[-1] in cache for cache in _CACHES.all()) if messages else False

    def _chunk_values(
        self, chunk: Sequence[Message], caches: Sequence[tuple[ExtractCache, Sequence[Message]]]
    ) -> Iterator[_Value]:
        """The values of messages of which each cache has some."""
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
        """The value of an extract; None for one that is damaged."""
        try:
            return self.value(_of_json(text))
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            return None


class _Caches:
    """The caches that somebody holds."""

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
    """Ask a cache for extracts from now on, for as long as somebody holds it."""
    _CACHES.add(cache)


@lru_cache(maxsize=1)
def digest_of_rules() -> bytes:
    """16 bytes that are others when any rule by which extracts are made may be another."""
    return digest_of_sources(Path(__file__).parents[1], RULES)


def digest_of_sources(folder: Path, parts: Sequence[str]) -> bytes:
    """A digest of the Python files and folders named by `parts`, and of what Python takes for letters.

    Any change of them counts, so nobody has to remember to say that there was one.
    """
    hasher = blake2b(f"{unicodedata.unidata_version} {sys.version_info[:2]}".encode(), digest_size=16)
    for part in parts:
        place = folder / part
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            content = path.read_bytes() if path.is_file() else b""
            hasher.update(f"\n{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            hasher.update(content)
    return hasher.digest()


def require_types(kind: type, *columns: Iterable[object]) -> None:
    """Raise TypeError where a value in a column is of another type."""
    for column in columns:
        if not set(map(type, column)) <= {kind}:
            raise TypeError(f"a value is no {kind.__name__}")


def _to_json(fields: Any) -> str:
    try:
        return orjson.dumps(fields).decode()
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # it holds half of a surrogate pair
        return exact_dumps(fields, ascii_only=True)


def _of_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return loads(text)
