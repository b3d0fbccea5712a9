"""Gists: the lines and identifiers that one message can contribute to a summary.

A gist depends on its message alone, so it is computed once and discarded with the message. Its size is bounded: of long
tool output and pasted logs, only both ends are read, and never more than a summary could use.

Identifiers are strings that cannot be guessed: paths, URLs, ids, numbers. They differ from the facts of
`inspector.engine.facts`. A fact is a normalised value ("number x = 17"), so that two messages can be compared; an
identifier is the original text ("x = 17"), so that a summary can repeat it verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, islice, repeat
from operator import itemgetter, methodcaller
from sys import intern
from typing import Any

import orjson

from inspector.core.caches import MessageCache
from inspector.core.conversation import Document, Image, Message, Text, ToolCall, ToolResult, Unknown
from inspector.core.extraction_cache import Extractor, require_types
from inspector.core.text import plain_text
from inspector.engine.facts import SentenceClass, SentenceClassifier, Source, source_of
from inspector.engine.summaries.summary_sections import BULLET, FACTS, HEADINGS, Heading, parse_line

_OPENER = r"(?:(?<![\w.~-])[\w.~-]++/|(?<![<*/])/|(?<=://)/)"
"""Start of a path. A slash after a character of markup or code ("</div>", "//", "*/") is not one."""
_PATH = rf"{_OPENER}(?:(?:[.@+]|(?<!/)/)*+[\w-]++)++(?::\d+)?"
"""A path up to the last letter, digit or hyphen before a character that cannot be in a path, or before "//"."""
_NO_PATH = r"(?:(?<![\w.~-])[.~-]++/|(?<![<*/])/|(?<=://)/)(?:[.@+]++/)*+"
"""Steps without a name, such as "./././". Skipped at once, because matching would otherwise start at each of them."""
_URL = r"https?://[^\s\"'<>)\]}|\\]+[^\s\"'<>)\]}|\\.,;:!?]"
_NAME = r"\b(?=[a-zA-Z_.-]{0,64}+\d)(?=[\d_.-]{0,64}+[A-Za-z])[A-Za-z0-9]++(?:[-_.][A-Za-z0-9]++)+\b"
"""A name with digits and letters in several parts: "HR-204417", "gpt-4o-2024-08-06"."""
_DOT = r"\b\d++(?:\.\d++){2,}(?::\d+)?\b"
"""Versions and IP addresses."""
_HASH = r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"
_KEY = r"\b[A-Za-z_][\w.-]{1,40}+"
_VALUE = r"[$€£]?\d(?:[\d,.]*\d)?%?"
_PATTERN = re.compile(rf"({_URL}|{_KEY}[=:]{_VALUE}|[$€£]\d[\d,.]*\d|{_PATH}|{_DOT}|{_NAME}|{_HASH})|{_NO_PATH}")
"""An identifier within a word, in group 1, which is empty for a match of `_NO_PATH`.

The order of the alternatives is their precedence at the same position.
"""
MAY_HOLD = re.compile(r"[0-9/]").search
"""Every identifier contains a digit or a slash. Checking that first excludes most lines and words."""
_APART = re.compile(rf"[=:](?: |(?<= [=:])){_VALUE}")
_KEY_BEFORE = re.compile(rf"{_KEY} ?\Z")
"""A number can be separated from its key. Such numbers are rare, so they are searched first, and then their keys."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MAX_LINE_LENGTH = 200
_MIN_LENGTH = 4
_FURTHEST = 48
"""Characters before a number in which to search for its key."""


def identifiers(text: str) -> tuple[str, ...]:
    """Return the distinct identifiers in a text: those within a word, then numbers separated from their key."""
    plain = _without_colours(text)
    within = chain.from_iterable(map(_WITHIN.__getitem__, dict.fromkeys(plain.split())))
    return tuple(dict.fromkeys(chain(within, _fit(_numbers_apart(plain)))))


