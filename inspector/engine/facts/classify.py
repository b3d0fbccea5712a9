"""Classifies sentences as constraints, decisions, tasks or errors. This is the only definition, for English.

Facts, the extractive summary, the signals of strategies and the reasons of memory tiers all use it, so that a decision
reported as lost is one that was also scored and listed.

Each class has a table of cue phrases (lowercase text without which no sentence is of that class), each with the pattern
that decides. Written text and tool output have separate tables: most output is source code and documents, so fewer
phrases count there. Patterns run only if their cue phrase occurs in the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from inspector.core.text import lazy_pattern
from inspector.engine.facts.classes import SentenceClass, Source
from inspector.engine.facts.constraint_cues import CONSTRAINT, PRINTED_CONSTRAINT
from inspector.engine.facts.cue_phrases import BOXES, OPEN_BOX, PRINTED_DECISION, PRINTED_TASK
from inspector.engine.facts.cue_tables import Marks, StemSearch, joined
from inspector.engine.facts.error_cues import PRINTED_ERROR
from inspector.engine.facts.exclusions import (
    decides_nothing,
    describes_no_error,
    is_no_printed_decision,
    is_no_rule,
    is_no_task,
    is_no_wish,
    is_own_step,
    is_question,
    reports_no_error,
)
from inspector.engine.facts.instructions import is_imperative, is_instruction
from inspector.engine.facts.list_headings import (
    DECISION_HEADING,
    HEADINGS,
    OPEN_HEADING,
    RULE_HEADING,
    RULES_TO_COME,
    TO_COME,
)
from inspector.engine.facts.reply_cues import REPLY_CHOICES, REPLY_FAILURES, REPLY_WORK
from inspector.engine.facts.request_sentences import STEP_POINT, WORK_POINT, planned_steps, requests_in
from inspector.engine.facts.sentence_model import confirmed_classes
from inspector.engine.facts.tool_failures import TOOL_FAILURES
from inspector.engine.facts.typed_cues import TYPED_CHOICES, TYPED_FAILURES, TYPED_RULES, TYPED_WORK


def _stem_of(mark: str) -> str:
    """Return the longest run of letters in a cue phrase, or "" if it is too short to be a useful filter."""
    stem = max(_LETTERS.findall(mark), key=len, default="")
    return stem if len(stem) >= _MIN_STEM_LENGTH else ""


_LETTERS = lazy_pattern("[a-z]+")
_MIN_STEM_LENGTH = 3
_CODE = lazy_pattern(
    r"\s*+(?:\d+(?:→|\t)|(?:(?:[\w./-]{1,200}[:-])?\d+[:-])?[+-]?\s*"
    r"(?:(?:raise|except|class|def|import|from|if|elif|else|return|throw|catch|try|async|await|const|let|var|assert"
    r"|function|func|fn|export|public|private|static|case|type|interface|for|while|with|print|console|logger|log|self"
    r"|this|defer|switch|yield|t\.\w+)\b(?!:? (?:error|fail))"
    r"|\$\w{1,40} ?[|=.]|#|//|/\*|\*(?!\* ?[\w(])|@|<(?!\w+_error>|\w*(?:status|message|reason|error)>)|\""
    r"|'(?![\w.-]{1,40}' is not )|`(?![^`\n]{1,80}` (?:[a-z]"
    r"|- [A-Z]))"
    r"|(?!Traceback |CONFLICT )[\w.]+ ?(?::=|=(?!=)|\((?!\d{1,6}(?:,\d{1,4})?\)?: |\d{1,6}/\d))))"
)
"""Start of a line of source code, or of any line of a file listing with line numbers: `  12→def load():`."""


_PLAIN = lazy_pattern(r"[a-z]+ [a-z'’]+ [a-z'’]+(?: |[.!,]?$)")
"""Start of a line that consists of words, such as "this is wrong"."""


def _never(_sentence: str) -> None:
    return None


def _is_code(sentence: str) -> bool:
    """Return True for typed source code. Words such as "this" and "if" begin sentences too."""
    return bool(_CODE.match(sentence)) and not _PLAIN.match(sentence)


_INNER_DOT = lazy_pattern(r"\.(?<=\w\.)(?=\w)")
"""Full stop within a name or number, which ends no sentence: "load.py", "2.5"."""


class Rule(NamedTuple):
    """Decides if a sentence belongs to a class: a cue phrase's pattern must match, and no exclusion may apply."""

    cls: SentenceClass
    marks: Marks
    excludes: Callable[[str], object]
    """Exclusion that is checked after the patterns."""
    skips: Callable[[str], object] = _never
    """Cheap exclusion that is checked before the patterns."""

    def matches(self, sentence: str, marks: Sequence[str]) -> bool:
        """Return True if a sentence is of the class. `marks` are the cue phrases found in the text it is part of."""
        low = sentence.lower()
        cues = [mark for mark in marks if mark in low]
        if not cues or self.skips(sentence):
            return False
        searched = _INNER_DOT.sub("_", sentence) if self.cls != "error" and "." in sentence else sentence
        return any(self.marks[mark].search(searched) for mark in cues) and not self.excludes(sentence)


