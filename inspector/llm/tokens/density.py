"""How many characters of a session make a token, and how many tokens its pictures make, by a few places of it.

No tokenizer is loaded. Lengths alone are a third off for tables, logs and other languages than English. Words, groups
of digits and runs of signs are what tokenizers cut a text into before they look anything up:
https://github.com/openai/tiktoken, `pat_str`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from itertools import accumulate, chain, islice

from inspector.core.conversation import Image, Session, ToolResult
from inspector.llm.providers import provider_of

_PLACES, _CHARS = 16, 2_000
"""Places at equal distances in the text of a session, and characters that are read at each, at the most."""
_PIECES = re.compile(
    r"(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<digits>[0-9]{1,3})|(?P<blank>\s+)|(?P<signs>(?:[^\w\s]|_)+)"
    r"|(?P<ideograph>[\u3040-\ua4cf\uac00-\ud7ff])|(?P<letter>\w)"
)
_TOKENS = {"word": 1.0, "digits": 1.4, "signs": 0.9, "ideograph": 0.7, "letter": 0.3}
"""Tokens for each piece, a letter of other alphabets alone among them: fitted to what o200k_base counts in stretches of
recorded sessions (a twentieth of them is off by more than a seventh)."""
_LONG, _PER_LETTER = 6, 0.09
"""Letters of a word from which on it has more than one token, and tokens for each letter beyond."""


def chars_per_token(session: Session, usual: float) -> float:
    """Characters that make a token in a session; the `usual` number where nothing can be read."""
    ends = list(accumulate(message.chars for message in session.messages))
    total = ends[-1] if ends else 0
    stretches: dict[int, set[int]] = {}
    for number in range(_PLACES if total else 0):
        place = (2 * number + 1) * total // (2 * _PLACES)
        index = bisect_right(ends, place)
        start = place - ends[index] + session.messages[index].chars
        stretches.setdefault(index, set()).add(start - start % _CHARS)
    chars, tokens = 0, 0.0
    for index, starts in stretches.items():
        with suppress(OSError):
            whole = session.messages[index].text
            text = "\n".join(whole[start : start + _CHARS] for start in sorted(starts))
            chars += len(text)
            tokens += _tokens_of(text)
    return chars / tokens if tokens else usual


def tokens_per_picture(session: Session, usual: float) -> float:
    """Tokens of a picture of a session, by those of the first few messages; the `usual` number where
    nothing can be read."""
    messages = islice((message for message in session.messages if message.images), _PLACES)
    sizes: list[int] = []
    for message in messages:
        with suppress(OSError):
            results = [part.parts for part in message.parts if isinstance(part, ToolResult)]
            parts = chain(message.parts, *results)
            sizes += [provider_of(message.dialect).image_tokens(part) for part in parts if isinstance(part, Image)]
    return sum(sizes) / len(sizes) if sizes else usual


def _tokens_of(text: str) -> float:
    tokens = 0.0
    for piece in _PIECES.finditer(text):
        kind = piece.lastgroup
        if kind == "word":
            tokens += _PER_LETTER * max(0, piece.end() - piece.start() - _LONG)
        elif kind == "blank":
            # one blank belongs to the word behind it; lines and indentation are tokens of their own
            tokens += piece.group() != " "
            continue
        tokens += _TOKENS[kind or "letter"]
    return tokens
