"""Read the sizes of the prompt's parts that the command `/context` of Claude Code printed into a transcript.

Two forms exist: text in colors, with rows such as `└ fetch (web): 874 tokens`, and Markdown with tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inspector.core.conversation import MAIN, Session
from inspector.core.text import one_line

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
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class StatedSize:
    """Tokens that a record states for a part of the prompt."""

    name: str
    tokens: int
    rows: list[StatedSize] = field(default_factory=list)
    """Parts of it, as far as the record lists them."""


def stated_sizes(session: Session, agent: str) -> list[StatedSize]:
    """Return the parts of the prompt in the last output of `/context`; empty without one.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if agent != MAIN:
        return []
    for message in reversed(session.messages):
        if message.kind == "notice" and message.preview.startswith(_PRINTED):
            text = _COLOR.sub("", message.text)
            if _TITLE in text:
                return list(_parts_in(text))
    return []


def _parts_in(text: str) -> Iterator[StatedSize]:
    parts: dict[str, StatedSize] = {}
    heading = ""
    for line in map(str.strip, text.splitlines()):
        if part := _PART.search(line):
            name = part[1].lower()
            parts.setdefault(name, StatedSize(name.replace("mcp", "MCP"), _tokens_in(part[2], part[3])))
        elif row := _ROW.match(line):
            if heading in parts:
                name = row[2] if heading == "memory files" and row[2] else row[1]
                parts[heading].rows.append(StatedSize(one_line(name), _tokens_in(row[3], row[4])))
        elif line[:1] not in ("", "|", "└"):
            title = line.lstrip("# ").lower()
            heading = next((name for name in _PARTS if title.startswith(name)), "")
    return (part for part in parts.values() if part.tokens)


def _tokens_in(number: str, unit: str | None) -> int:
    try:
        return round(float(number.replace(",", "")) * _UNITS[(unit or "").lower()])
    except ValueError:
        return 0
