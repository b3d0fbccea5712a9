"""Lists of messages in JSON of an unknown shape: where they stand, which fields say who speaks, and which what."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from inspector.core.conversation import Role

_Fields = dict[str, Any]
_WRAPPERS = ("message", "data", "kwargs", "content", "message.data")
"""Where an entry may hold its message."""
_SPEAKERS = (
    *("role", "sender", "speaker", "author", "from", "who", "source", "type", "kind"),
    *("is_user", "isUser", "isCreatedByUser"),
)
_KINDS = frozenset({"source", "type", "kind"})
"""Of these, those that say what something is in many files: they count where they name known speakers."""
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
"""Fields of an entry that holds what was asked and what was answered."""
_MAX_FIELDS = 4
"""Fields that such an entry has, at most."""
_HISTORIES = frozenset({"history", "chat_history", "chatHistory", "chatbot", "conversation", "dialog", "dialogue"})
"""What a list of pairs is called that have no fields: what was asked, and what was answered."""
_MAX_VALUES = 200_000
"""Values that are looked at for messages."""
_DEEPEST = 12
_FEWEST, _SHARE = 2, 0.6
"""Messages that make a conversation, and the share of a list's entries that they have to be."""


class MessageShape(NamedTuple):
    """The fields of an entry that are taken for its message ("" for itself), for who speaks and for what is said."""

    wrapper: str
    speaker: str
    words: str

    @property
    def order(self) -> tuple[int, int, int]:
        """What is taken first where several shapes fit."""
        wrapper = _WRAPPERS.index(self.wrapper) if self.wrapper else -1
        return wrapper, _SPEAKERS.index(self.speaker), _CONTENTS.index(self.words)

    def message(self, entry: Any) -> _Fields:
        """The message of an entry; empty for what is none."""
        fields = _unwrapped(entry, self.wrapper)
        return fields if _who(fields, self.speaker) and _says(fields, self.words) else {}

    def who(self, entry: Any) -> str:
        """Who speaks in an entry; "" where it is no message."""
        return _who(self.message(entry), self.speaker)

    def record(self, entry: _Fields) -> _Fields:
        """What an entry records beside its message, or beside what that says."""
        return {key: value for key, value in entry.items() if key not in (self.words, self.wrapper)}

    def said_fields(self, entry: Any) -> _Fields:
        """The message of an entry with what it says as its `content`: blocks, where there are such."""
        message = self.message(entry)
        words = next((name for name in _BLOCK_LISTS if isinstance(message.get(name), list)), self.words)
        others = {key: value for key, value in message.items() if key not in _CONTENTS}
        return others | {"content": message.get(words)}


class GuessedMessages(NamedTuple):
    """A list of messages in a record: where it stands, the shape of its entries, and the object that holds it."""

    place: str
    shape: MessageShape
    entries: Sequence[Any]
    around: _Fields
    pairs: str = ""
    """What its entries are made of, where each holds a question and its answer; empty for any others."""

    def is_like(self, other: GuessedMessages) -> bool:
        """Whether two lists are conversations of one kind: fields of one object, or the same field of several."""
        beside = self.place == other.place or self.place.rpartition(".")[0] == other.place.rpartition(".")[0]
        return beside and self.shape == other.shape and self.entries[0] != other.entries[0]


def guess_loose(records: Sequence[Any]) -> GuessedMessages | None:
    """Records that are messages themselves, or pairs of them."""
    return guess_messages(records) if len(_apart(records, "")[0]) >= _FEWEST else None


def guess_conversations(record: Any) -> list[GuessedMessages]:
    """The longest list of messages in a record, and those that are like it, in their order; none where it has none."""
    candidates = [
        *filter(None, (guess_messages(entries, place, around) for place, entries, around in _lists_in(record)))
    ]
    longest = max(candidates, key=lambda messages: len(messages.entries), default=None)
    return [messages for messages in candidates if messages is longest or (longest and messages.is_like(longest))]


def guess_messages(
    entries: Sequence[Any], place: str = "", around: _Fields | None = None, *, has_roles: bool = False
) -> GuessedMessages | None:
    """A list as messages; None where too few of its entries are such, or nobody answers anybody.

    With `has_roles`, only where the speakers are a user and an assistant by name.
    """
    entries, pairs = _apart(entries, place)
    for shape in _common_shapes(entries):
        names = [*filter(None, map(shape.who, entries))]
        if _is_exchange(names, is_open=not has_roles and shape.speaker not in _KINDS):
            return GuessedMessages(place[:200], shape, entries, around or {}, pairs)
    return None


