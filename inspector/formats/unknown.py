"""JSON of an unknown shape in which something looks like messages: read with a guess, which is said first.

A message is an object that names who speaks and has words. The longest list of such objects in a record is taken for
its conversation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from inspector.conversation import Role, Session
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import blocks_of, time_of
from inspector.formats.ids import unique
from inspector.formats.log_builder import LogBuilder
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.providers import as_text

_Fields = dict[str, Any]
_SPEAKERS = ("role", "sender", "speaker", "author", "from", "type")
_WORDS = ("content", "text", "message", "parts", "value", "body", "utterance")
_TIMES = ("timestamp", "created_at", "time", "date", "ts")
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "person", "customer", "client", "prompter", "input", "question"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "agent", "gpt", "output", "response", "answer"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
}
_MOST = 200_000
"""Values that are looked at for messages."""
_DEEPEST = 12
_FEWEST, _SHARE = 2, 0.6
"""Messages that make a conversation, and the share of a list's entries that they have to be."""


class _GuessedList(NamedTuple):
    """A list of messages in a record: where it stands, the fields that were taken for speaker and words."""

    place: str
    speaker: str
    words: str
    entries: Sequence[Any]


class UnknownJSON(Format):
    """Any JSON with a list of messages in it."""

    name = "unknown"
    title = "JSON with messages in it"
    holds: ClassVar[frozenset[Holding]] = frozenset()

    def recognize(self, sample: Sample) -> Recognition:
        conversation = _loose(sample.records) or next(filter(None, map(_longest_in, sample.records)), None)
        if conversation is None:
            return UNLIKE
        where = f"in {conversation.place} " if conversation.place else ""
        return Recognition(0.1, f"entries {where}with a {conversation.speaker} and a {conversation.words}")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        records = list(content.records(progress))
        if conversation := _loose([record for _, record in records]):
            return [_guessed_session(content, conversation, 0)]
        sessions = []
        for number, record in records:
            if conversation := _longest_in(record):
                sessions.append(_guessed_session(content, conversation, number if len(records) > 1 else 0))
            else:
                content.reject(number, "holds no list of messages")
        return unique(sessions) or [LogBuilder().session(content, self.name)]


def _loose(records: Sequence[Any]) -> _GuessedList | None:
    """Records that are messages themselves."""
    return _conversation(records, "") if len(records) >= _FEWEST else None


def _longest_in(record: Any) -> _GuessedList | None:
    """The longest list of messages in a record."""
    candidates = (_conversation(entries, place) for place, entries in _lists_in(record))
    return max(filter(None, candidates), key=lambda conversation: len(conversation.entries), default=None)


def _lists_in(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """Every list in a value with its place, the outer ones first."""
    waiting: deque[tuple[str, Any, int]] = deque([("", value, 0)])
    for _ in range(_MOST):
        if not waiting:
            return
        place, inner, depth = waiting.popleft()
        if isinstance(inner, list):
            yield place, inner
            waiting.extend((f"{place}[]", entry, depth + 1) for entry in inner if depth < _DEEPEST)
        elif isinstance(inner, dict) and depth < _DEEPEST:
            waiting.extend((f"{place}.{key}".lstrip("."), entry, depth + 1) for key, entry in inner.items())


def _conversation(entries: Sequence[Any], place: str) -> _GuessedList | None:
    """A list as a conversation; None where too few of its entries are messages, or nobody answers anybody."""
    rows = [entry for entry in entries if isinstance(entry, dict)]
    if len(rows) < max(_FEWEST, _SHARE * len(entries)):
        return None
    for speaker in _SPEAKERS:
        for words in _WORDS:
            messages = [row for row in rows if _who(row, speaker) and row.get(words)]
            if len(messages) >= max(_FEWEST, _SHARE * len(entries)) and _is_exchange(messages, speaker):
                return _GuessedList(place[:200], speaker, words, entries)
    return None


def _who(row: _Fields, speaker: str) -> str:
    value = row.get(speaker)
    value = value.get("role") or value.get("name") if isinstance(value, dict) else value
    return value if isinstance(value, str) else ""


def _is_exchange(messages: Sequence[_Fields], speaker: str) -> bool:
    """Whether somebody answers somebody. What is only called a type has to be one that is known for a speaker."""
    names = {_who(row, speaker).lower() for row in messages}
    roles = {_ROLES[name] for name in names if name in _ROLES}
    return {"user", "assistant"} <= roles or (speaker != "type" and not roles and 2 <= len(names) <= len(messages) // 2)


def _guessed_session(content: Content, conversation: _GuessedList, line: int) -> Session:
    log, names = LogBuilder(), list[str]()
    for number, row in enumerate(conversation.entries, 1):
        who = _who(row, conversation.speaker) if isinstance(row, dict) else ""
        words = blocks_of(row.get(conversation.words)) if who else []
        if not words:
            content.problems.add(f"entry {number} of the messages was left out: nobody speaks in it")
            continue
        if who.lower() not in _ROLES and who not in names:
            names.append(who)
        stranger: Role = "assistant" if who in names[1:] else "user"
        role = _ROLES.get(who.lower(), stranger)
        time = next((time_of(row[name]) for name in _TIMES if row.get(name)), "")
        record = {key: value for key, value in row.items() if key != conversation.words}
        log.add_parts(as_text(row.get("id")) or f"m{number}", role, words, record, time=time)
    return log.session(content, UnknownJSON.name, records_system=True, line=line)
