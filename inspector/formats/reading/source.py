"""Files on disk as UTF-8 text that can be read in pieces.

No file stays open between reads, because a session may stay in memory for hours, and a replaced file must be noticed.
A file that is compressed, or in another encoding than UTF-8, is held in memory.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal

from inspector.core.errors import InspectorError
from inspector.core.limits import limit, limit_text

Progress = Callable[[int, int], None]
"""Called repeatedly with the number of bytes read and the total number of bytes."""

_STEP = 1 << 20
"""Number of bytes between two reports of progress, and size of the read buffer."""
_HEAD = 4096
"""Number of bytes by which text is distinguished from binary data."""
_ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_GZIP = b"\x1f\x8b"
_DATABASE = b"SQLite format 3\0"
_ZIP = b"PK\x03\x04"
TAR_BLOCK = 512
"""Block size of tar archives, in bytes."""
_TAR = b"ustar"
_TAR_MARK = 257
"""Offset of this mark in the first block of a file."""
_HARMLESS = 64 << 20
"""Number of bytes up to which any compression ratio is accepted."""
_HIGHEST_RATIO = 200
"""Maximum compression ratio of larger files. That of conversations is about 10."""
_PORTION = 16 << 20
"""Number of bytes of an overlong line that are skipped at once."""
_GZIP_STEP = 16 << 10
"""Number of compressed bytes between two checks of the size. They expand to 16 MB at most."""
_GZIP_BITS = 31
"""Window size of zlib for data with a gzip header."""
MAX_LINE_LENGTH = 256 << 20
"""Default of the maximum number of bytes of a line. Parsing a longer one would take ten times as much memory."""
OVERLONG = b"(a line that is longer than the limit)\n"
"""Replacement for a longer line."""
_BINARIES = {
    b"\x28\xb5\x2f\xfd": "compressed with zstd (unpack it with zstd -d first)",
    b"\xfd7zXZ\0": "compressed with xz (unpack it with xz -d first)",
    **{b"BZh%d1AY&SY" % size: "compressed with bzip2 (unpack it with bzip2 -d first)" for size in range(1, 10)},
    b"7z\xbc\xaf\x27\x1c": "a 7z archive (unpack it first)",
    b"Rar!\x1a\x07": "a RAR archive (unpack it first)",
    b"PK\x05\x06": "a zip archive with nothing in it",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_JSON_STARTS = b'{["'


class UnreadableError(InspectorError):
    """A file cannot be read as a conversation. The message is one sentence for the user."""

    def __init__(self, path: str | Path, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.path = str(path)
        self.sentence = sentence
        self.line = line


class DamagedDatabaseError(UnreadableError):
    """A file is a damaged SQLite database."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file as UTF-8 text, a database or an archive. Offsets are relative to `data`, or to the file."""

    path: str
    size: int
    data: bytes | None = None
    """The whole text, if it differs from the bytes on disk."""
    start: int = 0
    """Length of a byte order mark, in bytes."""
    kind: Literal["text", "database", "archive"] = "text"
    """database: SQLite. archive: zip or tar, which may be compressed with gzip."""
    damage: str = ""
    """Missing part, as a clause; "" if the file is complete."""

    def lines(self, progress: Progress | None = None) -> Iterator[tuple[int, int, bytes]]:
        """Yield the number (from 1), offset and bytes of each line. Raises OSError if the file cannot be read."""
        offset = reported = self.start
        for number, (line, size) in enumerate(self._raw_lines(), 1):
            yield number, offset, line
            offset += size
            if progress and offset - reported >= _STEP:
                reported = offset
                progress(offset, self.size)
        if progress:
            progress(self.size, self.size)

    def _raw_lines(self) -> Iterator[tuple[bytes, int]]:
        """Yield each line with its size in the file. Overlong lines are replaced by `OVERLONG`."""
        if self.data is not None:
            yield from ((line, len(line)) for line in io.BytesIO(self.data))
            return
        with Path(self.path).open("rb", buffering=_STEP) as file:
            file.seek(self.start)
            most = limit("line")
            while line := file.readline(most):
                size = len(line)
                if size < most or line.endswith(b"\n"):
                    yield line, size
                    continue
                del line
                while (more := file.readline(_PORTION)) and not more.endswith(b"\n"):
                    size += len(more)
                yield OVERLONG, size + len(more)

    def read(self, spans: Iterable[tuple[int, int]]) -> list[bytes]:
        """Return the bytes at each offset and length. Raises OSError if the file cannot be read."""
        if self.data is not None:
            return [self.data[offset : offset + length] for offset, length in spans]
        file = os.open(self.path, _READ_ONLY)
        try:
            return [_read_at(file, offset, length) for offset, length in spans]
        finally:
            os.close(file)

    def all(self) -> bytes:
        """Return the whole text. Raises OSError if the file cannot be read."""
        return self.data if self.data is not None else Path(self.path).read_bytes()[self.start :]


