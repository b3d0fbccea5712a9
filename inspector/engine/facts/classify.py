"""What makes a sentence a constraint, a decision, a task or an error: the one definition, for English.

Facts, the extractive summary, the signals of strategies and the reasons of memory tiers all ask here, so that a
decision whose loss is reported is one that was scored and listed.

Each class is a table of marks (words in small letters without which no sentence is of that class), each with the
pattern that decides. Text that somebody wrote and text that a tool printed have tables of their own: of what is printed
most is source code and documents, so fewer marks count there. The patterns run only where a mark stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from inspector.engine.facts.constraint_cues import CONSTRAINT, PRINTED_CONSTRAINT, SELF, TYPED_CONSTRAINT, WISH
from inspector.engine.facts.cue_phrases import (
    DECISION,
    DECISION_HEADING,
    HEADINGS,
    OPEN_BOX,
    OPEN_HEADING,
    PRINTED_DECISION,
    PRINTED_TASK,
    RULE_HEADING,
    TASK,
    TO_COME,
    TYPED_DECISION,
    TYPED_TASK,
)
from inspector.engine.facts.cue_tables import Marks
from inspector.engine.facts.error_cues import ERROR, PRINTED_ERROR, TYPED_ERROR
from inspector.engine.facts.instructions import is_imperative, is_instruction

SentenceClass = Literal["constraint", "decision", "task", "error"]
Source = Literal["speech", "typed", "rules", "output"]
"""Whose words a text is: an agent's or a summary's, somebody's who types, a system prompt's, or what a tool printed."""


def _stem_of(mark: str) -> str:
    """The longest run of letters in a mark, which lies within one word; none where that is too short to tell."""
    stem = max(_LETTERS.findall(mark), key=len, default="")
    return stem if len(stem) >= _MIN_STEM_LENGTH else ""


_LETTERS = re.compile("[a-z]+")
_MIN_STEM_LENGTH = 3
_CODE = re.compile(
    r"\s*+(?:\d+(?:→|\t)|(?:(?:[\w./-]{1,200}[:-])?\d+[:-])?[+-]?\s*"
    r"(?:(?:raise|except|class|def|import|from|if|elif|else|return|throw|catch|try|async|await|const|let|var|assert"
    r"|function|func|fn|export|public|private|static|case|type|interface|for|while|with|print|console|logger|log|self"
    r"|this|defer|switch|yield|t\.\w+)\b(?!:? (?:error|fail))"
    r"|#|//|/\*|\*(?!\*\w)|@|<(?!\w+_error>)|\"|'|`(?![^`\n]{1,80}` [a-z])"
    r"|(?!Traceback |CONFLICT )[\w.]+ ?(?::=|=(?!=)|\()))"
)
"""How a line of source code begins, or any line of a file that was read with numbers before its lines."""
_NO_ERROR = re.compile(
    r"\b(?:0|no|without|zero) (?:errors?|failures?|failed)"
    r"|\berrors?[=:] ?0\b|\bfail(?:ed|ures?)[=:] ?0\b|\.{3} ok\b"
    r"|=>(?! (?-i:ERROR)\b)(?!.{0,200}\bis not assignable)|[{};,]\s*$"
    r"|\berror\??: (?:null|none|undefined|nil|true|false|string|unknown"
    r"|any|err|error|e|an?)\b",
    re.IGNORECASE,
)
"""Lines that speak of errors and tell of none: counts of none, and code."""
_SOURCE = re.compile(r"[{}=<>\\$]|;\s*$|\w\(|::|->|^\s*[#/@]|\"\"\"")


def _is_own_step(sentence: str) -> bool:
    """Whether a sentence speaks of the speaker's own next step, habit or guess, or is a question."""
    return bool(SELF.search(sentence)) or (sentence.endswith("?") and ". " not in sentence)


def _is_no_wish(sentence: str) -> bool:
    """Whether a sentence that somebody typed speaks of themselves without a wish, only leads to a list, or asks."""
    if _is_question(sentence) or _ASKED.search(sentence) or _only_leads(sentence):
        return True
    return bool(SELF.search(sentence)) and not WISH.search(sentence)


