"""What makes a sentence a constraint, a decision, a task or an error: the one definition, for English.

Facts, the extractive summary, the signals of strategies and the reasons of memory tiers all ask here, so that a
decision whose loss is reported is one that was scored and listed.

Each class is a table of marks (words in small letters without which no sentence is of that class), each with the
pattern that decides. Text that somebody wrote and text that a tool printed have tables of their own: of what is printed
most is source code and documents, so fewer marks count there. The patterns run only where a mark stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

SentenceClass = Literal["constraint", "decision", "task", "error"]
Source = Literal["speech", "output"]
"""Whether a text is what somebody wrote, or what a tool printed."""
_Marks = Mapping[str, re.Pattern[str]]


def _marks(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> _Marks:
    """A table from rows of marks, with `|` between them, and their pattern."""
    return {mark: re.compile(pattern, flags) for marks, pattern in rows for mark in marks.split("|")}


def _stem_of(mark: str) -> str:
    """The longest run of letters in a mark, which lies within one word; none where that is too short to tell."""
    stem = max(_LETTERS.findall(mark), key=len, default="")
    return stem if len(stem) >= _SHORTEST_STEM else ""


_LETTERS = re.compile("[a-z]+")
_SHORTEST_STEM = 3

_GUESSING = "have (?:been|had)|be (?:that|because)|admit|confess"
"""What follows a "must" that binds nobody."""
_CHATTING = "worry|think|know|see|need|have|want|mind|forget to|hesitate|mean"
_TELLING_TO = (
    rf"(?:^|[,.;:(—–-] ?|\b(?:please|and|but|just|also|so|then|or) )(?:do not|don[’']?t|never)\b(?! (?:{_CHATTING})\b)"
)
_SUBJECT = r"\b(?:you|can|may|should|shall|must|will|is|are|be|\w-\d+)"
_BEFORE_NO = r"(?:^|[.;:,] ?|please )no (?:\w+,? ){1,4}(?:at the end|and no|or|outside|above|below|longer|over)\b"
_ACTING = "be|have|use|contain|exceed|lose|change|touch|make|run|add|write|delete"
_CHANGED = "updated|changed|moved|deleted|removed|exceeded|shared|edited|modified|touched|longer|wider"
_TO_NOTHING = "please|share|change|touch|delete|remove|send|say|tell|add|write|promise|give|commit|push|publish|rename"
_RULED = "use|keep|run|write|ask|check|put|call|add|return|include|start|begin|prefer|answer|say|make"

_CONSTRAINT = _marks(
    ("must", rf"\bmust(?:n[’']t)?\b(?! (?:{_GUESSING})\b)"),
    ("never", rf"{_TELLING_TO}|{_SUBJECT} never (?!(?:been|had|was|were|got|\w{{3,12}}ed)\b)\w+"),
    ("do not|don't|don’t", _TELLING_TO),
    ("should not|shouldn|shall not|may not", rf"\b(?:should|shall|may)(?: ?not|n[’']t) (?:{_ACTING})\b|\bmay not\b"),
    ("may ", r"\b(?:only(?: \w+)?|nothing|none|nobody|no \w+) may\b|\bmay only\b"),
    ("can not be|cannot be|can't be|can’t be", rf"\bcan(?: ?not|[’']t) be (?:{_CHANGED})\b"),
    (
        "at most|at least|no more than|no less than",
        r"\b(?:at most|at least|no more than|no less than) (?:[$€£]|[A-Z]{3} )?\d",
    ),
    (
        "not allowed|forbidden|required|mandatory|prohibited|not permitted",
        r"\b(?:is|are) (?:not allowed|forbidden|required|mandatory|prohibited|not permitted)\b|\bnot allowed to\b",
    ),
    ("has to |have to |needs to |need to ", r"\b(?:has|have|needs?) to (?:be|stay|remain|keep)\b"),
    ("make sure", r"\bmake sure\b"),
    ("avoid ", r"(?:^|[.;:,] |please |and )avoid \w+\b"),
    ("always", rf"\balways (?:{_RULED})\b|(?:^|[.;:] |please )always \w+\b"),
    ("important|critical|essential", r"\b(?:is|are|[’']s) (?:important|critical|essential) (?:that|to)\b"),
    ("only ", r"(?:^|[.;:,] )only (?:in|if|when|for|from|with)\b"),
    ("only.|only,", r"\bonly[.,]"),
    ("stay as|stays as", r"\bstays? as\b"),
    ("at the latest", r"\bat the latest\b"),
    ("no ", _BEFORE_NO),
    ("nothing", rf"(?:^|[.;:,] ?|please |and )(?:{_TO_NOTHING}) nothing\b"),
)
_PRINTED_CONSTRAINT = {
    mark: _CONSTRAINT[mark]
    for mark in (
        *("must", "never", "do not", "don't", "at most", "at least", "may "),
        *("cannot be", "may not", "at the latest"),
    )
}
"""Those that count in what tools print as well."""
_SELF = re.compile(
    r"\b(?:I|we) (?:must(?! not\b)|don[’']?t|never|do not|have to|had to|should|could|can[’']?t|also|need to)\b"
    r"|\b(?:cause|reason|problem|bug|issue|fault|there) must be\b"
    r"|\b(?:let me|I[’']ll|I will|I[’']m going to) \b",
    re.IGNORECASE,
)
"""Somebody speaking of their own next step, their habits, a guess or what they do not know."""

_WE = r"(?:we|i)(?:[’'](?:ll|re|m)| will| shall| are| am)?"
_TAKING = "use|go with|keep|take|stay with|stick with|switch to|move to"
_DECISION = _marks(
    ("decided", r"\bdecided\b(?! (?:whether|if|which|what|how|later|by|on your|so far)\b)"),
    ("decision", r"\bdecision(?: ?[:=]| is\b| was\b|s? made\b)|\b(?:that|as) a decision\b"),
    ("agreed ", r"\b(?:we|i|they)(?: have|[’']ve)? agreed (?:to|on|that|upon)\b"),
    ("going with|go with|went with", r"\b(?:going|go|went) with\b(?! (?:it|me|you|him|her|them)\b)"),
    ("chose|opted", r"\b(?:chose|chosen|opted)\b"),
    ("picked", r"\b(?:we|i)(?: have|[’']ve)? picked\b"),
    ("settled ", r"\bsettled (?:on|for)\b"),
    ("accepted", r"\b(?:is|are) (?:\w+ and )?accepted\b"),
    (
        "instead of",
        rf"^instead of [^.;:]{{1,80}} {_WE}\b|\b{_WE} (?:{_TAKING})\b[^.;:]{{1,80}} instead of\b",
    ),
    ("switching to|moving to|sticking with", rf"\b{_WE} (?:switching to|moving to|sticking with)\b"),
    ("plan is to", rf"\bplan is to (?:{_TAKING})\b"),
    ("let's |let’s ", r"\blet[’']s (?:use|take|keep|stay|go with|stick)\b(?! (?:a look|you))"),
    (
        "we'll |we’ll |i'll |i’ll |we will |i will |we shall ",
        r"\b(?:we|i)(?:[’']ll| will| shall) (?:use|go with|keep|take|stay with|stick|switch to)\b"
        r"(?! (?:care|you|an? |look))",
    ),
)
_PRINTED_DECISION = {mark: _DECISION[mark] for mark in ("decided", "decision", "accepted")}
"""Those that count in what tools print as well."""

_DOING = "done|committed|pushed|deployed|tested|implemented|started|fixed|written"
_TASK = _marks(
    ("todo|fixme|xxx", r"\b(?:TODO|FIXME|XXX)\b[:(]"),
    ("to do:|to-do:", r"\b[Tt]o[- ]do:"),
    ("next step|next up", r"\b[Nn]ext (?:steps?|up) (?:is|are)\b"),
    ("still ", r"\b[Ss]till (?:to|needs?|has to|have to|missing|open)\b"),
    ("remains to be|remain to be", r"\bremains? to be \w+"),
    ("open question:|open task:|open point:", r"\b[Oo]pen (?:question|task|point):"),
    ("pending|in progress|unfinished", r"\b(?:is|are|remains?) (?:still )?(?:pending|in progress|unfinished)\b"),
    ("not done|left to|to be done", r"\b(?:is|are|remains?) (?:still )?(?:to be done|not done|left to)\b"),
    ("yet", rf"\b[Nn]ot (?:{_DOING}) yet\b|\b[Nn]ot yet (?:{_DOING})\b"),
    ("nothing is ", r"\b[Nn]othing is (?:committed|pushed|done)\b"),
    ("progress", r"\b[Ii]n progress\b\W*$"),
    ("follow-up:|follow up:", r"\b[Ff]ollow[- ]up:"),
    flags=0,
)
TODO = re.compile(r"\b(?:TODO|FIXME)\b[:(][^\n]{5,200}")
"""A note in source code of what is to be done."""
_PRINTED_TASK = dict.fromkeys(("todo", "fixme"), TODO)
_OPEN_BOX = re.compile(r"^[ \t>]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+\[ \][ \t]+[^\n]{3,600}", re.M)
"""A point of a list that is to be ticked off, and is not yet."""
_HEADINGS = ("next", "to do", "to-do", "todo", "open ", "remaining", "pending")
"""One of these stands in every heading that `_OPEN_HEADING` matches."""
_OPEN_HEADING = re.compile(
    r"[\s#*]{0,8}(?:next(?: steps?)?|to[- ]?do|todos?|open (?:tasks?|questions?|items?|points?)|remaining(?: \w+)?"
    r"|pending(?: \w+)?|still to do|left to do)[*:\s]{0,4}",
    re.IGNORECASE,
)

_NAMED = r"(?-i:\b\w{0,80}(?:Error|Exception|Fault)\b(?:: |:?$| \d{3}\b))"
_STARTED = r"^\s*\[?(?:error|fatal|panic|critical|fail(?:ed|ure)?|E)\]?(?:\[\w+\])?(?:: |\()"
_PRINTED_ERROR = _marks(
    (
        "error",
        rf"{_NAMED}|{_STARTED}|\berror(?: ?\[\w+\]| \w{{1,8}}\d+)?: |\.{{3}} (?-i:ERROR)|^\s*npm ERR!"
        r"|\b(?:I/O|disk|read|write|network|syntax|parse|build|server|runtime) error\b"
        r"|\berror(?: on | in line | at line | while | opening | reading )",
    ),
    ("exception|fault", _NAMED),
    (
        "fail",
        rf"{_STARTED}|^\s*(?-i:FAILED|FAIL)\b|\bfailed(?:: |$| to \w| with \w| while \w)|\.{{3}} (?-i:FAIL)"
        r"|\b[1-9]\d{0,3} failed\b",
    ),
    ("fatal|panic", _STARTED),
    ("traceback", r"\bTraceback \(most recent"),
    ("denied", r"\b(?:permission|access) denied\b"),
    ("no such|not found", r"\bno such file\b|\b(?:command|module) not found\b"),
    ("refused|timed out", r"\bconnection (?:refused|reset|timed out)\b|\btimed out\b"),
    ("exit", r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"),
    ("cannot ", r"\bcannot (?:find|open|read|import|resolve|access|assign) "),
    ("conflict (", r"\bCONFLICT \("),
)
_QUOTED = r"\b[A-Z]\w{0,80}(?:Error|Exception): \S|^\s*(?:error|Error)(?:\[\w+\])?: \S"
_MET = r"\b(?:raised|threw|got|hit|(?:crashed|failed|died|ended) with) (?:an? |the )?[A-Z]\w{0,80}(?:Error|Exception)\b"
_JOBS = "build|tests?|job|run|command|request|call|upload|download|import|migration|deployment|installation"
_ERROR = _marks(
    ("error|exception", rf"{_QUOTED}|{_MET}"),
    ("fatal|panic", r"^\s*(?:fatal|panic): \S"),
    ("traceback", r"\bTraceback \(most recent"),
    ("crashed", r"\bcrashed\b"),
    ("failed", rf"\bfailed (?:with|while) \w|\b(?:{_JOBS}) (?:has |have )?failed\b"),
    ("denied", r"\b[Pp]ermission denied\b|\b[Aa]ccess (?:is|was) denied\b"),
    ("no such|not found", r"\b[Nn]o such file\b|\b(?:[Cc]ommand|[Mm]odule) not found\b"),
    ("refused|timed out", r"\b[Cc]onnection (?:was |is )?(?:refused|reset)\b|\btimed out\b"),
    ("exit", r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"),
    flags=0,
)
"""What somebody says of a failure that happened: of errors as such much is said that tells of none."""
_CODE = re.compile(
    r"\s*+(?:\d+(?:→|\t)|(?:\d+[:-])?[+-]?\s*"
    r"(?:(?:raise|except|class|def|import|from|if|elif|else|return|throw|catch|try|async|await|const|let|var|assert"
    r"|function|func|fn|export|public|private|static|case|type|interface|for|while|with|print|console|logger|log|self"
    r"|this|defer|switch|yield|t\.\w+)\b(?!:? (?:error|fail))"
    r"|#|//|/\*|\*|@|<|\"|'|`|(?!Traceback )[\w.]+ ?(?::=|=(?!=)|\()))"
)
"""How a line of source code begins, or any line of a file that was read with numbers before its lines."""
_NO_ERROR = re.compile(
    r"\b(?:0|no|without|zero) (?:errors?|failures?|failed)"
    r"|\berrors?[=:] ?0\b|\bfail(?:ed|ures?)[=:] ?0\b|\.{3} ok\b"
    r"|=>|[{};,]\s*$|\berror\??: (?:null|none|undefined|nil|true|false|string|unknown|any|err|error|e|an?)\b",
    re.IGNORECASE,
)
"""Lines that speak of errors and tell of none: counts of none, and code."""
_SOURCE = re.compile(r"[{}=<>\\$]|;\s*$|\w\(|::|->|^\s*[#/@]|\"\"\"")


def _is_own_step(sentence: str) -> bool:
    """Whether a sentence speaks of the speaker's own next step, habit or guess, or is a question."""
    return bool(_SELF.search(sentence)) or (sentence.endswith("?") and ". " not in sentence)


