"""What marks a sentence as a constraint, a decision, something to do or an error. English only.

Each kind is a table: marks without which no sentence is of that kind, in small letters, and the pattern that decides
where they stand. Which marks a text may have is known from its words, each of which is looked at once only;
the patterns run only where one of them is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Signs = Mapping[str, re.Pattern[str]]


def _signs(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> Signs:
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

CONSTRAINT = _signs(
    ("must", rf"\bmust(?:n[’']t)?\b(?! (?:{_GUESSING})\b)"),
    ("never", rf"{_TELLING_TO}|{_SUBJECT} never (?!(?:been|had|was|were|got|\w{{3,12}}ed)\b)\w+"),
    ("do not|don't|don’t", _TELLING_TO),
    ("should not|shouldn|shall not|may not", rf"\b(?:should|shall|may)(?: ?not|n[’']t) (?:{_ACTING})\b|\bmay not\b"),
    ("may ", r"\b(?:only|nothing|none|nobody|no \w+) may\b|\bmay only\b"),
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
    ("always", rf"\balways (?:{_RULED})\b"),
    ("only ", r"(?:^|[.;:,] )only (?:in|if|when|for|from|with)\b"),
    ("only.|only,", r"\bonly[.,]"),
    ("stay as|stays as", r"\bstays? as\b"),
    ("at the latest", r"\bat the latest\b"),
    ("no ", _BEFORE_NO),
    ("nothing", rf"(?:^|[.;:,] ?|please |and )(?:{_TO_NOTHING}) nothing\b"),
)
RULE = {mark: CONSTRAINT[mark] for mark in ("must", "never", "do not", "don't", "at most", "at least", "may ")} | {
    mark: CONSTRAINT[mark] for mark in ("cannot be", "may not", "at the latest")
}
"""Those that are looked for in what tools print as well."""
SELF = re.compile(
    r"\b(?:I|we) (?:must(?! not\b)|don[’']?t|never|do not|have to|had to|should|could|can[’']?t|also|need to)\b"
    r"|\b(?:cause|reason|problem|bug|issue|fault|there) must be\b"
    r"|\b(?:let me|I[’']ll|I will|I[’']m going to) \b",
    re.IGNORECASE,
)
"""Somebody speaking of their own next step, their habits, a guess or what they do not know."""

DECISION = _signs(
    ("decided", r"\bdecided\b(?! (?:whether|if|which|what|how|later|by|on your|so far)\b)"),
    ("decision", r"\bdecision(?: ?[:=]| is\b| was\b|s? made\b)|\b(?:that|as) a decision\b"),
    ("agreed ", r"\b(?:we|i|they)(?: have|[’']ve)? agreed (?:to|on|that|upon)\b"),
    ("going with|go with|went with", r"\b(?:going|go|went) with\b(?! (?:it|me|you|him|her|them)\b)"),
    ("chose|opted", r"\b(?:chose|chosen|opted)\b"),
    ("picked", r"\b(?:we|i)(?: have|[’']ve)? picked\b"),
    ("settled ", r"\bsettled (?:on|for)\b"),
    ("accepted", r"\b(?:is|are) (?:\w+ and )?accepted\b"),
    ("let's |let’s ", r"\blet[’']s (?:use|take|keep|stay|go with|stick)\b(?! (?:a look|you))"),
    (
        "we'll |we’ll |i'll |i’ll |we will |i will |we shall ",
        r"\b(?:we|i)(?:[’']ll| will| shall) (?:use|go with|keep|take|stay with|stick)\b(?! (?:care|you|an? |look))",
    ),
)
RULING = {mark: DECISION[mark] for mark in ("decided", "decision", "accepted")}
"""Those that are looked for in what tools print as well."""

_DOING = "done|committed|pushed|deployed|tested|implemented|started|fixed|written"
TASK = _signs(
    ("todo|fixme|xxx", r"\b(?:TODO|FIXME|XXX)\b[:(]"),
    ("to do:|to-do:", r"\b[Tt]o[- ]do:"),
    ("next step|next up", r"\b[Nn]ext (?:steps?|up) (?:is|are)\b"),
    ("still ", r"\b[Ss]till (?:to|needs?|has to|have to|missing|open)\b"),
    ("pending|in progress|unfinished", r"\b(?:is|are|remains?) (?:still )?(?:pending|in progress|unfinished)\b"),
    ("not done|left to|to be done", r"\b(?:is|are|remains?) (?:still )?(?:to be done|not done|left to)\b"),
    ("yet", rf"\bnot (?:{_DOING}) yet\b|\bnot yet (?:{_DOING})\b"),
    ("nothing is ", r"\b[Nn]othing is (?:committed|pushed|done)\b"),
    ("progress", r"\b[Ii]n progress\b\W*$"),
    ("follow-up:|follow up:", r"\b[Ff]ollow[- ]up:"),
    flags=0,
)
TODO = re.compile(r"\b(?:TODO|FIXME)\b[:(][^\n]{5,200}")
HEADINGS = ("next", "to do", "to-do", "todo", "open ", "remaining", "pending", "still to do", "left to do")
OPEN_HEADING = re.compile(
    r"[\s#*]{0,8}(?:next(?: steps?)?|to[- ]?do|todos?|open (?:tasks?|questions?|items?|points?)|remaining(?: \w+)?"
    r"|pending(?: \w+)?|still to do|left to do)[*:\s]{0,4}",
    re.IGNORECASE,
)

_NAMED = r"(?-i:\b\w{0,80}(?:Error|Exception|Fault)\b(?:: |:?$| \d{3}\b))"
_STARTED = r"^\s*\[?(?:error|fatal|panic|critical|fail(?:ed|ure)?|E)\]?(?:\[\w+\])?(?:: |\()"
FAILURE = _signs(
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
    ("denied", r"\b(?:permission|access) denied\b"),
    ("no such|not found", r"\bno such file\b|\b(?:command|module) not found\b"),
    ("refused|timed out", r"\bconnection (?:refused|reset|timed out)\b|\btimed out\b"),
    ("exit", r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"),
    ("cannot ", r"\bcannot (?:find|open|read|import|resolve|access|assign) "),
    ("conflict (", r"\bCONFLICT \("),
)
NAMED_ERROR = _signs(
    ("error|exception", r"\b[A-Z]\w{0,80}(?:Error|Exception): \S|^\s*(?:error|Error)(?:\[\w+\])?: \S"),
    ("fatal|panic", r"^\s*(?:fatal|panic): \S"),
    flags=0,
)
"""Of what somebody says, only lines that quote an error."""
CODE = re.compile(
    r"\s*+(?:\d+(?:→|\t)|(?:\d+[:-])?[+-]?\s*"
    r"(?:(?:raise|except|class|def|import|from|if|elif|else|return|throw|catch|try|async|await|const|let|var|assert"
    r"|function|func|fn|export|public|private|static|case|type|interface|for|while|with|print|console|logger|log|self"
    r"|this|defer|switch|yield|t\.\w+)\b(?!:? (?:error|fail))"
    r"|#|//|/\*|\*|@|<|\"|'|`|[\w.]+ ?(?::=|=(?!=)|\()))"
)
"""How a line of source code begins, or any line of a file that was read with numbers before its lines."""
NO_FAILURE = re.compile(
    r"\b(?:0|no|without|zero) (?:errors?|failures?|failed)"
    r"|\berrors?[=:] ?0\b|\bfail(?:ed|ures?)[=:] ?0\b|\.{3} ok\b"
    r"|=>|[{};,]\s*$|\berror\??: (?:null|none|undefined|nil|true|false|string|unknown|any|err|error|e|an?)\b",
    re.IGNORECASE,
)
"""Lines that speak of errors and tell of none: counts of none, and code."""
SOURCE = re.compile(r"[{}=<>\\$]|;\s*$|\w\(|::|->|^\s*[#/@]|\"\"\"")

STEMS: Mapping[str, str] = {
    mark: _stem_of(mark) for kind in (CONSTRAINT, RULE, DECISION, RULING, TASK, FAILURE, NAMED_ERROR) for mark in kind
}
"""The stem of each mark; empty for those that are looked for in every text."""
ALL_STEMS = frozenset(STEMS.values()) - {""}
