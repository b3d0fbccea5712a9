"""Full-text search in messages, ignoring case, punctuation and line breaks.

Terms cover the spellings that patterns recognise. This plain search complements them: a value that appears verbatim in
the window is not lost, even if no pattern would recognise it there.
"""

from __future__ import annotations

import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain
from threading import Lock
from typing import Any

import orjson

from inspector.core.caches import TextCache
from inspector.core.conversation import Message, Part, Text, Thinking, ToolCall, ToolResult
from inspector.core.text import lazy_pattern
from inspector.engine.facts.extraction import unescape

_WORDS = lazy_pattern(r"\w+")
_SIGNS = "…→—–’‘“”•·│─✓"
"""The most frequent non-ASCII punctuation. Most texts are pure ASCII once it is replaced."""
_PLAIN_LETTERS = bytes(ord(sign.lower()) if sign.isalnum() else ord(" ") for sign in map(chr, range(128))) + bytes(128)
"""Translation table from ASCII bytes to lowercase letters, digits and spaces."""
_APART = " \n "
"""Separator between texts, so that no phrase matches across two of them."""
_LONG_NAME = 8
_MAX_PHRASES = 1 << 15
"""Maximum number of phrases whose messages are kept. Above it, they are cleared."""
_AT_HAND = 8_000_000
"""Number of characters of a log that are kept uncompressed for searching. Texts beyond it are compressed."""