def _is_no_rule(sentence: str) -> bool:
    return not is_prose(sentence) or bool(_SELF.search(sentence))


def _is_no_prose(sentence: str) -> bool:
    return not is_prose(sentence)


def _is_code(line: str) -> bool:
    return bool(_CODE.match(line))


def _counts_no_error(line: str) -> bool:
    return bool(_NO_ERROR.search(line))


def is_prose(sentence: str) -> bool:
    """Whether a line of an output is words that people write: no source code, no row of a table."""
    if _SOURCE.search(sentence) or len(sentence) < _SHORTEST_PROSE:
        return False
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.7 * len(sentence) and sentence.count(" ") >= 3


_SHORTEST_PROSE = 20


def _never(_sentence: str) -> bool:
    return False


class Rule(NamedTuple):
    """What makes a sentence one of a class: a mark whose pattern matches, and nothing that speaks against it."""

    cls: SentenceClass
    marks: _Marks
    excludes: Callable[[str], bool]
    skips: Callable[[str], bool] = _never
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
        "constraint": Rule("constraint", _CONSTRAINT, _is_own_step),
        "decision": Rule("decision", _DECISION, _never),
        "task": Rule("task", _TASK, _never),
        "error": Rule("error", _ERROR, _counts_no_error, skips=_is_code),
    },
    "output": {
        "constraint": Rule("constraint", _PRINTED_CONSTRAINT, _is_no_rule),
        "decision": Rule("decision", _PRINTED_DECISION, _is_no_prose),
        "task": Rule("task", _PRINTED_TASK, _never),
        "error": Rule("error", _PRINTED_ERROR, _counts_no_error, skips=_is_code),
    },
}
SHORTEST, LONGEST = 9, 600
"""Characters of a sentence that can be of a class."""
_KEPT = 300
"""Characters of it that are kept."""
_LEAD = re.compile(r"[\s>#*+•|–—-]{0,12}(?:\(?\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s*)?[*_]{0,3}")


