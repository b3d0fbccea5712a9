"""Encoded forms of a secret, and the encoded texts in a text."""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from inspector.core.text import dumps

_MIN_ENCODED = 12
"""Minimum characters of a secret whose encoded and reversed forms are redacted, to avoid coincidences."""
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{11,}={0,2}")
_HEX = re.compile(r"[0-9A-Fa-f]{16,}")
_WORDS = re.compile(rb"[\t\n\r\x20-\x7e]{8,}")
"""Bytes that are printable text, in runs that are hardly ever a coincidence."""
_TO_STANDARD = str.maketrans("-_", "+/", "=")


class Encoded(NamedTuple):
    """A run of letters and digits that can be an encoded text."""

    start: int
    run: str
    texts: tuple[str, ...]
    """Possible decoded texts."""


def plain_forms(secret: str) -> Iterator[str]:
    """Yield a secret as it appears in a text, in JSON, in JSON nested in JSON strings, and in a URL."""
    form = secret
    for _ in range(5):
        yield form
        form = dumps(form)[1:-1]
    yield quote(secret, safe="")


def encoded_forms(secret: str) -> Iterator[str]:
    """Yield a secret reversed, in hexadecimal, and in base64 at all three alignments; nothing if it is short."""
    if len(secret) < _MIN_ENCODED:
        return
    data = secret.encode("utf-8", "surrogatepass")
    yield from (secret[::-1], data.hex(), data.hex().upper())
    for before in range(3):
        code = b64encode(bytes(before) + data).decode()[-(-before * 4 // 3) : (before + len(data)) * 4 // 3]
        yield from (code, code.replace("+", "-").replace("/", "_"))


def encoded_in(text: str) -> Iterator[Encoded]:
    """Yield the runs of a text that decode to a text, from base64 or hexadecimal at any alignment."""
    for match in _RUN.finditer(text):
        run = match[0]
        if texts := tuple([words.decode("ascii") for data in _decoded(run) for words in _WORDS.findall(data)]):
            yield Encoded(match.start(), run, texts)


def _decoded(run: str) -> Iterator[bytes]:
    """Yield the possible decoded bytes of a run. A text in base64 always contains capitals."""
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
