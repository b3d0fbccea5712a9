"""Facts of a message: what it tells that cannot be guessed again, each with the place where it stands.

ExtractedFacts is linear in the length of the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import orjson

from inspector.conversation import Document, Image, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.facts.classes import FactClass
from inspector.facts.classify import SentenceClass, clean
from inspector.facts.number_phrases import numbers_in
from inspector.facts.sentences import (
    argument_sentences,
    doc_lines,
    output_sentences,
    quotations,
    speech_sentences,
    text_classes,
)
from inspector.facts.terms import name_term, sentence_term
from inspector.facts.word_cache import Told, entries
from inspector.facts.word_facts import ANYWHERE, NAME, SAID, Key, Sure, name_terms, read_word


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a message tells and that cannot be guessed again."""

    cls: FactClass
    text: str
    """The value, in its normal form."""
    message: str
    """The id of the message that tells it."""
    place: int
    """Where in `Message.text` it stands, in characters; -1 where it is told in other signs than it is shown in."""


@dataclass(slots=True)
class ExtractedFacts:
    """What a text tells."""

    facts: dict[Key, Told] = field(default_factory=dict)
    terms: set[str] = field(default_factory=set)
    """The terms of everything told, also of what is a fact only because another message says so."""
    needs: set[str] = field(default_factory=set)
    """What somebody must know to say all this."""

    def say(self, cls: FactClass, text: str, term: str, spelling: str = "") -> None:
        self.terms.add(term)
        self.needs.add(term)
        self.facts.setdefault((cls, text), (term, term, spelling or text))

    def say_sentences(self, sentences: Iterable[tuple[SentenceClass, str]]) -> None:
        for cls, sentence in sentences:
            if not sentence.startswith(_TRACEBACK):
                self.say(cls, sentence, sentence_term(sentence))


_TRACEBACK = "Traceback (most recent"
"""How a traceback begins, which says of the error only that there is one: its last line says which."""


def extract(message: Message) -> tuple[Fact, ...]:
    """The facts of a message, in no particular order. Reads its text from wherever it is, so it may raise OSError."""
    facts = read(message).facts
    places = _positions(message.text, [spelling for _, _, spelling in facts.values()])
    return tuple([Fact(cls, value, message.id, at) for (cls, value), at in zip(facts, places, strict=True)])


_MOST_SEARCHES = 1_000


def _positions(text: str, parts: Iterable[str]) -> Iterator[int]:
    """Where each of some parts of a text stands, -1 for those that do not.

    The parts come in a few runs, each from the top of the text to its end; so each is looked for behind the last one,
    and only then from the top. What the text does not hold at all would cost its length each time: that has an end.
    """
    start = searches = 0
    for part in parts:
        place = text.find(part, start) if searches < _MOST_SEARCHES else -1
        if place < 0 and searches < _MOST_SEARCHES:
            searches += 1
            place = text.find(part, 0, start + len(part))
        start = start if place < 0 else place
        yield place


def read(message: Message) -> ExtractedFacts:
    """What a message tells. What a model thought is told, too, but it is not the model's own use of anything."""
    result = ExtractedFacts()
    if message.placeholder is not None:
        read_output(result, message.placeholder, is_error=False)
        return result
    for part in message.parts:
        if isinstance(part, Thinking):
            thought = read_text(part.text)
            result.facts = thought.facts | result.facts
            result.terms |= thought.terms
        else:
            _read_part(result, part)
    return result


def _read_part(result: ExtractedFacts, part: Part) -> None:
    match part:
        case Text(text):
            _read_said(result, text)
        case ToolCall(_, name, arguments):
            result.say("tool", name, name_term(name))
            tasks = _open_tasks(arguments)
            stems = _read_code(result, arguments := unescaped(arguments))
            result.say_sentences(argument_sentences(arguments, stems))
            for task in tasks:
                result.say("task", task, sentence_term(task))
        case ToolResult(_, parts, is_error):
            for inner in parts:
                if isinstance(inner, Text):
                    read_output(result, inner.text, is_error)
                else:
                    _read_part(result, inner)
        case Image() | Document() | Thinking():
            return
        case Unknown(_, json):
            read_output(result, json, is_error=False)


def read_text(text: str) -> ExtractedFacts:
    """What a text tells that somebody says: a summary's own words."""
    result = ExtractedFacts()
    _read_said(result, text)
    return result


def message_classes(message: Message) -> frozenset[SentenceClass]:
    """The classes of the sentences that a message says in words of its own; "error" also for what a tool printed."""
    if message.role == "tool":
        failed = message.is_error or "error" in text_classes(message.text, "output")
        return frozenset({"error"} if failed else ())
    return text_classes("\n\n".join([part.text for part in message.parts if isinstance(part, Text)]))


def _read_said(result: ExtractedFacts, text: str) -> None:
    """What somebody says."""
    stems = _read_words(result, text, SAID)
    result.say_sentences(speech_sentences(text, stems))
    for match in _CALLED.finditer(text):
        if name := _NAME_BEFORE.match(text[max(0, match.start() - 60) : match.start()][::-1]):
            _say_called(result, name[0][::-1])
    for inner, is_code in quotations(text):
        _read_quoted(result, inner, is_code)


def _say_called(result: ExtractedFacts, name: str) -> None:
    called = f"{name}()"
    result.say("symbol", called, name_term(called), name)
    result.terms.update(name_terms(called))


