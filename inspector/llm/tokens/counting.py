"""Token counting for texts and messages.

A counter returns the tokens of a text. Everything else (message framing, names, images, pages) is counted here, in the
same way for every counter. Framing follows OpenAI's published rules for its chat models, for which the results match
the API exactly. For other providers it is an approximation that calibration corrects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
from inspector.llm.tokens.kept_counts import count_once

FRAME = 4
"""Tokens that frame a message: three for its start and end, and one for its role."""
_NAME = 1
"""Extra tokens of a message with a name."""
_PAGE = 2_000
"""Tokens of a PDF page. Published: 1,500 to 3,000 for text and image; a page of prose has 2,100 by measurement.

See https://docs.anthropic.com/en/docs/build-with-claude/pdf-support#estimate-your-costs.
"""

_STRETCH = 8_192
"""Maximum number of characters passed to the tokenizer at once."""
# in "one two, x1": before " two", ",", " x1" and "1"
STRETCH = re.compile(
    r"""(?<=\S)[ ]                                       # a space after anything
      | (?<=[^\W_])[\s!-&(-/:-@\[-`{-~，。、；：！？…]    # white space or a sign, but no apostrophe, after a word
      | (?<=[A-Za-z])[0-9]                               # a number after a word
    """,
    re.VERBOSE,
)
"""Positions where both encodings always end a word, regardless of the surrounding text."""
_ITEM = "\n- "
"""Start of a list item. In both encodings, no word extends across it."""
_BEGINNING = _ITEM[1:]
_MAX_ITEM_LENGTH = 1_000
"""Maximum length in characters of a separately counted list item whose count is cached."""
_SHORT_ITEM = 200
"""Mean item length in characters up to which a text is counted as a list."""
_SHORT = 24
"""Maximum length in characters of any text whose count is cached."""
CIPHERTEXT = re.compile(r'"encrypted_content": ?"([A-Za-z0-9+/=_-]+)"')
"""Reasoning or a summary that only its provider can read, for example `"encrypted_content":"gAAAAABo…"`."""
_CIPHERTEXT_TOKENS = 3 / 16
"""Estimated tokens per character of ciphertext: three bytes in four characters of Base64, four bytes in a token."""
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1024,}={0,2}")
"""Encoded bytes inside an unrecognised block: probably an image, which is not billed by its base64 text."""


class Counter(Protocol):
    """Counts the tokens of a text. Special tokens inside the text are ordinary text."""

    @property
    def name(self) -> str:
        """Key that separates the cached counts of different counters."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class TokenizerCounter:
    """Counts with one of OpenAI's encodings, which is loaded on first use.

    Counts are exact, except for texts without a word boundary within 4,096 characters (such as a letter repeated a
    million times). Each such stretch can be off by one or two tokens.
    """

    name: EncodingName
    keeps: bool = field(default=False, repr=False, compare=False)
    """True to keep the counts of texts between runs."""

    def count(self, text: str) -> int:
        """Return the number of tokens in a text.

        Raises:
            TableError: The rank table of the encoding cannot be read.
        """
        return count_once(self.name, text, self._count) if self.keeps else self._count(text)

    def _count(self, text: str) -> int:
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
    """Count a short text, cached because tool names occur repeatedly."""
    return load_count(name)(text)


@lru_cache(maxsize=4)
def _count_list(name: EncodingName, text: str) -> int:
    """Count a list item by item. A summary is counted when it is fitted, and again as a message."""
    first, *items, last = text.split(_ITEM)
    return _count_text(name, f"{first}\n") + sum(map(_count_item, repeat(name), items)) + _count_text(name, f"- {last}")


@lru_cache(maxsize=65_536)
def _count_item(name: EncodingName, item: str) -> int:
    """Count a list item, cached because the summaries of a session repeat most items."""
    return _count_text(name, f"- {item}\n")


@dataclass(frozen=True, slots=True)
class CharsCounter:
    """Estimates tokens from text length."""

    chars_per_token: float

    @property
    def name(self) -> str:
        return f"chars/{self.chars_per_token:g}"

    def count(self, text: str) -> int:
        return ceil(len(text) / self.chars_per_token)


def stretches(text: str, longest: int = _STRETCH) -> Iterator[str]:
    """Yield pieces of a text, cut at positions that do not change its tokens where possible.

    There are three reasons to do so: the tokenizer panics on a million consecutive blanks, some of its versions take
    quadratic time for a long word, and it holds the interpreter's lock while it returns a long list of tokens.

    Args:
        text: The text.
        longest: Maximum length of a piece, in characters.
    """
    start = 0
    while len(text) - start > longest:
        place = STRETCH.search(text, start + longest // 2, start + longest)
        end = place.start() if place else start + longest
        yield text[start:end]
        start = end
    yield text[start:]


def count_message(message: Message, counter: Counter) -> int:
    """Return the uncalibrated tokens of a message, loading its text if necessary.

    Args:
        message: Message to count.
        counter: Tokenizer or estimate to count with.

    Raises:
        TableError: The rank table of the encoding cannot be read.
        OSError: The text can no longer be read.
    """
    return count_parts(message.parts, message.role, message.name, message.dialect, counter)


def count_parts(parts: Iterable[Part], role: Role, name: str, dialect: Dialect, counter: Counter) -> int:
    """Return the uncalibrated tokens of a message with the given parts.

    Args:
        parts: Parts of the message.
        role: Role of the message.
        name: Name of the message. The name of a tool is ignored, because it is not sent with the result.
        dialect: Wire format, which determines the tokens of an image.
        counter: Counts the texts.

    Raises:
        TableError: The rank table of the encoding cannot be read.
    """
    tokens = FRAME + sum(_count_part(part, dialect, counter) for part in parts)
    if name and role != "tool":
        tokens += _NAME + counter.count(name)
    return tokens


def is_sealed(message: Message) -> bool:
    """Return True if a message contains encrypted content, whose tokens can only be estimated.

    Raises:
        OSError: The message can no longer be read.
    """
    parts = (part for part in message.parts if isinstance(part, Unknown)) if message.has_flaw is not False else ()
    return any(CIPHERTEXT.search(part.json) for part in parts)


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
            sealed = sum(len(secret[1]) for secret in CIPHERTEXT.finditer(json))
            text, attachments = _BASE64.subn("", CIPHERTEXT.sub("", json) if sealed else json)
            pictures = attachments * provider_of(dialect).image_tokens(Image())
            return counter.count(text) + pictures + ceil(sealed * _CIPHERTEXT_TOKENS)
