"""Extract the facts of a message: values that cannot be guessed, each with its position.

Takes time linear in the length of any text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from inspector.core.conversation import Document, Image, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts.classes import FactClass, SentenceClass, Source
from inspector.engine.facts.classify import clean
from inspector.engine.facts.definitions import defined_names
from inspector.engine.facts.lexicon import PAGING
from inspector.engine.facts.named_ids import named_ids
from inspector.engine.facts.number_phrases import numbers_in
from inspector.engine.facts.sentence_facts import (
    argument_sentences,
    doc_lines,
    output_sentences,
    quotations,
    source_of,
    speech_sentences,
)
from inspector.engine.facts.terms import name_term, sentence_term
from inspector.engine.facts.todo_calls import points_of
from inspector.engine.facts.vocabulary import Wording, entries
from inspector.engine.facts.word_facts import ANYWHERE, NAME, SAID, Key, Sure, name_terms, read_word


@dataclass(frozen=True, slots=True)
class Fact:
    """A value in a message that cannot be guessed."""

    cls: FactClass
    text: str
    """The normalised value."""
    message: str
    """Id of the message that contains it."""
    place: int
    """Offset in `Message.text`, in characters; -1 if the text spells it differently."""


@dataclass(slots=True)
class ExtractedFacts:
    """The facts and terms of a text."""

    facts: dict[Key, Wording] = field(default_factory=dict)
    terms: set[str] = field(default_factory=set)
    """All terms of the text, including those that are only facts if another message states them as such."""
    needs: set[str] = field(default_factory=set)
    """Terms whose use proves that the author knew the fact."""

    def say(self, cls: FactClass, text: str, term: str, spelling: str = "") -> None:
        """Add a fact that the text states.

        Args:
            cls: Class of the fact.
            text: Normalized text of the fact.
            term: Term by which other messages are searched for it.
            spelling: The fact as it was written; by default `text`.
        """
        self.terms.add(term)
        self.needs.add(term)
        self.facts.setdefault((cls, text), (term, term, spelling or text))

    def echo_sentences(self, sentences: Iterable[tuple[SentenceClass, str]]) -> None:
        for cls, sentence in sentences:
            if not sentence.startswith(_TRACEBACK):
                self.say(cls, sentence, sentence_term(sentence))


_TRACEBACK = "Traceback (most recent"
"""First line of a traceback. It is not an error by itself: the last line names the error."""


def extract(message: Message) -> tuple[Fact, ...]:
    """Return the facts of a message, in no particular order.

    Raises:
        OSError: The message body cannot be read.
    """
    facts = read(message).facts
    places = _positions(message.text, [spelling for _, _, spelling in facts.values()])
    return tuple([Fact(cls, value, message.id, at) for (cls, value), at in zip(facts, places, strict=True)])


_MAX_SEARCHES = 1_000


def _positions(text: str, parts: Iterable[str]) -> Iterator[int]:
    """Yield the position of each part in the text, or -1.

    The parts form a few runs, each from the top to the end of the text. So each is first searched after the previous
    one, and then from the top. Parts that do not occur cost a full search each, so the number of these is limited.
    """
    start = searches = 0
    for part in parts:
        place = text.find(part, start) if searches < _MAX_SEARCHES else -1
        if place < 0 and searches < _MAX_SEARCHES:
            searches += 1
            place = text.find(part, 0, start + len(part))
        start = start if place < 0 else place
        yield place


def read(message: Message) -> ExtractedFacts:
    """Return the facts of a message. Thinking adds facts and terms, but no needs, because it does not use them yet."""
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
            _read_part(result, part, source_of(message))
    return result


def read_numbers(message: Message) -> tuple[str, ...]:
    """Return the numbers among the facts of a message. No sentences are read of a summary, which is long."""
    if message.kind != "summary" or message.placeholder is not None or set(map(type, message.parts)) - {Text}:
        return tuple([text for cls, text in read(message).facts if cls == "number"])
    result = ExtractedFacts()
    for part in message.parts:
        if isinstance(part, Text):
            _read_words(result, part.text, SAID)
    return tuple([text for cls, text in result.facts if cls == "number"])


def _read_part(result: ExtractedFacts, part: Part, source: Source) -> None:
    match part:
        case Text(text):
            _read_said(result, text, source)
        case ToolCall(_, name, arguments):
            result.say("tool", name, name_term(name))
            for point, is_open in points_of(name, arguments):
                _read_said(result, point)
                if is_open and (task := clean(point)):
                    result.say("task", task, sentence_term(task))
            arguments = unescape(PAGING.sub("", arguments) if '"' in arguments else arguments)
            stems = _read_code(result, arguments)
            result.echo_sentences(argument_sentences(arguments, stems))
        case ToolResult(_, parts, is_error):
            for inner in parts:
                if isinstance(inner, Text):
                    read_output(result, _without_reminders(inner.text), is_error)
                else:
                    _read_part(result, inner, source)
        case Image() | Document() | Thinking():
            return
        case Unknown(_, json, False):  # an internal part has no text to read
            read_output(result, json, is_error=False)


_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
"""Tags around text that Claude Code inserts into tool results."""


def _without_reminders(text: str) -> str:
    """Return tool output without the text inserted by the agent's program."""
    pieces, start = list[str](), 0
    while (at := text.find(_REMINDER, start)) >= 0 and (end := text.find(_REMINDER_END, at)) >= 0:
        pieces.append(text[start:at])
        start = end + len(_REMINDER_END)
    return "".join([*pieces, text[start:]])