def lists_beside(record: Any, guesses: Sequence[GuessedMessages]) -> Iterator[tuple[str, int]]:
    """The other lists in a record whose entries name who speaks and have words, by place and length.

    Lists inside of lists are none.
    """
    places = {messages.place for messages in guesses}
    for place, entries, _ in _lists_in(record):
        if place and "[]" not in place and place[:200] not in places:
            shapes = [shape for shape in _common_shapes(_apart(entries, place)[0]) if shape.speaker not in _KINDS]
            if shapes:
                yield place[:200], len(entries)


def _common_shapes(entries: Sequence[Any]) -> list[MessageShape]:
    """The ways in which enough of some entries are messages, what is taken first in front."""
    counts = Counter(shape for entry in entries if isinstance(entry, dict) for shape in _shapes_of(entry))
    fewest = max(_FEWEST, _SHARE * len(entries))
    return sorted((shape for shape, count in counts.items() if count >= fewest), key=lambda shape: shape.order)


def _apart(entries: Sequence[Any], place: str) -> tuple[Sequence[Any], str]:
    """Entries that are all pairs of what was asked and what was answered, as messages, and what the pairs are made of.

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


def _paired_messages(pairs: Sequence[tuple[str, str | None, _Fields]]) -> list[_Fields]:
    """The messages of pairs; what else stands in one goes with the question."""
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
    """Whether an entry is two texts; the answer to the newest question may still be missing."""
    match entry:
        case [str(), str() | None]:
            return True
    return False


def role_of(speaker: str) -> Role | None:
    """The role that a speaker's name says; None for any other name."""
    name = speaker.lower()
    return _ROLES.get(name) or _ROLES.get(name.removesuffix("message"))


def _lists_in(value: Any) -> Iterator[tuple[str, list[Any], _Fields]]:
    """Every list in a value with its place and the object that holds it, the outer ones first.

    The newest branch of a tree is one, too.
    """
    waiting: deque[tuple[str, Any, int, _Fields]] = deque([("", value, 0, {})])
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


def _newest_branch(entries: Any) -> list[_Fields]:
    """The last of some entries, the last of its children, and so on."""
    branch: list[_Fields] = []
    while isinstance(entries, list) and entries and isinstance(entries[-1], dict):
        branch.append(entries[-1])
        entries = entries[-1].get("children")
    return branch


def _shapes_of(entry: _Fields) -> Iterator[MessageShape]:
    """Every way in which an entry is a message."""
    for wrapper in ("", *_WRAPPERS):
        if fields := _unwrapped(entry, wrapper):
            speakers = [name for name in _SPEAKERS if _who(fields, name)]
            contents = [name for name in _CONTENTS if _says(fields, name)] if speakers else ()
            yield from (MessageShape(wrapper, speaker, words) for speaker in speakers for words in contents)


def _unwrapped(entry: Any, wrapper: str) -> _Fields:
    """The object that an entry holds in a field, or in one of that field's; empty where it holds none."""
    for name in wrapper.split(".") if wrapper else ():
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry if isinstance(entry, dict) else {}


def _who(fields: _Fields, speaker: str) -> str:
    value = fields.get(speaker)
    value = value.get("role") or value.get("name") if isinstance(value, dict) else value
    value = str(value) if isinstance(value, bool) else value
    return value if isinstance(value, str) else ""


def _says(fields: _Fields, words: str) -> bool:
    """Whether a message says something in a field, or asks for something beside it."""
    value = fields.get(words)
    is_message = isinstance(value, dict) and "role" in value
    return not is_message and bool(value or (words in fields and any(fields.get(name) for name in _CALLS)))


def _is_exchange(names: Sequence[str], *, is_open: bool) -> bool:
    """Whether somebody answers somebody; only an `is_open` one is held by names that say no role."""
    distinct = {*names}
    roles = {*map(role_of, distinct)} - {None}
    return {"user", "assistant"} <= roles or (is_open and not roles and 2 <= len(distinct) <= len(names) // 2)
