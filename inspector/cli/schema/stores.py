"""Outputs of the commands that list, import and search sessions, and of those that see to the store."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from inspector.cli.schema.values import Share, Tokens
from inspector.cli.schema.windows import WindowRecord

Errors = Annotated[Sequence[str], "what could not be read, each a sentence"]


class ListedSessionRecord(TypedDict):
    """A session as the library lists it. What is not known without reading more is null."""

    target: Annotated[str, "what opens it: a path, FILE#N, or an id"]
    title: str
    origin: Annotated[
        Literal["given", "stored", "found"], "named on the command line, in the store, or in an agent's own folder"
    ]
    format: str
    model: str
    agents: int | None
    messages: int | None
    turns: Annotated[int | None, "model calls"]
    tokens: Annotated[Tokens | None, "of the whole log"]
    estimated: Annotated[bool, "whether `tokens` is an estimate"]
    peak_estimated: Annotated[bool, "whether `peak_share` is an estimate"]
    peak_share: Annotated[Share | None, "how much of the model's window the largest context took"]
    compactions: Annotated[int | None, "that the recording holds"]
    changed: Annotated[str, "ISO time of the last message, or of the last change of the file"]
    path: str
    project: Annotated[str, "the name of `folder`, or else of the file's"]
    folder: Annotated[str, "that the agent worked in; empty where that was not recorded"]
    damage: Annotated[int, "parts of the source that could not be read"]
    problem: Annotated[str, "why it cannot be opened, in one sentence; empty where it can be"]
    strangers: Annotated[Sequence[str], "why files of a folder hold no conversation, where it stands for these"]


class ListingOutput(TypedDict):
    """Sessions, as `inspector ls` lists them."""

    sessions: Sequence[ListedSessionRecord]
    errors: Errors


class ToolRecord(TypedDict):
    """A tool that has left sessions on this machine."""

    tool: str
    format: str
    sessions: int


class DiscoveryOutput(ListingOutput):
    """What coding tools have left on this machine: by tool, and the newest sessions."""

    tools: Sequence[ToolRecord]


class OverviewOutput(ListingOutput):
    """What `inspector PATH… --json` prints: the sessions, and the window of the first one."""

    first: NotRequired[Annotated[WindowRecord, "left out where no session can be opened"]]


class ImportedSessionRecord(TypedDict):
    """A session that is in the store now."""

    id: str
    title: str
    format: str
    path: str
    messages: Annotated[int, "that the store holds of it"]
    added: Annotated[int, "messages that this import has added"]
    new: Annotated[bool, "whether the session was not in the store before"]
    damage: Annotated[Sequence[str], "what could not be read in the source"]


class ImportOutput(TypedDict):
    """What an import has put into the store."""

    sessions: Sequence[ImportedSessionRecord]
    errors: Errors


class HitRecord(TypedDict):
    """A message that holds the words."""

    session: Annotated[str, "what opens its session: an id, a path or FILE#N"]
    title: str
    message: Annotated[str, "the message's id"]
    number: Annotated[int, "its place in the log, from 1"]
    agent: str
    role: str
    text: Annotated[str, "one line around the words"]


class SearchScopeRecord(TypedDict):
    """What was searched."""

    stored: Annotated[int, "stored sessions"]
    listed: Annotated[int, "sessions of the files that were named"]
    unread: Annotated[int, "files that could not be read any more"]


class SearchOutput(SearchScopeRecord):
    """Messages that hold all the words: those in the store first, the best match first, then file by file."""

    hits: Sequence[HitRecord]
    errors: Errors


class CheckedSessionRecord(TypedDict):
    """What was found out about one session of a store, and what of it can be rescued."""

    id: str
    title: str
    problems: Annotated[Sequence[str], "what is damaged, each a clause"]
    messages: Annotated[int, "that it had, as far as that is known"]
    rescued: Annotated[int, "messages that can be read, or their text at least"]
    cut: Annotated[int, "other messages, of which only the beginning is left"]
    mended: Annotated[int, "rescued messages that have lost what was recorded beside their text, or some of it"]
    changed: Annotated[int, "rescued messages that do not say word for word what was stored"]
    plans: int
    rescued_plans: int
    whole: bool


class StoreCheckOutput(TypedDict):
    """Whether a store is whole."""

    path: str
    whole: bool
    problems: Annotated[Sequence[str], "damage outside of the sessions, each a clause"]
    gone: Annotated[Sequence[str], "what no repair brings back, each a clause"]
    sessions: Sequence[CheckedSessionRecord]


class StoreRepairOutput(TypedDict):
    """What a repair has rescued. Of a store that is whole, nothing but the first three keys."""

    path: str
    whole: Annotated[bool, "whether there was nothing to repair"]
    repaired: Annotated[str | None, "path of the new store"]
    damaged: NotRequired[Annotated[str, "path of the damaged one"]]
    memories: NotRequired[Annotated[int, "entries of the persistent tier that were rescued"]]
    lost_memories: NotRequired[int]
    complete: NotRequired[Annotated[bool, "whether nothing at all was lost"]]
    problems: NotRequired[Sequence[str]]
    gone: NotRequired[Sequence[str]]
    sessions: NotRequired[Sequence[CheckedSessionRecord]]


class StoreBackupOutput(TypedDict):
    """A copy of a store."""

    path: str
    backup: Annotated[str, "path of the copy"]
    bytes: Annotated[int, "size of the copy"]
    whole: Annotated[bool, "whether the store is whole, and the copy with it"]
