"""Outputs of the commands that find messages, and keep bookmarks of them."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from inspector.cli.schema.values import Tokens
from inspector.cli.schema.windows import Number
from inspector.core.conversation import Kind, Role

_Turn = Annotated[int, "the model call before which it came into the context, from 1"]
_Note = Annotated[str | None, "of its bookmark; null where it has none"]


class FoundMessageRecord(TypedDict):
    """A message that fits."""

    id: str
    number: Number
    turn: _Turn
    agent: str
    role: Role
    kind: Kind
    who: Annotated[str, "who speaks: the tool of a result, a summary as what it is, else the role"]
    tokens: Tokens
    error: Annotated[bool, "whether it is the result of a tool that failed"]
    note: _Note
    text: Annotated[str, "one line around the first word that was looked for, else its beginning"]


class FindOutput(TypedDict):
    """Messages of a session, in the order of its log."""

    session: Annotated[str, "its id"]
    title: str
    query: Annotated[str, "what was looked for, as / in the app takes it"]
    messages: Annotated[int, "that were looked at"]
    hits: Sequence[FoundMessageRecord]


class BookmarkRecord(TypedDict):
    """A message that is to be found again."""

    session: Annotated[str, "the session's id in the store"]
    title: Annotated[str, "the session's"]
    message: Annotated[str, "the message's id"]
    number: Annotated[int, "place in the log, from 1"]
    says: Annotated[str, "what was done, or its first words, on one line"]
    note: str
    created_at: Annotated[str, "ISO time"]
    changed_at: Annotated[str, "ISO time; when the note was written last"]


class BookmarksLsOutput(TypedDict):
    """Bookmarks, in the order of the log."""

    bookmarks: Sequence[BookmarkRecord]


class BookmarksChangeOutput(TypedDict):
    """What a change of bookmarks has left of those of its session."""

    session: Annotated[str, "its id in the store"]
    changed: Annotated[Sequence[int], "numbers of the messages whose bookmarks were set or taken away"]
    bookmarks: Sequence[BookmarkRecord]
