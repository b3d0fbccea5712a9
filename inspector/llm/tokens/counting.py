"""Counting the tokens of texts and messages.

A counter turns text into a number. What stands around the text (the frame of a message, names, pictures, pages) is
counted here, the same for every counter. The frame is the one that OpenAI publishes for its chat models, where these
counts meet the API's own to the token; for every other provider it is a fair guess that calibration corrects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from math import ceil
from typing import Protocol

from inspector.core.conversation import (
    Dialect,
    Document,
    Image,
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from inspector.llm.models import EncodingName, load_count
from inspector.llm.providers import provider_of

FRAME = 4
"""Tokens around each message: three that mark its beginning and end, and one for its role."""
_NAME = 1
"""Tokens beside a name's own."""
_PAGE = 2_000
"""A page of a PDF. Published: 1,500 to 3,000 tokens, its text and its picture; a page of prose measures 2,100.

See https://docs.anthropic.com/en/docs/build-with-claude/pdf-support#estimate-your-costs.
"""

_STRETCH = 8_192
"""The longest text, in characters, that the tokenizer is given at once."""
STRETCH = re.compile(
    r"""(?<=\S)[ ]                                       # a blank behind anything
      | (?<=[^\W_])[\s!-&(-/:-@\[-`{-~，。、；：！？…]    # white space or a sign, but no apostrophe, behind a word
      | (?<=[A-Za-z])[0-9]                               # a number behind a word
    """,
    re.VERBOSE,
)
"""Places where both encodings end a word, whatever comes before and after."""
_ITEM = "\n- "
"""Begins an item of a list: no word of either encoding goes on from the end of a line into "- "."""
_BEGINNING = _ITEM[1:]
_MAX_ITEM_LENGTH = 1_000
"""Characters up to which the tokens of an item that is counted by itself are remembered."""
_SHORT_ITEM = 200
"""Characters of an item, as a mean, up to which a text is counted as a list."""
_SHORT = 24
"""Characters up to which the tokens of any text are remembered."""
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1024,}={0,2}")
"""Encoded bytes inside a block that no one understands: most likely a picture, and never billed by their letters."""


class Counter(Protocol):
    """Says how many tokens a text takes. Special tokens inside the text are ordinary text."""

    @property
    def name(self) -> str:
        """Tells cached counts of different counters apart."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class TokenizerCounter:
    """Counts with one of OpenAI's encodings, which is loaded with the first text.

    Exact, save where a text has no end of a word for 4,000 characters (a million times the same letter): there it may
    be one or two tokens off for each such stretch.
    """

    name: EncodingName

    def count(self, text: str) -> int:
        """Tokens of any text. Raises TableError."""
        if len(text) <= _SHORT:
            return _count_short(self.name, text)
        if text.startswith(_BEGINNING) and text.find("\n") == len(text) - 1 <= _MAX_ITEM_LENGTH:
            return _count_item(self.name, text[len(_BEGINNING) : -1])
        if "\n" in text and text.count(_ITEM) * _SHORT_ITEM > len(text):
            return _count_list(self.name, text)
        return _count_text(self.name, text)


def _count_text(name: EncodingName, text: str) -> int:
    count = load_count(name)
    return count(text) if len(text) <= _STRETCH else sum(map(count, stretches(text)))


@lru_cache(maxsize=4_096)
def _count_short(name: EncodingName, text: str) -> int:
    """Tokens of a short text, remembered: the names of tools come again and again."""
    return load_count(name)(text)


@lru_cache(maxsize=4)
def _count_list(name: EncodingName, text: str) -> int:
    """Tokens of a list, item by item. A summary is counted when it is fitted, and again as a message."""
    first, *items, last = text.split(_ITEM)
    return _count_text(name, f"{first}\n") + sum(map(_count_item, repeat(name), items)) + _count_text(name, f"- {last}")


@lru_cache(maxsize=131_072)
def _count_item(name: EncodingName, item: str) -> int:
    """Tokens of an item of a list, remembered: the summaries of one session list most things again."""
    return _count_text(name, f"- {item}\n")


@dataclass(frozen=True, slots=True)
class CharsCounter:
    """Estimates by length."""

    chars_per_token: float

    @property
    def name(self) -> str:
        return f"chars/{self.chars_per_token:g}"

    def count(self, text: str) -> int:
        return ceil(len(text) / self.chars_per_token)


def stretches(text: str, longest: int = _STRETCH) -> Iterator[str]:
    """A text in stretches of at most `longest` characters, cut where it does not change the tokens if that can be.

    Three reasons: the tokenizer panics on a million blanks in a row, some of its versions take quadratic time on a
    long word, and nobody else runs while it hands a long list of tokens over.
    """
    start = 0
    while len(text) - start > longest:
        place = STRETCH.search(text, start + longest // 2, start + longest)
        end = place.start() if place else start + longest
        yield text[start:end]
        start = end
    yield text[start:]


def count_message(message: Message, counter: Counter) -> int:
    """Tokens of a message, uncalibrated. Reads its text from wherever it is."""
    return count_parts(message.parts, message.role, message.name, message.dialect, counter)


def count_parts(parts: Iterable[Part], role: Role, name: str, dialect: Dialect, counter: Counter) -> int:
    """Tokens of a message with these parts. A tool's name is no name in this sense: it is not sent with the result."""
    tokens = FRAME + sum(_count_part(part, dialect, counter) for part in parts)
    if name and role != "tool":
        tokens += _NAME + counter.count(name)
    return tokens


def _count_part(part: Part, dialect: Dialect, counter: Counter) -> int:
    match part:
        case Text(text) | Thinking(text):
            return counter.count(text)
        case ToolCall(_, name, arguments):
            return counter.count(name) + counter.count(arguments)
        case ToolResult():
            return sum(_count_part(inner, dialect, counter) for inner in part.parts)
        case Image():
            return provider_of(dialect).image_tokens(part)
        case Document():
            return _PAGE * max(1, part.pages)
        case Unknown(_, json):
            text, attachments = _BASE64.subn("", json)
            return counter.count(text) + attachments * provider_of(dialect).image_tokens(Image())
