"""What one message has to give to a summary: lines, each under its heading, and its identifiers.

A gist depends on its message alone, so it is made once in the message's life and goes when the message goes. It is
bounded: of bulk (a long tool output, a pasted log) both ends are read, and no more than a summary could ever use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from sys import intern
from typing import NamedTuple
from weakref import WeakKeyDictionary

import orjson

from inspector.conversation import Document, Image, Message, Text, ToolCall, ToolResult, Unknown
from inspector.summaries.extractive.identifiers import identifiers, in_line, uncoloured
from inspector.summaries.sections import FACTS, Heading, read_line
from inspector.text import plain_text

_LINE = 280
"""Longest line taken over, in characters; longer ones are cut at a word, with an ellipsis."""
_HEAD, _TAIL = 4_000, 2_000
"""Of a long tool result, the characters at both ends that are read."""
_SPOKEN = 2
"""So many times more is read of what somebody said."""
MOST_SENTENCES = 80
MOST_ERRORS = 12
"""Lines with errors taken from one result; a log that has more says the same over and over."""
_SHORT_VALUE = 120
"""Longest argument of a call, in characters, that is told; a longer one is a file's text or the like."""
MOST_KNOWN = 32_768
"""Messages whose gists are kept at the same time, or twice as many as are asked for at once."""
_REMEMBERED = 32_768
"""Lines of earlier summaries that are kept as they were read."""


class _Kind(NamedTuple):
    """A sort of sentence, known by a word or a phrase in it, in small letters."""

    heading: Heading
    words: frozenset[str]
    phrases: tuple[str, ...]


def kind(heading: Heading, words: str, phrases: str) -> _Kind:
    return _Kind(heading, frozenset(words.split()), tuple(phrases.split("|")))


_KINDS = (
    kind(
        "Constraints",
        "must never always only require required requires important critical",
        "do not |don't |at most|at least",
    ),
    kind(
        "Decisions",
        "decide decided decides deciding decision decisions chose chosen choose chooses agreed settled",
        "we'll |i'll |let's |going with|instead of|plan is",
    ),
    kind(
        "Open tasks",
        "todo todos next remain remains remained remaining followup later pending",
        "still to|still need|open question|follow up|follow-up|not yet",
    ),
)
"""A sentence is of the first kind that it fits. Words and plain searches: patterns would take five times longer."""
_CUES = frozenset[str]().union(*(each.words for each in _KINDS))
_HINTS = frozenset(("most", "least", "going", "instead", "plan", "still", "question", "follow"))
"""No phrase stands in a sentence that has none of these words, no "not" and no apostrophe."""
_ERRORS = (
    *("error", "exception", "traceback", "failed", "failure", "fatal", "denied", "refused"),
    *("not found", "timed out", "time out", "timeout"),
)
_BREAK = re.compile(r"[\n.!?](?:(?<=\n)|\s+(?=[A-Z\"'`(\[]))")
"""The end of a sentence: of a line, or a stop with something behind it that looks like a beginning."""
_WORD = re.compile(r"[a-z_]{4,}")

