"""Signals of importance in a message. `importance` weighs them and `selective` tests them.

They are computed once per message and cached for its lifetime.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message
from inspector.engine.facts import decides_or_fails, sentence_classes, source_of
from inspector.engine.window import Window

SCAN_LENGTH = 20_000
"""Number of characters of a message that are searched for words."""
WORDS = "important, critical, essential, must, never, remember"
"""Words that mark a message as important: the documented default."""


class Signals(NamedTuple):
    """Signals of a message, each from 0 to 1."""

    speaker: float
    """Weight of the author; the user weighs most."""
    marked: float
    """1 if the message contains a marking word."""
    error: float
    """1 if the message reports a failure."""
    decision: float
    """1 if the message contains a decision."""


_SPEAKERS = {"system": 1.0, "user": 1.0, "assistant": 0.4, "tool": 0.2}
_INJECTED = 0.5
"""Speaker weight of messages that a program inserted with the user role."""
_SUMMARY = Signals(1.0, 0.0, 0.0, 0.0)
"""Summaries are merged or kept regardless of their content."""


def signals(window: Window, words: str = WORDS) -> Sequence[Signals]:
    """Return the signals of each message of a window. The window caches those for the last `words`."""
    memory = window.remember(_no_words_yet)
    if words not in memory:
        memory.clear()
        memory[words] = _all_signals(window, words)
    return memory[words]


def _no_words_yet(_window: Window) -> dict[str, Sequence[Signals]]:
    return {}


def _all_signals(window: Window, words: str) -> Sequence[Signals]:
    marks = mark_pattern(words)
    rows = []
    for message, by_words in zip(window.messages, _SIGNALS.get_all(window.messages, _none_yet), strict=True):
        if words not in by_words:
            if len(by_words) >= _MAX_WORDS:
                by_words.clear()
            by_words[words] = _signals_of(message, marks)
        rows.append(by_words[words])
    return rows


_SIGNALS: MessageCache[dict[str, Signals]] = MessageCache("signals")
"""Signals of each message, by marking words."""
_MAX_WORDS = 4


def _none_yet(_message: Message) -> dict[str, Signals]:
    return {}


def _signals_of(message: Message, marks: re.Pattern[str] | None) -> Signals:
    """Return the signals of one message. Tool output is not searched for words, which occur in any long output."""
    if message.role == "tool":
        has_failed = bool(message.is_error or sentence_classes(message.preview, "output", "error"))
        return Signals(_SPEAKERS["tool"], 0.0, float(has_failed), 0.0)
    if message.kind == "summary":
        return _SUMMARY
    text = message.preview if message.chars < len(message.preview) else message.text[:SCAN_LENGTH]
    decides, fails = decides_or_fails(text, source_of(message))
    return Signals(
        _INJECTED if message.kind == "injected" else _SPEAKERS[message.role],
        float(bool(marks and marks.search(text))),
        float(message.is_error or fails),
        float(decides),
    )


@lru_cache(maxsize=32)
def mark_pattern(words: str) -> re.Pattern[str] | None:
    """Return a pattern for comma-separated words; None if there are no words."""
    alternatives = [re.escape(word.strip()) for word in words.split(",") if word.strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.I) if alternatives else None