def _read_quoted(result: ExtractedFacts, inner: str, is_code: bool) -> None:
    """What stands in quotation marks: a name, where it is one of code; else a string, where it is no other fact."""
    if not _LETTERS.search(inner) or (" " not in inner and any(fact.sure <= SAID for fact in read_word(inner))):
        return
    if is_code and NAME.fullmatch(inner):
        result.say("symbol", inner, name_term(inner))
    elif not (is_code and inner.endswith(")") and NAME.fullmatch(inner.partition("(")[0])):
        result.say("quoted", inner, sentence_term(inner))


def read_output(result: ExtractedFacts, text: str, is_error: bool) -> None:
    """What a tool printed."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\\n" in text and ":\\" not in text:
        text = unescaped(text)
    stems = _read_code(result, text)
    result.say_sentences(output_sentences(text, stems, is_error))


_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")


def _read_code(result: ExtractedFacts, text: str) -> set[str]:
    """What code tells, or the arguments of a call: words, numbers, and the names that are defined.

    Returns the stems of the marks of sentences that its words hold.
    """
    stems = _read_words(result, text, ANYWHERE)
    code = f"\n{text}"
    for match in _DEFINED.finditer(code):
        result.say("symbol", match[2], name_term(match[2] if match[1] in _TYPES else f"{match[2]}()"), match[2])
    for pattern in (_CONSTANT, _TRACED, _RAISED):
        for match in pattern.finditer(code):
            result.say("symbol", match[1], name_term(match[1]))
    if "`" in text:
        for line in doc_lines(text):
            for inner, is_code in quotations(line):
                if is_code:
                    _read_quoted(result, inner, is_code)
                    name, _, arguments = inner.partition("(")
                    if arguments.find(")") == len(arguments) - 1 >= 0 and _CALLABLE.fullmatch(name):
                        _say_called(result, name)
    return stems


def _read_words(result: ExtractedFacts, text: str, surest: Sure) -> set[str]:
    """What single words tell, and numbers with the words around them.

    Returns the stems of the marks of sentences that the words hold.
    """
    facts = result.facts
    words, stems = entries(text)
    for key, how in chain.from_iterable([word.said if surest else word.anywhere for word in words]):
        if key not in facts:
            facts[key] = how
    result.terms.update(*[word.terms for word in words])
    result.needs.update(*[word.needs for word in words])
    for spelling, (key, names, _, need) in numbers_in(text):
        result.terms.update(names)
        result.needs.add(need or names[0])
        if key not in facts:
            facts[key] = names[0], need or names[0], spelling
    return stems


_TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "type"})
_DEFINED = re.compile(
    r"\n[ \t]{0,40}+(?:\d{1,6}[→\t:+-])?[+-]?[ \t]{0,40}+"
    r"(?:(?:export|public|private|static|async|default|pub|abstract) ){0,3}"
    r"(def|class|function|func|fn|struct|interface|enum|trait|type) ([A-Za-z_]\w{2,60})\b(?=[\s(:<{=\[]|\Z)"
)
_CONSTANT = re.compile(r"\n(?:[ \t]{0,8}\d{1,6}[→\t])?[+-]?([A-Z][A-Z0-9_]{2,40})(?::[^=\n]{1,40})? = ")
_TRACED = re.compile(r", line \d{1,7}, in ([A-Za-z_]\w{2,60})\b")
"""A function in a traceback."""
_RAISED = re.compile(r"\n(?:[a-z_]\w{0,40}\.){1,5}([A-Z]\w{2,50}(?:Error|Exception)): ")
_CALLED = re.compile(
    r"\((?:\)|[^()`\n]{0,60}\)(?=`)|(?<=[a-z_]\()(?!es\))[A-Za-z_][\w.]{1,30}(?:, ?[\w.]{1,30}){0,3}\))"
)
"""The brackets of a call; with what they hold between backticks, or where these are plain names."""
_CALLABLE = re.compile(r"[\w.]{0,60}[A-Za-z_]")
_NAME_BEFORE = re.compile(r"[\w.]{1,60}[A-Za-z_](?![\w.])")
_LETTERS = re.compile(r"[^\W\d_]{2}")


_ESCAPES = {"\\n": "\n", '\\"': '"', "\\t": "\t", "\\/": "/", "\\r": "\r"}


def unescaped(arguments: str) -> str:
    """JSON text with line ends and quotation marks as they are meant."""
    if "\\" not in arguments:
        return arguments
    pieces = arguments.split("\\\\")  # so that no backslash that is meant is taken for the first sign of an escape
    for escape, meant in _ESCAPES.items():
        pieces = [piece.replace(escape, meant) for piece in pieces]
    return "\\".join(pieces)


_DONE = frozenset({"completed", "done", "cancelled", "canceled", "closed", "deleted"})


def _open_tasks(arguments: str) -> Iterable[str]:
    """The points of a list of things to do, as tools that keep such lists are given it, that are not done yet."""
    if '"status"' not in arguments:
        return ()
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return ()
    lists = [value for value in values.values() if isinstance(value, list)] if isinstance(values, dict) else []
    return [task for points in lists for point in points if isinstance(point, dict) and (task := _open_task(point))]


def _open_task(point: dict[str, Any]) -> str:
    if str(point.get("status", "done")).lower() in _DONE:
        return ""
    words = next((point[name] for name in ("content", "step", "title", "task", "subject", "text") if name in point), "")
    return clean(words) if isinstance(words, str) else ""