def _read_at(file: int, offset: int, length: int) -> bytes:
    """Return a number of bytes of an open file, or fewer at its end. A file object would take four times as long."""
    os.lseek(file, offset, os.SEEK_SET)
    data = os.read(file, length)
    while data and len(data) < length and (more := os.read(file, length - len(data))):
        data += more
    return data


def open_source(path: str | Path) -> Source:
    """Open a file and find out its kind and encoding by its first bytes.

    Raises:
        UnreadableError: The file cannot be opened, is empty, or is binary data of another kind.
    """
    size, head = _look_at(path)
    if head.startswith(_DATABASE):
        return Source(str(path), size, kind="database")
    is_packed = head.startswith(_GZIP)
    if is_zip(head) or is_tar(_unpacked_head(path) if is_packed else head):
        return Source(str(path), size, kind="archive")
    if is_packed:
        return unpack(path)
    if encoding := _unmarked_encoding(head):
        return _transcode(path, encoding)
    if kind := _binary(head):
        raise UnreadableError(path, f"{path} is {kind}, not a conversation in JSON or JSON lines: choose another file.")
    for mark, encoding in _ENCODINGS.items():
        if head.startswith(mark):
            return _transcode(path, encoding)
    start = len(head) - len(head.removeprefix(codecs.BOM_UTF8))
    if not head[start:].strip(b" \t\r\n\0") and size <= _HEAD:
        raise UnreadableError(path, f"{path} is empty: choose another file.")
    return Source(str(path), size, start=start)


def _look_at(path: str | Path) -> tuple[int, bytes]:
    """Return the size and the first bytes of a regular file. Raises `UnreadableError`."""
    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableError(path, f"{path} is a folder: choose a file in it.")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError(path, f"{path} is not a regular file: save the conversation to a file first.")
        with Path(path).open("rb") as file:
            return status.st_size, file.read(_HEAD)
    except (OSError, ValueError) as error:
        raise UnreadableError(path, _refusal(path, error)) from error


def is_zip(head: bytes) -> bool:
    """Return True if these are the first bytes of a zip archive."""
    return head.startswith(_ZIP)


def is_tar(head: bytes) -> bool:
    """Return True if these are the first bytes of a tar archive."""
    return head.startswith(_TAR, _TAR_MARK) and b"\0" in head[:_TAR_MARK]


def _unpacked_head(path: str | Path) -> bytes:
    """Return the first decompressed bytes of a gzip file, or b"" if it cannot be decompressed."""
    head = b""
    with suppress(OSError, EOFError, zlib.error):
        for portion in _portions(path):
            head += portion
            if len(head) >= TAR_BLOCK:
                break
    return head


def kind_of_member(head: bytes) -> str:
    """Return a description of data that is not UTF-8 text, judged by its first bytes, or ""."""
    if head.startswith(_DATABASE):
        return "an SQLite database"
    if is_zip(head) or is_tar(head):
        return "an archive"
    if head.startswith(_GZIP):
        return "compressed with gzip"
    if head.startswith(tuple(_ENCODINGS)) or _unmarked_encoding(head):
        return "in another encoding than UTF-8"
    return _binary(head)


def unpack(path: str | Path) -> Source:
    """Decompress a gzip file into memory, up to the damage if it is damaged.

    Raises:
        UnreadableError: The file is empty, too large, or damaged from its beginning.
    """
    data, damage = bytearray(), ""
    try:
        if _size_at_end(path) > limit("unpacked"):
            _count_portions(path)
        for portion in _portions(path):
            data += portion
            _require_room(path, len(data))
    except (OSError, EOFError, zlib.error) as error:
        if not data:
            text = f"{path} is a damaged gzip archive: unpack as much as possible, and open the result."
            raise UnreadableError(path, text) from error
        damage = _damage_of_archive(error)
    if not data.strip(b" \t\r\n\0"):
        raise UnreadableError(path, f"{path} is empty: choose another file.")
    return Source(str(path), len(data), bytes(data), damage=damage)


def _portions(path: str | Path) -> Iterator[bytes]:
    """Yield the decompressed data of a gzip file. Raises OSError, EOFError or zlib.error at damage."""
    with Path(path).open("rb") as file:
        data = b""
        while data or (data := file.read(_GZIP_STEP)):
            member = zlib.decompressobj(_GZIP_BITS)
            while not member.eof:
                if not data and not (data := file.read(_GZIP_STEP)):
                    raise EOFError
                yield from _unpacked(member, data)
                data = b""
            data = member.unused_data.lstrip(b"\0")