def texts_of(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a message as it is sent, each with True if a participant wrote it."""
    if message.placeholder is not None:
        yield message.placeholder, False
        return
    for part in message.parts:
        yield from texts_in(part)


def texts_in(part: Part) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a part, each with True if a participant wrote it."""
    match part:
        case Text(text):
            yield text, True
        case ToolCall(_, name, arguments):
            yield f"{name} {arguments}", False
        case ToolResult():
            yield part.text, False


def told_text(message: Message) -> str:
    """Return the texts of a message as it is sent, in lines; of calls, only the texts among the arguments. Cached."""
    return _TOLD.get(message, _read_told)


def _read_told(message: Message) -> str:
    if message.placeholder is not None or not message.calls:
        return "\n".join(text for text, _ in texts_of(message))
    return "\n".join(chain.from_iterable(map(_told_in, message.parts)))


def _told_in(part: Part) -> Iterator[str]:
    if isinstance(part, ToolCall):
        yield from (value for _, value in arguments_in(part) if isinstance(value, str))
    else:
        yield from (text for text, _ in texts_in(part))


def arguments_in(call: ToolCall) -> Iterator[tuple[str, Any]]:
    """Yield the values in the arguments of a call, each after its key. Arguments that are no JSON are one text."""
    try:
        values = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        values = unescape(call.arguments)
    rest: list[tuple[str, Any]] = [("", values)]
    while rest:
        match rest.pop():
            case _, dict(values):
                rest += reversed(values.items())
            case key, list(values):
                rest += [(key, value) for value in reversed(values)]
            case key, value:
                yield key, value


def _all_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message and its thinking, which is sent as well."""
    yield from (text for text, _ in texts_of(message))
    if message.thinks:
        yield from (part.text for part in message.parts if isinstance(part, Thinking))


@lru_cache(maxsize=1 << 15)
def phrase(text: str) -> str:
    """Return the normalised words of a value as they are searched: "src/feed/load.py" is " src feed load py "."""
    if text.isascii() and text.isalnum():
        return f" {text.lower()} "
    return f" {' '.join(_WORDS.findall(text.lower().replace('_', ' ')))} "


def plain_words(texts: Iterable[str]) -> str:
    """Return texts in the normalised form in which a `phrase` is searched."""
    return f" {_APART.join(map(_plain, texts))} "


def _plain(text: str) -> str:
    if "\\" in text:
        text = unescape(text)
    if not text.isascii():
        for sign in _SIGNS:
            text = text.replace(sign, " ")
    if text.isascii():  # same result, five times faster
        return " ".join(text.encode().translate(_PLAIN_LETTERS).decode().split())
    return " ".join(_WORDS.findall(text.lower().replace("_", " ")))


class Passage:
    """Normalised text in which many phrases are searched. A set of its words rules out most phrases quickly."""

    def __init__(self, words: str) -> None:
        self._text = words
        self._words = frozenset(words.split())

    def __contains__(self, words: str) -> bool:
        """Return True if the passage contains a `phrase`."""
        return self._words.issuperset(words.split()) and words in self._text


def message_words(message: Message) -> str:
    """Return the normalised text of a message, from a cache. Raises OSError if its body can no longer be read."""
    return _WORDS_OF.get(message, _read_words)


def _read_words(message: Message) -> str:
    return plain_words(text for text, _ in texts_of(message))


_WORDS_OF, _TOLD = TextCache("words"), TextCache("told texts")


def _is_one_word(words: str) -> bool:
    """Return True if a `phrase` is a single word."""
    return words.count(" ") <= 2


def is_long(name: str) -> bool:
    """Return True if a name is long enough that a longer word containing it is not a coincidence."""
    return len(name) >= _LONG_NAME and name.isalnum()


class Literals:
    """Word index of a log that finds the messages with a phrase. Grows with the log and is thread-safe."""

    def __init__(self) -> None:
        self._texts: dict[Message, str | bytes] = {}
        """Normalised text of each message, compressed if it is bytes."""
        self._messages: list[Message] = []
        """The same messages in order; positions are message numbers."""
        self._chars = 0
        """Number of characters of the uncompressed texts."""
        self._by_word: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        """Numbers of the messages that contain each word, ascending."""
        self._numbers: dict[Message, int] = {}
        self._candidates: dict[str, array[int]] = {}
        """Numbers of the messages that contain the two rarest words of a phrase."""
        self._verdicts: defaultdict[str, dict[int, bool]] = defaultdict(dict)
        """For each phrase, whether it occurs in the messages checked so far."""
        self._spellers: dict[str, frozenset[Message]] = {}
        self._all_words: str | None = None
        """All words of `_by_word`, one per line; None until it is built."""
        self._lock = Lock()

    def read(self, messages: Iterable[Message]) -> None:
        """Read messages that were not read before.

        Raises:
            OSError: A message body cannot be read any more.
        """
        with self._lock:
            new = [message for message in messages if message not in self._texts]
            for message in new:
                text, number = plain_words(_all_texts(message)), len(self._messages)
                self._texts[message] = self._pack(text)
                self._messages.append(message)
                self._numbers[message] = number
                for word in set(text.split()):
                    self._by_word[word].append(number)
            if new:
                self._candidates.clear()
                self._spellers.clear()
                self._all_words = None

    def holders(self, words: str) -> tuple[Message, ...]:
        """Return the messages that contain a `phrase`, oldest first."""
        numbers = sorted(self._candidates_for(words))
        return tuple(self._messages[number] for number in numbers if self._stands(words, number))

    def numbers_of(self, messages: Iterable[Message]) -> frozenset[int]:
        """Return the numbers of messages to pass to `is_held`. Messages that were not read have none."""
        return frozenset(number for message in messages if (number := self._numbers.get(message)) is not None)

    def is_held(self, words: str, numbers: set[int] | frozenset[int]) -> bool:
        """Return True if one of the messages with these numbers contains a `phrase`."""
        rarest = min([self._by_word.get(word, ()) for word in words.split()], key=len)
        if numbers.isdisjoint(reversed(rarest)):
            return False
        return _is_one_word(words) or any(
            self._stands(words, number) for number in numbers.intersection(self._candidates_for(words))
        )

    def _candidates_for(self, words: str) -> array[int]:
        numbers = self._candidates.get(words)
        if numbers is None:
            rarest = sorted([self._by_word.get(word, ()) for word in set(words.split())], key=len)[:2]
            numbers = array("I", set(rarest[0]).intersection(*rarest[1:]) if rarest else ())
            if len(self._candidates) >= _MAX_PHRASES:
                self._candidates.clear()
                self._verdicts.clear()
            self._candidates[words] = numbers
        return numbers

    def _stands(self, words: str, number: int) -> bool:
        """Return True if a message that contains the rarest words of a phrase contains all of it."""
        if _is_one_word(words):
            return True
        verdicts = self._verdicts[words]
        if number not in verdicts:
            verdicts[number] = words in self._text_of(self._messages[number])
        return verdicts[number]

    def _pack(self, text: str) -> str | bytes:
        """Return a text as it is stored, compressed if the log is long."""
        if self._chars + len(text) > _AT_HAND:
            return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        self._chars += len(text)
        return text

    def _text_of(self, message: Message) -> str:
        text = self._texts[message]
        return text if isinstance(text, str) else zlib.decompress(text).decode("utf-8", "surrogatepass")

    def spellers(self, name: str) -> frozenset[Message]:
        """Return the messages with a longer word that contains this name; empty for short names."""
        part = name.lower().removesuffix("()")
        if not is_long(part):
            return frozenset()
        spellers = self._spellers.get(part)
        if spellers is None:
            numbers = set[int]().union(*[self._by_word[word] for word in self._words_with(part) if word != part])
            spellers = self._spellers[part] = frozenset(map(self._messages.__getitem__, numbers))
        return spellers

    def _words_with(self, part: str) -> Iterator[str]:
        """Yield the words of all messages that contain a part. The part must not contain a line break."""
        if self._all_words is None:
            self._all_words = "\n".join(self._by_word)
        words, place = self._all_words, self._all_words.find(part)
        while place >= 0:
            end = words.find("\n", place)
            end = len(words) if end < 0 else end
            yield words[words.rfind("\n", 0, place) + 1 : end]
            place = words.find(part, end)

    def __getstate__(self) -> tuple[()]:
        """Return an empty state: another process reads the log again when needed."""
        return ()

    def __setstate__(self, _: tuple[()]) -> None:
        self.__init__()  # type: ignore[misc]  # starts empty
