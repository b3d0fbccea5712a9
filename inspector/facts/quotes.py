"""The sentence of a message that tells a fact, word for word, to be shown beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.conversation import Message
from inspector.facts.extraction import unescape
from inspector.facts.terms import sentence_words
from inspector.facts.wording import texts_of
from inspector.text import one_line

_REACH = 160
"""Characters on either side of a fact that may be quoted with it."""
_MOST_WORDS = 12
"""Words by which a fact is looked for: the first ones of a long sentence find its place."""
_BETWEEN = r"[\W_]{1,8}"
_STOPS = ("\n", ". ", "! ", "? ", "; ")


def quote(message: Message, fact: str) -> str:
    """The sentence in which a message tells a fact, on one line; "" where it does not stand there in these words."""
    patterns = list(_patterns(fact))
    for pattern in patterns:
        for text, _ in texts_of(message):
            plain = unescape(text)
            if match := pattern.search(plain):
                return one_line(_sentence_around(plain, match.start(), match.end()))
    return ""


def _patterns(fact: str) -> Iterator[re.Pattern[str]]:
    """What a fact may look like in a text, the fullest first."""
    words = sentence_words(fact)[:_MOST_WORDS]
    if words:
        yield _pattern(words)
    if telling := max((word for word in words if any(map(str.isdecimal, word))), key=len, default=""):
        yield _pattern([telling])


def _pattern(words: tuple[str, ...] | list[str]) -> re.Pattern[str]:
    spelled = [",?".join(word) if word.isdecimal() else re.escape(word) for word in words]
    return re.compile(rf"(?<![^\W_]){_BETWEEN.join(spelled)}(?![^\W_])", re.IGNORECASE)


def _sentence_around(text: str, start: int, end: int) -> str:
    """The sentence around a place, or as much of it as may be quoted, with "…" where it is cut."""
    lowest, highest = max(0, start - _REACH), min(len(text), end + _REACH)
    cuts = [at + len(stop) for stop in _STOPS if (at := text.rfind(stop, lowest, start)) >= 0]
    ends = [at + len(stop.rstrip()) for stop in _STOPS if (at := text.find(stop, end, highest)) >= 0]
    first, last = max(cuts, default=lowest), min(ends, default=highest)
    head = "…" if not cuts and lowest else ""
    tail = "…" if not ends and highest < len(text) else ""
    return f"{head}{text[first:last].strip()}{tail}"
