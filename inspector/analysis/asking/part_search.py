"""Divide long messages into paragraphs, and find those that a reply depends on, as messages are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inspector.analysis.asking.culprits import minimal_set, search_depth
from inspector.analysis.asking.step_agreement import StepReply
from inspector.core.conversation import Message, Text, ToolCall, ToolResult
from inspector.engine.facts import content_words

_FEW_WORDS = 2
"""Words in common with the reply from which a part is tried first."""
_LONG = 300
"""Least characters of a text that is divided."""
_LONG_BLOCK = 600
"""Characters from which a paragraph is divided into its lines."""
_MAX_PARTS = 256
"""Maximum parts of a text. Neighbours are joined to keep it."""
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FENCE = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class BlamedPart:
    """A part of a message that a reply depends on."""

    place: int
    """Position of the message in the window."""
    part: TextPart
    is_necessary: bool
    """True if the reply is another one without the parts that were found in this message."""


@dataclass(frozen=True, slots=True)
class DividedMessage:
    """A message of a window that consists of several parts."""

    place: int
    parts: Sequence[TextPart]

    @property
    def most_tests(self) -> int:
        """Number of tests that the search for a single part takes at most."""
        return search_depth(len(self.parts)) + 3

    def text(self, places: frozenset[int]) -> str:
        """Return the text of some of the parts."""
        return _text_of_parts(self.parts[place] for place in sorted(places))


def divided(place: int, message: Message) -> DividedMessage | None:
    """Return a message as its parts; None if it has no text that can be divided.

    Args:
        place: Position in the window.
        message: The message.
    """
    text = editable_text(message)
    parts = _parts_of_text(text) if text else []
    return DividedMessage(place, parts) if parts else None


def find_parts(
    message: DividedMessage, target: StepReply, is_same: Callable[[str], bool], breaks: Callable[[str], bool] | None
) -> list[BlamedPart]:
    """Return the smallest set of parts of a message that is enough for a reply.

    Args:
        message: The message.
        target: The reply, whose words order the search.
        is_same: Returns True if the reply is the same with this text of the message.
        breaks: Returns True if the reply is another one if the whole context has this text instead; None if it is
            known that it is not.
    """
    reply = content_words("\n".join([target.text, *(call.arguments for call in target.calls)]))
    shared = {place: float(len(reply & content_words(part.text))) for place, part in enumerate(message.parts)}
    weights = {place: count for place, count in shared.items() if count >= _FEW_WORDS}
    order = sorted(shared, key=lambda place: (-shared[place], place))
    chosen = minimal_set([(place,) for place in order], weights, lambda kept: is_same(message.text(kept)))
    rest = frozenset(range(len(message.parts))) - chosen
    is_necessary = breaks is not None and breaks(message.text(rest))
    return [BlamedPart(message.place, message.parts[place], is_necessary) for place in sorted(chosen)]


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


def _parts_of_text(text: str) -> list[TextPart]:
    """Return the parts of a text; none if it is short or consists of a single part."""
    if len(text) < _LONG:
        return []
    scan = _Scan()
    for number, line in enumerate(text.split("\n"), 1):
        scan.add(number, line)
    scan.end_section()
    parts = list(_merge_parts(scan.parts))
    return parts if len(parts) > 1 else []


def _text_of_parts(parts: Iterable[TextPart]) -> str:
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
        text = _text_of_parts(few)
        body = few[0].text if len(few) == 1 else text.removeprefix(head).strip("\n")
        yield TextPart(head, body, few[0].first, few[-1].last)
