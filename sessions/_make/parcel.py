"""A photo for the support ticket, drawn here: a parcel on a doormat, one corner crushed, the tape torn.

Written as a PNG by hand, with stored (not compressed) data, so that the bytes do not depend on the version of zlib.
"""

from __future__ import annotations

import base64
import struct
import zlib

WIDTH, HEIGHT = 240, 180
FLOOR, BOARD, EDGE, TAPE = 0, 1, 2, 3
PALETTE = bytes((104, 112, 118, 196, 154, 104, 74, 54, 36, 232, 224, 206))
LEFT, RIGHT, TOP, BOTTOM = 42, 204, 40, 150


def photo() -> str:
    """The picture as base64."""
    rows = b"".join(b"\0" + packed([colour(x, y) for x in range(WIDTH)]) for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 2, 3, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"PLTE", PALETTE) + chunk(b"IDAT", stored(rows)) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()


def colour(x: int, y: int) -> int:
    """What is seen at a pixel."""
    dent = 46 - (RIGHT - x) - (y - TOP)
    if not (LEFT <= x <= RIGHT and TOP <= y <= BOTTOM) or dent > 8 + (x * 7 + y * 5) % 9:
        return EDGE if (y % 12 == 0 and y > 120 and x % 31 > 3) else FLOOR
    if dent > -3 or x - LEFT < 3 or RIGHT - x < 3 or y - TOP < 3 or BOTTOM - y < 3:
        return EDGE
    if 88 <= y <= 100 and not (128 + y % 7 < x < 146 - y % 5):
        return TAPE
    if 58 <= x <= 98 and 112 <= y <= 138:
        return EDGE if y % 6 == 0 and x % 17 > 4 else TAPE
    return EDGE if (x * 13 + y * 29) % 211 == 0 else BOARD


def packed(row: list[int]) -> bytes:
    """Four pixels to a byte."""
    return bytes(
        row[place] << 6 | row[place + 1] << 4 | row[place + 2] << 2 | row[place + 3] for place in range(0, len(row), 4)
    )


def stored(data: bytes) -> bytes:
    """A zlib stream of one stored block; room for 65,535 bytes."""
    size = struct.pack("<HH", len(data), len(data) ^ 0xFFFF)
    return b"\x78\x01\x01" + size + data + struct.pack(">I", zlib.adler32(data))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