RULES: Mapping[Source, Mapping[SentenceClass, Rule]] = {
    "speech": {
        "constraint": Rule("constraint", CONSTRAINT, is_own_step),
        "decision": Rule("decision", REPLY_CHOICES, decides_nothing),
        "task": Rule("task", REPLY_WORK, is_no_task),
        "error": Rule("error", REPLY_FAILURES, describes_no_error, skips=_CODE.match),
    },
    "typed": {
        "constraint": Rule("constraint", TYPED_RULES, is_no_wish),
        "decision": Rule("decision", TYPED_CHOICES, is_question),
        "task": Rule("task", TYPED_WORK, is_no_task),
        "error": Rule("error", TYPED_FAILURES, describes_no_error, skips=_is_code),
    },
    "rules": {
        "constraint": Rule("constraint", CONSTRAINT, is_own_step),
    },
    "output": {
        "constraint": Rule("constraint", PRINTED_CONSTRAINT, is_no_rule),
        "decision": Rule("decision", PRINTED_DECISION, is_no_printed_decision),
        "task": Rule("task", PRINTED_TASK, _never),
        "error": Rule("error", joined(PRINTED_ERROR, TOOL_FAILURES), reports_no_error, skips=_CODE.match),
    },
}
MIN_SENTENCE_LENGTH, MAX_SENTENCE_LENGTH = 9, 600
"""Minimum and maximum length of a classified sentence, in characters."""
_KEPT = 300
"""Characters of a sentence to keep."""
_LEAD = lazy_pattern(
    r"[\s>#*+•|☐◻⎿–—-]{0,12}(?:\(?\d{1,3}[.)]\s+|(?:Step|Phase) \d{1,2}[.):]\s+)?(?:\[[ xX]\]\s*)?[*_]{0,3}"
)
"""Bullet, number, checkbox and emphasis before a point: "> 3. [ ] **"."""


def clean(piece: str) -> str:
    """Return a sentence on one line without bullet and emphasis, cut to 300 characters; "" if under 9 characters."""
    match = _LEAD.match(piece)
    text = " ".join(piece[match.end() if match else 0 :].split()).replace("**", "").strip(" *|")
    return text[:_KEPT].strip() if len(text) >= MIN_SENTENCE_LENGTH else ""


_INTRODUCED = lazy_pattern(r"[A-Za-z][^\n*]{3,100}:\s*")
"""Line between a heading and its list: "You are ready to:"."""
_BULLET = lazy_pattern(r"\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?!\[[xX]\])")
_MAX_HEADING_LENGTH = 60


def listed_points(
    text: str, low: str, source: Source = "speech", stems: Set[str] | None = None
) -> Iterator[tuple[SentenceClass, str]]:
    """Yield list points, cleaned, with the class given by their list.

    Tasks have an empty checkbox, are below a heading for tasks, or are the steps of a typed request. Decisions and
    rules are below their headings.

    Args:
        text: Text to search.
        low: The same text in lowercase.
        source: Origin of the text.
        stems: Stems of headings that the text contains, if they are known.
    """
    if "[ ]" in text or any(map(text.__contains__, BOXES)):
        yield from (("task", point) for match in OPEN_BOX.finditer(text) if (point := clean(match[0])))
    below = headed_points(text, low, stems)
    if source == "typed":
        ruled = {point for cls, point in below if cls == "constraint"}
        yield from (("task", step) for step in _steps_of(text) if step not in ruled)
        yield from (("task", request) for request in _requests_of(text) if request not in ruled)
    yield from _plan_points(text, source)
    yield from below


def headed_points(text: str, low: str, stems: Set[str] | None = None) -> list[tuple[SentenceClass, str]]:
    """Return the list points below headings that give their class, cleaned. See `listed_points`."""
    return list(_points_below(text)) if any(map(low.__contains__, _heading_cues(stems))) else []


def certain_points(
    text: str, low: str, source: Source, stems: Set[str] | None = None
) -> list[tuple[SentenceClass, str]]:
    """Return the points whose class more than their words tell: those below headings, and the steps of plans."""
    return [*headed_points(text, low, stems), *_plan_points(text, source)]


def _plan_points(text: str, source: Source) -> list[tuple[SentenceClass, str]]:
    """Return the steps of an agent's plan, cleaned."""
    return [("task", point) for step in planned_steps(text) if (point := clean(step))] if source == "speech" else []


