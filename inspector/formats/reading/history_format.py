"""Base of the formats whose records are conversations, or the messages of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Format, FormatMatch
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import Progress, UnreadableError

Entries = list[tuple[int, Fields]]
"""Records with their numbers in the file."""
_MAX_SIDECAR = 4 << 20
"""Maximum number of bytes of a file next to a recording that is read with it."""


@dataclass
class History:
    """A conversation that was read."""

    log: LogBuilder
    id: str = ""
    title: str = ""
    facts: Fields = field(default_factory=dict)
    """Further fields of `Session`."""


class HistoryFormat(Format):
    """A format of conversations in JSON, one in each record or one in all of them."""

    mark: ClassVar[str]
    """Feature by which a file is recognized."""
    kind: ClassVar[str]
    """Name of a record, as in "is no …"."""
    confidence: ClassVar[float] = 0.95
    lists: ClassVar[tuple[str, ...]] = ()
    """Fields of a record that may contain a list of entries."""

    messages_file: ClassVar[str] = ""
    """Name of a file of messages that is read together with files of the same folder."""
    files_beside: ClassVar[tuple[str, ...]] = ()
    """Names of these files."""

    def is_history(self, record: Fields) -> bool:
        """Return True if a record contains a conversation."""
        return bool(self._list_in(record))

    def is_entry(self, record: Fields) -> bool:
        """Return True if a record is an entry of a conversation that all records form."""
        return False

    def record_in(self, value: Any) -> Any:
        """Return the record in a value of the file, which may wrap it."""
        return value

    def histories(self, record: Fields, content: Content) -> Iterable[History]:
        """Return the conversations in a record."""
        title = record.get("title")
        for one in self.history_of([*enumerate(record[self._list_in(record)], 1)], content):
            own = record.get("id")
            yield replace(
                one, id=own if isinstance(own, str) else one.id, title=title if isinstance(title, str) else ""
            )

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        """Return the conversation that entries form, or several."""
        return ()

    def _list_in(self, record: Fields) -> str:
        """Return the name of the list of entries in a record, or ""."""
        return next((name for name in self.lists if self._is_whole(record.get(name))), "")

    def _is_whole(self, value: Any) -> bool:
        """Return True if a value is a list of entries."""
        entries = value if isinstance(value, list) else []
        return bool(entries) and all(isinstance(entry, dict) and self.is_entry(entry) for entry in entries)

    def is_like(self, records: list[Fields]) -> bool:
        """Return True if the records of a sample have this format."""
        entries = sum(map(self.is_entry, records))
        return any(map(self.is_history, records)) or (bool(entries) and 2 * entries >= len(records))

    def parts(self, path: Path) -> list[Path]:
        if not self.files_beside or path.name != self.messages_file:
            return []
        return [file for name in self.files_beside if (file := path.with_name(name)).is_file()]

    def whole(self, part: Path) -> Path | None:
        return part.with_name(self.messages_file) if part.name in self.files_beside else None

    def recognize(self, sample: Sample) -> FormatMatch:
        return FormatMatch(self.confidence, self.mark) if self.is_like(sample.objects) else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        entries: Entries = []
        sessions: list[Session] = []
        for number, value in content.records(progress):
            record = self.record_in(value)
            if isinstance(record, dict) and self.is_history(record):
                line = number if content.sample.shape != "object" else 0
                sessions += self._sessions(self.histories(record, content), content, line)
            elif isinstance(record, dict) and self.is_entry(record):
                entries.append((number, record))
            else:
                content.reject(number, f"is no {self.kind}")
        if entries:
            sessions += self._sessions(self.history_of(entries, content), content, 0)
        return unique(sessions) or [LogBuilder().session(content, self.name)]

    def _sessions(self, histories: Iterable[History], content: Content, line: int) -> Iterator[Session]:
        for one in histories:
            if one.log.messages:
                yield one.log.session(content, self.name, one.id, one.title, **({"line": line} | one.facts))


def json_beside(path: Path, content: Content) -> Mapping[str, Any]:
    """Return the JSON object in a file next to a recording, or {} without one. Damage becomes a problem."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_SIDECAR:
            return {}
        value = open_content(path).value
    except (OSError, UnreadableError) as error:
        content.problems.add(f"{path.name} was left out: {error}")
        return {}
    return value if isinstance(value, dict) else {}
