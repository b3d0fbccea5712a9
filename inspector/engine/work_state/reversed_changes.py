"""Statements of a summary that report an edit the wrong way round: "now A instead of B" although B replaced A."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import content_words, units_of
from inspector.engine.work_state.effect_values import FileChange
from inspector.engine.work_state.message_steps import steps_of

_THEN_OLD = lazy_pattern(
    r"(?i)(?: instead of| rather than| in place of|,? (?:and )?not|[(,;] ?(?:it )?(?:was|were|previously|formerly"
    r"|originally|before|old)(?: value)?:?) "
)
"""Words between a new value and the old one: "6 instead of 3", "6 (was 3)"."""
_THEN_NEW = lazy_pattern(
    r"(?i) (?:→|->|=>|⇒|became|becomes|(?:is|was|were|are|has been|have been|got) (?:\w{2,12}ly )?(?:changed|renamed"
    r"|corrected|updated|set|raised|lowered|increased|reduced|switched|moved|turned) (?:in)?to"
    r"|(?:is|was|were|are|has been) (?:\w{2,12}ly )?replaced (?:by|with)|is now|are now|now(?: is| reads)?) "
)
"""Words between an old value and the new one: "3 became 6", "3 → 6"."""
_TO = lazy_pattern(r"(?i) (?:to|into|by|with) ")
_CHANGING = lazy_pattern(
    r"(?i)\b(?:from|(?:chang|renam|correct|updat|switch|rais|lower|increas|reduc|replac|mov|turn|migrat)(?:e|es|ed|ing"
    r"|s)?)\b[^.;]{0,30}$"
)
"""What precedes an old value before "to": "changed the width from 3", "replaced 3"."""
_NOW = lazy_pattern(r"(?i)\bnow (?:(?:is|reads|says|uses|has|set to|equal to|at|returns) )?")
_THEN_NOW = lazy_pattern(r"(?i) now(?=[.,;:)]|$)")
_MARKS = str.maketrans("", "", "`\"'*“”")
_EDGES = ",;:()[]{}"
_ENDS = f"{_EDGES}."
_DIGIT = lazy_pattern(r"\d")
_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])|[_./-]")
"""Border between the words of a name: "maxRows", "MAX_ROWS"."""
_MAX_LINE, _MAX_LINES = 300, 40
"""Characters of a changed line, and changed lines of an edit, that are compared."""
_ALIKE = 3
"""Part of the characters of a line, as its inverse, that the line which replaces it has at the same ends."""
_MAX_REPORTED, _MAX_COMPARED = 200, 2_000
"""Changes that a summary reports, and changed lines, the newest ones, that are compared."""
_MAX_CUE = 60
"""Characters of the words between two values."""
_MAX_WORDS = 6
"""Words of a value that a statement names."""
_TELLING = 4
"""Characters of a value that, next to the other one, belongs to a line whatever else the statement says."""


class _ChangedLine(NamedTuple):
    """A line before and after an edit, without quotes."""

    old: str
    new: str

    def side_of(self, value: str) -> bool | None:
        """Return True if only the new line has a value, False if only the old one has it, and None otherwise."""
        is_new = _has(self.new, value)
        return None if is_new == _has(self.old, value) else is_new


class _ReportedChange(NamedTuple):
    """A change as a summary reports it."""

    statement: str
    old: Sequence[str]
    """Values that may be the old one, the longest first; empty if none is stated."""
    new: Sequence[str]


_LINES = MessageCache[tuple[_ChangedLine, ...]]("changed lines", limit=8_192)


def reversed_changes(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the statements of a summary that report a change of a line the wrong way round, or state its old value.

    Args:
        messages: Messages with the edits.
        summary: Text of the summary.

    Raises:
        OSError: If the recording can no longer be read.
    """
    statements = list(islice(_reported_in(summary), _MAX_REPORTED))
    if not statements:
        return
    edits = (message for message in messages if message.calls)
    lines = list(dict.fromkeys(line for message in edits for line in _LINES.get(message, _changed_lines)))
    for one in statements:
        agreeing = {agrees for line in lines[-_MAX_COMPARED:] if (agrees := _agrees(one, line)) is not None}
        if agreeing == {False}:
            yield one_line(one.statement)


def follows_new_value(text: str, place: int) -> bool:
    """Return True if the words before a place say that an old value follows a new one: "6 instead of 3"."""
    before = text[max(0, place - _MAX_CUE) : place]
    return any(match.end() == len(before) for match in _THEN_OLD.finditer(before))


def _changed_lines(message: Message) -> tuple[_ChangedLine, ...]:
    changes = (change for call in steps_of(message).calls for change in call.files if change.removed)
    return tuple(line for change in changes for line in _pairs_in(change))


