"""Read the sizes of the prompt's parts that a recording states.

Copilot CLI records two sums. The command `/context` of Claude Code prints rows into the transcript in two forms: text
in colors, with rows such as `└ fetch (web): 874 tokens`, which a narrow terminal wraps, and Markdown with tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inspector.core.conversation import MAIN, Message, Session
from inspector.core.text import one_line
from inspector.engine.window import Window

_PRINTED = "<local-command-stdout>"
_TITLE = "Context Usage"
_PARTS = ("system prompt", "system tools", "mcp tools", "custom agents", "memory files", "skills")
"""Parts of a request besides its messages."""
_COLOR = re.compile(r"\x1b\[[0-9;]{0,40}m")
_PART = re.compile(rf"({'|'.join(_PARTS)})(?:: | \| )([0-9][0-9.,]{{0,12}})(k|m)?\b", re.IGNORECASE)
"""`System tools: 11.6k tokens (1.2%)`, `| System tools | 11.6k | 1.2% |`."""
_ROW = re.compile(
    r"^[└|] ([^|:(]{1,200}?) ?(?:[|(] ?([^|)]{1,300}?) ?[|)])?:? ([0-9][0-9.,]{0,12})(k|m)?(?: tokens| \|)$"
)
"""`└ fetch (web): 874 tokens`, `| fetch | web | 874 |`."""
_ROW_STARTS = ("", "|", "└")
_MAX_LINES = 4
"""Lines of a wrapped row."""
_TOLERANCE = 0.1
"""Largest share by which the unrecorded tokens of two windows with the same prompt differ."""
_LEFT = re.compile(r"^└ ([^(]{1,200}\([^)]{1,300}?)([0-9][0-9.,]{0,12}[km]?)(?: tokens)?$")
_RIGHT = re.compile(r"^([^)]{1,300}\):)(?: {1,200}tokens)?$")
"""`└ User (/home/ada/long1.7k tokens` and `name/CLAUDE.md):`, a row whose two columns were wrapped."""
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class StatedSize:
    """Tokens that a record states for a part of the prompt."""

    name: str
    tokens: int
    rows: list[StatedSize] = field(default_factory=list)
    """Parts of it, as far as the record lists them."""


def stated_sizes(window: Window, session: Session) -> list[StatedSize]:
    """Return the stated parts of a window's unrecorded prompt; empty if none are recorded for it.

    The last output of `/context` before the end of the window applies. The first later one applies only if as many
    tokens of its own window are unrecorded, since tools and files may have changed in between.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if window.agent != MAIN:
        return []
    if session.stated_parts:
        return [StatedSize(name, tokens) for name, tokens in session.stated_parts if tokens]
    end = session.context_end(window.turn, window.agent) if window.turn else session.last_position()
    earlier = range(min(end, len(session.messages) - 1), -1, -1)
    if text := next(filter(None, (_printed(session.messages[place]) for place in earlier)), ""):
        return list(_parts_in(text))
    for place in range(end + 1, len(session.messages)):
        if text := _printed(session.messages[place]):
            own, prompt = (
                min(size, window.sizes.prompt) for size in (window.sizes.unrecorded_at(place), window.unrecorded)
            )
            return list(_parts_in(text)) if abs(own - prompt) <= _TOLERANCE * own else []
    return []


def _printed(message: Message) -> str:
    """Return the output of `/context` in a message, without colors; empty if it is another message."""
    if message.kind != "notice" or not message.preview.startswith(_PRINTED):
        return ""
    text = _COLOR.sub("", message.text)
    return text if _TITLE in text else ""


def _parts_in(text: str) -> Iterator[StatedSize]:
    parts: dict[str, StatedSize] = {}
    heading = ""
    for line in _unwrapped(text):
        if part := _PART.search(line):
            name = part[1].lower()
            parts.setdefault(name, StatedSize(name.replace("mcp", "MCP"), _tokens_in(part[2], part[3])))
        elif row := _ROW.match(line):
            if heading in parts:
                name = row[2] if heading == "memory files" and row[2] else row[1]
                parts[heading].rows.append(StatedSize(one_line(name), _tokens_in(row[3], row[4])))
        elif line[:1] not in _ROW_STARTS:
            title = line.lstrip("# ").lower()
            heading = next((name for name in _PARTS if title.startswith(name)), "")
    return (part for part in parts.values() if part.tokens)


def _unwrapped(text: str) -> Iterator[str]:
    """Yield the lines of an output, with the lines of each wrapped row joined."""
    lines = [line.strip() for line in text.splitlines()]
    place = 0
    while place < len(lines):
        row, length = _joined_row(lines[place : place + _MAX_LINES])
        yield row
        place += length


def _joined_row(lines: Sequence[str]) -> tuple[str, int]:
    """Return the row that some lines begin with, and its number of lines: 1 if it was not wrapped."""
    first, *others = lines
    if not first.startswith("└") or _ROW.match(first):
        return first, 1
    if others and (left := _LEFT.match(first)) and (right := _RIGHT.match(others[0])):
        return f"└ {left[1]}{right[1]} {left[2]} tokens", 2
    joined = first
    for length, line in enumerate(others, 2):
        if line[:1] in _ROW_STARTS:
            break
        joined += _seam(joined) + line
        if _ROW.match(joined):
            return joined, length
    return first, 1


def _seam(line: str) -> str:
    """Return the text between two lines: a name that is longer than a line is broken without a space."""
    is_in_name = line.count("(") > line.count(")") or " " not in line.removeprefix("└ ")
    return "" if is_in_name else " "


def _tokens_in(number: str, unit: str | None) -> int:
    try:
        return round(float(number.replace(",", "")) * _UNITS[(unit or "").lower()])
    except ValueError:
        return 0