_ASKED = re.compile(r"\b(?:where|what|how|which|whether|why|who)\b[^,.;:]{0,40} should\b", re.IGNORECASE)
"""What should be is asked for, and not said."""


def _is_question(sentence: str) -> bool:
    return sentence.endswith("?") and not _ASSURED.search(sentence)


_ASSURED = re.compile(r"[,.;] (?:right|ok|okay|yes|no|no way|can we|does that make sense)?\?$|\bwithout\b")
"""How a statement ends that only looks like a question."""


def _is_heading(sentence: str) -> bool:
    """Whether what a sentence tells of is still to come, or in the line below."""
    return sentence.endswith(":")


def _only_leads(sentence: str) -> bool:
    """Whether a sentence is a few words above a list, which says all the rest: "Focus on:"."""
    return sentence.endswith(":") and sentence.count(" ") < _MIN_SPACES


_MIN_SPACES = 3


def _is_no_rule(sentence: str) -> bool:
    return not is_prose(sentence) or bool(SELF.search(sentence) or _DEMANDED.search(sentence))


_DEMANDED = re.compile(
    r"\bmust (?:have|be|match|implement|return|satisfy|extend) (?:the same|of type|of the same|assignable|constant"
    r"|defined|declared|an? (?:valid|string|number|function|type|array|integer|object|interface|pointer|list))\b",
    re.IGNORECASE,
)
"""What a compiler or a library demands of code."""


def _is_no_prose(sentence: str) -> bool:
    return not is_prose(sentence)


def is_prose(sentence: str) -> bool:
    """Whether a line of an output is words that people write: no source code, no row of a table."""
    if _SOURCE.search(sentence) or len(sentence) < _MIN_PROSE_LENGTH:
        return False
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.7 * len(sentence) and sentence.count(" ") >= 3


_MIN_PROSE_LENGTH = 20


_DECISION_HEADING = re.compile(
    r"\W{0,6}(?:(?:key|main|other|important|design|technical) ){0,3}(?:decisions?|choices)(?: (?:made|taken))?\W{0,4}",
    re.IGNORECASE,
)
"""The heading of a list of decisions."""


def _never(_sentence: str) -> None:
    return None


class Rule(NamedTuple):
    """What makes a sentence one of a class: a mark whose pattern matches, and nothing that speaks against it."""

    cls: SentenceClass
    marks: Marks
    excludes: Callable[[str], object]
    skips: Callable[[str], object] = _never
    """What speaks against it and costs next to nothing to find out, so it is asked before the patterns."""

    def present_in(self, low: str) -> list[str]:
        """The marks that stand in a text, which is given in small letters."""
        return [mark for mark in self.marks if mark in low]

    def matches(self, sentence: str, marks: Sequence[str]) -> bool:
        """Whether a sentence is of the class; `marks` are those that the text holds that it comes from."""
        if self.skips(sentence):
            return False
        low, patterns = sentence.lower(), self.marks
        for mark in marks:
            if mark in low and patterns[mark].search(sentence):
                return not self.excludes(sentence)
        return False


RULES: Mapping[Source, Mapping[SentenceClass, Rule]] = {
    "speech": {
        "constraint": Rule("constraint", CONSTRAINT, _is_own_step),
        "decision": Rule("decision", DECISION, _DECISION_HEADING.fullmatch),
        "task": Rule("task", TASK, _is_heading),
        "error": Rule("error", ERROR, _NO_ERROR.search, skips=_CODE.match),
    },
    "typed": {
        "constraint": Rule("constraint", TYPED_CONSTRAINT, _is_no_wish),
        "decision": Rule("decision", TYPED_DECISION, _is_question),
        "task": Rule("task", TYPED_TASK, _is_heading),
        "error": Rule("error", TYPED_ERROR, _NO_ERROR.search, skips=_CODE.match),
    },
    "rules": {
        "constraint": Rule("constraint", CONSTRAINT, _is_own_step),
        "task": Rule("task", TASK, _is_heading),
    },
    "output": {
        "constraint": Rule("constraint", PRINTED_CONSTRAINT, _is_no_rule),
        "decision": Rule("decision", PRINTED_DECISION, _is_no_prose),
        "task": Rule("task", PRINTED_TASK, _never),
        "error": Rule("error", PRINTED_ERROR, _NO_ERROR.search, skips=_CODE.match),
    },
}
SHORTEST, MAX_WORD_LENGTH = 9, 600
"""Characters of a sentence that can be of a class."""
_KEPT = 300
"""Characters of it that are kept."""
_LEAD = re.compile(
    r"[\s>#*+•|–—-]{0,12}(?:\(?\d{1,3}[.)]\s+|(?:Step|Phase) \d{1,2}[.):]\s+)?(?:\[[ xX]\]\s*)?[*_]{0,3}"
)