def _pairs_in(change: FileChange) -> Iterator[_ChangedLine]:
    """Yield the lines that a change replaces, each with the new line that is most like it."""
    removed, added = (
        [line for raw in text.split("\n")[:_MAX_LINES] if (line := _unquoted_line(raw)) and len(line) <= _MAX_LINE]
        for text in (change.removed, change.inserted)
    )
    for old in removed:
        new = max(added, key=lambda line: _alike(old, line), default="")
        if _ALIKE * _alike(old, new) >= len(old):
            yield _ChangedLine(old, new)


def _alike(one: str, other: str) -> int:
    """Return how many characters two lines have in common at their ends."""
    start = _common(one, other)
    return start + _common(one[start:][::-1], other[start:][::-1])


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their starts."""
    differ = (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(differ, min(len(one), len(other)))


def _reported_in(summary: str) -> Iterator[_ReportedChange]:
    """Yield the changes that a summary reports, with the values next to the words that state their order."""
    for statement in units_of(summary):
        text = _unquoted_line(statement)
        for match in _THEN_OLD.finditer(text):
            yield _ReportedChange(statement, _after(text, match.end()), _before(text, match.start()))
        for match in _THEN_NEW.finditer(text):
            yield _ReportedChange(statement, _before(text, match.start()), _after(text, match.end()))
        for match in _TO.finditer(text):
            if _CHANGING.search(text[max(0, match.start() - _MAX_CUE) : match.start()]):
                yield _ReportedChange(statement, _before(text, match.start()), _after(text, match.end()))
        for match in _NOW.finditer(text):
            yield _ReportedChange(statement, (), _after(text, match.end()))
        for match in _THEN_NOW.finditer(text):
            yield _ReportedChange(statement, (), _before(text, match.start()))


def _before(text: str, place: int) -> list[str]:
    words = text[:place].rstrip().split(" ")[-_MAX_WORDS:]
    return [" ".join(words[start:]).lstrip(_EDGES).rstrip(_ENDS) for start in range(len(words))]


def _after(text: str, place: int) -> list[str]:
    words = text[place:].split(" ", _MAX_WORDS)[:_MAX_WORDS]
    return [" ".join(words[:end]).lstrip(_EDGES).rstrip(_ENDS) for end in range(len(words), 0, -1)]


def _agrees(change: _ReportedChange, line: _ChangedLine) -> bool | None:
    """Return whether a summary reports the change of a line as it was; None if it reports another one."""
    new, old = _longest_value(change.new, line), _longest_value(change.old, line)
    if new is None or (old is not None and new[1] == old[1]):
        return None
    statement, (value, is_new) = _unquoted_line(change.statement), new
    if old is None and not (_DIGIT.search(value) and (is_new or not _has(statement, _rest_of(line, value)))):
        return None  # a word alone can be one of another line, and a statement with both values is not about one
    return is_new if (old is not None and len(value) >= _TELLING) or _shares_word(statement, line) else None


def _longest_value(values: Iterable[str], line: _ChangedLine) -> tuple[str, bool] | None:
    """Return the longest of some values that one side of a line has, and whether it is the new side."""
    known = (value for value in values if _has(line.old, value) or _has(line.new, value))
    value = next(known, "")
    side = line.side_of(value)
    return None if side is None else (value, side)


def _rest_of(line: _ChangedLine, old: str) -> str:
    """Return what the new line has in place of an old value."""
    head, _, tail = line.old.partition(old)
    start, end = _common(head, line.new), _common(tail[::-1], line.new[::-1])
    return line.new[start : len(line.new) - end].strip()


def _shares_word(statement: str, line: _ChangedLine) -> bool:
    """Return True if a statement has a word that a line has before and after its change."""
    old, new, words = (content_words(_HUMP.sub(" ", text)) for text in (line.old, line.new, statement))
    return not words.isdisjoint(old & new)


def _has(text: str, value: str) -> bool:
    """Return True if a text contains a value with a letter or digit, not only as a part of a word."""
    place = text.find(value) if any(map(str.isalnum, value)) else -1
    while place >= 0:
        before, after = text[max(0, place - 2) : place], text[place + len(value) :][:2]
        if not (_joins(before[::-1], value[0]) or _joins(after, value[-1])):
            return True
        place = text.find(value, place + 1)
    return False


def _joins(neighbors: str, end: str) -> bool:
    """Return True if an end of a value is in the middle of a word.

    Args:
        neighbors: The next two characters, the closest first.
        end: Character of the value.
    """
    if not (end.isalnum() or end == "_"):
        return False
    return neighbors[:1].isalnum() or neighbors[:1] == "_" or (neighbors[:1] in (".", "-") and neighbors[1:].isalnum())


def _unquoted_line(text: str) -> str:
    """Return a text on one line without quotes and emphasis."""
    return " ".join(text.translate(_MARKS).split())