def clean(piece: str) -> str:
    """A sentence on one line, without bullet and emphasis, cut at 300 characters; "" for one that is too short."""
    match = _LEAD.match(piece)
    text = " ".join(piece[match.end() if match else 0 :].split()).replace("**", "").strip(" *|")
    return text[:_KEPT].strip() if len(text) >= SHORTEST else ""


_BULLET = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?!\[[xX]\])")
_LONGEST_HEADING = 60


def open_points(text: str, low: str) -> Iterator[str]:
    """Points of lists that are still to be done: with an empty box, or below a heading that says so; cleaned.

    `low` is the text in small letters.
    """
    if "[ ]" in text:
        yield from filter(None, (clean(match[0]) for match in _OPEN_BOX.finditer(text)))
    if not any(map(low.__contains__, _HEADINGS)):
        return
    below = False
    for line in text.split("\n"):
        if len(line) <= _LONGEST_HEADING and _OPEN_HEADING.fullmatch(line):
            below = True
        elif below and _BULLET.match(line):
            if point := clean(line[:LONGEST]):
                yield point
        elif line.strip():
            below = False


class SentenceClassifier:
    """Classifies the sentences of one text: the marks that it holds are looked up once, for all of them."""

    def __init__(self, text: str, source: Source = "speech") -> None:
        low = text.lower()
        self._rules = [(rule, marks) for rule in RULES[source].values() if (marks := rule.present_in(low))]
        self._points = frozenset(open_points(text, low)) if source == "speech" else frozenset[str]()

    def classes(self, sentence: str) -> tuple[SentenceClass, ...]:
        """The classes of one of the text's sentences (or, of an output, lines), as `sentence_classes` gives them."""
        if not (self._rules or self._points) or not SHORTEST <= len(sentence) <= LONGEST:
            return ()
        cleaned = clean(sentence)
        if not cleaned:
            return ()
        names = [
            rule.cls for rule, marks in self._rules if rule.matches(sentence if rule.cls == "error" else cleaned, marks)
        ]
        if cleaned in self._points and "task" not in names:
            names.append("task")
        return tuple(names)


def sentence_classes(sentence: str, source: Source = "speech") -> tuple[SentenceClass, ...]:
    """The classes that one sentence is of, the weightiest first; most sentences are of none.

    `source` tells whether somebody wrote it or a tool printed it. Sentences under 9 and over 600 characters have none.
    """
    return SentenceClassifier(sentence, source).classes(sentence)


STEMS: Mapping[str, str] = {
    mark: _stem_of(mark) for rules in RULES.values() for rule in rules.values() for mark in rule.marks
}
"""The stem of each mark; empty for those that are looked for in every text."""
ALL_STEMS = frozenset(STEMS.values()) - {""}
