"""The two public encodings of OpenAI, from the rank tables in the package: offline, checked, and built only once.

tiktoken fetches its tables from the network; Inspector must not. So the tables are package data, and an `Encoding` is
built from them when something is first counted. That takes 0.2 s for o200k_base and holds 30 to 50 MB, so it belongs
in a worker.
"""

from __future__ import annotations

import binascii
import gzip
import hashlib
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tiktoken import Encoding

EncodingName = Literal["o200k_base", "cl100k_base"]
RANKS = Path(__file__).parent / "ranks"


class TableError(Exception):
    """A rank table that cannot be read, or is not the one that the encoding is made of."""


@dataclass(frozen=True, slots=True)
class _Recipe:
    """What makes an encoding beside its ranks. Special tokens are left out: recorded text never holds any."""

    pattern: str
    """How text is cut into words, before any of them is tokenised."""
    sha256: str
    """Of the decompressed rank table."""


_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

RECIPES: dict[EncodingName, _Recipe] = {
    "o200k_base": _Recipe(
        pattern="|".join(
            (
                rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
                rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            )
        ),
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": _Recipe(
        pattern="|".join(
            (
                r"'(?i:[sdmt]|ll|ve|re)",
                r"[^\r\n\p{L}\p{N}]?+\p{L}++",
                r"\p{N}{1,3}+",
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
                r"\s++$",
                r"\s*[\r\n]",
                r"\s+(?!\S)",
                r"\s",
            )
        ),
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}

_ENCODINGS: dict[EncodingName, Encoding] = {}
_LOCK = threading.Lock()
_ANY_LENGTH = 1 << 40
"""Tokens, more than a text can have."""


def load_encoding(name: EncodingName) -> Encoding:
    """The encoding, built on the first call and kept. Any thread may call it.

    Raises TableError when the package's rank table is missing or is not what it should be.
    """
    if (encoding := _ENCODINGS.get(name)) is not None:
        return encoding
    with _LOCK:
        if name not in _ENCODINGS:
            _ENCODINGS[name] = build(name, read_table(name))
        return _ENCODINGS[name]


@cache
def load_count(name: EncodingName) -> Callable[[str], int]:
    """How many tokens of an encoding a text takes, special tokens being ordinary text.

    By the extra `fast` where it is installed, whose counts are the same. Raises TableError as `load_encoding`.
    """
    try:
        from toktok import truncate
    except ImportError:
        return _count_of(load_encoding(name))

    def count(text: str) -> int:
        try:
            return int(truncate(text, _ANY_LENGTH, name)[1])
        except UnicodeEncodeError:  # half of a pair: each is read as the sign for what is broken
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return int(truncate(whole, _ANY_LENGTH, name)[1])

    return count


def _count_of(encoding: Encoding) -> Callable[[str], int]:
    encode = encoding.encode_ordinary
    return lambda text: len(encode(text))


def read_table(name: EncodingName, folder: Path = RANKS) -> bytes:
    """The decompressed rank table of an encoding. Raises TableError."""
    path = folder / f"{name}.tiktoken.gz"
    try:
        table = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"The token table {path.name} cannot be read ({error}): install Inspector again.") from error
    digest = hashlib.sha256(table).hexdigest()
    if digest != RECIPES[name].sha256:
        raise TableError(
            f"The token table {path.name} is damaged (sha256 {digest[:12]}…, not {RECIPES[name].sha256[:12]}…): "
            "install Inspector again."
        )
    return table


def build(name: EncodingName, table: bytes) -> Encoding:
    """An encoding from its rank table: per line a token in base64 and its rank; the ranks count up from 0."""
    from tiktoken import Encoding

    decode = binascii.a2b_base64
    ranks = {decode(token): rank for rank, token in enumerate(table.split()[::2])}
    encoding = Encoding(name, pat_str=RECIPES[name].pattern, mergeable_ranks=ranks, special_tokens={})
    # tiktoken keeps this dictionary after copying it, and never looks into it to encode: 26 MB for nothing.
    ranks.clear()
    return encoding
