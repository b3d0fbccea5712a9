"""Decide whether a window states something, for retention, regrets, `lost`, `restore` and probes alike.

A message of the log states what it contains. A summary states a value only with the words that it belongs to, and a
sentence only as a sentence in any wording (`relation`). Values that it merely contains, for example in a list, are
*named*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal

from inspector.core.caches import MessageCache, text_of
from inspector.core.conversation import Message, Text
from inspector.engine.facts.relation import RelatedText, related_text, sentence_of
from inspector.engine.facts.text_match import Passage, message_words, phrase, plain_words, told_text
from inspector.engine.facts.value_sources import source_words

Presence = Literal["retained", "named"]

MAX_SOURCES = 4
"""Number of statements of a value that a summary is compared with: the newest ones, those in words first."""


def statements_among(messages: Iterable[Message]) -> list[Message]:
    """Return the first messages with words, or else the first ones. A value in them belongs to these words."""
    rows = list(messages)
    said = (message for message in rows if message.role != "tool" and _HAVE_WORDS.get(message, _has_words))
    return list(islice(said, MAX_SOURCES)) or rows[:MAX_SOURCES]


def _has_words(message: Message) -> bool:
    return any(isinstance(part, Text) and part.text.strip() for part in message.parts)


_HAVE_WORDS = MessageCache[bool]("have words")


def presence_of(
    words: str,
    is_held: Callable[[str], bool],
    summaries: Iterable[tuple[Passage, RelatedText]],
    is_stated: Callable[[RelatedText], bool],
) -> Presence | None:
    """Return whether a window retains or only names a `phrase`; None if it does not contain it.

    Args:
        words: The phrase.
        is_held: Called with the phrase; returns True if a message of the window, except a summary, contains it.
        summaries: Texts of the summaries of the window, to search phrases and relations in.
        is_stated: Called with a summary that contains the phrase; returns True if it states it with what it belongs to.
    """
    if not words.strip():
        return None
    if is_held(words):
        return "retained"
    state: Presence | None = None
    for passage, summary in summaries:
        if words in passage:
            if is_stated(summary):
                return "retained"
            state = "named"
    return state


class StatedTexts:
    """The texts of a window, for those who ask without an index of facts.

    Methods raise OSError if the recording can no longer be read.

    Args:
        kept: Messages of the window, except summaries.
        summaries: Texts of its summaries.
    """

    def __init__(self, kept: Iterable[Message], summaries: Iterable[str]) -> None:
        self._kept, self._summaries = tuple(kept), tuple(summaries)

    @classmethod
    def of(cls, messages: Sequence[Message]) -> StatedTexts:
        """Return the texts of the messages of a window."""
        summaries = [message.text for message in messages if message.kind == "summary"]
        return cls([message for message in messages if message.kind != "summary"], summaries)

    def with_summaries(self, summaries: Iterable[str]) -> StatedTexts:
        """Return the texts of a window with the same messages and other summaries."""
        other = StatedTexts(self._kept, summaries)
        other._held = self._held
        return other

    @cached_property
    def _held(self) -> str:
        return "".join(map(message_words, self._kept))

    @cached_property
    def _retold(self) -> list[tuple[Passage, RelatedText]]:
        return [(Passage(plain_words([text])), related_text(text)) for text in self._summaries]

    def _is_held(self, words: str) -> bool:
        return words in self._held

    def value(self, value: str, earlier: Iterable[Message] = (), text: str = "") -> Presence | None:
        """Return whether the window retains or names a value.

        Args:
            value: The value.
            earlier: Messages that can have stated it before, the newest first.
            text: Another text that the value belongs to.
        """

        def is_stated(summary: RelatedText) -> bool:
            stating = statements_among(message for message in earlier if value in text_of(message))
            words = (source_words(one, value) for one in (text, *map(told_text, stating)))
            return summary.relates(value, filter(None, words))

        return presence_of(phrase(value), self._is_held, self._retold, is_stated)

    def sentence(self, text: str) -> Presence | None:
        """Return whether the window retains a sentence, in its own or other words, or contains it in a list."""
        sentence = sentence_of(text)
        if any(summary.restates(sentence) for _, summary in self._retold):
            return "retained"
        return presence_of(phrase(text), self._is_held, self._retold, lambda summary: summary.states(text))
