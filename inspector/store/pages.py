"""The rows of a database file read page by page, without the trees that lead to them.

Where an inner page of a tree is lost, SQLite finds none of the rows below it, though they are all still there. Here
every leaf page is looked at, and a row is told by how many columns it has. See the SQLite file format,
https://www.sqlite.org/fileformat2.html, sections 1.5, 1.6 and 2.1.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

PAGE = 4096
"""Bytes of a page in every store."""
_LEAF = 0x0D
"""The first byte of a page that holds rows of a table."""
_LOCAL = PAGE - 35
"""Bytes of a row that lie in its own page, at most."""
_MIN_LOCAL_BYTES = (PAGE - 12) * 32 // 255 - 23
"""Bytes of a longer row that lie in its own page, at least."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of a whole number, by how its type is written."""
_DAMAGE = (IndexError, ValueError, struct.error)
"""What reading a damaged row may raise."""


class Pages:
    """The leaf pages of a file. `tables` tells a table by the number of its columns."""

    def __init__(self, path: Path, tables: Mapping[int, str]) -> None:
        self.path = path
        self.count = path.stat().st_size // PAGE
        self.places: dict[str, dict[int, tuple[int, int]]] = {name: {} for name in tables.values()}
        """By table and rowid, the page that a row begins in, and where in the page."""
        with path.open("rb") as file:
            free = self.free(file)
            for number in range(1, self.count + 1):
                if number in free:
                    continue
                page = self.page(file, number)
                for rowid, at, width in _cells(page, 100 if number == 1 else 0):
                    if width in tables:
                        self.places[tables[width]].setdefault(rowid, (number, at))

    def row(self, table: str, rowid: int) -> list[Any] | None:
        """The values of a row, texts as bytes; None where it is not there, or cannot be read to its end."""
        place = self.places.get(table, {}).get(rowid)
        if place is None:
            return None
        with self.path.open("rb") as file, suppress(*_DAMAGE):
            page = self.page(file, place[0])
            length, at = _varint(page, place[1])
            _, at = _varint(page, at)
            return _values(self.payload(file, page, at, length))
        return None

    def payload(self, file: BinaryIO, page: bytes, at: int, length: int) -> bytes:
        """The bytes of a row, gathered from the pages that it goes on in."""
        if length > self.count * PAGE:
            raise ValueError("no row is longer than its file")
        local = length if length <= _LOCAL else _MIN_LOCAL_BYTES + (length - _MIN_LOCAL_BYTES) % (PAGE - 4)
        local = local if local <= _LOCAL else _MIN_LOCAL_BYTES
        pieces, rest = [page[at : at + local]], length - local
        next_page = int.from_bytes(page[at + local : at + local + 4]) if rest else 0
        while rest > 0:
            more = self.page(file, next_page)
            pieces.append(more[4 : 4 + rest])
            rest -= PAGE - 4
            next_page = int.from_bytes(more[:4])
        return b"".join(pieces)

    def page(self, file: BinaryIO, number: int) -> bytes:
        """Raises ValueError for a page that is not there."""
        if not 1 <= number <= self.count:
            raise ValueError(f"there is no page {number}")
        file.seek((number - 1) * PAGE)
        return file.read(PAGE)

    def free(self, file: BinaryIO) -> Collection[int]:
        """The pages that hold nothing any more, by the list that the file keeps of them."""
        free: set[int] = set()
        trunk = int.from_bytes(self.page(file, 1)[32:36]) if self.count else 0
        while 1 <= trunk <= self.count and trunk not in free:
            page = self.page(file, trunk)
            next_trunk, length = struct.unpack(">II", page[:8])
            leaves = struct.unpack(f">{min(length, PAGE // 4 - 2)}I", page[8 : 8 + 4 * min(length, PAGE // 4 - 2)])
            free |= {trunk, *leaves}
            trunk = next_trunk
        return free


def _cells(page: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """The rows that begin in a leaf page: rowid, where in the page, and number of columns."""
    if page[start] != _LEAF:
        return
    number = int.from_bytes(page[start + 3 : start + 5])
    for index in range(min(number, PAGE // 4)):
        with suppress(*_DAMAGE):
            pointer = start + 8 + 2 * index
            at = int.from_bytes(page[pointer : pointer + 2])
            length, behind = _varint(page, at)
            rowid, behind = _varint(page, behind)
            if length > 0 and 0 < rowid < 1 << 62:
                yield rowid, at, len(_types(page[behind : behind + length])[0])


def children(page: bytes, start: int) -> list[int]:
    """The numbers of the pages below an inner page of a table; `start` is where its header begins."""
    count = int.from_bytes(page[start + 3 : start + 5])
    places = (int.from_bytes(page[at : at + 2]) for at in range(start + 12, start + 12 + 2 * count, 2))
    return [*(int.from_bytes(page[at : at + 4]) for at in places), int.from_bytes(page[start + 8 : start + 12])]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _types(payload: bytes) -> tuple[list[int], int]:
    """How each value of a row is written, and where the first one begins."""
    end, at = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise ValueError("the head of a row is longer than the row")
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    return kinds, end


def _values(payload: bytes) -> list[Any]:
    """The values of a row. Raises one of `_DAMAGE`."""
    kinds, at = _types(payload)
    row: list[Any] = []
    for kind in kinds:
        size = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        piece = payload[at : at + size]
        if len(piece) != size or size < 0:
            raise ValueError("a row ends before its values")
        at += size
        if kind == 0:
            row.append(None)
        elif kind in (8, 9):
            row.append(kind - 8)
        elif kind == 7:
            row.append(struct.unpack(">d", piece)[0])
        elif kind in _INTEGERS:
            row.append(int.from_bytes(piece, signed=True))
        elif kind >= 12:
            row.append(piece)
        else:
            raise ValueError("no value is written like this")
    return row
