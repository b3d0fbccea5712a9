"""Distinguish facts that a reply re-fetched from facts that it states without a recorded source.

A recording does not always contain the whole window: after a compaction, agent programs restore files, plans and task
states without writing a record. A reply that states a path, an id or a text that appears nowhere in the recorded window
proves that the model had it from an unrecorded source. The fact was certainly lost only if the reply reads the same
resource again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from inspector.analysis.tool_activity.action import Action, ActionKind
from inspector.analysis.tool_activity.action_index import actions_of_calls
from inspector.analysis.tool_activity.tool_calls import short_name
from inspector.core.caches import MessageCache, text_of
from inspector.core.conversation import Message, ToolCall
from inspector.core.text import one_line
from inspector.engine.facts import FactClass, Need

_ASKED: frozenset[FactClass] = frozenset(("path", "url", "symbol", "quote"))
"""Classes of facts that a tool call can look up. An agent that passes an id, a number or a date already knows it."""
_ASKING: frozenset[ActionKind] = frozenset(("read", "search", "fetch"))
_SEGMENT = re.compile(r"\|\|?|&&|[;\n]")
"""Separators between the commands of a shell line."""
_READER = re.compile(
    r"\s*(?:(?:sudo|time|command|env|\w+=\S*) )*"
    r"(?:cat|bat|head|tail|less|more|nl|grep|[ef]grep|rg|ag|wc|sed(?! -i)|awk|jq|diff|curl|wget"
    r"|gh(?! (?:pr|issue) (?:create|comment|edit|close|merge))"
    r"|git (?:-\S+ \S+ )*(?:show|diff|blame|grep))\b"
)
"""Start of a command that reads content, for example `sudo head`, `sed` without `-i`, or `git -C src show`."""

_UNCHANGED = "file unchanged since"
"""Part of the note that Claude Code returns in place of a file that it has read before."""
_LONGEST_FRAME = 400
"""Maximum number of characters around the content of an empty file."""
_NEAR = 8
"""Number of messages per call after a reply among which its results are expected."""
_SHORTEST_LINE = 8
"""Minimum number of characters of a line that is compared."""
_NUMBER = re.compile(r"\A(?:[^\s:]+:)?\s*\d+\s?[:\-→|\t]")
"""Path and line number before a line that a tool returned, for example `src/gate.py:12:` or `  12→`."""
_CONTENT: MessageCache[bool] = MessageCache("contents of results")
_SENDER = re.compile(
    r"\s*(?:gh api\b.*\s(?:-f|-F|--field|--raw-field|--input|(?:-X|--method)[ =]?(?:POST|PUT|PATCH|DELETE))\b"
    r"|curl\b.*\s(?:-d|--data[\w-]*|-F|--form|-T|--upload-file|(?:-X|--request)[ =]?(?:POST|PUT|PATCH|DELETE))\b)"
)
"""Start of a command that sends data with a tool that can also read, for example `gh api … -f` or `curl … --data`."""


class Lookups:
    """The lookups of a log, by what they look up. Its calls are read once, and the results for a name once.

    Methods raise OSError if the recording can no longer be read.
    """

    def __init__(self, log: Sequence[Message]) -> None:
        self._log = log
        self._reads: dict[str, list[_Lookup]] = {}
        """Calls that look up each sought fact, in order."""
        self._lines: dict[str, _KnownLines] = {}
        """Lines of results that contain each sought name."""

    @cached_property
    def _calls(self) -> list[_Lookup]:
        """All calls of the log."""
        rows = enumerate(self._log)
        return [_Lookup(place, *row) for place, message in rows for row in actions_of_calls(message)]

    @cached_property
    def _results(self) -> Mapping[str, list[int]]:
        """Positions of the results of each call, by its id."""
        places: dict[str, list[int]] = {}
        for place, message in enumerate(self._log):
            if message.answers is not None:
                places.setdefault(message.answers, []).append(place)
        return places

    def is_refetched(self, position: int, need: Need) -> bool:
        """Return True if a reply looks up a fact whose resource an earlier call had read.

        A path that was only mentioned before, for example in a list of files, is looked up for the first time. So is a
        name or a phrase if the search returns none of the lines that an earlier result contained.

        Args:
            position: Position of the reply in the log.
            need: The fact that the reply needed.
        """
        reply = self._log[position]
        if need.cls not in _ASKED or not reply.calls:
            return False
        asked = [row for row in actions_of_calls(reply) if _asks_for(*row, need.fact)]
        if not asked:
            return False
        if need.cls in ("symbol", "quote"):
            return self._is_found_again(position, need.fact, {call.id for _, call in asked})
        reads = [action for action, _ in asked if not _searches_folder(action, need.fact)]
        earlier = self._reads_before(position, need.fact) if reads else iter(())
        return any(_is_same(now, before) for before in earlier for now in reads)

    def _is_found_again(self, position: int, name: str, calls: Set[str]) -> bool:
        """Return True if calls of a reply return one of the lines with a name that an earlier result contained."""
        following = self._log[position + 1 : position + 1 + _NEAR * len(self._log[position].calls)]
        results = (message for message in following if message.answers in calls)
        lines = {line for message in results for line in _lines_with(name, message)}
        return bool(lines) and self._is_told(position, name, lines)

    def _is_told(self, position: int, fact: str, lines: Set[str]) -> bool:
        """Return True if a result before a position contains one of some lines with a fact."""
        results = self._lines.setdefault(fact, _KnownLines())
        if any(place < position and not lines.isdisjoint(known) for place, known in results.rows):
            return True
        for place in range(results.end, position):
            results.end = place + 1
            if known := frozenset(_lines_with(fact, self._log[place])):
                results.rows.append((place, known))
                if not lines.isdisjoint(known):
                    return True
        return False

    def _reads_before(self, position: int, fact: str) -> Iterator[Action]:
        """Yield the calls before a position that looked up a fact and returned content before it."""
        rows = self._reads.get(fact)
        if rows is None:
            rows = self._reads[fact] = [row for row in self._calls if _asks_for(row.action, row.call, fact)]
        for place, action, call in rows:
            if place >= position:
                return
            results = self._results.get(call.id, ())
            if any(at < position and is_content(self._log[at]) for at in results):
                yield action

    def refetched(self, position: int, needs: Sequence[Need], files: Sequence[Need] = ()) -> tuple[Need, ...]:
        """Return the needs that a reply re-fetched: the files that it read again, then other facts it looked up.

        Args:
            position: Position of the reply in the log.
            needs: Facts that the reply needed.
            files: Files and pages that it read again, as `reread_files` returns them.
        """
        ends = {fact_end(need.fact) for need in files}
        asked = (need for need in needs if self.is_refetched(position, need))
        return (*files, *(need for need in asked if fact_end(need.fact) not in ends))


class _Lookup(NamedTuple):
    """A call at a position of the log."""

    place: int
    action: Action
    call: ToolCall


@dataclass(slots=True)
class _KnownLines:
    """The lines with a name in the results before a position."""

    rows: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    """Position of each result with its lines."""
    end: int = 0


def _searches_folder(action: Action, fact: str) -> bool:
    """Return True for a search below a folder, which returns other lines than an earlier search for other words."""
    return action.kind == "search" and "." not in fact.rstrip("/").rpartition("/")[2]


def _lines_with(fact: str, message: Message) -> Iterator[str]:
    """Yield the lines of a result that contain a fact, without their line numbers."""
    if is_content(message) and fact in (text := text_of(message)):
        yield from (_NUMBER.sub("", line).strip() for line in text.splitlines() if fact in line)


def plain_lines(message: Message) -> set[str]:
    """Return the lines of a result without their line numbers, and without short ones such as brackets."""
    lines = (_NUMBER.sub("", line).strip() for line in text_of(message).splitlines())
    return {line for line in lines if len(line) >= _SHORTEST_LINE}


def is_content(message: Message) -> bool:
    """Return True if a message is the result of a call that did not fail, not of reading an empty or unchanged file."""
    if message.answers is None or message.is_error or message.placeholder is not None:
        return False
    return _CONTENT.get(message, _has_content)


def _has_content(message: Message) -> bool:
    return message.chars > _LONGEST_FRAME or not (_is_frame(message.text) or _UNCHANGED in message.text.casefold())


def _is_frame(text: str) -> bool:
    """Return True if a text is only the tags and notes around the content of a file: "<content>", "(End of file)"."""
    lines = [line.strip() for line in text.splitlines()]
    return all(line[:1] + line[-1:] in {"", "<>", "()"} for line in lines) and any(lines)


def _is_same(now: Action, before: Action) -> bool:
    """Return True if two calls for one fact read the same lines of a resource: of one path, or of one below a root."""
    if not now.overlaps(before):
        return False
    if not (now.resource and before.resource):
        return now.kind == before.kind or not (now.resource or before.resource)
    first, second = sorted((now.resource.rstrip("/"), before.resource.rstrip("/")), key=len)
    return second == first or second.endswith("/" + first.lstrip("./"))


def _has_whole(text: str, fact: str) -> bool:
    """Return True if a text contains a fact that is no part of a longer word."""
    start = text.find(fact)
    while start >= 0:
        before, after = text[max(start - 1, 0) : start], text[start + len(fact) : start + len(fact) + 1]
        if not (before.isalnum() or before in {"_", ".", "-"} or after.isalnum() or after in {"_", "-"}):
            return True
        start = text.find(fact, start + 1)
    return False


def _asks_for(action: Action, call: ToolCall, fact: str) -> bool:
    if not _has_whole(call.arguments, fact):
        return False
    return action.kind in _ASKING or (action.kind == "run" and _looks_at(call.arguments, fact))


def _looks_at(arguments: str, fact: str) -> bool:
    """Return True if a command line that contains a fact reads it.

    `arguments` is JSON, in which line breaks are escaped.
    """
    line = arguments.replace("\\n", "\n").replace('":"', '":\n').replace('": "', '":\n').replace('","', "\n")
    segments = (segment for segment in _SEGMENT.split(line) if fact in segment)
    return any(_READER.match(segment) and not _SENDER.match(segment) for segment in segments)


def fact_end(fact: str) -> str:
    """Return the name of a file, the last two steps of a URL or folder, or the fact itself."""
    line = one_line(fact)
    if "/" not in line or " " in line:
        return line
    name = short_name(line)
    steps = [step for step in line.split("/") if step]
    return name if "." in name or "/" in name else "/".join(steps[-2:])
