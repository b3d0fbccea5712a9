"""Compiled patterns and their needs, kept between runs as Python keeps the bytecode of modules, and next to it.

Compiling the patterns that a short session needs takes longer than reading it, and so does reading the needs of those
that cannot match (`pattern_needs`). The file can be deleted at any time. It
is neither read nor written by other implementations of Python, and not written if no bytecode is. Patterns made of a
recording or of settings are compiled by `re`, so nothing of them is kept. A damaged file is made again.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
from array import array
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import orjson

from inspector.core.text.pattern_needs import Alternatives, needs_of

_MAX_KEPT = 4_096
"""Maximum number of kept patterns. Above it, only those are kept that the last program used."""
_WORTH_IT = 8
"""Number of new patterns or needs from which the file is written again."""
_MAX_BYTES = 64 << 20
_FORM, _PRIVATE = 4, 0o600
"""Version of the file's form, and its permissions."""
_WORD = "I"
"""Type of the numbers of a code in memory and in the file."""
_BREAK = b"\n"


class _Code(NamedTuple):
    """A compiled pattern as numbers and names."""

    flags: int
    groups: int
    numbers: dict[str, int]
    """Groups by name."""
    names: list[str | None]
    """Names by group."""
    content: bytes


class _Kept(NamedTuple):
    """Codes and needs by a digest of source and flags."""

    codes: dict[str, _Code]
    needs: dict[str, Alternatives | None]


class PatternCodes:
    """Codes and needs of patterns, in a file."""

    def __init__(self, path: Path | None) -> None:
        """Use a file.

        Args:
            path: The file, which need not exist; None to keep nothing.
        """
        self.path = path
        self._used = _Kept({}, {})
        self._new = 0

    @cached_property
    def _kept(self) -> _Kept:
        return self._read()

    def __contains__(self, pattern: tuple[str, int]) -> bool:
        """Return True if a pattern, given as source and flags, need not be compiled."""
        return self.path is not None and _digest_of_pattern(*pattern) in self._kept.codes

    def compiled(self, source: str, flags: int) -> re.Pattern[str]:
        """Return the pattern that `re.compile` returns. Raises `re.error` if it is invalid."""
        pattern = self._by_code(source, flags) if self.path else None
        return re.compile(source, flags) if pattern is None else pattern

    def needs(self, source: str, flags: int) -> Alternatives | None:
        """Return what `needs_of` returns for a pattern."""
        if self.path is None:
            return needs_of(source)
        key = _digest_of_pattern(source, flags)
        if key in self._kept.needs:
            needs = self._kept.needs[key]
        else:
            needs = needs_of(source)
            self._new += 1
        self._used.needs[key] = needs
        return needs

    def _by_code(self, source: str, flags: int) -> re.Pattern[str] | None:
        """Return a pattern by its code, which is made if it is not kept; None if that cannot be done."""
        key = _digest_of_pattern(source, flags)
        if (kept := self._kept.codes.get(key)) is not None:
            with suppress(Exception):  # damaged: it is compiled again
                pattern = _pattern_of(source, kept)
                self._used.codes[key] = kept
                return pattern
        code = _code_of(source, int(flags))
        if code is None:
            return None
        self._kept.codes[key] = self._used.codes[key] = code
        self._new += 1
        return _pattern_of(source, code)

    def save(self) -> None:
        """Write the file, together with what other programs have written meanwhile. Does nothing if it cannot."""
        if self.path is None or self._new < _WORTH_IT or sys.dont_write_bytecode:
            return
        kept, used = self._read(), self._used
        every = _Kept({**kept.codes, **used.codes}, {**kept.needs, **used.needs})
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            part.touch(_PRIVATE)
            part.write_bytes(_file_of(every if max(len(every.codes), len(every.needs)) <= _MAX_KEPT else used))
            part.replace(self.path)
        with suppress(OSError):
            part.unlink(missing_ok=True)

    def _read(self) -> _Kept:
        """Return the content of the file; empty if it cannot be read."""
        try:
            if self.path is None or self.path.stat().st_size > _MAX_BYTES:
                return _Kept({}, {})
            head, check, rest = self.path.read_bytes().split(_BREAK, 2)
            if head != _HEAD or int(check) != crc32(rest):
                return _Kept({}, {})
            rows, needs, content = rest.split(_BREAK, 2)
            codes = {
                key: _Code(flags, groups, numbers, names, content[start:end])
                for key, (flags, groups, numbers, names, start, end) in orjson.loads(rows).items()
            }
            return _Kept(codes, dict(orjson.loads(needs)))
        except (OSError, ValueError, TypeError, AttributeError):
            return _Kept({}, {})


def _file_of(kept: _Kept) -> bytes:
    """Return the content of a file: a header, a checksum, a row for each code and the needs, and the codes."""
    rows, end = dict[str, Any](), 0
    for key, code in kept.codes.items():
        rows[key] = [*code[:4], end, end := end + len(code.content)]
    codes = b"".join([code.content for code in kept.codes.values()])
    rest = _BREAK.join([orjson.dumps(rows), orjson.dumps(kept.needs), codes])
    return _BREAK.join([_HEAD, b"%d" % crc32(rest), rest])


def _digest_of_pattern(source: str, flags: int) -> str:
    return blake2b(f"{int(flags)} {source}".encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _code_of(source: str, flags: int) -> _Code | None:
    """Compile a pattern as `re` does; None if this version of `re` works in another way."""
    try:
        parse: Any = import_module("re._parser").parse
        encode: Any = import_module("re._compiler")._code
    except (ImportError, AttributeError):
        return None
    tree = parse(source, flags)
    try:
        state, content = tree.state, array(_WORD, encode(tree, flags)).tobytes()
        names: list[str | None] = [None] * state.groups
        for name, group in state.groupdict.items():
            names[group] = name
        return _Code(flags | state.flags, state.groups - 1, dict(state.groupdict), names, content)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _pattern_of(source: str, code: _Code) -> re.Pattern[str]:
    """Return the pattern of a code, which the interpreter validates."""
    words = array(_WORD)
    words.frombytes(code.content)
    make: Any = import_module("_sre").compile
    pattern: re.Pattern[str] = make(source, code.flags, words.tolist(), code.groups, code.numbers, tuple(code.names))
    return pattern


def _file_of_codes() -> Path | None:
    """Return the file next to the bytecode of this module; None if it has no bytecode file."""
    cached = __spec__.cached if sys.implementation.name == "cpython" and __spec__ else None
    return Path(cached).with_suffix(".patterns") if cached else None


_MAGIC = getattr(import_module("_sre"), "MAGIC", 0)
_HEAD = f"{_FORM} {sys.version} {_MAGIC} {sys.byteorder}".replace("\n", " ").encode()
"""Start of the file: all that a code depends on."""
CODES = PatternCodes(_file_of_codes())
"""The codes of the patterns of this program."""
atexit.register(CODES.save)
