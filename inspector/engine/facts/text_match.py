"""What stands in messages word for word, whatever its case, punctuation and line breaks are.

Terms say what a message tells in any way that patterns know. Beside them stands this plain search, which knows nothing
of facts: a value that can be read in the window is not lost, whoever would not have recognised it there.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import filterfalse
from threading import Lock

from inspector.core.conversation import Message, Part, Text, Thinking, ToolCall, ToolResult
from inspector.engine.facts.extraction import unescape
from inspector.engine.facts.terms import sentence_words

_WORDS = re.compile(r"\w+")
_SIGNS = "…→—–’‘“”•·│─✓"
"""Those outside of ASCII that stand in most texts that have any: without them, many a text is plain."""
_PLAIN_LETTERS = bytes(ord(sign.lower()) if sign.isalnum() else ord(" ") for sign in map(chr, range(128))) + bytes(128)
"""For each byte of a text in ASCII, what stands for it in plain words."""
_MIN_WORD_SHARE = 0.75
"""Share of a sentence's words that a line has to have to tell it in other words."""
MIN_SENTENCE_WORDS = 4
"""Words that a sentence must have for that."""
_SENTENCE = "words "
_APART = " \n "
"""Between texts, so that no phrase goes over from one into the next."""
_LONG_NAME = 8
_AT_HAND = 8_000_000
"""Characters of a log that are searched as they are; of longer logs, the texts of the other messages are packed."""
_BULLET = re.compile(r"\A[\s>#*•–-]*(?:\d{1,3}[.)] )?")
_ITEMS = re.compile(r"[\s,;]+")


def texts_of(message: Message) -> Iterator[tuple[str, bool]]:
    """The texts of a message as it is sent, each with whether somebody says it; of a placeholder its own."""
    if message.placeholder is not None:
        yield message.placeholder, False
        return
    for part in message.parts:
        yield from texts_in(part)


def texts_in(part: Part) -> Iterator[tuple[str, bool]]:
    """Those of one part."""
    match part:
        case Text(text):
            yield text, True
        case ToolCall(_, name, arguments):
            yield f"{name} {arguments}", False
        case ToolResult():
            yield part.text, False


def _all_texts(message: Message) -> Iterator[str]:
    """The texts of a message, and what was thought in it, which is sent as well."""
    yield from (text for text, _ in texts_of(message))
    if message.thinks:
        yield from (part.text for part in message.parts if isinstance(part, Thinking))


@lru_cache(maxsize=1 << 15)
def phrase(text: str) -> str:
    """The words of a value as they are looked for: "src/feed/load.py" is " src feed load py "."""
    return f" {' '.join(sentence_words(text))} "


def plain_words(texts: Iterable[str]) -> str:
    """Texts as phrases are looked for in them."""
    return f" {_APART.join(map(_plain, texts))} "


def _plain(text: str) -> str:
    if "\\" in text:
        text = unescape(text)
    if not text.isascii():
        for sign in _SIGNS:
            text = text.replace(sign, " ")
    if text.isascii():  # the same at a fifth of the time
        return " ".join(text.encode().translate(_PLAIN_LETTERS).decode().split())
    return " ".join(_WORDS.findall(text.lower().replace("_", " ")))


class Passage:
    """Plain words in which many phrases are looked for: most are not there, and one of their words shows it at once."""

    def __init__(self, words: str) -> None:
        self._text = words
        self._words = frozenset(words.split())

    def __contains__(self, words: str) -> bool:
        """Whether a `phrase` stands there."""
        return self._words.issuperset(words.split()) and words in self._text


def spoken_words(message: Message) -> str:
    """What a message says as phrases are looked for in it, without the lines of a summary that only list values."""
    texts = [text for text, _ in texts_of(message)]
    if message.kind == "summary":
        texts = ["\n".join(filterfalse(is_bare, text.split("\n"))) for text in texts]
    return plain_words(texts)


def listed_words(message: Message) -> str:
    """What the lines of a summary list that only list values, as phrases are looked for in it."""
    if message.kind != "summary":
        return ""
    return plain_words("\n".join(filter(is_bare, text.split("\n"))) for text, _ in texts_of(message))


@lru_cache(maxsize=1 << 14)
def is_bare(line: str) -> bool:
    """Whether a line of a summary only lists values, without a word about what they are.

    A label before a single value says what it is ("order: HR-204417"); before many it is the heading of a list.
    """
    text = _BULLET.sub("", line, count=1)
    _, colon, rest = text.partition(": ")
    items = [item.strip("`'\"()[]*.,") for item in _ITEMS.split(rest if colon else text)]
    items = [item for item in items if item]
    if colon and len(items) == 1:
        return False
    return "=" not in items[0] if len(items) == 1 else bool(items) and not any(map(_is_word, items))


def _is_word(item: str) -> bool:
    return item.isalpha() or item == "="


def is_long(name: str) -> bool:
    """Whether a name has so many letters that it is no chance where a longer one has them all."""
    return len(name) >= _LONG_NAME and name.isalnum()


