"""Zip and tar archives, read in memory, file by file, up to a limit."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol
from zipfile import BadZipFile, ZipFile

from inspector.core.limits import byte_text, limit
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import (
    TAR_BLOCK,
    Source,
    UnreadableError,
    is_bomb,
    is_tar,
    is_zip,
    unpack,
)

_MAX_NAME_LENGTH = 16 << 10
"""Maximum number of bytes of a long name."""
_LARGEST_MEMBER = 1 << 50
"""Maximum number of bytes of a file in an archive. A larger number indicates damage."""
_FILES = (b"0", b"\0", b"7")
"""Types of records that contain a file, rather than a link, a folder or a long name."""


class DamagedArchiveError(Exception):
    """An archive, or a file in it, cannot be read. The message is a clause that follows a name: "it is damaged"."""


class ArchiveReader(Protocol):
    """An open archive. The total size of the files that are read from it is limited."""

    names: tuple[str, ...]
    damage: str = ""
    """Missing part, as a clause; "" if the archive is complete."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raises DamagedArchiveError."""


class _ZipReader(ArchiveReader):
    def __init__(self, file: ZipFile) -> None:
        self._file = file
        self._room = limit("unpacked")
        self.names = tuple(entry.filename for entry in file.infolist()[: limit("archive_files")] if not entry.is_dir())

    def read(self, name: str) -> bytes:
        try:
            entry = self._file.getinfo(name)
            if is_bomb(entry.file_size, entry.compress_size):
                raise DamagedArchiveError(
                    f"it unpacks to {entry.file_size // max(1, entry.compress_size):,} times its size"
                )
            with self._file.open(name) as member:
                data = member.read(self._room + 1)
        except NotImplementedError as error:
            raise DamagedArchiveError("its compression method is not supported") from error
        except (BadZipFile, RuntimeError, OSError, EOFError, KeyError, ValueError, zlib.error) as error:
            raise DamagedArchiveError("it is damaged, or it has a password") from error
        self._room -= len(data)
        if self._room < 0:
            raise DamagedArchiveError("it unpacks to more than 1 GB")
        return data


class _TarReader(ArchiveReader):
    """A tar archive. Of several files with the same name, the last one is read, as tar does."""

    def __init__(self, file: BinaryIO, damage: str = "") -> None:
        self._file = file
        self._room = limit("unpacked")
        self.damage = damage
        self._places: dict[str, tuple[int, int]] = {}
        try:
            for name, place, size in _files_in(file):
                self._places[name] = place, size
        except DamagedArchiveError:
            if not self._places:
                raise
            self.damage = damage or "the tar archive is damaged; only the files before could be read"
        self.names = tuple(self._places)

    def read(self, name: str) -> bytes:
        if name not in self._places:  # the archive was replaced after its names were read
            raise DamagedArchiveError("it no longer exists")
        place, size = self._places[name]
        if size > self._room:
            raise DamagedArchiveError("together with the members before, it is larger than 1 GB")
        try:
            self._file.seek(place)
            data = self._file.read(size)
        except OSError as error:
            raise DamagedArchiveError("it could not be read") from error
        self._room -= len(data)
        if len(data) < size and not self.damage:
            self.damage = f"the tar archive ends in the middle of {name}"
        return data


def _files_in(file: BinaryIO) -> Iterator[tuple[str, int, int]]:
    """Yield the name, offset and size of each file in a tar archive. Raises DamagedArchiveError."""
    place, long_name = 0, ""
    for _ in range(limit("archive_files")):
        file.seek(place)
        head = file.read(TAR_BLOCK)
        if not head.strip(b"\0"):  # the end of the archive
            return
        if len(head) < TAR_BLOCK or not is_tar(head):
            raise DamagedArchiveError("it is damaged")
        size, kind = _size_in(head[124:136]), head[156:157]
        if kind in (b"L", b"x"):
            long_name = _long_name(file.read(min(size, _MAX_NAME_LENGTH)), kind) or long_name
        else:
            if kind in _FILES:
                yield long_name or _short_name(head), place + TAR_BLOCK, size
            long_name = ""
        place += TAR_BLOCK * (1 + -(-size // TAR_BLOCK))


def _size_in(digits: bytes) -> int:
    """Parse a size in the head of a tar record: octal digits, or a binary number. Raises DamagedArchiveError."""
    try:
        is_binary = digits[:1] == b"\x80"
        size = int.from_bytes(digits[1:], "big") if is_binary else int(digits.rstrip(b" \0") or b"0", 8)
    except ValueError as error:
        raise DamagedArchiveError("it is damaged") from error
    if not 0 <= size <= _LARGEST_MEMBER:
        raise DamagedArchiveError("it is damaged")
    return size


def _short_name(head: bytes) -> str:
    """Return the name in the head of a tar record, with the folder from its POSIX field."""
    name, folder = (part.split(b"\0")[0].decode("utf-8", "replace") for part in (head[:100], head[345:500]))
    return f"{folder}/{name}" if folder and head[257:263] == b"ustar\0" else name


def _long_name(data: bytes, kind: bytes) -> str:
    """Return the name in a record of GNU tar, or in a POSIX record of fields, or ""."""
    if kind == b"L":
        return data.split(b"\0")[0].decode("utf-8", "replace")
    for line in data.split(b"\n"):
        field, mark, value = line.partition(b" ")[2].partition(b"=")
        if mark and field == b"path":
            return value.decode("utf-8", "replace")
    return ""


@contextmanager
def open_archive(path: str | Path) -> Iterator[ArchiveReader]:
    """Open an archive for reading.

    Raises:
        DamagedArchiveError: The archive cannot be read.
        UnreadableError: The archive is too large when unpacked.
    """
    try:
        file, damage = _open_file(path)
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DamagedArchiveError("it is damaged") from error
    with file:
        yield _ZipReader(file) if isinstance(file, ZipFile) else _TarReader(file, damage)


def _open_file(path: str | Path) -> tuple[ZipFile | BinaryIO, str]:
    """Return a zip or tar archive as an open file, and what is missing of it."""
    with Path(path).open("rb") as start:
        head = start.read(TAR_BLOCK)
    if is_zip(head):
        return ZipFile(path), ""
    if is_tar(head):
        return Path(path).open("rb"), ""
    text = unpack(path)
    if text.size > limit("unpacked") // 2:  # it is in memory together with the file being read
        most = byte_text(limit("unpacked") // 2)
        raise UnreadableError(path, f"{path} is a tar archive of more than {most}: unpack it, and open the folder.")
    return BytesIO(text.all()), text.damage


def archive_content(source: Source) -> Content:
    """Return the content of an archive: the names of its files.

    Raises:
        UnreadableError: The archive is damaged, or too large.
    """
    try:
        with open_archive(source.path) as archive:
            content = Content(source, Sample("archive", members=archive.names))
            if archive.damage:
                content.problems.add(archive.damage)
            return content
    except DamagedArchiveError as error:
        path = source.path
        raise UnreadableError(path, f"{path} is an archive, and {error}: choose another file.") from error
