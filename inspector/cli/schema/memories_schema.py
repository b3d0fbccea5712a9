"""Outputs of `inspector memory`: what the three tiers hold, what a search finds in them, and what was changed."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from inspector.cli.schema.stores import Errors
from inspector.cli.schema.values import Problems, Tokens
from inspector.llm.tokens import Certainty
from inspector.store import MemoryKind, StoredTierName

Tier = Literal["working", "session", "persistent"]
Seconds = float
_Session = Annotated[str | None, "id of the session that it comes from; null where it comes from none, or that is gone"]
_Messages = Annotated[Sequence[str], "ids of the messages that it is or stands for, the oldest first"]
_Number = Annotated[int | None, "place of its message in the log, from 1; null where that is not there"]
_Age = Annotated[Seconds | None, "seconds since it was said or written; null where that is not known"]


class EntryRecord(TypedDict):
    """An entry of the session or of the persistent tier."""

    id: Annotated[int, "the number that commands take"]
    tier: StoredTierName
    kind: MemoryKind
    key: Annotated[str | None, "the name that it is set and read by"]
    text: str
    tokens: Annotated[Tokens | None, "null where nobody has counted them"]
    session: _Session
    agent: str
    messages: _Messages
    created: Annotated[str, "ISO time"]
    used: Annotated[str, "ISO time at which it came back into a window last; empty for never"]
    reason: Annotated[str, "why it was put there"]
    origin: Annotated[str, "by what: a strategy, user, agent, manager, compaction; empty where that is not known"]
    pinned: bool
    expires: Annotated[str | None, "ISO time; null for never"]


class MemoryRowRecord(TypedDict):
    """A message or an entry in a tier."""

    id: Annotated[str, "id of a message, or number of an entry"]
    number: _Number
    kind: Annotated[str, "what a message is for (chat, summary, injected, copy), or the kind of an entry"]
    who: Annotated[str, "who says it; of an entry its key, or by what it was put there"]
    text: Annotated[str, "its beginning"]
    tokens: Annotated[Tokens | None, "null where nobody has counted them"]
    certainty: Annotated[Certainty, "how those of a message are known"]
    time: Annotated[str, "ISO time; empty where it is not known"]
    age: _Age
    messages: _Messages
    session: _Session
    agent: str
    pinned: bool
    reason: Annotated[str, "why it is there; empty for a plain message"]


class TierRecord(TypedDict):
    """What one tier holds."""

    tier: Tier
    entries: Annotated[int, "messages and entries, also those that are not listed"]
    tokens: Annotated[Tokens, "of those that were counted; of the working tier all that the window takes"]
    certainty: Annotated[Certainty, "how `tokens` is known"]
    uncounted: Annotated[int, "entries that nobody has counted"]
    oldest: _Age
    rows: Annotated[Sequence[MemoryRowRecord], "the newest `--limit` of them, in the tier's own order"]


class MemoryLsOutput(TypedDict):
    """The tiers of a session; without one, those of the store."""

    session: Annotated[str | None, "null where none was named"]
    agent: str | None
    tiers: Sequence[TierRecord]


class PartRecord(TypedDict):
    """What one list says of an entry."""

    list: Annotated[str, "bm25 or embedding"]
    score: Annotated[float, "larger is better; comparable within this search and list only"]
    rank: Annotated[int, "place in that list, from 1"]


class MemoryHitRecord(TypedDict):
    """An entry that a search has found."""

    rank: Annotated[int, "place among all matches, from 1"]
    score: Annotated[float, "that of the one list, or of several by reciprocal rank"]
    parts: Sequence[PartRecord]
    tokens: Annotated[Tokens, "what it would take in a window; estimated where nobody has counted them"]
    age: _Age
    explanation: Annotated[str, "all that in one line"]
    entry: EntryRecord


class MemoryNearMissRecord(MemoryHitRecord):
    """An entry that matches and does not come back."""

    reason: Annotated[str, "why not"]


class MemorySearchOutput(TypedDict):
    """What a search in the tiers would bring into a window."""

    query: str
    k: Annotated[int, "how many may come back"]
    budget: Annotated[Tokens | None, "that they may take together; null for no limit"]
    tokens: Annotated[Tokens, "that the hits take together"]
    hits: Annotated[Sequence[MemoryHitRecord], "the best first"]
    near_misses: Sequence[MemoryNearMissRecord]
    errors: Errors


class MemoryInjectOutput(TypedDict):
    """What a query would put into a window, or has put there."""

    session: str
    agent: str
    turn: int
    query: Annotated[str, "the current request's own words where none were named"]
    k: Annotated[int, "how many may be put in"]
    budget: Annotated[Tokens, "that they may take together, with the words around them"]
    text: Annotated[str, "of the message that stands before the request, to the byte; empty where nothing goes in"]
    message: Annotated[str | None, "its id; null where nothing goes in"]
    tokens: Annotated[Tokens, "that it takes"]
    before: Annotated[Mapping[str, Tokens], "of the window as it is, by section"]
    after: Annotated[Mapping[str, Tokens], "of the window with it, by section"]
    hits: Annotated[Sequence[MemoryHitRecord], "what is put in, the best first"]
    near_misses: Sequence[MemoryNearMissRecord]
    problems: Problems
    note: Annotated[str, "why nothing goes in, in one sentence; empty where something does"]
    applied: Annotated[bool, "whether it was put on the session's stack of plans"]
    errors: Errors


class MemoryShowOutput(EntryRecord):
    """An entry, and where it comes from."""

    title: Annotated[str | None, "of its session"]
    number: _Number


class MemoryMoveOutput(TypedDict):
    """Entries after they were promoted, demoted or pinned."""

    entries: Sequence[EntryRecord]


class MemoryForgetOutput(TypedDict):
    """What was forgotten."""

    forgotten: Annotated[int, "entries that are gone, with every trace of their texts"]
    pinned: Annotated[int, "entries that were meant too, and stay because they are pinned"]
    in_logs: Annotated[int, "messages in the logs of stored sessions that these entries came from: they stay"]
    in_wal: Annotated[bool, "whether their texts wait beside the store until another program has ended its reading"]