def _in_line(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the identifiers of one line: those within a word, and separated numbers. Can contain duplicates."""
    if not MAY_HOLD(line):
        return (), ()
    return tuple(chain.from_iterable(map(_WITHIN.__getitem__, line.split()))), _fit(_numbers_apart(line))


class _WordCache(dict[str, tuple[str, ...]]):
    """Identifiers within words. Words recur in a conversation, so those of each are searched once."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word.isalpha() or word.isdigit() or not MAY_HOLD(word):
            names: tuple[str, ...] = ()
        else:
            names = _fit(_PATTERN.findall(word))
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = names
        return names


_LONGEST_CACHED, _CACHED_WORDS = 40, 1 << 15
"""Length of the longest word, and number of words, whose identifiers are cached."""
_WITHIN = _WordCache()


def _fit(candidates: Iterable[str]) -> tuple[str, ...]:
    return tuple([word for word in candidates if _MIN_LENGTH <= len(word) <= MAX_LINE_LENGTH])


def _without_colours(text: str) -> str:
    """Remove terminal colours from program output, because they can be in the middle of words."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _numbers_apart(text: str) -> Iterator[str]:
    """Yield numbers with a key separated by white space: "total: 12.50", "x = 17"."""
    for match in _APART.finditer(text):
        start, end = match.span()
        before = max(0, start - _FURTHEST)
        if key := _KEY_BEFORE.search(text[before:start]):
            yield text[before + key.start() : end]


_LINE = 280
"""Maximum length of a line in characters. Longer ones are cut at a word, with an ellipsis."""
_HEAD, _TAIL = 4_000, 2_000
"""Number of characters to read at each end of a long tool result."""
_SPEAKERS = 2
"""Factor for messages written by participants, of which more is read."""
MAX_SENTENCES = 80
MAX_ERRORS = 12
"""Maximum number of error lines per result. Logs with more repeat themselves."""
_SHORT_VALUE = 120
"""Maximum length of a call argument to include, in characters. Longer ones are usually file contents."""
_CACHE_SIZE = 16_384
"""Number of parsed lines of earlier summaries to cache."""


_HEADINGS: Mapping[SentenceClass, Heading] = {
    "constraint": "Constraints",
    "decision": "Decisions",
    "task": "Open tasks",
    "error": "Errors",
}
_BREAK = re.compile(r"[\n.!?](?:(?<=\n)|\s+(?=[A-Z\"'`(\[]))")
"""End of a sentence: a line break, or punctuation followed by what looks like the start of a sentence."""
_WORD = re.compile(r"[a-z_]{4,}")

_IS_ITEM = methodcaller("startswith", BULLET)

Line = tuple[Heading, str, float, tuple[str, ...]]
"""A candidate line: its heading, its text, its weight within its message (at most 1), and its words.

A plain tuple, because long conversations have thousands of them.
"""
_Entry = tuple[Heading, tuple[Line, ...], tuple[str, ...], tuple[str, ...]]
"""A line of an earlier summary: its heading, its pieces, its identifiers, and its separated numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class MessageSummary:
    """The gist of a message."""

    lines: tuple[Line, ...]
    facts: tuple[str, ...]
    """Distinct identifiers in order. For a summary, first the facts it lists, word for word."""
    earlier: bool
    """True if the message is an earlier summary to be merged."""


_CACHED_GISTS = 4_096
"""Number of gists to keep in memory if they are also stored on disk, from which they can be read ten times faster."""
GISTS: MessageCache[MessageSummary] = MessageCache("gists", 32_768)


def gists(messages: Sequence[Message]) -> tuple[MessageSummary, ...]:
    """Return the gists of messages. Thread-safe."""
    return tuple(
        GISTS.get_many(messages, GIST_EXTRACTOR.values, _CACHED_GISTS if GIST_EXTRACTOR.is_kept(messages) else 0)
    )


def gist(message: Message) -> MessageSummary:
    """Return the gist of a message."""
    return gists([message])[0]


def make(message: Message) -> MessageSummary:
    if message.kind == "summary":
        return merge(message.text)
    otherwise: Heading = "Goal" if message.role == "user" and message.kind == "chat" else "Results"
    lines: list[Line] = []
    texts: list[str] = []
    for part in message.parts:
        match part:
            case Text(text):
                text = excerpt(text, _SPEAKERS)
                lines += _speech(text, otherwise, source_of(message))
            case ToolCall(_, name, arguments):
                call_line, text = _call_text(name, arguments)
                lines.append(line("Files", call_line, 0.5 if "/" in call_line else 0.3))
            case ToolResult():
                text = _without_colours(excerpt(part.text))
                lines += _result_lines(text, part.is_error)
            case Image(source=source) | Document(source=source) if not source.startswith("data:"):
                text = source
            case Unknown(_, json):
                text = excerpt(json)
            case _:
                continue
        texts.append(text)
    return MessageSummary(tuple(lines), identifiers("\n".join(texts)), earlier=False)


def line(heading: Heading, text: str, weight: float) -> Line:
    return heading, _shorten(text), weight, tuple(map(intern, _WORD.findall(text[:_LINE].lower())))


def merge(text: str) -> MessageSummary:
    """Return the gist of an earlier summary, without dropping anything from it."""
    heading: Heading = "Goal"
    entries: list[_Entry] = []
    for is_item, rows in groupby(filter(None, text.splitlines()), _IS_ITEM):
        if is_item:  # items do not change the heading
            entries += map(summary_line, map(intern, rows), repeat(heading))
            continue
        for row in rows:
            entries.append(entry := summary_line(row, heading))
            heading = entry[0]
    lines = chain.from_iterable([stretches for under, stretches, _, _ in entries if under != FACTS])
    facts = [piece for under, stretches, _, _ in entries if under == FACTS for _, piece, _, _ in stretches]
    within, apart = (chain.from_iterable(map(itemgetter(place), entries)) for place in (2, 3))
    return MessageSummary(tuple(lines), tuple(dict.fromkeys(chain(facts, within, apart))), earlier=True)


@lru_cache(maxsize=_CACHE_SIZE)
def summary_line(row: str, heading: Heading) -> _Entry:
    """Return a parsed line of an earlier summary. Cached, because the summaries of a session repeat most lines."""
    under, bare = parse_line(row, heading)
    stretches = tuple([line(under, piece, 1.0) for piece in pieces(" ".join(bare.split()))])
    return under, stretches, *_in_line(_without_colours(row))


def _speech(text: str, otherwise: Heading, source: Source) -> Iterator[Line]:
    """Yield the sentences of a written text. Earlier ones have a higher weight."""
    classifier = SentenceClassifier(text, source)
    for number, sentence in enumerate(islice(_sentences(text), MAX_SENTENCES)):
        words = tuple(map(intern, _WORD.findall(sentence[:_LINE].lower())))
        classes = classifier.classes(sentence)
        yield _HEADINGS[classes[0]] if classes else otherwise, _shorten(sentence), 4 / (4 + number), words


def _result_lines(text: str, is_error: bool) -> Iterator[Line]:
    """Yield the error lines of a tool result, and its first and last two lines."""
    lines = [text_line for text_line in map(str.strip, text.splitlines()) if text_line]
    errors = _error_lines(text, lines, is_error)
    for number in sorted({*errors, *range(len(lines))[:2], *range(len(lines))[-2:]}):
        if number in errors:
            yield line("Errors", lines[number], 1.0 if is_error else 0.6)
        else:
            yield line("Results", lines[number], 0.4)


def _error_lines(text: str, lines: list[str], is_error: bool) -> set[int]:
    """Return the indices of error lines, limited to the first and last ones.

    If the result is an error without such a line, this is the first line.
    """
    classifier = SentenceClassifier(text, "output", only="error")
    places = [number for number, text_line in enumerate(lines) if "error" in classifier.classes(text_line)]
    if is_error and lines and not places:
        return {0}
    half = MAX_ERRORS // 2
    return set(places if len(places) <= MAX_ERRORS else places[:half] + places[-half:])


def _call_text(name: str, arguments: str) -> tuple[str, str]:
    """Return a call in one line with its short arguments, and all its arguments as plain text."""
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        values = None
    if not isinstance(values, dict):
        return f"{name} {arguments[: 2 * _LINE]}", excerpt(arguments)
    short = [f"{key}={value}" for key, value in values.items() if _tellable(value)]
    texts = [f"{key}={value}" if isinstance(value, int | float) else plain_text(value) for key, value in values.items()]
    return " ".join([name, *short]), excerpt("\n".join(texts))


def _tellable(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _SHORT_VALUE and "\n" not in value
    return isinstance(value, int | float)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for stop in _BREAK.finditer(text):
        end = stop.end()
        if sentence := text[start:end].strip():
            yield sentence
        start = end
    if rest := text[start:].strip():
        yield rest


def excerpt(text: str, times: int = 1) -> str:
    """Return both ends of a long text."""
    head, tail = _HEAD * times, _TAIL * times
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"


def _shorten(text: str) -> str:
    """Return a text on one line of at most `_LINE` characters."""
    if len(text) <= _LINE and text.isprintable() and "  " not in text:
        return text
    line = " ".join(text[: 4 * _LINE].split())
    return line if len(line) <= _LINE else line[: _LINE - 2].rsplit(" ", 1)[0] + " …"


def pieces(line: str) -> Iterator[str]:
    """Yield a line of an earlier summary in pieces of at most `_LINE` characters, cut at spaces if possible."""
    start = 0
    while len(line) - start > _LINE:
        cut = line.rfind(" ", start + 1, start + _LINE) + 1 or start + _LINE
        yield line[start:cut].strip()
        start = cut
        while start < len(line) and line[start].isspace():
            start += 1
    if start < len(line):
        yield line[start:]


def _fields(value: MessageSummary) -> list[Any]:
    """Return a gist as JSON values, by column, with the words of each line as one text."""
    headings, texts, weights, words = zip(*value.lines, strict=True) if value.lines else ((),) * 4
    return [headings, texts, weights, list(map(" ".join, words)), value.facts, value.earlier]


def _gist_of(fields: Any) -> MessageSummary:
    """Restore a gist from such values. Raises the same exceptions as `Extractor.value`."""
    headings, texts, weights, words, facts, earlier = fields
    require_types(str, texts, facts)
    require_types(float, weights)
    require_types(bool, [earlier])
    rows = [tuple(map(intern, row.split(" "))) if row else () for row in words]
    return MessageSummary(
        tuple(zip([_BY_NAME[name] for name in headings], texts, weights, rows, strict=True)), tuple(facts), earlier
    )


_BY_NAME: Mapping[str, Heading] = {heading: heading for heading in HEADINGS}
GIST_EXTRACTOR = Extractor("gist", make, _fields, _gist_of)
