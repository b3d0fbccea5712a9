"""Texts of Inspector's hooks in a recording, which give facts back after a compaction, and the later uses of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.analysis.context_loss.restored import FIRST_LINE
from inspector.core.caches import MessageCache
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.text import exact_dumps

_MAX_CHARS = 40_000
"""Characters of a message above which it is no text of a hook, which agents limit to 10,000."""
_MAX_REPLIES = 200
"""Replies after a text in which its names are looked for."""
_CODE = re.compile(r"`([^`\n]{3,400})`")
_FILE = re.compile(r"(?<![\w./-])[\w./-]{2,200}\.[A-Za-z0-9]{1,8}(?![\w/])")
_FILE_LINE = re.compile(r"- turns? [\d ,to]{1,20}(?:, in [^:\n]{1,200})?: ")
_TEXTS: MessageCache[str] = MessageCache("restored texts", 4_096)
"""Text of a hook in each message; "" for none."""
_RECORDS: MessageCache[str] = MessageCache("records of replies", 1_024)


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A text that a hook gave back to an agent."""

    message: str
    """Id of the message that contains it."""
    lines: int
    chars: int
    names: tuple[str, ...]
    """Commands and files that it names."""
    used: tuple[str, ...]
    """Those that the next replies of the agent contain, up to 200."""


def given_back(session: Session, agent: str = MAIN) -> tuple[GivenBack, ...]:
    """Return the texts that hooks gave back to an agent, oldest first.

    Args:
        session: Recorded session.
        agent: Agent that got them.

    Raises:
        OSError: If the recording can no longer be read.
    """
    mine = [message for message in session.messages if message.agent == agent]
    texts = [(place, text) for place, message in enumerate(mine) if (text := _hook_text(message))]
    return tuple(_use_of_text(mine[place], text, mine[place + 1 :]) for place, text in texts)


def _hook_text(message: Message) -> str:
    if message.role == "assistant" or message.answers is not None or message.chars > _MAX_CHARS:
        return ""
    return _TEXTS.get(message, _restored_part)


def _restored_part(message: Message) -> str:
    whole = message.text
    start = whole.find(FIRST_LINE)
    return whole[start:] if start >= 0 else ""


def _use_of_text(message: Message, text: str, later: list[Message]) -> GivenBack:
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    names = tuple(dict.fromkeys(name for line in lines for name in _line_names(line)))
    replies = [_RECORDS.get(one, _record_of) for one in later if one.role == "assistant"][:_MAX_REPLIES]
    used = tuple(name for name in names if any(exact_dumps(name, ascii_only=False)[1:-1] in one for one in replies))
    return GivenBack(message.id, len(lines), len(text), names, used)


def _line_names(line: str) -> Iterator[str]:
    """Yield the commands of a line, or the files of a line about files."""
    commands = _CODE.findall(line)
    yield from commands
    if not commands and _FILE_LINE.match(line):
        yield from _FILE.findall(line)


def _record_of(message: Message) -> str:
    return exact_dumps(dict(message.raw), ascii_only=False)
