"""What a secret looks like where it was encoded, and what may be encoded in a text."""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from inspector.core.text import dumps

_MIN_ENCODED = 12
"""Characters of a secret that is hidden where it is encoded or reversed, too: a shorter one may be there by chance."""
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{11,}={0,2}")
_HEX = re.compile(r"[0-9A-Fa-f]{16,}")
_WORDS = re.compile(rb"[\t\n\r\x20-\x7e]{8,}")
"""Bytes that are text. So many in a row are hardly ever there by chance."""
_TO_STANDARD = str.maketrans("-_", "+/", "=")


class Encoded(NamedTuple):
    """A run of letters and digits that may stand for a text."""

    start: int
    run: str
    texts: tuple[str, ...]
    """What it may stand for: stretches of text in what it is decoded to."""


def plain_forms(secret: str) -> Iterator[str]:
    """A secret as it stands in a text, in JSON (also in JSON that stands in JSON), and in an address."""
    form = secret
    for _ in range(5):
        yield form
        form = dumps(form)[1:-1]
    yield quote(secret, safe="")


def encoded_forms(secret: str) -> Iterator[str]:
    """A secret reversed, in hexadecimal, and in base64 wherever in a group of three bytes it begins; none if short."""
    if len(secret) < _MIN_ENCODED:
        return
    data = secret.encode("utf-8", "surrogatepass")
    yield from (secret[::-1], data.hex(), data.hex().upper())
    for before in range(3):
        code = b64encode(bytes(before) + data).decode()[-(-before * 4 // 3) : (before + len(data)) * 4 // 3]
        yield from (code, code.replace("+", "-").replace("/", "_"))


def encoded_in(text: str) -> Iterator[Encoded]:
    """The runs of a text that stand for another text, in base64 or in hexadecimal, wherever in them that begins."""
    for match in _RUN.finditer(text):
        run = match[0]
        if texts := tuple([words.decode("ascii") for data in _decoded(run) for words in _WORDS.findall(data)]):
            yield Encoded(match.start(), run, texts)


def _decoded(run: str) -> Iterator[bytes]:
    """What a run may be decoded to. The letters of a text in base64 are never all small."""
    for match in _HEX.finditer(run):
        digits = match[0]
        for start in range(2):
            yield bytes.fromhex(digits[start : start + (len(digits) - start) // 2 * 2])
    if run != run.lower():
        digits = run.translate(_TO_STANDARD)
        for start in range(4):
            rest = (len(digits) - start) % 4
            code = digits[start : len(digits) - (rest == 1)]
            yield a2b_base64(code + "=" * (-len(code) % 4))
