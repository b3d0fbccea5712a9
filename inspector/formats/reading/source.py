"""A file on disk as text that can be read again piece by piece, whatever it was encoded in.

Nothing is kept open between reads: a session that stays in memory for hours must not hold on to a file, and a file
that was replaced meanwhile must be noticed. A file in another encoding than UTF-8 is held in memory, transcoded.
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

Progress = Callable[[int, int], None]
"""Called now and then with the bytes that are done and the bytes in all."""

_STEP = 1 << 20
"""Bytes between two reports of progress, and the size of the read buffer."""
_HEAD = 4096
"""Bytes looked at to tell text from binary data."""
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
"""Bytes of the head of each member of a tar archive, and of all that it is made of."""
_TAR = b"ustar"
_TAR_MARK = 257
"""Where that stands in a head."""
LARGEST_UNPACKED = 1 << 30
"""Bytes that a compressed file may come to, or one in another encoding: what comes to more is refused."""
_HARMLESS = 64 << 20
"""Bytes up to which it may be as small as it likes before it is unpacked."""
_HIGHEST_RATIO = 200
"""Times its compressed size that more than that may come to: conversations come to ten times."""
_PORTION = 16 << 20
"""Bytes of a line that is too long which are passed over at once."""
_GZIP_STEP = 16 << 10
"""Bytes that are unpacked between two looks at how much there is: they come to 16 MB at the most."""
_GZIP_BITS = 31
"""The window of zlib's with a header of gzip."""
MAX_LINE_LENGTH = 256 << 20
"""Bytes of a line that are read: a longer one is left out, for its value would take the memory of ten such lines."""
OVERLONG = b"(a line of more than 256 MB)\n"
"""Stands for such a line."""
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
    """A file that holds no conversation for us. Its text is one plain sentence for the person who named the file."""

    def __init__(self, path: str | Path, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.path = str(path)
        self.sentence = sentence
        self.line = line


@dataclass(frozen=True, slots=True)
class Source:
    """A file; its text, in UTF-8, where it has one. Offsets count from the start of `data`, or else of the file."""

    path: str
    size: int
    data: bytes | None = None
    """The whole text, where it could not be read again from disk as it is."""
    start: int = 0
    """Bytes of a byte order mark to skip."""
    kind: Literal["text", "database", "archive"] = "text"
    """database: SQLite. archive: zip, or tar, also one that is compressed with gzip. Neither is read as text."""
    damage: str = ""
    """What is missing of it, as a sentence without its end; empty for nothing."""

    def lines(self, progress: Progress | None = None) -> Iterator[tuple[int, int, bytes]]:
        """Number (from 1), offset and bytes of every line. Raises OSError when the file goes away."""
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
        """The lines with the bytes that each takes in the file; `OVERLONG` in place of one that is too long."""
        if self.data is not None:
            yield from ((line, len(line)) for line in io.BytesIO(self.data))
            return
        with Path(self.path).open("rb", buffering=_STEP) as file:
            file.seek(self.start)
            while line := file.readline(MAX_LINE_LENGTH):
                size = len(line)
                if size < MAX_LINE_LENGTH or line.endswith(b"\n"):
                    yield line, size
                    continue
                del line
                while (more := file.readline(_PORTION)) and not more.endswith(b"\n"):
                    size += len(more)
                yield OVERLONG, size + len(more)

    def read(self, spans: Iterable[tuple[int, int]]) -> list[bytes]:
        """The bytes at each (offset, length). Raises OSError when the file is gone."""
        if self.data is not None:
            return [self.data[offset : offset + length] for offset, length in spans]
        file = os.open(self.path, _READ_ONLY)
        try:
            return [_read_at(file, offset, length) for offset, length in spans]
        finally:
            os.close(file)

    def all(self) -> bytes:
        """The whole text. Raises OSError when the file is gone."""
        return self.data if self.data is not None else Path(self.path).read_bytes()[self.start :]


def _read_at(file: int, offset: int, length: int) -> bytes:
    """So many bytes of an open file, fewer where it ends. A file object takes four times longer."""
    os.lseek(file, offset, os.SEEK_SET)
    data = os.read(file, length)
    while data and len(data) < length and (more := os.read(file, length - len(data))):
        data += more
    return data


def open_source(path: str | Path) -> Source:
    """The file at `path`, looked at but not read. Raises `UnreadableError`."""
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
        raise UnreadableError(path, f"{path} is empty: choose a file that holds a conversation.")
    return Source(str(path), size, start=start)


def _look_at(path: str | Path) -> tuple[int, bytes]:
    """The size of a regular file, and how it begins. Raises `UnreadableError`."""
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
    """Whether a file that begins like this is a zip archive."""
    return head.startswith(_ZIP)


def is_tar(head: bytes) -> bool:
    """Whether a file that begins like this is a tar archive."""
    return head.startswith(_TAR, _TAR_MARK) and b"\0" in head[:_TAR_MARK]


def _unpacked_head(path: str | Path) -> bytes:
    """How that begins which a file holds that is compressed with gzip; empty where it cannot be unpacked."""
    head = b""
    with suppress(OSError, EOFError, zlib.error):
        for portion in _portions(path):
            head += portion
            if len(head) >= TAR_BLOCK:
                break
    return head


def kind_of_member(head: bytes) -> str:
    """What that is which begins like this, where it is no text in UTF-8; empty for such a text."""
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
    """The text of a file that is compressed with gzip, held in memory; of a damaged one, what stands before."""
    data, damage = bytearray(), ""
    try:
        if _size_at_end(path) > LARGEST_UNPACKED:
            _count_portions(path)
        for portion in _portions(path):
            data += portion
            _require_room(path, len(data))
    except (OSError, EOFError, zlib.error) as error:
        if not data:
            text = f"{path} is a damaged gzip archive: unpack what can be, and open that."
            raise UnreadableError(path, text) from error
        damage = _damage_of_archive(error)
    if not data.strip(b" \t\r\n\0"):
        raise UnreadableError(path, f"{path} is empty: choose a file that holds a conversation.")
    return Source(str(path), len(data), bytes(data), damage=damage)


def _portions(path: str | Path) -> Iterator[bytes]:
    """What a gzip archive holds. Raises OSError, EOFError and zlib.error behind the last that is whole."""
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
    """What some bytes of an archive come to; all that stands before the first damaged one, and then zlib.error."""
    before = member.copy()
    try:
        yield member.decompress(data)
    except zlib.error:  # what the step had come to is lost with it
        for place in range(len(data)):
            yield before.decompress(data[place : place + 1])


def _damage_of_archive(error: Exception) -> str:
    """What is missing of what a damaged gzip archive holds, as a sentence without its end."""
    if any(f"incorrect {name} check" in str(error) for name in ("data", "length")):
        return "the checksum of the gzip archive is wrong: all of it was unpacked, and some of it may be damaged"
    return "the gzip archive is damaged; only what stands before could be unpacked"


def _count_portions(path: str | Path) -> None:
    """Unpack an archive without keeping it, to see that there is room. Raises OSError, and as `_require_room`."""
    with suppress(EOFError, zlib.error):  # what ends too early may still have room
        for size in accumulate(map(len, _portions(path))):
            _require_room(path, size)


def _size_at_end(path: str | Path) -> int:
    """The size of what a gzip archive holds, as its last bytes say; of a damaged one any number. Raises OSError."""
    with Path(path).open("rb") as file:
        file.seek(-min(4, Path(path).stat().st_size), os.SEEK_END)
        return int.from_bytes(file.read(), "little")


def _require_room(path: str | Path, size: int) -> None:
    """Raise UnreadableError where what an archive holds is too large, or made to fill the memory."""
    packed = Path(path).stat().st_size
    if is_bomb(size, packed):
        times = size // max(1, packed)
        raise UnreadableError(path, f"{path} unpacks to more than {times:,} times its size: it is refused.")
    if size > LARGEST_UNPACKED:
        raise UnreadableError(path, f"{path} is a gzip archive of more than 1 GB: unpack it, and open what is in it.")


def is_bomb(size: int, packed: int) -> bool:
    """Whether so many bytes that come out of so few are made to fill the memory."""
    return size > _HARMLESS and size > _HIGHEST_RATIO * packed


def _transcode(path: str | Path, encoding: str) -> Source:
    """The text of a file in another encoding, held in memory. Raises `UnreadableError`."""
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
        raise UnreadableError(path, f"{path} is empty: choose a file that holds a conversation.")
    return Source(str(path), len(data), bytes(data))


def _require_little_text(path: str | Path, size: int, encoding: str) -> None:
    if size > LARGEST_UNPACKED:
        name = encoding[:6].upper()
        text = f"{path} is text in {name} of more than 1 GB, too much to read at once: save it as UTF-8, and open that."
        raise UnreadableError(path, text)


def _refusal(path: str | Path, error: OSError | ValueError) -> str:
    """Why the system would not let us read a file, and what to do, as a sentence."""
    match error:
        case FileNotFoundError() if Path(path).is_symlink():
            return f"{path} is a link to {Path(path).readlink()}, which does not exist: check where it leads."
        case FileNotFoundError() | NotADirectoryError():
            return f"{path} does not exist: check the name."
        case PermissionError():
            return f"{path} may not be read by you: change its permissions, or copy it to where you may."
        case OSError(strerror=str(reason)):
            return f"{path} could not be read ({reason.lower()}): check the file and try again."
        case _:
            return f"{str(path)!r} is not the name of a file: check the name."


def _unmarked_encoding(head: bytes) -> str:
    """The encoding of JSON text whose every second byte is a NUL; empty for any other."""
    for place, encoding in enumerate(("utf-16-le", "utf-16-be")):
        if head[place : place + 1] in (b"{", b"[") and head[1 - place :: 2] == bytes(len(head[1 - place :: 2])):
            return encoding
    return ""


def _binary(head: bytes) -> str:
    """What kind of binary data begins like this; empty for text."""
    for magic, kind in _BINARIES.items():
        if head.startswith(magic):
            return kind
    if b"\0" in head and not head.startswith(tuple(_ENCODINGS)):
        text = head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n\0")
        return "" if text[:1] in _JSON_STARTS else "binary data"
    return ""