def _heading_cues(stems: Set[str] | None) -> Sequence[str]:
    """Return the phrases of headings that a text with these stems can contain."""
    return HEADINGS if stems is None else [cue for stem in ("", *stems) for cue in _HEADING_CUES.get(stem, ())]


def _points_below(text: str) -> Iterator[tuple[SentenceClass, str]]:
    """Yield the points of lists below headings that give their class."""
    below: SentenceClass | None = None
    is_first = False
    for line in text.split("\n"):
        if heading := _class_of_heading(line):
            below, is_first = heading, True
        elif below and _BULLET.match(line):
            is_first = False
            pieces = _STOP.split(line[:MAX_SENTENCE_LENGTH]) if below == "constraint" else [line[:MAX_SENTENCE_LENGTH]]
            yield from (
                (below, point) for piece in pieces if piece.count(" ") >= 3 and (point := clean(piece)) and _says(point)
            )
        elif line.strip() and not (is_first and _INTRODUCED.fullmatch(line)):
            below = None


def _class_of_heading(line: str) -> SentenceClass | None:
    """Return the class of the points below a line; None if the line is not a heading."""
    if ":" in line[-_ENDING:] and not _CASE.match(line) and TO_COME.search(line[-_MAX_HEADING_LENGTH:]):
        return "task"
    if ":" in line[-_ENDING:] and RULES_TO_COME.match(line):
        return "constraint"
    if len(line) > _MAX_HEADING_LENGTH:
        return None
    for pattern, cls in _HEADINGS:
        if pattern.fullmatch(line):
            return cls
    return None


_CASE = lazy_pattern(r"\W{0,6}(?:When|Whenever|If|Once|Before|After|For|To)\b")
"""Start of a line about a case, whose list is no work to be done: "When someone asks for help, I will:"."""


def _says(point: str) -> bool:
    """Return True if a point has enough words to state something: "`clean` - as above" has not."""
    return len(_WORDS.findall(point)) >= _MIN_WORDS and not _DESCRIBED.match(point)


_DESCRIBED = lazy_pattern(r"`[^`]{1,80}` ?(?:-|–|—|:|→) ?(?:uses?|is|has|returns?|are|was|already|same|similar)\b")
"""Point that describes a name: "`load` - uses the cache"."""

_WORDS = lazy_pattern(r"[^\W\d_]{2,}")
_MIN_WORDS = 3
_STOP = lazy_pattern(r"(?<=[a-z)][.!]) (?=[A-Z])")
"""End of a sentence within a point."""
_ENDING = 6
"""Number of characters at the end of a line in which an introducing colon can be."""
_HEADINGS: Sequence[tuple[re.Pattern[str], SentenceClass]] = (
    (OPEN_HEADING, "task"),
    (DECISION_HEADING, "decision"),
    (RULE_HEADING, "constraint"),
)
_MIN_STEPS = 2

_FORMED = lazy_pattern(r"(?:Round|Format|Output|Return|Write|Express|Report|Print|Give) ")
"""Start of a step that asks for a certain form. It is a step even if it matches a constraint."""

_LASTING = lazy_pattern(r"(?i)(?:please )?(?:remember|note|keep in mind|feel free|be aware|if|always|never|unless)\b")
"""Start of a point that asks for no step: "Please remember that the site is public", "If a name is unclear, ask"."""


def _steps_of(text: str) -> Iterator[str]:
    """Yield the points of a request for one-time work: numbered imperatives, and points that start with a work verb."""
    points = [point for match in STEP_POINT.finditer(text) if (point := clean(match[0]))] if "2" in text else []
    steps = [point for point in points if is_imperative(point) and not _LASTING.match(point) and point[-1] != ":"]
    steps += [point for match in WORK_POINT.finditer(text) if (point := clean(match[0]))]
    if len(steps) >= _MIN_STEPS:
        rule = RULES["typed"]["constraint"]
        yield from (step for step in steps if _FORMED.match(step) or not rule.matches(step, [*rule.marks]))


def _requests_of(text: str) -> Iterator[str]:
    """Yield the cleaned requests of a prompt with several, except rules."""
    rule = RULES["typed"]["constraint"]
    for request in requests_in(text):
        if (cleaned := clean(request)) and not rule.matches(cleaned, [*rule.marks]):
            yield cleaned


