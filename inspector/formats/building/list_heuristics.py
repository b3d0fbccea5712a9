"""Detection of message lists in JSON of an unknown shape, by fields for speakers and texts."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from inspector.core.conversation import Role
from inspector.formats.reading.content import Fields

_WRAPPERS = ("message", "data", "kwargs", "content", "message.data")
"""Fields of an entry that may contain its message."""
_SPEAKERS = (
    *("role", "sender", "speaker", "author", "from", "who", "source", "type", "kind"),
    *("is_user", "isUser", "isCreatedByUser"),
)
_KINDS = frozenset({"source", "type", "kind"})
"""Fields among these that are common elsewhere. They count only if their values are known speakers."""
_CONTENTS = ("parts", "blocks", "items", "content", "text", "message", "mes", "value", "body", "utterance", "words")
_BLOCK_LISTS = _CONTENTS[:3]
_CALLS = ("tool_calls", "toolCalls", "toolInvocations")
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "person", "customer", "client", "prompter", "input", "question"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "agent", "gpt", "output", "response", "answer"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "functionexecutionresult"), "tool"),
    "request": "user",
    "true": "user",
    "false": "assistant",
}
_PAIRS = (("user", "assistant"), ("user", "bot"), ("human", "ai"), ("human", "assistant"), ("user", "model"))
"""Fields of an entry with a question and its answer."""
_MAX_FIELDS = 4
"""Maximum number of fields of such an entry."""
_HISTORIES = frozenset({"history", "chat_history", "chatHistory", "chatbot", "conversation", "dialog", "dialogue"})
"""Description of pairs of question and answer without fields."""
_MAX_VALUES = 200_000
"""Maximum number of values that are searched for messages."""
_DEEPEST = 12
_FEWEST, _SHARE = 2, 0.6
"""Minimum number of messages in a conversation, and their minimum share of a list's entries."""


class MessageShape(NamedTuple):
    """Fields of an entry with its message ("" for the entry itself), its speaker and its text."""

    wrapper: str
    speaker: str
    words: str

    @property
    def order(self) -> tuple[int, int, int]:
        """Sort key among several shapes that fit."""
        wrapper = _WRAPPERS.index(self.wrapper) if self.wrapper else -1
        return wrapper, _SPEAKERS.index(self.speaker), _CONTENTS.index(self.words)

    def message(self, entry: Any) -> Fields:
        """Return the message of an entry, or {} if it has none."""
        fields = _unwrapped(entry, self.wrapper)
        return fields if _who(fields, self.speaker) and _says(fields, self.words) else {}

    def who(self, entry: Any) -> str:
        """Return the speaker of an entry, or "" if it is not a message."""
        return _who(self.message(entry), self.speaker)

    def record(self, entry: Fields) -> Fields:
        """Return the other fields of an entry."""
        return {key: value for key, value in entry.items() if key not in (self.words, self.wrapper)}

    def said_fields(self, entry: Any) -> Fields:
        """Return the message of an entry with its text or blocks as `content`."""
        message = self.message(entry)
        words = next((name for name in _BLOCK_LISTS if isinstance(message.get(name), list)), self.words)
        others = {key: value for key, value in message.items() if key not in _CONTENTS}
        return others | {"content": message.get(words)}


class GuessedMessages(NamedTuple):
    """A list of messages in a record: its path, the shape of its entries, and the object that contains it."""

    place: str
    shape: MessageShape
    entries: Sequence[Any]
    around: Fields
    pairs: str = ""
    """Description of entries with a question and its answer each; "" for other entries."""

    def is_like(self, other: GuessedMessages) -> bool:
        """Return True if two lists are fields of the same object, or the same field of several objects."""
        beside = self.place == other.place or self.place.rpartition(".")[0] == other.place.rpartition(".")[0]
        return beside and self.shape == other.shape and self.entries[0] != other.entries[0]


def guess_loose(records: Sequence[Any]) -> GuessedMessages | None:
    """Return records that are messages themselves, or pairs of them."""
    return guess_messages(records) if len(_apart(records, "")[0]) >= _FEWEST else None


def guess_conversations(record: Any) -> list[GuessedMessages]:
    """Return the longest list of messages in a record, and those that are like it, in order."""
    candidates = [
        *filter(None, (guess_messages(entries, place, around) for place, entries, around in _lists_in(record)))
    ]
    longest = max(candidates, key=lambda messages: len(messages.entries), default=None)
    return [messages for messages in candidates if messages is longest or (longest and messages.is_like(longest))]


def guess_messages(
    entries: Sequence[Any], place: str = "", around: Fields | None = None, *, has_roles: bool = False
) -> GuessedMessages | None:
    """Return a list as messages, or None if too few entries are messages or no speaker replies to another.

    Args:
        entries: Entries of the list.
        place: Path of the list in its record.
        around: Fields of the object that contains the list.
        has_roles: Require that the speakers are named as a user and an assistant.
    """
    entries, pairs = _apart(entries, place)
    for shape in _common_shapes(entries):
        names = [*filter(None, map(shape.who, entries))]
        if _is_exchange(names, is_open=not has_roles and shape.speaker not in _KINDS):
            return GuessedMessages(place[:200], shape, entries, around or {}, pairs)
    return None


