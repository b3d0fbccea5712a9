"""The statements of a summary, each with whether its section lists open work or finished work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from inspector.core.caches import MessageCache, TextCache, text_of
from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import RelatedText, content_words, is_negated, sentence_of, sentences_of

Section = Literal["open", "request", "done", ""]
_CAPITAL = r"[A-ZÀ-Þ\u0400-\u042f\u3040-\u9fff\uac00-\ud7af]"
_HEADING = lazy_pattern(
    rf"(?:#{{1,6}} |\d{{1,2}}[.)] |[-*•] )?\*{{0,3}}({_CAPITAL}[^:*.!?;\n]{{1,60}})(?:[:：]\*{{0,3}}|\*{{1,3}}[:：])"
)
_TITLE_LINE = lazy_pattern(rf"(?:#{{1,6}} |\*\*)\*{{0,3}}({_CAPITAL}[^:*.!?;\n]{{1,60}})\*{{0,3}}")
"""Headings: "4. Pending Tasks: x" and "## Pending tasks"."""
_BARE_TITLE = lazy_pattern(rf"{_CAPITAL}[^\W\d_]*(?: [^\W\d_]+){{0,2}}")
"""A heading that is alone on its line: "TODO"."""
_MAX_TITLE = 40
_OPEN = lazy_pattern(
    r"(?i)\b(?:pending|current|next|remaining|open|to-?dos?|outstanding|missing|left to do"
    r"|in[- ]progress|goal|intent|task(?:s)?$"
    r"|unfinished|left$|still to|offene?n?|ausstehend\w*|nächste\w*|noch zu|verbleibend\w*|à faire|en cours"
    r"|restante?s?|prochaine?s?|pendientes?|próxim[oa]s?|por hacer|pendentes?|da fare|in sospeso|prossim[io]"
    r"|openstaand\w*|volgende|do zrobienia|осталось|далее|следующ\w*)\b|待办|待完成|下一步|未完成|剩余|残り|次の"
    r"|未完了|남은|다음"
)
_REQUEST = lazy_pattern(r"(?i)\b(?:primary request|user requests?)\b")
_DONE = lazy_pattern(
    r"(?i)\b(?:completed?|done|finished|accomplish\w*|resolved|progress|achieved|what was done|history|erledigt\w*"
    r"|fertig\w*|abgeschlossen\w*|terminée?s?|hechos?|completad[oa]s?|concluíd[oa]s?|fatt[oi]|completat[oi]|gedaan"
    r"|klaar|сделано|готово|выполнено)\b|已完成|完了|済み|완료"
)
_DONE_MARK = lazy_pattern(
    r"(?i)^(?:created|updated|added|implemented|wrote|removed|renamed|moved|replaced|refactored|merged|changed)\b|"
    r"[✓✔✅☑]|\[x\]|\b(?:done|completed?|finished|settled|already|implemented|fixed|has been|have been|was|were|exists?"
    r"|(?:is|are) (?:now |all )?(?!need|requir|plann|expect|block|suppos|call|miss|schedul|nam|allow)\w{2,20}ed)\b"
)
_OPEN_MARK = lazy_pattern(
    r"(?i)\[ \]|\b(?:pending|to ?do|still|remains?|left (?:are|is|to do)|(?:is|are|steps?|work) left"
    r"|next|not yet|must|will|needs? to|ha(?:s|ve) to|in progress|about to|continue)\b"
)

NAME_PARTS = lazy_pattern(r"[._/`-]+")
PART_OF_POINT = lazy_pattern(r"[,;:()\[\]]")
STATES_OF_WORK = content_words(
    "in progress pending open done complete completed finished left remaining todo still next now"
)
"""Words for the state of work."""
_BRACKETS = lazy_pattern(r"\([^()]{0,200}\)")
_ITEM = lazy_pattern(r", (?:and |or )?| and ")
_MOST, LEAST_WORDS = 0.75, 2
"""Share of the words of a task that an enumeration states, and the least number of its words."""
_MAX_HEAD, _MAX_ITEM = 9, 5
"""Maximum numbers of words of the head and of an item of an enumeration."""
_NOTES = (
    "If you need specific details from before compaction",
    "\nPlease continue the conversation from where we left",
)


_related = lru_cache(maxsize=4_096)(RelatedText)
"""Words of a statement by position."""


class SummaryPoint(NamedTuple):
    """One sentence of a summary."""

    text: str
    section: Section
    words: frozenset[str]
    """Its content words."""

    @property
    def is_open(self) -> bool:
        """True if it states work to do."""
        if self.section == "open":
            return not _DONE_MARK.search(self.text) or bool(_OPEN_MARK.search(self.text))
        return bool(_OPEN_MARK.search(self.text)) and not is_negated(self.text)

    @property
    def is_done(self) -> bool:
        """True if it states finished work."""
        return (self.section == "done" or bool(_DONE_MARK.search(self.text))) and not self.is_open


_POINTS: MessageCache[tuple[SummaryPoint, ...]] = MessageCache("summary points", limit=512)
"""Sentences of the messages of a few windows."""
_LINES = TextCache("texts on one line")
_MAX_LINE = 16_384
"""Characters of a message from which its line is not kept."""


@lru_cache(maxsize=4)
def points_in(text: str) -> tuple[SummaryPoint, ...]:
    """Return the sentences of a summary with the meaning of their section, from a cache: several judges read them."""
    return tuple(_read_points(text))


def _read_points(text: str) -> Iterator[SummaryPoint]:
    section: Section = ""
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        section, points = _points_in_line(line, section)
        yield from points


@lru_cache(maxsize=4_096)
def _points_in_line(line: str, section: Section) -> tuple[Section, tuple[SummaryPoint, ...]]:
    """Return the section at the end of a line and its sentences. Cached: summaries of a session repeat most lines."""
    if len(line) <= _MAX_TITLE and _BARE_TITLE.fullmatch(line) and (named := _section_of(line)):
        return named, ()
    is_headed, is_item = ":" in line or "：" in line, line[0] in "-*•"
    if heading := (is_headed and _HEADING.match(line)) or (line[0] in "#*" and _TITLE_LINE.fullmatch(line)):
        section, line = _without_heading(line, heading[1], heading.end(), section)
    points = tuple(_points_with(section, sentences_of(line), is_item=is_item))
    return points[-1].section if points and not is_item else section, points


def _without_heading(line: str, title: str, end: int, section: Section) -> tuple[Section, str]:
    """Return the section of a line and its rest after a title up to `end`. "It fails at step 4 (log: x)" has none."""
    named = _section_of(title)
    if line[0] in "-*•" and not line.startswith("**") and not named:
        return section, line[1:]
    is_titled = bool(named) or line[0] in "#*" or line[0].isdigit()
    return named, line[end:] if is_titled else line


def _points_with(section: Section, sentences: Iterable[str], *, is_item: bool) -> Iterator[SummaryPoint]:
    """Yield the sentences of a line, of which each that begins with a title changes the section up to its end.

    Args:
        section: Section at the start of the line.
        sentences: Its sentences.
        is_item: True for an item of a list, whose section a title that names none does not end.
    """
    for place, sentence in enumerate(sentences):
        title = _HEADING.match(sentence) if ":" in sentence else None
        named = _section_of(title[1]) if title else ""
        section = named if named or (title and place and not is_item) else section
        yield SummaryPoint(sentence, section, content_words(sentence))


def points_of(message: Message) -> tuple[SummaryPoint, ...]:
    """Return the sentences of a kept message. Raises OSError if it can no longer be read."""
    return _POINTS.get(message, lambda kept: tuple(_read_points(text_of(kept))))


def flat_text(message: Message) -> str:
    """Return the text of a message on one line. Raises OSError if it can no longer be read."""
    return _LINES.get(message, _flatten) if message.chars <= _MAX_LINE else _flatten(message)


def _flatten(message: Message) -> str:
    return one_line(text_of(message))


class ContextPoints:
    """The statements of a summary and then of kept messages, which are read when they are needed."""

    def __init__(self, summary: str, kept: Sequence[Message]) -> None:
        self.summary = points_in(summary)
        self._text = summary
        self._kept = kept
        self._with_stem: dict[str, list[int]] = {}
        """Positions of the kept messages with each stem that was looked for."""

    def __iter__(self) -> Iterator[SummaryPoint]:
        yield from self.summary
        for message in self._kept:
            yield from points_of(message)

    def contains(self, line: str) -> bool:
        """Return True if one of the texts contains a line, wherever its own lines break."""
        return line in self._line or line in self._kept_lines

    @cached_property
    def _kept_lines(self) -> str:
        """Texts of the kept messages, each on one line."""
        return "\n".join(map(flat_text, self._kept))

    @cached_property
    def _line(self) -> str:
        return one_line(self._text)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Content words of the summary."""
        return content_words(self._text)

    def has_word(self, word: str) -> bool:
        """Return True if a word is the stem of one in the summary or in a kept message."""
        near = self.near(frozenset((word,)), 1)
        return word in self._words or any(word in point.words for point in near)

    def near(self, words: frozenset[str], least: float) -> Iterator[SummaryPoint]:
        """Yield the statements that may contain enough of some stems, and no others if `least` is positive.

        Those of a kept message are all yielded if its text contains enough of them.

        Args:
            words: Stems, which are parts of their words in lower case.
            least: Number of them that a statement must contain.
        """
        if least <= 0:
            yield from self
            return
        by_word = self._by_word
        counts = Counter(chain.from_iterable([by_word[word] for word in words if word in by_word]))
        yield from (self.summary[place] for place in sorted(counts) if counts[place] >= least)
        counts = Counter(chain.from_iterable(map(self._kept_with, words)))
        for place in sorted(counts.keys() | self._unsure):
            if counts[place] >= least or place in self._unsure:
                yield from points_of(self._kept[place])

    @cached_property
    def _by_word(self) -> Mapping[str, list[int]]:
        """Positions of the statements of the summary by each of their words."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for place, point in enumerate(self.summary):
            for word in point.words:
                by_word[word].append(place)
        return by_word

    @cached_property
    def _low(self) -> dict[int, str]:
        """Texts of the kept messages in lower case by their positions, of those that are ASCII."""
        texts = enumerate(map(text_of, self._kept))
        return {place: text.lower() for place, text in texts if text.isascii()}

    @cached_property
    def _unsure(self) -> frozenset[int]:
        """Positions of the other kept messages."""
        return frozenset(range(len(self._kept))) - self._low.keys()

    def _kept_with(self, stem: str) -> list[int]:
        """Return the positions of the kept messages with a stem: many items have the same ones."""
        places = self._with_stem.get(stem)
        if places is None:
            places = self._with_stem[stem] = [place for place, text in self._low.items() if stem in text]
        return places


def _section_of(title: str) -> Section:
    if _REQUEST.search(title):
        return "request"
    is_done = _DONE.search(title) and "in progress" not in title.lower()
    return "done" if is_done else "open" if _OPEN.search(title) else ""


def matching(points: Iterable[SummaryPoint] | ContextPoints, text: str, least: float = 0.6) -> list[SummaryPoint]:
    """Return the points that state a text in either polarity, the closest first.

    Args:
        points: The points of a summary.
        text: A task, a rule or another sentence.
        least: Share of its content words that one point must contain, close to each other and in their order.
    """
    words = content_words(text)
    enough = max(least * len(words), min(2, len(words)), 1)
    points = points.near(words, enough) if isinstance(points, ContextPoints) else points
    shared = [(len(words & point.words), point) for point in points if not words.isdisjoint(point.words)]
    close = [(count, point) for count, point in shared if count >= enough and is_about(point.text, text, least)]
    return [point for _, point in sorted(close, key=lambda pair: -pair[0])]


def is_about(statement: str, text: str, share: float = 0.6) -> bool:
    """Return True if a statement says a share of a text in either polarity, not only its words.

    Args:
        statement: Sentence of a summary.
        text: Text of an item.
        share: Minimum share of the words of the text that the statement contains.
    """
    return _related(statement).is_about(sentence_of(text), share)


def lists_task(point: SummaryPoint, task: str) -> bool:
    """Return True if a point of a summary is about a task, or lists a short form of it: "revision, handler"."""
    own = content_words(task)
    items = (content_words(item) for item in point.text.rpartition(":")[2].split(","))
    return is_about(point.text, task) or any(item and item <= own for item in items)


def same_points(points: Iterable[SummaryPoint], text: str) -> list[SummaryPoint]:
    """Return the points that state a text and little else."""
    words = content_words(text)
    close = matching(points, text)
    return [point for point in close if 2 * len(words & point.words) >= len(point.words)]


def shortened(points: Iterable[SummaryPoint], text: str, others: Sequence[str] = ()) -> list[SummaryPoint]:
    """Return the points with a clause that is a short form of a text: "level editor" for "Port the level editor".

    Args:
        points: The points.
        text: A task, or a sentence of a request.
        others: Other tasks. A short form of a task has a word that they lack, which can be its only one: "newsletter".
    """
    words = content_words(text)
    own = words.difference(*map(content_words, others))
    clauses = ((point, clause) for point in points for clause in PART_OF_POINT.split(point.text))
    return [
        point
        for point, clause in clauses
        if _is_short_form(clause, words, text, own) or (others and _names_alone(point, clause, own))
    ]


def _is_short_form(clause: str, words: frozenset[str], text: str, own: frozenset[str]) -> bool:
    """Return True if most words of a clause, and a third of those of a text, are words of the text in its order."""
    said = content_words(clause) - STATES_OF_WORK
    enough = max(LEAST_WORDS, len(words) / 3, _MOST * len(said))
    is_short = len(said & words) >= enough and not said.isdisjoint(own)
    return is_short and _related(clause).ordered(sentence_of(text)) >= enough


def _names_alone(point: SummaryPoint, clause: str, own: frozenset[str]) -> bool:
    """Return True if a clause has one of some words alone: as the whole point, or with words for a state."""
    said = content_words(clause)
    name = said - STATES_OF_WORK
    is_plain = len(name) == 1 and name <= own and all(map(str.isalpha, name))
    return is_plain and (name != said or name == point.words)


def enumerated(points: ContextPoints, lines: Sequence[SummaryPoint], text: str) -> str:
    """Return the first statement that says most of a text with its head and one of its items; "" for none.

    "Added commands: `RESUME`, `REWIND`" says "Add the REWIND command". Words in brackets are details.

    Args:
        points: Statements of a new context.
        lines: Lines of its summary.
        text: A task.
    """
    words = content_words(_BRACKETS.sub(" ", text))
    if len(words) < LEAST_WORDS:
        return ""
    enough = _MOST * len(words)
    for point in chain(points.near(words, enough), lines):
        if point.text.count(",") and len(words & point.words) >= enough:
            lead, items = _enumeration_in(point.text)
            if any(len(words & (lead | item)) >= enough and item & words for item in items):
                return point.text
    return ""


def _enumeration_in(text: str) -> tuple[frozenset[str], list[frozenset[str]]]:
    """Return the words of the head of an enumeration, and of each item; no items if it is no enumeration."""
    head, colon, rest = text.partition(": ")
    items = _ITEM.split(rest if colon else head)
    lead = content_words(head if colon else items[0].partition(" ")[0])
    is_list = len(lead) <= _MAX_HEAD and all(item.count(" ") < _MAX_ITEM for item in items)
    return lead, [content_words(item) for item in items] if is_list else []


def without_notes(summary: str) -> str:
    """Return a summary without the notes at its end by which Claude Code names the transcript and tells to go on."""
    for note in _NOTES:
        summary = summary.partition(note)[0]
    return summary
