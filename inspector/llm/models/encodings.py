"""OpenAI's two public encodings, built once from bundled and verified rank tables, without network access.

tiktoken downloads its tables, which Inspector must not do. The tables are therefore package data, and an `Encoding` is
built from them on first use. This takes 0.2 s for o200k_base and 30 to 50 MB of memory, so run it in a worker.
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
    """A rank table cannot be read, or its content is not the expected one."""


@dataclass(frozen=True, slots=True)
class _Recipe:
    """Definition of an encoding except for its ranks. There are no special tokens: all text is ordinary text."""

    pattern: str
    """Regular expression that splits text into words before they are tokenised."""
    sha256: str
    """SHA-256 of the decompressed rank table."""


_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

RECIPES: dict[EncodingName, _Recipe] = {
    "o200k_base": _Recipe(
        pattern="|".join(
            (
                # optional sign, upper-case letters, lower-case letters, contraction: " Hello", " can't"
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
"""Maximum number of tokens passed to `truncate`, larger than any text."""


def load_encoding(name: EncodingName) -> Encoding:
    """Return an encoding, building it on the first call. Thread-safe.

    Raises:
        TableError: The bundled rank table is missing or damaged.
    """
    if (encoding := _ENCODINGS.get(name)) is not None:
        return encoding
    with _LOCK:
        if name not in _ENCODINGS:
            _ENCODINGS[name] = build(name, read_table(name))
        return _ENCODINGS[name]


@cache
def load_count(name: EncodingName) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text, with special tokens as ordinary text.

    Uses toktok (the extra `fast`) if it is installed, with the same counts.

    Raises:
        TableError: The bundled rank table is missing or damaged.
    """
    try:
        from toktok import truncate
    except ImportError:
        return _count_of(load_encoding(name))

    def count(text: str) -> int:
        try:
            return int(truncate(text, _ANY_LENGTH, name)[1])
        except UnicodeEncodeError:  # lone surrogates are replaced by U+FFFD, as in tiktoken
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return int(truncate(whole, _ANY_LENGTH, name)[1])

    return count


def _count_of(encoding: Encoding) -> Callable[[str], int]:
    encode = encoding.encode_ordinary
    return lambda text: len(encode(text))


def read_table(name: EncodingName, folder: Path = RANKS) -> bytes:
    """Return the decompressed rank table of an encoding.

    Raises:
        TableError: The table cannot be read, or its checksum is wrong.
    """
    path = folder / f"{name}.tiktoken.gz"
    try:
        table = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"Cannot read the token table {path.name} ({error}). Reinstall Inspector.") from error
    digest = hashlib.sha256(table).hexdigest()
    if digest != RECIPES[name].sha256:
        raise TableError(
            f"The token table {path.name} is damaged (sha256 {digest[:12]}…, not {RECIPES[name].sha256[:12]}…). "
            "Reinstall Inspector."
        )
    return table


def build(name: EncodingName, table: bytes) -> Encoding:
    """Build an encoding from its rank table: lines of a base64 token and its rank, in ascending order from 0."""
    from tiktoken import Encoding

    decode = binascii.a2b_base64
    ranks = {decode(token): rank for rank, token in enumerate(table.split()[::2])}
    encoding = Encoding(name, pat_str=RECIPES[name].pattern, mergeable_ranks=ranks, special_tokens={})
    # tiktoken keeps a reference to this dictionary (26 MB) after copying it, but does not need it for encoding.
    ranks.clear()
    return encoding
