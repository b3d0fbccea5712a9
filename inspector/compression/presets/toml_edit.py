"""Changing one table of a TOML text and leaving all else as a person wrote it, comments and order included.

The text is cut at the headers of its tables. What comes out is read again and compared with what it has to say; where
the two differ (a table inside a line, a header inside a text), the whole file is written anew, without comments.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

_Table = Mapping[str, Any]

_HEADER = re.compile(r"""\s*\[\s*([\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')\s*(?:\.[^\]]*)?\]\s*(?:\#.*)?$""", re.ASCII)
_KEY = re.compile(r"""\s*([\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')\s*=""", re.ASCII)


def changed(text: str, name: str, table: _Table | None) -> str:
    """`text` with the table `name` as given, or without it where it is None. `text` is TOML."""
    import tomli_w

    tables = {key: value for key, value in tomllib.loads(text).items() if key != name or table is not None}
    if table is not None:
        tables[name] = dict(table)
    new = tomli_w.dumps({name: table}) if table is not None else ""
    candidate = _spliced(text, name, new)
    return candidate if _says(candidate, tables) else tomli_w.dumps(tables)


def _says(text: str, tables: _Table) -> bool:
    """Whether a text is TOML and means just this."""
    try:
        return tomllib.loads(text) == tables
    except tomllib.TOMLDecodeError:
        return False


def _spliced(text: str, name: str, new: str) -> str:
    """`text` with `new` where the table `name` and the tables inside it stood; at its end where there was none."""
    lines = text.split("\n")
    before: list[str] = []
    after: list[str] = []
    above: list[str] = []
    behind = False
    start = 0
    for end, owner in _sections(lines):
        if owner != name:
            (after if behind else before).extend(lines[start:end])
        elif not behind:
            behind = True
            above = list(takewhile(_is_comment, lines[start:end])) if new else []
        start = end
    pieces = ("\n".join(before), "\n".join([*above, new]), "\n".join(after))
    return "\n\n".join(piece.strip("\n") for piece in pieces if piece.strip("\n")) + "\n"


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _sections(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Where each table ends, and the name that it begins with; what stands before the first table has none.

    Comments right above a header belong to what follows.
    """
    owner = ""
    for index, line in enumerate(lines):
        if match := _HEADER.match(line):
            end = index
            while end and _is_comment(lines[end - 1]):
                end -= 1
            yield end, owner
            owner = _plain(match[1])
    yield len(lines), owner


def _plain(key: str) -> str:
    """The name that a key stands for, with or without quotes."""
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        return key


def line_of(text: str, name: str, key: str = "") -> int:
    """The 1-based line on which the table `name` says `key`, else that of its header; 0 where it has none."""
    header_line = 0
    owner = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            owner = _plain(header[1])
            header_line = header_line or (number if owner == name else 0)
        elif owner == name and key and (match := _KEY.match(line)) and _plain(match[1]) == key:
            return number
    return header_line
