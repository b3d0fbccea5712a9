"""Archives of other programs, zip and tar, read member by member and never past a bound; nothing goes to the disk."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol
from zipfile import BadZipFile, ZipFile

from inspector.formats.reading.source import (
    LARGEST_UNPACKED,
    TAR_BLOCK,
    UnreadableError,
    is_bomb,
    is_tar,
    is_zip,
    unpack,
)

_MAX_MEMBERS = 100_000
_LARGEST_PACKED_TAR = LARGEST_UNPACKED // 2
"""Bytes of a tar archive that is compressed: it is held in memory, and what is read of it is held once more."""
_MAX_NAME_LENGTH = 16 << 10
"""Bytes of a name that has a record of its own."""
_LARGEST_MEMBER = 1 << 50
"""Bytes of a member that a file system could hold: a larger number is damage."""
_FILES = (b"0", b"\0", b"7")
"""The types of the records of files, in contrast to those of links, folders and names."""


class DamagedArchiveError(Exception):
    """An archive, or a member of one, that cannot be read; its text says why, to go behind a name and a colon."""


class ArchiveReader(Protocol):
    """An open archive. What its members come to together is bounded."""

    names: tuple[str, ...]
    damage: str = ""
    """What is missing of it, as a sentence without its end; empty for nothing."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """The bytes of a member. Raises DamagedArchiveError."""


class _ZipReader(ArchiveReader):
    def __init__(self, file: ZipFile) -> None:
        self._file = file
        self._room = LARGEST_UNPACKED
        self.names = tuple(entry.filename for entry in file.infolist()[:_MAX_MEMBERS] if not entry.is_dir())

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
            raise DamagedArchiveError("it is compressed in a way that cannot be read here") from error
        except (BadZipFile, RuntimeError, OSError, EOFError, KeyError, ValueError, zlib.error) as error:
            raise DamagedArchiveError("it is damaged, or it has a password") from error
        self._room -= len(data)
        if self._room < 0:
            raise DamagedArchiveError("it unpacks to more than 1 GB")
        return data


class _TarReader(ArchiveReader):
    """A tar archive: of members with one name the last counts, as it does for tar."""

    def __init__(self, file: BinaryIO, damage: str = "") -> None:
        self._file = file
        self._room = LARGEST_UNPACKED
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
        if name not in self._places:  # the archive was replaced since its names were read
            raise DamagedArchiveError("it is not there any more")
        place, size = self._places[name]
        if size > self._room:
            raise DamagedArchiveError("it is larger than 1 GB, together with what stands before")
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
    """The name of each file in a tar archive, where it begins and its size. Raises DamagedArchiveError."""
    place, long_name = 0, ""
    for _ in range(_MAX_MEMBERS):
        file.seek(place)
        head = file.read(TAR_BLOCK)
        if not head.strip(b"\0"):  # two such blocks, or the end of the file, end an archive
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
    """A size in the head of a tar record: octal, or in binary where that is too short. Raises DamagedArchiveError."""
    try:
        is_binary = digits[:1] == b"\x80"
        size = int.from_bytes(digits[1:], "big") if is_binary else int(digits.rstrip(b" \0") or b"0", 8)
    except ValueError as error:
        raise DamagedArchiveError("it is damaged") from error
    if not 0 <= size <= _LARGEST_MEMBER:
        raise DamagedArchiveError("it is damaged")
    return size


def _short_name(head: bytes) -> str:
    """The name in the head of a tar record, with the folder that POSIX puts elsewhere."""
    name, folder = (part.split(b"\0")[0].decode("utf-8", "replace") for part in (head[:100], head[345:500]))
    return f"{folder}/{name}" if folder and head[257:263] == b"ustar\0" else name


def _long_name(data: bytes, kind: bytes) -> str:
    """A name that has a record of its own: GNU's, or one of the fields of POSIX; empty where that has none."""
    if kind == b"L":
        return data.split(b"\0")[0].decode("utf-8", "replace")
    for line in data.split(b"\n"):
        field, mark, value = line.partition(b" ")[2].partition(b"=")
        if mark and field == b"path":
            return value.decode("utf-8", "replace")
    return ""


@contextmanager
def open_archive(path: str | Path) -> Iterator[ArchiveReader]:
    """An archive, open while it is read. Raises DamagedArchiveError; UnreadableError where it unpacks to too much."""
    try:
        file, damage = _open_file(path)
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DamagedArchiveError("it is damaged") from error
    with file:
        yield _ZipReader(file) if isinstance(file, ZipFile) else _TarReader(file, damage)


def _open_file(path: str | Path) -> tuple[ZipFile | BinaryIO, str]:
    """A zip or tar archive as an open file, and what is missing of it. Raises as `open_archive`, and what is behind."""
    with Path(path).open("rb") as start:
        head = start.read(TAR_BLOCK)
    if is_zip(head):
        return ZipFile(path), ""
    if is_tar(head):
        return Path(path).open("rb"), ""
    text = unpack(path)
    if text.size > _LARGEST_PACKED_TAR:
        raise UnreadableError(path, f"{path} is a tar archive of more than 512 MB: unpack it, and open the folder.")
    return BytesIO(text.all()), text.damage