def lists_beside(record: Any, guesses: Sequence[GuessedMessages]) -> Iterator[tuple[str, int]]:
    """Yield the other lists in a record whose entries have speakers and texts, by path and length.

    Lists inside of lists are none.
    """
    places = {messages.place for messages in guesses}
    for place, entries, _ in _lists_in(record):
        if place and "[]" not in place and place[:200] not in places:
            shapes = [shape for shape in _common_shapes(_apart(entries, place)[0]) if shape.speaker not in _KINDS]
            if shapes:
                yield place[:200], len(entries)


def _common_shapes(entries: Sequence[Any]) -> list[MessageShape]:
    """Return the shapes in which enough entries are messages, the preferred ones first."""
    counts = Counter(shape for entry in entries if isinstance(entry, dict) for shape in _shapes_of(entry))
    fewest = max(_FEWEST, _SHARE * len(entries))
    return sorted((shape for shape, count in counts.items() if count >= fewest), key=lambda shape: shape.order)


def _apart(entries: Sequence[Any], place: str) -> tuple[Sequence[Any], str]:
    """Return entries that are all pairs of question and answer as messages, and the description of the pairs.

    Any others as they are, and "".
    """
    if place.rpartition(".")[2] in _HISTORIES and entries and all(map(_is_bare_pair, entries)):
        return _paired_messages([(*pair, {}) for pair in entries]), "two texts"
    names = next((names for names in _PAIRS if entries and all(_is_pair(entry, names) for entry in entries)), None)
    if names is None:
        return entries, ""
    asked, answered = names
    others = [{key: value for key, value in pair.items() if key not in names} for pair in entries]
    pairs = [(pair[asked], pair[answered], rest) for pair, rest in zip(entries, others, strict=True)]
    return _paired_messages(pairs), f"the fields {asked} and {answered}"


def _paired_messages(pairs: Sequence[tuple[str, str | None, Fields]]) -> list[Fields]:
    """Return the messages of pairs. Other fields of a pair belong to the question."""
    messages = [
        message
        for question, answer, others in pairs
        for message in ({**others, "role": "user", "content": question}, {"role": "assistant", "content": answer})
    ]
    return [message for message in messages if message["content"]]


def _is_pair(entry: Any, names: tuple[str, str]) -> bool:
    if not isinstance(entry, dict) or len(entry) > _MAX_FIELDS:
        return False
    return all(isinstance(entry.get(name), str) for name in names)


def _is_bare_pair(entry: Any) -> bool:
    """Return True if an entry is two texts. The answer to the newest question may be missing."""
    match entry:
        case [str(), str() | None]:
            return True
    return False


def role_of(speaker: str) -> Role | None:
    """Return the role that a speaker's name indicates, or None."""
    name = speaker.lower()
    return _ROLES.get(name) or _ROLES.get(name.removesuffix("message"))


def _lists_in(value: Any) -> Iterator[tuple[str, list[Any], Fields]]:
    """Yield each list in a value with its path and the object that contains it, the outer ones first.

    The newest branch of a tree is one, too.
    """
    waiting: deque[tuple[str, Any, int, Fields]] = deque([("", value, 0, {})])
    for _ in range(_MAX_VALUES):
        if not waiting:
            return
        place, inner, depth, holder = waiting.popleft()
        if isinstance(inner, list):
            yield place, inner, holder
            if not place.endswith("children") and len(branch := _newest_branch(inner)) > 1:
                yield place, branch, holder
            waiting.extend((f"{place}[]", entry, depth + 1, holder) for entry in inner if depth < _DEEPEST)
        elif isinstance(inner, dict) and depth < _DEEPEST:
            waiting.extend((f"{place}.{key}".lstrip("."), entry, depth + 1, inner) for key, entry in inner.items())


def _newest_branch(entries: Any) -> list[Fields]:
    """Return the last entry, its last child, and so on."""
    branch: list[Fields] = []
    while isinstance(entries, list) and entries and isinstance(entries[-1], dict):
        branch.append(entries[-1])
        entries = entries[-1].get("children")
    return branch


def _shapes_of(entry: Fields) -> Iterator[MessageShape]:
    """Yield each shape in which an entry is a message."""
    for wrapper in ("", *_WRAPPERS):
        if fields := _unwrapped(entry, wrapper):
            speakers = [name for name in _SPEAKERS if _who(fields, name)]
            contents = [name for name in _CONTENTS if _says(fields, name)] if speakers else ()
            yield from (MessageShape(wrapper, speaker, words) for speaker in speakers for words in contents)


def _unwrapped(entry: Any, wrapper: str) -> Fields:
    """Return the object in a field of an entry, or in a field of that, or {}."""
    for name in wrapper.split(".") if wrapper else ():
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry if isinstance(entry, dict) else {}


def _who(fields: Fields, speaker: str) -> str:
    value = fields.get(speaker)
    value = value.get("role") or value.get("name") if isinstance(value, dict) else value
    value = str(value) if isinstance(value, bool) else value
    return value if isinstance(value, str) else ""


def _says(fields: Fields, words: str) -> bool:
    """Return True if a message has a text in a field, or a call."""
    value = fields.get(words)
    is_message = isinstance(value, dict) and "role" in value
    return not is_message and bool(value or (words in fields and any(fields.get(name) for name in _CALLS)))


def _is_exchange(names: Sequence[str], *, is_open: bool) -> bool:
    """Return True if one speaker replies to another. Only an `is_open` shape accepts names that indicate no role."""
    distinct = {*names}
    roles = {*map(role_of, distinct)} - {None}
    return {"user", "assistant"} <= roles or (is_open and not roles and 2 <= len(distinct) <= len(names) // 2)