Line = tuple[Heading, str, float, tuple[str, ...]]
"""A line that may be taken over: its heading, its text, how much it matters in its message (at most 1), its words.

A plain tuple, because a long conversation has thousands of them.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Gist:
    lines: tuple[Line, ...]
    facts: tuple[str, ...]
    """Identifiers, each once, by first sight; of a summary, first the facts that it lists, word for word."""
    earlier: bool
    """Whether it comes from a summary that is to be merged."""


KNOWN: WeakKeyDictionary[Message, Gist] = WeakKeyDictionary()


def gists(messages: Sequence[Message]) -> tuple[Gist, ...]:
    """The gists of messages. Any thread may ask for them."""
    most = max(MOST_KNOWN, 2 * len(messages))
    return tuple([gist(message, most) for message in messages])


def gist(message: Message, most: int = MOST_KNOWN) -> Gist:
    """The gist of a message; `most` is how many may be kept at the same time."""
    if (known := KNOWN.get(message)) is None:
        known = make(message)
        if len(KNOWN) >= most:
            KNOWN.clear()
        KNOWN[message] = known
    return known


def make(message: Message) -> Gist:
    if message.kind == "summary":
        return merged(message.text)
    otherwise: Heading = "Goal" if message.role == "user" and message.kind == "said" else "Results"
    lines: list[Line] = []
    texts: list[str] = []
    for part in message.parts:
        match part:
            case Text(text):
                text = excerpt(text, _SPOKEN)
                lines += spoken(text, otherwise)
            case ToolCall(_, name, arguments):
                told, text = called(name, arguments)
                lines.append(line("Files", told, 0.5 if "/" in told else 0.3))
            case ToolResult():
                text = uncoloured(excerpt(part.text))
                lines += _result_lines(text, part.is_error)
            case Image(source=source) | Document(source=source) if not source.startswith("data:"):
                text = source
            case Unknown(_, json):
                text = excerpt(json)
            case _:
                continue
        texts.append(text)
    return Gist(tuple(lines), identifiers("\n".join(texts)), earlier=False)


def line(heading: Heading, text: str, weight: float) -> Line:
    return heading, _shorten(text), weight, tuple(map(intern, _WORD.findall(text[:_LINE].lower())))


def merged(text: str) -> Gist:
    """An earlier summary, section by section: nothing of it is cut."""
    heading: Heading = "Goal"
    read: list[tuple[Heading, tuple[Line, ...], tuple[str, ...], tuple[str, ...]]] = []
    for each in text.splitlines():
        read.append(found := taken(each, heading))
        heading = found[0]
    lines = chain.from_iterable([told for under, told, _, _ in read if under != FACTS])
    stated = [piece for under, told, _, _ in read if under == FACTS for _, piece, _, _ in told]
    within, apart = (chain.from_iterable(map(itemgetter(place), read)) for place in (2, 3))
    return Gist(tuple(lines), tuple(dict.fromkeys(chain(stated, within, apart))), earlier=True)


@lru_cache(maxsize=_REMEMBERED)
def taken(each: str, heading: Heading) -> tuple[Heading, tuple[Line, ...], tuple[str, ...], tuple[str, ...]]:
    """A line of an earlier summary: its heading, what it says in stretches, its identifiers, and its numbers apart.

    Remembered, because the summaries of one session say most lines again.
    """
    found, bare = read_line(each, heading)
    told = tuple([line(found, piece, 1.0) for piece in pieces(" ".join(bare.split()))])
    return found, told, *in_line(uncoloured(each))


def spoken(text: str, otherwise: Heading) -> Iterator[Line]:
    """The sentences of what somebody said, earlier ones with more weight."""
    errors = _tells_error(text.lower())
    for number, sentence in enumerate(islice(sentences(text), MOST_SENTENCES)):
        small = sentence[:_LINE].lower()
        words = tuple(map(intern, _WORD.findall(small)))
        heading = _kind_of(small, words) or ("Errors" if errors and _tells_error(small) else otherwise)
        yield heading, _shorten(sentence), 4 / (4 + number), words


def _kind_of(small: str, words: Sequence[str]) -> Heading | None:
    """The kind of a sentence, given in small letters and as its longer words."""
    phrased = "'" in small or "not " in small or not _HINTS.isdisjoint(words)
    if not phrased and _CUES.isdisjoint(words):
        return None
    for heading, known, phrases in _KINDS:
        if not known.isdisjoint(words) or (phrased and any(each in small for each in phrases)):
            return heading
    return None


def _tells_error(small: str) -> bool:
    """Whether a text in small letters tells of an error."""
    return any(each in small for each in _ERRORS)


def _result_lines(text: str, is_error: bool) -> Iterator[Line]:
    """The lines of a tool's result with errors in them, and its first and last two."""
    lines = [each for each in map(str.strip, text.splitlines()) if each]
    errors = _error_lines(lines) if _tells_error(text.lower()) else set()
    for number in sorted({*errors, *range(len(lines))[:2], *range(len(lines))[-2:]}):
        if number in errors:
            yield line("Errors", lines[number], 1.0 if is_error else 0.6)
        else:
            yield line("Results", lines[number], 0.4)


def _error_lines(lines: list[str]) -> set[int]:
    """Places of the lines that tell of errors, the first and the last ones where there are too many."""
    places = [number for number, each in enumerate(lines) if _tells_error(each.lower())]
    half = MOST_ERRORS // 2
    return set(places if len(places) <= MOST_ERRORS else places[:half] + places[-half:])


def called(name: str, arguments: str) -> tuple[str, str]:
    """A call in one line, with its short arguments; and all of its arguments as plain text."""
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        values = None
    if not isinstance(values, dict):
        return f"{name} {arguments[: 2 * _LINE]}", excerpt(arguments)
    told = [f"{key}={value}" for key, value in values.items() if _tellable(value)]
    texts = [f"{key}={value}" if isinstance(value, int | float) else plain_text(value) for key, value in values.items()]
    return " ".join([name, *told]), excerpt("\n".join(texts))


def _tellable(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _SHORT_VALUE and "\n" not in value
    return isinstance(value, int | float)


def sentences(text: str) -> Iterator[str]:
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
