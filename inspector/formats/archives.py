"""Zip archives of other programs, read member by member and never past a bound."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from inspector.formats.source import LARGEST_UNPACKED, is_bomb

_MOST_MEMBERS = 100_000


class DamagedArchiveError(Exception):
    """An archive, or a member of one, that cannot be read; its text says why, to go behind a name and a colon."""


class ZipReader:
    """An open archive. What its members come to together is bounded."""

    def __init__(self, file: ZipFile) -> None:
        self._file = file
        self._room = LARGEST_UNPACKED
        self.names = tuple(entry.filename for entry in file.infolist()[:_MOST_MEMBERS] if not entry.is_dir())

    def read(self, name: str) -> bytes:
        """The bytes of a member. Raises DamagedArchiveError."""
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
        except (BadZipFile, RuntimeError, OSError, EOFError, KeyError, UnicodeError, zlib.error) as error:
            raise DamagedArchiveError("it is damaged, or it has a password") from error
        self._room -= len(data)
        if self._room < 0:
            raise DamagedArchiveError("it unpacks to more than 1 GB")
        return data


@contextmanager
def open_archive(path: str | Path) -> Iterator[ZipReader]:
    """A zip archive, open while it is read. Raises DamagedArchiveError."""
    try:
        file = ZipFile(path)
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DamagedArchiveError("it is damaged") from error
    with file:
        yield ZipReader(file)