class Literals:
    """Which messages of a log hold a phrase. It grows with the log, and may be shared by threads."""

    def __init__(self) -> None:
        self._texts: dict[Message, str | bytes] = {}
        """What each message says; packed where it is in bytes."""
        self._messages: list[Message] = []
        """The same messages, by number."""
        self._chars = 0
        """Of the texts that are not packed."""
        self._by_word: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        """The numbers of the messages with each word, in order."""
        self._numbers: dict[Message, int] = {}
        self._candidates: dict[str, tuple[int, ...]] = {}
        """The numbers of the messages that have the two rarest words of a phrase."""
        self._verdicts: defaultdict[str, dict[int, bool]] = defaultdict(dict)
        """For a phrase, whether it stands in the messages in which it was looked for."""
        self._spellers: dict[str, frozenset[Message]] = {}
        self._all_words: str | None = None
        """Every word of `_by_word`, one a line; None where it is still to be put together."""
        self._lock = Lock()

    def read(self, messages: Iterable[Message]) -> None:
        """Read messages that were not read before. Raises OSError where a source cannot be read any more."""
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
        """The messages that hold a `phrase`, oldest first."""
        numbers = sorted(self._candidates_for(words))
        return tuple(self._messages[number] for number in numbers if self._stands(words, number))

    def numbers_of(self, messages: Iterable[Message]) -> frozenset[int]:
        """What `is_held` knows messages by; those that were not read have no number."""
        return frozenset(number for message in messages if (number := self._numbers.get(message)) is not None)

    def is_held(self, words: str, numbers: frozenset[int]) -> bool:
        """Whether one of the messages with these numbers holds a `phrase`."""
        return any(self._stands(words, number) for number in numbers.intersection(self._candidates_for(words)))

    def _candidates_for(self, words: str) -> tuple[int, ...]:
        numbers = self._candidates.get(words)
        if numbers is None:
            rarest = sorted([self._by_word.get(word, ()) for word in set(words.split())], key=len)[:2]
            numbers = tuple(set(rarest[0]).intersection(*rarest[1:])) if rarest else ()
            self._candidates[words] = numbers
        return numbers

    def _stands(self, words: str, number: int) -> bool:
        """Whether a phrase stands in a message that has its rarest words."""
        if words.count(" ") <= 2:  # one word
            return True
        verdicts = self._verdicts[words]
        if number not in verdicts:
            verdicts[number] = words in self._text_of(self._messages[number])
        return verdicts[number]

    def _pack(self, text: str) -> str | bytes:
        """A text as it is kept."""
        if self._chars + len(text) > _AT_HAND:
            return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        self._chars += len(text)
        return text

    def _text_of(self, message: Message) -> str:
        """What a message says."""
        text = self._texts[message]
        return text if isinstance(text, str) else zlib.decompress(text).decode("utf-8", "surrogatepass")

    def spellers(self, name: str) -> frozenset[Message]:
        """The messages that hold a longer word with this name in it; short names are in too many to tell anything."""
        part = name.lower().removesuffix("()")
        if not is_long(part):
            return frozenset()
        spellers = self._spellers.get(part)
        if spellers is None:
            numbers = set[int]().union(*[self._by_word[word] for word in self._words_with(part) if word != part])
            spellers = self._spellers[part] = frozenset(map(self._messages.__getitem__, numbers))
        return spellers

    def _words_with(self, part: str) -> Iterator[str]:
        """The words of all messages that hold a part, which has no line end."""
        if self._all_words is None:
            self._all_words = "\n".join(self._by_word)
        words, place = self._all_words, self._all_words.find(part)
        while place >= 0:
            end = words.find("\n", place)
            end = len(words) if end < 0 else end
            yield words[words.rfind("\n", 0, place) + 1 : end]
            place = words.find(part, end)

    def __getstate__(self) -> tuple[()]:
        """Nothing: another process reads the log anew where it needs to."""
        return ()

    def __setstate__(self, _: tuple[()]) -> None:
        self.__init__()  # type: ignore[misc]  # as empty as at first


def restates(words: frozenset[str], sentence: frozenset[str]) -> bool:
    """Whether words tell a sentence a little differently: most of its words, and all of its numbers."""
    missing = sentence - words
    return len(missing) <= (1 - _MIN_WORD_SHARE) * len(sentence) and not any(
        any(map(str.isdecimal, word)) for word in missing
    )


def sentences_by_word(numbers: Mapping[str, int]) -> dict[str, list[tuple[int, frozenset[str]]]]:
    """Sentences by their rarest words: as many of them that no line tells a sentence that has none of these."""
    sentences = {
        number: frozenset(term[len(_SENTENCE) :].split())
        for term, number in numbers.items()
        if term.startswith(_SENTENCE)
    }
    spread: dict[str, int] = defaultdict(int)
    for words in sentences.values():
        for word in words:
            spread[word] += 1
    by_word: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for number, words in sentences.items():
        if len(words) >= MIN_SENTENCE_WORDS:
            rarest = sorted(words, key=lambda word: (spread[word], word))
            for word in rarest[: int((1 - _MIN_WORD_SHARE) * len(words)) + 1]:
                by_word[word].append((number, words))
    return dict(by_word)
