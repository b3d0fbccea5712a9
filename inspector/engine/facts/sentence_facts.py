"""Facts stated by whole sentences and lines (constraints, decisions, tasks, errors), and quoted strings.

Cue phrases are searched first, which is fast in texts that have none. Only the lines around a cue phrase are then split
into sentences and checked against the patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from inspector.core.conversation import Message, Role, Text
from inspector.core.text import lazy_pattern
from inspector.engine.facts.classes import SentenceClass, Source
from inspector.engine.facts.classify import (
    MAX_SENTENCE_LENGTH,
    MAX_TYPED,
    MIN_SENTENCE_LENGTH,
    RULES,
    SEARCH,
    STEMS,
    MarksByClass,
    Rule,
    certain_points,
    clean,
    headed_points,
    listed_points,
    marks_in,
    may_add,
    may_hold,
)
from inspector.engine.facts.cue_phrases import BOXES, OPEN_BOX, TODO
from inspector.engine.facts.exclusions import is_prose
from inspector.engine.facts.instructions import is_instruction
from inspector.engine.facts.sentence_model import confirmed_sentences

_Sentence = tuple[SentenceClass, str]
_AROUND = 1_000
"""Characters to read on either side of a cue phrase. Longer lines are not written by people."""

_LISTS = ("[x]", "TODO", "Tasks", "Backlog", "Roadmap")
"""Words of a document whose empty checkboxes are open work rather than a template."""
_FEW_SENTENCES, _LEAST_RULES = 12, 0.12
"""Sentences of a prompt of which at least this share must be rules."""
_FENCE = lazy_pattern(r"^(?:```|~~~)[^\n]*\n.*?^(?:```|~~~)", re.S | re.M)
_RULED = lazy_pattern(
    r"<(?i:system[-_]reminder|(?:\w{1,20}[-_])?(?:instructions|rules|guidelines|policy|constraints"
    r"|requirements))>([^<]{20,20000})"
)
"""Rules that a program inserts into a user message: `<system-reminder>…`, `<coding_guidelines>…`."""
_ECHOED = lazy_pattern(r"^> [^\n]*\n", re.M)
"""Command that a package manager prints before it runs it: "> tool@1.0 check"."""
_NUMBERED = lazy_pattern(r"^[ \t]{0,8}\d{1,6}(?:→|\t|[:-](?=\S))", re.M)
"""Line number as printed by tools that read or search files."""
_WRAPPED = lazy_pattern(r"\n(?<=[\w,;)’'`]\n)[ \t]{0,4}(?=[a-z(`])")
"""Line break within a sentence. The pattern starts with its only required character, which `re` scans fastest."""
_GOES_ON = lazy_pattern(r"\n[ \t]{0,8}(?:\d{1,6}(?:→|\t)[ \t]{0,4})?[a-z(`]")
_ENDS = lazy_pattern(
    r"""[\s*_"'”)]
        (?: (?<=\n)\n*
          | (?<=[.!?;:][\s*_"'”)])
            (?: (?: (?<=[.!?]\s)\s* | (?<=[.!?][*_"'”)])[*_"'”)]{0,2}\s+ )(?=[A-Z"'`(\[*“\d])
              | (?<=[;:]\s)\s*(?=\(\d) )
          | \|(?<=\s\|)\s )""",
    re.VERBOSE,
)
"""End of a sentence: a line break, white space after closing punctuation, the space before "(2)", or a table column.

The pattern starts with every character that can come first, so that `re` skips all others quickly.
"""
_ENDS_TYPED = lazy_pattern(rf"{_ENDS.pattern} | (?<=[a-z]{{4}}[.!?])\s+(?=[a-z])", re.VERBOSE)
"""The same, and a full stop before a lowercase letter, as many people type."""
_QUOTES = lazy_pattern(
    r"""\"([^"\n]{1,160}+)\" | “([^”\n]{1,160}+)” | «([^»\n]{1,160}+)»
      | `(?<![\w`]`)([^`\n]{1,160}+)`(?!`) | '(?<![\w']')([^'\n]{3,120}+)'(?![\w'])""",
    re.VERBOSE,
)
"""A string in any kind of quotation marks: "all rows", «total», `load()`, 'two words'."""


def source_of(message: Message) -> Source:
    """Return the origin of a message's text. Summaries and text that a program inserts are not typed by a user."""
    if message.kind == "summary" or (message.kind == "notice" and message.role == "system"):
        return "speech"
    return "rules" if message.kind == "injected" and message.role == "user" else _SOURCES[message.role]


_SOURCES: Mapping[Role, Source] = {"system": "rules", "user": "typed", "assistant": "speech", "tool": "speech"}


def text_classes(text: str, source: Source = "speech") -> frozenset[SentenceClass]:
    """Return the classes of the sentences of a text, or of the lines of an output."""
    stems = SEARCH.found_in(_lower(text))
    sentences = output_sentences(text, stems, False) if source == "output" else speech_sentences(text, stems, source)
    return frozenset(cls for cls, _ in sentences)


def decides_or_fails(text: str, source: Source) -> tuple[bool, bool]:
    """Return whether a written text contains a decision, and whether it contains an error.

    Most texts of agents have no cue phrase of either, so they are not split into sentences.
    """
    low = _lower(text)
    stems = SEARCH.found_in(low)
    if source == "speech":
        cued = {"decision", "error"}.intersection(marks_in(low, stems, source))
        if not cued and "decision" not in {cls for cls, _ in headed_points(text, low, stems)}:
            return False, False
    classes = {cls for cls, _ in speech_sentences(text, stems, source)}
    return "decision" in classes, "error" in classes


def message_classes(message: Message) -> frozenset[SentenceClass]:
    """Return the classes of a message's own sentences. For a tool result, only "error" is possible."""
    if message.role == "tool":
        failed = message.is_error or "error" in text_classes(message.text, "output")
        return frozenset({"error"} if failed else ())
    return text_classes(_own_text(message), source_of(message))


def spoken_sentences(message: Message) -> Iterator[_Sentence]:
    """Yield the classified sentences of a message of the user or the agent, each with its class.

    Raises:
        OSError: If the recording can no longer be read.
    """
    text = _own_text(message)
    return speech_sentences(text, SEARCH.found_in(_lower(text)), source_of(message))


def _own_text(message: Message) -> str:
    return "\n\n".join([part.text for part in message.parts if isinstance(part, Text)])


def speech_sentences(text: str, stems: Set[str], source: Source = "speech") -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each classified sentence in a written text.

    Args:
        text: Text to search.
        stems: Those of `STEMS` that the words of the text contain.
        source: Origin of the text.
    """
    ruled = list(_ruled_speech(text, stems, source))
    certain = certain_points(text, _lower(text), source) if ruled else ()
    yield from confirmed_sentences(ruled, source, certain, _open_sentences(text, source))


def _open_sentences(text: str, source: Source) -> list[str]:
    """Return the cleaned sentences of a text in which those without a cue phrase can have a class."""
    if not may_add(text, source):
        return []
    return _prose_sentences(text, _ENDS_TYPED if source == "typed" else _ENDS)


def ruled_sentences(text: str, source: Source) -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each sentence that the rules classify, before the model confirms them."""
    stems = SEARCH.found_in(_lower(text))
    yield from _ruled_output(text, stems, False) if source == "output" else _ruled_speech(text, stems, source)


def _ruled_speech(text: str, stems: Set[str], source: Source) -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each sentence in a written text that the rules classify."""
    low, rules = _lower(text), RULES[source]
    marks, ends = marks_in(low, stems, source), _ENDS_TYPED if source == "typed" else _ENDS
    points_as: Source = source
    if source == "typed" and len(text) > MAX_TYPED:
        points_as = "speech"
        rules, marks = _as_document(low, stems, rules, marks)
    for cls in ("constraint", "decision", "task"):
        if cls in marks:
            yield from ((cls, sentence) for sentence in _sentences_of(text, low, rules[cls], marks[cls], ends))
    passages = _ruled_passages(text, source)
    yield from (("constraint", sentence) for passage in passages for sentence in _instructions(passage))
    yield from listed_points(_RULED.sub("", text) if source == "typed" else text, low, points_as)
    yield from (("error", sentence) for sentence in _reported(text, low, marks, source, points_as))


def _ruled_passages(text: str, source: Source) -> list[str]:
    """Return the passages whose sentences are all checked for rules."""
    if source == "rules":
        return [text]
    return _RULED.findall(text) if source == "typed" else []


def _reported(text: str, low: str, marks: MarksByClass, source: Source, points_as: Source) -> Iterator[str]:
    """Yield the failures in a written text, with the lines of compilers in one that a user typed or pasted."""
    if source == "typed":
        yield from _compilers_lines(text)
    yield from _failures(text, low, marks, points_as)


def _as_document(
    low: str, stems: Set[str], rules: Mapping[SentenceClass, Rule], marks: MarksByClass
) -> tuple[Mapping[SentenceClass, Rule], MarksByClass]:
    """Return the rules and cue phrases of a pasted document: a user's constraints, and other classes as in speech."""
    return (
        {**RULES["speech"], "constraint": rules["constraint"]},
        {**marks_in(low, stems, "speech"), "constraint": marks.get("constraint", ())},
    )


def _instructions(text: str) -> list[str]:
    """Return the cleaned sentences of a system prompt that are rules without a cue phrase.

    A text with few of them is a file, a log or an article that was put into the prompt, and its sentences are no rules.
    """
    sentences = _prose_sentences(text, _ENDS)
    rules = [sentence for sentence in sentences if is_instruction(sentence)]
    return rules if len(sentences) < _FEW_SENTENCES or len(rules) >= _LEAST_RULES * len(sentences) else []


def _prose_sentences(text: str, ends: re.Pattern[str]) -> list[str]:
    """Return the cleaned sentences of a written text without code blocks."""
    prose = _WRAPPED.sub(" ", _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text)
    pieces = (piece for piece in ends.split(prose) if MIN_SENTENCE_LENGTH <= len(piece) <= MAX_SENTENCE_LENGTH)
    return [sentence for piece in pieces if (sentence := clean(piece))]


def output_sentences(text: str, stems: Set[str], is_error: bool) -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each classified line or sentence in tool output.

    Args:
        text: Text of the output.
        stems: Those of `STEMS` that the words of the text contain.
        is_error: True if the tool failed. Its first line is then an error if no other line is.
    """
    yield from confirmed_sentences(_ruled_output(text, stems, is_error), "output")


def _ruled_output(text: str, stems: Set[str], is_error: bool) -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each line or sentence in tool output that the rules classify."""
    low = _lower(text)
    marks = marks_in(low, stems, "output")
    silent = True
    for line in chain(_compilers_lines(text), _failures(text, low, marks, "output")):
        silent = False
        yield "error", line
    if is_error and silent and (first := clean(_ECHOED.sub("", text[:MAX_SENTENCE_LENGTH]).strip().partition("\n")[0])):
        yield "error", first
    if not is_error or len(text) > MAX_SENTENCE_LENGTH:  # a short failure says what the tool demands, which is no rule
        yield from _prose(text, low, marks)


def argument_sentences(text: str, stems: Set[str]) -> Iterator[_Sentence]:
    """Yield the class and cleaned text of each classified sentence in call arguments."""
    if not stems:
        return iter(())
    low = _lower(text)
    return confirmed_sentences(_prose(text, low, marks_in(low, stems, "output")), "output")


def _prose(text: str, low: str, marks: MarksByClass) -> Iterator[_Sentence]:
    """Yield constraints, decisions and TODO notes in a text that can be source code."""
    for cls in ("constraint", "decision"):
        if cls in marks:
            yield from ((cls, sentence) for sentence in _sentences_of(text, low, RULES["output"][cls], marks[cls]))
    if "task" in marks and ("TODO" in text or "FIXME" in text):
        yield from (("task", note) for match in TODO.finditer(text) if (note := clean(match[0])))
    if any(map(text.__contains__, _LISTS if "[ ]" in text else BOXES)):
        yield from (("task", point) for match in OPEN_BOX.finditer(_strip_numbers(text)) if (point := clean(match[0])))


def _lower(text: str) -> str:
    """Return the text in lowercase if that preserves its length, which some Turkish letters do not."""
    low = text.lower()
    return low if len(low) == len(text) else text


def _sentences_of(
    text: str, low: str, rule: Rule, marks: Sequence[str], ends: re.Pattern[str] = _ENDS
) -> Iterator[str]:
    """Yield the cleaned sentences of a class around those of its cue phrases that the text contains."""
    end, stems = 0, [STEMS[mark] for mark in marks]
    for first, last in sorted({span for mark in marks for span in _around(text, low, mark)}):
        if last <= end:
            continue
        passage = _WRAPPED.sub(" ", _strip_numbers(text[max(first, end) : last]))
        end = last
        for piece in ends.split(passage):
            if MIN_SENTENCE_LENGTH <= len(piece) <= MAX_SENTENCE_LENGTH and may_hold(piece, stems):
                sentence = clean(piece)
                if sentence and rule.matches(sentence, marks):
                    yield sentence


def _strip_numbers(passage: str) -> str:
    """Remove the line numbers from a passage."""
    if "\n" in passage:
        return _NUMBERED.sub("", passage)
    number = _NUMBERED.match(passage)  # a single line can only have one at its start
    return passage[number.end() :] if number else passage


def _around(text: str, low: str, mark: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the lines with a cue phrase, including adjacent lines of the same sentence."""
    place = low.find(mark)
    while place >= 0:
        first, last = _line_of(text, place)
        yield _start_of(text, first, place), _end_of(text, last, place)
        place = low.find(mark, max(last, place + 1))


def _line_of(text: str, place: int) -> tuple[int, int]:
    """Return the start and end of the line around a position, at most `_AROUND` characters away."""
    start = place - _AROUND if place > _AROUND else 0
    last = text.find("\n", place, place + _AROUND)
    return text.rfind("\n", start, place) + 1 or start, min(place + _AROUND, len(text)) if last < 0 else last


def _start_of(text: str, first: int, place: int) -> int:
    """Return the start of the previous line if its sentence continues in the line that starts at `first`."""
    if first < 1 or place - first >= _AROUND or not _goes_on(text, first - 1):
        return first
    return max(text.rfind("\n", max(0, first - _AROUND), first - 1) + 1, first - _AROUND, 0)


def _end_of(text: str, last: int, place: int) -> int:
    """Return the end of the next line if the sentence continues there."""
    if last >= len(text) or last - place >= _AROUND or not _goes_on(text, last):
        return last
    end = text.find("\n", last + 1, last + _AROUND)
    return last if end < 0 and len(text) > last + _AROUND else len(text) if end < 0 else end


def _goes_on(text: str, end: int) -> bool:
    """Return True if a sentence continues after the end of a line."""
    return bool(_GOES_ON.match(text, end)) and (text[end - 1].isalnum() or text[end - 1] in ",;)’'`")


def _failures(text: str, low: str, marks: MarksByClass, source: Source) -> Iterator[str]:
    """Yield distinct error texts from the top: whole lines of an output, or sentences within a line of written text."""
    if "error" not in marks:
        return
    rule, present = RULES[source]["error"], marks["error"]
    spans = {line for mark in present for line in _lines_with(text, low, mark)}
    lines = [text[first:last] for first, last in sorted(spans)]
    pieces = lines if source == "output" else [piece for line in lines for piece in _ENDS.split(line)]
    for piece in dict.fromkeys(pieces):
        if (
            MIN_SENTENCE_LENGTH <= len(piece) <= MAX_SENTENCE_LENGTH
            and rule.matches(piece, present)
            and (cleaned := clean(piece))
        ):
            yield cleaned


_AT_COLUMN = lazy_pattern(r":(?<=[A-Za-z]:)[0-9]{1,6}:[0-9]{1,4}:? (?=\S)")
"""File position before the message of a compiler or linter: "load.py:12:4: "."""
_IN_TEST = lazy_pattern(r"_test\.[a-z]{1,4}:[0-9]{1,6}: (?=\S)")
"""File position before the message of a failed test: "load_test.go:12: "."""
_COMPILER = lazy_pattern(
    r"\s{0,12}(?:\[[\w:.-]{1,40}\] )?[\w@~./\\-]{1,200}\.\w{1,6}:\d{1,6}(?::\d{1,4})?:? (?:error: )?[A-Za-z`'\"(]"
)
"""Line of a compiler or linter: "[lint] src/load.py:12:4: error: undefined name"."""


def _compilers_lines(text: str) -> Iterator[str]:
    """Yield the lines in which a compiler, a linter or a failed test reports a problem at a file position."""
    in_tests = _IN_TEST.finditer(text) if "_test." in text else ()
    for match in chain(_AT_COLUMN.finditer(text), in_tests):
        first, last = _line_of(text, match.start())
        line = text[first:last]
        if len(line) <= MAX_SENTENCE_LENGTH and _COMPILER.match(line) and (cleaned := clean(line)):
            yield cleaned


def _lines_with(text: str, low: str, mark: str) -> Iterator[tuple[int, int]]:
    place = low.find(mark)
    while place >= 0:
        first, last = _line_of(text, place)
        yield first, last
        place = low.find(mark, max(last, place + 1))


_JSON_KEY = lazy_pattern(r" ?:(?=[\s\[{\"\d])")
_JSON_VALUE = lazy_pattern(r"[\"'] ?: ?\Z")
"""Text before a JSON value. Together with `_JSON_KEY`, excludes JSON strings from the quotations."""


def quotations(text: str) -> Iterator[tuple[str, bool]]:
    """Yield strings in quotation marks or backticks outside fenced code, each with True if it is in backticks."""
    for match in _QUOTES.finditer(_FENCE.sub("\n", text) if "```" in text or "~~~" in text else text):
        if _JSON_KEY.match(text := match.string, match.end()) or _JSON_VALUE.search(
            text, match.start() - 4, match.start()
        ):
            continue
        if inner := " ".join(match[match.lastindex or 0].split()).rstrip(","):
            yield inner, match[0].startswith("`")


def doc_lines(text: str) -> Iterator[str]:
    """Yield the lines of an output that are prose with code between backticks, as in project documentation."""
    for line in dict.fromkeys(text.split("\n")):
        if "`" in line and len(line) <= _AROUND and is_prose(_SPAN.sub("code", _strip_numbers(line))):
            yield line


_SPAN = lazy_pattern("`[^`]{1,160}`")
