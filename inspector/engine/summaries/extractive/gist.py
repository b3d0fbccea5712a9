"""What one message has to give to a summary: lines, each under its heading, and its identifiers.

A gist depends on its message alone, so it is made once in the message's life and goes when the message goes. It is
bounded: of bulk (a long tool output, a pasted log) both ends are read, and no more than a summary could ever use.

Identifiers are strings that cannot be guessed again once they are gone: paths, addresses, ids, numbers. They are not
the facts of `inspector.engine.facts`. A fact is a value in its normal form ("number x = 17"), so that two messages can
be seen to tell the same; an identifier is what stands in the text ("x = 17"), so that a summary can repeat it verbatim.
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
"""Of a path. A slash behind another sign of markup or code ("</div>", "//", "*/") begins none."""
_PATH = rf"{_OPENER}(?:(?:[.@+]|(?<!/)/)*+[\w-]++)++(?::\d+)?"
"""Up to the last letter, digit or hyphen before something that is in no path, or before two slashes."""
_NO_PATH = r"(?:(?<![\w.~-])[.~-]++/|(?<![<*/])/|(?<=://)/)(?:[.@+]++/)*+"
"""Steps without a name, "./././". They are passed over at once, or each of them would be taken for a beginning."""
_URL = r"https?://[^\s\"'<>)\]}|\\]+[^\s\"'<>)\]}|\\.,;:!?]"
_NAME = r"\b(?=[a-zA-Z_.-]{0,64}+\d)(?=[\d_.-]{0,64}+[A-Za-z])[A-Za-z0-9]++(?:[-_.][A-Za-z0-9]++)+\b"
_DOT = r"\b\d++(?:\.\d++){2,}(?::\d+)?\b"
"""Versions and network addresses."""
_HASH = r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"
_KEY = r"\b[A-Za-z_][\w.-]{1,40}+"
_VALUE = r"[$€£]?\d(?:[\d,.]*\d)?%?"
_PATTERN = re.compile(rf"({_URL}|{_KEY}[=:]{_VALUE}|[$€£]\d[\d,.]*\d|{_PATH}|{_DOT}|{_NAME}|{_HASH})|{_NO_PATH}")
"""What stands within a word, in a group, which is empty where there is nothing.

The alternatives stand in the order in which one wins over another at the same place.
"""
MAY_HOLD = re.compile(r"[0-9/]").search
"""Every identifier has a digit or a slash: looking for those first leaves few lines and words to be read closely."""
_APART = re.compile(rf"[=:](?: |(?<= [=:])){_VALUE}")
_KEY_BEFORE = re.compile(rf"{_KEY} ?\Z")
"""A number may stand apart from its key. Such numbers are rare, so they are found first and their keys looked for."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MAX_LINE_LENGTH = 200
_MIN_LENGTH = 4
_FURTHEST = 48
"""Characters before a number in which its key is looked for."""


def identifiers(text: str) -> tuple[str, ...]:
    """Every identifier in a text once: those within a word by first sight, then the numbers that stand apart."""
    telling = "\n".join([line for line in _without_colours(text).split("\n") if MAY_HOLD(line)])
    words = [word for word in telling.split() if not word.isalpha() and not word.isdigit() and MAY_HOLD(word)]
    matches = dict.fromkeys(chain(_PATTERN.findall("\n".join(dict.fromkeys(words))), _numbers_apart(telling)))
    return _fit(matches)


