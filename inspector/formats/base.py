"""Interface of a format: recognition of its files, and reading of their sessions."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, Protocol, get_args

from inspector.core.conversation import Raw, Session
from inspector.formats.building.blocks import dollars_at
from inspector.formats.format_entry import FormatEntry
from inspector.formats.format_table import FORMAT_TABLE
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress

Feature = Literal[
    "system prompt",
    "tools",
    "usage",
    "cost",
    "times",
    "models",
    "thinking",
    "compactions",
    "context window",
    "sub-agents",
    "agents",
    "branches",
    "memory blocks",
]
"""Data that a format may record in addition to messages and calls."""
FEATURES: tuple[Feature, ...] = get_args(Feature)


class FormatMatch(NamedTuple):
    """Confidence that a file has a format, and the reason for it."""

    confidence: float
    """From 0 (it is not) to 1 (no other format looks like this)."""
    reason: str = ""
    """A noun phrase that follows "it has": "records with a sessionId and a parentUuid"."""


UNLIKE = FormatMatch(0.0)


class SessionHead(NamedTuple):
    """Data about a session that a database gives without its messages. Missing values are "" or 0."""

    title: str
    folder: str = ""
    """Folder that the agent worked in."""
    time: float = 0.0
    """Time of the last change, as Unix time in seconds."""


class IncrementalReader(Protocol):
    """Reader of a file of lines to which another program appends."""

    @abstractmethod
    def feed(self, content: Content, number: int, offset: int, line: bytes) -> None:
        """Read the next complete line.

        Args:
            content: The file that the line belongs to: the recording, or one of its `parts`.
            number: Number of the line, from 1.
            offset: Offset of the line in the file, in bytes.
            line: The line with its end.
        """

    @abstractmethod
    def session(self) -> tuple[Session, int]:
        """Return the session so far, and the number of messages at its start that did not change since the last call.

        The time is proportional to the number of new lines.

        Raises:
            UnreadableError: There is no message yet.
        """


class RewrittenError(Exception):
    """A part of a file that was read before has changed."""


class IncrementalFilesReader(Protocol):
    """Reader of a session in a folder to which another program adds files."""

    has_more: bool = False
    """True if the last call of `look` did not read all files."""
    is_waiting: bool = False
    """True if a file was found that may be incomplete."""

    @abstractmethod
    def look(self) -> bool:
        """Read new files. Return True if there were any.

        Raises:
            RewrittenError: A file that was read before has disappeared.
            OSError: The folder cannot be read.
        """

    @abstractmethod
    def session(self) -> tuple[Session, int]:
        """Return the session so far, as `IncrementalReader.session` does."""


class Format(Protocol):
    """One way to write sessions to a file. Objects have no state: the registry holds one of each format."""

    name: str
    """Value of `Session.format`, and key of the registry."""
    features: ClassVar[frozenset[Feature]] = frozenset()
    """What such files contain in addition to messages and calls, if the program recorded it."""
    request_features: ClassVar[frozenset[Feature]] = frozenset()
    """Those of `features` that only files with the recorded requests contain (`Session.records_system`)."""
    page: str = ""
    """URL of a description of the format, or of the program that writes it."""
    place: str = ""
    """Folder in which the program keeps such files."""
    is_request: bool = False
    """True if a single JSON object in this format may be an exported request rather than a recording."""
    order: ClassVar[RecordOrder] = RecordOrder()
    """Fields that show if a record was repeated, dropped or moved."""
    costs: ClassVar[str] = ""
    """Fields of a reply's record with the dollars of its call, separated by spaces; the first that it has is used."""
    leaves_texts: bool = False
    """True if the texts of records on separate lines are read from the file when they are needed."""

    @property
    def entry(self) -> FormatEntry:
        """Title and hints, by which the format is chosen. A plugin's format overrides it with an attribute."""
        return FORMAT_TABLE[self.name]

    @property
    def title(self) -> str:
        """Display name of such files."""
        return self.entry.title

    @abstractmethod
    def recognize(self, sample: Sample) -> FormatMatch:
        """Return the confidence that a file with this sample has the format. Never raises."""

    @abstractmethod
    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        """Read the sessions of a file that `recognize` accepted.

        Args:
            content: The opened file. Receives problems, and records of other formats (`content.reject`).
            progress: Called repeatedly with the number of bytes read and the total number of bytes.

        Returns:
            At least one session.

        Raises:
            UnreadableError: The file contains no conversation.
            OSError: The file can no longer be read.
        """

    def tail(self, content: Content) -> Session | None:
        """Return the newest context of a long file, or None. It is shown while the rest is read.

        Messages have the same ids as in the whole log, but other positions. Raises the errors of `read`.
        """
        return None

    def heads(self, path: Path) -> list[SessionHead]:
        """List the sessions of a database in the order of `read`, without their messages. Never raises."""
        return []

    def incremental(self, content: Content) -> IncrementalReader | None:
        """Return a reader for a growing file of lines, or None if the format cannot resume."""
        return None

    def incremental_files(self, path: Path) -> IncrementalFilesReader | None:
        """Return a reader for the growing folder that a file belongs to, or None if the format has none.

        Raises:
            UnreadableError: The file cannot be read.
            OSError: The folder cannot be read.
        """
        return None

    def earlier_ids(self, path: Path) -> tuple[str, ...]:
        """Return the ids of the records before a compaction with which a file begins. Never raises.

        The `uuid` of a line in another file is one of these ids if it contains what the compaction dropped.
        """
        return ()

    def stated_dollars(self, record: Raw) -> float | None:
        """Return the dollars that the record of a reply states for its call, or None. Never raises."""
        amounts = (dollars_at(record, path) for path in self.costs.split())
        return next((amount for amount in amounts if amount is not None), None)

    def parts(self, path: Path) -> list[Path]:
        """Return the other files that are read together with a file, in order."""
        return []

    def whole(self, part: Path) -> Path | None:
        """Return the file that a part is read with, judged by its path, or None for a file that is read alone."""
        return None
