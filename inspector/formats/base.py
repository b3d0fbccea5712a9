"""What a format is: how its files look, and the sessions in them."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, Protocol, get_args

from inspector.core.conversation import Session
from inspector.formats.format_entry import FormatEntry
from inspector.formats.format_table import FORMAT_TABLE
from inspector.formats.reading.content import Content, Sample
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
"""What a format may record beside the messages and the calls in them."""
FEATURES: tuple[Feature, ...] = get_args(Feature)


class FormatMatch(NamedTuple):
    """How surely a file is of a format, and what says so."""

    confidence: float
    """From 0 (it is not) to 1 (no other format looks like this)."""
    reason: str = ""
    """What was seen, to go behind "it has": "records with a sessionId and a parentUuid"."""


UNLIKE = FormatMatch(0.0)


class SessionHead(NamedTuple):
    """What a database says of a session without its messages. What it does not say is empty, or 0."""

    title: str
    folder: str = ""
    """The folder that was worked in."""
    time: float = 0.0
    """Of the last change, in Unix seconds."""


class IncrementalReader(Protocol):
    """The reading of a file of lines that goes on while another program writes it."""

    @abstractmethod
    def feed(self, content: Content, number: int, offset: int, line: bytes) -> None:
        """Take in the next whole line of the file, or of one of its `parts`: `content` is that file's."""

    @abstractmethod
    def session(self) -> tuple[Session, int]:
        """The session so far, and how many of its messages, from the first, are the same as when this was last asked.

        Costs what came in since then. Raises UnreadableError where there is no message yet.
        """


class RewrittenError(Exception):
    """What was read of a file is not what stands there now."""


class IncrementalFilesReader(Protocol):
    """The reading of a session in a folder of files that goes on while another program writes more of them."""

    has_more: bool = False
    """Whether more stands there than was read at the last look."""
    is_waiting: bool = False
    """Whether a file was seen that may be half written."""

    @abstractmethod
    def look(self) -> bool:
        """Take in what has come since the last look; whether anything has.

        Raises RewrittenError where what was read before is not there any more, and OSError.
        """

    @abstractmethod
    def session(self) -> tuple[Session, int]:
        """As `IncrementalReader.session`."""


class Format(Protocol):
    """One way to write sessions to a file. Objects have no state: the registry holds one of each format."""

    name: str
    """Value of `Session.format`, and key of the registry."""
    features: ClassVar[frozenset[Feature]] = frozenset()
    """What such files contain in addition to messages and calls, if the program recorded it."""
    page: str = ""
    """URL of a description of the format, or of the program that writes it."""
    place: str = ""
    """Folder in which the program keeps such files."""
    is_request: bool = False
    """True if a single JSON object in this format may be an exported request rather than a recording."""
    leaves_texts: bool = False
    """True if the texts of records on lines of their own are read from the file when they are needed."""

    @property
    def entry(self) -> FormatEntry:
        """Title and hints, by which the format is chosen. A plugin's format has an attribute of its own instead."""
        return FORMAT_TABLE[self.name]

    @property
    def title(self) -> str:
        """Display name of such files."""
        return self.entry.title

    @abstractmethod
    def recognize(self, sample: Sample) -> FormatMatch:
        """How surely a file that begins like this is of the format. Never raises."""

    @abstractmethod
    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        """The sessions of a file that `recognize` knows.

        What cannot be read of it is told in `Session.problems`; records that are none of the format's go to
        `content.reject`. `progress` is called now and then with the bytes done and the bytes in all. Raises
        `UnreadableError` where there is no conversation, and OSError when the file goes away.
        """

    def tail(self, content: Content) -> Session | None:
        """The newest context of a long file, for a first frame while the rest is read; None where there is none.

        Positions in it are not those of the whole log; ids are the same. Raises as `read`.
        """
        return None

    def heads(self, path: Path) -> list[SessionHead]:
        """The sessions of a database, in the order of `read`, without reading their messages. Never raises."""
        return []

    def incremental(self, content: Content) -> IncrementalReader | None:
        """A reading that goes on with a file of lines, before its first line; None where it is always read anew."""
        return None

    def incremental_files(self, path: Path) -> IncrementalFilesReader | None:
        """A reading that goes on with a session in many files, of which this is one; None where it is read anew.

        Raises UnreadableError and OSError.
        """
        return None

    def parts(self, path: Path) -> list[Path]:
        """Other files that are read with the one at `path`, in order."""
        return []

    def whole(self, part: Path) -> Path | None:
        """The file that one like `part` is read with, by its name and folder; None for a file of its own."""
        return None