def read_text(text: str) -> ExtractedFacts:
    """Return the facts of a text written by a participant, such as a summary."""
    result = ExtractedFacts()
    _read_said(result, text)
    return result


def _read_said(result: ExtractedFacts, text: str, source: Source = "speech") -> None:
    """Add the facts of a text written by a participant."""
    stems = _read_words(result, text, SAID)
    if '":' in text or ("<" in text and ">" in text):
        _forget_markup(result, text)
    result.echo_sentences(speech_sentences(text, stems, source))
    for name in _names_called(text):
        _say_called(result, name)
    for inner, is_code in quotations(text):
        _read_quoted(result, inner, is_code)


def _names_called(text: str) -> dict[str, None]:
    """Return the names before call brackets. Calls with arbitrary arguments only count if the name is qualified."""
    names: dict[str, None] = {}
    for match in _CALLED.finditer(text):
        if name := _NAME_BEFORE.match(text[max(0, match.start() - _MAX_NAME_LENGTH) : match.start()][::-1]):
            names[name[0][::-1]] = None
    for match in _OPENED.finditer(text):
        before = text[max(0, match.start() - _MAX_NAME_LENGTH) : match.start()].rpartition(" ")[2]
        if "." in before and (name := _NAME_BEFORE.match(before[::-1])) and "." in name[0]:
            names[name[0][::-1]] = None
    return names


_MAX_NAME_LENGTH = 60


def _forget_markup(result: ExtractedFacts, text: str) -> None:
    """Remove JSON keys and XML tags in written text from the symbols: they are not names defined in code."""
    for name, count in Counter(chain.from_iterable(_MARKUP.findall(text))).items():
        if ("symbol", name) in result.facts and text.count(name) == count:
            del result.facts["symbol", name]


_MARKUP = lazy_pattern(r"\"(\w{4,60})\" ?:|</?(\w{4,60})>")


def _say_called(result: ExtractedFacts, name: str) -> None:
    called = f"{name}()"
    result.say("symbol", called, name_term(called), name)
    result.terms.update(name_terms(called))


_UNNAMED = frozenset(("None", "True", "False", "null", "true", "false", "undefined", "nil", "self", "this")) | word_set(
    "awk bash cat cd chmod cp curl cut diff echo env find git grep head jq kill less ls make mkdir mv node npm pip ps "
    "pwd python python3 rm sed sh sleep sort ssh sudo tail tar test touch tr uniq wc wget which xargs yarn zsh"
)
"""Words of programming languages that name nothing, and programs that every author knows."""
_STRUCT_TAG = lazy_pattern(r'\w{2,20}:"')
"""Beginning of the tag of a field in Go: json:"name"."""


def _read_quoted(result: ExtractedFacts, inner: str, is_code: bool) -> None:
    """Add a quoted string as a name if it is one in code, otherwise as a quote if it is no other fact."""
    if not _LETTERS.search(inner) or (" " not in inner and any(fact.sure <= SAID for fact in read_word(inner))):
        return
    if is_code and NAME.fullmatch(inner):
        if inner not in _UNNAMED:
            result.say("symbol", inner, name_term(inner))
    elif not _STRUCT_TAG.match(inner) and not (
        is_code and inner.endswith(")") and NAME.fullmatch(inner.partition("(")[0])
    ):
        result.say("quote", inner, sentence_term(inner))


