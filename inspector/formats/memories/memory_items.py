"""The nouns of memory: a store of another program, its items, and the events in an item's life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args

from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import without_controls
from inspector.llm.tokens import estimated_tokens

ItemKind = Literal["rule", "note", "fact", "episode", "entity", "relation"]
LoadType = Literal["always", "at start", "by path", "on demand", "recalled", "never"]
LOAD_TYPES: tuple[LoadType, ...] = get_args(LoadType)
MemoryEventKind = Literal["added", "updated", "deleted"]
MAX_EPOCH = 4_102_444_800
"""The year 2100 as Unix time in seconds. Larger numbers are in milliseconds."""


@json_object("Event")
@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """A change of an item."""

    event: MemoryEventKind
    time: Annotated[str, "ISO 8601; empty if unknown"] = ""
    before: Annotated[str, "the text before the change"] = ""
    after: Annotated[str, "the text after the change"] = ""
    by: Annotated[str, "who made the change, or the commit"] = ""


@json_object(
    "Item",
    "id text scope kind load tokens created updated expires name path line end is_deleted history source vector about",
)
@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One thing that an agent remembers."""

    id: Annotated[str, "unique in its store: the program's own id, or the line of a file"]
    text: str
    scope: Annotated[str, "whose memory it is: user:u1, project, a namespace; empty if the store has no scopes"] = ""
    kind: ItemKind = "fact"
    load: Annotated[LoadType, "when it enters the window"] = "recalled"
    created: Annotated[str, "ISO 8601; empty if unknown"] = ""
    updated: str = ""
    expires: str = ""
    name: Annotated[str, "key, title or topic; empty without one"] = ""
    path: Annotated[str, "the file that contains it"] = ""
    line: Annotated[int, "first line in the file, from 1; 0 if it has no lines"] = 0
    end: Annotated[int, "last line in the file"] = 0
    is_deleted: bool = False
    history: Sequence[MemoryEvent] = ()
    source: Annotated[str, "the session or message that it was made from; empty if unknown"] = ""
    vector: Annotated[str, "where its vector is; empty if it has none that is known"] = ""
    about: Annotated[Sequence[str], "topics, paths or other values that narrow it"] = ()
    embedding: bytes = b""
    """Its vector as little-endian float32, where a store keeps it in a readable form."""

    @property
    def tokens(self) -> Tokens:
        """Estimated size in a window."""
        return memory_tokens(self.text)

    @property
    def when(self) -> str:
        """Time of the last change; empty if unknown."""
        return self.updated or self.created


@json_object("Store", "path kind title scope load tokens size items deleted problems")
@dataclass(frozen=True, slots=True)
class MemoryStore:
    """The memories in one file, folder or database."""

    path: str
    kind: Annotated[str, "rule-file, notes, knowledge-graph, mem0, langgraph-store, damaged and others"]
    title: Annotated[str, "its description"]
    items: Sequence[MemoryItem] = ()
    deleted: Annotated[Sequence[MemoryItem], "items that the store's history shows as deleted"] = ()
    problems: Annotated[Sequence[str], "parts that were not read, each a sentence"] = ()
    scope: Annotated[str, "user, project, local or managed; empty if it is unknown"] = ""
    load: Annotated[str, "when it enters the window; empty if its items differ"] = ""
    text: str = ""
    """Whole text of a file."""
    imports: Sequence[tuple[int, str, str]] = ()
    """Line, written path, and file of each import; the file is "" if it does not exist."""
    cap: int = 0
    """Last line that is loaded; 0 for all."""
    tool: str = ""
    """Program that loads it; "" for several."""
    paths: Sequence[str] = ()
    """Patterns of the paths for which a rule file is loaded."""

    @property
    def tokens(self) -> Annotated[int, "estimated tokens of the items, or of the whole file"]:
        """Estimated size in a window."""
        return memory_tokens(self.text) if self.text else sum(item.tokens for item in self.items)

    @property
    def size(self) -> Annotated[int, "number of items, without deleted ones"]:
        """Number of items."""
        return len(self.items)


@lru_cache(maxsize=1 << 14)
def memory_tokens(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    return estimated_tokens(text)


def time_text(value: Any) -> str:
    """Return a time of another program, a number or a text, in ISO 8601; "" if it is none."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        try:
            return datetime.fromtimestamp(value / 1000 if value > MAX_EPOCH else value, UTC).isoformat()
        except (OverflowError, OSError, ValueError):
            return ""
    text = without_controls(str(value)).strip()[:40]
    if text.replace(".", "", 1).isdigit():
        return time_text(float(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
