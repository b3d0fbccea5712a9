"""Request logs of aider, which it writes on demand.

https://aider.chat/docs/config/options.html (`--llm-history-file`): `TO LLM` with a time, all messages that were sent,
each under a line of seven dashes and with its role before every line, and `LLM RESPONSE` with a time and the reply
(`log_llm_history` in aider's io.py). Every request holds all that was sent; nothing says which run of aider it is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import ClassVar, NamedTuple

from inspector.core.conversation import MAIN, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import digest
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.readers.aider import problem_of_cut
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import Progress

_HEAD = re.compile(r"(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_LINE = re.compile(r"(SYSTEM|DEVELOPER|USER|ASSISTANT|TOOL|FUNCTION) ?")
_NEXT = "-------"
"""Line before each message."""
_ROLES = {"SYSTEM": "system", "DEVELOPER": "system", "ASSISTANT": "assistant"}
"""Tool results in the log name no call, so they are read as user messages."""


class AiderRequests(Format):
    """Requests and replies of aider, with a context for each reply."""

    name = "aider-requests"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "times"})
    page = "https://aider.chat/docs/config/options.html"
    place = "the file of --llm-history-file"

    def recognize(self, sample: Sample) -> FormatMatch:
        lines = sample.head.split("\n")
        known = any(_HEAD.fullmatch(line.strip()) and _is_first(after.rstrip("\r")) for line, after in pairwise(lines))
        return FormatMatch(0.95, "lines such as TO LLM with a time, and messages below") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        log = _AiderRequestLog()
        first = ""
        for sending in _sendings(content, progress):
            first = first or sending.time
            log.feed(sending)
        if problem := problem_of_cut(content):
            content.problems.add(problem.text, problem.line)
        return [log.session(content, self.name, f"aider-requests-{digest(first)}", records_system=True)]


def _is_first(line: str) -> bool:
    return line == _NEXT or not line or bool(_LINE.match(line))


class _Sending(NamedTuple):
    """A request or a reply, with the role and the text of each message."""

    is_reply: bool
    time: str
    rows: list[tuple[str, str]]


def _sendings(content: Content, progress: Progress | None) -> Iterator[_Sending]:
    """Yield requests and replies, in order."""
    head: re.Match[str] | None = None
    lines = list[str]()
    has_strays = False
    for _, line in content.text_lines(progress):
        if match := _HEAD.fullmatch(line.rstrip()):
            if head:
                yield _sending(head, lines)
            head, lines = match, []
        elif head:
            lines.append(line)
        else:
            has_strays |= bool(line.strip())
    if has_strays:
        content.problems.add("lines before the first request were left out", 1)
    if head:
        yield _sending(head, lines)


def _sending(head: re.Match[str], lines: Iterable[str]) -> _Sending:
    messages: list[list[str]] = [[]]
    for line in lines:
        if line == _NEXT:
            messages.append([])
        else:
            messages[-1].append(line)
    return _Sending(
        head[1] == "LLM RESPONSE", head[2], [row for message in messages if (row := _row_of_lines(message))]
    )


def _row_of_lines(lines: list[str]) -> tuple[str, str] | None:
    """Return the role and the text of a message; None for lines without a role, which continue the one before."""
    named = next((match for line in lines if (match := _LINE.match(line))), None)
    if not named:
        return None
    mark = named[1]
    texts = [line.removeprefix(mark).removeprefix(" ") if line.startswith(mark) else line for line in lines]
    return _ROLES.get(mark, "user"), "\n".join(texts).strip("\n")


class _AiderRequestLog(LogBuilder):
    """A log in which each request continues from the last message that it shares with the previous one."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = set[str]()
        """Start of the last user message in each request."""

    def feed(self, sending: _Sending) -> None:
        """Add a request or a reply."""
        if sending.is_reply:
            for text in (text for _, text in sending.rows if text):
                self.say("assistant", text, "chat", sending.time)
            return
        asked = [text for role, text in sending.rows if role == "user"]
        self.asked.update(map(_beginning, asked[-1:]))
        path = self.path()
        pairs = zip(path, sending.rows, strict=False)
        same = next((at for at, (place, row) in enumerate(pairs) if self.row_at(place) != row), None)
        same = min(len(path), len(sending.rows)) if same is None else same
        self.begin_anew(after=path[same - 1] if same else -1)
        for role, text in sending.rows[same:]:
            is_own = role == "system" or (role == "user" and _beginning(text) in self.asked)
            self.say(role, text, "chat" if is_own else "injected", sending.time)

    def say(self, role: str, text: str, kind: str, time: str) -> None:
        self.add(f"m{len(self.messages) + 1}", {"role": role, "content": text}, {}, kind=kind, time=time)

    def row_at(self, place: int) -> tuple[str, str]:
        raw = self.messages[place].raw
        return raw["role"], raw["content"]

    def path(self) -> list[int]:
        """Return the positions of the messages in the current context."""
        path, place = list[int](), self.ends.get(MAIN, -1)
        while place >= 0:
            path.append(place)
            place = self.messages[place].parent
        return path[::-1]


def _beginning(text: str) -> str:
    """Return the first paragraph. The next request omits a reminder that followed the user's text."""
    return text.partition("\n\n")[0]
