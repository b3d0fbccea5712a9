"""Divide the text of a long message into its paragraphs, and join some of them again.

A heading is not a separate part: it is repeated before the first kept part of its section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inspector.core.conversation import Message, Text, ToolCall, ToolResult

_LONG = 300
"""Least characters of a text that is divided."""
_LONG_BLOCK = 600
"""Characters from which a paragraph is divided into its lines."""
_MAX_PARTS = 256
"""Maximum parts of a text. Neighbours are joined to keep it."""
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FENCE = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A paragraph, a code block or a line of a message."""

    section: str
    """Line of the heading above it; empty for none."""
    text: str
    """Its text; empty for a heading without a text below it."""
    first: int
    """Number of its first line, from 1."""
    last: int
    """Number of its last line."""


def editable_text(message: Message) -> str | None:
    """Return the text of a message that can be replaced; None if it has images, thinking or other content, too."""
    texts = list[str]()
    for part in message.parts:
        if isinstance(part, Text) or (isinstance(part, ToolResult) and all(isinstance(x, Text) for x in part.parts)):
            texts.append(part.text)
        elif not isinstance(part, ToolCall):
            return None
    return "\n\n".join(text for text in texts if text)


def parts_of_text(text: str) -> list[TextPart]:
    """Return the parts of a text; none if it is short or consists of a single part."""
    if len(text) < _LONG:
        return []
    scan = _Scan()
    for number, line in enumerate(text.split("\n"), 1):
        scan.add(number, line)
    scan.end_section()
    parts = list(_merge_parts(scan.parts))
    return parts if len(parts) > 1 else []


def text_of_parts(parts: Iterable[TextPart]) -> str:
    """Return the text of some parts, with the headings of their sections, in their order."""
    text, section, last = "", "", 0
    for part in parts:
        if part.section and part.section != section:
            text += f"\n\n{part.section}"
        section = part.section
        if part.text:
            text += ("\n" if part.first == last + 1 else "\n\n") + part.text
        last = part.last
    return text.strip("\n")


@dataclass
class _Scan:
    """The lines of a text that were read, as parts."""

    parts: list[TextPart] = field(default_factory=list)
    _section: str = ""
    _heading: int = 0
    """Number of the line of a heading that no text has followed; 0 for none."""
    _block: list[tuple[int, str]] = field(default_factory=list)
    _fence: str = ""
    """Sign that ends the open code block; empty for none."""

    def add(self, number: int, line: str) -> None:
        """Read a line."""
        head = line.lstrip()[:3]
        if self._fence:
            self._block.append((number, line))
            self._fence = "" if head == self._fence else self._fence
        elif _HEADING.match(line):
            self.end_section()
            self._section, self._heading = line.rstrip(), number
        elif line.strip():
            self._block.append((number, line))
            self._fence = head if head in _FENCE else ""
        else:
            self._end_block()

    def end_section(self) -> None:
        """End the section. A heading without text becomes a part."""
        self._end_block()
        if self._heading:
            self.parts.append(TextPart(self._section, "", self._heading, self._heading))
        self._heading = 0

    def _end_block(self) -> None:
        if self._block:
            self._heading = 0
            self.parts += (
                TextPart(self._section, "\n".join(line for _, line in lines), lines[0][0], lines[-1][0])
                for lines in _lines_or_block(self._block)
            )
        self._block, self._fence = [], ""


def _lines_or_block(block: Sequence[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """Return a block, or its lines if it is long. An indented line belongs to the one above."""
    if sum(len(line) for _, line in block) < _LONG_BLOCK:
        return [list(block)]
    pieces = list[list[tuple[int, str]]]()
    for number, line in block:
        if pieces and line[:1].isspace():
            pieces[-1].append((number, line))
        else:
            pieces.append([(number, line)])
    return pieces


def _merge_parts(parts: Sequence[TextPart]) -> Iterator[TextPart]:
    """Yield at most the maximum number of parts, of which each can be several neighbours."""
    size = -(-len(parts) // _MAX_PARTS) or 1
    for start in range(0, len(parts), size):
        few = parts[start : start + size]
        head = few[0].section
        text = text_of_parts(few)
        body = few[0].text if len(few) == 1 else text.removeprefix(head).strip("\n")
        yield TextPart(head, body, few[0].first, few[-1].last)