def read_output(result: ExtractedFacts, text: str, is_error: bool) -> None:
    """Add the facts of tool output.

    Args:
        result: Collects the facts.
        text: Text of the output.
        is_error: True if the tool failed.
    """
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "it/s" in text or "s/it" in text:
        text = _PROGRESS.sub("", text)
    if "\\n" in text and ":\\" not in text:
        text = unescape(text)
    stems = _read_code(result, text)
    for cls, sentence in output_sentences(text, stems, is_error):
        result.echo_sentences([(cls, sentence)])
        if cls == "error":
            _read_names(result, _TAG.sub("", sentence))


def _read_names(result: ExtractedFacts, line: str) -> None:
    """Add the names in an error message. The exception type is part of the message and not added."""
    for word in entries(line)[0]:
        for (cls, name), how in word.said:
            if cls == "symbol" and not name.endswith(("Error", "Exception")):
                result.facts.setdefault((cls, name), how)


_TAG = lazy_pattern(r"</?\w{1,60}>")
_PROGRESS = lazy_pattern(r"\[[\d:]{4,8}<[\d:?]{1,8}, {0,3}[\d.?]{1,8} ?(?:it/s|s/it)\]")
"""Elapsed and remaining time in a progress bar: "[00:01<00:05, 2.19it/s]"."""
_COLOUR = lazy_pattern(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")


def _read_code(result: ExtractedFacts, text: str) -> set[str]:
    """Add the facts of code or of call arguments: words, numbers, and names that are defined there.

    Returns the stems of cue phrases that its words contain.
    """
    stems = _read_words(result, text, ANYWHERE)
    for name, is_type in defined_names(f"\n{text}", stems):
        result.say("symbol", name, name_term(name if is_type else f"{name}()"), name)
    if "`" in text:
        for line in doc_lines(text):
            for inner, is_code in quotations(line):
                if is_code:
                    for fact in read_word(inner):
                        if fact.key[0] == "symbol" and fact.sure == SAID:
                            result.say("symbol", fact.key[1], fact.terms[0], inner)
                    _read_quoted(result, inner, is_code)
                    name, _, arguments = inner.partition("(")
                    if arguments.find(")") == len(arguments) - 1 >= 0 and _CALLABLE.fullmatch(name):
                        _say_called(result, name)
    return stems


def _read_words(result: ExtractedFacts, text: str, surest: Sure) -> set[str]:
    """Add the facts of single words, and of numbers with their context. `surest` is a `WordFact.sure` level.

    Returns the stems of cue phrases that the words contain.
    """
    facts = result.facts
    words, stems = entries(text)
    for key, how in chain.from_iterable([word.said if surest else word.anywhere for word in words]):
        if key not in facts:
            facts[key] = how
    result.terms.update(*[word.terms for word in words])
    result.needs.update(*[word.needs for word in words])
    for spelling, (key, names, _, need) in numbers_in(text, is_said=surest == SAID):
        result.terms.update(names)
        result.needs.add(need or names[0])
        if key not in facts:
            facts[key] = names[0], need or names[0], spelling
    for word in named_ids(text, stems):
        result.say("id", word, f"id {word.lower()}")
    return stems


_CALLED = lazy_pattern(
    r"\((?:\)|[^()`\n]{0,60}\)(?=`)|(?<=[a-z_]\()(?!es\))[A-Za-z_][\w.]{1,30}(?:, ?[\w.]{1,30}){0,3}\))"
)
"""Brackets of a call, with any content between backticks, otherwise with plain names: "`load(x, y)`", "save()"."""
_OPENED = lazy_pattern(r"\((?<=[A-Za-z_]\()(?=[^\s)])")
"""Opening bracket of a call with arguments."""
_CALLABLE = lazy_pattern(r"[\w.]{0,60}[A-Za-z_]")
_NAME_BEFORE = lazy_pattern(r"[\w.]{1,60}[A-Za-z_](?![\w.])")
_LETTERS = lazy_pattern(r"[^\W\d_]{2}")


_ESCAPES = {"\\n": "\n", '\\"': '"', "\\t": "\t", "\\/": "/", "\\r": "\r"}


def unescape(arguments: str) -> str:
    """Return JSON text with its escaped line breaks and quotation marks decoded."""
    if "\\" not in arguments:
        return arguments
    pieces = arguments.split("\\\\")  # so that an escaped backslash does not start another escape
    for escape, meant in _ESCAPES.items():
        pieces = [piece.replace(escape, meant) for piece in pieces]
    return "\\".join(pieces)