class SentenceClassifier:
    """Classifies the sentences of one text. Cue phrases are searched once for the whole text."""

    def __init__(self, text: str, source: Source = "speech", only: SentenceClass | None = None) -> None:
        """Prepare a text.

        Args:
            text: The whole text.
            source: Origin of the text.
            only: The only class to look for; all classes by default.
        """
        low = text.lower()
        stems = SEARCH.found_in(low)
        present = marks_in(low, stems, source)
        self._rules = [
            (rule, present[cls]) for cls, rule in RULES[source].items() if cls in present and only in (None, cls)
        ]
        self._stems = {STEMS[mark] for _, marks in self._rules for mark in marks}
        points = listed_points(text, low, source, stems) if source != "output" else ()
        self._points = {point: cls for cls, point in points}
        self._certain = set(certain_points(text, low, source, stems) if self._points else ())
        self._source, self._only, self._may_add = source, only, may_add(text, source)

    def classes(self, sentence: str) -> tuple[SentenceClass, ...]:
        """Return the classes of a sentence of the text, or of a line of an output. See `sentence_classes`."""
        if not MIN_SENTENCE_LENGTH <= len(sentence) <= MAX_SENTENCE_LENGTH or not self._may_be_any(sentence):
            return ()
        cleaned = clean(sentence)
        if not cleaned:
            return ()
        names = list(dict.fromkeys(self._ruled(sentence, cleaned)))
        certain = [cls for cls in names if (cls, cleaned) in self._certain]
        classes = confirmed_classes(cleaned, self._source, names, certain, may_add=self._may_add)
        return classes if self._only is None else tuple([name for name in classes if name == self._only])

    def _ruled(self, sentence: str, cleaned: str) -> Iterator[SentenceClass]:
        """Yield the classes that the rules give to a sentence, before the model confirms them."""
        if self._source == "rules" and is_instruction(cleaned):
            yield "constraint"
        for rule, marks in self._rules:
            if rule.matches(sentence if rule.cls == "error" else cleaned, marks):
                yield rule.cls
        if listed := self._points.get(cleaned):
            yield listed

    def _may_be_any(self, sentence: str) -> bool:
        return bool(self._points) or self._may_add or may_hold(sentence, self._stems)


def may_add(text: str, source: Source) -> bool:
    """Return True if sentences without a cue phrase can have a class: those of system prompts and short typed texts."""
    return source == "rules" or (source == "typed" and len(text) <= MAX_TYPED)


MAX_TYPED = 4_000
"""Maximum length of a text that a user types. Longer ones are pasted documents, with rules but no choices."""


def may_hold(piece: str, stems: Collection[str]) -> bool:
    """Return True if a piece can contain a cue phrase with one of these stems once cleaned. Faster than cleaning."""
    low = piece.lower()
    for stem in stems:  # faster than a generator in `any`
        if stem in low:
            return True
    return "**" in piece  # emphasis inside a word can split a stem


def sentence_classes(
    sentence: str, source: Source = "speech", only: SentenceClass | None = None
) -> tuple[SentenceClass, ...]:
    """Return the classes of one sentence, highest weight first; most sentences have none.

    Args:
        sentence: Sentence. Those under 9 or over 600 characters have no class.
        source: Origin of the sentence.
        only: The only class to look for; all classes by default.
    """
    return SentenceClassifier(sentence, source, only).classes(sentence)


STEMS: Mapping[str, str] = {
    mark: _stem_of(mark) for rules in RULES.values() for rule in rules.values() for mark in rule.marks
}
"""Stem of each cue phrase; empty for phrases that are searched in every text."""
ALL_STEMS = frozenset(STEMS.values()) - {""}
MarksByClass = Mapping[SentenceClass, Sequence[str]]


def _by_stem(source: Source) -> Mapping[str, Sequence[tuple[SentenceClass, str, bool]]]:
    """Return the cue phrases of a source by stem, each with its class and True if it is longer than its stem."""
    marks = defaultdict[str, list[tuple[SentenceClass, str, bool]]](list)
    for rule in RULES[source].values():
        for mark in rule.marks:
            marks[STEMS[mark]].append((rule.cls, mark, mark != STEMS[mark]))
    return dict(marks)


_BY_STEM: Mapping[Source, Mapping[str, Sequence[tuple[SentenceClass, str, bool]]]] = {
    source: _by_stem(source) for source in RULES
}
_HEADING_CUES: Mapping[str, Sequence[str]] = {
    stem: [cue for cue in HEADINGS if _stem_of(cue) == stem] for stem in map(_stem_of, HEADINGS)
}
"""Phrases without which a line is no heading, by stem."""
SEARCH = StemSearch(ALL_STEMS | (_HEADING_CUES.keys() - {""}))


def marks_in(low: str, stems: Set[str], source: Source) -> MarksByClass:
    """Return the cue phrases in a lowercase text by class. Only those whose stem is in the text are searched."""
    by_stem = _BY_STEM[source]
    marks: dict[SentenceClass, list[str]] = {}
    for stem in ("", *stems):
        for cls, mark, is_longer in by_stem.get(stem, ()):
            if not is_longer or (mark[0] in low and mark in low):
                marks.setdefault(cls, []).append(mark)
    return marks