def _in_line(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The identifiers of one line: those within a word, and the numbers that stand apart. Some may come twice."""
    if not MAY_HOLD(line):
        return (), ()
    words = [word for word in line.split() if not word.isalpha() and not word.isdigit() and MAY_HOLD(word)]
    return _fit(_PATTERN.findall("\n".join(words))), _fit(_numbers_apart(line))


def _fit(candidates: Iterable[str]) -> tuple[str, ...]:
    return tuple([word for word in candidates if _MIN_LENGTH <= len(word) <= MAX_LINE_LENGTH])


def _without_colours(text: str) -> str:
    """The output of a program without its terminal colours: they stand in the middle of words."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _numbers_apart(text: str) -> Iterator[str]:
    """Numbers with their key where there is white space between the two: "total: 12.50", "x = 17"."""
    for match in _APART.finditer(text):
        start, end = match.span()
        before = max(0, start - _FURTHEST)
        if key := _KEY_BEFORE.search(text[before:start]):
            yield text[before + key.start() : end]


_LINE = 280
"""Longest line taken over, in characters; longer ones are cut at a word, with an ellipsis."""
_HEAD, _TAIL = 4_000, 2_000
"""Of a long tool result, the characters at both ends that are read."""
_SPEAKERS = 2
"""So many times more is read of what somebody said."""
MAX_SENTENCES = 80
MAX_ERRORS = 12
"""Lines with errors taken from one result; a log that has more says the same over and over."""
_SHORT_VALUE = 120
"""Longest argument of a call, in characters, that is told; a longer one is a file's text or the like."""
_CACHE_SIZE = 16_384
"""Lines of earlier summaries that are kept as they were read."""


_HEADINGS: Mapping[SentenceClass, Heading] = {
    "constraint": "Constraints",
    "decision": "Decisions",
    "task": "Open tasks",
    "error": "Errors",
}
_BREAK = re.compile(r"[\n.!?](?:(?<=\n)|\s+(?=[A-Z\"'`(\[]))")
"""The end of a sentence: of a line, or a stop with something behind it that looks like a beginning."""
_WORD = re.compile(r"[a-z_]{4,}")

_IS_ITEM = methodcaller("startswith", BULLET)

Line = tuple[Heading, str, float, tuple[str, ...]]
"""A line that may be taken over: its heading, its text, how much it matters in its message (at most 1), its words.

A plain tuple, because a long conversation has thousands of them.
"""
_Entry = tuple[Heading, tuple[Line, ...], tuple[str, ...], tuple[str, ...]]
"""What a line of an earlier summary says: its heading, its stretches, its identifiers, and its numbers apart."""


@dataclass(frozen=True, slots=True, eq=False)
class MessageSummary:
    lines: tuple[Line, ...]
    facts: tuple[str, ...]
    """Identifiers, each once, by first sight; of a summary, first the facts that it lists, word for word."""
    earlier: bool
    """Whether it comes from a summary that is to be merged."""


_CACHED_GISTS = 8_192
"""Gists that stay in memory where they can be read again from where they are kept, in a tenth of the time."""
GISTS: MessageCache[MessageSummary] = MessageCache("gists", 32_768)


def gists(messages: Sequence[Message]) -> tuple[MessageSummary, ...]:
    """The gists of messages. Any thread may ask for them."""
    return tuple(
        GISTS.get_many(messages, GIST_EXTRACTOR.values, _CACHED_GISTS if GIST_EXTRACTOR.is_kept(messages) else 0)
    )


def gist(message: Message) -> MessageSummary:
    """The gist of a message."""
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
    """An earlier summary, section by section: nothing of it is cut."""
    heading: Heading = "Goal"
    entries: list[_Entry] = []
    for is_item, rows in groupby(filter(None, text.splitlines()), _IS_ITEM):
        if is_item:  # the items of a section leave its heading as it is
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
    """A line of an earlier summary: its heading, what it says in stretches, its identifiers, and its numbers apart.

    Remembered, because the summaries of one session say most lines again.
    """
    under, bare = parse_line(row, heading)
    stretches = tuple([line(under, piece, 1.0) for piece in pieces(" ".join(bare.split()))])
    return under, stretches, *_in_line(_without_colours(row))


def _speech(text: str, otherwise: Heading, source: Source) -> Iterator[Line]:
    """The sentences of what somebody said, earlier ones with more weight."""
    classifier = SentenceClassifier(text, source)
    for number, sentence in enumerate(islice(_sentences(text), MAX_SENTENCES)):
        words = tuple(map(intern, _WORD.findall(sentence[:_LINE].lower())))
        classes = classifier.classes(sentence)
        yield _HEADINGS[classes[0]] if classes else otherwise, _shorten(sentence), 4 / (4 + number), words


def _result_lines(text: str, is_error: bool) -> Iterator[Line]:
    """The lines of a tool's result with errors in them, and its first and last two."""
    lines = [text_line for text_line in map(str.strip, text.splitlines()) if text_line]
    errors = _error_lines(text, lines, is_error)
    for number in sorted({*errors, *range(len(lines))[:2], *range(len(lines))[-2:]}):
        if number in errors:
            yield line("Errors", lines[number], 1.0 if is_error else 0.6)
        else:
            yield line("Results", lines[number], 0.4)


def _error_lines(text: str, lines: list[str], is_error: bool) -> set[int]:
    """Places of the lines that tell of errors, the first and the last ones where there are too many.

    Of a result that is an error, and has no such line, the first.
    """
    classifier = SentenceClassifier(text, "output", only="error")
    places = [number for number, text_line in enumerate(lines) if "error" in classifier.classes(text_line)]
    if is_error and lines and not places:
        return {0}
    half = MAX_ERRORS // 2
    return set(places if len(places) <= MAX_ERRORS else places[:half] + places[-half:])


def _call_text(name: str, arguments: str) -> tuple[str, str]:
    """A call in one line, with its short arguments; and all of its arguments as plain text."""
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
    """Both ends of a long text."""
    head, tail = _HEAD * times, _TAIL * times
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"


def _shorten(text: str) -> str:
    """A text on one line of at most `_LINE` characters."""
    if len(text) <= _LINE and text.isprintable() and "  " not in text:
        return text
    line = " ".join(text[: 4 * _LINE].split())
    return line if len(line) <= _LINE else line[: _LINE - 2].rsplit(" ", 1)[0] + " …"


def pieces(line: str) -> Iterator[str]:
    """A line of an earlier summary in stretches of at most `_LINE` characters, cut at blanks where there are any."""
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
    """A gist as JSON knows it: column by column, the words of each line in one text."""
    headings, texts, weights, words = zip(*value.lines, strict=True) if value.lines else ((),) * 4
    return [headings, texts, weights, list(map(" ".join, words)), value.facts, value.earlier]


def _gist_of(fields: Any) -> MessageSummary:
    """The gist of such fields. Raises as `Extractor.value` does."""
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