def clean(piece: str) -> str:
    """A sentence on one line, without bullet and emphasis, cut at 300 characters; "" for one that is too short."""
    match = _LEAD.match(piece)
    text = " ".join(piece[match.end() if match else 0 :].split()).replace("**", "").strip(" *|")
    return text[:_KEPT].strip() if len(text) >= SHORTEST else ""


_BULLET = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?!\[[xX]\])")
_MAX_HEADING_LENGTH = 60


def listed_points(text: str, low: str, source: Source = "speech") -> Iterator[tuple[SentenceClass, str]]:
    """Points of lists, cleaned, with the class that the list gives them.

    Things to do have an empty box, stand below a heading that says so, or are the steps of a request, in what somebody
    typed; decisions stand below their heading. `low` is the text in small letters.
    """
    if "[ ]" in text:
        yield from (("task", point) for match in OPEN_BOX.finditer(text) if (point := clean(match[0])))
    if source == "typed":
        yield from (("task", step) for step in _steps_of(text))
    if any(map(low.__contains__, HEADINGS)):
        yield from _points_below(text)


def _points_below(text: str) -> Iterator[tuple[SentenceClass, str]]:
    """The points of lists below headings that say what they are."""
    below: SentenceClass | None = None
    for line in text.split("\n"):
        if heading := _class_of_heading(line):
            below = heading
        elif below and _BULLET.match(line):
            pieces = _STOP.split(line[:MAX_WORD_LENGTH]) if below == "constraint" else [line[:MAX_WORD_LENGTH]]
            yield from ((below, point) for piece in pieces if piece.count(" ") >= 3 and (point := clean(piece)))
        elif line.strip():
            below = None


def _class_of_heading(line: str) -> SentenceClass | None:
    """What the points below a line are; None for any other line."""
    if ":" in line[-_ENDING:] and TO_COME.search(line[-_MAX_HEADING_LENGTH:]):
        return "task"
    if len(line) > _MAX_HEADING_LENGTH:
        return None
    for pattern, cls in _HEADINGS:
        if pattern.fullmatch(line):
            return cls
    return None


_STOP = re.compile(r"(?<=[a-z)][.!]) (?=[A-Z])")
"""The end of a sentence within a point."""
_ENDING = 6
"""Characters of the end of a line among which is the colon that leads to the lines below."""
_HEADINGS: Sequence[tuple[re.Pattern[str], SentenceClass]] = (
    (OPEN_HEADING, "task"),
    (DECISION_HEADING, "decision"),
    (RULE_HEADING, "constraint"),
)
_STEP = re.compile(r"^[ \t]{0,8}(?:#{1,6} )?(?:\*\*)?(?:Step |Phase )?\d{1,2}[.):][ \t]+[^\n]{3,600}", re.M)
_WORK = re.compile(
    r"^[ \t]{0,12}(?:[-*+•]|Lines? \d[\d, and–-]{0,30}:)[ \t]+(?:Access|Add|Adjust|Apply|Build|Bump|Change|Clean"
    r"|Configure|Convert|Create|Delete|Deploy"
    r"|Deprecate|Disable|Document|Drop|Enable|Expose|Extend|Extract|Fix|Generate|Handle|Implement|Improve|Inline"
    r"|Install"
    r"|Integrate|Introduce|Investigate|Loop|Make|Merge|Migrate|Modify|Move|Pass|Patch|Port|Publish|Refactor|Register"
    r"|Release|Remove|Rename|Reorganize|Replace|Resolve|Restore|Restructure|Rewrite|Set up|Simplify|Split|Store|Support"
    r"|Swap|Switch|Test|Track|Translate|Tweak|Update|Upgrade|Use|Analyze|Calculate|Check|Collect|Compare|Compute"
    r"|Count|Determine|Download|Evaluate|Filter|Find|Group|Identify"
    r"|Load|Parse|Print|Review|Run|Save|Search|Send|Sort|Train|Validate|Verify|Wire|Wrap|Write|add|change|create"
    r"|delete|fix|implement|move|refactor|remove|rename|replace|update|write) [^\n]{3,600}",
    re.M,
)
"""A point of a list that asks for work on something."""
_MIN_STEPS = 2


