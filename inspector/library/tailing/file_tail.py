"""Read new complete lines at the end of a file that another program writes, and detect that it was replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import orjson

from inspector.formats import RewrittenError

_CHECK = 4_096
"""Bytes at the start of a file, and before the last read position, that are compared to detect a replacement."""
_STEP = 4 << 20
"""Number of bytes read at once."""
MAX_READ_BYTES = 32 << 20
"""Number of bytes after which reading pauses, so that the new content can be displayed."""

Line = tuple[int, int, bytes]
"""Number (from 1), offset and bytes."""


class LineTail:
    """Splits bytes that arrive in arbitrary chunks into complete lines. An incomplete line is kept until it ends."""

    def __init__(self, offset: int = 0) -> None:
        self._offset = offset
        self._number = 0
        self._rest: list[bytes] = []
        self._is_open = False
        """True if the last line was returned before its line break arrived."""

    def feed(self, data: bytes) -> Iterator[Line]:
        """Yield the lines that are now complete.

        Raises:
            RewrittenError: If a line that was returned as complete continues.
        """
        data = self._close(data) if self._is_open else data
        end = data.rfind(b"\n") + 1
        if not end:
            self._rest += [data] if data else []
            return
        lines = b"".join([*self._rest, data[:end]]).split(b"\n")
        self._rest = [data[end:]] if data[end:] else []
        for line in lines[:-1]:
            yield self._next(line + b"\n")

    def last(self) -> Line | None:
        """Return the last line if it is a complete JSON object; the line break can be written with the next line."""
        rest = b"".join(self._rest)
        self._rest = [rest] if rest else []
        if not rest.rstrip().endswith(b"}"):
            return None
        try:
            orjson.loads(rest)
        except orjson.JSONDecodeError:
            return None
        self._rest, self._is_open = [], True
        return self._next(rest)

    def _next(self, line: bytes) -> Line:
        offset = self._offset
        self._number += 1
        self._offset += len(line)
        return self._number, offset, line

    def _close(self, data: bytes) -> bytes:
        """Return the data after the line break of a line that was returned without it.

        Raises:
            RewrittenError: If the line continues.
        """
        rest = data.lstrip(b" \t\r")
        if rest and not rest.startswith(b"\n"):
            raise RewrittenError
        self._is_open = not rest
        self._offset += len(data) - len(rest) + (1 if rest else 0)
        return rest[1:]


Sign = tuple[int, int, int, int]
"""Device, inode, size in bytes and time of the last change, to detect changes of a file."""


def sign_of(path: Path) -> Sign | None:
    """Return the signature of a file; None if it does not exist."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return _sign_in(status)


def _sign_in(status: os.stat_result) -> Sign:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class FileTail:
    """A file, from the position up to which it was read. It is not kept open between two reads."""

    def __init__(self, path: Path, start: int = 0) -> None:
        """Start at offset `start` of the first line, after a byte order mark."""
        self.path = path
        self.has_more = False
        """True if the file contains more than was read."""
        self._lines = LineTail(start)
        self._start = self._end = start
        self._sign: Sign | None = None
        """Signature of the file when it was read."""
        self._head = self._before = b""
        """First bytes of the file and last bytes before the read position, when they were read."""

    def read(self) -> Iterator[Line]:
        """Yield the new lines.

        Raises:
            RewrittenError: If the file was replaced or changed before the read position.
            OSError: If the file cannot be read.
        """
        if not self.has_more and sign_of(self.path) == self._sign:
            if (line := self._lines.last()) is not None:
                yield line
            return
        with self.path.open("rb") as file:
            self._check(file, os.fstat(file.fileno()))
            end = self._end
            while self._end - end < MAX_READ_BYTES and (data := file.read(_STEP)):
                self._note(data)
                yield from self._lines.feed(data)
            status = os.fstat(file.fileno())
        if status.st_size < self._end:
            raise RewrittenError
        self.has_more = status.st_size > self._end
        self._sign = _sign_in(status)

    def _check(self, file: BinaryIO, status: os.stat_result) -> None:
        """Check that the content read so far is unchanged, and seek to its end.

        Raises:
            RewrittenError: If it has changed.
        """
        if self._sign is not None:
            is_longer = status.st_size > self._end or self.has_more
            if _sign_in(status)[:2] != self._sign[:2] or not is_longer:
                raise RewrittenError
            file.seek(self._start)
            if file.read(len(self._head)) != self._head:
                raise RewrittenError
            file.seek(self._end - len(self._before))
            if file.read(len(self._before)) != self._before:
                raise RewrittenError
        file.seek(self._end)

    def _note(self, data: bytes) -> None:
        self._end += len(data)
        self._before = (self._before + data[-_CHECK:])[-_CHECK:]
        if len(self._head) < _CHECK:
            self._head = (self._head + data[:_CHECK])[:_CHECK]
