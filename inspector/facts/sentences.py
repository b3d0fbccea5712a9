"""What whole sentences and lines tell: constraints, decisions, things to do, errors; and strings in quotation marks.

Words that mark such sentences are looked for first, which costs next to nothing where there are none. Then only the
lines around a mark are cut into sentences, and those are judged by the patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from inspector.facts.classes import FactClass
from inspector.facts.patterns import (
    CODE,
    CONSTRAINT,
    DECISION,
    FAILURE,
    HEADINGS,
    NAMED_ERROR,
    NO_FAILURE,
    OPEN_HEADING,
    RULE,
    RULING,
    SELF,
    SOURCE,
    STEMS,
    TASK,
    TODO,
    Signs,
)

_Told = tuple[FactClass, str]
_SHORTEST, _LONGEST = 9, 600
"""Characters of a sentence that can be a fact."""
_CUT = 300
"""Characters of it that are kept."""
_AROUND = 1_000
"""Characters around a mark that are read for its sentence; lines that are longer are not the work of people."""

_FENCE = re.compile(r"^(?:```|~~~)[^\n]*\n.*?^(?:```|~~~)", re.S | re.M)
_NUMBERED = re.compile(r"^[ \t]{0,8}\d{1,6}(?:→|\t|[:-](?=\S))", re.M)
"""What tools that read and search files put before a line."""
_WRAPPED = re.compile(r"(?<=[\w,;)’'`])\n[ \t]{0,4}(?=[a-z(`])")
"""An end of a line in the middle of a sentence."""
_GOES_ON = re.compile(r"\n[ \t]{0,8}(?:\d{1,6}(?:→|\t)[ \t]{0,4})?[a-z(`]")
_ENDS = re.compile(r"\n+|(?<=[.!?])[*_\"'”)]{0,3}\s+(?=[A-Z\"'`(\[*“\d])|(?<=[;:])\s+(?=\(\d)|\s\|\s")
_LEAD = re.compile(r"[\s>#*+•|–—-]{0,12}(?:\(?\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s*)?[*_]{0,3}")
_SPACE = re.compile(r"\s+")
_BOX = re.compile(r"^[ \t>]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+\[ \][ \t]+[^\n]{3,600}", re.M)
"""A point of a list that is to be ticked off, and is not yet."""
_BULLET = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?!\[[xX]\])")
_QUOTES = re.compile(
    r"""\"([^"\n]{1,160}+)\" | “([^”\n]{1,160}+)” | «([^»\n]{1,160}+)»
      | `(?<![\w`]`)([^`\n]{1,160}+)`(?!`) | '(?<![\w']')([^'\n]{3,120}+)'(?![\w'])""",
    re.VERBOSE,
)


def spoken(text: str, stems: Set[str]) -> Iterator[_Told]:
    """What the sentences of somebody's words tell. `stems`: those of marks that its words hold."""
    low = _lowered(text)
    for sentence in _signed(text, low, stems, CONSTRAINT):
        if not SELF.search(sentence) and (not sentence.endswith("?") or ". " in sentence):
            yield "constraint", sentence
    yield from (("decision", each) for each in _signed(text, low, stems, DECISION))
    yield from (("task", each) for each in _signed(text, low, stems, TASK))
    if "[ ]" in text:
        yield from (("task", task) for match in _BOX.finditer(text) if (task := clean(match[0])))
    yield from (("task", each) for each in _listed(text, low))
    yield from (("error", each) for each in _failures(text, low, stems, NAMED_ERROR))


def printed(text: str, stems: Set[str], is_error: bool) -> Iterator[_Told]:
    """What the lines of a tool's output tell."""
    low = _lowered(text) if stems else ""
    silent = True
    for line in _failures(text, low, stems, FAILURE):
        silent = False
        yield "error", line
    if is_error and silent and (first := clean(text[:_LONGEST].strip().partition("\n")[0])):
        yield "error", first
    yield from _prose(text, low, stems)


def given(text: str, stems: Set[str]) -> Iterator[_Told]:
    """What the arguments of a call tell."""
    return _prose(text, _lowered(text), stems) if stems else iter(())


def _prose(text: str, low: str, stems: Set[str]) -> Iterator[_Told]:
    """What the sentences of a text tell that is not all words of people, and its notes of what is to be done."""
    for sentence in _signed(text, low, stems, RULE):
        if _is_prose(sentence) and not SELF.search(sentence):
            yield "constraint", sentence
    yield from (("decision", each) for each in _signed(text, low, stems, RULING) if _is_prose(each))
    if ("todo" in stems or "fixme" in stems) and ("TODO" in text or "FIXME" in text):
        yield from (("task", told) for match in TODO.finditer(text) if (told := clean(match[0])))


def _lowered(text: str) -> str:
    """A text in small letters, as long as it was; a few letters of Turkish would make it longer."""
    low = text.lower()
    return low if len(low) == len(text) else text


def _present_in(low: str, stems: Set[str], signs: Signs) -> list[str]:
    """The marks of a kind that a text holds."""
    return [mark for mark in signs if (not (stem := STEMS[mark]) or stem in stems) and mark in low]


