"""A file that another program writes, as whole lines: what came at its end, and whether it is still the same file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import orjson

from inspector.formats import RewrittenError

_CHECK = 4_096
"""Bytes at the beginning of a file, and before the place that it was read to, by which it is known to be the same."""
_STEP = 4 << 20
"""Bytes that are read at once."""
MAX_READ_BYTES = 32 << 20
"""Bytes after which a file that has more makes room for what is to be shown."""

Line = tuple[int, int, bytes]
"""Number (from 1), offset and bytes."""


class LineTail:
    """Bytes as they come, cut anywhere, as whole lines. A line without its end waits for it."""

    def __init__(self, offset: int = 0) -> None:
        self._offset = offset
        self._number = 0
        self._rest: list[bytes] = []
        self._is_open = False
        """Whether the last line was taken as it stood, without its end."""

    def feed(self, data: bytes) -> Iterator[Line]:
        """The lines that are whole now. Raises RewrittenError where a line that was taken as whole goes on."""
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
        """The line at the end, where it is a whole JSON object; a program may write the end of a line with the next."""
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
        """What comes behind the end of a line that was taken without it."""
        rest = data.lstrip(b" \t\r")
        if rest and not rest.startswith(b"\n"):
            raise RewrittenError
        self._is_open = not rest
        self._offset += len(data) - len(rest) + (1 if rest else 0)
        return rest[1:]


Sign = tuple[int, int, int, int]
"""Device, file, bytes and time of the last change: what tells that a file was touched."""


def sign_of(path: Path) -> Sign | None:
    """The sign of a file; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return _sign_in(status)


def _sign_in(status: os.stat_result) -> Sign:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class FileTail:
    """A file from the place on that it was read to. Nothing is kept open between two looks at it."""

    def __init__(self, path: Path, start: int = 0) -> None:
        """`start` is where its first line begins: behind a byte order mark."""
        self.path = path
        self.has_more = False
        """Whether more stands there than was read."""
        self._lines = LineTail(start)
        self._start = self._end = start
        self._sign: Sign | None = None
        """Of the file as it was read."""
        self._head = self._before = b""
        """Its first bytes, and those before its end, as they were read."""

    def read(self) -> Iterator[Line]:
        """The lines that came. Raises RewrittenError where it is another file or says something else, and OSError."""
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
        """See to it that what was read still stands there, and go to its end."""
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
