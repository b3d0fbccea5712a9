"""The items of a Markdown text: points of lists, paragraphs, rows of tables and blocks of code, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

_FENCE = re.compile(r"^\s{0,12}(?:[-*+]\s+)?(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)")
_POINT = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)$")
_RULE = re.compile(r"^\s{0,3}(?:[-*_]\s*){3,}$")
_SKIPPED = re.compile(r"^\s{0,3}<!--")
_KEY = re.compile(r"^([\w.-]{1,60})\s*:\s*(.*)$")
_MAX_FRONT = 200
"""Maximum number of lines of a frontmatter."""

BlockKind = Literal["point", "paragraph", "code", "row", "heading"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a Markdown text."""

    kind: BlockKind
    text: str
    line: int
    """First line, from 1."""
    end: int
    """Last line."""
    heading: str = ""
    """Headings above it, joined by " > "."""
    depth: int = 0
    """Indentation of a point in columns."""


def frontmatter(lines: Sequence[str]) -> tuple[Mapping[str, tuple[str, ...]], int]:
    """Return the fields at the start of a Markdown file, each as a list of texts, and the number of their lines."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    end = next((number for number, line in enumerate(lines[1:_MAX_FRONT], 1) if line.strip() in ("---", "...")), 0)
    fields: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in lines[1:end]:
        if match := _KEY.match(line):
            name = match[1]
            fields[name] = tuple(_field_values(match[2]))
        elif name and line.strip().startswith("- "):
            fields[name] = (*fields[name], _unquoted(line.strip()[2:]))
        elif name and (match := _KEY.match(line.strip())):
            fields.setdefault(match[1], tuple(_field_values(match[2])))
    return fields, end + 1 if end else 0


def _field_values(text: str) -> Iterator[str]:
    text = text.strip()
    parts = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    yield from (value for part in parts if (value := _unquoted(part)) and value not in (">", "|", ">-", "|-"))


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def blocks_of(text: str) -> list[Block]:
    """Return the pieces of a Markdown text in order. Comments are left out, and frontmatter too."""
    return list(_cached_blocks(text))


@lru_cache(maxsize=64)
def _cached_blocks(text: str) -> tuple[Block, ...]:
    lines = text.split("\n")
    return tuple(_Splitter(lines, frontmatter(lines)[1]).blocks())


_SENTENCE_END = re.compile(r"[.!]$")
"""End of a line that is a rule by itself, in a file without lists."""


class _Splitter:
    """Walks over the lines of a text once."""

    def __init__(self, lines: Sequence[str], start: int) -> None:
        self._lines = lines
        self._start = start
        self._headings: dict[int, str] = {}
        self._open: list[str] = []
        """Lines of the piece that is being read."""
        self._first = 0
        self._kind: BlockKind = "paragraph"
        self._depth = 0

    def blocks(self) -> Iterator[Block]:
        fence, is_comment = "", False
        for number, line in enumerate(self._lines[self._start :], self._start + 1):
            if fence:
                self._open.append(line)
                if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                    fence = ""
                    yield from self._close(number)
            elif is_comment or _SKIPPED.match(line):
                yield from self._close(number - 1)
                is_comment = "-->" not in line
            elif match := _FENCE.match(line):
                yield from self._close(number - 1)
                fence = match[1]
                self._begin("code", line, number)
            else:
                yield from self._prose(number, line)
        yield from self._close(len(self._lines))

    def _prose(self, number: int, line: str) -> Iterator[Block]:
        if match := _HEADING.match(line):
            yield from self._close(number - 1)
            level, name = len(match[1]), match[2].rstrip().rstrip("#").rstrip()
            yield Block("heading", name, number, number, self._place())
            self._headings = {depth: other for depth, other in self._headings.items() if depth < level}
            self._headings[level] = name
        elif not line.strip() or _RULE.match(line):
            yield from self._close(number - 1)
        elif match := _POINT.match(line):
            yield from self._close(number - 1)
            self._begin("point", match[2], number, len(match[1].expandtabs(4)))
        elif line.lstrip().startswith("|"):
            yield from self._close(number - 1)
            self._begin("row", line.strip(), number)
            yield from self._close(number)
        elif self._open:
            self._open.append(line.strip())
        else:
            self._begin("paragraph", line.strip(), number)

    def _begin(self, kind: BlockKind, text: str, number: int, depth: int = 0) -> None:
        self._kind, self._open, self._first, self._depth = kind, [text], number, depth

    def _close(self, last: int) -> Iterator[Block]:
        if self._open:
            text = "\n".join(self._open)
            is_rule = self._kind == "row" and not text.strip("|-: \t")
            if self._kind == "paragraph" and len(self._open) > 1 and all(map(_SENTENCE_END.search, self._open)):
                for number, line in enumerate(self._open, self._first):
                    yield Block(self._kind, line, number, number, self._place(), self._depth)
            elif not is_rule:
                yield Block(self._kind, text, self._first, last, self._place(), self._depth)
        self._open = []

    def _place(self) -> str:
        return " > ".join(self._headings[level] for level in sorted(self._headings))