def _unpacked(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Yield the decompressed data up to the first damaged byte, then raise zlib.error."""
    before = member.copy()
    try:
        yield member.decompress(data)
    except zlib.error:  # the output of the failed step is lost
        for place in range(len(data)):
            yield before.decompress(data[place : place + 1])


def _damage_of_archive(error: Exception) -> str:
    """Describe the damage of a gzip file as a clause."""
    if any(f"incorrect {name} check" in str(error) for name in ("data", "length")):
        return "the checksum of the gzip archive is wrong: all of it was unpacked, and some of it may be damaged"
    return "the gzip archive is damaged; only the part before the damage could be unpacked"


def _count_portions(path: str | Path) -> None:
    """Decompress a file without keeping the data, to check its size. Raises OSError and UnreadableError."""
    with suppress(EOFError, zlib.error):  # a truncated file may be small enough
        for size in accumulate(map(len, _portions(path))):
            _require_room(path, size)


def _size_at_end(path: str | Path) -> int:
    """Return the decompressed size that a gzip file states at its end, which may be wrong. Raises OSError."""
    with Path(path).open("rb") as file:
        file.seek(-min(4, Path(path).stat().st_size), os.SEEK_END)
        return int.from_bytes(file.read(), "little")


def _require_room(path: str | Path, size: int) -> None:
    """Raise UnreadableError if decompressed data is too large, or a decompression bomb."""
    packed = Path(path).stat().st_size
    if is_bomb(size, packed):
        times = size // max(1, packed)
        raise UnreadableError(path, f"{path} unpacks to more than {times:,} times its size, which is not allowed.")
    if size > limit("unpacked"):
        raise UnreadableError(
            path, f"{path} is a gzip archive of more than {limit_text('unpacked')}: unpack it, and open the file in it."
        )


def is_bomb(size: int, packed: int) -> bool:
    """Return True if a compression ratio is that of a decompression bomb."""
    return size > _HARMLESS and size > _HIGHEST_RATIO * packed


def _transcode(path: str | Path, encoding: str) -> Source:
    """Transcode a file to UTF-8 in memory. Raises `UnreadableError`."""
    decoder, data = codecs.getincrementaldecoder(encoding)("replace"), bytearray()
    try:
        with Path(path).open("rb") as file:
            _require_little_text(path, os.fstat(file.fileno()).st_size, encoding)
            while step := file.read(_STEP):
                data += decoder.decode(step).encode("utf-8", "replace")
                _require_little_text(path, len(data), encoding)
    except OSError as error:
        raise UnreadableError(path, _refusal(path, error)) from error
    data += decoder.decode(b"", final=True).encode("utf-8", "replace")
    if not data.strip():
        raise UnreadableError(path, f"{path} is empty: choose another file.")
    return Source(str(path), len(data), bytes(data))


def _require_little_text(path: str | Path, size: int, encoding: str) -> None:
    if size > limit("unpacked"):
        name = encoding[:6].upper()
        text = (
            f"{path} is text in {name} of more than {limit_text('unpacked')}, too much to read at once: save it as "
            "UTF-8, and open that."
        )
        raise UnreadableError(path, text)


def _refusal(path: str | Path, error: OSError | ValueError) -> str:
    """Explain an error of the operating system, with advice, in a sentence."""
    match error:
        case FileNotFoundError() if Path(path).is_symlink():
            return f"{path} is a link to {Path(path).readlink()}, which does not exist: check where it leads."
        case FileNotFoundError() | NotADirectoryError():
            return f"{path} does not exist: check the name."
        case PermissionError():
            return f"{path} is not readable for you: change its permissions, or copy it to another folder."
        case OSError(strerror=str(reason)):
            return f"{path} could not be read ({reason.lower()}): check the file and try again."
        case _:
            return f"{str(path)!r} is not the name of a file: check the name."


def _unmarked_encoding(head: bytes) -> str:
    """Return the encoding of JSON text in UTF-16 without a byte order mark, or ""."""
    for place, encoding in enumerate(("utf-16-le", "utf-16-be")):
        if head[place : place + 1] in (b"{", b"[") and head[1 - place :: 2] == bytes(len(head[1 - place :: 2])):
            return encoding
    return ""


def _binary(head: bytes) -> str:
    """Return the kind of binary data with these first bytes, or "" for text."""
    for magic, kind in _BINARIES.items():
        if head.startswith(magic):
            return kind
    if b"\0" in head and not head.startswith(tuple(_ENCODINGS)):
        text = head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n\0")
        return "" if text[:1] in _JSON_STARTS else "binary data"
    return ""
