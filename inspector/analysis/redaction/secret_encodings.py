"""Encoded forms of a secret, and the encoded texts in a text."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from inspector.core.text import dumps, lazy_pattern

_MIN_ENCODED = 12
"""Minimum characters of a secret whose encoded and reversed forms are redacted, to avoid coincidences."""
_RUN = lazy_pattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{11,}={0,2}")
_HEX = lazy_pattern(r"[0-9A-Fa-f]{16,}")
# `&#103;&#104;`, `\x67\x68`, `%67%68` or `\u0067\u0068`: at least eight escaped characters in a row
_ESCAPES = lazy_pattern(
    r"(?:&#x?[0-9A-Fa-f]{2,6}; ?){8,}|(?:\\x[0-9A-Fa-f]{2}){8,}|(?:%[0-9A-Fa-f]{2}){8,}|(?:\\u[0-9A-Fa-f]{4}){8,}"
)
_ESCAPE = lazy_pattern(r"&#(?P<decimal>[0-9]{2,6});|(?:&#x|\\x|%|\\u)(?P<hexadecimal>[0-9A-Fa-f]{2,6})")
_ESCAPE_MARKS = ("&#", "\\x", "%", "\\u")
_MAX_REPEATED = 100
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
    """Yield a secret as it appears in a text, in JSON, in JSON nested in JSON strings, in a URL, and reversed."""
    form = secret
    for _ in range(5):
        yield form
        plain, form = form, dumps(form)[1:-1]
        if form == plain:
            break
    yield quote(secret, safe="")
    if len(secret) >= _MIN_ENCODED:
        yield secret[::-1]


def encoded_forms(secret: str) -> Iterator[str]:
    """Yield a secret in hexadecimal, and in base64 at all three alignments; nothing if it is short."""
    if len(secret) < _MIN_ENCODED:
        return
    data = secret.encode("utf-8", "surrogatepass")
    yield from (data.hex(), data.hex().upper())
    for before in range(3):
        code = b64encode(bytes(before) + data).decode()[-(-before * 4 // 3) : (before + len(data)) * 4 // 3]
        yield from (code, code.replace("+", "-").replace("/", "_"))


def has_codes(text: str) -> bool:
    """Return True if a text contains a run that can be an encoded text."""
    return _RUN.search(text) is not None


def encoded_in(text: str) -> Iterator[Encoded]:
    """Yield the runs of a text that decode to a text, from escapes, and from base64 or hexadecimal at any alignment."""
    for match in _ESCAPES.finditer(text) if any(mark in text for mark in _ESCAPE_MARKS) else ():
        codes = (int(code[1]) if code[1] else int(code[2], 16) for code in _ESCAPE.finditer(match[0]))
        if inner := "".join(chr(code) for code in codes if code < sys.maxunicode):
            yield Encoded(match.start(), match[0], (inner,))
    for match in _RUN.finditer(text):
        run = match[0]
        if texts := _short_run_texts(run) if len(run) <= _MAX_REPEATED else _run_texts(run):
            yield Encoded(match.start(), run, texts)


def _run_texts(run: str) -> tuple[str, ...]:
    return tuple([words.decode("ascii") for data in _decoded(run) for words in _WORDS.findall(data)])


_short_run_texts = lru_cache(50_000)(_run_texts)
"""The same for short runs such as ids, which often repeat."""


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