_FORMED = re.compile(r"(?:Round|Format|Output|Return|Write|Express|Report|Print|Give) ")
"""How a step begins that says in which form something is to be: it is still a step."""


def _steps_of(text: str) -> Iterator[str]:
    """The points of a request that ask for something to be done once: numbered ones, and those that name the work."""
    points = [point for match in _STEP.finditer(text) if (point := clean(match[0]))] if "2" in text else []
    steps = [point for point in points if is_imperative(point)]
    steps += [point for match in _WORK.finditer(text) if (point := clean(match[0]))]
    if len(steps) >= _MIN_STEPS:
        rule = RULES["typed"]["constraint"]
        yield from (step for step in steps if _FORMED.match(step) or not rule.matches(step, [*rule.marks]))


class SentenceClassifier:
    """Classifies the sentences of one text: the marks that it holds are looked up once, for all of them."""

    def __init__(self, text: str, source: Source = "speech", only: SentenceClass | None = None) -> None:
        """`only` is the class that is asked for, where no other is."""
        low = text.lower()
        rules = [rule for cls, rule in RULES[source].items() if only in (None, cls)]
        self._rules = [(rule, marks) for rule in rules if (marks := rule.present_in(low))]
        self._stems = {STEMS[mark] for _, marks in self._rules for mark in marks}
        points = listed_points(text, low, source) if source != "output" else ()
        self._points = {point: cls for cls, point in points}
        self._is_all_rules = source == "rules"

    def classes(self, sentence: str) -> tuple[SentenceClass, ...]:
        """The classes of one of the text's sentences (or, of an output, lines), as `sentence_classes` gives them."""
        if not SHORTEST <= len(sentence) <= MAX_WORD_LENGTH or not self._may_be_any(sentence):
            return ()
        cleaned = clean(sentence)
        if not cleaned:
            return ()
        names: dict[SentenceClass, None] = {}
        if self._is_all_rules and is_instruction(cleaned):
            names["constraint"] = None
        for rule, marks in self._rules:
            if rule.matches(sentence if rule.cls == "error" else cleaned, marks):
                names[rule.cls] = None
        if listed := self._points.get(cleaned):
            names[listed] = None
        return tuple(names)

    def _may_be_any(self, sentence: str) -> bool:
        """Whether a sentence may be of any class."""
        return bool(self._points) or self._is_all_rules or may_hold(sentence, self._stems)


def may_hold(piece: str, stems: Collection[str]) -> bool:
    """Whether a mark with one of these stems may stand in a piece when it is cleaned. Cleaning costs more than this."""
    low = piece.lower()
    for stem in stems:  # a generator within `any` takes longer than the search
        if stem in low:
            return True
    return "**" in piece  # within a word


def sentence_classes(sentence: str, source: Source = "speech") -> tuple[SentenceClass, ...]:
    """The classes that one sentence is of, the weightiest first; most sentences are of none.

    `source` tells whose words it is. Sentences under 9 and over 600 characters have none.
    """
    return SentenceClassifier(sentence, source).classes(sentence)


STEMS: Mapping[str, str] = {
    mark: _stem_of(mark) for rules in RULES.values() for rule in rules.values() for mark in rule.marks
}
"""The stem of each mark; empty for those that are looked for in every text."""
ALL_STEMS = frozenset(STEMS.values()) - {""}
