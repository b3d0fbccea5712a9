"""Opening a file of any kind: it is located, decoded, decompressed and sampled, and then ready for a format."""

from __future__ import annotations

from pathlib import Path

from inspector.formats.reading.archives import archive_content
from inspector.formats.reading.content import Content
from inspector.formats.reading.databases import database_content
from inspector.formats.reading.source import Progress, UnreadableError, open_source
from inspector.formats.reading.text_files import text_content


def open_content(path: str | Path, progress: Progress | None = None) -> Content:
    """Open a file and find out what it contains, whatever its name is.

    Args:
        path: The file.
        progress: Called with the number of bytes read and the total number of bytes.

    Raises:
        UnreadableError: The file cannot be opened, or contains nothing that a format could read.
    """
    source = open_source(path)
    try:
        match source.kind:
            case "database":
                return database_content(source)
            case "archive":
                return archive_content(source)
            case _:
                return text_content(source, progress)
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error