def _signed(text: str, low: str, stems: Set[str], signs: Signs) -> Iterator[str]:
    """The sentences with a mark and its pattern, without bullets and emphasis."""
    present = _present_in(low, stems, signs)
    end = 0
    for first, last in sorted(span for mark in present for span in _around(text, low, mark)):
        if last <= end:
            continue
        passage = _WRAPPED.sub(" ", _NUMBERED.sub("", text[max(first, end) : last]))
        end = last
        for piece in _ENDS.split(passage):
            if _SHORTEST <= len(piece) <= _LONGEST and (sentence := _matching(clean(piece), present, signs)):
                yield sentence


def _matching(sentence: str, marks: Sequence[str], signs: Signs) -> str:
    """The sentence, if one of the marks is in it and the pattern holds; else nothing."""
    low = sentence.lower()
    return sentence if any(mark in low and signs[mark].search(sentence) for mark in marks) else ""


def _around(text: str, low: str, mark: str) -> Iterator[tuple[int, int]]:
    """Where the lines with a mark begin and end, with the lines before and behind that may be of one sentence."""
    place = low.find(mark)
    while place >= 0:
        first, last = _line_of(text, place)
        yield _start_of(text, first, place), _end_of(text, last, place)
        place = low.find(mark, max(last, place + 1))


def _line_of(text: str, place: int) -> tuple[int, int]:
    """Where the line around a place begins and ends, at most `_AROUND` characters to either side."""
    last = text.find("\n", place, place + _AROUND)
    return (
        max(text.rfind("\n", max(0, place - _AROUND), place) + 1, place - _AROUND, 0),
        min(place + _AROUND, len(text)) if last < 0 else last,
    )


def _start_of(text: str, first: int, place: int) -> int:
    """Where the line before begins, if it goes on in the line that begins at `first`."""
    if first < 1 or place - first >= _AROUND or not _goes_on(text, first - 1):
        return first
    return max(text.rfind("\n", max(0, first - _AROUND), first - 1) + 1, first - _AROUND, 0)


def _end_of(text: str, last: int, place: int) -> int:
    """Where the line behind ends, if it goes on there."""
    if last >= len(text) or last - place >= _AROUND or not _goes_on(text, last):
        return last
    end = text.find("\n", last + 1, last + _AROUND)
    return last if end < 0 and len(text) > last + _AROUND else len(text) if end < 0 else end


def _goes_on(text: str, end: int) -> bool:
    """Whether a sentence goes on beyond the end of a line."""
    return bool(_GOES_ON.match(text, end)) and (text[end - 1].isalnum() or text[end - 1] in ",;)’'`")


def _failures(text: str, low: str, stems: Set[str], signs: Signs) -> Iterator[str]:
    """The lines with a mark of a failure and its pattern, each once, from the top; no line of source code."""
    present = _present_in(low, stems, signs)
    spans = {line for mark in present for line in _lines_with(text, low, mark)}
    for line in dict.fromkeys(text[first:last] for first, last in sorted(spans)):
        if not _SHORTEST <= len(line) <= _LONGEST or CODE.match(line) or NO_FAILURE.search(line):
            continue
        if _matching(line, present, signs) and (told := clean(line)):
            yield told


def _lines_with(text: str, low: str, mark: str) -> Iterator[tuple[int, int]]:
    place = low.find(mark)
    while place >= 0:
        first, last = _line_of(text, place)
        yield first, last
        place = low.find(mark, max(last, place + 1))


def clean(piece: str) -> str:
    """One line without what leads it and without emphasis, at most `_CUT` characters."""
    match = _LEAD.match(piece)
    text = _SPACE.sub(" ", piece[match.end() if match else 0 :]).replace("**", "").strip(" *|")
    return text[:_CUT].strip() if len(text) >= _SHORTEST else ""


def _is_prose(sentence: str) -> bool:
    """Whether a line of an output is words that people write: no source code, no row of a table."""
    if SOURCE.search(sentence) or len(sentence) < 20:
        return False
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.7 * len(sentence) and sentence.count(" ") >= 3


def _listed(text: str, low: str) -> Iterator[str]:
    """The points below a heading that says that they are still to be done."""
    if not any(map(low.__contains__, HEADINGS)):
        return
    under = False
    for line in text.split("\n"):
        if len(line) <= 60 and OPEN_HEADING.fullmatch(line):
            under = True
        elif under and _BULLET.match(line):
            if task := clean(line[:_LONGEST]):
                yield task
        elif line.strip():
            under = False


def quoted(text: str) -> Iterator[tuple[str, bool]]:
    """Strings in quotation marks, and those between backticks, which are code, outside of fenced code."""
    for match in _QUOTES.finditer(_FENCE.sub("\n", text) if "```" in text or "~~~" in text else text):
        if inner := _SPACE.sub(" ", match[match.lastindex or 0]).strip():
            yield inner, match[0].startswith("`")


def documented(text: str) -> Iterator[str]:
    """The lines of an output that are prose with code between backticks, as in the papers of a project."""
    for line in dict.fromkeys(text.split("\n")):
        if "`" in line and len(line) <= _AROUND and _is_prose(_SPAN.sub("code", _NUMBERED.sub("", line))):
            yield line


_SPAN = re.compile("`[^`]{1,160}`")
