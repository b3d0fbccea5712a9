"""Find the values that changed in a conversation, and decide whether a text states the newest one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message
from inspector.engine.facts import FACTS_EXTRACTOR, Fact, read_numbers, stem
from inspector.engine.work_state import follows_new_value

_KEYED = re.compile(r"(?P<key>[^\W\d][\w. -]{2,40}) = (?P<value>-?\d[\d.,]*)")
"""A number under its key: "retries = 6"."""
_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d.,]*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[.;!?]\s|\n")
_REACH = 60
"""Maximum number of characters between a number and the words of its key."""
_MAX_VALUES = 3
"""Maximum number of values of a key. A key with more is a counter, such as a line or a step."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A number whose key had another number before."""

    key: str
    newest: str
    outdated: tuple[str, ...]
    """The earlier numbers, oldest first."""
    message: str
    """Id of the message that states the newest."""


def keyed_number(fact: Fact) -> tuple[str, str] | None:
    """Return the key and the number of a fact; None for other facts."""
    return _keyed(fact.text) if fact.cls == "number" else None


def _keyed(number: str) -> tuple[str, str] | None:
    match = _KEYED.fullmatch(number)
    return (match["key"], match["value"]) if match else None


_PAIRS: MessageCache[tuple[tuple[str, str], ...]] = MessageCache("keyed numbers", limit=8_192)


def _keyed_numbers(message: Message) -> tuple[tuple[str, str], ...]:
    if message.kind == "summary":
        numbers = read_numbers(message)
    else:
        (result,) = FACTS_EXTRACTOR.values([message])
        numbers = tuple([text for cls, text in result.facts if cls == "number"])
    return tuple([pair for pair in map(_keyed, numbers) if pair])


def changed_values(messages: Iterable[Message]) -> Iterator[ChangedValue]:
    """Yield the values that participants changed. A message with two numbers of one key lists them, and changes none.

    Args:
        messages: Messages, oldest first. Those with calls and results of tools are not read.

    Raises:
        OSError: If the recording can no longer be read.
    """
    stated: dict[str, dict[str, str]] = {}
    for message in messages:
        if message.answers is not None or message.calls:
            continue
        pairs = _PAIRS.get(message, _keyed_numbers)
        keys = [key for key, _ in dict.fromkeys(pairs)]
        for key, value in pairs:
            values = stated.setdefault(key, {})
            if keys.count(key) == 1:
                values.pop(value, None)
                values[value] = message.id
    for key, values in stated.items():
        *outdated, newest = values or [""]
        if 0 < len(outdated) < _MAX_VALUES:
            yield ChangedValue(key, newest, tuple(outdated), values[newest])


def states_newest(text: str, value: ChangedValue) -> bool:
    """Return True if a text states the newest number of a key, and no outdated one after it."""
    last = _last_place(text, value.key, value.newest)
    return last >= 0 and all(_last_place(text, value.key, number) < last for number in value.outdated)


def _last_place(text: str, key: str, number: str) -> int:
    """Return the last position of a number near a word of its key, in one sentence or line; -1 without any.

    A number that a text states as the old one, "6 instead of 3", is not counted.
    """
    words, last = _key_words(key), -1
    for match in _NUMBER.finditer(text):
        if match[0].rstrip(".,") == number and not follows_new_value(text, match.start()):
            left = _SENTENCE_END.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
            right = _SENTENCE_END.split(text[match.end() : match.end() + _REACH])[0]
            last = match.start() if words & (_key_words(left) | _key_words(right)) else last
    return last


def _key_words(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text)}
